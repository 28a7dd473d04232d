"""Number of words in a sentence's graph against their distance in the text.

The graph of a sentence holds the words within a number of edges of its own words in the document's graph. It is smaller
than the document, and reaches farther than a window of sentences of the same size.
"""

from collections.abc import Iterable, Sequence

import altair
import numpy as np
import pandas as pd

from discourse_nmt.base.arrays import Integers
from discourse_nmt.base.errors import InputError
from discourse_nmt.models.graph.word_graphs import WordGraph, word_graph
from discourse_nmt.scoring.charts.drawing import COLOURS, svg

BLOCK = 256  # sentences whose graphs are computed at a time; each takes a mask of all words
ALL = "all words"
Documents = Iterable[tuple[WordGraph, Integers]]


def documents_of(tokens: pd.DataFrame, edges: pd.DataFrame) -> Documents:
    """Yield the merged graph of each document and the sentence of each of its words.

    ``tokens`` is one side of the table, ``edges`` the table ``document_graph`` of that side.

    Raises :class:`InputError`: a word of an edge is not in ``tokens``.
    """
    edges_of_document = edges.groupby("doc_id", sort=False).indices
    for strange in edges_of_document.keys() - set(tokens["doc_id"]):
        raise InputError(f"table document_graph: document {strange!s} has no tokens")
    for name, rows in tokens.groupby("doc_id", sort=False):
        lengths = np.zeros(int(rows["sent_id"].max()) + 1, np.int64)
        lengths[rows["sent_id"]] = rows["tokens"].map(len)
        firsts, own = np.cumsum(lengths) - lengths, edges.iloc[edges_of_document.get(name, [])]
        sentence_of_word = np.repeat(np.arange(len(lengths)), lengths)
        ends = []
        for end in ("from", "to"):
            sent, word = (own[f"{end}_{kind}"].to_numpy(np.int64) for kind in ("sent", "token"))
            if (sent >= len(lengths)).any() or (word >= lengths[sent]).any():
                raise InputError(f"table document_graph: document {name!s}: an edge ends at no word of its tokens")
            ends.append(firsts[sent] + word)
        yield word_graph(len(sentence_of_word), *ends), sentence_of_word


def graph_sizes(documents: Documents, hops: Sequence[int], farthest: int) -> pd.DataFrame:
    """Mean number of words of a sentence's graph up to a distance in sentences.

    Columns: ``graph`` (``1 hop``, ``2 hops`` … or :data:`ALL`), ``distance`` (sentences before or after, from 0 to
    ``farthest``), ``words``. Sentences without words count, too.
    """
    names = [*(f"{count} hop{'s' * (count != 1)}" for count in hops), ALL]
    totals, sentences = np.zeros((len(names), farthest + 1)), 0
    for graph, sentence_of_word in documents:
        size = int(sentence_of_word.max(initial=-1)) + 1
        sentences += size
        for first in range(0, size, BLOCK):
            chosen = np.arange(first, min(first + BLOCK, size))
            distances = np.abs(sentence_of_word - chosen[:, None])
            masks = [graph.reached(distances == 0, count) for count in hops]
            for total, mask in zip(totals, [*masks, np.ones_like(distances, bool)]):
                total += np.bincount(distances[mask & (distances <= farthest)], minlength=farthest + 1)
    words = np.cumsum(totals / max(1, sentences), axis=1)
    index = pd.MultiIndex.from_product([names, range(farthest + 1)], names=["graph", "distance"])
    return pd.DataFrame({"words": words.ravel()}, index=index).reset_index()


def graph_size_chart(sizes: pd.DataFrame) -> str:
    """SVG of :func:`graph_sizes`, one line per graph."""
    chart = (
        altair.Chart(sizes)
        .mark_line(point={"size": 16})
        .encode(
            x=altair.X("distance", type="quantitative", title="distance in sentences, at most"),
            y=altair.Y("words", type="quantitative", title="words of a sentence's graph"),
            color=altair.Color("graph", type="nominal", sort=None, scale=altair.Scale(range=COLOURS)),
        )
    )
    return svg(chart)
