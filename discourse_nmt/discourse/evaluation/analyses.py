"""Figures of the joint network on annotated sentences, for the log and the card of its training."""

from collections.abc import Iterable, Sequence

from discourse_nmt.discourse.analysers.analyser import SentenceAnalysis
from discourse_nmt.discourse.analysers.examples import Example, genre_of
from discourse_nmt.discourse.evaluation.measures.counts import Counts, total
from discourse_nmt.discourse.evaluation.measures.offsets import in_document
from discourse_nmt.discourse.evaluation.measures.syntax import syntax_counts
from discourse_nmt.discourse.evaluation.measures.units import unit_counts
from discourse_nmt.discourse.structures.mentions import edus_of_starts
from discourse_nmt.discourse.structures.syntax import Syntax


def measure(examples: Sequence[Example], analyses: Iterable[SentenceAnalysis]) -> dict[str, float]:
    """Percentages: accuracies of words (UPOS, XPOS, features, lemma, UAS, LAS); precision, recall and F1 of words that
    begin a discourse unit; F1 of inner units, which do not begin a sentence.

    Layers that the examples lack have no figure.
    """
    counts = total(_counts(example, analysis) for example, analysis in zip(examples, analyses, strict=True))
    figures = {name: count.f1 for name, count in counts.items() if "EDU" not in name}
    if "EDU" in counts:
        units = counts["EDU"]
        figures |= {"EDU precision": units.precision, "EDU recall": units.recall, "EDU F1": units.f1}
        figures["inner EDU F1"] = counts["inner EDU"].f1
    return figures


def measure_by_genre(examples: Sequence[Example], analyses: Sequence[SentenceAnalysis]) -> dict[str, dict[str, float]]:
    """:func:`measure` over everything (``all``) and over each genre, rounded to hundredths."""
    pairs = list(zip(examples, analyses, strict=True))
    groups = {"all": pairs}
    for genre in sorted({genre_of(example.document) for example in examples}):
        groups[genre] = [pair for pair in pairs if genre_of(pair[0].document) == genre]
    return {
        name: {key: round(value, 2) for key, value in measure(*zip(*group)).items()} for name, group in groups.items()
    }


def _counts(example: Example, analysis: SentenceAnalysis) -> dict[str, Counts]:
    blank = ("_",) * len(example.forms)
    gold = Syntax(
        example.forms,
        example.upos,
        blank if example.xpos is None else example.xpos,
        blank if example.features is None else example.features,
        example.lemmas,
        example.heads,
        example.deprels,
    )
    counts = syntax_counts(gold, analysis)
    if example.xpos is None:
        del counts["XPOS"]
    if example.features is None:
        del counts["features"]
    if example.edu_starts is not None:
        lengths = [len(example.forms)]
        gold_edus, edus = (edus_of_starts([starts]) for starts in (example.edu_starts, analysis.edu_starts))
        counts |= unit_counts(in_document(gold_edus, lengths), in_document(edus, lengths), [0])
    return counts
