"""Declared settings: what a mapping becomes, and the one line that names each fault."""

import dataclasses
from dataclasses import dataclass
from typing import Any, Literal

import pytest

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.settings import (
    NAME,
    ChosenBy,
    Given,
    another_name,
    as_json,
    given,
    legal_name,
    nearest,
    parse_settings,
    probability,
    required,
    setting,
)
from discourse_nmt.corpus.readers import FORMATS


@dataclass(frozen=True)
class Inner:
    """A section of its own."""

    depth: int = setting(1, "a depth", minimum=1)


@dataclass(frozen=True)
class Outer:
    """Settings of every kind."""

    name: str = required("a name")
    share: float = probability(0.5, "a share")
    limit: float | None = setting(None, "a limit", minimum=1)
    column: str | int = setting("a", "a column")
    kind: Literal["new", "old"] = setting("new", "a kind")
    marks: list[str] = setting(["<d>"], "marks")
    rates: dict[str, float] = setting({}, "rates", minimum=0)
    inner: Inner = setting(Inner(), "a section")
    sections: dict[str, Inner] = setting({}, "sections by name")
    options: dict[str, Any] = setting({}, "whatever")
    quick: bool = setting(False, "a switch")
    further: Inner | None = setting(None, "a section, or null for none")
    keys: Given[Inner] = given(Inner, "some keys of a section")
    chosen: Given[object] = given(object, "a section whose class the kind chooses", ChosenBy("kind", {"old": Inner}))


def test_absent_settings_have_their_defaults() -> None:
    assert parse_settings(Outer, {"name": "x"}, "outer") == Outer("x")
    assert dataclasses.asdict(Outer("x"))["inner"] == {"depth": 1}


def test_given_settings_are_taken_over_in_their_declared_type() -> None:
    given = {
        "name": "x",
        "share": 0,
        "limit": 3,
        "column": 4,
        "kind": "old",
        "marks": [],
        "rates": {"a": 1},
        "inner": {"depth": 2},
        "sections": {"b": {}, "c": {"depth": 3}},
        "options": {"d": [1, None]},
        "quick": True,
    }
    made = parse_settings(Outer, given, "outer")
    sections = {"b": Inner(), "c": Inner(3)}
    assert made == Outer("x", 0.0, 3.0, 4, "old", [], {"a": 1.0}, Inner(2), sections, {"d": [1, None]}, True)
    assert [type(number) for number in (made.share, made.limit, made.rates["a"])] == [float, float, float]


def test_a_section_may_be_null() -> None:
    assert parse_settings(Outer, {"name": "x", "further": None}, "outer").further is None
    assert parse_settings(Outer, {"name": "x", "further": {}}, "outer").further == Inner()


def test_given_keys_are_checked_when_they_are_parsed() -> None:
    made = parse_settings(Outer, {"name": "x", "keys": {"depth": 0}}, "outer")
    assert made.keys == {"depth": 0} and made.keys.kind is Inner
    with pytest.raises(InputError, match=r"^there: depth is 0; it must be at least 1$"):
        made.keys.parsed("there")
    above, below = Given(Inner, {"depth": 3}), Given(Inner, {"depth": 2})
    assert above.over(below, {"other": 1}) == {"depth": 3, "other": 1}
    assert Given(Inner).over(above, below).parsed("there") == Inner(3)


def test_another_key_chooses_the_class() -> None:
    kinds = [parse_settings(Outer, {"name": "x", "kind": kind}, "outer").chosen.kind for kind in ("new", "old")]
    assert kinds == [object, Inner]


def test_numbers_may_stay_as_they_are_written() -> None:
    given = {"name": "x", "share": 0, "rates": {"a": 1}, "inner": {}}
    made = parse_settings(Outer, given, "", as_written=True)
    assert [type(number) for number in (made.share, made.rates["a"])] == [int, int]
    assert as_json(made) | given == as_json(made) | {"inner": {}}


def test_containers_are_not_shared_between_instances() -> None:
    Outer("x").marks.append("y")
    assert Outer("x").marks == ["<d>"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"marsk": []}, "outer: unknown setting marsk; did you mean marks?"),
        ({"name": None}, "outer: name is None; it must be text"),
        ({"share": 1}, "outer: share is 1; it must be below 1"),
        ({"share": float("nan")}, "outer: share is nan; it must be at least 0"),
        ({"share": True}, "outer: share is True; it must be a number"),
        ({"limit": 0}, "outer: limit is 0; it must be at least 1 or null"),
        ({"limit": float("inf")}, "outer: limit is inf; it must be finite or null"),
        ({"limit": "no"}, "outer: limit is 'no'; it must be a number or null"),
        ({"column": 1.5}, "outer: column is 1.5; it must be text or a whole number"),
        ({"column": False}, "outer: column is False; it must be text or a whole number"),
        ({"kind": "od"}, "outer: kind is 'od'; did you mean old?"),
        ({"kind": 7}, "outer: kind is 7; choose from new, old"),
        ({"marks": "<d>"}, "outer: marks is '<d>'; it must be a list of text"),
        ({"marks": ["<d>", 2]}, "outer: marks.1 is 2; it must be text"),
        ({"rates": []}, "outer: rates is []; it must be a mapping"),
        ({"rates": {"a": -1}}, "outer: rates.a is -1; it must be at least 0"),
        ({"inner": 3}, "outer.inner must be a mapping, not 3"),
        ({"further": 3}, "outer.further must be a mapping, not 3"),
        ({"further": {"depth": 0}}, "outer.further: depth is 0; it must be at least 1"),
        ({"keys": 3}, "outer: keys is 3; it must be a mapping"),
        ({"inner": {"detph": 3}}, "outer.inner: unknown setting detph; did you mean depth?"),
        ({"sections": {"a": {"depth": 0}}}, "outer.sections.a: depth is 0; it must be at least 1"),
        ({"quick": 1}, "outer: quick is 1; it must be true or false"),
    ],
)
def test_faults_name_place_and_key(change: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_settings(Outer, {"name": "x"} | change, "outer")
    assert str(caught.value) == message


def test_a_required_setting_is_asked_for() -> None:
    with pytest.raises(InputError, match="outer: name is missing"):
        parse_settings(Outer, {}, "outer")


@pytest.mark.parametrize(
    ("text", "legal"),
    [("my run", "my_run"), ("größe", "grosse"), ("../x", "x"), ("rst+trees, big", "rst+trees_big"), ("中文", "")],
)
def test_a_legal_name_is_proposed_where_one_is_left(text: str, legal: str) -> None:
    assert legal_name(text) == legal
    assert (f"for example {legal}" in another_name(text)) == bool(legal)
    assert not legal or NAME.fullmatch(legal)


def test_advice_is_the_nearest_name_or_all() -> None:
    assert nearest("beem", ["beam", "width"]) == "did you mean beam?"
    assert nearest("x", iter(["beam", "width"])) == "choose from beam, width"
    assert nearest("x", []) == "there are none"


@pytest.mark.parametrize("name", FORMATS)
def test_every_option_of_a_format_has_a_meaning_and_a_valid_default(name: str) -> None:
    options = FORMATS[name].options
    assert all(field.metadata["meaning"] for field in dataclasses.fields(options))
    assert parse_settings(options, dataclasses.asdict(options()), "options") == options()
