"""The recipes of containers hold what the workflow needs, and leave versions to envs/requirements.lock."""

import fnmatch
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.conftest import ROOT

DOCKER = ROOT / "containers" / "Dockerfile"
APPTAINER = ROOT / "containers" / "discourse-nmt.def"
HOME = "/opt/discourse-nmt"
NEEDED = {
    "discourse_nmt",
    "rules",
    "Snakefile",
    "config.yaml",
    "config.schema.yaml",
    "resources",
    "profiles",
    "envs",
    "pyproject.toml",
}


def instructions() -> list[list[str]]:
    """The instructions of the Dockerfile, as words."""
    lines = DOCKER.read_text(encoding="utf-8").splitlines()
    return [line.split() for line in lines if line and not line.startswith("#")]


def sections() -> dict[str, list[str]]:
    """The sections of the definition file, each as its lines without blanks around them; the header has no name."""
    found: dict[str, list[str]] = {"": []}
    for line in APPTAINER.read_text(encoding="utf-8").splitlines():
        if name := re.fullmatch(r"%(\w+)", line):
            found[name[1]] = []
        elif line.strip() and not line.startswith("#"):
            list(found.values())[-1].append(line.strip())
    return found


@pytest.mark.parametrize("recipe", [DOCKER, APPTAINER], ids=lambda path: path.name)
def test_versions_are_those_of_the_project(recipe: Path) -> None:
    text = recipe.read_text(encoding="utf-8")
    assert "==" not in text
    install = next(line for line in text.splitlines() if "pip install" in line)
    assert re.search(r"--constraint \S*requirements\.lock '\S+\[workflow,cloud,ctranslate2,storage]'$", install)
    python = yaml.safe_load((ROOT / "envs" / "text.yaml").read_text(encoding="utf-8"))["dependencies"][0]
    assert f"python:{python.removeprefix('python=')}-slim" in text


def test_the_image_is_built_from_what_is_not_ignored() -> None:
    words = instructions()
    assert words[0][0] == "FROM"
    assert {line[0] for line in words} <= {"FROM", "ARG", "WORKDIR", "COPY", "RUN", "ENV", "ENTRYPOINT", "CMD"}
    assert ["COPY", ".", "."] in words
    ignored = (DOCKER.parent / "Dockerfile.dockerignore").read_text(encoding="utf-8").split()
    assert {".git", ".venv", "results", "work"} <= set(ignored)
    assert not [name for name in NEEDED for pattern in ignored if fnmatch.fnmatch(name, pattern)]


def test_a_user_without_an_account_has_a_name_and_a_home() -> None:
    """Snakemake asks for both; ``docker run --user 1000:1000`` failed without them."""
    given = dict(word.split("=") for words in instructions() if words[0] == "ENV" for word in words[1:])
    assert given["LOGNAME"] and given["HOME"] == "/tmp"


def test_the_definition_file_is_complete() -> None:
    found = sections()
    assert found[""] == ["Bootstrap: docker", f"From: {instructions()[0][1]}"]
    assert set(found) == {"", "arguments", "files", "post", "environment", "runscript", "test"}
    assert f'exec snakemake --snakefile {HOME}/Snakefile "$@"' in found["runscript"]
    for name in re.findall(r"{{ (\w+) }}", "\n".join(found["post"])):
        assert any(line.startswith(f"{name}=") for line in found["arguments"])


def test_the_files_of_the_definition_file_plan_the_demo(tmp_path: Path) -> None:
    """As the container's own test: from another folder, with nothing but what it holds."""
    inside = tmp_path / "inside"
    inside.mkdir()
    for line in sections()["files"]:
        name, target = line.split()
        assert target == f"{HOME}/"
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, inside / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copyfile(source, inside / name)
    assert {path.name for path in inside.iterdir()} >= NEEDED
    command = [
        sys.executable,
        "-m",
        "snakemake",
        "--snakefile",
        str(inside / "Snakefile"),
        "--directory",
        str(tmp_path),
    ]
    result = subprocess.run(
        [*command, "--cores", "1", "--dry-run", "--", "score", "report"], cwd=tmp_path, capture_output=True, text=True
    )
    assert result.returncode == 0, result.stderr
    assert "train_model" in result.stdout + result.stderr
