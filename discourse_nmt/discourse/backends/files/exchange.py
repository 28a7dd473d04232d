"""The folders with the input and output of a user's program. docs/analysers/backends.md has the contract.

File names are numbers, as the ids of documents may contain any character.
"""

import json
from collections.abc import Sequence
from pathlib import Path

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.sources import Source
from discourse_nmt.discourse.backends.backend import DocumentInput
from discourse_nmt.discourse.backends.offsets import in_words, offsets_of
from discourse_nmt.discourse.formats.conllu import ConlluRow, Sentence, write_conllu
from discourse_nmt.discourse.formats.edu_lines import PARAGRAPH_END, SENTENCE_END, EduLine, write_edu_lines
from discourse_nmt.discourse.structures.mentions import Span
from discourse_nmt.discourse.structures.rows import rows_to_edus
from discourse_nmt.discourse.structures.trees import StructureError

MARKS = {SENTENCE_END: " ".join(SENTENCE_END), PARAGRAPH_END: " ".join(PARAGRAPH_END)}


def stem(number: int) -> str:
    """File name of a document, without extension."""
    return f"{number:05d}"


def write_documents(documents: Sequence[DocumentInput], folder: Path) -> None:
    """Write the files of each document and ``documents.json``, the list of their ids."""
    for number, document in enumerate(documents):
        path = folder / stem(number)
        write("".join(f"{sentence}\n" for sentence in document.sentences), path.with_suffix(".txt"))
        try:
            if "syntax" in document.tables:
                write(write_conllu(conllu_of(document)), path.with_suffix(".conllu"))
            if "edus" in document.tables:
                write(write_edu_lines(edu_lines_of(document)), path.with_suffix(".edus"))
        except StructureError as error:
            remedy = "use one analyser for words and EDUs"
            raise InputError(f"document {document.doc_id}: {error}", remedy=remedy) from None
    names = json.dumps([document.doc_id for document in documents], ensure_ascii=False, indent=2)
    write(f"{names}\n", folder / "documents.json")


def write(text: str, path: Path) -> None:
    """Write without seal: the folder is temporary, and a program that lists it should find nothing else."""
    path.write_text(text, encoding="utf-8", newline="")


def conllu_of(document: DocumentInput) -> list[Sentence]:
    """The table ``syntax`` as CoNLL-U, with ``Seg=B-seg`` where an EDU begins if there is a table ``edus``."""
    rows = document.tables["syntax"]
    starts = {(edu.sentence, edu.start) for edu in _word_edus(document)}
    sentences: list[Sentence] = []
    for number, (text, row) in enumerate(zip(document.sentences, rows)):
        words: list[ConlluRow] = []
        for word, (form, end) in enumerate(zip(row["forms"], row["ends"])):
            notes = ["Seg=B-seg"] if (number, word) in starts else []
            if word + 1 < len(row["forms"]) and end == row["starts"][word + 1]:
                notes.append("SpaceAfter=No")
            fields = [form, row["lemmas"][word], row["upos"][word], row["xpos"][word], row["feats"][word]]
            head = "_" if row["deprels"][word] == "_" else str(row["heads"][word] + 1)
            fields += [head, row["deprels"][word], "_", "|".join(notes) or "_"]
            words.append(ConlluRow(str(word + 1), *(" ".join(field.split()) or "_" for field in fields)))
        comments = (f"# sent_id = {number + 1}", f"# text = {' '.join(text.split())}")
        if words:
            sentences.append(Sentence(comments, tuple(words)))
    return sentences


def edu_lines_of(document: DocumentInput) -> list[EduLine]:
    """The table ``edus``, with words as in the table ``syntax`` if there is one, else divided at blanks."""
    edus = rows_to_edus(document.tables["edus"])
    if "syntax" in document.tables:
        forms = [row["forms"] for row in document.tables["syntax"]]
        pieces = [forms[edu.sentence][edu.start : edu.end] for edu in _word_edus(document)]
    else:
        pieces = [document.sentences[edu.sentence][edu.start : edu.end].split() for edu in edus]
    last = {edu.sentence: number for number, edu in enumerate(edus)}
    lines: list[EduLine] = []
    for number, (edu, words) in enumerate(zip(edus, pieces)):
        # A word that looks like a mark is written with spaces, which readers ignore.
        written = [token for word in words for token in MARKS.get(word, word).split()]
        lines.append(EduLine(tuple(written), last[edu.sentence] == number, number == len(edus) - 1))
    return lines


def _word_edus(document: DocumentInput) -> tuple[Span, ...]:
    if "edus" not in document.tables:
        return ()
    return in_words(rows_to_edus(document.tables["edus"]), offsets_of(document.tables["syntax"]))


def read_outputs(documents: Sequence[DocumentInput], folder: Path, extension: str) -> list[Source]:
    """The output file of each document; raises :class:`InputError` for missing files."""
    paths = [folder / f"{stem(number)}{extension}" for number in range(len(documents))]
    missing = [number for number, path in enumerate(paths) if not path.is_file()]
    if missing:
        first = missing[0]
        raise InputError(
            f"the command wrote no file for {len(missing)} of {len(documents)} documents, first {paths[first].name} "
            f"for document {documents[first].doc_id}",
            remedy=f"it must write one {extension} file per document into {{output}}",
        )
    return [Source(path.name, None, path) for path in paths]
