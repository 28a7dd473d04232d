"""Trivial analyses of gold documents, which an analyser must beat.

Units: every sentence is one. Trees: right-branching within sentences and over sentences, each node a nucleus with a
satellite of the relation :data:`RELATION`. So a unit depends on the unit before it in the sentence, the first unit of a
sentence on the first one of the sentence before.
"""

from collections.abc import Sequence

from discourse_nmt.discourse.evaluation.documents import GoldDocument
from discourse_nmt.discourse.evaluation.measures.breakdown import attachment_by_sentence
from discourse_nmt.discourse.evaluation.measures.dependencies import attachment
from discourse_nmt.discourse.evaluation.measures.offsets import in_document, in_sentences, joined_lengths
from discourse_nmt.discourse.evaluation.measures.parseval import parseval
from discourse_nmt.discourse.evaluation.measures.units import unit_counts
from discourse_nmt.discourse.evaluation.tasks import (
    EDU,
    GOLD,
    ORIGINAL_PARSEVAL,
    PREDICTED,
    RST_DEPENDENCIES,
    RST_PARSEVAL,
    Scores,
)
from discourse_nmt.discourse.structures.conversions import binarise, li14
from discourse_nmt.discourse.structures.mentions import Span
from discourse_nmt.discourse.structures.trees import NUCLEUS, SATELLITE, SPAN, RstTree, join, leaf

RELATION = "elaboration"
"""The most frequent relation between a nucleus and a satellite in GUM."""


def baseline_scores(document: GoldDocument) -> Scores:
    """Counts of the trivial analyses; ``gold`` has trees over gold units, ``predicted`` trees over whole sentences."""
    if document.edus is None:
        return {}
    sentences = [Span(number, 0, length) for number, length in enumerate(document.lengths) if length]
    offsets = in_document(sentences, document.lengths)
    scores: Scores = {(EDU, GOLD): unit_counts(document.edus, offsets, document.sentence_starts)}
    if document.tree is None:
        return scores
    gold_sentences = in_sentences(document.edus, joined_lengths(document.lengths, document.edus))
    binary, dependencies = binarise(document.tree), li14(document.tree)
    for setting, spans, edus in ((GOLD, gold_sentences, document.edus), (PREDICTED, sentences, offsets)):
        tree = right_branching([span.sentence for span in spans])
        scores[ORIGINAL_PARSEVAL, setting] = parseval(binary, tree, document.edus, edus, "original")
        scores[RST_PARSEVAL, setting] = parseval(binary, tree, document.edus, edus, "rst")
        attached = (dependencies, li14(tree), document.edus, edus)
        by_sentence = attachment_by_sentence(*attached, document.sentence_starts)
        scores[RST_DEPENDENCIES, setting] = attachment(*attached) | by_sentence
    return scores


def right_branching(sentence_of_edu: Sequence[int]) -> RstTree:
    """The trivial tree of a document; ``sentence_of_edu`` has the sentence of each unit, in text order."""
    trees: list[RstTree] = []  # from the last sentence to the first
    sentence_after = None
    for sentence in reversed(sentence_of_edu):
        if sentence == sentence_after:
            trees[-1] = _attach(leaf(), trees[-1])
        else:
            trees.append(leaf())
        sentence_after = sentence
    document = trees[0]
    for tree in trees[1:]:
        document = _attach(tree, document)
    return document


def _attach(nucleus: RstTree, satellite: RstTree) -> RstTree:
    return join([(nucleus, NUCLEUS, SPAN), (satellite, SATELLITE, RELATION)])
