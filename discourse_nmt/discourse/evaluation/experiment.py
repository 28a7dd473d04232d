"""Evaluation of analysers on gold documents.

Words and sentences are always gold. In the setting ``gold`` the other input of an analyser is gold, too (EDUs for
trees, syntax for chains, both for themes); in ``predicted`` it is the output of earlier analysers.
"""

from collections.abc import Sequence

from discourse_nmt.discourse.analyser_set import Analysers
from discourse_nmt.discourse.analysers.analyser import SentenceAnalysis, states_of
from discourse_nmt.discourse.evaluation.documents import GoldDocument
from discourse_nmt.discourse.evaluation.measures.breakdown import attachment_by_relation, attachment_by_sentence
from discourse_nmt.discourse.evaluation.measures.coreference import score_chains, without_singletons
from discourse_nmt.discourse.evaluation.measures.counts import Counts, total
from discourse_nmt.discourse.evaluation.measures.dependencies import attachment
from discourse_nmt.discourse.evaluation.measures.labels import label_counts, labels_of_words
from discourse_nmt.discourse.evaluation.measures.offsets import (
    chains_in_document,
    divided,
    in_document,
    in_sentences,
    joined_lengths,
    joined_sentences,
)
from discourse_nmt.discourse.evaluation.measures.parseval import parseval
from discourse_nmt.discourse.evaluation.measures.syntax import syntax_counts
from discourse_nmt.discourse.evaluation.measures.units import unit_counts
from discourse_nmt.discourse.evaluation.tasks import (
    COREFERENCE,
    EDU,
    GOLD,
    ORIGINAL_PARSEVAL,
    PREDICTED,
    RST_DEPENDENCIES,
    RST_PARSEVAL,
    RST_RELATIONS,
    SYNTAX,
    THEMES,
    Scores,
)
from discourse_nmt.discourse.parsing.document import ParserInput
from discourse_nmt.discourse.structures.conversions import binarise, debinarise, li14
from discourse_nmt.discourse.structures.mentions import Chain, Span, edus_of_starts
from discourse_nmt.discourse.structures.syntax import Syntax
from discourse_nmt.discourse.structures.trees import RstTree
from discourse_nmt.discourse.themes.labelling import ThemeSpan


def evaluate(document: GoldDocument, analysers: Analysers) -> Scores:
    """Counts for every layer with gold annotation in the document and an analyser of the language."""
    [analyses] = analysers.joint.analyse([document.forms], states=True)
    edus = edus_of_starts([analysis.edu_starts for analysis in analyses])
    scores: Scores = {(SYNTAX, GOLD): _syntax(document, analyses)}
    if document.edus is not None:
        predicted_edus = in_document(edus, document.lengths)
        scores[EDU, GOLD] = unit_counts(document.edus, predicted_edus, document.sentence_starts)
    if document.tree is not None and analysers.parser is not None:
        scores |= _rst(document, document.tree, analyses, edus, analysers)
    syntax = [sentence for sentence in document.syntax if sentence is not None]
    complete = len(syntax) == len(analyses)
    if document.chains is not None and analysers.resolver is not None:
        for setting, sentences in ((GOLD, syntax), (PREDICTED, analyses)):
            if setting == PREDICTED or complete:
                [chains] = analysers.resolver.resolve([sentences], [document.speakers])
                scores[COREFERENCE, setting] = _coreference(document, chains)
    if document.themes is not None and analysers.label_themes is not None:
        scores[THEMES, PREDICTED] = _themes(document, analysers.label_themes(analyses, edus))
        if complete and document.edus and joined_lengths(document.lengths, document.edus) == document.lengths:
            gold_edus = in_sentences(document.edus, document.lengths)
            scores[THEMES, GOLD] = _themes(document, analysers.label_themes(syntax, gold_edus))
    return scores


def _syntax(document: GoldDocument, analyses: Sequence[Syntax]) -> dict[str, Counts]:
    pairs = [(gold, analysis) for gold, analysis in zip(document.syntax, analyses) if gold is not None]
    counts = total(syntax_counts(gold, analysis) for gold, analysis in pairs)
    columns = {"UPOS": "upos", "XPOS": "xpos", "features": "features", "lemma": "lemmas"}
    for name, column in columns.items():  # a column of only _ is unannotated
        if all(value == "_" for gold, _ in pairs for value in getattr(gold, column)):
            counts.pop(name, None)
    return counts


def _rst(
    document: GoldDocument,
    tree: RstTree,
    analyses: Sequence[SentenceAnalysis],
    edus: Sequence[Span],
    analysers: Analysers,
) -> Scores:
    assert document.edus is not None and analysers.parser is not None
    lengths = joined_lengths(document.lengths, document.edus)
    joined = analyses
    if lengths != document.lengths:  # an EDU crosses sentences, which are joined for the parser
        [joined] = analysers.joint.analyse([divided(document.forms, lengths)], states=True)
    gold_edus = in_sentences(document.edus, lengths)
    binary, dependencies = binarise(tree), li14(tree)
    scores: Scores = {}
    begins = joined_sentences(document.paragraphs, document.lengths, lengths)
    for setting, sentences, spans, paragraphs in (
        (GOLD, joined, gold_edus, begins),
        (PREDICTED, analyses, edus, document.paragraphs),
    ):
        [predicted] = analysers.parser.parse([ParserInput(sentences, spans, states_of(sentences), paragraphs)])
        offsets = in_document(spans, [len(sentence.forms) for sentence in sentences])
        scores[ORIGINAL_PARSEVAL, setting] = parseval(binary, predicted, document.edus, offsets, "original")
        scores[RST_PARSEVAL, setting] = parseval(binary, predicted, document.edus, offsets, "rst")
        attached = (dependencies, li14(debinarise(predicted)), document.edus, offsets)
        by_sentence = attachment_by_sentence(*attached, document.sentence_starts)
        scores[RST_DEPENDENCIES, setting] = attachment(*attached) | by_sentence
        scores[RST_RELATIONS, setting] = attachment_by_relation(*attached)
    return scores


def _coreference(document: GoldDocument, chains: Sequence[Chain]) -> dict[str, Counts]:
    predicted = chains_in_document(chains, document.lengths)
    return score_chains(without_singletons(document.chains or ()), without_singletons(predicted))


def _themes(document: GoldDocument, spans: Sequence[ThemeSpan]) -> dict[str, Counts]:
    words = [[(word, word + 1) for word in range(length)] for length in document.lengths]
    labels = labels_of_words([(theme.span, theme.label) for theme in spans], words)
    return {"accuracy": label_counts(document.themes or (), labels)}
