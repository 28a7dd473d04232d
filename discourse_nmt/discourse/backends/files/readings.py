"""The file formats of each stage's annotation, and their readers: one file, one or more documents."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.settings import nearest
from discourse_nmt.discourse.backends.backend import Stage
from discourse_nmt.discourse.formats.brackets import read_brackets
from discourse_nmt.discourse.formats.conllu import Sentence, documents_of, edu_starts, read_conllu, tokens_of
from discourse_nmt.discourse.formats.coreference import (
    CoreferenceDocument,
    EntityMention,
    read_conll_coreference,
    read_gum_coreference,
)
from discourse_nmt.discourse.formats.corefud import read_corefud
from discourse_nmt.discourse.formats.dis import read_dis
from discourse_nmt.discourse.formats.dplp import read_merge
from discourse_nmt.discourse.formats.edu_lines import read_edu_lines
from discourse_nmt.discourse.formats.reading import blaming
from discourse_nmt.discourse.formats.rs3 import read_rs3
from discourse_nmt.discourse.formats.rs3_trees import tree_of_graph
from discourse_nmt.discourse.formats.rsd import read_rsd
from discourse_nmt.discourse.formats.scidtb import read_scidtb
from discourse_nmt.discourse.formats.stagedp import read_stagedp
from discourse_nmt.discourse.structures.trees import RstTree, StructureError

Documents = list[tuple[str | None, Any]]
TABLE, RECORDS = "table", "records"


@dataclass(frozen=True)
class Reading:
    """A file format: its extension, and a reader from a file's content and name to documents.

    A document is a pair of its id (None if the file has no ids) and its annotation: EDU texts for edus, a tree for rst,
    sentences for syntax, mentions for coreference. With ``many``, a file may hold several documents. ``read`` is None
    for the project's own tables and records, which hold rows.
    """

    extension: str
    read: Callable[[str, str], Documents] | None
    many: bool = False


def _rs3_tree(content: str, name: str, unattached: str | None = None) -> RstTree:
    return tree_of_graph(read_rs3(content, name), name, unattached)


def _segments(content: str, name: str) -> Documents:
    """The EDUs of an rs3 file, whatever tree they have."""
    return [(None, _with_texts([unit.text for unit in read_rs3(content, name).units if unit.type == "segment"], name))]


def _trees(read: Callable[[str, str], RstTree]) -> Callable[[str, str], Documents]:
    return lambda content, name: [(None, read(content, name))]


def _leaves(read: Callable[[str, str], RstTree]) -> Callable[[str, str], Documents]:
    def texts(content: str, name: str) -> Documents:
        return [(None, _with_texts(read(content, name).texts, name))]

    return texts


def _with_texts(texts: Sequence[str], name: str) -> list[str]:
    if not any(texts):
        raise InputError("the EDUs have no texts", file=name, remedy="import them from the file that was parsed")
    return list(texts)


def _edu_lines(content: str, name: str) -> Documents:
    return [(None, [" ".join(edu.words) for edu in read_edu_lines(content, name)])]


def _sentences(content: str, name: str) -> Documents:
    return list(documents_of(read_conllu(content, name)))


def _marked_words(content: str, name: str) -> Documents:
    with blaming(name):
        documents = documents_of(read_conllu(content, name, heads=False))
        return [(document, edu_texts(sentences)) for document, sentences in documents]


def edu_texts(sentences: Sequence[Sentence]) -> list[str]:
    """Texts of the EDUs of a document with marked words; every sentence begins an EDU."""
    starts = edu_starts(sentences)
    if not any(map(any, starts)):
        raise StructureError("no word is marked as the beginning of an EDU")
    edus: list[list[str]] = []
    for sentence, begins in zip(sentences, starts):
        beginning = {word for word, here in enumerate(begins) if here} | {0}
        words = 0
        for form, rows in tokens_of(sentence):
            if words in beginning:
                edus.append([])
            edus[-1].append(form)
            words += sum(sentence.rows[row].id.isdigit() for row in rows)
    return [" ".join(edu) for edu in edus]


def _gum(content: str, name: str) -> Documents:
    return [(document.name, document) for document in read_gum_coreference(content, name)]


def _corefud(content: str, name: str) -> Documents:
    """Over written tokens, which are in the text; words of multiword tokens may not be."""
    return [(document.name or None, document) for document in read_corefud(content, name, written=True)]


def _conll(content: str, name: str) -> Documents:
    """The documents with their parts joined; entities of different parts stay different."""
    parts: dict[str, list[CoreferenceDocument]] = {}
    for document in read_conll_coreference(content, name):
        parts.setdefault(document.name, []).append(document)
    joined: Documents = []
    for title, documents in parts.items():
        words = 0
        mentions: list[EntityMention] = []
        for part in documents:
            mentions += [
                EntityMention(mention.start + words, mention.end + words, f"{part.part}-{mention.entity}")
                for mention in part.mentions
            ]
            words += sum(map(len, part.sentences))
        sentences = tuple(sentence for part in documents for sentence in part.sentences)
        joined.append((title, CoreferenceDocument(title, sentences, tuple(mentions))))
    return joined


OWN = {TABLE: Reading(".parquet", None, many=True), RECORDS: Reading(".jsonl", None, many=True)}
FORMATS: dict[Stage, dict[str, Reading]] = {
    "syntax": {"conllu": Reading(".conllu", _sentences, many=True), **OWN},
    "edus": {
        "rs3": Reading(".rs3", _segments),
        "rs4": Reading(".rs4", _segments),
        "dis": Reading(".dis", _leaves(read_dis)),
        "stagedp": Reading(".parse", _leaves(read_stagedp)),
        "dplp": Reading(".merge", lambda content, name: [(None, list(read_merge(content, name).texts))]),
        "edu_lines": Reading(".edus", _edu_lines),
        "rsd": Reading(".rsd", lambda content, name: [(None, list(read_rsd(content, name).texts))]),
        "scidtb": Reading(".dep", lambda content, name: [(None, list(read_scidtb(content, name).texts))]),
        "conllu": Reading(".conllu", _marked_words, many=True),
        **OWN,
    },
    "rst": {
        "rs3": Reading(".rs3", _trees(_rs3_tree)),
        "rs4": Reading(".rs4", _trees(_rs3_tree)),
        "dis": Reading(".dis", _trees(read_dis)),
        "stagedp": Reading(".parse", _trees(read_stagedp)),
        "dplp": Reading(".brackets", _trees(read_brackets)),
        **OWN,
    },
    "coreference": {
        "gum": Reading(".conll", _gum, many=True),
        "conll2012": Reading(".conll", _conll, many=True),
        "corefud": Reading(".conllu", _corefud, many=True),
        **OWN,
    },
    "themes": {**OWN},
}


def reading_named(stage: Stage, name: str, unattached: str | None = None) -> Reading:
    """The reader of a format for a stage, which attaches segments of rs3 that have no parent by this relation.

    Raises :class:`InputError` if the stage has no such format, or the format no such segments.
    """
    if name not in FORMATS[stage]:
        raise InputError(f"{stage}: no format {name}", remedy=nearest(name, FORMATS[stage]))
    if unattached is None:
        return FORMATS[stage][name]
    if stage != "rst" or name not in ("rs3", "rs4"):
        remedy = "leave it out: it is for the stage rst and the formats rs3 and rs4"
        raise InputError(f"{stage}: the format {name} has no option unattached", remedy=remedy)
    return Reading(f".{name}", _trees(partial(_rs3_tree, unattached=unattached)))


def document_in(documents: Documents, doc_id: str, file: str, alone: bool) -> Any:
    """The annotation of ``doc_id`` in a file; with ``alone``, a single document of the file may have any id."""
    named = [content for name, content in documents if name == doc_id]
    if not named and alone and len(documents) == 1:
        named = [documents[0][1]]
    if len(named) != 1:
        problem = f"holds {len(named)} documents {doc_id}" if named else f"holds no document {doc_id}"
        raise InputError(problem, file=file, remedy="each document must be there once, under the corpus's name for it")
    return named[0]
