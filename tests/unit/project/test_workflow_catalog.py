"""What the Snakemake Workflow Catalog reads of the project is there and true."""

import re

import yaml

from tests.conftest import ROOT

ENTRY = yaml.safe_load((ROOT / ".snakemake-workflow-catalog.yml").read_text(encoding="utf-8"))
USAGE = (ROOT / "config" / "README.md").read_text(encoding="utf-8")


def test_the_entry_has_the_form_of_the_catalog() -> None:
    assert set(ENTRY) == {"usage"}
    assert set(ENTRY["usage"]) == {"mandatory-flags", "software-stack-deployment"}
    assert set(ENTRY["usage"]["mandatory-flags"]) == {"desc", "flags"}
    flags = ENTRY["usage"]["software-stack-deployment"]
    assert set(flags) == {"conda", "apptainer", "apptainer+conda", "report"}
    assert all(isinstance(value, bool) for value in flags.values())


def test_the_entry_is_true() -> None:
    rules = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "rules").glob("*.smk"))
    flags = ENTRY["usage"]["software-stack-deployment"]
    assert flags["conda"] == ("conda:" in rules)
    assert flags["apptainer"] == flags["apptainer+conda"] == bool(re.search(r"^ *container:", rules, re.MULTILINE))
    assert flags["report"] == ("report(" in rules)


def test_the_readme_lets_the_catalog_find_the_workflow() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8").lower()
    assert "snakemake" in text and "workflow" in text


def test_usage_names_every_section_and_every_preset() -> None:
    sections = yaml.safe_load((ROOT / "config.yaml").read_text(encoding="utf-8"))
    assert [name for name in sections if f"| `{name}` |" not in USAGE] == []
    presets = {str(path.relative_to(ROOT / "config")) for path in (ROOT / "config").rglob("*.yaml")}
    assert set(re.findall(r"(?<!\.)\b[\w/]+\.yaml", USAGE)) - {"config.yaml", "my.yaml"} == presets
    assert [page for page in re.findall(r"docs/[\w/-]+\.md", USAGE) if not (ROOT / page).is_file()] == []
