"""Every key of significance, as an option of the command that compares, changes the p-values that it should."""

import sys
from argparse import Namespace
from dataclasses import fields

import pandas as pd
import pytest

from discourse_nmt.scoring.comparison.settings import SignificanceSettings
from discourse_nmt.scoring.metrics.score import BOOTSTRAP, MIXED, RANDOMISATION, Score
from discourse_nmt.workflow_scripts.score import compare_translations
from tests.unit.scoring.comparison.test_comparison import REFERENCES, pairs, worsen

TWO_SEEDS = ["--translations", *["system"] * 2, "--baseline-translations", *["baseline"] * 2]
TWO_SEEDS += ["--seeds", "1", "2", "--baseline-seeds", "1", "2"]
NOBODY_SPEAKS = pd.DataFrame({"speaker": [None], "scene": [None]})
# By key: options with its first and its second value, and the tests whose p-values change.
KEYS: dict[str, tuple[list[str], list[str], set[str]]] = {
    "samples": (["--samples=30"], ["--samples=41"], {BOOTSTRAP}),
    "trials": (["--trials=60"], ["--trials=71"], {RANDOMISATION}),
    "seed": (["--random-seed=3"], ["--random-seed=9"], {BOOTSTRAP, RANDOMISATION}),
    "units": ([], ["--groups=(?!x)d"], {BOOTSTRAP, RANDOMISATION}),
    "baseline": ([], ["--baseline=other"], set()),
    "trainings": (TWO_SEEDS, [*TWO_SEEDS, "--trainings=fixed"], {RANDOMISATION, MIXED}),
}


def compared(monkeypatch: pytest.MonkeyPatch, options: list[str]) -> list[Score]:
    """The scores that the command writes for two versions of the references, as bad as each other."""
    first, second = worsen(REFERENCES, 1), worsen(REFERENCES, 2)
    mixed = [pair[number % 3 > 0] for number, pair in enumerate(zip(first, second))]
    sides = {"system": [pairs(mixed)], "baseline": [pairs(first)]}
    found: list[Score] = []

    def written(scores: list[Score], seed: int, options: Namespace) -> None:
        found.extend(scores)

    monkeypatch.setattr(compare_translations, "read_pairs", lambda files, options: sides[files[0]] * len(files))
    monkeypatch.setattr(compare_translations, "read_shards", lambda files, name: NOBODY_SPEAKS)
    monkeypatch.setattr(compare_translations, "write_scores", written)
    given = ["--translations=system", "--baseline-translations=baseline", "--seeds=1", "--baseline-seeds=1"]
    names = ["corpus", "experiment", "system", "test-set", "sentences", "tokens", "dataset", "output"]
    given += [
        "--baseline=sentence",
        "--source-language=en",
        "--language=de",
        "--samples=30",
        "--trials=60",
        *(f"--{name}=x" for name in names),
    ]
    monkeypatch.setattr(sys, "argv", ["compare_translations", *given, *options])
    compare_translations.main()
    return found


def test_no_key_is_left_out() -> None:
    assert set(KEYS) == {entry.name for entry in fields(SignificanceSettings)}


@pytest.mark.parametrize("key", KEYS)
def test_a_key_changes_the_tests(monkeypatch: pytest.MonkeyPatch, key: str) -> None:
    one, other, tests = KEYS[key]
    first, second = compared(monkeypatch, one), compared(monkeypatch, other)
    changed = {
        test: [old.value for old in first if test in old.metric] != [new.value for new in second if test in new.metric]
        for test in (BOOTSTRAP, RANDOMISATION, MIXED)
    }
    assert {test for test, differs in changed.items() if differs} == tests
    signatures = [[score.signature for score in scores] for scores in (first, second)]
    assert signatures[0] != signatures[1] or key == "units"
