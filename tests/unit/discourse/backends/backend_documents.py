"""A document with its words, units and tree that the tests of backends share."""

import re
from pathlib import Path

import pandas as pd

from discourse_nmt.base.storage.tables import write_table
from discourse_nmt.discourse.backends.backend import Context, DocumentInput
from discourse_nmt.discourse.structures.mentions import Span
from discourse_nmt.discourse.structures.rows import Row, edus_to_rows, tree_to_rows
from discourse_nmt.discourse.structures.trees import RstTree, join, leaf

CONTEXT = Context("talks", "dev", "source", "en")
SENTENCES = ('He said (twice) "no" because it rained.', "She didn't stay.")
WORD = re.compile(r"\w+(?=n't)|n't|\w+|[^\w\s]")
EDUS = (Span(0, 0, 20), Span(0, 21, 39), Span(1, 0, 16))


def tree() -> RstTree:
    """The first two units by cause, the third by joint."""
    pair = join([(leaf(), "nucleus", "span"), (leaf(), "satellite", "cause")])
    return join([(pair, "nucleus", "joint"), (leaf(), "nucleus", "joint")])


def raw_texts() -> tuple[str, ...]:
    return tuple(SENTENCES[edu.sentence][edu.start : edu.end] for edu in EDUS)


def escaped_texts() -> tuple[str, ...]:
    """The units as a parser of the Penn Treebank's school writes them."""
    return ("He said -LRB- twice -RRB- `` no ''", "because it rained .", "She did n't stay .")


def syntax_rows(doc_id: str = "d", sentences: tuple[str, ...] = SENTENCES) -> list[Row]:
    """Words, the first of each sentence its root."""
    rows: list[Row] = []
    for number, sentence in enumerate(sentences):
        found = list(WORD.finditer(sentence))
        size = len(found)
        rows.append(
            {
                "doc_id": doc_id,
                "sent_id": number,
                "side": "source",
                "forms": [word[0] for word in found],
                "lemmas": [word[0].lower() for word in found],
                "upos": ["X"] * size,
                "xpos": ["_"] * size,
                "feats": ["_"] * size,
                "heads": [-1, *[0] * (size - 1)],
                "deprels": ["root", *["dep"] * (size - 1)],
                "starts": [word.start() for word in found],
                "ends": [word.end() for word in found],
            }
        )
    return rows


def document(*tables: str, doc_id: str = "d") -> DocumentInput:
    """The document with the named earlier tables."""
    rows = {"syntax": syntax_rows(doc_id), "edus": edus_to_rows(doc_id, EDUS)}
    return DocumentInput(doc_id, SENTENCES, {name: rows[name] for name in tables})


def write_rows(rows: list[Row], path: Path, table: str) -> None:
    write_table(pd.DataFrame(rows), path, table)


def tree_rows(doc_id: str = "d") -> list[Row]:
    return tree_to_rows(doc_id, tree())
