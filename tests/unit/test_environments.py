"""The conda environment, the pins and what the project imports agree."""

import ast
import re
import sys
import tomllib
from importlib.metadata import packages_distributions

import yaml

from tests.conftest import ROOT
from tests.unit.test_architecture import MODULES, PACKAGES

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def test_conda_environment_has_the_pins() -> None:
    environment = yaml.safe_load((ROOT / "envs" / "discourse-nmt.yaml").read_text(encoding="utf-8"))
    assert environment["dependencies"][-1]["pip"] == PROJECT["dependencies"]


def test_every_pin_is_exact() -> None:
    pins = [*PROJECT["dependencies"], *PROJECT["optional-dependencies"]["development"]]
    assert all(re.fullmatch(r"[A-Za-z0-9-]+==[0-9][0-9a-z.]*", pin) for pin in pins)
    assert pins[: len(PROJECT["dependencies"])] == sorted(PROJECT["dependencies"])


def test_every_imported_package_is_pinned() -> None:
    """What runs for a user must not come along only as somebody else's dependency."""
    owners = packages_distributions()
    pinned = {pin.split("==")[0].lower() for pin in PROJECT["dependencies"]}
    for path in MODULES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [str(node.module)] if isinstance(node, ast.ImportFrom) else []
            for name in {name.split(".")[0] for name in names} - sys.stdlib_module_names - set(PACKAGES):
                distributions = {owner.lower().replace("_", "-") for owner in owners.get(name, [])}
                assert distributions & pinned, f"{path}: {name} is not among the dependencies"
