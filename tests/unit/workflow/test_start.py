"""The plan of a run loads nothing that takes long to load."""

import subprocess
import sys

import pytest
import yaml

from tests.conftest import ROOT

CHECK = """
import sys, yaml
from discourse_nmt.workflow.checks.configuration import check_configuration
from discourse_nmt.workflow.checks.schema import check_schema
from discourse_nmt.workflow.plan.plan import Plan
from discourse_nmt.workflow.schema.validator import parsed_schema
from discourse_nmt.workflow.configuration.tree import Configuration
from discourse_nmt.workflow.resolving.resolve import resolve
config = yaml.safe_load(open(sys.argv[1], encoding="utf-8"))
filled = check_schema(config, parsed_schema(open("config.schema.yaml", encoding="utf-8").read()))
config = resolve(Configuration.read(filled))
check_configuration(config)
Plan(config).look_up(["score", "report"])
print(*sorted({"pandas", "pyarrow", "scipy", "torch"} & sys.modules.keys()))
"""


@pytest.mark.parametrize("preset", ["config.yaml", "config/demo_matrix.yaml"])
def test_the_plan_of_the_demo_loads_no_large_library(preset: str) -> None:
    """It has imported annotation, whose backend is made to check its settings."""
    assert "files:" in yaml.dump(yaml.safe_load((ROOT / preset).read_text(encoding="utf-8"))["analyses"])
    command = [sys.executable, "-c", CHECK, preset]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (result.returncode, result.stdout.strip()) == (0, ""), result.stderr
