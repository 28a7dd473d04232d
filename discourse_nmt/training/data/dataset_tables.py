"""How the dataset of a split is made of the ``subwords`` tables of all its shards."""

from collections.abc import Iterable
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.storage.tables import schema
from discourse_nmt.training.data.dataset import FLAT, KEYS, SCHEMA, SIDES, CutBy
from discourse_nmt.training.data.split_rows import SplitRows


def write_dataset(shards: Iterable[pd.DataFrame], path: Path, cut_by: CutBy = "both") -> None:
    """Join the ``subwords`` tables of all shards, in any order, into the dataset ``path``, in document order.

    ``cut_by`` is what its instances are cut by. One shard at a time is in memory. Raises :class:`InputError` for a
    sentence that occurs twice or lacks a side, and for different numbers of ids and words.
    """
    rows = SplitRows(SCHEMA, path)
    largest = dict.fromkeys(SIDES, -1)
    for pairs in map(pair_sides, shards):
        check_no_repetition(pairs)
        for side in SIDES:
            maximum = pc.max(pc.list_flatten(pairs[f"{side}_ids"])).as_py()
            largest[side] = max(largest[side], -1 if maximum is None else maximum)
        rows.add(pairs)
    # Only where it is not both, so that a split of training has the bytes that it had before there was a choice.
    cut: dict[str, str] = {"cut_by": cut_by} if cut_by == "source" else {}
    rows.write({f"largest_{side}_id": str(value) for side, value in largest.items()} | cut)


def pair_sides(shard: pd.DataFrame) -> pa.Table:
    """Put the two sides of each sentence of a ``subwords`` table into one row."""
    table = pa.Table.from_pandas(shard, schema=schema("subwords"))
    sides = {
        side: table.filter(pc.equal(table["side"], side)).sort_by([(key, "ascending") for key in KEYS])
        for side in SIDES
    }
    source, target = (sides[side] for side in SIDES)
    if table.num_rows != source.num_rows + target.num_rows:
        raise InputError("subwords table: a side is neither source nor target")
    if not all(source[key].equals(target[key]) for key in KEYS):
        keys = [set(zip(*(side[key].to_pylist() for key in KEYS))) for side in (source, target)]
        doc_id, sent_id = min(keys[0] ^ keys[1], default=("?", -1))
        raise InputError(
            f"document {doc_id}, sentence {sent_id}: one side is missing or repeated in the subwords table"
        )
    columns = {key: source[key] for key in KEYS}
    for side, rows in sides.items():
        columns[f"{side}_ids"], columns[f"{side}_words"] = (
            rows["ids"].cast(FLAT),
            rows["word_of_subword"].cast(FLAT),
        )
        lengths = [pc.list_value_length(columns[f"{side}_{kind}"]) for kind in ("ids", "words")]
        if not lengths[0].equals(lengths[1]):
            row = pc.index(pc.not_equal(*lengths), True).as_py()
            doc_id, sent_id = (columns[key][row].as_py() for key in KEYS)
            raise InputError(f"document {doc_id}, sentence {sent_id}: not one word for each {side} subword")
    return pa.table(columns, schema=SCHEMA)


def check_no_repetition(table: pa.Table) -> None:
    """Raise :class:`InputError` where two neighbouring rows of the sorted table have the same keys."""
    same = [pc.equal(table[key].slice(1), table[key].slice(0, max(0, table.num_rows - 1))) for key in KEYS]
    row = pc.index(pc.and_(*same), True).as_py()
    if row >= 0:
        doc_id, sent_id = (table[key][row].as_py() for key in KEYS)
        raise InputError(
            f"document {doc_id}, sentence {sent_id} occurs twice in the split",
            remedy="give documents ids of their own",
        )
