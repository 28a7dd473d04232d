"""Files of several shards: each shard is read by itself, and tables that belong together stay together."""

from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.shards import OTHER_FILES, TRAINING_FILES, files_of, in_files, shards
from discourse_nmt.base.storage.files import replacing
from discourse_nmt.base.storage.shard_files import (
    read_shards,
    read_some,
    read_split,
    read_together,
    shards_in,
    write_shards,
)
from discourse_nmt.base.storage.tables import read_table
from discourse_nmt.corpus.documents import Document


def sentences(*documents: str) -> pd.DataFrame:
    rows = [(document, number, f"{document} {number}", "x") for document in documents for number in range(2)]
    return (
        pd.DataFrame(rows, columns=["doc_id", "sent_id", "source", "target"])
        .assign(quality=0.5, speaker="Ann", scene=0)
        .astype({"scene": "Int32"})
    )


@given(st.integers(1, 300), st.sampled_from(["train", "dev", "a suite"]))
def test_every_shard_is_in_one_file_and_files_are_few(count: int, split: str) -> None:
    documents = [Document.start(str(number), "s", "t") for number in range(50)]
    dealt = shards(documents, count)
    files = in_files(dealt, split)
    assert [shard for file in files for shard in file] == dealt
    assert len(files) == files_of(split, count) <= (TRAINING_FILES if split == "train" else OTHER_FILES)
    sizes = {len(file) for file in files}
    assert min(sizes) >= 1 and max(sizes) - min(sizes) <= 1


def test_shards_come_back_one_by_one_and_as_one_table(tmp_path: Path) -> None:
    parts = [sentences("a", "b"), sentences(), sentences("c")]
    write_shards(iter(parts), tmp_path / "file", "sentences")
    assert [part.to_dict("list") for part in read_shards(tmp_path / "file", "sentences")] == [
        part.to_dict("list") for part in parts
    ]
    whole = read_table(tmp_path / "file", "sentences")
    assert whole.to_dict("list") == pd.concat(parts).to_dict("list")
    (column,) = read_shards(tmp_path / "file", "sentences", ["source"]).__next__()
    assert column == "source"


def test_a_large_shard_is_one(tmp_path: Path) -> None:
    rows = 1_100_000  # more than a row group of pyarrow has by itself
    large = pd.DataFrame({"doc_id": ["d"] * rows, "line": pd.array([None] * rows, "Int32"), "reason": "r", "text": "t"})
    write_shards([large, large[:1]], tmp_path / "file", "drops")
    assert shards_in(tmp_path / "file", "drops") == 2


def test_tables_of_other_shards_are_refused(tmp_path: Path) -> None:
    write_shards([sentences("a"), sentences("b")], tmp_path / "two", "sentences")
    write_shards([sentences("a", "b")], tmp_path / "one", "sentences")
    with pytest.raises(InputError, match=r"one: 1 shards, 2 in .*two; delete both"):
        read_together({"sentences": tmp_path / "two", "again": tmp_path / "one"})


def test_the_shards_of_a_split_come_from_all_files(tmp_path: Path) -> None:
    parts = [[sentences("a"), sentences("b", "c")], [sentences("d")]]
    files = [tmp_path / str(number) for number in range(len(parts))]
    for path, shards_of_file in zip(files, parts):
        write_shards(shards_of_file, path, "sentences")
    found = list(read_split({"sentences": files, "draft": files}, {"draft": "sentences"}))
    assert [list(shard["sentences"]["doc_id"].unique()) for shard in found] == [["a"], ["b", "c"], ["d"]]
    assert all(shard["draft"].equals(shard["sentences"]) for shard in found)
    with pytest.raises(InputError, match="1 files of draft, 2 of sentences; give those of all shards"):
        read_split({"sentences": files, "draft": files[:1]}, {"draft": "sentences"})


def test_what_is_no_table_is_refused_and_a_fault_leaves_no_file(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"PAR1 no table PAR1")
    with pytest.raises(InputError, match="not a readable sentences table"):
        list(read_shards(tmp_path / "file", "sentences"))
    with pytest.raises(ValueError, match="null"):
        write_shards([sentences("a"), sentences("b").assign(source=None)], tmp_path / "other", "sentences")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_some_documents_are_whole_and_the_same_in_any_shards(tmp_path: Path) -> None:
    names = [f"document{number}" for number in range(400)]
    frame = pd.concat([sentences(name).assign(doc_id=name) for name in names for _ in range(3)], ignore_index=True)
    write_shards([frame], tmp_path / "one", "sentences")
    write_shards([frame.iloc[:600], frame.iloc[600:900]], tmp_path / "first", "sentences")
    write_shards([frame.iloc[900:]], tmp_path / "second", "sentences")
    rows = len(frame)

    def chosen(files: list[str], number: int) -> pd.Series:
        found = read_some([tmp_path / name for name in files], "sentences", number, ["doc_id"])
        return pd.concat(found, ignore_index=True)["doc_id"]

    for number in (rows // 4, rows, 10 * rows):
        some = chosen(["one"], number)
        assert some.tolist() == chosen(["first", "second"], number).tolist()
        assert set(some.value_counts()) == {frame["doc_id"].value_counts().iloc[0]}
        assert len(some) == pytest.approx(min(number, rows), rel=0.2)
    assert len(chosen(["one"], rows)) == rows


def test_a_damaged_file_is_told_before_any_shard_is_read(tmp_path: Path) -> None:
    path = tmp_path / "tokens.parquet"
    with replacing(path) as temporary:
        temporary.write_bytes(b"whole")
    path.write_bytes(b"cut")
    with pytest.raises(InputError, match=r"tokens\.parquet: damaged: .*; delete it and run again"):
        read_some([path], "tokens", 10, ["doc_id"])
