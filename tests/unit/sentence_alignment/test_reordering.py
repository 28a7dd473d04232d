"""Translations in another order, with parts of the text given by hand."""

import numpy as np
import pytest

from discourse_nmt.sentence_alignment.evidence import Evidence
from discourse_nmt.sentence_alignment.reordering import Reordering, TextPart

NUMBERS = [" ".join(str(number + 50 * times) for times in range(12)) for number in range(10, 20)]


def parts_of(*named: tuple[int, str]) -> tuple[Reordering, list[TextPart]]:
    """A text of parts, each with the sentence that it seems to translate, and what finds others by its evidence."""
    words = [text.split() for _, text in named]
    borders = np.cumsum([0, *map(len, words)]).tolist()
    evidence = Evidence(NUMBERS, [word for part in words for word in part], None)
    expected = [12.0] * len(NUMBERS)
    reordering = Reordering(evidence, expected, 0.3, np.zeros(borders[-1] + 1))
    return reordering, [TextPart(named[i][0], borders[i], borders[i + 1]) for i in range(len(named))]


def sentences(parts: list[TextPart]) -> list[int]:
    return [part.sentence for part in parts]


def test_added_text_is_the_translation_of_an_omitted_sentence_nearby() -> None:
    reordering, parts = parts_of((0, ""), (1, NUMBERS[1]), (-1, NUMBERS[0]), (-1, NUMBERS[0]), (2, ""), (-1, "x y z"))
    assert sentences(reordering.moved(parts)) == [1, 0, -1, 2, -1]
    assert reordering.moved(parts)[1] == TextPart(0, *parts[2][1:])


@pytest.mark.parametrize(("between", "moved"), [(2, [1, 2, 0]), (3, [0, 1, 2, 3, -1])])
def test_a_translation_is_looked_for_three_parts_away(between: int, moved: list[int]) -> None:
    others = [(number, NUMBERS[number]) for number in range(1, between + 1)]
    reordering, parts = parts_of((0, ""), *others, (-1, NUMBERS[0]))
    assert sentences(reordering.moved(parts)) == moved


@pytest.mark.parametrize("order", [(1, 0), (0, 1)])
def test_a_part_is_divided_that_holds_two_translations(order: tuple[int, int]) -> None:
    reordering, parts = parts_of((0, ""), (1, " ".join(NUMBERS[number] for number in order)), (2, NUMBERS[2]))
    assert reordering.exchanged(parts) == [TextPart(order[0], 0, 12), TextPart(order[1], 12, 24), parts[2]]


@pytest.mark.parametrize(
    "text", [NUMBERS[1], "x y z", f"{NUMBERS[1]} {'x y z ' * 4}", f"{NUMBERS[1]} 10 60", NUMBERS[0][:9]]
)
def test_a_part_without_the_other_translation_is_whole(text: str) -> None:
    reordering, parts = parts_of((0, ""), (1, text), (-1, NUMBERS[0]))
    assert reordering.exchanged(parts) == parts
