"""Tables of an analysis compared with gold tables of the same documents, or with those of another analysis.

Spans count characters of the raw sentences, so that both sides may have different words.
"""

from collections.abc import Iterable, Mapping, Sequence

from discourse_nmt.discourse.evaluation.measures.coreference import Mentions, score_chains, without_singletons
from discourse_nmt.discourse.evaluation.measures.counts import Counts
from discourse_nmt.discourse.evaluation.measures.dependencies import attachment
from discourse_nmt.discourse.evaluation.measures.labels import label_counts, labelled_spans, labels_of_words
from discourse_nmt.discourse.evaluation.measures.offsets import Offsets
from discourse_nmt.discourse.evaluation.measures.parseval import parseval
from discourse_nmt.discourse.evaluation.measures.units import unit_counts
from discourse_nmt.discourse.evaluation.tasks import (
    COREFERENCE,
    EDU,
    ORIGINAL_PARSEVAL,
    PREDICTED,
    RST_DEPENDENCIES,
    RST_PARSEVAL,
    THEMES,
    Scores,
)
from discourse_nmt.discourse.structures.conversions import binarise
from discourse_nmt.discourse.structures.mentions import Span
from discourse_nmt.discourse.structures.rows import (
    Row,
    rows_to_chains,
    rows_to_dependencies,
    rows_to_edus,
    rows_to_tree,
)
from discourse_nmt.discourse.structures.trees import StructureError

COMPARED = ("syntax", "edus", "rst", "rst_dependencies", "coreference", "themes")
LONGEST_SENTENCE = 1 << 24  # characters; sentence * LONGEST_SENTENCE + character is unique
Tables = Mapping[str, Sequence[Row]]


def compare(gold: Tables, predicted: Tables) -> Scores:
    """Counts of one document for the tables that both sides have, all in the setting ``predicted``.

    ``rst`` and ``rst_dependencies`` also need ``edus``; ``themes`` needs the predicted table ``syntax``, whose words
    are counted. Broken rows raise :class:`.StructureError`.
    """
    scores: Scores = {}
    both = set(gold) & set(predicted)
    if "edus" in both:
        gold_edus, edus = rows_to_edus(gold["edus"]), rows_to_edus(predicted["edus"])
        if not gold_edus or not edus:
            raise StructureError("one side has no discourse units")
        gold_offsets, offsets = _offsets(gold_edus), _offsets(edus)
        starts = _sentence_starts(gold_edus) | _sentence_starts(edus)
        scores[EDU, PREDICTED] = unit_counts(gold_offsets, offsets, starts)
        if "rst" in both:
            gold_tree, tree = binarise(rows_to_tree(gold["rst"])), binarise(rows_to_tree(predicted["rst"]))
            scores[ORIGINAL_PARSEVAL, PREDICTED] = parseval(gold_tree, tree, gold_offsets, offsets, "original")
            scores[RST_PARSEVAL, PREDICTED] = parseval(gold_tree, tree, gold_offsets, offsets, "rst")
        if "rst_dependencies" in both:
            gold_dependencies = rows_to_dependencies(gold["rst_dependencies"])
            dependencies = rows_to_dependencies(predicted["rst_dependencies"])
            scores[RST_DEPENDENCIES, PREDICTED] = attachment(gold_dependencies, dependencies, gold_offsets, offsets)
    if "coreference" in both:
        scores[COREFERENCE, PREDICTED] = score_chains(_chains(gold["coreference"]), _chains(predicted["coreference"]))
    if "themes" in both and "syntax" in predicted:
        scores[THEMES, PREDICTED] = {"accuracy": _labels(gold["themes"], predicted["themes"], predicted["syntax"])}
    return scores


def _offsets(spans: Iterable[Span]) -> list[Offsets]:
    """Spans as offsets on one line for all sentences."""
    return [
        (span.sentence * LONGEST_SENTENCE + span.start, span.sentence * LONGEST_SENTENCE + span.end) for span in spans
    ]


def _sentence_starts(edus: Sequence[Span]) -> set[int]:
    firsts = {edu.sentence: edu for edu in reversed(edus)}
    return {start for start, _ in _offsets(firsts.values())}


def _chains(rows: Sequence[Row]) -> list[Mentions]:
    return without_singletons([[mention.span for mention in chain.mentions] for chain in rows_to_chains(rows)])


def _labels(gold: Sequence[Row], predicted: Sequence[Row], syntax: Sequence[Row]) -> Counts:
    words: dict[int, list[Offsets]] = {
        int(row["sent_id"]): [(int(start), int(end)) for start, end in zip(row["starts"], row["ends"])]
        for row in syntax
    }
    ranges = [words.get(number, []) for number in range(1 + max(words, default=-1))]
    spans = (labels_of_words(labelled_spans(rows), ranges) for rows in (gold, predicted))
    return label_counts(*spans)
