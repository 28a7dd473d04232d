"""An analysis of a text as rows of tables, as files of interchange formats, and as drawings."""

from collections.abc import Sequence
from itertools import accumulate

from discourse_nmt.discourse.analysers.annotation import (
    SentenceText,
    chain_rows,
    conllu_of,
    edu_rows,
    syntax_rows,
    theme_rows,
)
from discourse_nmt.discourse.drawings.coreference_views import coreference_chains
from discourse_nmt.discourse.drawings.dependency_views import dependency_view
from discourse_nmt.discourse.drawings.rst_trees import rst_tree
from discourse_nmt.discourse.drawings.sheets import TITLES
from discourse_nmt.discourse.formats.conllu import write_conllu
from discourse_nmt.discourse.formats.coreference import CoreferenceDocument, EntityMention, write_conll_coreference
from discourse_nmt.discourse.formats.rs3 import write_rs3
from discourse_nmt.discourse.formats.rs3_trees import graph_of_tree
from discourse_nmt.discourse.pipeline import Analysis
from discourse_nmt.discourse.structures.mentions import Chain
from discourse_nmt.discourse.structures.rows import Row, dependencies_to_rows, tree_to_rows


def tables(name: str, analysis: Analysis) -> dict[str, list[Row]]:
    """Rows of each table for one document, on the side ``source``; the tree is binary, as the parser builds it.

    What the language has no analyser for has no table.
    """
    words = analysis.words
    found = {
        "syntax": syntax_rows(name, "source", words, analysis.syntax),
        "edus": edu_rows(name, words, analysis.edus),
    }
    if analysis.tree is not None and analysis.dependencies is not None:
        found["rst"] = tree_to_rows(name, analysis.tree)
        found["rst_dependencies"] = dependencies_to_rows(name, analysis.dependencies)
    if analysis.chains is not None:
        found["coreference"] = chain_rows(name, words, analysis.chains)
    if analysis.themes is not None:
        found["themes"] = theme_rows(name, words, analysis.themes)
    return found


def files(name: str, analysis: Analysis) -> dict[str, str]:
    """Contents of a document's files by their endings: interchange formats, and drawings where it has a word."""
    texts: list[SentenceText] = list(zip(analysis.sentences, analysis.words))
    title = {key: f"{words} of {name}" for key, words in TITLES.items()}
    found = {"conllu": write_conllu(conllu_of(name, analysis.syntax, texts))}
    if analysis.structure is not None and analysis.dependencies is not None:
        edus = analysis.edu_texts
        found["rs3"] = write_rs3(graph_of_tree(analysis.structure))
        found["rst.svg"] = rst_tree(analysis.structure, edus, title["rst"])
        found["dependencies.svg"] = dependency_view(analysis.dependencies, edus, title["dependencies"])
    if analysis.chains is not None:
        forms = tuple(one.forms for one in analysis.syntax)
        mentions = _mentions(analysis.chains, [len(words) for words in forms])
        found["coreference.conll"] = write_conll_coreference([CoreferenceDocument(name, forms, tuple(mentions))])
        if analysis.edus:
            found["coreference.svg"] = coreference_chains(texts, analysis.chains, title["coreference"])
    return found


def _mentions(chains: Sequence[Chain], lengths: Sequence[int]) -> list[EntityMention]:
    """Mentions with their words counted through the document."""
    before = [0, *accumulate(lengths)]
    return sorted(
        EntityMention(before[span.sentence] + span.start, before[span.sentence] + span.end, str(number))
        for number, chain in enumerate(chains)
        for span in (mention.span for mention in chain.mentions)
    )
