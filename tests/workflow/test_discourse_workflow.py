"""The stages of discourse analysis in the real DAG: all tables, and after a change what depends on it, no more."""

import os
import shutil
from pathlib import Path

import pandas as pd
import pytest
import yaml

from discourse_nmt.base.storage.files import write_text
from discourse_nmt.base.storage.tables import read_table, write_table
from discourse_nmt.discourse.structures.mentions import Span
from discourse_nmt.discourse.structures.rows import edus_to_rows, rows_to_dependencies, rows_to_tree
from tests.conftest import ROOT
from tests.workflow.test_workflow import planned, snakemake

CONFIG = ROOT / "tests" / "workflow" / "configurations" / "analyses.yaml"
LETTERS = {
    "a": ["Anna bought a lamp because the old one was broken.", "She likes it.", "However, it was too bright."],
    "b": ["Although it rained, the children played outside.", "They came home when it got dark."],
    "c": ["Peter said that he would come.", "If he doesn't come, we will leave without him."],
    "d": ["Thanks!"],
}
SPLITS = {"train": ["a", "b", "c"], "dev": ["d"]}
STAGES = {"analyse_syntax", "segment_edus", "parse_rst", "convert_rst", "resolve_coreference", "label_themes"}
TABLES = ("syntax", "edus", "rst", "rst_dependencies", "coreference", "themes")
Settings = dict[str, object]


def write_letters(folder: Path, letters: dict[str, list[str]]) -> None:
    for split, names in SPLITS.items():
        lines = [f"{name}\t{text}\t{text.lower()}" for name in names for text in letters[name]]
        (folder / f"{split}.tsv").write_text("\n".join(["doc_id\tsource\ttarget", *lines, ""]), encoding="utf-8")


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the project that tests may edit."""
    return clone(tmp_path_factory.mktemp("checkout"))


def clone(folder: Path) -> Path:
    """A copy of the project in ``folder`` whose files are new, as a fresh clone's are."""
    ignored = shutil.ignore_patterns(
        ".venv", ".git", "results", "work", "tests", ".snakemake", "__pycache__", ".*_cache", ".hypothesis"
    )
    shutil.copytree(ROOT, folder / "project", ignore=ignored, copy_function=shutil.copyfile)
    return folder / "project"


@pytest.fixture(scope="module")
def finished(checkout: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A working directory in which the analysis is complete."""
    folder = tmp_path_factory.mktemp("work") / "a folder's $(name)"
    folder.mkdir()
    write_letters(folder, LETTERS)
    result = snakemake(folder, "--configfile", str(CONFIG), "--", "analyse", checkout=checkout)
    assert result.returncode == 0, result.stdout
    return folder


def plan(folder: Path, checkout: Path, config: Path = CONFIG, target: str = "analyse") -> set[str]:
    """Names of the rules that a dry run would execute."""
    result = snakemake(folder, "--dry-run", "--configfile", str(config), "--", target, checkout=checkout)
    assert result.returncode == 0, result.stdout
    return planned(result.stdout) - {"analyse"}


def changed(folder: Path, **changes: object) -> Path:
    """The configuration with changes in its analysis."""
    config = yaml.safe_load(CONFIG.read_text(encoding="utf-8"))
    config["analyses"]["builtin"].update(changes)
    path = folder / "changed.yaml"
    path.write_text(yaml.safe_dump(config), encoding="utf-8")
    return path


def table(folder: Path, name: str, split: str) -> pd.DataFrame:
    path = folder / "results/analyses/letters/discourse/builtin/source" / name / split / "0.parquet"
    return read_table(path, name)


def counts(folder: Path, rule: str, split: str = "train") -> str:
    """The last line of a job's log: how much was reused."""
    log = folder / f"results/analyses/logs/letters/{rule}/builtin/source/{split}/0.log"
    return next(line for line in log.read_text(encoding="utf-8").splitlines() if "reused" in line).split(": ")[1]


def test_all_tables(finished: Path) -> None:
    for split, names in SPLITS.items():
        tables = {name: table(finished, name, split) for name in TABLES}
        for name in ("syntax", "edus", "rst", "rst_dependencies", "themes"):
            assert list(dict.fromkeys(tables[name].doc_id)) == names
        for name in names:
            rows = {key: frame[frame.doc_id == name].to_dict("records") for key, frame in tables.items()}
            tree = rows_to_tree(rows["rst"])  # type: ignore[arg-type]
            assert len(tree.leaves) == len(rows["edus"]) >= len(LETTERS[name])
            dependencies = rows_to_dependencies(rows["rst_dependencies"])  # type: ignore[arg-type]
            assert len(dependencies.heads) == len(rows["edus"])
    first = table(finished, "edus", "train").iloc[0]
    assert LETTERS["a"][0][first.start : first.end] == "Anna bought a lamp"
    assert counts(finished, "parse_rst") == "reused 0, computed 3"


def test_a_system_that_needs_no_annotation_runs_no_analysis(finished: Path, checkout: Path) -> None:
    rules = plan(finished, checkout, target="score")
    assert "train_model" in rules
    assert not rules & STAGES


@pytest.mark.parametrize(
    ("paths", "rules"),
    [
        (["discourse_nmt/discourse/backends/builtin/coreference.py"], {"resolve_coreference"}),
        (["discourse_nmt/discourse/backends/trees.py"], {"convert_rst"}),
        (["discourse_nmt/discourse/backends/builtin/edus.py"], STAGES - {"analyse_syntax", "resolve_coreference"}),
        (
            [
                "discourse_nmt/discourse/backends/stanza/syntax.py",
                "discourse_nmt/discourse/settings.py",
                "discourse_nmt/discourse/backends/registry.py",
            ],
            set(),
        ),
    ],
    ids=["coreference", "conversion", "units", "others"],
)
def test_changed_code_runs_its_stage_and_what_depends_on_it(
    finished: Path, checkout: Path, paths: list[str], rules: set[str]
) -> None:
    originals = {checkout / path: (checkout / path).read_text(encoding="utf-8") for path in paths}
    for path, original in originals.items():
        path.write_text(original + "\nCHANGED = True\n", encoding="utf-8")
    try:
        assert plan(finished, checkout) == rules
    finally:
        for path, original in originals.items():
            path.write_text(original, encoding="utf-8")


def test_changed_weights_run_the_stages_that_use_them(finished: Path, checkout: Path) -> None:
    weights = checkout / "resources/analysers/en/rst.json"
    os.utime(weights, (1, 1))
    assert plan(finished, checkout) == set()
    original = weights.read_bytes()
    weights.write_bytes(original + b"\n")
    try:
        assert plan(finished, checkout) == {"parse_rst", "convert_rst"}
    finally:
        weights.write_bytes(original)


@pytest.mark.parametrize(
    ("changes", "rules"),
    [
        ({"rst": {"conversion": "hirao13"}}, {"convert_rst"}),
        ({"tables": ["edus"]}, set()),
        (
            {"edus": {"backend": "import", "format": "table", "files": "units/{split}.parquet"}},
            STAGES - {"analyse_syntax", "resolve_coreference"},
        ),
    ],
    ids=["conversion", "fewer tables", "other units"],
)
def test_changed_settings_run_what_depends_on_them(
    finished: Path, checkout: Path, tmp_path: Path, changes: Settings, rules: set[str]
) -> None:
    write_units(finished)
    assert plan(finished, checkout, changed(tmp_path, **changes)) == rules


def write_units(folder: Path) -> None:
    """A user's own discourse units: whole sentences."""
    for split, names in SPLITS.items():
        rows = [
            row
            for name in names
            for row in edus_to_rows(name, [Span(number, 0, len(text)) for number, text in enumerate(LETTERS[name])])
        ]
        write_table(pd.DataFrame(rows), folder / "units" / f"{split}.parquet", "edus")


def test_imported_units_reach_the_trees(finished: Path, checkout: Path, tmp_path: Path) -> None:
    folder = tmp_path / "work"
    shutil.copytree(finished, folder)
    write_units(folder)
    config = changed(tmp_path, edus={"backend": "import", "format": "table", "files": "units/{split}.parquet"})
    result = snakemake(folder, "--configfile", str(config), "--", "analyse", checkout=checkout)
    assert result.returncode == 0, result.stdout
    trees = table(folder, "rst", "train")
    assert list(trees.groupby("doc_id").last_edu.max() + 1) == [len(LETTERS[name]) for name in SPLITS["train"]]


def test_only_changed_documents_are_analysed_again(finished: Path, checkout: Path, tmp_path: Path) -> None:
    folder = tmp_path / "work"
    shutil.copytree(finished, folder)
    write_letters(folder, {**LETTERS, "b": ["It rained.", *LETTERS["b"][1:]]})
    result = snakemake(folder, "--configfile", str(CONFIG), "--", "analyse", checkout=checkout)
    assert result.returncode == 0, result.stdout
    assert "split=dev" not in result.stdout  # whose shard has the content that it had
    for rule in STAGES - {"convert_rst"}:
        assert counts(folder, rule) == "reused 2, computed 1", rule
    before, after = (
        frame[frame.doc_id != "b"].reset_index(drop=True)
        for frame in (table(finished, "rst", "train"), table(folder, "rst", "train"))
    )
    pd.testing.assert_frame_equal(before, after)


def test_what_cannot_be_analysed_is_told_before_any_job(tmp_path: Path) -> None:
    write_letters(tmp_path, LETTERS)
    weights = tmp_path / "models"
    write_text('{"units": false}', weights / "fr" / "joint.json")
    (weights / "fr" / "joint.safetensors").touch()
    without_units = {"sides": ["target"], "weights": str(weights)}
    for changes, message in (
        (without_units, "edus: the builtin model for the language fr has learnt no discourse units"),
        (
            {"edus": {"backend": "import", "format": "table", "files": "absent/{split}.parquet"}},
            ".parquet for the corpus letters; put it there, or correct analyses.builtin.edus.files",
        ),
    ):
        config = changed(tmp_path, **changes)
        result = snakemake(tmp_path, "--configfile", str(config), "--", "analyse")
        assert result.returncode != 0
        assert len([line for line in result.stdout.splitlines() if message in line]) == 1, result.stdout
        assert "Traceback" not in result.stdout
        assert plan(tmp_path, ROOT, config, target="text")
