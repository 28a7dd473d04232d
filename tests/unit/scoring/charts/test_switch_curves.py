"""Curves of ablations: which experiments a line goes through, and that drawings show the scores."""

import re
import statistics
from itertools import combinations
from typing import Any
from xml.etree import ElementTree

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discourse_nmt.scoring.charts.switch_curves import SwitchCurves, curve, points_of, switch_curves
from discourse_nmt.scoring.charts.switch_lines import OFF, lines_of
from discourse_nmt.scoring.metrics.score import Score
from discourse_nmt.scoring.reports.page import Tables, page
from discourse_nmt.scoring.reports.provenance import Provenance
from discourse_nmt.scoring.tables.scores import score_table
from discourse_nmt.workflow.sections.switches import differing_switches
from tests.conftest import ROOT
from tests.unit.scoring.reports.test_report import HOSTILE, read, scripts, templates
from tests.unit.workflow.test_configuration import load, resolved

Switches = dict[str, dict[str, Any]]
NUMBERS = st.sampled_from([0, 1, 2, 2.5, 3, 4, False, True, "1", None])
OTHERS = st.sampled_from(["a", ["a"], None, "none", 0])
POINT = re.compile(r"(?P<x>[^;]*): (?P<value>[^;]*); (?P<y>[^;]*): (?P<score>[^;]*)")


def switches_of(**values: Any) -> Switches:
    """Experiments of one system whose switch has these values."""
    return {name: {"system": "trees", "settings.size": value} for name, value in values.items()}


def scored(experiments: Switches, seeds: int = 1, metric: str = "s-BLEU") -> pd.DataFrame:
    """A long table of scores, all of them different."""
    names: dict[str, Any] = {"corpus": "c", "test_set": "test"}
    tables = [
        score_table(
            [Score(metric, 20 + n + seed * seed / 8, "v")], experiment=name, system=one["system"], seed=seed, **names
        )
        for n, (name, one) in enumerate(experiments.items())
        for seed in range(seeds)
    ]
    return pd.concat(tables, ignore_index=True)


def drawn(experiments: Switches, scores: pd.DataFrame) -> list[SwitchCurves]:
    """The curves of the one group there is."""
    return switch_curves(experiments, scores).get(("c", "test", "trees"), [])


def points_drawn(drawing: str) -> dict[float, float]:
    """Scores by the switch's value, as the points of a drawing say."""
    found = {}
    for element in ElementTree.fromstring(drawing).iter():
        if element.get("aria-roledescription") == "point":
            said = POINT.match(element.get("aria-label", ""))
            assert said
            found[float(said["value"])] = float(said["score"])
    return found


def bars_drawn(drawing: str) -> list[float]:
    """Lengths of the bars in pixels."""
    groups = [
        group
        for group in ElementTree.fromstring(drawing).iter()
        if group.get("class") == "mark-rule role-mark layer_0_marks"
    ]
    return [abs(float(bar.get("y2", "0"))) for group in groups for bar in group]


def test_the_preset_of_cache_sizes_has_its_curve_from_no_cache_on() -> None:
    experiments = differing_switches(resolved(load(ROOT / "config" / "papers" / "cache_sizes.yaml")))
    scores = scored(experiments)
    ((place, (curves,)),) = switch_curves(experiments, scores).items()
    assert place == ("c", "test", "theme_rheme_cache")
    assert curves.switch == "settings.cache_size"
    assert points_drawn(curves.drawings["s-BLEU"]) == {
        one["settings.cache_size"]: float(scores.loc[scores["experiment"] == name, "value"].iloc[0])
        for name, one in experiments.items()
        if one["system"] == "theme_rheme_cache"
    }
    assert min(points_drawn(curves.drawings["s-BLEU"])) == 0
    assert curves.note == "With labeller ctrd, settings.context online. Off at 0: labeller, settings.context."


@pytest.mark.parametrize(
    ("preset", "numbers"),
    [
        (
            "papers/multitask_ende_weights",
            {"settings.lambda1": 16, "settings.lambda2": 16, "settings.paragraph_len": 5},
        ),
        ("papers/dsp_ende_table2", {"settings.w_n": 5}),
        ("papers/rst_ende", {"settings.drop_rst": 5}),
        ("demo_matrix", {}),
    ],
)
def test_presets_have_a_curve_for_each_number_that_is_varied_alone(preset: str, numbers: dict[str, int]) -> None:
    experiments = differing_switches(resolved(load(ROOT / "config" / f"{preset}.yaml")))
    groups = switch_curves(experiments, scored(experiments))
    found = {one.switch: one.drawings["s-BLEU"].count('"point"') for group in groups.values() for one in group}
    assert found == numbers


@pytest.mark.parametrize(
    "values", [{"a": 1, "b": 2}, {"a": 1, "b": 2, "c": True}, {"a": "1", "b": "2", "c": "3"}, {"a": 1, "b": 2, "c": 2}]
)
def test_other_groups_have_no_curve(values: dict[str, Any]) -> None:
    assert drawn(switches_of(**values), scored(switches_of(**values))) == []


@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(NUMBERS, OTHERS, st.sampled_from(["a", "none"])), max_size=12))
def test_a_line_goes_through_all_experiments_that_differ_in_one_number_alone(rows: list[tuple[Any, ...]]) -> None:
    experiments: Switches = {str(n): dict(zip(("x", "y", "z"), row)) for n, row in enumerate(rows)}
    lines = lines_of(experiments, "x")
    for line in lines:
        assert len(line.experiments) >= 3
        for value, name in line.experiments.items():
            assert experiments[name]["x"] == value and not isinstance(experiments[name]["x"], bool | str)
            others = [other for other, held in line.held.items() if experiments[name][other] != held]
            assert list(line.off) == others if value == 0 else others == []
            assert all(experiments[name][other] in OFF for other in others)
    together = [set(line.experiments.values()) for line in lines]
    for names in combinations(experiments, 3):
        rest = experiments[names[0]]["y"], experiments[names[0]]["z"]
        alike = [name for name, one in experiments.items() if (one["y"], one["z"]) == rest]
        numbers = [
            v for name in alike if not isinstance(v := experiments[name]["x"], bool) and isinstance(v, int | float)
        ]
        if {*names} <= {*alike} and len(numbers) == len(alike) == len(set(numbers)):
            assert sum({*names} <= one for one in together) == 1


def test_what_is_not_off_at_0_is_another_line() -> None:
    line = {name: {"x": n, "y": "a", "z": 5} for n, name in enumerate(("b", "c", "d"), start=1)}
    for other, joins in (
        ({"x": 0, "y": None, "z": 5}, True),
        ({"x": 0, "z": 5}, True),
        ({"x": 0, "y": "none", "z": 5}, True),
        ({"x": 0, "y": "other", "z": 5}, False),
        ({"x": 0, "y": None, "z": 0}, False),
        ({"x": 4, "y": None, "z": 5}, False),
    ):
        (found,) = lines_of({"a": other, **line}, "x")
        assert ("a" in found.experiments.values()) == joins
    off = {"x": 0, "y": None, "z": 5}
    (found,) = lines_of({"first": off, "second": {**off, "y": "none"}, **line}, "x")
    assert set(found.experiments.values()) == {"b", "c", "d"}
    (found,) = lines_of({"first": off, "second": {**off, "y": "a"}, **line}, "x")
    assert set(found.experiments.values()) == {"second", "b", "c", "d"}


def test_bars_are_as_long_as_the_deviation_over_seeds() -> None:
    experiments = switches_of(a=5, b=0.5, c=20)
    scores = pd.concat([scored(experiments, 3), scored(switches_of(d=40)).assign(value=26.0)], ignore_index=True)
    scores.loc[scores["experiment"] == "b", "value"] = [20.0, 21.0, 25.0]
    experiments |= switches_of(d=40)
    points = points_of(lines_of(experiments, "settings.size"), scores).set_index("value")
    for name, one in experiments.items():
        values = scores.loc[scores["experiment"] == name, "value"].tolist()
        point = points.loc[one["settings.size"]]
        assert point["score"] == statistics.mean(values)
        assert point["deviation"] == statistics.stdev(values) if len(values) > 1 else pd.isna(point["deviation"])
    (curves,) = drawn(experiments, scores)
    lengths = bars_drawn(curves.drawings["s-BLEU"])
    deviations = points["deviation"].dropna().tolist()
    assert len(lengths) == 3
    assert [length / lengths[0] for length in lengths] == pytest.approx([one / deviations[0] for one in deviations])


def test_one_seed_has_no_bars() -> None:
    experiments = switches_of(a=1, b=2, c=3)
    (curves,) = drawn(experiments, scored(experiments))
    assert points_drawn(curves.drawings["s-BLEU"]) == {1: 20, 2: 21, 3: 22}
    assert bars_drawn(curves.drawings["s-BLEU"]) == []


def test_each_main_metric_with_three_points_has_a_drawing() -> None:
    experiments = switches_of(a=1, b=2, c=3)
    few = scored(experiments, metric="chrF2++").head(2)
    other = scored(experiments, metric="BLEU by length")
    together = pd.concat([scored(experiments), scored(experiments, metric="TER"), few, other], ignore_index=True)
    (curves,) = drawn(experiments, together)
    assert list(curves.drawings) == ["s-BLEU", "TER"]
    assert "TER (lower is better)" in curves.drawings["TER"]


def test_lines_are_told_apart_by_what_differs_between_them() -> None:
    experiments: Switches = {
        f"{size}-{kind}": {"system": "trees", "size": size, "kind": kind}
        for kind in ("add", "gate")
        for size in (1, 2, 3)
    }
    lines = lines_of(experiments, "size")
    drawing = curve(lines, scored(experiments, 2), "size")
    texts = [element.text for element in ElementTree.fromstring(drawing).iter() if element.text]
    assert {"kind", "add", "gate"} <= set(texts)
    # One legend for colours and dashes.
    assert texts.count("add") == 1


def test_names_with_special_characters_stay_text() -> None:
    experiments: Switches = {
        f"{n}{HOSTILE}": {"system": HOSTILE, HOSTILE: n % 3, f"kind {HOSTILE}": f"{n // 3}{HOSTILE}"} for n in range(6)
    }
    tables = Tables(
        scored(experiments, 2).assign(corpus=HOSTILE), provenance=Provenance({}, experiments, {}, {}, {}, {}, {})
    )
    reader = read(page(templates(), *scripts(), "report", tables, []))
    assert reader.names.count("svg") == 1
    assert "img" not in reader.names and reader.names.count("script") == 1
    assert not any(name.startswith("on") for _, name, _ in reader.attributes)
    (label,) = [value for tag, name, value in reader.attributes if (tag, name) == ("figure", "aria-label")]
    assert label == f"s-BLEU of {HOSTILE} by {HOSTILE} on {HOSTILE}, test"
    # The heading, the title of the axis and that of the legend.
    assert f"By {HOSTILE}" in reader.text and HOSTILE in reader.text and f"kind {HOSTILE}" in reader.text


def test_groups_without_curves_do_not_speak_of_them() -> None:
    for values, said in (({"a": 1, "b": 2}, False), ({"a": 1, "b": 2, "c": 3}, True)):
        experiments = switches_of(**values)
        tables = Tables(scored(experiments), provenance=Provenance({}, experiments, {}, {}, {}, {}, {}))
        html = page(templates(), *scripts(), "report", tables, [])
        assert ("Curves are drawn" in html) == said == ("By settings.size" in html)
