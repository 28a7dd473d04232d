"""What people are told to install, and what ``make install`` brings."""

import re

import pytest

from tests.conftest import ROOT

TOLD = [path for folder in ("discourse_nmt", "docs", "profiles") for path in (ROOT / folder).rglob("*.*")]
OUTSIDE = "docs/installation.md"  # it also tells of installations without a checkout


def test_an_extra_never_takes_the_place_of_a_checkout() -> None:
    """Without ``--editable`` pip installs a copy, and later changes of the checkout have no effect."""
    pages = [path for path in TOLD if path.suffix in (".py", ".md", ".yaml")]
    commands = {
        (str(path.relative_to(ROOT)), command)
        for path in pages
        for command in re.findall(r"pip install [^`\n]*'\.\[[^`\n]*", path.read_text(encoding="utf-8"))
        if "_build" not in path.parts
    }
    assert len(commands) > 10
    assert {file for file, command in commands if "--editable" not in command} == {OUTSIDE}


@pytest.mark.parametrize("extra", ["serve", "workflow"])
def test_the_first_installation_has_the_page_and_the_workflow(extra: str) -> None:
    target = (ROOT / "Makefile").read_text(encoding="utf-8").partition("\n$(INSTALLED):")[2].partition("\n\n")[0]
    [extras] = re.findall(r"'\.\[(.*)]'", target)
    assert extra in extras.split(",")


@pytest.mark.parametrize("page", ["README.md", "Makefile", "docs/tutorial.md", OUTSIDE])
def test_who_installs_is_told_how_to_leave_cuda_out(page: str) -> None:
    """PyPI's torch for Linux brings 4 GB of it, which a machine without a GPU never loads."""
    checks = (ROOT / ".github" / "workflows" / "checks.yml").read_text(encoding="utf-8")
    [index] = re.findall(r"PIP_EXTRA_INDEX_URL: (\S+)", checks)
    assert f"export PIP_EXTRA_INDEX_URL={index}" in (ROOT / page).read_text(encoding="utf-8")
