"""One form for what means the same, and the place of every character in the original."""

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discourse_nmt.base.characters import has_text
from discourse_nmt.text.normalisation import EQUIVALENT, normalised
from discourse_nmt.text.settings import SideSettings
from discourse_nmt.text.tokenisers import tokeniser

PIECES = [
    "’",
    "“",
    "–",
    "…",
    "\u00ad",
    "\u200b",
    "\u200d",
    "\u200c",
    "e\u0301",
    "\u00a0",
    "  ",
    "\x07",
    "ｕ",
    "👩",
    "می",
    "\ufe0f",
]
texts = st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=3))).map("".join)


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        ("You can’t delete “this” file…", 'You can\'t delete "this" file...'),
        ("u\u0308ber „scho\u0308n“ ‚x‘", "über \"schön\" 'x'"),
        ("« oui » 5–10 — x ‑ y", '" oui " 5-10 - x - y'),
        ("so\u00adft \u200bzero\u200b \u200e.", "soft zero ."),
        ("a\u00a0 \u2009b\tc", "a b c"),
        (
            "می\u200cخواهم x\u200cy",
            "می\u200cخواهم xy",
        ),  # one joiner shapes letters
        ("👩\u200d👧 ❤\ufe0f", "👩\u200d👧 ❤\ufe0f"),
        ("plain ASCII - text's", "plain ASCII - text's"),
    ],
)
def test_one_form(raw: str, text: str) -> None:
    assert normalised(raw).text == text


@settings(max_examples=100, deadline=None)
@given(raw=texts)
def test_every_character_has_its_place(raw: str) -> None:
    text, starts, ends = normalised(raw)
    assert len(text) == len(starts) == len(ends)
    assert all(0 <= start < end <= len(raw) for start, end in zip(starts, ends))
    assert starts == sorted(starts) and ends == sorted(ends)
    again = normalised(text)
    assert again.text == text, "a second time changes nothing"
    assert has_text(text) == has_text(raw)
    assert not set(text) & set("".join(EQUIVALENT.values()))


@settings(max_examples=100, deadline=None)
@given(raw=texts)
def test_spans_of_tokens_are_those_of_the_raw_sentence(raw: str) -> None:
    found = tokeniser(SideSettings("en", normalise=True)).tokenise(raw)
    for token, start, end in zip(found.tokens, found.starts, found.ends):
        assert normalised(raw[start:end]).text.strip() == token or unicodedata.combining(token[0])
    assert found.starts == sorted(found.starts)


@pytest.mark.parametrize(
    "raw", ["You can’t delete this file.", "You can't delete this file.", "You can\u02bct delete\u00a0this file."]
)
def test_an_apostrophe_is_an_apostrophe(raw: str) -> None:
    tokens = tokeniser(SideSettings("en", normalise=True)).tokenise(raw).tokens
    assert tokens == ["You", "can", "'t", "delete", "this", "file", "."]
