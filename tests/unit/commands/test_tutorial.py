"""The commands of docs/tutorial.md do as they stand there; the run itself is only planned."""

import re
import subprocess
import sys
from pathlib import Path

import yaml

from tests.conftest import ROOT

PAGE = (ROOT / "docs" / "tutorial.md").read_text(encoding="utf-8")
COMMANDS = [line for block in re.findall(r"```sh\n(.*?)```", PAGE, re.DOTALL) for line in block.splitlines()]
# An installation has these on its PATH.
PROGRAMS = {"python": sys.executable, "discourse-nmt": f"{sys.executable} -m discourse_nmt"}


def run(command: str, folder: Path) -> str:
    program, _, words = command.partition(" ")
    line = f"{PROGRAMS.get(program, program)} {words}"
    environment = {"PYTHONPATH": str(ROOT), "PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin", "HOME": str(folder)}
    result = subprocess.run(line, shell=True, cwd=folder, env=environment, capture_output=True, text=True)  # noqa: S602
    assert result.returncode == 0, result.stderr
    return result.stdout


def test_the_tutorial_leads_to_a_planned_run(tmp_path: Path) -> None:
    wanted = ("python -m", "cp ", "discourse-nmt new", "snakemake ")
    steps = [command for command in COMMANDS if command.startswith(wanted)]
    assert [step.split()[0] for step in steps][:4] == ["python", "cp", "discourse-nmt", "snakemake"]
    for step in steps[:3]:
        run(step, tmp_path)
    config = yaml.safe_load((tmp_path / "talks.yaml").read_text(encoding="utf-8"))
    assert [section["system"] for section in config["experiments"].values()] == [
        "transformer",
        "g_transformer",
        "rst_transformer",
    ]
    assert config["run"] == "talks" and config["corpora"]["talks"]["format"] == "table"
    plan = run(steps[3].replace("snakemake ", f"snakemake --snakefile '{ROOT}/Snakefile' --dry-run "), tmp_path)
    assert "train_model" in plan and "report" in plan
    # "a viewer in which translations stand side by side with the discourse of their source"
    assert all(rule in plan for rule in ("parse_rst", "resolve_coreference", "label_themes"))


def test_the_document_that_the_tutorial_translates_is_made_by_it(tmp_path: Path) -> None:
    [made] = [command for command in COMMANDS if "> letter.txt" in command]
    [translated] = [command for command in COMMANDS if command.startswith("discourse-nmt translate")]
    assert translated.endswith(" letter.txt") and COMMANDS.index(made) < COMMANDS.index(translated)
    rows = [f"talk_{number // 4}\tSentence {number}.\tSatz {number}." for number in range(12)]
    (tmp_path / "talks.tsv").write_text("\n".join(["doc_id\tsource\ttarget", *rows, ""]), encoding="utf-8")
    run(made, tmp_path)
    told = (tmp_path / "letter.txt").read_text(encoding="utf-8").splitlines()
    assert told == [f"Sentence {number}." for number in range(4, 12)]


def test_files_that_the_tutorial_shows_are_those_of_the_project() -> None:
    named = [word for command in COMMANDS for word in command.split() if word.startswith("resources/")]
    assert named and all((ROOT / path).is_file() for path in named)
