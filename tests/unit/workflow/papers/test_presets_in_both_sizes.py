"""Every preset plans in both sizes, and each cell of its tables is a score that the plan makes.

One process plans all of them, on empty files in place of the data.
"""

from pathlib import Path
from typing import Any

import pytest

from discourse_nmt.workflow.checks.configuration import check_configuration
from discourse_nmt.workflow.papers.published import published_names, published_table
from discourse_nmt.workflow.plan.plan import Plan
from discourse_nmt.workflow.resolving.resolve import resolve
from tests.conftest import ROOT
from tests.unit.workflow.papers.stand_ins import stand_in
from tests.unit.workflow.plan.plan_examples import job, read
from tests.unit.workflow.test_configuration import load

PRESETS = [ROOT / "config.yaml", *sorted((ROOT / "config").rglob("*.yaml"))]
# The full size of these needs a checkpoint; tests/workflow plans it with a stand-in.
WITH_CHECKPOINT = [path for path in PRESETS if "pretrained:" in path.read_text(encoding="utf-8")]
CASES = [(path, "small") for path in PRESETS] + [(path, "full") for path in PRESETS if path not in WITH_CHECKPOINT]


def planned(path: Path, size: str, folder: Path) -> Plan:
    config: dict[str, Any] = {**load(path), "size": size}
    stand_in(folder, config)
    resolved = resolve(read(config))
    check_configuration(resolved)
    return Plan(resolved)


@pytest.mark.parametrize(("path", "size"), CASES, ids=lambda value: getattr(value, "stem", value))
def test_a_preset_plans_and_its_tables_have_their_scores(
    path: Path, size: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "resources").symlink_to(ROOT / "resources")
    plan = planned(path, size, tmp_path)
    plan.look_up(["table"] if plan.config.paper_tables else ["score"])
    scored = {
        (run.corpus, run.experiment, split) for run in plan.runs.scored() for split in plan.runs.scored_sets(run)
    } | {(run.corpus, run.experiment, suite) for run in plan.runs.all() for suite in plan.corpora.suites(run.corpus)}
    assert plan.files.results == f"results/{load(path)['run']}{'-small' if size == 'small' else ''}"
    for name, (_, rows) in plan.papers.tables.items():
        for row, cells in rows.items():
            measured = [cell for cell in cells if cell.experiment or cell.mean_of]
            for cell in measured:
                if cell.experiment and " on " not in cell.experiment:
                    assert (cell.corpus, cell.experiment, cell.test_set) in scored, f"{name}: {row}"
        assert plan.papers.description(job(table=name))


def test_every_row_of_every_table_has_an_experiment() -> None:
    measured: dict[str, set[str]] = {name: set() for name in published_names()}
    for path in PRESETS:
        for section in read(load(path)).paper_tables.values():
            measured[section.published] |= section.rows.keys()
    rows = {name: set(published_table(name).rows) for name in published_names()}
    assert {name: sorted(rows[name] - found) for name, found in measured.items() if rows[name] - found} == {}
