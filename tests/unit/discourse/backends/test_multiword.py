"""Words of multiword tokens become pieces of the token's characters."""

import random
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discourse_nmt.discourse.backends.multiword import Token, divide, words_in_text
from discourse_nmt.discourse.structures.dependencies import check_heads
from discourse_nmt.discourse.structures.syntax import Syntax


@pytest.mark.parametrize(
    ("token", "words", "pieces"),
    [
        ("zum", ["zu", "dem"], ["zu", "m"]),
        ("Im", ["in", "dem"], ["I", "m"]),
        ("du", ["de", "le"], ["d", "u"]),
        ("des", ["de", "les"], ["de", "s"]),
        ("dámelo", ["da", "me", "lo"], ["dá", "me", "lo"]),
        ("vámonos", ["vamos", "nos"], ["vámo", "nos"]),
        ("don't", ["do", "n't"], ["do", "n't"]),
        ("abc", ["xyz", "x", "x"], ["a", "b", "c"]),
    ],
)
def test_pieces_agree_with_their_words(token: str, words: list[str], pieces: list[str]) -> None:
    assert [token[start:end] for start, end in divide(token, words)] == pieces


@settings(deadline=None)
@given(st.text(min_size=1, max_size=30), st.lists(st.text(min_size=1, max_size=8), min_size=1, max_size=6))
def test_pieces_tile_the_token(token: str, words: list[str]) -> None:
    words = words[: len(token)]
    ranges = divide(token, words)
    assert len(ranges) == len(words)
    assert [start for start, _ in ranges] == [0, *(end for _, end in ranges[:-1])]
    assert ranges[-1][1] == len(token)
    assert all(start < end for start, end in ranges)


def _syntax(heads: list[int]) -> Syntax:
    names = tuple(f"w{number}" for number in range(len(heads)))
    relations = tuple("root" if head < 0 else "dep" for head in heads)
    return Syntax(names, names, names, names, names, tuple(heads), relations)


def test_words_without_room_become_the_one_nearest_to_the_root() -> None:
    # vou | à = a + a | praia: the preposition and the article depend on the noun.
    ranges, syntax = words_in_text(
        "vou à praia", [Token(0, 3, 0, 1), Token(4, 5, 1, 3), Token(6, 11, 3, 4)], _syntax([-1, 3, 3, 0])
    )
    assert ranges == [(0, 3), (4, 5), (6, 11)]
    assert syntax.forms == ("vou", "à", "praia")
    assert syntax.lemmas == ("w0", "w1", "w3")
    assert syntax.heads == (-1, 2, 0)


def test_a_token_with_as_many_characters_as_words_is_divided() -> None:
    ranges, syntax = words_in_text("du port", [Token(0, 2, 0, 2), Token(3, 7, 2, 3)], _syntax([2, 2, -1]))
    assert ranges == [(0, 1), (1, 2), (3, 7)]
    assert (syntax.forms, syntax.heads) == (("d", "u", "port"), (2, 2, -1))


@settings(deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 12))
def test_any_tree_remains_a_tree(seed: int, size: int) -> None:
    source = random.Random(seed)
    order = source.sample(range(size), size)
    heads = [-1] * size
    for place in range(1, size):
        heads[order[place]] = order[source.randrange(place)]
    tokens, first, reached = [], 0, 0
    while first < size:
        last = min(size, first + source.randint(1, 3))
        length = source.randint(1, 3)
        tokens.append(Token(reached, reached + length, first, last))
        first, reached = last, reached + length + 1
    ranges, syntax = words_in_text("x" * reached, tokens, _syntax(heads))
    assert len(ranges) == len(syntax.heads) == len(syntax.forms)
    assert syntax.heads.count(-1) == 1
    check_heads(syntax.heads)
    assert all(left[1] <= right[0] for left, right in pairwise(ranges))
