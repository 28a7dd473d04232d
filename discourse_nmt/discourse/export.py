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
from discourse_nmt.discourse.drawings.theme_views import theme_view
from discourse_nmt.discourse.drawings.titles import TITLES
from discourse_nmt.discourse.formats.conllu import write_conllu
from discourse_nmt.discourse.formats.coreference import CoreferenceDocument, EntityMention, write_conll_coreference
from discourse_nmt.discourse.formats.corefud import with_chains
from discourse_nmt.discourse.formats.rs3 import write_rs3
from discourse_nmt.discourse.formats.rs3_trees import graph_of_tree
from discourse_nmt.discourse.pipeline import TextAnalysis
from discourse_nmt.discourse.records.record import IDENTITY, DocumentRecord
from discourse_nmt.discourse.structures.mentions import Chain
from discourse_nmt.discourse.structures.rows import Row, dependencies_to_rows, tree_to_rows

# What each file of a document holds, by the ending of its name, and each table of all documents.
FILES = {
    "rs3": "RST tree for RSTTool and rstWeb (rs3)",
    "conllu": "words, syntax, discourse units and coreference chains (CoNLL-U, CorefUD)",
    "coreference.conll": "coreference chains (CoNLL-2012)",
    **{f"{key}.svg": f"drawing: {title} (SVG)" for key, title in TITLES.items()},
}
TABLES = {
    "syntax": "words, tags, lemmas and dependencies",
    "edus": "discourse units",
    "rst": "nodes of the binary RST trees",
    "rst_dependencies": "discourse dependencies",
    "coreference": "mentions and their chains",
    "themes": "themes and rhemes",
}


def tables(name: str, analysis: TextAnalysis) -> dict[str, list[Row]]:
    """Rows of each table for one document, on the side ``source``; the tree is binary, as the parser builds it.

    A layer without an analyser for the language has no table.
    """
    words = analysis.words
    rows_of_tables = {
        "syntax": syntax_rows(name, "source", words, analysis.syntax),
        "edus": edu_rows(name, words, analysis.edus),
    }
    if analysis.tree is not None and analysis.dependencies is not None:
        rows_of_tables["rst"] = tree_to_rows(name, analysis.tree)
        rows_of_tables["rst_dependencies"] = dependencies_to_rows(name, analysis.dependencies)
    if analysis.chains is not None:
        rows_of_tables["coreference"] = chain_rows(name, words, analysis.chains)
    if analysis.themes is not None:
        rows_of_tables["themes"] = theme_rows(name, words, analysis.themes)
    return rows_of_tables


def record(name: str, analysis: TextAnalysis) -> DocumentRecord:
    """The document with all its annotation; there is no translation."""
    layers = {
        table: [{key: value for key, value in row.items() if key not in IDENTITY} for row in rows]
        for table, rows in tables(name, analysis).items()
    }
    return DocumentRecord(name, analysis.sentences, [""] * len(analysis.sentences), {"source": layers})


def files(name: str, analysis: TextAnalysis) -> dict[str, str]:
    """Contents of a document's files by extension: interchange formats, and drawings if it has words."""
    texts: list[SentenceText] = list(zip(analysis.sentences, analysis.words))
    title = {key: f"{words} of {name}" for key, words in TITLES.items()}
    sentences = conllu_of(name, analysis.syntax, texts)
    contents: dict[str, str] = {}
    if analysis.structure is not None and analysis.dependencies is not None:
        edus = analysis.edu_texts
        contents["rs3"] = write_rs3(graph_of_tree(analysis.structure))
        contents["rst.svg"] = rst_tree(analysis.structure, edus, title["rst"])
        contents["dependencies.svg"] = dependency_view(analysis.dependencies, edus, title["dependencies"])
    if analysis.chains is not None:
        forms = tuple(sentence.forms for sentence in analysis.syntax)
        mentions = _mentions(analysis.chains, [len(words) for words in forms])
        document = CoreferenceDocument(name, forms, tuple(mentions))
        contents["coreference.conll"] = write_conll_coreference([document])
        sentences = with_chains(sentences, document)
        if analysis.edus:
            contents["coreference.svg"] = coreference_chains(texts, analysis.chains, title["coreference"])
    if analysis.themes:
        contents["themes.svg"] = theme_view(texts, analysis.themes, title["themes"])
    return contents | {"conllu": write_conllu(sentences)}


def _mentions(chains: Sequence[Chain], lengths: Sequence[int]) -> list[EntityMention]:
    """Mentions over the words of the document."""
    before = [0, *accumulate(lengths)]
    mentions: list[EntityMention] = []
    for number, chain in enumerate(chains):
        for mention in chain.mentions:
            first = before[mention.span.sentence]
            words = first + mention.span.start, first + mention.span.end
            mentions.append(EntityMention(*words, str(number), head=first + mention.head.start))
    return sorted(mentions)
