"""The examples of the documentation's site: pages that need nothing but the files beside them, and links to them."""

import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest
import yaml

from docs import conf
from docs.examples import build
from tests.conftest import ROOT
from tests.unit.scoring.reports.test_report import read
from tests.unit.workflow.test_configuration import load, resolved

INDEX = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
NAMED = re.findall(r"`(examples/[^`]+)`", INDEX)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a site with its examples; the report is a stand-in."""
    folder = tmp_path_factory.mktemp("site")
    (folder / "results" / "demo").mkdir(parents=True)
    (folder / "results" / "demo" / "report.html").write_text("<p>report</p>", encoding="utf-8")
    (folder / "examples").mkdir()
    (folder / "examples" / "stale").touch()
    build.build(folder / "examples", folder / "results", folder / "none")
    assert not (folder / "none").exists()
    return folder


def test_the_site_holds_the_examples_that_its_first_page_names_and_no_others(site: Path) -> None:
    pages = {str(path.relative_to(site)) for path in (site / "examples").rglob("*.html")}
    assert pages == set(NAMED)
    assert not [path for path in site.rglob("*") if path.name == "stale" or path.name.endswith(".sha256")]


def test_examples_need_only_files_beside_them(site: Path) -> None:
    for name in build.ANALYSES:
        path = site / "examples" / name / "index.html"
        page = read(path.read_text(encoding="utf-8"))
        links = [value for _, key, value in page.attributes if key in ("href", "src")]
        assert len(links) > 10
        for link in links:
            assert urlsplit(link)[:2] == ("", "") and not link.startswith("/")
            assert (path.parent / unquote(link)).is_file()
        [policy] = [value for tag, key, value in page.attributes if tag == "meta" and "default-src" in value]
        assert "http" not in policy
    assert "English (en)" in (site / "examples" / "english" / "index.html").read_text(encoding="utf-8")
    assert "German (de)" in (site / "examples" / "german" / "index.html").read_text(encoding="utf-8")


def test_the_report_is_a_demo_s_or_that_of_a_small_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert build.report(tmp_path) is None
    for run in reversed(build.RUNS):
        (tmp_path / run).mkdir()
        (tmp_path / run / "report.html").touch()
        assert build.report(tmp_path) == tmp_path / run / "report.html"
    ran: list[list[str]] = []
    monkeypatch.setattr(build, "_run", ran.append)
    assert build.small_report(tmp_path) == tmp_path / "results" / load(build.SMALL)["run"] / "report.html"
    assert ran[0][0] == "snakemake" and ran[0][-1] == "report" and str(build.SMALL) in ran[0]


def test_the_small_run_has_a_valid_configuration_with_two_systems() -> None:
    config = resolved(load(build.SMALL))
    assert [one.system for one in config.experiments.values()] == ["transformer", "rst_transformer"]


@pytest.mark.parametrize(
    ("page", "up"), [("index", ""), ("how-to/report", "../"), ("reference/settings/run", "../../")]
)
def test_examples_are_links_on_the_site(page: str, up: str) -> None:
    source = ["See `examples/english/index.html`."]
    app: Any = SimpleNamespace(srcdir=ROOT / "docs")
    conf.adapt(app, page, source)
    address = f"{up}examples/english/index.html"
    assert source == [f'See <a href="{address}">examples/english/index.html</a>.']


def test_the_workflow_of_github_publishes_the_site_with_the_report_of_its_demo() -> None:
    jobs = yaml.safe_load((ROOT / ".github" / "workflows" / "checks.yml").read_text(encoding="utf-8"))["jobs"]
    steps = [step.get("run", step.get("uses")) for step in jobs["demo"]["steps"]]
    assert steps[-3:-1] == ["make demo CONFIG=config/demo_short.yaml", "make docs"]
    assert steps[-1].startswith("actions/upload-pages-artifact@")
    assert jobs["demo"]["steps"][-1]["with"] == {"path": "docs/_build/html"}
    assert "demo" in jobs["site"]["needs"]
    target = (ROOT / "Makefile").read_text(encoding="utf-8").partition("\ndocs:")[2].partition("\n\n")[0]
    assert "-m docs.examples.build docs/_build/html/examples" in target
    assert load(ROOT / "config" / "demo_short.yaml")["run"] in build.RUNS
