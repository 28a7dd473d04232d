"""Three tokenisers of Chinese: worked examples, words that depend on no neighbour, and graphs whose nodes they are."""

import gzip
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.settings import parse_settings
from discourse_nmt.discourse import chinese_words
from discourse_nmt.discourse.backends.backend import Context, DocumentInput
from discourse_nmt.discourse.backends.builtin.syntax import make
from discourse_nmt.discourse.graph.words import annotation_of, words_of
from discourse_nmt.discourse.settings import BuiltinSettings
from discourse_nmt.text import tokenisers
from discourse_nmt.text.detokenisers import detokeniser
from discourse_nmt.text.settings import SideSettings, TextSettings, TokeniserName
from discourse_nmt.text.stages import tokenise
from discourse_nmt.text.tokenisers import tokeniser
from tests.unit.text.test_tokenisers import check, texts

NAMES: list[TokeniserName] = ["jieba", "rjieba", "builtin"]
LINES = ["北京大学很好。", "他买了iPhone 6，花了1,000元。", "我們明天去圖書館看書", "第1章", "", "好"]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("jieba", "我 喜欢 café 和 Москва ， 很 贵 ： 3.5% 。"),
        ("rjieba", "我 喜欢 café 和 Москва ， 很 贵 ： 3.5% 。"),
        ("builtin", "我 喜欢 café 和 Москва ， 很 贵 ： 3.5% 。"),
    ],
)
def test_letters_of_other_scripts_stay_whole(name: TokeniserName, words: str) -> None:
    line = "我喜欢 café 和 Москва，很贵：3.5%。"
    found = tokeniser(SideSettings("zh", name)).tokenise(line)
    assert found.tokens == words.split()
    assert [line[start:end] for start, end in zip(found.starts, found.ends)] == found.tokens


def test_the_builtin_words_are_those_of_treebanks() -> None:
    """jieba's dictionary has names of institutions."""
    found = {name: tokeniser(SideSettings("zh", name)).tokenise("北京大学很好").tokens for name in NAMES}
    assert found == {
        "jieba": ["北京大学", "很", "好"],
        "rjieba": ["北京大学", "很", "好"],
        "builtin": ["北京", "大学", "很", "好"],
    }


@pytest.mark.parametrize("name", ["rjieba", "builtin"])
@settings(max_examples=100, deadline=None)
@given(raw=texts | st.text("中文的很好a1.，é \u0301\x01"))
def test_spans_cover_every_character_once(name: TokeniserName, raw: str) -> None:
    check(raw, tokeniser(SideSettings("zh", name)).tokenise(raw))


def test_letters_that_the_network_divides_are_joined_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """A space would stand between them in what comes back."""

    class Divided:
        def tokenise(self, sentences: list[str]) -> list[list[tuple[int, int]]]:
            assert sentences == ["ab中1 2x"]
            return [[(0, 1), (1, 2), (2, 3), (3, 4), (5, 6), (6, 7)]]

    monkeypatch.setattr(chinese_words, "segmenter", Divided)
    assert chinese_words.words("ab中1 2x") == ["ab", "中", "1", "2x"]


@pytest.mark.parametrize("name", NAMES)
def test_words_depend_on_no_other_sentence(name: TokeniserName) -> None:
    """In another order, after other calls, and beside a sentence that is long."""
    text = TextSettings.from_mapping(
        {"source_language": "zh", "target_language": "en", "tokeniser": {"source": name, "target": "moses"}}
    )

    def words(lines: list[str]) -> dict[str, list[str]]:
        rows = pd.DataFrame({"doc_id": "a", "sent_id": range(len(lines)), "source": lines, "target": [""] * len(lines)})
        found = tokenise(rows, text).query("side == 'source'")["tokens"]
        return dict(zip(lines, map(list, found)))

    alone = {line: words([line])[line] for line in LINES}
    assert words([*LINES[::-1], "很长的" * 3000]).items() >= alone.items()


@pytest.mark.parametrize("name", NAMES)
def test_every_word_of_an_analysis_is_one_node_of_the_graph(name: TokeniserName) -> None:
    """Also where the tokeniser's words are others; the builtin ones are the same where no letters were divided."""
    sentences = ["北京大学的学生们喜欢读书，因为图书馆很大。", "他在 2020 年买了一本关于鲁迅的书。"]
    found = [tokeniser(SideSettings("zh", name)).tokenise(line) for line in sentences]
    tokens = pd.DataFrame(found, columns=["tokens", "starts", "ends", "gaps"]).assign(doc_id="a", sent_id=[0, 1])
    backend = make("syntax", BuiltinSettings(), Context("news", "test", "source", "zh"))
    syntax = pd.DataFrame(backend.analyse([DocumentInput("a", tuple(sentences), {})])[0])
    nodes = words_of(tokens)
    annotation = annotation_of(nodes, syntax)
    forms = [form for row in syntax["forms"] for form in row]
    assert (annotation.nodes >= 0).all() and (np.diff(annotation.nodes) >= 0).all()
    for form, node in zip(forms, annotation.nodes.tolist()):
        assert form in nodes.forms[node] or nodes.forms[node] in form
    assert (nodes.forms == forms) == (name == "builtin")


@pytest.mark.parametrize("name", NAMES)
def test_most_sentences_come_back_exactly_by_rules(shared_data: Path, name: TokeniserName) -> None:
    path = shared_data / "parallel" / "wiki_docsub_zhen" / "dev.zh-en.gz"
    with gzip.open(path, "rt", encoding="utf-8") as handle:
        lines = [line.split("\t")[3] for line in handle][:600]
    side = SideSettings("zh", name)
    split, join = tokeniser(side).tokenise, detokeniser(side)
    backs = [join(split(line).tokens) for line in lines]
    assert ["".join(back.split()) for back in backs] == ["".join(line.split()) for line in lines]
    assert sum(back == " ".join(line.split()) for back, line in zip(backs, lines)) / len(lines) > 0.88


def test_the_builtin_words_are_for_chinese() -> None:
    with pytest.raises(InputError, match="tokeniser builtin is for Chinese, not for en; set it to auto"):
        parse_settings(SideSettings, {"language": "en", "tokeniser": "builtin"}, "text")


def test_a_missing_extra_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    missing: Callable[[str], object] = lambda name: None if name == "rjieba" else find_spec(name)  # noqa: E731
    monkeypatch.setattr(tokenisers, "find_spec", missing)
    with pytest.raises(InputError, match=r"package rjieba is missing; pip install --editable '\.\[rjieba\]' in the"):
        tokeniser(SideSettings("zh", "rjieba"))
    tokeniser(SideSettings("zh", "jieba"))
