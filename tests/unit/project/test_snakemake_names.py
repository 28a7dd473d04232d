"""The undocumented names of Snakemake that the workflow uses, and the versions that have them.

Its documented interface tells neither why a job would run nor which files of configuration were given.
"""

import re
import tomllib
from contextlib import redirect_stdout
from importlib.metadata import version
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from snakemake.api import SnakemakeApi
from snakemake.settings.types import ConfigSettings, DAGSettings, OutputSettings, ResourceSettings

from discourse_nmt import PACKAGE
from tests.conftest import ROOT

# Looked up in 9.19.0 and 9.27.1. A wider range needs another look: run this test with its first and its last version.
HOLDS_FOR = "snakemake>=9.19,<10"
PLACES = [*sorted((ROOT / "rules").glob("*.smk")), *sorted((PACKAGE / "workflow").glob("*/*.py"))]
USE = re.compile(r"(?<![\w.])(workflow|dag|records)\.(\w+)")


def names_in_use() -> list[tuple[str, str, str]]:
    """File, object of Snakemake's and its attribute, for each that the workflow's code names."""
    uses = {
        (str(path.relative_to(ROOT)), *use) for path in PLACES for use in USE.findall(path.read_text(encoding="utf-8"))
    }
    return sorted(uses)


@pytest.fixture(scope="module")
def objects(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Any]]:
    """Snakemake's objects by the names that they have in the workflow's code, for an empty workflow."""
    folder: Path = tmp_path_factory.mktemp("workflow")
    (folder / "Snakefile").write_text("rule all:\n    input: []\n")
    with SnakemakeApi(OutputSettings()) as api, redirect_stdout(StringIO()):
        made = api.workflow(ResourceSettings(cores=1), ConfigSettings(), snakefile=folder / "Snakefile", workdir=folder)
        made.dag(DAGSettings()).summary()
        workflow = made._workflow
        return {"workflow": [workflow, made], "dag": [workflow.dag], "records": [workflow.persistence]}


def test_the_names_hold_for_the_versions_that_may_be_installed() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    allowed = {line for lines in extras.values() for line in lines if re.match(r"snakemake\b(?!-)", line)}
    assert allowed == {HOLDS_FOR}, f"pyproject.toml allows {allowed}: look at the names in other versions, too"


@pytest.mark.parametrize(("file", "name", "attribute"), names_in_use())
def test_this_snakemake_has_the_name(objects: dict[str, list[Any]], file: str, name: str, attribute: str) -> None:
    message = f"Snakemake {version('snakemake')} has no {name}.{attribute}, which {file} uses; see HOLDS_FOR"
    assert any(hasattr(known, attribute) for known in objects[name]), message
