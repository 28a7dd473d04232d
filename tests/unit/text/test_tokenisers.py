"""Tokenisers: offsets point at the raw characters whatever the text, and the libraries' tokens are kept."""

import re
import tempfile
from pathlib import Path

import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st
from sacremoses import MosesTokenizer

from discourse_nmt.text.chinese.jieba_words import segmenter
from discourse_nmt.text.settings import SideSettings, TokeniserName
from discourse_nmt.text.tokenisers import FLAG, MARK, Tokeniser, Tokens, align, tokeniser

CONTROL = re.compile(r"[\x00-\x08\x0e-\x1b]")
KINDS: list[tuple[str, TokeniserName]] = [
    ("en", "moses"),
    ("de", "moses"),
    ("fr", "moses"),
    ("zh", "jieba"),
    ("en", "spaces"),
]
TOKENISERS = {kind: tokeniser(SideSettings(kind[0], kind[1])) for kind in KINDS}
TRICKY = [
    "...",
    "..",
    ".",
    "'",
    "''",
    "`",
    ",",
    "-",
    "--",
    "@-@",
    "&amp;",
    "<s>",
    "DOTMULTI",
    "\x01",
    "\u3000",
    "\u00a0",
]
TRICKY += [
    "Mr.",
    "z.B.",
    "1,000.5",
    "l'eau",
    "don't",
    "中文",
    "café",
    "\u200b",
    "\ufeff",
    "e\u0301",
    "👩‍👩‍👧",
    "\u2028",
    "\x85",
    " ",
]
texts = st.one_of(st.text(), st.lists(st.one_of(st.sampled_from(TRICKY), st.text(max_size=3))).map("".join))


def check(raw: str, found: Tokens) -> None:
    """What must hold of every tokenisation, told character by character."""
    covered = [0] * len(raw)
    assert len(found.tokens) == len(found.starts) == len(found.ends)
    for token, start, end in zip(found.tokens, found.starts, found.ends):
        assert 0 <= start < end <= len(raw)
        assert token == CONTROL.sub("", raw[start:end]) != ""
        assert not any(character.isspace() for character in token)
        for number in range(start, end):
            covered[number] += 1
    assert found.starts == sorted(found.starts)
    assert all(gap == "" or gap.isspace() for gap in found.gaps)
    pieces = [piece for pair in zip(found.gaps, [*found.tokens, ""]) for piece in pair]
    assert "".join(pieces) == CONTROL.sub("", raw)
    for character, times in zip(raw, covered):
        if CONTROL.match(character):
            assert times <= 1
        else:
            assert times == (0 if character.isspace() else 1)


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=150, deadline=None)
@given(raw=texts)
def test_spans_cover_every_character_once(kind: tuple[str, TokeniserName], raw: str) -> None:
    check(raw, TOKENISERS[kind].tokenise(raw))


def test_spans_hold_for_every_character_outside_the_ideographs_and_syllables() -> None:
    characters = [chr(code) for code in (*range(0x3400), *range(0xF000, 0x10000))]
    for first in range(0, len(characters), 64):
        raw = " ".join(f"a{x}b {x}'{x}.{x}.. 1{x}2 {x}, b{x}." for x in characters[first : first + 64])
        check(raw, TOKENISERS["en", "moses"].tokenise(raw))


@settings(max_examples=100, deadline=None)
@given(raw=texts.filter(lambda raw: "DOTMULTI" not in raw and not regex.search(f"{MARK.pattern}|{FLAG}", raw)))
def test_moses_tokens_are_those_of_sacremoses(raw: str) -> None:
    expected = MosesTokenizer("de").tokenize(raw, escape=False)
    assert TOKENISERS["de", "moses"].tokenise(raw).tokens == expected


def test_worked_example() -> None:
    found = TOKENISERS["en", "moses"].tokenise('  Mr. Wu\x02 said:  "Wait... don\'t!"')
    assert found.tokens == ["Mr.", "Wu", "said", ":", '"', "Wait", "...", "don", "'t", "!", '"']
    assert found.starts == [2, 6, 10, 14, 17, 18, 22, 26, 29, 31, 32]
    assert found.ends == [5, 8, 14, 15, 18, 22, 25, 29, 31, 32, 33]


def test_control_characters_inside_a_token_lie_in_its_span() -> None:
    found = TOKENISERS["en", "moses"].tokenise("a\x00b \x01 c\x02")
    assert found == (["ab", "c"], [0, 6], [3, 7], ["", "  ", ""])


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind[1] != "spaces"])
@pytest.mark.parametrize(
    "emoji",
    ["👩‍👩‍👧", "👍🏽", "❤️", "🇩🇪", "1️⃣", "#⃣", "👨🏽‍💻", "🏳️‍🌈", "🏴󠁧󠁢󠁥󠁮󠁧󠁿", "🏃🏻‍♀️‍➡️", "☠️"],
)
def test_an_emoji_is_in_one_token(kind: tuple[str, TokeniserName], emoji: str) -> None:
    found = TOKENISERS[kind].tokenise(f"It {emoji} is, {emoji}{emoji}!")
    assert [token for token in found.tokens if emoji in token] in ([emoji] * 3, [emoji, emoji * 2])
    assert "".join(found.tokens) == f"It{emoji}is,{emoji}{emoji}!"


def test_the_mark_that_moses_uses_for_an_ellipsis_survives() -> None:
    found = TOKENISERS["en", "moses"].tokenise("DOTMULTI and DOTDOTMULTI ...")
    assert found.tokens == ["DOTMULTI", "and", "DOTDOTMULTI", "..."]


def test_chinese_words_and_letters_outside_ascii() -> None:
    found = tokeniser(SideSettings("zh")).tokenise("我在café喝 Москва 3.5%")
    assert found.tokens == ["我", "在", "café", "喝", "Москва", "3.5%"]
    assert found.starts == [0, 1, 2, 6, 8, 15]


def test_automatic_choice_follows_the_language() -> None:
    assert tokeniser(SideSettings("zh")).tokenise("北京大学很好").tokens == ["北京大学", "很", "好"]
    assert tokeniser(SideSettings("en")).tokenise("It's").tokens == ["It", "'s"]
    assert tokeniser(SideSettings("en", "spaces")).tokenise("It's").tokens == ["It's"]


def test_jieba_leaves_no_cache_behind(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    segmenter.cache_clear()
    assert tokeniser(SideSettings("zh")).tokenise("中国").tokens == ["中国"]
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("tokens", "raw"), [(["b"], "a b"), (["a"], "a b"), (["a", "x"], "a b"), (["ab"], "a b"), (["a", "bbb"], "a    ")]
)
def test_a_splitter_that_changes_characters_is_found_out(tokens: list[str], raw: str) -> None:
    with pytest.raises(ValueError, match="token"):
        Tokeniser(lambda text: tokens).tokenise(raw)
    with pytest.raises(ValueError, match="token"):
        align(tokens, raw)


@pytest.mark.parametrize(
    ("language", "line", "tokens"),
    [
        ("de", "u\u0308ber scho\u0308ne.", ["u\u0308ber", "scho\u0308ne", "."]),  # NFD
        ("fa", "می\u200cخواهم.", ["می\u200cخواهم", "."]),
        ("th", "ไม่ได้", ["ไม่ได้"]),
        ("hi", "मैं हूँ।", ["मैं", "हूँ", "।"]),
        ("en", "so\u00adft (e\u0301)", ["so\u00adft", "(", "e\u0301", ")"]),
        ("en", "\u200fabc \u200e x", ["\u200fabc", "\u200e", "x"]),
        ("zh", "我在cafe\u0301喝", ["我", "在", "cafe\u0301", "喝"]),
    ],
)
def test_nothing_is_cut_before_a_mark(language: str, line: str, tokens: list[str]) -> None:
    """Accents, vowel signs and characters without width belong to the character before them."""
    assert tokeniser(SideSettings(language)).tokenise(line).tokens == tokens


def test_spaces_of_a_sentence_that_is_not_at_hand_are_where_no_token_is() -> None:
    made = Tokens.of_spans(["a", "b", "c"], [0, 1, 3], [1, 2, 4])
    assert made.gaps == ["", "", " ", ""]
    assert Tokens.of_spans([], [], []).gaps == [""]
