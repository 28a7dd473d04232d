"""Word graphs beside a dataset, in one memory-mapped Arrow file per split.

The rows are those of the dataset. The columns of a side, ``source`` or ``target``, describe the words of the sentence:
their number (``size``), their subwords (``ids``) with the word in the sentence that each belongs to (``words``), and
the edges from them: the word in the sentence (``from``), the word in the document (``to``, from 0) and the index of the
relation in :data:`.RELATIONS` (``relation``). The target is a draft translation.
"""

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np
import pyarrow as pa

from discourse_nmt.base.arrays import Integers
from discourse_nmt.base.errors import InputError
from discourse_nmt.base.relations import RELATIONS
from discourse_nmt.base.storage.tables import NUMBER
from discourse_nmt.models.graph.word_graphs import GraphWords, LinkedWords, ParagraphGraphs
from discourse_nmt.training.data.dataset import FLAT, KEY_FIELDS, ParallelDataset, map_beside

LISTS = {"ids": FLAT, "words": FLAT, "from": FLAT, "to": FLAT, "relation": pa.large_list(pa.int8())}


def graph_schema(sides: Sequence[str]) -> pa.Schema:
    """The columns of a file with the graphs of these sides."""
    kinds = {"size": NUMBER} | LISTS
    fields = [pa.field(f"{side}_{name}", kind, nullable=False) for side in sides for name, kind in kinds.items()]
    return pa.schema([*KEY_FIELDS, *fields])


class SideGraphs:
    """The graphs of one side of a split."""

    def __init__(self, table: pa.Table, side: str, documents: Integers) -> None:
        self.documents = documents
        self.firsts = np.concatenate([[0], np.cumsum(table[f"{side}_size"].to_numpy().astype(np.int64))])
        """The words of row ``r`` are those from ``firsts[r]`` to ``firsts[r + 1] - 1``, counted over the split."""
        columns = {name: table[f"{side}_{name}"].chunk(0) for name in LISTS}
        self.values = {name: column.values.to_numpy() for name, column in columns.items()}
        self.offsets = {name: column.offsets.to_numpy() for name, column in columns.items()}

    def fault(self, largest_id: int) -> tuple[int, str] | None:
        """The first wrong row and its fault, None where all are right; no subword is above ``largest_id``."""
        sizes = np.diff(self.firsts)
        wrong = np.flatnonzero((sizes < 0) | (sizes > np.diff(self.offsets["ids"])))  # each word has a subword
        if len(wrong):
            return int(wrong[0]), f"it has {sizes[wrong[0]]} words"
        starts = np.repeat(self.firsts[self.documents[:-1]], np.diff(self.documents))
        ends = np.repeat(self.firsts[self.documents[1:]], np.diff(self.documents))
        bounds = {
            "ids": np.full(len(sizes), largest_id + 1),
            **{"words": sizes, "from": sizes, "to": ends - starts},
            "relation": np.full(len(sizes), len(RELATIONS)),
        }
        for name, bound in bounds.items():
            rows = np.repeat(np.arange(len(sizes)), np.diff(self.offsets[name]))
            wrong = np.flatnonzero((self.values[name] < 0) | (self.values[name] >= bound[rows]))
            if len(wrong):
                return int(rows[wrong[0]]), f"{name} holds {self.values[name][wrong[0]]}"
        return None

    def document(self, index: int) -> LinkedWords:
        """The words of a document by its index, from 0."""
        first, last = self.documents[index : index + 2].tolist()
        rows = np.arange(first, last)
        words = self._column("words", first, last) + self._first("words", rows)
        size = int(self.firsts[last] - self.firsts[first])
        return LinkedWords(
            GraphWords(
                sentences=np.repeat(rows - first, np.diff(self.firsts[first : last + 1])),
                subwords=self._column("ids", first, last),
                starts=np.searchsorted(words, np.arange(size)),
            ),
            sources=self._column("from", first, last) + self._first("from", rows),
            targets=self._column("to", first, last),
            relations=self._column("relation", first, last),
        )

    def _column(self, name: str, first: int, last: int) -> Integers:
        offsets = self.offsets[name]
        return self.values[name][offsets[first] : offsets[last]].astype(np.int64)

    def _first(self, name: str, rows: Integers) -> Integers:
        """For each value of a column in some ``rows`` of one document: the first word of its row in the document."""
        return np.repeat(self.firsts[rows] - self.firsts[rows[0]], np.diff(self.offsets[name])[rows])


class GraphFile:
    """The graphs of a split, opened beside its dataset; subclasses name their ``sides``.

    Raises :class:`InputError` where the rows are not the dataset's, or a subword or an end of an edge does not exist.
    """

    sides: tuple[str, ...]

    def __init__(self, path: str | Path, dataset: ParallelDataset) -> None:
        table = map_beside(path, dataset, graph_schema(self.sides), "graph file")
        self.documents = dataset.documents
        self._graphs_of = lru_cache(maxsize=1)(self._read)  # neighbouring paragraphs share their document
        self.graphs = {side: SideGraphs(table, side, dataset.documents) for side in self.sides}
        for side, graphs in self.graphs.items():
            # A draft may have subwords that no reference of the split has; see :func:`.open_structure`.
            largest_id = dataset.source.largest if side == "source" else np.iinfo(np.int32).max
            if (fault := graphs.fault(largest_id)) is not None:
                row, reason = fault
                raise InputError(
                    f"{dataset.sentence(row)}: {side} graph: {reason}", file=path, remedy="delete it and run again"
                )

    def __getitem__(self, rows: slice) -> ParagraphGraphs:
        """Some rows of one document, with the graphs of the whole document."""
        document = int(np.searchsorted(self.documents, rows.start, side="right")) - 1
        first = rows.start - int(self.documents[document])
        return ParagraphGraphs(document, first, rows.stop - rows.start, self._graphs_of(document))

    def _read(self, document: int) -> dict[str, LinkedWords]:
        return {side: graphs.document(document) for side, graphs in self.graphs.items()}


class SourceGraphFile(GraphFile):
    """Graphs of the source."""

    sides = ("source",)


class SourceAndDraftGraphFile(GraphFile):
    """Graphs of the source and of a draft of the target; ``largest_draft_id`` is the draft's largest subword."""

    sides = ("source", "target")

    def __init__(self, path: str | Path, dataset: ParallelDataset) -> None:
        super().__init__(path, dataset)
        self.largest_draft_id = int(self.graphs["target"].values["ids"].max(initial=-1))
