"""Small documents for tests of document graphs: tables from words, and the document of worked example T03-1."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from discourse_nmt.text.writing_systems import spaces

Sentences = Sequence[Sequence[str]]
Documents = Mapping[str, Sentences]


def offsets(words: Sequence[str]) -> tuple[list[int], list[int]]:
    """Characters of words that stand in a sentence with blanks between them."""
    ends = np.cumsum([len(word) + 1 for word in words]) - 1
    return [int(end) - len(word) for end, word in zip(ends, words)], ends.tolist()


def tokens_table(documents: Documents, side: str = "source") -> pd.DataFrame:
    rows = [
        {"doc_id": name, "sent_id": number, "side": side, "tokens": list(words)}
        | dict(zip(("starts", "ends"), offsets(words)))
        | {"gaps": spaces(words)}
        for name, sentences in documents.items()
        for number, words in enumerate(sentences)
    ]
    return pd.DataFrame(rows, columns=["doc_id", "sent_id", "side", "tokens", "starts", "ends", "gaps"])


def syntax_table(
    tokens: pd.DataFrame,
    heads: Sequence[Sequence[int]],
    lemmas: Sentences | None = None,
    upos: Sentences | None = None,
) -> pd.DataFrame:
    """Syntax whose words are the tokens."""
    columns = {
        "heads": heads,
        "lemmas": tokens["tokens"].tolist() if lemmas is None else lemmas,
        "upos": [["NOUN"] * len(words) for words in tokens["tokens"]] if upos is None else upos,
    }
    filled = {name: pd.Series(list(values), index=tokens.index, dtype=object) for name, values in columns.items()}
    return tokens.rename(columns={"tokens": "forms"}).assign(**filled)


def mentions_table(tokens: pd.DataFrame, chains: Sequence[Sequence[tuple[int, int]]]) -> pd.DataFrame:
    """Chains of words, each by its row in ``tokens`` and its place there."""
    rows = [
        {
            "doc_id": tokens["doc_id"][row],
            "chain_id": chain,
            "sent_id": tokens["sent_id"][row],
            "head_start": tokens["starts"][row][word],
            "head_end": tokens["ends"][row][word],
        }
        for chain, mentions in enumerate(chains)
        for row, word in mentions
    ]
    return pd.DataFrame(rows, columns=["doc_id", "chain_id", "sent_id", "head_start", "head_end"])


# Worked example T03-1: words 0 to 6, their heads and the chain cat (1) - it (3).
CAT: Documents = {"cat": [["the", "cat", "sat"], ["it", "saw", "the", "cat"]]}
CAT_HEADS = [[1, 2, -1], [1, -1, 3, 1]]
CAT_CHAINS = [[(0, 1), (1, 0)]]
CAT_EDGES = {
    "adjacency": {(0, 1), (1, 0), (1, 2), (2, 1), (3, 4), (4, 3), (4, 5), (5, 4), (5, 6), (6, 5)},
    "dependency": {(2, 1), (1, 0), (4, 3), (4, 6), (6, 5)},
    "lexical": {(0, 5), (1, 6)},
    "coreference": {(1, 3)},
}
CAT_SENTENCES = np.array([0, 0, 0, 1, 1, 1, 1])


def cat_arrays(*relations: str) -> tuple[np.ndarray, np.ndarray]:
    """Sources and targets of the example's edges, those of all relations where none is named."""
    pairs = sorted(set.union(*(CAT_EDGES[name] for name in relations or CAT_EDGES)))
    return np.array(pairs, np.int64).T[0], np.array(pairs, np.int64).T[1]
