"""Tables of an analysis compared with gold tables of the same documents, or with those of another analysis.

Places are characters of the raw sentences, so the words of both sides need not be the same.
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
LONGEST_SENTENCE = 1 << 24  # characters, so that sentence and character make one number
Tables = Mapping[str, Sequence[Row]]


def compare(gold: Tables, predicted: Tables) -> Scores:
    """Counts of one document for the tables that both sides have, all in the setting ``predicted``.

    ``rst`` and ``rst_dependencies`` need ``edus`` beside them; ``themes`` needs the predicted table ``syntax``, whose
    words are counted. Broken rows raise :class:`.StructureError`.
    """
    scores: Scores = {}
    both = set(gold) & set(predicted)
    if "edus" in both:
        edus, found = rows_to_edus(gold["edus"]), rows_to_edus(predicted["edus"])
        if not edus or not found:
            raise StructureError("one side has no discourse units")
        places, others = _places(edus), _places(found)
        scores[EDU, PREDICTED] = unit_counts(places, others, _sentence_starts(edus) | _sentence_starts(found))
        if "rst" in both:
            tree, other = binarise(rows_to_tree(gold["rst"])), binarise(rows_to_tree(predicted["rst"]))
            scores[ORIGINAL_PARSEVAL, PREDICTED] = parseval(tree, other, places, others, "original")
            scores[RST_PARSEVAL, PREDICTED] = parseval(tree, other, places, others, "rst")
        if "rst_dependencies" in both:
            heads = rows_to_dependencies(gold["rst_dependencies"])
            other_heads = rows_to_dependencies(predicted["rst_dependencies"])
            scores[RST_DEPENDENCIES, PREDICTED] = attachment(heads, other_heads, places, others)
    if "coreference" in both:
        scores[COREFERENCE, PREDICTED] = score_chains(_chains(gold["coreference"]), _chains(predicted["coreference"]))
    if "themes" in both and "syntax" in predicted:
        scores[THEMES, PREDICTED] = {"accuracy": _labels(gold["themes"], predicted["themes"], predicted["syntax"])}
    return scores


def _places(spans: Iterable[Span]) -> list[Offsets]:
    """Spans as numbers that tell sentences apart."""
    return [
        (span.sentence * LONGEST_SENTENCE + span.start, span.sentence * LONGEST_SENTENCE + span.end) for span in spans
    ]


def _sentence_starts(edus: Sequence[Span]) -> set[int]:
    firsts = {edu.sentence: edu for edu in reversed(edus)}
    return {start for start, _ in _places(firsts.values())}


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
