"""The measures of a corpus' text, and from which value on they are out of the ordinary. Shares are percentages."""

from collections import Counter
from collections.abc import Mapping, Sequence

from discourse_nmt.quality.languages import has_known_script, in_other_script, judged
from discourse_nmt.quality.round_trip import perfect_bleu, share_back, there_and_back
from discourse_nmt.quality.round_trip import remedy as remedy_of_settings
from discourse_nmt.quality.sample import Excerpt
from discourse_nmt.quality.table import Finding
from discourse_nmt.text.settings import SIDES, Side, TextSettings

LEAST_BACK, LEAST_BLEU = 95.0, 99.0
MOST_EQUAL = 5.0
MOST_TWINS = 1.0
MOST_OTHERS = 10.0  # of lines in another script, of passages in another language
MAJORITY = 50.0

Samples = Mapping[str, Sequence[Excerpt]]
"""By split. A split of sources alone has empty targets."""


def findings_of_text(samples: Samples, settings: TextSettings) -> list[Finding]:
    """What samples tell: what comes back from the text stage, scripts, languages; nothing of what cannot be told."""
    findings = [*_back(samples, settings), *_scripts(samples, settings), *_languages(samples, settings)]
    return [one for one in findings if one.values]


def finding(measure: str, values: Mapping[str, float], most: float, remedy: str, side: str = "") -> Finding:
    """A finding whose splits need the remedy where their values are above ``most``."""
    return Finding(measure, side, values, {split: remedy for split, value in values.items() if value > most})


def equal_sides(values: Mapping[str, float]) -> Finding:
    """Sentence pairs with equal sides."""
    remedy = "is each file in its language? leave pairs without translation out of the files"
    return finding("equal sides (% of pairs)", values, MOST_EQUAL, remedy)


def twins(sentences: Mapping[str, float], documents: Mapping[str, float], threshold: float | None) -> list[Finding]:
    """Sentences and documents with twins in train; ``threshold`` is the corpus's ``near_duplicates``."""
    apart = "near_duplicates: 0.5 leaves them out of train"
    if threshold is not None:
        apart = f"lower near_duplicates, which is {threshold:g}; parts of filtered documents may be alike, too"
    scores = "scores of the other sentences are given, too: (source not in train)"
    return [
        finding("source sentences that stand in train (%)", sentences, MOST_TWINS, scores),
        finding("documents with a near-duplicate in train (%)", documents, MOST_TWINS, apart),
    ]


def _back(samples: Samples, settings: TextSettings) -> list[Finding]:
    """The share of sentences that come back from the text stage, and the BLEU that the others leave.

    Remedies are for the target side: translations are read back, sources are not.
    """
    findings, bleu = list[Finding](), dict[str, float]()
    remedy = remedy_of_settings(settings.target)
    for side in SIDES:
        own, shares = settings.of(side), dict[str, float]()
        return_trip = there_and_back(own)
        for split, sentences in _sentences(samples, side).items():
            back = list(map(return_trip, sentences))
            shares[split] = share_back(sentences, back, own)
            if side == "target" and split != "train":
                bleu[split] = perfect_bleu(sentences, back, own)
        lost = {split: remedy for split, share in shares.items() if side == "target" and share < LEAST_BACK}
        findings.append(Finding("sentences that come back from the text stage (%)", side, shares, lost))
    lost = {split: remedy for split, value in bleu.items() if value < LEAST_BLEU}
    return [*findings, Finding("s-BLEU of a perfect system", "target", bleu, lost)]


def _scripts(samples: Samples, settings: TextSettings) -> list[Finding]:
    """The share of sentences in another script than those of their language."""
    findings = list[Finding]()
    for side in SIDES:
        language = settings.of(side).language
        shares = {
            split: 100 * sum(in_other_script(sentence, language) for sentence in sentences) / len(sentences)
            for split, sentences in _sentences(samples, side).items()
            if has_known_script(language)
        }
        remedy = f"is this {language}? leave other lines out of the files, or correct {side}_language"
        findings.append(finding("sentences in another script (%)", shares, MOST_OTHERS, remedy, side))
    return findings


def _languages(samples: Samples, settings: TextSettings) -> list[Finding]:
    """The share of passages in another language, of those that are long enough to tell."""
    counted = {side: _count_languages(samples, side, settings.of(side).language) for side in SIDES}
    findings = list[Finding]()
    for side in SIDES:
        own = settings.of(side).language
        shares = {split: 100 * (1 - counts[own] / counts.total()) for split, counts in counted[side].items()}
        remedies = {
            split: _remedy_of_language(split, side, counted, settings)
            for split, share in shares.items()
            if share > MOST_OTHERS
        }
        findings.append(Finding("passages in another language (%)", side, shares, remedies))
    return findings


LanguageCounts = Mapping[Side, Mapping[str, Counter[str]]]
"""By side and split, the number of passages in each language."""


def _count_languages(samples: Samples, side: Side, language: str) -> dict[str, Counter[str]]:
    counts = {
        split: Counter(filter(None, (judged(passage.of(side), language) for passage in passages)))
        for split, passages in samples.items()
    }
    return {split: languages for split, languages in counts.items() if languages}


def _remedy_of_language(split: str, side: Side, counted: LanguageCounts, settings: TextSettings) -> str:
    mostly = {one: _mostly(counted[one].get(split, Counter())) for one in SIDES}
    if mostly == {"source": settings.target.language, "target": settings.source.language}:
        return "the sides are swapped: swap the files, or source_language and target_language"
    own = settings.of(side).language
    if mostly[side] not in ("", own):
        return f"this looks like {mostly[side]}: correct the files, or {side}_language"
    others = [language for language, _ in counted[side][split].most_common() if language != own]
    return f"some looks like {others[0]}: leave it out of the files"


def _mostly(counts: Counter[str]) -> str:
    """The language of most passages; empty where most are not in one language."""
    [(language, count)] = counts.most_common(1) or [("", 0)]
    return language if count and 100 * count > MAJORITY * counts.total() else ""


def _sentences(samples: Samples, side: Side) -> dict[str, list[str]]:
    """The sentences of a side by split; a split that has none is left out."""
    texts = {split: [one for passage in passages for one in passage.of(side)] for split, passages in samples.items()}
    return {split: sentences for split, sentences in texts.items() if any(sentences)}
