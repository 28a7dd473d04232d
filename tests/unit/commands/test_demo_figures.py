"""The figures of ``make demo``, of one seed, are told apart from those of the pages, of three."""

import re
import subprocess

import yaml

from tests.conftest import ROOT


def text_of(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def experiments(preset: str) -> dict[str, dict]:
    found: dict[str, dict] = yaml.safe_load(text_of(preset))["experiments"]
    return found


def test_the_demo_ends_with_the_pages_whose_figures_are_others() -> None:
    recipe = subprocess.run(["make", "--dry-run", "demo"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    table, told, further = (
        recipe.index(words) for words in ("scores.md", "One seed, short trainings:", "to look at next")
    )
    assert table < told < further
    named = re.findall(r"[\w/]+\.md", recipe[told:further])
    assert named == ["docs/reference/figures/demo.md", "README.md"]
    assert all("three seeds" in text_of(page) for page in named)


def test_the_pages_tell_the_demo_apart() -> None:
    command = next(line for line in text_of("README.md").splitlines() if line.startswith("make demo"))
    assert "one seed" in command
    demo, matrix = experiments("config.yaml"), experiments("config/demo_matrix.yaml")
    updates = demo["mix"]["training"]["max_updates"]
    assert f"`make demo` shows other figures: one seed, {updates} updates." in text_of("docs/reference/figures/demo.md")
    assert [one["seeds"] for one in demo.values() if one.get("seeds")] == [[1]]
    assert all(one["seeds"] == [1, 2, 3] for one in matrix.values())
