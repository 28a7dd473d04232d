"""Sentences do not end after abbreviations, and the shipped lists say which these are."""

import json
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discourse_nmt.base.errors import InputError
from discourse_nmt.discourse.abbreviations import NEVER, UNLIKELY, USUAL, Abbreviations
from discourse_nmt.discourse.analysers.segmentation import Segmenter
from discourse_nmt.discourse.analysers.weights import ABBREVIATIONS, LISTS, load_abbreviations, load_segmenter
from tests.conftest import ROOT

FOLDER = ROOT / "resources" / "analysers"
EXAMPLES = Path(__file__).with_name("abbreviations.txt").read_text(encoding="utf-8").splitlines()


@pytest.fixture(scope="module", params=["en", "de", "fr", "ru"])
def language(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def segmenter(language: str) -> Segmenter:
    return load_segmenter(FOLDER / language)


def with_lists(inside: list[str], numbers: list[str], ends: list[str], beginnings: list[str]) -> Abbreviations:
    return Abbreviations(frozenset(inside), frozenset(numbers), frozenset(ends), frozenset(beginnings), ordinals=True)


def sentences(segmenter: Segmenter, text: str) -> list[str]:
    return [text[one.start : one.end] for one in segmenter.segment([text])[0]]


def test_no_sentence_ends_after_an_abbreviation(segmenter: Segmenter, language: str) -> None:
    frames = {
        "en": ("We saw {} in the book yesterday.", "It was good."),
        "de": ("Wir sahen {} im Buch.", "Es war gut."),
        "fr": ("Nous avons vu {} dans le livre.", "Il était bon."),
        "ru": ("Мы видели {} в этой книге.", "Она была хорошей."),
    }
    first, second = frames[language]
    lines = [line.removeprefix(f"{language}: ") for line in EXAMPLES if line.startswith(language)]
    for words in " | ".join(lines).split(" | "):
        sentence = first.format(words)
        assert sentences(segmenter, f"{sentence} {second}") == [sentence, second]


@pytest.mark.parametrize(
    ("language", "expected"),
    [
        ("en", ["We bought apples, pears, etc.", "The shop was good."]),
        ("en", ["They live in the U.S.", "He works at home."]),
        ("en", ["We met at 5 p.m.", "It was already dark."]),
        ("en", ["She works for Enron Corp.", "They pay well."]),
        ("en", ["He answered no.", "Then he left the house."]),
        ("en", ["In 1990 it was built.", "12 people died."]),
        ("en", ["I think this is plan B.", "We have no other one."]),
        ("en", ["Their car is new.", "Mary has none."]),
        ("de", ["Wir kauften Äpfel, Birnen usw.", "Der Laden war gut."]),
        ("de", ["Wir kauften Äpfel, Birnen u.a.", "Dann gingen wir nach Hause."]),
        ("de", ["Sie kostet 5 Mio.", "Das ist viel Geld."]),
        ("de", ["Er wurde 1990 geboren.", "12 Menschen starben."]),
        ("de", ["Er kam am 3. Mai.", "Sie kam am 4. Juni."]),
        ("de", ["Das war im 2. Weltkrieg.", "Johann S. Bach war schon tot."]),
        ("fr", ["Nous avons acheté des pommes, des poires, etc.", "Le magasin était grand."]),
        ("fr", ["Le prix est de 5 euros.", "M. Dupont est content."]),
        ("fr", ["Il est né en 1990.", "Il vit à Paris."]),
        ("ru", ["Мы купили яблоки, груши и т. д.", "Она была рада."]),
        ("ru", ["Он родился в 1990 г.", "Она живёт в Москве."]),
        ("ru", ["Книгу написал А. С. Пушкин.", "Она известна всем."]),
    ],
)
def test_sentences_end_where_they_should(language: str, expected: list[str]) -> None:
    assert sentences(load_segmenter(FOLDER / language), " ".join(expected)) == expected


@pytest.mark.parametrize("newline", ["\n", " "])
def test_an_abbreviation_keeps_its_period(newline: str) -> None:
    text = f"See Fig.{newline}3 and approx.{newline}Five pages. Good."
    [sentence, _] = load_segmenter(FOLDER / "en").segment([text])[0]
    words = [text[start:end] for start, end in sentence.words]
    assert words == ["See", "Fig.", "3", "and", "approx.", "Five", "pages", "."]


def test_thresholds_follow_the_lists_and_shapes() -> None:
    lists = with_lists(["Dr", "e.g"], ["No"], ["etc", "Inc"], ["the"])

    def threshold(text: str) -> float:
        return next((period.threshold for period in lists.periods(text)), USUAL)

    assert [threshold(text) for text in ("Dr. Who", "E.g. 7", "No. 7", "NO. 7", "No. B", "etc. 7", "etc. and")] == [
        *(NEVER, NEVER, NEVER, NEVER, NEVER, UNLIKELY, UNLIKELY)
    ]
    assert [threshold(text) for text in ("J. Bach", "S.p.A. Rom", "3. Mai", "Bldg. 7", "Inc. Magazine")] == [
        *(UNLIKELY, UNLIKELY, UNLIKELY, NEVER, UNLIKELY)
    ]
    assert [
        threshold(text) for text in ("dogs. 7", "No. We", "Inc.\nMagazine", "it. it", "x .7", "No.7", "a.\u200b")
    ] == [USUAL] * 7
    assert threshold("etc. The") < USUAL < threshold("Dr. The")


@given(st.text("Dr.e2 \n“(-王Mx", max_size=60))
def test_periods_are_periods_before_words(text: str) -> None:
    lists = with_lists(["Dr"], ["e"], ["x"], ["m"])
    for period in lists.periods(text):
        assert text[period.position] == "." and not text[period.following].isspace()
        assert text[period.following - 1].isspace() and 0 < period.threshold <= 1


@pytest.mark.parametrize("piece", ["(", "x.", ". ", ".)", "a. (", "a.\n", "1.", "“.”", "."])
def test_long_runs_cost_linear_time(piece: str) -> None:
    began = time.process_time()
    list(Abbreviations().periods(piece * 100_000))
    assert time.process_time() - began < 5


@pytest.mark.parametrize("name", ["en", "de", "fr", "ru", "zh"])
def test_the_shipped_lists_are_sorted_words(name: str) -> None:
    content = json.loads((FOLDER / name / "abbreviations.json").read_text(encoding="utf-8"))
    for words in (content[key] for key in LISTS):
        assert words == sorted(set(words), key=lambda word: (word.lower(), word))
        assert not [word for word in words if word.endswith(".") or " " in word or (word[0] == "-" and len(word) > 4)]
    assert not {word for word in content["beginnings"] if word != word.lower()}
    assert not set(content["inside"]) & {*content["numbers"], *content["ends"]}, "inside decides alone"


def test_a_folder_without_lists_has_shapes_alone(tmp_path: Path) -> None:
    assert load_abbreviations(tmp_path) == Abbreviations()
    (tmp_path / f"{ABBREVIATIONS}.json").write_text('{"inside": [1], "numbers": [], "ends": [], "beginnings": []}')
    with pytest.raises(InputError, match="not lists of words; restore the folder"):
        load_abbreviations(tmp_path)
