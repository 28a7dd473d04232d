"""The pictures of docs/architecture.md are those of the code, that of docs/study.md is its tables; they are true."""

import re
import xml.etree.ElementTree as ET

import pytest

from docs.drawings import floors as drawing
from docs.drawings import rooms, study, way
from docs.drawings.generate import generated
from docs.drawings.svg import wrapped
from tests.conftest import ROOT

PICTURES = ["docs/images/architecture/floors.svg", "docs/images/architecture/way.svg", "docs/images/study.svg"]
ARROW = re.compile(r'<path d="M[\d.]+,([\d.]+) .*,([\d.]+)" class="arrow"')
IMPORTED = rooms.imports()


@pytest.fixture(scope="module")
def pictures() -> dict[str, str]:
    return generated()


@pytest.mark.parametrize("path", PICTURES)
def test_committed_pictures_are_the_code_s(path: str, pictures: dict[str, str]) -> None:
    assert (ROOT / path).read_text(encoding="utf-8") == pictures[path], "run make schema"


@pytest.mark.parametrize("path", PICTURES)
def test_a_picture_stands_alone(path: str) -> None:
    """Pages show it as an image, where a file of SVG may load nothing."""
    text = (ROOT / path).read_text(encoding="utf-8")
    root = ET.fromstring(text)
    assert root.attrib["viewBox"] and root.findtext("{*}title") and root.findtext("{*}desc")
    assert not re.search(r"href|@import|@font-face|<script|<image", text)
    assert "prefers-color-scheme: dark" in text


def test_no_import_leads_up() -> None:
    floor_of = {room: number for number, floor in enumerate(rooms.floors(IMPORTED)) for room in floor}
    assert floor_of["base"] == 0 and floor_of["commands"] == max(floor_of.values())
    assert {
        room: others for room, others in IMPORTED.items() for other in others if floor_of[other] >= floor_of[room]
    } == {}


def test_every_line_of_the_floors_leads_down(pictures: dict[str, str]) -> None:
    ends = ARROW.findall(pictures["docs/images/architecture/floors.svg"])
    assert len(ends) >= sum(map(len, rooms.shortest(IMPORTED).values()))
    assert all(float(start) < float(end) for start, end in ends)


def test_a_circle_has_no_floors() -> None:
    circle = {"a": frozenset({"b"}), "b": frozenset({"a"}), "c": frozenset[str]()}
    with pytest.raises(ValueError, match=r"rooms in a circle: \['a', 'b'\]"):
        rooms.floors(circle)


def test_an_import_is_left_out_only_where_arrows_lead_to_the_same_room() -> None:
    arrows = rooms.shortest(IMPORTED)
    for room, others in IMPORTED.items():
        reached, waiting = set[str](), list(arrows[room])
        while waiting:
            other = waiting.pop()
            reached.add(other)
            waiting += arrows[other]
        assert reached >= others, room
    assert rooms.shortest({"a": frozenset("bc"), "b": frozenset("c"), "c": frozenset[str]()})["a"] == {"b"}


@pytest.mark.parametrize("room", sorted(IMPORTED))
def test_a_box_has_space_for_its_words(room: str) -> None:
    small = wrapped(drawing.imports_line(room), drawing.SMALL_LETTERS)
    assert len(wrapped(rooms.summary(room), drawing.LETTERS)) + len(small) <= 5, "shorten the room's docstring"


def test_the_page_has_a_line_for_every_room() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8").partition("## From text to score")[0]
    assert set(re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE)) == IMPORTED.keys()


@pytest.mark.parametrize(
    ("false", "fault"),
    [
        (
            way.Step("scores", "scores.tsv", "scoring.tables.scores:collect", 0, 0, ("tokens",)),
            "no input of collect_scores",
        ),
        (
            way.Step("scores", "scores.tsv", "training.run.run:train", 0, 0),
            "does not reach discourse_nmt.training",
        ),
    ],
)
def test_a_false_step_is_refused(false: way.Step, fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(way, "STEPS", [*way.STEPS, false])
    with pytest.raises(ValueError, match=fault):
        way.way_picture()


TABLES = """English-Basque, 2 items:

| row | own (%) | s-BLEU |
| --- | --- | --- |
| `rule` | 20.0 | |
| model, told | **100.0 ± 1.5** | 18.9 ± 0.5 |
"""


def test_shares_are_those_of_the_tables() -> None:
    """Names lose the marks of code; s-BLEU is no share."""
    [results] = study.tables(TABLES)
    assert (results.pair, results.measures) == ("English-Basque", ["own"])
    assert results.rows == {
        "rule": [study.Share(20.0, 0.0, bold=False)],
        "model, told": [study.Share(100.0, 1.5, bold=True)],
    }


def test_every_share_of_the_page_is_drawn_within_the_picture(pictures: dict[str, str]) -> None:
    results = study.tables((ROOT / study.PAGE).read_text(encoding="utf-8"))
    assert {one.pair for one in results} >= {"English-Spanish", "English-Russian"}
    shares = [share for one in results for row in one.rows.values() for share in row if share]
    assert all(share.mean - share.deviation >= study.LEAST for share in shares)
    assert all(share.mean + share.deviation <= study.MOST for share in shares)
    assert all(len(wrapped(name, study.LETTERS)) <= 2 for one in results for name in one.rows), "shorten the name"
    drawn = re.findall(r'<rect x="([\d.]+)" [^>]* width="10" [^>]*class="(\w+)"', pictures["docs/images/study.svg"])
    assert [style == "head" for _, style in drawn] == [share.bold for share in shares]


@pytest.mark.parametrize("cell", ["43", "43.3 (−1.7)", "**43.3"])
def test_a_cell_that_is_no_share_is_refused(cell: str) -> None:
    with pytest.raises(ValueError, match="no share in the cell"):
        study.share(cell)
