"""Vectors of words: formats of the file, faults in it, and what the joint network does with them."""

import bz2
from pathlib import Path

import numpy as np
import pytest
import torch

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.storage.files import read_json, write_json
from discourse_nmt.discourse.analysers.analyser import Analyser
from discourse_nmt.discourse.analysers.batches import make_batch
from discourse_nmt.discourse.analysers.inventory import Inventory
from discourse_nmt.discourse.analysers.network import JointNetwork
from discourse_nmt.discourse.analysers.network_settings import AnalyserDropout
from discourse_nmt.discourse.analysers.weights import load_analyser, save_analyser
from discourse_nmt.training.analysers.joint import LearningSettings, train
from discourse_nmt.training.analysers.vectors import read_vectors
from tests.unit.discourse.analysers.test_network import EXAMPLES, SMALL

LINES = "the 1 2 5\nThe 9 9 9\n. . . 3 4 5\ncats 5 9 5\nzebra 7 7 7\n"


@pytest.mark.parametrize("beginning", ["", "5 3\n"])
def test_the_first_words_are_read_lower_cased_once_and_on_one_scale(tmp_path: Path, beginning: str) -> None:
    (tmp_path / "vectors.vec.bz2").write_bytes(bz2.compress((beginning + LINES).encode()))
    words, table = read_vectors(f"{tmp_path}/vectors.vec.bz2", 3)
    assert words == ["the", ". . .", "cats"] and table.shape == (3, 3) and table.dtype == np.float32
    np.testing.assert_allclose(table.mean(0), 0, atol=1e-6)
    np.testing.assert_allclose(table[:, :2].std(0), 0.5, rtol=1e-5)
    assert (table[:, 2] == 0).all()  # a component that tells no words apart
    given = np.array([[1, 2], [3, 4], [5, 9]])
    np.testing.assert_allclose(table[:, :2], (given - given.mean(0)) / given.std(0) / 2, rtol=1e-5)
    assert read_vectors(f"{tmp_path}/vectors.vec.bz2", 99)[0] == ["the", ". . .", "cats", "zebra"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("a 1 2\nb 1\n", r"x\.txt:2: not a word and 2 finite numbers; give vectors in the text format"),
        ("a 1 2\nb 1 nan\n", r"x\.txt:2: not a word and 2 finite numbers"),
        ("a 1 2\nb 1 c\n", r"x\.txt:2: not a word and 2 finite numbers"),
        ("a 1 2\n\n", r"x\.txt:2: not a word and 2 finite numbers"),
        ("one\ntwo\n", r"x\.txt:1: not a word and its components"),
        ("", r"x\.txt: fewer than two words"),
        ("a 1 2\nA 3 4\n", r"x\.txt: fewer than two words"),
    ],
)
def test_a_fault_in_the_file_is_one_line(tmp_path: Path, content: str, message: str) -> None:
    (tmp_path / "x.txt").write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match=message):
        read_vectors(f"{tmp_path}/x.txt", 10)


def test_one_file_is_read(tmp_path: Path) -> None:
    for name in "ab":
        (tmp_path / f"{name}.txt").write_text(LINES, encoding="utf-8")
    with pytest.raises(InputError, match="2 files match; name one file of vectors"):
        read_vectors(f"{tmp_path}/*.txt", 10)


TABLE = torch.tensor([[3.0, -1.0], [0.5, 2.0]])
INVENTORY = Inventory.from_examples(EXAMPLES, "main", ("zebra", "cats"))


@pytest.fixture(scope="module")
def network() -> JointNetwork:
    settings = LearningSettings(epochs=2, batch_words=12)
    return train(EXAMPLES, INVENTORY, SMALL, settings, vectors=TABLE).eval()


def words_of(network: JointNetwork, forms: list[str], dropout: AnalyserDropout) -> torch.Tensor:
    """The part of the words' vectors that is fixed."""
    batch = make_batch([forms], [0], network.word_features(INVENTORY))
    with torch.no_grad():
        return network.encoder(batch, dropout)[0, :, -2:]


def test_each_word_has_its_own_vector_in_any_case_and_training_leaves_it(network: JointNetwork) -> None:
    forms = ["Zebra", "dogs", "CATS", "ZEBRA"]
    expected = torch.stack([TABLE[0], torch.zeros(2), TABLE[1], TABLE[0]])
    assert torch.equal(words_of(network, forms, AnalyserDropout()), expected)


def test_hidden_vectors_are_those_of_unknown_words(network: JointNetwork) -> None:
    torch.manual_seed(1)
    seen = words_of(network, ["cats"] * 4000, AnalyserDropout(vector=0.25))
    hidden = (seen == 0).all(1)
    assert (seen[~hidden] == TABLE[1]).all() and 0.2 < hidden.float().mean() < 0.3
    assert (words_of(network, ["cats"] * 40, AnalyserDropout(word=0.5)) == TABLE[1]).all()


def test_a_word_that_no_treebank_has_is_read_by_its_vector(network: JointNetwork, tmp_path: Path) -> None:
    analyser = Analyser(network, INVENTORY)
    before = analyser.analyse([[["zebra", "run"]]], states=True)[0][0].states
    network.encoder.vectors[2] += 1
    after = analyser.analyse([[["zebra", "run"]]], states=True)[0][0].states
    network.encoder.vectors[2] -= 1
    assert before is not None and after is not None and np.abs(before - after).max() > 1e-3


def test_weights_keep_the_vectors(network: JointNetwork, tmp_path: Path) -> None:
    save_analyser(Analyser(network, INVENTORY), tmp_path)
    loaded = load_analyser(tmp_path)
    assert loaded.inventory == INVENTORY and torch.equal(loaded.network.encoder.vectors[2:], TABLE)
    content = read_json(tmp_path / "joint.json")
    for words in (["zebra"], []):
        write_json({**content, "inventory": {**content["inventory"], "vectors": words}}, tmp_path / "joint.json")
        with pytest.raises(InputError, match="the inventory belongs to another network"):
            load_analyser(tmp_path)


def test_weights_without_vectors_say_nothing_of_them(tmp_path: Path) -> None:
    inventory = Inventory.from_examples(EXAMPLES, "main")
    save_analyser(Analyser(train(EXAMPLES, inventory, SMALL, LearningSettings(epochs=1)), inventory), tmp_path)
    content = read_json(tmp_path / "joint.json")
    assert not [name for part in ("inventory", "network") for name in content[part] if "vector" in name]
    assert load_analyser(tmp_path).inventory == inventory
