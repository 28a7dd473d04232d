"""The first picture: rooms as boxes, floor by floor, and an arrow for each import that no longer way shows.

A line that passes a floor gets a lane between its boxes; lines to the same room share their lanes.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache

from docs.drawings.rooms import floors, imports, modules, shortest, summary
from docs.drawings.svg import Point, curve, picture, rectangle, straight, text, wrapped

WIDTH, LANE, GAP = 276.0, 12.0, 26.0  # of a box, of a lane, between two places
HEIGHT, STOREY = 114.0, 156.0  # of a box, from floor to floor
MARGIN = 24.0
SWEEPS = 6
LETTERS, SMALL_LETTERS = 39, 44  # that fit into a line of a box


@dataclass(frozen=True, order=True)
class Place:
    """A room on its floor, or on a floor above its own: the lane of lines that lead down to it."""

    floor: int
    room: str

    @property
    def is_lane(self) -> bool:
        """Whether the room itself lies below."""
        return self.floor != floor_of(self.room)

    @property
    def width(self) -> float:
        """In pixels."""
        return LANE if self.is_lane else WIDTH


Line = tuple[Place, Place]  # from a place to one on the floor below


@cache
def floor_of(room: str) -> int:
    """The number of a room's floor, 0 for the lowest."""
    return next(number for number, floor in enumerate(floors(imports())) if room in floor)


def lines() -> set[Line]:
    """Every arrow, cut at the floors that it passes."""
    arrows = [(room, other) for room, others in shortest(imports()).items() for other in others]
    return {line for room, other in arrows for line in _stairs(room, other)}


def _stairs(room: str, other: str) -> Iterator[Line]:
    upper = Place(floor_of(room), room)
    for floor in range(floor_of(room) - 1, floor_of(other) - 1, -1):
        lower = Place(floor, other)
        yield upper, lower
        upper = lower


def arranged(drawn: set[Line]) -> list[list[Place]]:
    """The places of each floor from left to right, each near the middle of its neighbours, so that few lines cross."""
    places = sorted({place for line in drawn for place in line})
    rows = [[place for place in places if place.floor == floor] for floor in range(len(floors(imports())))]
    for sweep in range(SWEEPS):
        neighbours = _neighbours(drawn, below=sweep % 2 == 0)
        for row in rows if sweep % 2 == 0 else reversed(rows):
            centres = all_centres(rows)
            row.sort(key=lambda place: _mean([centres[other] for other in neighbours.get(place, [place])]))
    return rows


def _neighbours(drawn: set[Line], below: bool) -> dict[Place, list[Place]]:
    found: dict[Place, list[Place]] = {}
    for upper, lower in sorted(drawn):
        found.setdefault(upper if below else lower, []).append(lower if below else upper)
    return found


def _mean(values: list[float]) -> float:
    return sum(values) / len(values)


def all_centres(rows: Iterable[list[Place]]) -> dict[Place, float]:
    """The middle of every place, in pixels from the middle of the picture."""
    return {place: centre for row in rows for place, centre in zip(row, _centres(row), strict=True)}


def _centres(row: list[Place]) -> Iterator[float]:
    left = -(sum(place.width for place in row) + GAP * (len(row) - 1)) / 2
    for place in row:
        yield left + place.width / 2
        left += place.width + GAP


def floors_picture() -> str:
    """The file of the picture."""
    drawn = lines()
    rows = arranged(drawn)
    width = max(2 * centre + place.width for place, centre in all_centres(rows).items()) + 2 * MARGIN
    height = STOREY * (len(rows) - 1) + HEIGHT + 2 * MARGIN + 34
    places = {
        place: Point(width / 2 + centre, MARGIN + STOREY * (len(rows) - 1 - place.floor))
        for place, centre in all_centres(rows).items()
    }
    parts = [part for line in sorted(drawn) for part in _line(places, *line)]
    parts += [part for place in sorted(places) if not place.is_lane for part in _box(place.room, places[place])]
    note = (
        "Arrows: imports. One is left out where others lead to the same room; each box names all its imports but base."
    )
    parts.append(text(Point(width / 2, height - 20), note, "small", "middle"))
    return picture("The floors of the package", description(), width, height, parts)


def description() -> str:
    """The picture in words."""
    return "; ".join(f"floor {number}: {', '.join(floor)}" for number, floor in enumerate(floors(imports())))


def imports_line(room: str) -> str:
    """All imports of a room in words, base aside; if only one or two others are not imported, those."""
    imported = imports()[room] - {"base"}
    others = imports().keys() - imported - {"base", room}
    words = f"all but {' and '.join(sorted(others))}" if len(others) < 3 else ", ".join(sorted(imported))
    return f"imports {words}" if imported else ""


def _line(places: dict[Place, Point], upper: Place, lower: Place) -> Iterator[str]:
    start, end = places[upper], places[lower]
    if upper.is_lane:
        yield straight(start, Point(start.x, start.y + HEIGHT), head=False)
    yield curve(Point(start.x, start.y + HEIGHT), Point(end.x, end.y), head=not lower.is_lane)


def _box(room: str, top: Point) -> Iterator[str]:
    left, right = top.x - WIDTH / 2, top.x + WIDTH / 2
    yield rectangle(Point(left, top.y), WIDTH, HEIGHT, "box")
    yield text(Point(left + 12, top.y + 22), room, "name")
    yield text(Point(right - 12, top.y + 22), f"{len(modules()[room])} modules", "small", "end")
    for number, line in enumerate(wrapped(summary(room), LETTERS)):
        yield text(Point(left + 12, top.y + 41 + 15 * number), line)
    for number, line in enumerate(reversed(wrapped(imports_line(room), SMALL_LETTERS))):
        yield text(Point(left + 12, top.y + HEIGHT - 9 - 13 * number), line, "small")
