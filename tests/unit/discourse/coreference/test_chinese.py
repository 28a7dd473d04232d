"""The shipped Chinese resolver: clear cases, traditional characters, and its figures beside simple rules."""

import gzip
import re
import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from discourse_nmt.base.storage.files import read_json
from discourse_nmt.discourse.analyser_set import load_analysers
from discourse_nmt.discourse.backends.builtin.models import model_files
from discourse_nmt.discourse.coreference.lexicons.chinese import CHINESE
from discourse_nmt.discourse.coreference.resolver import Resolver
from discourse_nmt.discourse.coreference.weights import load_resolver
from discourse_nmt.discourse.pipeline import Pipeline, load_pipeline
from discourse_nmt.discourse.settings import BuiltinSettings
from discourse_nmt.discourse.structures.syntax import Syntax
from discourse_nmt.discourse.treebanks.standoff import place_on_text
from discourse_nmt.discourse.weight_files import simplified_characters
from tests.conftest import ROOT

FOLDER = ROOT / "resources" / "analysers" / "zh"
ANNOTATED = ROOT / "resources" / "chinese_chains"
TITLES = {
    "ball": "愛麗絲 鮑爾",
    "hanna_attisha": "蒙娜 哈娜 阿提沙",
    "naaman": "2 Kings 5",
    "winsemius": "阿爾伯特 魏森梅斯",
    "wooster": "尼克 伍斯特",
}
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
        assert names == sorted(path.stem for path in (ANNOTATED / half).iterdir())
        counts = [0, 0, 0, 0]
        for path in (ANNOTATED / half).iterdir():
            [_, *rows] = (line.split("\t") for line in path.read_text(encoding="utf-8").splitlines())
            text = ["字" * sum(map(int, lengths.split())) for _, lengths, _ in rows]
            document = place_on_text(path.read_text(encoding="utf-8"), text, path.name, "text")
            entities = [mention.entity for mention in document.mentions]
            assert all(entities.count(entity) > 1 for entity in entities)
            words = sum(map(len, document.sentences))
            for place, count in enumerate((len(rows), words, len(set(entities)), len(entities))):
                counts[place] += count
        assert stated == counts


def texts_of_development(shared_data: Path, folder: Path) -> None:
    """The texts of the development half, in simplified characters as they were annotated."""
    simplified = simplified_characters(FOLDER)
    lines: dict[str, list[str]] = {}
    with gzip.open(shared_data / "parallel" / "wiki_docsub_zhen" / "dev.zh-en.gz", "rt", encoding="utf-8") as articles:
        for row in articles:
            title, _, _, chinese, _ = row.rstrip("\n").split("\t")
            lines.setdefault(title, []).append(chinese.translate(simplified))
    with gzip.open(shared_data / "parallel" / "bible_ende" / "bible.zh.tsv.gz", "rt", encoding="utf-8") as verses:
        lines["2 Kings 5"] = [verse.rstrip("\n").split("\t")[2] for verse in verses if verse.startswith("12.005\t")]
    folder.mkdir()
    for name, title in TITLES.items():
        (folder / f"{name}.zh").write_text("".join(f"{line}\n" for line in lines[title]), encoding="utf-8")


def test_figures_on_the_development_half(shared_data: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The other half was measured once."""
    from discourse_nmt.workflow_scripts.parsers import measure_coreference, place_chains

    texts_of_development(shared_data, tmp_path / "text")
    files = ("--text", str(tmp_path / "text"), "--output", str(tmp_path / "placed"))
    monkeypatch.setattr(
        "sys.argv", ["place_chains", "--chains", str(ANNOTATED / "development"), "--language", "zh", *files]
    )
    place_chains.main()
    options = ("--treebank", str(tmp_path / "placed"), "--language", "zh", "--analyser", str(FOLDER))
    files = ("--resolver", str(FOLDER), "--output", str(tmp_path / "figures.json"))
    monkeypatch.setattr("sys.argv", ["measure_coreference", *options, *files])
    measure_coreference.main()
    figures = read_json(tmp_path / "figures.json")
    scores = {name: one["spans"]["CoNLL F1"] for name, one in figures.items()}
    assert scores[str(FOLDER)] > max(score for name, score in scores.items() if name != str(FOLDER)) + 4
