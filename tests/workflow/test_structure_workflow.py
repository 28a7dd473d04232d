"""Structure files and packed systems in the real DAG: what runs for which system, and what a change runs again."""

import re
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import yaml

from discourse_nmt.base.storage.tables import read_table
from discourse_nmt.training.data.dataset import ParallelDataset
from discourse_nmt.training.data.units import units_of
from discourse_nmt.training.structures.dependencies import DependencyFile
from discourse_nmt.training.structures.positions import PositionFile
from tests.conftest import ROOT
from tests.workflow.test_discourse_workflow import LETTERS, clone
from tests.workflow.test_workflow import NOTHING, planned, snakemake

CONFIG = ROOT / "tests" / "workflow" / "configurations" / "structure.yaml"
ANALYSES = {"segment_edus", "parse_rst", "convert_rst", "build_structure"}
RST = {"backend": "builtin"}
LETTER = [text for letter in LETTERS.values() for text in letter] * 2 + LETTERS["a"]  # more than one paragraph


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the project that tests may edit."""
    return clone(tmp_path_factory.mktemp("checkout"))


@pytest.fixture(scope="module")
def finished(checkout: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A working directory in which every system is trained."""
    folder = tmp_path_factory.mktemp("work")
    result = snakemake(folder, "--configfile", str(CONFIG), "--", "train", checkout=checkout)
    assert result.returncode == 0, result.stdout
    return folder


def changed(folder: Path, **sections: Any) -> Path:
    """The configuration with changes of some sections; None takes an entry away."""
    config = yaml.safe_load(CONFIG.read_text(encoding="utf-8"))
    for section, entries in sections.items():
        for name, values in entries.items():
            if values is None:
                del config[section][name]
            else:
                config[section][name] = {**config[section].get(name, {}), **values}
    path = folder / "changed.yaml"
    path.write_text(yaml.safe_dump(config), encoding="utf-8")
    return path


def plan(folder: Path, checkout: Path, config: Path = CONFIG, target: str = "train") -> dict[str, int]:
    """The rules that a dry run would execute, and how often."""
    result = snakemake(folder, "--dry-run", "--configfile", str(config), "--", target, checkout=checkout)
    assert result.returncode == 0, result.stdout
    counts = {rule: re.search(rf"^{rule} +(\d+)$", result.stdout, re.MULTILINE) for rule in planned(result.stdout)}
    return {rule: int(found.group(1)) for rule, found in counts.items() if found and rule != "train"}


def test_the_structure_files_fit_their_datasets(finished: Path) -> None:
    folder = finished / "results/structure/demo"
    for split in ("train", "dev"):
        dataset = ParallelDataset(folder / f"dataset/{split}.arrow")
        structure = DependencyFile(folder / f"structure/dependencies/gold/{split}.arrow", dataset)
        assert len(structure.heads) > len(dataset)
        assert (structure.heads == -1).sum() == len(dataset.documents) - 1
    made = sorted(str(path.relative_to(folder / "structure")) for path in folder.glob("structure/**/*.arrow"))
    assert made == ["dependencies/gold/dev.arrow", "dependencies/gold/train.arrow"]


def test_a_second_call_runs_nothing(finished: Path, checkout: Path) -> None:
    assert NOTHING in snakemake(finished, "--configfile", str(CONFIG), "--", "train", checkout=checkout).stdout


def test_systems_without_trees_run_no_analysis(checkout: Path, tmp_path: Path) -> None:
    rules = plan(tmp_path, checkout, changed(tmp_path, experiments={"trees": None}))
    assert rules["train_model"] == 2
    assert not rules.keys() & ANALYSES


@pytest.mark.parametrize(
    ("changes", "rules"),
    [
        (
            {"analyses": {"gold": {"rst": {"conversion": "hirao13"}}}},
            {"convert_rst": 4, "build_structure": 2, "train_model": 1},
        ),
        ({"analyses": {"other": {"rst": {"conversion": "hirao13"}}}}, {}),
        (
            {"experiments": {"trees": {"analysis": "other"}}},
            {"segment_edus": 4, "parse_rst": 4, "convert_rst": 4, "build_structure": 2, "train_model": 1},
        ),
        (
            {"experiments": {"trees": {"analysis": "builtin"}}},
            {"analyse_syntax": 4, "segment_edus": 4, "parse_instances": 4, "build_structure": 2, "train_model": 1},
        ),
        ({"experiments": {"trees": {"settings": {"rst_layers": 1}}}}, {"train_model": 1}),
        ({"experiments": {"sentence": {"training": {"max_updates": 4}}}}, {"train_model": 3}),
    ],
    ids=[
        "conversion",
        "another analysis",
        "which analysis",
        "trees of instances",
        "switches of one system",
        "first stage",
    ],
)
def test_a_change_trains_again_what_depends_on_it(
    finished: Path, checkout: Path, tmp_path: Path, changes: dict[str, Any], rules: dict[str, int]
) -> None:
    for entries in changes.values():
        for values in entries.values():
            if "rst" in values:
                gold = yaml.safe_load(CONFIG.read_text(encoding="utf-8"))["analyses"]["gold"]["rst"]
                values["rst"] = {**gold, **values["rst"]}
    assert plan(finished, checkout, changed(tmp_path, **changes)) == rules


def test_code_of_packed_systems_trains_no_sentence_model_again(finished: Path, checkout: Path) -> None:
    for name, trainings in (
        ("discourse_nmt/models/packed/host.py", 2),
        ("discourse_nmt/training/tasks/instances.py", 2),
        ("discourse_nmt/models/packed/rst_transformer.py", 1),
    ):
        path = checkout / name
        original = path.read_text(encoding="utf-8")
        path.write_text(original + "\nCHANGED = True\n", encoding="utf-8")
        try:
            assert plan(finished, checkout) == {"train_model": trainings}, name
        finally:
            path.write_text(original, encoding="utf-8")


def test_every_instance_is_parsed_by_itself(finished: Path, checkout: Path) -> None:
    folder = finished / "results/structure/demo"
    make(finished, checkout, "results/structure/demo/structure/dependencies/builtin/dev.arrow")
    dataset = ParallelDataset(folder / "dataset/dev.arrow")
    structure = DependencyFile(folder / "structure/dependencies/builtin/dev.arrow", dataset)
    units = units_of(dataset, "instance")
    for start, stop in zip(units.starts.tolist(), units.stops.tolist()):
        assert (structure[start:stop][1] == -1).sum() == 1
    assert (structure.heads == -1).sum() == len(units)


def make(folder: Path, checkout: Path, *targets: str, config: Path = CONFIG) -> None:
    """Make some files."""
    result = snakemake(folder, "--configfile", str(config), "--", *targets, checkout=checkout)
    assert result.returncode == 0, result.stdout


def test_paragraphs_have_trees_of_their_own_or_their_part_of_the_documents(checkout: Path, tmp_path: Path) -> None:
    folder = tmp_path / "results/structure/demo"
    for split, names in {"train": "d", "dev": "abc", "test": "e"}.items():
        lines = [f"{name}\t{text}\t{text.lower()}" for name in names for text in LETTER]
        (tmp_path / f"{split}.tsv").write_text("\n".join(["doc_id\tsource\ttarget", *lines, ""]), encoding="utf-8")
    splits = {split: {"files": [f"{split}.tsv"]} for split in ("train", "dev", "test")}
    sections = {"corpora": {"demo": {"splits": splits}}, "analyses": {"parts": {"rst": RST | {"unit": "document"}}}}
    targets = [f"results/structure/demo/structure/positions/{analysis}/dev.arrow" for analysis in ("builtin", "parts")]
    make(tmp_path, checkout, *targets, config=changed(tmp_path, **sections))
    dataset = ParallelDataset(folder / "dataset/dev.arrow")
    own, parts = (PositionFile(tmp_path / target, dataset) for target in targets)
    units = units_of(dataset, "paragraph")
    assert len(units) == 6
    for start, stop in zip(units.starts.tolist(), units.stops.tolist()):
        found = own[start:stop], parts[start:stop]
        assert [unit.tolist() for unit in found[0][0]] == [unit.tolist() for unit in found[1][0]]
        assert all(tables.parsed for _, tables in found)
    trees = {
        table: pd.concat([read_table(path, "rst") for path in folder.glob(f"discourse/*/source/{table}/dev/*.parquet")])
        for table in ("paragraph_rst", "rst")
    }
    assert {table: int((nodes.parent < 0).sum()) for table, nodes in trees.items()} == {"paragraph_rst": 6, "rst": 3}
    sections["analyses"] = {"builtin": {"rst": RST | {"conversion": "hirao13"}}}
    assert plan(tmp_path, checkout, changed(tmp_path, **sections), targets[0]) == {}


def test_decoding_without_trees_analyses_no_test_set(checkout: Path, tmp_path: Path) -> None:
    for use_tree, splits in ((True, 3), (False, 2)):
        config = changed(tmp_path, experiments={"trees": {"decoding": {"use_tree": use_tree}}})
        assert plan(tmp_path, checkout, config, "translate")["build_structure"] == splits


def test_missing_trees_are_told_before_any_job(tmp_path: Path) -> None:
    gold = yaml.safe_load(CONFIG.read_text(encoding="utf-8"))["analyses"]["gold"]["rst"]
    config = changed(tmp_path, analyses={"gold": {"rst": {**gold, "files": "absent/{split}.parquet"}}})
    result = snakemake(tmp_path, "--configfile", str(config), "--", "train")
    assert result.returncode != 0
    assert len([line for line in result.stdout.splitlines() if "absent/train.parquet" in line]) == 1
    assert "put it there, or correct analyses.gold.rst.files" in result.stdout
    assert "Traceback" not in result.stdout


def test_imported_trees_are_not_of_instances(tmp_path: Path) -> None:
    gold = yaml.safe_load(CONFIG.read_text(encoding="utf-8"))["analyses"]["gold"]["rst"]
    config = changed(tmp_path, analyses={"gold": {"rst": {**gold, "unit": "instance"}}})
    result = snakemake(tmp_path, "--configfile", str(config), "--", "train")
    assert result.returncode != 0
    message = (
        "config: experiments.trees: analyses.gold.rst: imported trees are of documents, not of instances; set unit"
    )
    assert message in result.stdout
    assert "Traceback" not in result.stdout


def test_a_further_decoding_trains_nothing(tmp_path: Path) -> None:
    """One model with and without trees: the second row takes the model over, and reads no structure."""
    config = yaml.safe_load(CONFIG.read_text(encoding="utf-8"))
    trees: dict[str, Any] = {"system": "rst_transformer", "analysis": "gold", "initialised_from": "sentence"}
    config["experiments"] = {
        "sentence": {"system": "transformer"},
        "trees": {**trees, "settings": {"rst_layers": 1}, "decodings": {"no_tree": {"use_tree": False}}},
    }
    path = tmp_path / "decodings.yaml"
    path.write_text(yaml.safe_dump(config), encoding="utf-8")
    rules = plan(tmp_path, ROOT, path, "score")
    assert (rules["train_model"], rules["take_model"], rules["translate_split"], rules["score_run"]) == (2, 1, 3, 3)
    assert rules["build_structure"] == 3


def test_a_corpus_takes_the_text_stage_of_another_one_over(tmp_path: Path) -> None:
    """A model goes on learning on it, with the subwords that it knows."""
    config = yaml.safe_load(CONFIG.read_text(encoding="utf-8"))
    demo = config["corpora"]["demo"]
    config["corpora"]["parts"] = {**demo, "text": {}, "text_of": "demo"}
    config["experiments"] = {
        "sentence": {"system": "transformer", "corpora": ["demo"]},
        "further": {"system": "transformer", "corpora": ["parts"], "initialised_from": "sentence"},
    }
    path = tmp_path / "parts.yaml"
    path.write_text(yaml.safe_dump(config), encoding="utf-8")
    rules = plan(tmp_path, ROOT, path)
    assert (rules["train_model"], rules["take_text"], rules["learn_bpe"], rules["train_truecaser"]) == (2, 1, 1, 2)
