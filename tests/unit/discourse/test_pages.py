"""The page of analysed documents: its links lead to files, and its legend explains what its documents have."""

import hashlib
import re
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
import torch

from discourse_nmt import __version__
from discourse_nmt.base.languages import language_name
from discourse_nmt.command_line import parser
from discourse_nmt.discourse import export
from discourse_nmt.discourse.drawings.palette import relation_colour
from discourse_nmt.discourse.pages.legend import MEANINGS, legend
from discourse_nmt.discourse.pages.sheets import LinkedFile
from discourse_nmt.discourse.pipeline import Pipeline, TextAnalysis
from discourse_nmt.discourse.structures.rows import Row
from tests.conftest import ROOT
from tests.unit.scoring.reports.test_report import Reader, read

TEXT = "Ann has a dog, and she loves it. Because it barks, her neighbours do not. They moved away."
NAMES = ["a b", "50%", "a#b?c=d", "%41", "javascript:alert(1)", "ü名", "<b>&amp;\"'", "-rf", "a\\b", ".hidden"]


@pytest.fixture(autouse=True)
def stand_ins(monkeypatch: pytest.MonkeyPatch, pipeline: Pipeline) -> None:
    monkeypatch.setattr("discourse_nmt.discourse.pipeline.load_pipeline", lambda folder, language: pipeline)


def analyse(folder: Path, names: list[str], *options: str, text: str = TEXT) -> int:
    """The exit status of the command on documents of these names; it writes to ``folder/out``."""
    paths = [folder / f"{name}.txt" for name in names]
    for path in paths:
        path.write_text(text, encoding="utf-8")
    arguments = parser().parse_args(["analyse", "--output", str(folder / "out"), *options, "--", *map(str, paths)])
    return arguments.run(arguments)


def page_of(folder: Path) -> Reader:
    return read((folder / "out" / "index.html").read_text(encoding="utf-8"))


def links(page: Reader) -> list[str]:
    return [value for _, name, value in page.attributes if name in ("href", "src")]


def words(page: Reader) -> str:
    return " ".join("".join(page.text).split())


def test_every_file_is_linked_whatever_its_name(tmp_path: Path) -> None:
    assert analyse(tmp_path, NAMES) == 0
    output = tmp_path / "out"
    addresses = links(page_of(tmp_path))
    assert all(urlsplit(address)[:2] == ("", "") and urlsplit(address)[3:] == ("", "") for address in addresses)
    written = {path for path in output.rglob("*") if path.is_file() and not path.name.endswith(".sha256")}
    assert {output / unquote(address) for address in addresses} == written - {output / "index.html"}
    assert len(addresses) == len(set(addresses)) == len(NAMES) * len(export.FILES) + len(export.TABLES) + 1


def test_a_name_that_is_no_text_has_an_address() -> None:
    assert LinkedFile("a\udcff.rs3", "").address == "a%FF.rs3"


def test_the_legend_has_exactly_the_relations_of_the_drawings(tmp_path: Path) -> None:
    analyse(tmp_path, ["one", "two"])
    drawn = {
        label
        for path in (tmp_path / "out").glob("*.rst.svg")
        for label in re.findall(r'text-anchor="middle"[^>]*>([^<]+)<', path.read_text(encoding="utf-8"))
    }
    arcs = {
        label.partition(" · ")[0]
        for path in (tmp_path / "out").glob("*.dependencies.svg")
        for label in re.findall(r'text-anchor="middle"[^>]*>([^<]+)<', path.read_text(encoding="utf-8"))
    }
    assert drawn == arcs == {"root", "joint", "causal"}
    part = (tmp_path / "out" / "index.html").read_text(encoding="utf-8").partition("<h2>Relations</h2>")[2]
    shown = re.findall(r"<strong>(.*?)</strong>", part.partition("</ul>")[0])
    assert sorted(shown) == ["causal", "joint"]
    for relation in shown:
        assert relation_colour(relation) in part and MEANINGS[relation] in part


def rows(*relations: str) -> list[Row]:
    return [{"head": number - 1, "relation": relation} for number, relation in enumerate(("root", *relations))]


def test_the_legend_explains_what_occurs_alone() -> None:
    assert legend({}) == legend({"rst_dependencies": rows(), "coreference": [], "themes": []}) == {}
    satellites = legend({"rst_dependencies": rows("causal_r", "unheard-of_r", "unheard-of_r")})
    relations = [(entry.name, entry.meaning, entry.count) for entry in satellites["Relations"]]
    assert relations == [("unheard-of", "", 2), ("causal", MEANINGS["causal"], 1)]
    lines = [entry.name for entry in satellites["Lines of trees and dependencies"]]
    assert lines == ["arrow of a tree", "pale bar of a tree", "arc of dependencies", "number after a relation"]
    nuclei = legend({"rst_dependencies": rows("joint_m")})["Lines of trees and dependencies"]
    assert {entry.name for entry in nuclei} - set(lines) == {"line of a tree without arrow", "dashed arc"}
    assert not {entry.name for entry in nuclei} & {"arrow of a tree", "arc of dependencies"}
    marks = legend({"coreference": [{}], "themes": [{"label": "rheme"}, {"label": "theme-other"}]})
    assert list(marks) == ["Coreference", "Themes and rhemes"]
    assert [(entry.name, entry.count) for entry in marks["Themes and rhemes"]] == [("rheme", 1), ("theme-other", 1)]


def test_every_relation_and_label_of_the_shipped_analysers_has_a_meaning() -> None:
    labels = set()
    for path in (ROOT / "resources" / "analysers").glob("*/rst.json"):
        labels |= {
            label.split()[0] for label in re.findall(r'"([a-z]+ (?:nn|ns|sn))"', path.read_text(encoding="utf-8"))
        }
    assert len(labels) > 10 and labels == MEANINGS.keys()


def test_the_page_tells_language_versions_weights_and_terms_of_use(tmp_path: Path) -> None:
    analyse(tmp_path, ["d"], "--language", "de")
    shown = words(page_of(tmp_path))
    assert f"German (de); builtin analysers of discourse-nmt {__version__}, PyTorch {torch.__version__}." in shown
    assert "not for commercial use" in shown
    folder = ROOT / "resources" / "analysers" / "de"
    for path in folder.iterdir():
        if path.suffix in (".json", ".safetensors"):
            assert f"{path.name}: {hashlib.sha256(path.read_bytes()).hexdigest()}" in shown
    analyse(tmp_path, ["d"])
    assert "commercial" not in words(page_of(tmp_path))
    assert language_name("de") == "German" and language_name("xx-own") == "xx-own"


def test_the_command_ends_with_the_page_and_the_page_tells_failures(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    assert analyse(tmp_path, ["good"]) == 0
    assert caplog.messages[-1] == f"open {tmp_path}/out/index.html"
    assert "Not analysed" not in words(page_of(tmp_path))

    def failing(name: str, analysis: TextAnalysis) -> dict[str, str]:
        if name == "<b>bad":
            raise ValueError("two <i>\nlines")
        return files(name, analysis)

    files = export.files
    monkeypatch.setattr("discourse_nmt.discourse.export.files", failing)
    (folder := tmp_path / "with a blank").mkdir()
    assert analyse(folder, ["good", "<b>bad"]) == 1
    assert caplog.messages[-1] == f"open '{folder}/out/index.html'"
    page = page_of(folder)
    assert "Not analysed <b>bad: ValueError: two <i> lines" in words(page) and "i" not in page.names
    caplog.clear()
    assert analyse(tmp_path, ["<b>bad"]) == 1
    assert not any(message.startswith("open") for message in caplog.messages)
