"""Decodings that ask for what a system does not read are told, and what others read is not."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from discourse_nmt.models.switches.decoding import DecodingSettings
from discourse_nmt.models.systems import SYSTEMS
from discourse_nmt.workflow.checks.decodings import unread_keys, vain_decodings
from discourse_nmt.workflow.configuration.tree import Configuration
from discourse_nmt.workflow.resolving.resolve import resolve
from tests.conftest import ROOT
from tests.unit.workflow.plan.plan_examples import CONFIG, configured, read
from tests.unit.workflow.test_configuration import load

GIVEN, ALONE, NO_TREE = {"target_context": "references"}, {"use_context": False}, {"use_tree": False}
REPEATED = "so that its rows repeat those of one; leave it out"


def told(experiment: dict[str, Any], **sections: Any) -> list[str]:
    experiments = {"one": {"seeds": [1], **experiment}}
    return list(vain_decodings(configured(experiments=experiments, **sections)))


@pytest.mark.parametrize(
    ("experiment", "decoding", "keys"),
    [
        ({"system": "selective"}, GIVEN, "target_context"),
        ({"system": "selective", "settings": {"sides": "both"}}, GIVEN, ""),
        ({"system": "selective", "settings": {"sides": "both", "context": "none"}}, GIVEN, "target_context"),
        ({"system": "han"}, GIVEN, ""),
        ({"system": "han", "settings": {"place": "encoder"}}, GIVEN, "target_context"),
        ({"system": "hm_gdc"}, GIVEN, "target_context"),
        ({"system": "concat"}, GIVEN, ""),
        ({"system": "concat", "settings": {"sentences": 1}}, GIVEN, "target_context"),
        ({"system": "concat", "settings": {"sentences": 1}}, {**GIVEN, "sentences": 2}, ""),
        ({"system": "concat", "decoding": ALONE}, GIVEN, "target_context"),
        ({"system": "transformer"}, ALONE, "use_context"),
        ({"system": "han", "settings": {"context": "none"}}, ALONE, "use_context"),
        ({"system": "han"}, ALONE, ""),
        ({"system": "rst_transformer", "settings": {"sentences": 1}}, ALONE, ""),
        ({"system": "rst_transformer"}, NO_TREE, ""),
        ({"system": "selective", "settings": {"dsp": []}}, NO_TREE, "use_tree"),
        ({"system": "g_transformer"}, NO_TREE, "use_tree"),
        ({"system": "han"}, {"search": "sequence"}, "search"),
        ({"system": "concat"}, {"search": "sequence"}, ""),
        ({"system": "han"}, {"whole_documents": True, "search": "sequence"}, "whole_documents and search"),
        ({"system": "transformer"}, {"beam": 2}, ""),
    ],
)
def test_keys_that_are_not_read_are_named(experiment: dict[str, Any], decoding: dict[str, Any], keys: str) -> None:
    system = experiment["system"]
    reason = f"experiments.one.decodings.other: {system} with these settings does not read {keys}, {REPEATED}"
    assert told({**experiment, "decodings": {"other": decoding}}) == ([reason] if keys else [])


def test_a_decoding_with_other_keys_has_rows_of_its_own() -> None:
    (line,) = told({"system": "selective", "decodings": {"other": {**GIVEN, "beam": 1}}})
    assert line.endswith(".other: selective with these settings does not read target_context; leave it out")
    (line,) = told({"system": "han", "decodings": {"other": {**ALONE, **GIVEN}}})
    assert line.endswith(".other: han with these settings does not read target_context; leave it out")


def test_a_decoding_that_changes_nothing_is_told() -> None:
    """The values are those of the configuration, of a corpus and of the experiment, the last one first."""
    for decoding in ({}, {"beam": 4}):
        (line,) = told({"system": "han", "decodings": {"same": decoding}})
        assert line == f"experiments.one.decodings.same: it has the values of one, {REPEATED}"
    same = {"system": "han", "decoding": {"beam": 2}, "decodings": {"same": {"beam": 2}}}
    assert len(told(same)) == 1 and told({**same, "decoding": {}}) == []
    news = {**CONFIG["corpora"]["news"], "decoding": {"beam": 2}}
    assert told({**same, "decoding": {}}, corpora={"news": news}) == []  # but on the other corpus
    assert len(told({**same, "decoding": {}, "corpora": ["news"]}, corpora={"news": news})) == 1


def test_the_decoding_of_an_experiment_is_told_and_that_of_all_is_not() -> None:
    (line,) = told({"system": "selective", "decoding": GIVEN})
    assert line == "experiments.one.decoding: selective with these settings does not read target_context; leave it out"
    assert told({"system": "selective"}, decoding=GIVEN) == []
    assert told({"system": "selective", "decoding": GIVEN}, decoding=GIVEN) == []


def test_what_is_read_depends_on_the_decoding_itself() -> None:
    concat = SYSTEMS["concat"]
    alone = DecodingSettings(use_context=False)
    assert unread_keys(concat, concat.switches({}), alone) == {
        *("use_tree", "target_context", "sentences", "search", "whole_documents")
    }
    assert unread_keys(concat, concat.switches({}), DecodingSettings()) == {"use_tree"}


def test_presets_ask_for_nothing_that_is_not_read() -> None:
    for path in [ROOT / "config.yaml", *(ROOT / "config").rglob("*.yaml")]:
        assert list(vain_decodings(preset(path))) == [], path


def test_the_workflow_tells_it_once_and_goes_on(tmp_path: Path) -> None:
    experiment = {"system": "transformer", "corpora": ["talks"], "decodings": {"other": ALONE}}
    config = {"run": "mine", "corpora": {"talks": CONFIG["corpora"]["talks"]}, "experiments": {"one": experiment}}
    (tmp_path / "my.yaml").write_text(yaml.safe_dump(config), encoding="utf-8")
    words = ("plan", "--configfile", "my.yaml", "--pairs", "talks=1000", "--", "train")
    done = subprocess.run(
        [sys.executable, "-m", "discourse_nmt", *words],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0 and "train_model" in done.stdout, done.stderr
    assert done.stderr.count("config: experiments.one.decodings.other: transformer with these settings does not") == 1


def preset(path: Path) -> Configuration:
    return resolve(read(load(path)))
