"""Why jobs would run, in words."""

import json

import pytest

from discourse_nmt.workflow.reruns.reasons import changed_inputs, changed_parameters, listed
from discourse_nmt.workflow.reruns.why import place

CODE, OTHER = "'0123456789abcdef'", "'fedcba9876543210'"


def settings(**values: object) -> str:
    return repr(json.dumps(values, sort_keys=True))


@pytest.mark.parametrize(
    ("before", "now", "words"),
    [
        ([CODE], {"code": OTHER}, ["its code changed"]),
        ([CODE], {"files": OTHER}, ["its models or imported files changed"]),
        (
            [settings(min_length=3, unit="edu")],
            {"settings": settings(min_length=4, unit="edu")},
            ["settings changed: min_length 3 -> 4"],
        ),
        (
            [settings(beam=2), settings(rst={"beam": 2})],
            {"configuration": settings(beam=3), "switches": settings(rst={"beam": 3})},
            ["settings of configuration changed: beam 2 -> 3"],
        ),
        (
            [settings(rst={"unit": "edu", "layers": 1})],
            {"training": settings(rst={"unit": "edu", "layers": 2}, beam=4)},
            ["settings of training changed: beam none -> 4, rst.layers 1 -> 2"],
        ),
        (["'li14'"], {"conversion": "'hirao13'"}, ["conversion changed: li14 -> hirao13"]),
        (["1000"], {"samples": "2000"}, ["samples changed: 1000 -> 2000"]),
        ([], {"samples": "2000"}, ["samples is 2000 now"]),
        ([], {"settings": settings(beam=4)}, ["settings changed"]),
        (["'gone'"], {}, ["fewer parameters than before"]),
    ],
    ids=[
        "code",
        "files",
        "settings",
        "derived",
        "nested settings",
        "name",
        "number",
        "new",
        "new settings",
        "none left",
    ],
)
def test_changed_parameters(before: list[str], now: dict[str, str], words: list[str]) -> None:
    assert changed_parameters(before, now) == words


def test_each_section_of_settings_is_compared_with_its_own_old_one() -> None:
    before = [settings(beam=4, penalty=0.6), settings(rate=0.1, updates=10), CODE]
    now = {
        "code": OTHER,
        "decoding": settings(beam=2, penalty=0.6),
        "training": settings(rate=0.1, updates=20),
    }
    assert changed_parameters(before, now) == [
        "its code changed",
        "settings of decoding changed: beam 4 -> 2",
        "settings of training changed: updates 10 -> 20",
    ]


def test_a_long_value_is_cut() -> None:
    [line] = changed_parameters([settings(where="a")], {"settings": settings(where="b" * 100)})
    assert line == f"settings changed: where a -> {'b' * 57}..."


def test_inputs() -> None:
    assert changed_inputs(["a", "b"], ["b", "c"]) == ["new input c", "no longer reads a"]
    assert changed_inputs(["a"], ["a"]) == []


def test_lists_are_kept_short() -> None:
    assert listed("abcd") == "a, b, c, d"
    assert listed("abcdef", most=2) == "a, b, and 4 more"


def test_places_are_named_from_the_corpus_down() -> None:
    wildcards = {"shard": "1", "split": "test", "corpus": "demo", "unknown": "x"}
    assert place(wildcards) == "demo, test, shard 1"
    assert place({}) == ""
