"""The shipped Chinese resolver: clear cases, traditional characters, and its figures beside simple rules."""

import re
import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from discourse_nmt.corpus.storage.files import read_json
from discourse_nmt.discourse.analyser_set import load_analysers
from discourse_nmt.discourse.backends.builtin.models import model_files
from discourse_nmt.discourse.coreference.lexicons.chinese import CHINESE
from discourse_nmt.discourse.coreference.resolver import Resolver
from discourse_nmt.discourse.coreference.weights import load_resolver
from discourse_nmt.discourse.formats.conllu import read_conllu
from discourse_nmt.discourse.formats.coreference import read_gum_coreference
from discourse_nmt.discourse.pipeline import Pipeline, load_pipeline
from discourse_nmt.discourse.settings import BuiltinSettings
from discourse_nmt.discourse.structures.syntax import Syntax
from discourse_nmt.discourse.weight_files import simplified_characters
from tests.conftest import ROOT

FOLDER = ROOT / "resources" / "analysers" / "zh"
ANNOTATED = ROOT / "resources" / "chinese_chains"
TEXT = "国王对仆人说话。仆人听见了国王的声音，他就把银子给他们。"


@pytest.fixture(scope="module")
def pipeline() -> Pipeline:
    return load_pipeline(FOLDER, "zh")


@pytest.mark.parametrize(
    ("text", "linked"),
    [
        ("玛丽住在巴黎。她喜欢那座城市。", ["玛丽", "她"]),
        ("国王召了他的仆人来。他很生气。", ["国王", "他"]),
        ("我爱我的母亲。", ["我", "我"]),
        ("他们回家了。他们很高兴。", ["他们", "他们"]),
        ("约瑟去了埃及。约瑟在埃及作工。", ["约瑟", "约瑟"]),
    ],
)
def test_clear_cases(pipeline: Pipeline, text: str, linked: list[str]) -> None:
    [analysis] = pipeline.analyse([text])
    assert analysis.chains is not None
    names = [
        ["".join(analysis.syntax[one.span.sentence].forms[one.span.start : one.span.end]) for one in chain.mentions]
        for chain in analysis.chains
    ]
    assert any(chain.count(linked[0]) >= linked.count(linked[0]) and linked[1] in chain for chain in names), names


def test_the_weights_are_chinese_and_part_of_the_analysers() -> None:
    assert load_resolver(FOLDER).lexicon is CHINESE
    assert isinstance(load_analysers(FOLDER, "zh").resolver, Resolver)
    names = {path.name for path in model_files("coreference", BuiltinSettings(), "zh")}
    assert names == {"coreference.json", "coreference.safetensors", "simplified.json"}


def test_traditional_characters_are_read_as_simplified_ones(pipeline: Pipeline, tmp_path: Path) -> None:
    """Equal words and trees have equal chains in either kind of characters, if the table is beside the weights."""
    [analysis] = pipeline.analyse([TEXT])
    kinds = {simple: chr(code) for code, simple in simplified_characters(FOLDER).items()}

    def traditional(words: Sequence[str]) -> tuple[str, ...]:
        return tuple("".join(kinds.get(character, character) for character in word) for word in words)

    other: list[Syntax] = [
        replace(one, forms=traditional(one.forms), lemmas=traditional(one.lemmas)) for one in analysis.syntax
    ]
    assert [one.forms for one in other] != [one.forms for one in analysis.syntax]
    resolver = load_resolver(FOLDER)
    [expected, found] = resolver.resolve([analysis.syntax, other])
    assert expected and found == expected
    for ending in ("json", "safetensors"):
        shutil.copy(FOLDER / f"coreference.{ending}", tmp_path)
    assert not load_resolver(tmp_path).simplified
    assert resolver.simplified[ord("國")] == "国"


def test_the_card_counts_the_annotated_documents() -> None:
    card = (ANNOTATED / "README.md").read_text(encoding="utf-8")
    for half in ("development", "held_back"):
        [row] = re.findall(rf"^\| `{half}` \| (.*)$", card, re.MULTILINE)
        names = sorted(re.findall(r"`(\w+)`", row))
        stated = [int(number.replace(",", "")) for number in re.findall(r"\| ([\d,]+) ", row)]
        assert names == sorted(path.stem for path in (ANNOTATED / half / "conllu").iterdir())
        counts = [0, 0, 0, 0]
        for name in names:
            page = read_conllu((ANNOTATED / half / "conllu" / f"{name}.conllu").read_text(encoding="utf-8"), name)
            text = (ANNOTATED / half / "coref_conll" / f"{name}.conll").read_text(encoding="utf-8")
            [document] = read_gum_coreference(text, name)
            words = [word.form for sentence in page for word in sentence.words]
            assert words == [word for sentence in document.sentences for word in sentence]
            lines = [
                (ANNOTATED / half / "text" / f"{name}.{language}").read_text(encoding="utf-8").splitlines()
                for language in ("zh", "en")
            ]
            assert " ".join(lines[0]).split() == words and len(lines[0]) == len(lines[1])
            sizes = [one.entity for one in document.mentions]
            assert all(sizes.count(entity) > 1 for entity in sizes)
            for place, count in enumerate((len(page), len(words), len(set(sizes)), len(sizes))):
                counts[place] += count
        assert stated == counts


def test_figures_on_the_development_half(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The other half was measured once."""
    from discourse_nmt.workflow_scripts.parsers import measure_coreference

    options = ("--treebank", str(ANNOTATED / "development"), "--language", "zh", "--analyser", str(FOLDER))
    files = ("--resolver", str(FOLDER), "--output", str(tmp_path / "figures.json"))
    monkeypatch.setattr("sys.argv", ["measure_coreference", *options, *files])
    measure_coreference.main()
    figures = read_json(tmp_path / "figures.json")
    scores = {name: one["spans"]["CoNLL F1"] for name, one in figures.items()}
    assert scores[str(FOLDER)] > max(score for name, score in scores.items() if name != str(FOLDER)) + 4
