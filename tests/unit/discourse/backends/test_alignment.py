"""Texts of a user's files are found in the raw sentences whatever their spacing and escapes, or the fault is told."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discourse_nmt.discourse.backends.files.alignment import GROUPS, locate, tile
from discourse_nmt.discourse.structures.mentions import Span
from discourse_nmt.discourse.structures.trees import StructureError

LETTERS = "abÄß中éI7.,!"
FORMS = [form for group in GROUPS for form in group if len(form) == 1 and form in "()[]{}\"'-/*&<>|_“…—"]
SPACE = st.text(" \t\u00a0\u200b\u00ad", max_size=2)
# Single letters, or a character with several spellings between letters, where no two spellings can be confused.
UNITS = st.one_of(
    st.tuples(st.sampled_from(LETTERS)),
    st.tuples(st.sampled_from("xy"), st.sampled_from(FORMS), st.sampled_from("zw")),
)


@st.composite
def written_documents(draw: st.DrawFn) -> tuple[list[str], list[str], list[Span]]:
    """Raw sentences, pieces as a file writes them, and the characters of each piece."""
    sentences: list[str] = []
    pieces: list[str] = []
    spans: list[Span] = []
    for number in range(draw(st.integers(1, 4))):
        raw = draw(SPACE)
        fresh = True
        for character in [one for unit in draw(st.lists(UNITS, min_size=1, max_size=12)) for one in unit]:
            raw += draw(SPACE)
            group = next((group for group in GROUPS if character in group), (character,))
            spelling = draw(st.sampled_from(group))
            if fresh or draw(st.integers(0, 3)) == 0:
                pieces.append(draw(SPACE) + spelling)
                spans.append(Span(number, len(raw), len(raw) + 1))
            else:
                pieces[-1] += draw(SPACE) + spelling
                spans[-1] = Span(number, spans[-1].start, len(raw) + 1)
            raw += character
            fresh = False
        sentences.append(raw + draw(SPACE))
    return sentences, pieces, spans


@settings(deadline=None)
@given(written_documents())
def test_every_piece_is_found_exactly(document: tuple[list[str], list[str], list[Span]]) -> None:
    sentences, pieces, spans = document
    assert locate(pieces, sentences, "EDU") == spans


@settings(deadline=None)
@given(written_documents())
def test_units_tile_their_sentences(document: tuple[list[str], list[str], list[Span]]) -> None:
    sentences, pieces, spans = document
    edus = tile(spans, sentences)
    assert len(edus) == len(pieces)
    for number, sentence in enumerate(sentences):
        inside = [edu for edu in edus if edu.sentence == number]
        covered = "".join(sentence[edu.start : edu.end] for edu in inside)
        assert "".join(covered.split()) == "".join(sentence.split())
        assert all(left.end <= right.start for left, right in pairwise(inside))
        assert all(sentence[edu.start : edu.end].strip() == sentence[edu.start : edu.end] for edu in inside)


@settings(deadline=None)
@given(st.lists(st.sampled_from(["-", "–", "'", '"', "`", "…", "."]), min_size=1, max_size=30), st.data())
def test_spellings_side_by_side_are_told_apart_as_a_whole(characters: list[str], data: st.DataObject) -> None:
    groups = [next((group for group in GROUPS if one in group), (one,)) for one in characters]
    written = "".join(data.draw(st.sampled_from(group)) for group in groups)
    raw = "".join(characters)
    assert locate([written], [raw], "word") == [Span(0, 0, len(raw))]


@pytest.mark.parametrize(
    ("pieces", "sentence", "spans"),
    [
        (["-LRB- yes -RRB-", "``", "no", "''"], '(yes) "no"', [(0, 5), (6, 7), (7, 9), (9, 10)]),
        (["a ---b"], "a-–b", [(0, 4)]),  # the first hyphen alone, the others as a dash: found only by trying again
        (["rock", "'n'", "roll ..."], "rock ’n’ roll…", [(0, 4), (5, 8), (9, 14)]),
        (["AT&amp;T", "-LRB-"], "AT&T -LRB-", [(0, 4), (5, 10)]),
        (["1\\/2", "\\*"], "1/2*", [(0, 3), (3, 4)]),
        (["e-", "mail"], "e-\u00admail", [(0, 2), (3, 7)]),
    ],
)
def test_known_ways_of_writing(pieces: list[str], sentence: str, spans: list[tuple[int, int]]) -> None:
    assert locate(pieces, [sentence], "word") == [Span(0, *span) for span in spans]


@pytest.mark.parametrize(
    ("pieces", "problem"),
    [
        (["A cat", "sat down ."], r"EDU 2 has 'down.' where sentence 2 has 'lay.'"),
        (["A cat sat"], r"the file ends before 'Itlay.' of sentence 2"),
        (["A cat sat", "It lay . Amen"], r"the file goes on with 'Amen' \(EDU 2\) after the last sentence"),
        (["A cat", "sat It lay ."], r"EDU 2, 'sat It lay .', reaches over the end of sentence 1"),
        (["A cat sat", " \u200b", "It lay ."], r"EDU 2 is empty"),
        (["A dog sat", "It lay ."], r"EDU 1 has 'dogsat' where sentence 1 has 'catsat'"),
    ],
)
def test_a_difference_is_told_with_its_place(pieces: list[str], problem: str) -> None:
    sentences = ["A cat sat", "It lay."] if "down" not in pieces[-1] else ["A cat", "sat lay."]
    with pytest.raises(StructureError, match=problem):
        locate(pieces, sentences, "EDU")


def test_a_long_row_of_dashes_takes_no_time_that_explodes() -> None:
    with pytest.raises(StructureError, match="has"):
        locate(["-" * 90 + "x"], ["–" * 60 + "y"], "word")


def test_an_edu_begins_where_a_word_begins() -> None:
    text, words = "gonna try", [(0, 5), (6, 9)]
    located = locate(["gon", "na", "try"], [text], "EDU")
    assert tile(located, [text]) == (Span(0, 0, 3), Span(0, 3, 5), Span(0, 6, 9))
    assert tile([located[0], located[2]], [text], [words]) == (Span(0, 0, 5), Span(0, 6, 9))
    assert tile([Span(0, 0, 3), Span(0, 3, 9)], [text], [words]) == (Span(0, 0, 5), Span(0, 6, 9))
    with pytest.raises(StructureError, match="no word of sentence 1 begins in EDU 2"):
        tile(located, [text], [words])
