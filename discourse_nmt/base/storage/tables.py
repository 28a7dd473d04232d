"""The tables that stages exchange: Parquet files with an explicit schema.

Every column is described where it is declared. Character offsets are half-open ``[start, end)`` counts of Unicode
code points in the raw sentence of the ``sentences`` table; sentence, EDU and node numbers are 0-based within their
document; ``side`` is ``source`` or ``target``. Rows of one document are contiguous and in text order.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.storage.files import replacing, verified

if TYPE_CHECKING:
    import pandas as pd  # long to import, and not used by every command that reads files

TEXT = pa.string()
NUMBER = pa.int32()
NUMBERS = pa.list_(pa.int32())
TEXTS = pa.list_(pa.string())
REAL = pa.float64()
YES_NO = pa.bool_()


@dataclass(frozen=True)
class Column:
    """One column: its Arrow type, what it holds (unit, range, meaning of null), and whether null is allowed."""

    type: pa.DataType
    meaning: str
    nullable: bool = False


DOCUMENT = Column(TEXT, "document id, unique within a corpus split")
SENTENCE = Column(NUMBER, "sentence number within the document, from 0")
SIDE = Column(TEXT, "source or target")
START = Column(NUMBER, "first character of the span in the raw sentence, from 0")
END = Column(NUMBER, "character after the last one of the span")
STARTS = Column(NUMBERS, "first character of each token in the raw sentence")
ENDS = Column(NUMBERS, "character after the last one of each token")

TABLES: dict[str, dict[str, Column]] = {
    "sentences": {
        "doc_id": DOCUMENT,
        "sent_id": SENTENCE,
        "source": Column(TEXT, "raw source sentence, one line, not empty"),
        "target": Column(TEXT, "raw target sentence aligned with it, one line, not empty"),
        "quality": Column(
            REAL, "how well the two fit, from 0 to 1, where the import aligned them; else null", nullable=True
        ),
        "speaker": Column(TEXT, "who says it, as the files name them; null where they name nobody", nullable=True),
        "scene": Column(NUMBER, "its scene in the document, from 0; null where the format tells none", nullable=True),
    },
    "documents": {
        "doc_id": DOCUMENT,
        "sentences": Column(NUMBER, "number of its sentences"),
        "domain": Column(TEXT, "domain, null where the format tells none", nullable=True),
        "gaps": Column(
            TEXTS,
            "source text before each sentence and after the last; null where the format tells none",
            nullable=True,
        ),
    },
    "tokens": {
        "doc_id": DOCUMENT,
        "sent_id": SENTENCE,
        "side": SIDE,
        "tokens": Column(TEXTS, "words as the tokeniser gives them, unescaped and in natural case"),
        "starts": STARTS,
        "ends": ENDS,
        "gaps": Column(TEXTS, "white space before each word and after the last, as it stands in the sentence"),
    },
    "subwords": {
        "doc_id": DOCUMENT,
        "sent_id": SENTENCE,
        "side": SIDE,
        "ids": Column(NUMBERS, "subword ids in the vocabulary of that side, without sentence marks"),
        "word_of_subword": Column(NUMBERS, "token number of each subword, non-decreasing, covering every token"),
    },
    "syntax": {
        "doc_id": DOCUMENT,
        "sent_id": SENTENCE,
        "side": SIDE,
        "forms": Column(TEXTS, "words as the analyser divides them, each a piece of the raw sentence"),
        "lemmas": Column(TEXTS, "lemma of each word"),
        "upos": Column(TEXTS, "universal part-of-speech tag of each word"),
        "xpos": Column(TEXTS, "part-of-speech tag of each word in the language's own tagset"),
        "feats": Column(TEXTS, "morphological features of each word as in CoNLL-U, Name=Value joined by |; _ for none"),
        "heads": Column(NUMBERS, "word number of each word's head, from 0; -1 for the root"),
        "deprels": Column(TEXTS, "universal dependency relation of each word to its head; root for the root"),
        "starts": Column(NUMBERS, "first character of each word in the raw sentence"),
        "ends": Column(NUMBERS, "character after the last one of each word"),
    },
    "edus": {
        "doc_id": DOCUMENT,
        "edu_id": Column(NUMBER, "elementary discourse unit within the document, from 0 in text order"),
        "sent_id": SENTENCE,
        "start": START,
        "end": END,
    },
    "rst": {
        "doc_id": DOCUMENT,
        "node_id": Column(NUMBER, "node within the document's tree, from 0; the root is 0, parents before children"),
        "parent": Column(NUMBER, "node_id of the parent, -1 for the root"),
        "first_edu": Column(NUMBER, "first EDU the node covers"),
        "last_edu": Column(NUMBER, "last EDU the node covers (inclusive); equal to first_edu in a leaf"),
        "nuclearity": Column(TEXT, "role in the parent's relation: nucleus, satellite, or root"),
        "relation": Column(TEXT, "relation that joins the node to its siblings under its parent; ROOT for the root"),
    },
    "rst_dependencies": {
        "doc_id": DOCUMENT,
        "edu_id": Column(NUMBER, "dependent EDU"),
        "head": Column(NUMBER, "edu_id of its head, -1 for a root"),
        "relation": Column(TEXT, "relation to the head; ROOT for a root"),
    },
    "coreference": {
        "doc_id": DOCUMENT,
        "chain_id": Column(NUMBER, "entity within the document, from 0"),
        "sent_id": SENTENCE,
        "start": START,
        "end": END,
        "head_start": Column(NUMBER, "first character of the mention's head word"),
        "head_end": Column(NUMBER, "character after the head word"),
    },
    "themes": {
        "doc_id": DOCUMENT,
        "sent_id": SENTENCE,
        "start": START,
        "end": END,
        "label": Column(TEXT, "theme-topical, theme-textual, theme-interpersonal or rheme"),
    },
    "labelled_words": {
        "doc_id": DOCUMENT,
        "sent_id": SENTENCE,
        "tokens": Column(TEXTS, "words of the sentence, at least one"),
        "starts": STARTS,
        "ends": ENDS,
        "labels": Column(TEXTS, "label of each word: those of the table themes, rheme-omitted, or none"),
    },
    "document_graph": {
        "doc_id": DOCUMENT,
        "relation": Column(TEXT, "why the words are linked: adjacency, dependency, lexical or coreference"),
        "from_sent": Column(NUMBER, "sentence of the word that the edge comes from"),
        "from_token": Column(NUMBER, "that word: its place in the sentence's row of the table tokens, from 0"),
        "to_sent": Column(NUMBER, "sentence of the word that the edge leads to"),
        "to_token": Column(NUMBER, "that word"),
    },
    "contrastive": {
        "item_id": Column(TEXT, "contrastive item: a right translation against one or more wrong variants"),
        "doc_id": DOCUMENT,
        "sent_id": Column(NUMBER, "sentence whose reference translation is contrasted"),
        "phenomenon": Column(TEXT, "what the item tests, for example pronoun; a/b is a part of a"),
        "distance": Column(
            NUMBER, "sentences back to the one that decides; 0 for the same sentence, null if not known", nullable=True
        ),
        "wrong": Column(TEXT, "the target sentence made wrong in this document; the right one is the reference"),
        "variant": Column(
            NUMBER, "wrong variant within the item, whose rows are its sentences; null: the row is one", nullable=True
        ),
        "wrong_doc_id": Column(
            TEXT, "document in whose context the wrong sentence stands; null for that of doc_id", nullable=True
        ),
        "block": Column(TEXT, "items that count together, beside counting each; null for none", nullable=True),
    },
    "contrastive_scores": {
        "item_id": Column(TEXT, "contrastive item"),
        "phenomenon": Column(TEXT, "what the item tests"),
        "distance": Column(NUMBER, "sentences back to the one that decides; null if not known", nullable=True),
        "block": Column(TEXT, "items that count together; null for none", nullable=True),
        "right_score": Column(REAL, "sum of log-probabilities (nats) of the reference"),
        "wrong_score": Column(REAL, "sum of log-probabilities (nats) of the wrong variant"),
    },
    "expected_forms": {
        "item_id": Column(TEXT, "item: a sentence whose translation must have one of several forms"),
        "doc_id": DOCUMENT,
        "sent_id": Column(NUMBER, "sentence whose translation is looked at"),
        "phenomenon": Column(TEXT, "what the item tests; a/b is a part of a"),
        "distance": Column(NUMBER, "sentences back to the one that decides; null if not known", nullable=True),
        "forms": Column(TEXTS, "the forms, one of which the translation must have"),
        "other_forms": Column(TEXTS, "forms that are wrong here; null where the item names none", nullable=True),
    },
    "judged_translations": {
        "item_id": Column(TEXT, "item of a table contrastive or expected_forms"),
        "doc_id": DOCUMENT,
        "phenomenon": Column(TEXT, "what the item tests"),
        "distance": Column(NUMBER, "sentences back to the one that decides; null if not known", nullable=True),
        "block": Column(TEXT, "items that count together; null for none", nullable=True),
        "has_right": Column(YES_NO, "the translation has the right form"),
        "has_wrong": Column(YES_NO, "it has a wrong form; null where the item names none", nullable=True),
    },
    "word_translations": {
        "source": Column(TEXT, "source word in lower case; null: the target word stands for none", nullable=True),
        "target": Column(TEXT, "target word in lower case; null: the source word stands for none", nullable=True),
        "forward": Column(REAL, "probability of the target word given the source word", nullable=True),
        "backward": Column(REAL, "probability of the source word given the target word", nullable=True),
    },
    "reference_scores": {
        "doc_id": DOCUMENT,
        "sent_id": SENTENCE,
        "words": Column(NUMBER, "number of words of the reference, as the text stage divides it"),
        "score": Column(REAL, "sum of log-probabilities (nats) of the reference, as the system reads the text"),
        "without_context": Column(REAL, "the same, each sentence by itself; null if not asked for", nullable=True),
        "without_source_context": Column(
            REAL, "the same without other source sentences; null if not asked for", nullable=True
        ),
        "without_target_context": Column(
            REAL, "the same without earlier target sentences; null if not asked for", nullable=True
        ),
        "without_trees": Column(
            REAL, "the same without trees; null if not asked for, or the system reads none", nullable=True
        ),
        "shuffled_trees": Column(
            REAL, "the same with the trees of other units; null if not asked for, or there are none", nullable=True
        ),
    },
    "translations": {
        "doc_id": DOCUMENT,
        "sent_id": SENTENCE,
        "rank": Column(NUMBER, "place in the n-best list, from 0; 0 is the translation"),
        "hypothesis": Column(TEXT, "detokenised, detruecased translation, one line"),
        "tokens": Column(TEXTS, "the same as tokens in natural case, as they were before detokenisation"),
        "score": Column(REAL, "log-probability (nats) divided by the length penalty"),
    },
    "output_alignment": {
        "doc_id": DOCUMENT,
        "omitted": Column(NUMBERS, "its sentences that the output leaves out"),
        "added": Column(TEXTS, "texts of the output that translate none of its sentences"),
        "places": Column(NUMBERS, "for each of these, the sentence that it stands before"),
        "problem": Column(TEXT, "why the output is not aligned; null where it is", nullable=True),
    },
    "language_model_answers": {
        "doc_id": DOCUMENT,
        "sent_id": Column(NUMBER, "first sentence that the answer translates"),
        "sentences": Column(NUMBER, "number of these sentences"),
        "tokens_sent": Column(NUMBER, "tokens of the request, as the server counts them, else by rule"),
        "tokens_received": Column(NUMBER, "tokens of the answer, in the same way"),
        "fault": Column(TEXT, "fault of the answer: refusal, copy, loop, cut off, ...; null for none", nullable=True),
        "request": Column(TEXT, "digest of the request, which names the file of the answer"),
    },
    "repeats": {
        "doc_id": DOCUMENT,
        "sent_id": Column(NUMBER, "sentence whose source is, character by character, a source sentence of train"),
        "pair": Column(pa.bool_(), "whether train also has it with the same target"),
    },
    "metric_scores": {
        "level": Column(TEXT, "system, document or segment"),
        "doc_id": Column(TEXT, "document, null for the system", nullable=True),
        "sent_id": Column(NUMBER, "sentence number within the document, null but for segments", nullable=True),
        "score": Column(REAL, "score by a metric that the user runs, null for what it does not score", nullable=True),
    },
    "drops": {
        "doc_id": Column(TEXT, "document the dropped unit belonged to"),
        "line": Column(NUMBER, "1-based line or record in the source file, null for a whole document", nullable=True),
        "reason": Column(TEXT, "which filter dropped it"),
        "text": Column(TEXT, "the source side, cut to 80 characters"),
    },
}


def schema(name: str) -> pa.Schema:
    """Arrow schema of the table ``name``; the metadata of each field holds the column's meaning."""
    fields = [
        pa.field(key, column.type, nullable=column.nullable, metadata={"meaning": column.meaning})
        for key, column in TABLES[name].items()
    ]
    return pa.schema(fields, metadata={"table": name})


def write_table(frame: "pd.DataFrame", path: str | Path, name: str) -> None:
    """Validate ``frame`` against the schema ``name`` (columns, types, nulls) and write it atomically as Parquet.

    A nullable column may be absent; it is then all null.
    """
    table = arrow_table(frame, name)
    with replacing(path) as temporary:
        pq.write_table(table, temporary, compression="zstd", write_page_checksum=True)


def arrow_table(frame: "pd.DataFrame", name: str) -> pa.Table:
    """``frame`` as an Arrow table with the schema ``name``; raises :class:`ValueError` where it does not fit."""
    absent = [key for key, column in TABLES[name].items() if column.nullable and key not in frame]
    frame = frame.assign(**dict.fromkeys(absent))
    table = pa.Table.from_pandas(frame[list(TABLES[name])], schema=schema(name), preserve_index=False)
    for field, column in zip(table.schema, table.columns):
        if column.null_count and not field.nullable:
            raise ValueError(f"table {name}: column {field.name} has {column.null_count} nulls")
    return table


def read_table(
    path: str | Path, name: str, columns: list[str] | None = None, group: int | None = None
) -> "pd.DataFrame":
    """Read a Parquet file with the table ``name``; raises :class:`InputError` for any other file.

    Without ``columns``, a nullable column may be absent; it is then all null. ``group`` reads one row group, from 0; a
    group that the file does not have gives no rows.
    """
    try:
        if group is None:
            table = pq.read_table(verified(path), columns=columns, partitioning=None, page_checksum_verification=True)
        else:
            with pq.ParquetFile(verified(path), page_checksum_verification=True) as file:
                groups = [group] if group < file.num_row_groups else []
                table = file.read_row_groups(groups, columns=columns)
        frame = table.to_pandas(ignore_metadata=True)  # which may be damaged, and says nothing of these types
    except (OSError, pa.ArrowException, ValueError, KeyError) as error:  # the last two come from a damaged footer
        reason = str(error).splitlines()[0]
        raise InputError(
            f"not a readable {name} table ({reason})", file=path, remedy="delete it and run again"
        ) from None
    wanted = schema(name)
    for key in columns or TABLES[name]:
        if columns is None and TABLES[name][key].nullable and key not in frame:
            frame[key] = None
        elif key not in table.column_names or table.schema.field(key).type != wanted.field(key).type:
            raise InputError(f"not a {name} table: column {key} is missing or of another type", file=path)
    return frame
