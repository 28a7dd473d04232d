"""Tables on disk: a damaged one is told, and is never read as another table."""

from pathlib import Path

import pandas as pd
import pyarrow.parquet as pq
import pytest

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.storage.files import seal
from discourse_nmt.base.storage.tables import TABLES, read_table, write_table

ROWS = pd.DataFrame(
    {"doc_id": ["a", "a", "b"], "sent_id": [0, 1, 0], "source": ["One.", "Two.", "Three."], "target": ["E", "Z", "D"]}
)


def test_a_table_comes_back(tmp_path: Path) -> None:
    write_table(ROWS, tmp_path / "table", "sentences")
    table = read_table(tmp_path / "table", "sentences")
    assert table[list(ROWS)].to_dict("list") == ROWS.to_dict("list")
    assert table["quality"].isna().all()


@pytest.mark.parametrize(("name", "kind"), [("words", "int64"), ("sent_id", "string"), ("sent_id", "int16")])
def test_another_table_is_refused(name: str, kind: str, tmp_path: Path) -> None:
    write_table(ROWS, tmp_path / "table", "sentences")
    table = pq.read_table(tmp_path / "table")
    column = table["sent_id"].cast(kind)
    pq.write_table(table.drop_columns("sent_id").append_column(name, column), tmp_path / "other")
    with pytest.raises(InputError, match="not a sentences table: column sent_id is missing or of another type"):
        read_table(tmp_path / "other", "sentences")


def test_damaged_rows_are_refused(tmp_path: Path) -> None:
    write_table(ROWS, tmp_path / "table", "sentences")
    seal(tmp_path / "table").unlink()  # what the format itself finds
    whole = (tmp_path / "table").read_bytes()
    rows = int.from_bytes(whole[-8:-4], "little") + 8  # the footer holds no rows
    refused = 0
    for position in range(4, len(whole) - rows):
        damaged = whole[:position] + bytes([whole[position] ^ 16]) + whole[position + 1 :]
        (tmp_path / "table").write_bytes(damaged)
        try:
            table = read_table(tmp_path / "table", "sentences")
            assert table[list(ROWS)].to_dict("list") == ROWS.to_dict("list")
        except InputError as error:
            assert str(error).startswith(f"{tmp_path}/table: not a readable sentences table (")
            refused += 1
    assert refused > 100


def test_a_damaged_footer_is_told_or_does_no_harm(tmp_path: Path) -> None:
    """Its metadata for pandas are not read: what they call the types of columns may be nonsense."""
    write_table(ROWS, tmp_path / "table", "sentences")
    seal(tmp_path / "table").unlink()
    whole = (tmp_path / "table").read_bytes()
    told = 0
    for position in range(len(whole) - int.from_bytes(whole[-8:-4], "little") - 8, len(whole)):
        for bit in (1, 16, 64):
            damaged = whole[:position] + bytes([whole[position] ^ bit]) + whole[position + 1 :]
            (tmp_path / "table").write_bytes(damaged)
            try:
                read_table(tmp_path / "table", "sentences")
            except InputError as error:
                assert str(error).startswith(f"{tmp_path}/table: ")
                told += 1
    assert told > 100


@pytest.mark.parametrize("end", [0, 3, 100, -1])
def test_a_table_cut_short_is_refused(end: int, tmp_path: Path) -> None:
    write_table(ROWS, tmp_path / "table", "sentences")
    (tmp_path / "table").write_bytes((tmp_path / "table").read_bytes()[:end])
    with pytest.raises(InputError, match="delete it and run again"):
        read_table(tmp_path / "table", "sentences")


def test_a_column_that_may_be_null_says_when() -> None:
    told = {"word_translations": {"forward", "backward"}}  # null where one of the words is
    for name, columns in TABLES.items():
        for key, column in columns.items():
            assert column.nullable == ("null" in column.meaning or key in told.get(name, ())), (name, key)
