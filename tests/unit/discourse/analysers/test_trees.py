"""Maximum spanning arborescences with one root, against trying every tree."""

import itertools

import numpy as np
import pytest

from discourse_nmt.discourse.analysers.arborescence import best_tree, is_tree


def every_tree(words: int) -> list[np.ndarray]:
    heads = itertools.product(range(words + 1), repeat=words)
    return [np.array(choice) for choice in heads if is_tree(np.array(choice))]


def follows_to_root(heads: np.ndarray) -> bool:
    for word in range(1, len(heads) + 1):
        for _ in range(len(heads)):
            word = 0 if word == 0 else int(heads[word - 1])
        if word:
            return False
    return int((heads == 0).sum()) == 1


@pytest.mark.parametrize("words", [1, 2, 3, 4])
def test_is_tree_agrees_with_walking_up(words: int) -> None:
    for choice in itertools.product(range(words + 1), repeat=words):
        assert is_tree(np.array(choice)) == follows_to_root(np.array(choice))


@pytest.mark.parametrize("words", [1, 2, 3, 4, 5])
def test_best_tree_is_the_best_of_all_trees(words: int) -> None:
    trees = every_tree(words)
    assert len(trees) == words ** (words - 1)  # Cayley: rooted labelled trees
    for seed in range(60 if words < 5 else 15):
        scores = np.random.default_rng(seed).normal(size=(words, words + 1))
        if seed % 3 == 0:
            scores[:, 0] += 5  # many words want to be the root
        totals = [scores[np.arange(words), tree].sum() for tree in trees]
        found = best_tree(scores)
        assert is_tree(found)
        assert scores[np.arange(words), found].sum() == pytest.approx(max(totals))


@pytest.mark.parametrize("words", [60, 500])
def test_long_sentences_get_a_tree(words: int) -> None:
    scores = np.random.default_rng(words).normal(size=(words, words + 1))
    assert is_tree(best_tree(scores))


def test_no_words_give_no_heads() -> None:
    assert best_tree(np.zeros((0, 1))).shape == (0,)
