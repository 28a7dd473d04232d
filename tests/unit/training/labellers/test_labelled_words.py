"""Labelled words: from spans of themes, compared with a loop over characters, and from files of the CTRD."""

import json
import logging
import tarfile
from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.storage.tables import read_table, write_table
from discourse_nmt.discourse.themes.words import words_of_themes
from discourse_nmt.workflow_scripts.train import import_labelled_words, label_words
from tests.unit.discourse.formats.test_ctrd import DOCUMENT

LABELS = ["theme-topical", "theme-textual", "rheme"]


def tokens(rows: list[tuple[str, int, str, list[str], list[int], list[int]]]) -> pd.DataFrame:
    table = pd.DataFrame(rows, columns=["doc_id", "sent_id", "side", "tokens", "starts", "ends"])
    gaps = pd.Series([[""] * (len(words) + 1) for words in table["tokens"]], dtype=object)
    return table.assign(gaps=gaps)


def themes(rows: list[tuple[str, int, int, int, str]]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=["doc_id", "sent_id", "start", "end", "label"])


def literal(words: pd.DataFrame, spans: pd.DataFrame) -> list[list[str]]:
    """The most frequent label of each word's characters, the first of several; none without labels."""
    found = []
    for row in words[words["side"] == "source"].to_dict("records"):
        own = spans[(spans["doc_id"] == row["doc_id"]) & (spans["sent_id"] == row["sent_id"])].sort_values("start")
        labels = []
        for start, end in zip(row["starts"], row["ends"]):
            best, most = "none", 0
            for one in own.to_dict("records"):
                shared = len(set(range(start, end)) & set(range(one["start"], one["end"])))
                if shared > most:
                    best, most = one["label"], shared
            labels.append(best)
        if labels:
            found.append(labels)
    return found


@pytest.mark.parametrize("seed", range(5))
def test_labels_of_words_are_those_of_their_characters(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows, spans = [], []
    for document in range(3):
        for sentence in range(4):
            borders = np.sort(rng.choice(40, 2 * rng.integers(0, 7), replace=False)).tolist()
            starts, ends = borders[::2], borders[1::2]
            for side in ("source", "target"):
                rows.append((f"d{document}", sentence, side, ["w"] * len(starts), starts, ends))
            cuts = np.sort(rng.choice(40, rng.integers(0, 5), replace=False)).tolist()
            spans += [(f"d{document}", sentence, start, end, str(rng.choice(LABELS))) for start, end in pairwise(cuts)]
    rng.shuffle(spans)
    table, labelled = tokens(rows), words_of_themes(tokens(rows), themes(spans))
    assert [list(row) for row in labelled["labels"]] == literal(table, themes(spans))
    assert all(map(len, labelled["tokens"]))


def test_a_sentence_without_spans_and_a_span_without_a_sentence() -> None:
    table = tokens([("a", 0, "source", ["x", "y"], [0, 2], [1, 3]), ("a", 1, "source", [], [], [])])
    assert words_of_themes(table, themes([]))["labels"].map(list).tolist() == [["none", "none"]]
    with pytest.raises(InputError, match="document b, sentence 0 is not in the table tokens"):
        words_of_themes(table, themes([("a", 0, 0, 1, "rheme"), ("b", 0, 0, 1, "rheme")]))


def test_the_command_sorts_sentences_over_shards(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for shard, name in enumerate("ba"):
        words = tokens([(name, 0, "source", ["x"], [0], [1]), (name, 0, "target", ["x"], [0], [1])])
        write_table(words, tmp_path / f"tokens{shard}.parquet", "tokens")
        write_table(themes([(name, 0, 0, 1, f"rheme-{name}")]), tmp_path / f"themes{shard}.parquet", "themes")
    write_table(words.iloc[:0], tmp_path / "tokens2.parquet", "tokens")  # a shard without documents
    write_table(themes([("a", 0, 0, 1, "x")]).iloc[:0], tmp_path / "themes2.parquet", "themes")
    files = {name: [str(tmp_path / f"{name}{shard}.parquet") for shard in range(3)] for name in ("tokens", "themes")}
    output = tmp_path / "words.parquet"
    monkeypatch.setattr(
        "sys.argv", ["x", "--tokens", *files["tokens"], "--themes", *files["themes"], "--output", str(output)]
    )
    label_words.main()
    table = read_table(output, "labelled_words")
    assert table["doc_id"].tolist() == ["a", "b"]
    assert table["labels"].map(list).tolist() == [["rheme-a"], ["rheme-b"]]


def test_ctrd_is_divided_by_the_names_of_its_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    folder = tmp_path / "ctrd"
    folder.mkdir()
    for name in ("b#", "a.10", "a.2", "c"):
        (folder / f"{name}.xml").write_text(DOCUMENT, encoding="utf-8")
    archive = tmp_path / "ctrd.tar.gz"
    with tarfile.open(archive, "w:gz") as packed:
        packed.add(folder, "ctrd")
    outputs = [
        word for split in ("train", "dev", "test") for word in (f"--{split}", str(tmp_path / f"{split}.parquet"))
    ]

    def imported(*files: str, **keys: int) -> str:
        settings = json.dumps({"format": "ctrd", "files": files, "dev": 1, "test": 1, **keys})
        monkeypatch.setattr("sys.argv", ["x", "--settings", settings, *outputs])
        caplog.clear()
        with caplog.at_level(logging.INFO):
            import_labelled_words.main()
        return caplog.text

    told = imported(f"{archive}::ctrd/*.xml")
    assert "4 units with a wrong NUM, 4 without WORD" in told
    assert "test: 1 documents, 2 clauses, 8 words" in told
    tables = {split: read_table(tmp_path / f"{split}.parquet", "labelled_words") for split in ("train", "dev", "test")}
    assert {split: table["doc_id"].unique().tolist() for split, table in tables.items()} == {
        "train": ["a.10", "a.2"],
        "dev": ["b#"],
        "test": ["c"],
    }
    row = tables["test"].iloc[0]
    assert "".join(row["tokens"]) == "但是他，无法离开。"
    assert ["".join(row["tokens"])[start:end] for start, end in zip(row["starts"], row["ends"])] == list(row["tokens"])
    with pytest.raises(InputError, match="4 documents, of which 3 are for dev and 1 for test"):
        imported(f"{folder}/*.xml", dev=3)
    with pytest.raises(InputError, match="has the same name"):
        imported(f"{folder}/*.xml", f"{archive}::ctrd/*.xml")
    (folder / "c.xml").write_text("<DOC><S/></DOC>", encoding="utf-8")
    with pytest.raises(InputError, match=r"c\.xml:1: <S> has no ID"):
        imported(f"{folder}/*.xml")
