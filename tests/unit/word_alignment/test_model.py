"""Word alignment: parity with the literal reference, and links that are known."""

import random
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from discourse_nmt.base.storage.tables import read_table, write_table
from discourse_nmt.base.vocabulary import END
from discourse_nmt.word_alignment import sentence_pairs
from discourse_nmt.word_alignment.model import KEPT, Aligner, learn
from discourse_nmt.word_alignment.probable_translations import probable_translations
from tests.unit.word_alignment import model_reference as reference


def sentences(seed: int, number: int, words: int, empty: bool = False) -> list[list[str]]:
    draw = random.Random(seed)
    return [[f"W{draw.randrange(words)}" for _ in range(draw.randrange(0 if empty else 1, 6))] for _ in range(number)]


@pytest.mark.parametrize("seed", [1, 2])
def test_probabilities_are_those_of_the_reference(seed: int) -> None:
    sources, targets = sentences(seed, 30, 8, empty=True), sentences(seed + 10, 30, 9, empty=True)
    table, model = learn(sources, targets), reference.learn(sources, targets)
    linked = table.dropna(subset=["source", "target"])
    for row in linked.itertuples():
        assert row.forward == pytest.approx(model["forward"][row.source, row.target], abs=1e-9)
        assert row.backward == pytest.approx(model["backward"][row.source, row.target], abs=1e-9)
    kept = {pair for pair, value in model["forward"].items() if max(value, model["backward"][pair]) >= KEPT}
    assert set(zip(linked["source"], linked["target"])) == kept
    alone = table[table["target"].isna()].set_index("source")["backward"].to_dict()
    assert alone == pytest.approx(model["sources"])
    assert table[table["source"].isna()].set_index("target")["forward"].to_dict() == pytest.approx(model["targets"])


def test_links_are_those_of_the_reference() -> None:
    sources, targets = sentences(3, 40, 8), sentences(4, 40, 9)
    model = reference.learn(sources, targets)
    model["forward"] = {pair: value for pair, value in model["forward"].items() if value >= KEPT}
    model["backward"] = {pair: value for pair, value in model["backward"].items() if value >= KEPT}
    # Sentences of other words, too: W8 is no source word of training, W9 no target word.
    others = sentences(5, 20, 9, empty=True), sentences(6, 20, 10, empty=True)
    found = Aligner(learn(sources, targets)).align(*others)
    assert [links.tolist() for links in found] == [reference.align(*pair, model) for pair in zip(*others)]


def language(seed: int, number: int) -> tuple[list[list[str]], list[list[str]], list[list[int]]]:
    """Sentences of 30 words, translated one to one with neighbours exchanged, and the links."""
    draw = random.Random(seed)
    sources, targets, links = [], [], []
    for _ in range(number):
        source = draw.sample(range(30), draw.randrange(3, 9))
        order = list(range(len(source)))
        if draw.random() < 0.5:
            place = draw.randrange(len(order) - 1)
            order[place : place + 2] = order[place + 1], order[place]
        sources.append([f"s{word}" for word in source])
        targets.append([f"T{source[place]}" for place in order])
        links.append([order.index(place) for place in range(len(source))])
    return sources, targets, links


def test_translations_are_found_although_neighbours_change_places() -> None:
    sources, targets, links = language(1, 300)
    table = learn(sources, targets)
    linked = table.dropna(subset=["source", "target"])
    best = linked.sort_values("forward").groupby("source").last()
    assert (best["target"] == "t" + best.index.str[1:]).all() and (best["forward"] > 0.99).all()
    assert [found.tolist() for found in Aligner(table).align(sources, targets)] == links


def test_a_word_without_a_counterpart_has_no_link() -> None:
    sources, targets, _ = language(2, 300)
    [found] = Aligner(learn(sources, targets)).align([["s1", "s2", "s3"]], [["t3", "t1"]])
    assert found.tolist() == [1, -1, 0]


def test_several_source_words_may_have_one_target_word() -> None:
    """German compounds: both words of "railway station" are the Bahnhof."""
    sources, targets, _ = language(3, 300)
    draw = random.Random(1)
    for source, target in zip(sources, targets):
        if draw.random() < 0.3:
            source += ["railway", "station"]
            target += ["Bahnhof"]
    [found] = Aligner(learn(sources, targets)).align([["S5", "Railway", "station"]], [["t5", "Bahnhof"]])
    assert found.tolist() == [0, 1, 1]


def test_sentences_without_words_and_unseen_words() -> None:
    aligner = Aligner(learn([["a"], []], [["b"], ["c"]]))
    found = aligner.align([["a"], [], ["a", "x"], ["x"]], [[], ["b"], ["y", "b"], ["b"]])
    assert [links.tolist() for links in found] == [[-1], [], [1, -1], [-1]]
    assert aligner.align([], []) == []


def test_chunks_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    sources, targets = sentences(7, 50, 8, empty=True), sentences(8, 50, 9, empty=True)
    whole = learn(sources, targets)
    links = Aligner(whole).align(sources, targets)
    monkeypatch.setattr(sentence_pairs, "CELLS", 20)
    parts = learn(sources, targets)
    pd.testing.assert_frame_equal(parts, whole, rtol=1e-9)
    for found, wanted in zip(Aligner(whole).align(sources, targets), links, strict=True):
        assert np.array_equal(found, wanted)


def test_the_table_keeps_the_model(tmp_path: Path) -> None:
    sources, targets, links = language(4, 100)
    write_table(learn(sources, targets), tmp_path / "words.parquet", "word_translations")
    aligner = Aligner(read_table(tmp_path / "words.parquet", "word_translations"))
    assert [found.tolist() for found in aligner.align(sources, targets)] == links


def test_words_that_look_like_nothing_are_words(tmp_path: Path) -> None:
    odd = ["nan", "NULL", "", "\t", "İ", "0"]
    sources, targets = [[word] for word in odd * 3], [[f"x{word}"] for word in odd * 3]
    write_table(learn(sources, targets), tmp_path / "words.parquet", "word_translations")
    table = read_table(tmp_path / "words.parquet", "word_translations")
    best = table.dropna().set_index("source")["target"].to_dict()
    assert best == {word.lower(): f"x{word}".lower() for word in odd}
    assert [found.tolist() for found in Aligner(table).align(sources, targets)] == [[0]] * len(sources)


def test_the_most_probable_translations_of_ids_come_first() -> None:
    words = sentences(7, 40, 8), sentences(8, 40, 9)
    vocabularies = [pd.Index(["unused", *sorted({word.lower() for one in side for word in one})]) for side in words]
    pairs = sentence_pairs.SentencePairs(*(sentence_pairs.side_of(*both) for both in zip(words, vocabularies)))
    found = probable_translations(pairs, (len(vocabularies[0]), len(vocabularies[1])), 5)
    forward = reference.learn(*words)["forward"]
    assert found.shape == (9, 5) and found[0].tolist() == [END] * 5
    for source, translations in zip(vocabularies[0][1:], found[1:]):
        probabilities = {target: forward.get((source, target), 0.0) for target in vocabularies[1]}
        ranked = sorted(probabilities, key=lambda target: -probabilities[target])
        assert [probabilities[vocabularies[1][target]] for target in translations] == pytest.approx(
            [probabilities[target] for target in ranked[:5]]
        )
    assert probable_translations(pairs, (9, 12), 20)[1:, 9:].tolist() == [[END] * 11] * 8
