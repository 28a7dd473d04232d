"""The picture of differences: each system stands where its gain is, in the colour of its verdict."""

import re
from collections.abc import Sequence
from xml.etree import ElementTree

import pandas as pd
import pytest

from discourse_nmt.scoring.charts.differences import COLOUR_OF_VERDICT, difference_chart

COLUMNS = ["experiment", "baseline", "gain", "low", "high", "verdict"]
SYSTEMS = [
    ("longer", "base", 0.5, 0.25, 1.0, "better"),
    ("trees", "base", 0.125, -0.25, 0.5, "not significant"),
    ("shuffled", "trees", -0.25, -0.5, 0.125, "not significant"),
    ("broken", "base", -20.0, -22.0, -18.0, "worse"),
]


SEEDS = (("a", -2.0), ("b", 1.0), ("b", 3.0))


def drawn(systems: Sequence[tuple[object, ...]], seeds: Sequence[tuple[object, object]] = ()) -> ElementTree.Element:
    """The picture of ``systems``, of one seed each where no ``seeds`` are given."""
    of_seeds = pd.DataFrame(seeds or [(name, gain) for name, _, gain, *_ in systems], columns=["experiment", "gain"])
    return ElementTree.fromstring(difference_chart(pd.DataFrame(systems, columns=COLUMNS), of_seeds))


def points(picture: ElementTree.Element) -> list[tuple[float, float, str, str]]:
    """Place from the left and from above, colour and description of each point."""
    found = []
    for element in picture.iter():
        if element.get("aria-roledescription") == "point":
            x, y = map(float, re.findall(r"[-\d.]+", element.attrib["transform"])[:2])
            found.append((x, y, element.attrib["fill"], element.attrib["aria-label"]))
    return found


def texts(picture: ElementTree.Element) -> list[str]:
    return [element.text for element in picture.iter() if element.tag.endswith("}text") and element.text]


def test_a_line_for_each_system_in_order_with_the_colour_of_its_verdict() -> None:
    found = points(drawn(SYSTEMS))
    assert [colour for _, _, colour, _ in found] == [COLOUR_OF_VERDICT[str(system[-1])] for system in SYSTEMS]
    heights = [y for _, y, _, _ in found]
    assert heights == sorted(heights) and len(set(heights)) == len(SYSTEMS)
    by_gain = sorted(range(len(SYSTEMS)), key=lambda place: float(str(SYSTEMS[place][2])))
    assert by_gain == sorted(range(len(SYSTEMS)), key=lambda place: found[place][0])


def test_small_differences_stay_apart_beside_a_large_one() -> None:
    (longer, *_), (trees, *_), _, (broken, *_) = points(drawn(SYSTEMS))
    assert longer - trees > 0.03 * (longer - broken)  # on a plain axis 0.018


def test_lines_are_the_intervals_on_the_axis_of_the_points() -> None:
    systems = [
        ("a", "base", 0.0, -4.0, 4.0, "not significant"),
        ("b", "base", 4.0, 1.0, 4.0, "better"),
        ("c", "base", -4.0, -4.0, 1.0, "worse"),
    ]
    picture = drawn(systems)
    (zero, *_), (right, *_), (left, *_) = points(picture)
    (layer,) = (found for found in picture.iter() if (found.get("class") or "").endswith("layer_1_marks"))
    starts = [float(re.findall(r"[-\d.]+", line.attrib["transform"])[0]) for line in layer]
    ends = [start + float(line.attrib["x2"]) for start, line in zip(starts, layer)]
    one = starts[1]
    assert left < zero < one < right
    assert starts == pytest.approx([left, one, left]) and ends == pytest.approx([right, right, one])


def test_a_mark_for_each_seed_on_the_line_of_its_system_in_its_colour() -> None:
    picture = drawn([("a", "base", -2.0, -4.0, 0.0, "worse"), ("b", "base", 2.0, 0.0, 4.0, "better")], SEEDS)
    places = {name: (x, y) for name, (x, y, _, _) in zip("ab", points(picture))}
    (layer,) = (found for found in picture.iter() if (found.get("class") or "").endswith("layer_2_marks"))
    marks = []
    for mark in layer:
        x, y, width, height = map(float, re.findall(r"[-\d.]+", mark.attrib["d"])[:4])
        marks.append((x + width / 2, y + height / 2, mark.attrib["fill"]))
    colours = [COLOUR_OF_VERDICT[verdict] for verdict in ("worse", "better", "better")]
    assert [colour for _, _, colour in marks] == colours
    (first, at_first, _), (low, at_low, _), (high, at_high, _) = marks
    assert (first, at_first) == pytest.approx(places["a"])
    assert at_low == at_high == pytest.approx(places["b"][1]) and low < places["b"][0] < high


def test_the_axis_reaches_the_seeds() -> None:
    picture = drawn(SYSTEMS, [("longer", 5.0)])
    assert "5" in texts(picture)


def test_the_axis_names_the_usual_baseline_and_a_line_another_one() -> None:
    found = texts(drawn(SYSTEMS))
    assert "difference from base (points of BLEU)" in found
    assert [text for text in found if text.split()[0] in ("longer", "trees", "shuffled", "broken")] == [
        "longer",
        "trees",
        "shuffled − trees",
        "broken",
    ]


def test_ticks_are_numbers_in_the_range() -> None:
    numbers = [text.replace("−", "-") for text in texts(drawn(SYSTEMS)) if re.fullmatch(r"−?[\d.]+", text)]
    assert sorted(map(float, numbers)) == [-20, -10, -5, -2, -1, -0.5, 0, 0.5, 1]


def test_one_system_is_no_picture() -> None:
    seeds = pd.DataFrame([("longer", 0.5)], columns=["experiment", "gain"])
    assert difference_chart(pd.DataFrame(SYSTEMS[:1], columns=COLUMNS), seeds) == ""
