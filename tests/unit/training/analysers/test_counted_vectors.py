"""Vectors of words that are counted in raw text, and the command that writes them."""

import sys
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from discourse_nmt.base.errors import InputError
from discourse_nmt.training.analysers.counted_vectors import counted_vectors
from discourse_nmt.training.analysers.vectors import read_vectors
from discourse_nmt.workflow_scripts.parsers.raw_text import write_vectors
from tests.conftest import ROOT

SENTENCES = [
    ["the", noun, verb, "the", other, "."]
    for noun, verb, other in product(("cat", "dog", "cow"), ("sees", "hears"), ("cat", "dog", "cow"))
]


def likeness(first: str, second: str, words: list[str], vectors: np.ndarray) -> float:
    one, other = (vectors[words.index(word)] for word in (first, second))
    return float(one @ other / np.linalg.norm(one) / np.linalg.norm(other))


def test_words_with_like_neighbours_have_like_vectors() -> None:
    words, vectors = counted_vectors(SENTENCES, 100, 4)
    assert words == ["the", ".", "cat", "cow", "dog", "hears", "sees"] and vectors.shape == (7, 4)
    assert likeness("cat", "dog", words, vectors) > 0.9 > likeness("cat", "sees", words, vectors)
    assert likeness("hears", "sees", words, vectors) > 0.9


def test_the_side_of_a_neighbour_and_the_edges_of_a_sentence_count() -> None:
    # "a" and "b" have the same neighbours but on other sides; "c" and "d" stand alone but for the edges.
    words, vectors = counted_vectors([["a", "x"], ["x", "b"], ["c"], ["d"]] * 3, 100, 4)
    assert likeness("a", "b", words, vectors) < 0.5
    assert likeness("c", "d", words, vectors) > 0.99


def test_rare_words_have_no_vector_and_the_same_text_gives_the_same_vectors() -> None:
    words, vectors = counted_vectors([*SENTENCES, ["the", "owl"]], 4, 2)
    assert words == ["the", ".", "cat", "cow"]
    assert "owl" not in counted_vectors([*SENTENCES, ["the", "owl"]], 100, 2)[0]
    np.testing.assert_array_equal(vectors, counted_vectors([*SENTENCES, ["the", "owl"]], 4, 2)[1])


def run(monkeypatch: pytest.MonkeyPatch, *options: str) -> None:
    monkeypatch.setattr(sys, "argv", ["write_vectors", *options])
    write_vectors.main()


def test_the_command_writes_what_the_joint_network_reads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "text.txt").write_text("他們看到了狗。\n\n我们看到了猫。\n" * 4, encoding="utf-8")
    given = ["--texts", f"{tmp_path}/*.txt", "--segmenter", f"{ROOT}/resources/analysers/zh"]
    run(monkeypatch, *given, "--width", "3", "--output", f"{tmp_path}/out/zh.vec")
    words, table = read_vectors(f"{tmp_path}/out/zh.vec", 100)
    assert {"他们", "我们", "看到", "。"} <= set(words) and table.shape[1] == 3
    assert "他們" not in words


def test_too_little_text_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "text.txt").write_text("猫。\n", encoding="utf-8")
    given = ["--texts", f"{tmp_path}/*.txt", "--segmenter", f"{ROOT}/resources/analysers/zh"]
    with pytest.raises(InputError, match="fewer than two words occur three times"):
        run(monkeypatch, *given, "--output", f"{tmp_path}/zh.vec")
    with pytest.raises(InputError, match="--words must be at least 2"):
        run(monkeypatch, *given, "--words", "1", "--output", f"{tmp_path}/zh.vec")
    assert not (tmp_path / "zh.vec").exists()
