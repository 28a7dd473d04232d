"""The real DAG on files, folders and documents whose names are traps: it runs as on others and touches nothing else."""

import hashlib
import html
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from discourse_nmt.base.storage.tables import read_table, write_table
from discourse_nmt.demo.generation import Split, contrastive_table, generate, gold_tables, sentences
from tests.conftest import ROOT
from tests.forks.client import running_server

PROGRAM = "touch pwned"
TRAPS = [
    *(f"$({PROGRAM})", f"`{PROGRAM}`", f"; {PROGRAM};", f"' ; {PROGRAM} ; '", f'" && {PROGRAM} "', f"| {PROGRAM}"),
    *("-rf", "--help", "a b", "a/b", "../../escaped", "/etc/passwd", "~root", "*", "?", "[a]", "{corpus}", "%s", "\\n"),
    *(
        "<script>alert(1)</script>",
        "&amp;",
        "ü\u202exyz",
        "名前",
        "🙂",
        "#",
        "=1+1",
        "NUL",
        "a::b",
        ".hidden",
        "x" * 400,
    ),
]
FOLDER = f"data -rf $({PROGRAM}) 'a' \"b\" `{PROGRAM}`;\n ü名"


def trapped(split: Split, name: str) -> Split:
    """The documents under other names; of test and dev the first, too, are traps, with the split's name after them."""
    after = "" if name == "train" else f" {name}"
    names = [f"{trap}{after}" for trap in TRAPS] + [f"{name} {number}" for number in range(len(split))]
    return dict(zip(names, split.values(), strict=False))


def snapshot(folder: Path, *left_out: str) -> dict[str, str]:
    """What lies below a folder: every file with a digest of its bytes, and links."""
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else "other"
        for path in sorted(folder.rglob("*"))
        if not path.is_dir() and path.relative_to(folder).parts[0] not in left_out
    }


def snakemake(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    words = ["snakemake", "--snakefile", str(ROOT / "Snakefile"), "--cores", "1", *arguments]
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "OMP_NUM_THREADS": "1"}
    return subprocess.CompletedProcess(words, *running_server().run(words, folder, environment))


@pytest.fixture(scope="module")
def splits() -> dict[str, Split]:
    return {name: trapped(split, name) for name, split in generate(80, 3).items()}


@pytest.fixture(scope="module")
def working(splits: dict[str, Split], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the corpus and its configuration, beside nothing."""
    folder = tmp_path_factory.mktemp("surroundings") / "work"
    data = folder / FOLDER
    for split, documents in splits.items():
        for name, table in gold_tables(documents).items():
            write_table(table, data / "gold" / name / f"{split}.parquet", name)
        rows = ["\t".join(row) for row in sentences(documents).itertuples(index=False)]
        (data / f"-n {split}.tsv").write_text("\n".join(["doc_id\tsource\ttarget", *rows]) + "\n", encoding="utf-8")
    write_table(contrastive_table(splits["test"]), data / "items.parquet", "contrastive")
    config: dict[str, Any] = yaml.safe_load(
        (ROOT / "tests/workflow/configurations/tiny.yaml").read_text(encoding="utf-8")
    )
    corpus = config["corpora"]["demo"]
    corpus["splits"] = {split: {"files": [f"{FOLDER}/-n {split}.tsv"]} for split in splits}
    corpus["contrastive"] = {"test": f"{FOLDER}/items.parquet"}
    for stage in ("edus", "rst", "coreference"):
        config["analyses"]["gold"][stage]["files"] = f"{FOLDER}/gold/{{table}}/{{split}}.parquet"
    config["analyses"]["builtin"] = {"tables": ["edus"], "sides": ["source"]}
    del config["experiments"]["continued"], config["demo"]
    (folder / "config.yaml").write_text(yaml.safe_dump(config, allow_unicode=True), encoding="utf-8")
    return folder


def test_names_are_names_and_nothing_else(working: Path, splits: dict[str, Split]) -> None:
    made = ("results", "work", ".snakemake")
    before = snapshot(working, *made)
    result = snakemake(working, "--configfile", "config.yaml", "--", "score", "report", "analyse")
    assert result.returncode == 0, result.stdout
    assert snapshot(working, *made) == before
    assert [path.name for path in working.parent.iterdir()] == ["work"]
    assert not [path for path in working.rglob("*") if path.name in ("pwned", "escaped")]
    assert not [path for path in (ROOT, Path.home(), Path.cwd()) if (path / "pwned").exists()]
    folder = working / "results" / "tiny" / "demo"
    for split, documents in splits.items():
        for table in ("corpus", "discourse/gold/source/rst_dependencies", "discourse/builtin/source/edus"):
            name = "sentences" if table == "corpus" else table.rpartition("/")[2]
            parts = [read_table(path, name) for path in sorted((folder / table / split).glob("*.parquet"))]
            assert {one for part in parts for one in part["doc_id"]} == set(documents), (split, table)
    for experiment in ("sentence", "trees"):
        hypotheses = read_table(folder / f"experiments/{experiment}/seed1/translations/test.parquet", "translations")
        assert set(hypotheses["doc_id"]) == set(splits["test"])


def test_the_report_shows_names_as_text(working: Path) -> None:
    page = (working / "results" / "tiny" / "report.html").read_text(encoding="utf-8")
    assert "<script>alert(1)" not in page
    assert html.escape(f"$({PROGRAM}) test") in page or f"$({PROGRAM}) test" not in page
