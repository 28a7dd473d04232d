"""Findings about texts that are made to have one fault each, and their remedies."""

from typing import Any

import pytest

from discourse_nmt.quality.measures import equal_sides, findings_of_text, twins
from discourse_nmt.quality.sample import Excerpt
from discourse_nmt.quality.table import Finding, warnings
from discourse_nmt.text.settings import TextSettings

ENGLISH = ["The weather was cold and it had been raining for days.", "She opened the door and saw nobody there."]
GERMAN = ["Das Wetter war kalt und es hatte tagelang geregnet.", "Sie öffnete die Tür und sah niemanden."]
RUSSIAN = ["Погода была холодная, и дождь шёл уже несколько дней.", "Она открыла дверь и никого не увидела."]
BACK, BLEU = "sentences that come back from the text stage (%)", "s-BLEU of a perfect system"
SCRIPT, LANGUAGE = "sentences in another script (%)", "passages in another language (%)"


def settings(**text: Any) -> TextSettings:
    return TextSettings.from_mapping({"source_language": "en", "target_language": "de", "spacing": "marks", **text})


def findings(
    source: list[str], target: list[str], text: TextSettings | None = None, split: str = "test"
) -> dict[tuple[str, str], Finding]:
    found = findings_of_text(
        {split: [Excerpt(number, source * 3, target * 3) for number in range(10)]}, text or settings()
    )
    return {(one.measure, one.side): one for one in found}


def test_text_as_it_should_be_needs_no_remedy() -> None:
    found = findings(ENGLISH, GERMAN)
    assert warnings(list(found.values())) == []
    assert {found[BACK, side].values["test"] for side in ("source", "target")} == {100.0}
    assert found[BLEU, "target"].values["test"] == pytest.approx(100)


def test_a_perfect_system_lacks_what_does_not_come_back() -> None:
    """Moses joins the quotation marks to the words."""
    spaced = ["Er sagte : ' Ja , es ist so . '", "Sie ging ' allein ' in die Stadt ."]
    by_rules = findings(ENGLISH, spaced, settings(spacing="rules"))
    assert by_rules[BACK, "target"].values["test"] == 0
    assert by_rules[BLEU, "target"].values["test"] < 100
    assert "text: {spacing: marks}" in by_rules[BACK, "target"].remedy()
    by_marks = findings(ENGLISH, spaced)
    assert by_marks[BACK, "target"].values["test"] == 100 and not by_marks[BACK, "target"].remedies


def test_normalisation_of_the_target_is_told_with_its_key() -> None:
    quoted = ["Er sagte „ja“ und ging.", "Das ist – so sagt man – gut."]
    found = findings(ENGLISH, quoted, settings(normalise=True))
    assert found[BACK, "target"].values["test"] == 0
    assert "normalise: {source: true, target: false}" in found[BACK, "target"].remedy()
    per_side = settings(normalise={"source": True, "target": False})
    assert findings(ENGLISH, quoted, per_side)[BACK, "target"].values["test"] == 100


@pytest.mark.parametrize(("lost", "told"), [(1, False), (2, True)])
def test_of_a_hundred_sentences_five_may_be_lost(lost: int, told: bool) -> None:
    spaced = ["Das ist gut ."] * (20 - lost) + ["Er sagte : ' Ja , es ist so . '"] * lost
    plain = [line.replace(" .", ".") for line in spaced[: 20 - lost]] + spaced[20 - lost :]
    back = findings(["That is good."] * 20, plain, settings(spacing="rules"))[BACK, "target"]
    assert back.values["test"] == 100 - 5 * lost and bool(back.remedies) == told


def test_sources_that_do_not_come_back_are_counted_without_remedy() -> None:
    one = findings(['He said : " Yes . "', "( a )"], GERMAN, settings(spacing="rules"))[BACK, "source"]
    assert one.values["test"] == 0 and not one.remedies


def test_case_does_not_count_on_a_side_in_lower_case() -> None:
    found = findings(ENGLISH, GERMAN, settings(lowercase=True, truecase=False))
    assert found[BACK, "target"].values["test"] == 100
    assert found[BLEU, "target"].values["test"] == pytest.approx(100)


def test_train_has_no_score() -> None:
    assert (BLEU, "target") not in findings(ENGLISH, GERMAN, split="train")


@pytest.mark.parametrize(
    ("source", "target", "remedies"),
    [
        (GERMAN, ENGLISH, {"source": "the sides are swapped", "target": "the sides are swapped"}),
        (GERMAN, GERMAN, {"source": "this looks like de: correct the files, or source_language"}),
        (ENGLISH, RUSSIAN, {"target": "this looks like ru: correct the files, or target_language"}),
    ],
)
def test_sides_in_other_languages(source: list[str], target: list[str], remedies: dict[str, str]) -> None:
    found = findings(source, target)
    for side in ("source", "target"):
        one = found[LANGUAGE, side]
        assert one.values["test"] == (100 if side in remedies else 0)
        assert one.remedy().startswith(remedies.get(side, "")) and bool(one.remedy()) == (side in remedies)


@pytest.mark.parametrize("others", [3, 5])
def test_some_passages_in_another_language(others: int) -> None:
    """Half of them are not most of them."""
    passages = [Excerpt(0, ENGLISH, ENGLISH * 2)] * others + [Excerpt(0, ENGLISH, GERMAN * 2)] * (10 - others)
    samples = {"test": passages}
    [one] = [one for one in findings_of_text(samples, settings()) if (one.measure, one.side) == (LANGUAGE, "target")]
    assert one.values["test"] == pytest.approx(10 * others)
    assert one.remedy() == "some looks like en: leave it out of the files"


def test_lines_in_another_script() -> None:
    found = findings(ENGLISH, [GERMAN[0], "Да."])
    assert found[SCRIPT, "target"].values["test"] == 50
    assert "target_language" in found[SCRIPT, "target"].remedy()
    assert found[SCRIPT, "source"].values["test"] == 0


def test_sources_alone_have_no_target() -> None:
    assert {side for _, side in findings(ENGLISH, ["", ""])} == {"source"}


def test_short_passages_are_not_judged() -> None:
    assert not [measure for measure, _ in findings(["Ja."], ["Yes."]) if measure == LANGUAGE]


def test_remedies_of_twins_name_the_key_and_only_splits_that_need_it() -> None:
    sentences, documents = twins({"dev": 0.5, "test": 30.0}, {"dev": 0.0, "test": 0.0}, None)
    assert sentences.remedy().startswith("test: ") and not documents.remedies
    [_, documents] = twins({}, {"dev": 20.0, "test": 20.0}, None)
    assert documents.remedy() == "near_duplicates: 0.5 leaves them out of train"
    [_, documents] = twins({}, {"dev": 20.0, "test": 20.0}, 0.8)
    assert documents.remedy().startswith("lower near_duplicates, which is 0.8")


def test_many_equal_sides_are_out_of_the_ordinary() -> None:
    assert [bool(equal_sides({"train": share}).remedies) for share in (0.0, 5.0, 5.1, 100.0)] == [False] * 2 + [
        True
    ] * 2
