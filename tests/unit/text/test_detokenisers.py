"""Detokenisers: no character is lost, and real sentences come back as they were."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discourse_nmt.text.detokenisers import detokeniser, join_unspaced
from discourse_nmt.text.settings import SideSettings
from discourse_nmt.text.tokenisers import tokeniser

LANGUAGES = ["en", "de", "fr", "it", "cs", "fi", "ru", "zh", "ja"]
PIECES = [
    "a",
    "B",
    "'",
    '"',
    "''",
    "`",
    "„",
    "“",
    "'s",
    "l'",
    "-",
    "li",
    ".",
    ",",
    "?",
    "%",
    "$",
    "(",
    ")",
    "¿",
]
PIECES += [
    "你",
    "，",
    "。",
    "@-@",
    "@",
    "1",
    "...",
    ":",
    "han",
    "<",
    "&amp;",
    "&#124;",
    "|",
    "»",
    "<unk>",
    "@@",
]
tokens_of = st.lists(
    st.one_of(st.sampled_from(PIECES), st.text(min_size=1).filter(lambda t: not any(map(str.isspace, t))))
)


@pytest.mark.parametrize("language", LANGUAGES)
@settings(max_examples=150, deadline=None)
@given(tokens=tokens_of)
def test_only_white_space_is_added(language: str, tokens: list[str]) -> None:
    line = detokeniser(SideSettings(language))(tokens)
    assert "".join(line.split()) == "".join(tokens)
    assert line == line.strip() and "\n" not in line


@settings(deadline=None)
@given(raw=st.text())
def test_text_tokenised_at_spaces_comes_back_exactly(raw: str) -> None:
    side = SideSettings("en", "spaces")
    found = tokeniser(side).tokenise(raw).tokens
    assert detokeniser(side)(found) == " ".join(found)


@pytest.mark.parametrize(
    ("language", "line"),
    [
        ("en", 'He said: "I don\'t know (really), Mr. Wu... 50%!"'.replace('!"', "!")),
        ("de", "Das kostet 1.000,50 Euro, z. B. in München."),
        ("fr", "L'eau de l'océan n'est pas « douce »."),
        (
            "zh",
            "我在 2020 年买了 iPhone 6，Hello, world。".replace("在 2", "在2")
            .replace("0 年", "0年")
            .replace("了 i", "了i"),
        ),
        ("zh", "Владимир Путин说3.5%和1,000。"),
    ],
)
def test_worked_round_trips(language: str, line: str) -> None:
    side = SideSettings(language)
    assert detokeniser(side)(tokeniser(side).tokenise(line).tokens) == line


def test_czech_words_that_end_in_an_apostrophe_do_not_stop_the_detokeniser() -> None:
    line = detokeniser(SideSettings("cs"))(["bud'", "-", "li", "."])
    assert "".join(line.split()) == "bud'-li."


def test_japanese_words_are_joined_without_spaces() -> None:
    assert (
        detokeniser(SideSettings("ja"))(["iPhone", "を", "2020", "年", "に", "買っ", "た", "。"])
        == "iPhoneを2020年に買った。"
    )


def test_unspaced_joining() -> None:
    assert (
        join_unspaced(["我", "爱", "New", "York", "，", "a", ",", "b", "1", ",", "000"]) == "我爱New York，a, b 1,000"
    )
    assert join_unspaced([]) == ""


@pytest.mark.parametrize(("language", "share"), [("en", 0.95), ("de", 0.93)])
def test_most_ted_sentences_come_back_exactly(shared_data: Path, language: str, share: float) -> None:
    path = shared_data / "parallel" / "maruf_ende" / "TED" / f"concatenated_en2de_dev_{language}.txt"
    lines = [line for line in path.read_text(encoding="utf-8").split("\n") if line.strip() and line != "<d>"][::5]
    side = SideSettings(language)
    split, join = tokeniser(side).tokenise, detokeniser(side)
    backs = [join(split(line).tokens) for line in lines]
    assert ["".join(back.split()) for back in backs] == ["".join(line.split()) for line in lines]
    assert sum(back == " ".join(line.split()) for back, line in zip(backs, lines)) / len(lines) > share
