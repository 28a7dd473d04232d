"""Codes of languages, and the code that is meant by another text."""

from pathlib import Path

import pytest

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.languages import check_language, suggested
from tests.conftest import ROOT


@pytest.mark.parametrize(
    ("text", "code"),
    [
        *[("cn", "zh"), ("jp", "ja"), ("cz", "cs"), ("dk", "da"), ("ua", "uk"), ("us", "en")],
        *[("deu", "de"), ("ger", "de"), ("zho", "zh"), ("eng", "en"), ("iw", "he")],
        *[("german", "de"), ("English", "en"), ("CHINESE", "zh"), ("zh-TW", "zh"), ("de_CH", "de"), ("EN", "en")],
    ],
)
def test_the_code_that_is_meant_is_told(text: str, code: str) -> None:
    with pytest.raises(
        InputError, match=rf"^corpora\.x\.target_language: '{text}' is no code .*; write {code} \([A-Z]"
    ):
        check_language(text, "corpora.x.target_language")


@pytest.mark.parametrize("text", ["xx", "", "e", "klingonish", "x y", "de,en", "\n", "u" * 1000, "ゲ"])
def test_a_text_without_a_meaning_is_one_line(text: str) -> None:
    assert suggested(text) is None
    with pytest.raises(InputError, match=r"; write its ISO 639 code, for example en$") as caught:
        check_language(text, "language")
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize("path", sorted((ROOT / "resources/stop_words").glob("*.txt")), ids=lambda path: path.stem)
def test_every_language_of_the_project_is_one(path: Path) -> None:
    check_language(path.stem, "language")
