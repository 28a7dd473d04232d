"""The document store: what was put comes back, damage is never trusted, what is not used is forgotten."""

import multiprocessing
import os
import random
import sqlite3
from pathlib import Path

import pytest

from discourse_nmt.base.storage.store import DocumentStore

ROWS = [{"doc_id": "a", "start": 3, "form": "naïve “quoted” 中文"}, {"doc_id": "a", "start": None, "forms": ["x", "y"]}]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "folder" / "0.sqlite"


def filled(path: Path, count: int = 200) -> dict[str, list[int]]:
    results = {f"key{number}": [number] * 50 for number in range(count)}
    with DocumentStore(path) as store:
        store.put(results)
    return results


def test_what_was_put_comes_back_in_another_process(path: Path) -> None:
    with DocumentStore(path) as store:
        assert store.get("one") is None
        store.put({"one": ROWS, "none": []})
        assert store.get("one") == ROWS
    with DocumentStore(path) as store:
        assert store.get("one") == ROWS
        assert store.get("none") == []
        store.put({"one": []})
        assert store.get("one") == []


def test_what_a_complete_run_did_not_use_is_forgotten(path: Path) -> None:
    filled(path)
    size = path.stat().st_size
    with DocumentStore(path) as store:
        store.get("key7")
        store.put({"new": ROWS})
        store.prune()
    with DocumentStore(path) as store:
        assert store.get("key7") == [7] * 50
        assert store.get("new") == ROWS
        assert store.get("key8") is None
    assert path.stat().st_size < size


def test_a_run_that_does_not_end_forgets_nothing(path: Path) -> None:
    results = filled(path)
    with DocumentStore(path) as store:
        store.put({"new": ROWS})
    with DocumentStore(path) as store:
        assert all(store.get(key) == value for key, value in results.items())


def put_and_die(path: Path) -> None:
    with DocumentStore(path) as store:
        store.put({"finished": ROWS})
        os._exit(9)


def test_a_killed_job_keeps_what_it_finished(path: Path) -> None:
    process = multiprocessing.get_context("fork").Process(target=put_and_die, args=(path,))
    process.start()
    process.join()
    assert process.exitcode == 9
    with DocumentStore(path) as store:
        assert store.get("finished") == ROWS


@pytest.mark.parametrize("content", [b"", b"not a database at all " * 100, b"SQLite format 3\0" + bytes(4096)])
def test_another_file_is_set_aside(path: Path, content: bytes, caplog: pytest.LogCaptureFixture) -> None:
    path.parent.mkdir()
    path.write_bytes(content)
    with DocumentStore(path) as store:
        assert store.get("one") is None
        store.put({"one": ROWS})
    with DocumentStore(path) as store:
        assert store.get("one") == ROWS
    if content:
        assert "set aside" in caplog.text
        assert path.with_name("0.sqlite.damaged").read_bytes() == content


def test_a_database_of_another_kind_is_set_aside(path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path.parent.mkdir()
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE results (something)")
    connection.execute("PRAGMA user_version = 1")
    connection.commit()
    connection.close()
    with DocumentStore(path) as store:
        assert store.get("one") is None
        store.put({"one": ROWS})
        assert store.get("one") == ROWS
    assert "set aside" in caplog.text


def test_a_changed_result_is_not_trusted(path: Path, caplog: pytest.LogCaptureFixture) -> None:
    filled(path)
    connection = sqlite3.connect(path)
    connection.execute("UPDATE results SET value = (SELECT value FROM results WHERE key = 'key1') WHERE key = 'key2'")
    connection.commit()
    connection.close()
    with DocumentStore(path) as store:
        assert store.get("key2") is None
        assert "a checksum is wrong" in caplog.text
        assert store.get("key1") is None  # nothing of a damaged store is used
        store.put({"key2": ROWS})
        assert store.get("key2") == ROWS


@pytest.mark.parametrize("seed", range(12))
def test_damage_never_gives_a_wrong_result(path: Path, seed: int) -> None:
    results = filled(path)
    data = bytearray(path.read_bytes())
    chance = random.Random(seed)
    if seed % 3 == 0:
        data = data[: chance.randrange(len(data))]
    else:
        for _ in range(1 + seed):
            data[chance.randrange(len(data))] = chance.randrange(256)
    path.write_bytes(data)
    with DocumentStore(path) as store:
        for key, value in results.items():
            assert store.get(key) in (None, value)
        store.put(results)
        assert all(store.get(key) == value for key, value in results.items())
        store.prune()
    with DocumentStore(path) as store:
        assert all(store.get(key) == value for key, value in results.items())


def test_a_store_that_cannot_be_written_is_no_damage(path: Path) -> None:
    results = filled(path)
    holder = sqlite3.connect(path)
    holder.execute("BEGIN EXCLUSIVE")
    try:
        with pytest.raises(OSError, match="locked"), DocumentStore(path, patience=0.01):
            pass
    finally:
        holder.close()
    with DocumentStore(path) as store:
        assert store.get("key1") == results["key1"]


def test_stores_of_several_shards_at_once(tmp_path: Path) -> None:
    processes = [
        multiprocessing.get_context("fork").Process(target=filled, args=(tmp_path / f"{shard}.sqlite",))
        for shard in range(4)
    ]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
        assert process.exitcode == 0
    for shard in range(4):
        with DocumentStore(tmp_path / f"{shard}.sqlite") as store:
            assert store.get("key199") == [199] * 50
