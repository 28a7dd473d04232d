"""Words with marks lead back to the line, whatever it holds; worked examples; what a model writes is never an error."""

import gzip
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sacrebleu.metrics import BLEU

from discourse_nmt.base.vocabulary import JOINER, SMALL
from discourse_nmt.text.settings import SideSettings, SpacingName
from discourse_nmt.text.spelling import escaped, spelling, unescaped
from discourse_nmt.text.tokenisers import CONTROLS, tokeniser
from tests.unit.text.test_tokenisers import TRICKY

LANGUAGES = ["en", "de", "fr", "ru", "fa", "zh", "ja", "th"]
SIDES = {language: SideSettings(language, spacing="marks") for language in LANGUAGES}
CASING = {
    "he": {"he": 9},
    "yes": {"yes": 2},
    "a": {"a": 3},
    "er": {"er": 1},
    "nasa": {"NASA": 5},
    "iphone": {"iPhone": 2},
}
TOKENISERS = {language: tokeniser(side) for language, side in SIDES.items()}
PIECES = [
    *TRICKY,
    JOINER,
    "&#160;",
    "&#",
    "&#65517;",
    "“",
    "”",
    "’",
    "/",
    "https://",
    "C++",
    "\u202f",
    "\t",
    "  ",
    "@@",
    "a",
]
texts = st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=3))).map("".join)


def words_of(line: str, language: str) -> list[str]:
    found = spelling(SIDES[language], CASING).words(TOKENISERS[language].tokenise(line))
    return [word for words in found for word in words]


@pytest.mark.parametrize("language", LANGUAGES)
@settings(max_examples=80, deadline=None)
@given(line=texts)
def test_every_line_comes_back(language: str, line: str) -> None:
    words = words_of(line, language)
    assert not any(character.isspace() for word in words for character in word)
    expected = CONTROLS.sub("", line) if words else ""
    read = spelling(SIDES[language]).read(words)
    assert read.line == expected
    assert read.tokens == TOKENISERS[language].tokenise(line).tokens


@pytest.mark.parametrize(
    ("language", "line", "words"),
    [
        ("en", 'He said: "Yes."', 'he said ￭: "￭ Yes ￭. ￭"'),
        ("en", "“Yes,” he said. NASA iPhone", "“￭ yes ￭, ￭” he said ￭. NASA iPhone"),
        ("en", "iPhone is! nasa", "￮ iPhone is ￭! ￮ nasa"),
        ("en", "Don’t and/or C++, http://a.b", "Don ￭’￭ t and ￭/￭ or C ￭+ ￭+ ￭, http ￭: ￭/ ￭/￭ a.b"),
        ("fr", "L'eau\u00a0? «\u202foui\u202f»", "L'￭ eau &#160; ? « &#8239; ￮ oui &#8239; »"),
        ("de", "Er  sagt „ja“ ", "er &#32;&#32; sagt „￭ ja ￭“ &#32;"),
        ("zh", "我爱New York，a, b", "我 爱 New York ， a , b"),
        ("zh", "我爱 Linux", "我 爱 &#32; Linux"),
    ],
)
def test_words_of_lines(language: str, line: str, words: str) -> None:
    assert " ".join(words_of(line, language)) == words


PARTS = [JOINER, SMALL, ",", "a", "&#160;", "&#9999999;", "&#65;"]


@settings(max_examples=100, deadline=None)
@given(
    words=st.lists(
        st.one_of(
            st.lists(st.sampled_from(PARTS), min_size=1).map("".join),
            st.text(min_size=1).filter(lambda word: not any(map(str.isspace, word))),
        )
    )
)
def test_any_words_can_be_read(words: list[str]) -> None:
    """A model may write marks and white space where no line has them, within words too."""
    read = spelling(SIDES["en"], CASING).read(words)
    assert not {JOINER, SMALL} & set(read.line)
    assert all(read.tokens) and "".join(read.line.split()) == "".join(read.tokens)


def test_rules_leave_words_as_they_are() -> None:
    rules = spelling(SideSettings("en", spacing="rules"), CASING)
    words = rules.words(TOKENISERS["en"].tokenise('"Yes",  he said: don&#t'))
    assert words == [['"'], ["yes"], ['"'], [","], ["he"], ["said"], [":"], ["don"], ["&"], ["#"], ["t"]]
    assert rules.read(["he", "said", ".", "yes"]) == (["He", "said", ".", "Yes"], "He said. Yes")


@pytest.mark.parametrize("spacing", ["marks", "rules"])
@pytest.mark.parametrize("truecase", [True, False])
def test_text_in_lower_case_stays_so(spacing: SpacingName, truecase: bool) -> None:
    """Capitals come back where a side is truecased only."""
    for lowercase in (True, False):
        side = SideSettings("en", lowercase=lowercase, truecase=truecase, spacing=spacing)
        read = spelling(side).read(["they", "left", "."])
        assert read.tokens[0] == ("They" if truecase and not lowercase else "they")
        assert read.line.startswith(read.tokens[0])


@given(text=texts)
def test_escapes_come_back(text: str) -> None:
    assert unescaped(escaped(text)) == text
    assert JOINER not in escaped(text)


def test_only_escapes_of_the_project_are_undone() -> None:
    assert unescaped("&#65; &#60;s> &#160;") == "&#65; <s> \u00a0"


def lines_of(path: Path) -> list[str]:
    """Some lines of a corpus file, spread over it."""
    content = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    lines = content.decode("utf-8", "replace").split("\n")
    return [line[:300] for line in lines[:: max(1, len(lines) // 25)]]


def test_lines_of_real_corpora_come_back(shared_data: Path) -> None:
    """Every plain file, whatever its format: it is text, too."""
    folders = [shared_data / "parallel", shared_data.parent / "cases" / "02-roundtrip"]
    paths = [path for folder in folders for path in sorted(folder.rglob("*")) if path.is_file()]
    paths = [path for path in paths if not path.name.endswith((".tar.gz", ".py"))]
    assert len(paths) > 50
    for path in paths:
        language = next((part for part in path.name.split(".") if part in LANGUAGES), "en")
        for line in lines_of(path):
            read = spelling(SIDES[language]).read(words_of(line, language))
            assert read.line == (CONTROLS.sub("", line) if line.strip() else ""), path


def test_a_reference_is_a_perfect_translation() -> None:
    """Rules lose what marks keep: this is the text of a system that makes no fault, and its score."""
    lines = ["Don’t say “yes ”, he said: and/or C++.", "See https://a.b/c?d=1 (i.e. „x“) – iPhone!"]
    found = {}
    for spacing in ("marks", "rules"):
        side = SideSettings("en", spacing=spacing)
        own = spelling(side, CASING)
        words = ([word for words in own.words(tokeniser(side).tokenise(line)) for word in words] for line in lines)
        found[spacing] = BLEU().corpus_score([own.read(spelt).line for spelt in words], [lines]).score
    assert found["marks"] == pytest.approx(100)
    assert found["rules"] < 90
