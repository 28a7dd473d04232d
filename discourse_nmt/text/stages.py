"""The text stage on whole tables: sentences -> tokens -> subwords."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain

import numpy as np
import pandas as pd

from discourse_nmt.base.progress import progress
from discourse_nmt.text.pretrained import PretrainedEncoder, spaced
from discourse_nmt.text.settings import SIDES, Side, TextSettings
from discourse_nmt.text.spelling import Spelling
from discourse_nmt.text.subwords import Encoder
from discourse_nmt.text.tokenisers import Tokens, tokeniser
from discourse_nmt.text.truecasing import Caser


def tokenise(sentences: pd.DataFrame, settings: TextSettings) -> pd.DataFrame:
    """The tokens table of a sentences table: two rows per sentence pair, source before target."""
    tokenisers = [tokeniser(settings.of(side)).tokenise for side in SIDES]
    pairs = zip(sentences["source"].tolist(), sentences["target"].tolist())
    rows: list[Tokens] = []
    for pair in progress(pairs, "tokenise", "sentence pairs", total=len(sentences)):
        rows += [tokenise_side(raw) for tokenise_side, raw in zip(tokenisers, pair)]
    return pd.DataFrame(
        {
            "doc_id": np.repeat(sentences["doc_id"].to_numpy(object), len(SIDES)),
            "sent_id": np.repeat(sentences["sent_id"].to_numpy(), len(SIDES)),
            "side": np.tile(np.array(SIDES, dtype=object), len(sentences)),
            "tokens": pd.Series([row.tokens for row in rows], dtype=object),
            "starts": pd.Series([row.starts for row in rows], dtype=object),
            "ends": pd.Series([row.ends for row in rows], dtype=object),
            "gaps": pd.Series([row.gaps for row in rows], dtype=object),
        }
    )


def apply_subwords(tokens: pd.DataFrame, encoders: Mapping[Side, Encoder | PretrainedEncoder]) -> pd.DataFrame:
    """The subwords table of a tokens table, row by row."""
    ids: list[list[int]] = []
    word_of_subword: list[list[int]] = []
    for side, row in progress(tokens_of(tokens), "apply BPE", "rows", total=len(tokens)):
        row_ids, row_words = encoders[side].encode(row)
        ids.append(row_ids)
        word_of_subword.append(row_words)
    return tokens[["doc_id", "sent_id", "side"]].assign(
        ids=pd.Series(ids, dtype=object, index=tokens.index),
        word_of_subword=pd.Series(word_of_subword, dtype=object, index=tokens.index),
    )


def count_words(tables: Iterable[pd.DataFrame], spellings: Mapping[Side, Spelling]) -> dict[Side, Counter[str]]:
    """Frequency of each spelt word on each side of tokens tables."""
    counts: dict[Side, Counter[str]] = {side: Counter() for side in SIDES}
    for table in tables:
        for side, row in tokens_of(table):
            counts[side].update(chain.from_iterable(spellings[side].words(row)))
    return counts


def sentences_of(tables: Iterable[pd.DataFrame], side: Side) -> Iterator[list[str]]:
    """The tokens of every sentence of one side."""
    for table in tables:
        yield from (row for row_side, row in rows_of(table) if row_side == side)


def rows_of(tokens: pd.DataFrame) -> Iterator[tuple[Side, list[str]]]:
    """Side and tokens of each row of a tokens table."""
    for side, row in zip(tokens["side"].tolist(), tokens["tokens"].tolist()):
        yield side, list(row)


def tokens_of(tokens: pd.DataFrame) -> Iterator[tuple[Side, Tokens]]:
    """Side and tokens of each row of a tokens table, with offsets."""
    columns = (tokens[name].tolist() for name in ("side", "tokens", "starts", "ends", "gaps"))
    for side, *row in zip(*columns):
        yield side, Tokens(*map(list, row))


def lines_of(rows: Iterable[tuple[Side, Tokens]], casers: Mapping[Side, Caser]) -> dict[Side, list[str]]:
    """The cased sentences of each side, as their subwords are cut from them."""
    lines: dict[Side, list[str]] = {side: [] for side in SIDES}
    for side, tokens in rows:
        lines[side].append(spaced(tokens._replace(tokens=casers[side](tokens.tokens)))[0])
    return lines
