"""Generation accuracy: right and wrong forms in the systems' own translations."""

from typing import Any

import pandas as pd
import pytest

from discourse_nmt.base.errors import InputError
from discourse_nmt.scoring.metrics.generation import (
    generation_items,
    generation_scores,
    has_form,
    judge_contrastive,
    judge_expected,
    words_of,
)

REFERENCE = "Es regnet, aber sie ist alt."
WRONG = ("Es regnet, aber er ist alt.", "Es regnet, aber es ist alt.")


ITEM = {"item_id": "a", "doc_id": "d", "sent_id": 0, "phenomenon": "x", "distance": None}


def contrastive(*wrong: str, item: str = "a", sentence: int = 0, **columns: Any) -> pd.DataFrame:
    rows = [
        {"item_id": item, "doc_id": "d", "sent_id": sentence, "phenomenon": "it", "distance": 1, "wrong": text}
        for text in wrong
    ]
    return pd.DataFrame(rows).assign(**{"block": None, **columns})


def translated(*texts: str) -> pd.DataFrame:
    best = [{"doc_id": "d", "sent_id": place, "rank": 0, "hypothesis": text} for place, text in enumerate(texts)]
    return pd.DataFrame([*best, {**best[0], "rank": 1, "hypothesis": REFERENCE}])


def judged(items: pd.DataFrame, *translations: str, references: tuple[str, ...] = (REFERENCE,)) -> list[list[bool]]:
    texts = {("d", place): text for place, text in enumerate(references)}
    table = judge_contrastive(items, texts, translated(*translations), file="t")
    return table[["has_right", "has_wrong"]].to_numpy().tolist()


@pytest.mark.parametrize(
    ("translation", "right", "wrong"),
    [
        (REFERENCE, True, False),
        ("Regen! SIE ist betagt", True, False),
        ("Es regnet, aber er ist alt.", False, True),
        # The reference has an "es" of its own, so that one in a translation says nothing.
        ("Es regnet, und sie ist es auch.", True, False),
        ("Es regnet.", False, False),
        ("Sie und er sind alt.", True, True),
        ("Diesie ist alt.", False, False),
    ],
)
def test_a_translation_has_the_word_of_the_reference_and_no_other(translation: str, right: bool, wrong: bool) -> None:
    assert judged(contrastive(*WRONG), translation) == [[right, wrong]]


def test_all_words_that_differ_are_asked_for() -> None:
    items = contrastive("Die Kufe ist alt.")
    assert judged(items, "Der Läufer kam.", references=("Der Läufer ist alt.",)) == [[True, False]]
    assert judged(items, "Ein Läufer kam.", references=("Der Läufer ist alt.",)) == [[False, False]]
    assert judged(items, "Der Läufer traf die Frau.", references=("Der Läufer ist alt.",)) == [[True, True]]


def test_a_variant_of_several_sentences_is_judged_by_all_of_them() -> None:
    items = pd.concat([contrastive("Er kam.", variant=0), contrastive("Er ging.", sentence=1, variant=0)])
    references = ("Sie kam.", "Sie ging.")
    assert judged(items, "Sie kam an.", "Sie ging.", references=references) == [[True, False]]
    assert judged(items, "Sie kam an.", "Er ging.", references=references) == [[False, True]]
    assert judged(items, "Kam an.", "Sie ging.", references=references) == [[False, False]]


def test_items_without_different_words_are_left_out() -> None:
    items = pd.concat([contrastive("aber Es regnet, Sie ist alt"), contrastive(*WRONG, item="b")])
    texts = {("d", 0): REFERENCE}
    assert judge_contrastive(items, texts, translated(REFERENCE), file="t")["item_id"].tolist() == ["b"]


def test_chinese_characters_are_words() -> None:
    assert words_of("她在 Writer 里。") == ["她", "在", "writer", "里", "。"]
    assert judged(contrastive("他很老。"), "她老了。", references=("她很老。",)) == [[True, False]]
    assert judged(contrastive("他很老。"), "他老了。", references=("她很老。",)) == [[False, True]]


def test_expected_forms_are_whole_words_in_any_case() -> None:
    assert has_form("Ich GLAUBE, ja!", ["glaube"]) and has_form("Ja, tu ich doch.", ["tu ich"])
    assert not has_form("unglaubens", ["glaube"])
    expected = pd.DataFrame(
        [
            {**ITEM, "item_id": item, "forms": forms, "other_forms": None}
            for item, forms in (("a", ["sie"]), ("b", ["tat"]))
        ]
    )
    table = judge_expected(expected, translated(REFERENCE), file="t")
    assert table["has_right"].tolist() == [True, False] and table["has_wrong"].isna().all()
    found = {score.metric: score.value for score in generation_scores(table, file="t")}
    assert found["generation accuracy (all)"] == 50
    assert "generation items without either form (all)" not in found


def test_items_may_name_forms_that_are_wrong() -> None:
    """Beside the right form they are not: *ihr* is also *her*."""
    items = [("a", ["sie"], ["es"]), ("b", ["er"], ["man", "alt"]), ("c", ["er"], ["man"])]
    rows = [{**ITEM, "item_id": item, "forms": forms, "other_forms": others} for item, forms, others in items]
    table = judge_expected(pd.DataFrame(rows), translated(REFERENCE), file="t")
    assert table["has_right"].tolist() == [True, False, False] and table["has_wrong"].tolist() == [False, True, False]
    found = {score.metric: score.value for score in generation_scores(table, file="t")}
    assert found["generation accuracy (all)"] == pytest.approx(100 / 3)
    counts = [found[f"generation items {which} form (all)"] for which in ("with a wrong", "without either")]
    assert counts == [1, 1]


@pytest.mark.parametrize(
    ("translation", "form"),
    [
        *(("„Sie ist da.“", "sie"), ("¿Tú vienes?", "tú"), ("«Она пришла»", "она"), ("Sie… nein.", "sie")),
        *(("Est-elle là ?", "elle"), ("Il l'a vu.", "l'a"), ("Il l’a vu.", "l'a"), ("Il l'a vu.", "L’a")),
        *(
            ("—Ella vino—", "ella"),
            ("(sie)", "sie"),
            ("*sie*", "sie"),
            ("Sie\u00adben", "sieben"),
            ("\u200bsie", "sie"),
        ),
        *(("Tu\u0301 vienes", "tú"), ("Wer? - Sie!", "sie"), ("sie/er", "er"), ("donne-la-moi", "la moi")),
    ],
)
def test_words_at_marks_are_found(translation: str, form: str) -> None:
    assert has_form(translation, [form])


@pytest.mark.parametrize(
    ("translation", "form"),
    [
        ("„Sieben“", "sie"),
        ("l’avoir", "l'a"),
        ("Tür", "tú"),
        ("", "..."),
        ("Ja.", "!"),
        ("unsere", "uns"),
        ("là", "la"),
    ],
)
def test_parts_of_words_and_bare_marks_are_no_forms(translation: str, form: str) -> None:
    assert not has_form(translation, [form])


def test_accuracy_counts_the_right_form_without_a_wrong_one() -> None:
    flags = [(True, False), (True, True), (False, True), (False, False)]
    items = [
        {"item_id": str(number), "doc_id": "d", "phenomenon": "it", "distance": number % 2, "block": None}
        | {"has_right": right, "has_wrong": wrong}
        for number, (right, wrong) in enumerate(flags)
    ]
    table = pd.DataFrame(items)
    assert generation_items(table)["right"].tolist() == [True, False, False, False]
    found = {score.metric: score.value for score in generation_scores(table, file="t")}
    assert (found["generation accuracy (all)"], found["generation items (all)"]) == (25, 4)
    assert found["generation items without either form (all)"] == 1
    assert (found["generation accuracy (distance 0)"], found["generation accuracy (distance 1)"]) == (50, 0)


def test_a_sentence_without_a_translation_is_told() -> None:
    with pytest.raises(InputError, match="t: item a: no translation of sentence 3 of document d; translate the set"):
        judge_contrastive(contrastive("Er.", sentence=3), {("d", 3): REFERENCE}, translated("Ja."), file="t")
