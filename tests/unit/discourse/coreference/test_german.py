"""The shipped German resolver: clear cases, its place in the pipeline, and its figures beside simple rules."""

import shutil
import tarfile
from collections.abc import Sequence
from pathlib import Path

import pytest

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.storage.files import read_json, write_json
from discourse_nmt.discourse.analyser_set import load_analysers
from discourse_nmt.discourse.coreference.lexicons.german import GERMAN
from discourse_nmt.discourse.coreference.resolver import Resolver
from discourse_nmt.discourse.coreference.weights import load_resolver, save_resolver
from discourse_nmt.discourse.pipeline import Pipeline, load_pipeline
from tests.conftest import ROOT

FOLDER = ROOT / "resources" / "analysers" / "de"


@pytest.fixture(scope="module")
def pipeline() -> Pipeline:
    return load_pipeline(FOLDER, "de")


@pytest.mark.parametrize(
    ("text", "linked"),
    [
        ("Maria lebt in Paris. Sie mag die Stadt.", ("Maria", "Sie")),
        ("Maria traf gestern Peter. Er kam zu spät.", ("Peter", "Er")),
        ("Ich habe meine Schlüssel verloren.", ("Ich", "meine")),
        ("Der Minister lobte seine Kollegen. Er war zufrieden.", ("Der Minister", "Er")),
        ("Die Kommission prüft den Antrag. Sie wird ihre Meinung ändern.", ("Die Kommission", "ihre")),
        ("Wir haben unsere Arbeit getan.", ("Wir", "unsere")),
    ],
)
def test_clear_cases(pipeline: Pipeline, text: str, linked: tuple[str, str]) -> None:
    [analysis] = pipeline.analyse([text])
    assert analysis.chains is not None
    names = [
        [" ".join(analysis.syntax[one.span.sentence].forms[one.span.start : one.span.end]) for one in chain.mentions]
        for chain in analysis.chains
    ]
    assert any(linked[0] in chain and linked[1] in chain for chain in names), names


def test_the_weights_tell_their_language(tmp_path: Path) -> None:
    resolver = load_resolver(FOLDER)
    assert resolver.lexicon is GERMAN and isinstance(load_analysers(FOLDER, "de").resolver, Resolver)
    save_resolver(resolver, tmp_path)
    assert load_resolver(tmp_path).lexicon is GERMAN
    description = read_json(FOLDER / "coreference.json")
    write_json({**description, "language": "xx"}, tmp_path / "coreference.json")
    with pytest.raises(InputError, match="the language 'xx' has no words"):
        load_resolver(tmp_path)


def test_weights_without_a_language_are_english(tmp_path: Path) -> None:
    for ending in ("json", "safetensors"):
        shutil.copy(ROOT / "resources" / "analysers" / "en" / f"coreference.{ending}", tmp_path)
    content = read_json(tmp_path / "coreference.json")
    assert content.pop("language") == "en"
    write_json(content, tmp_path / "coreference.json")
    assert load_resolver(tmp_path).lexicon.language == "en"


def measured(folder: Path, monkeypatch: pytest.MonkeyPatch, output: Path) -> dict[str, float]:
    """CoNLL F1 of the rules and of the resolver."""
    from discourse_nmt.workflow_scripts.parsers import measure_coreference

    options: Sequence[str] = ("--treebank", str(folder), "--language", "de", "--analyser", str(FOLDER))
    files = ("--resolver", str(FOLDER), "--output", str(output))
    monkeypatch.setattr("sys.argv", ["measure_coreference", *options, *files])
    measure_coreference.main()
    return {name: scores["spans"]["CoNLL F1"] for name, scores in read_json(output).items()}


def test_figures_on_the_development_half_of_parcorfull(
    shared_data: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The other half was measured once."""
    from discourse_nmt.workflow_scripts.parsers import convert_mmax

    archive = shared_data / "treebanks" / "parcorfull_ende" / "parcorfull_news.tar.xz"
    if hasattr(tarfile, "data_filter"):
        shutil.unpack_archive(archive, tmp_path, filter="data")
    else:  # Python before 3.11.4
        shutil.unpack_archive(archive, tmp_path)
    options = ("--mmax", str(tmp_path / "news" / "DE"), "--language", "de", "--part", "odd", "--skip", "07")
    monkeypatch.setattr("sys.argv", ["convert_mmax", *options, "--output", str(tmp_path / "odd")])
    convert_mmax.main()
    scores = measured(tmp_path / "odd", monkeypatch, tmp_path / "figures.json")
    assert scores[str(FOLDER)] >= 28.5
    assert scores[str(FOLDER)] > scores["both rules"] + 3
