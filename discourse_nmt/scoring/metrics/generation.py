"""Generation accuracy: the share of translations with the form that their document requires.

The system translates by itself; nothing is given to it (Post and Junczys-Dowmunt 2023: systems that prefer the right
one of two given translations often do not write it). Words are compared as in the script of ctxpro (Wicks and Post
2023), in lower case and without ASCII punctuation; but every mark ends a word, also a typographic one, a hyphen and an
apostrophe, so that *elle* is found in *est-elle* and *sie* in *„Sie*. Each Chinese or Japanese character is a word.
"""

import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

import pandas as pd
import regex

from discourse_nmt.base.characters import INVISIBLE
from discourse_nmt.base.errors import InputError
from discourse_nmt.scoring.metrics.contrastive import accuracy_scores, subsets
from discourse_nmt.scoring.metrics.score import NEITHER, WRONG, Score, item_score

# Han, Hiragana and Katakana have no spaces between words.
UNSPACED = r"\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
LETTER = rf"(?:(?![{UNSPACED}])[\p{{L}}\p{{M}}\p{{N}}])"
WORD = regex.compile(rf"{LETTER}+|[^\s\p{{ASCII}}]")
UNSEEN = regex.compile(rf"[{INVISIBLE}]")
TYPOGRAPHIC = str.maketrans("’‘ʼ‐‑", "'''--")  # apostrophes and hyphens
SIGNATURE = "case:lc|punctuation:divides|match:words"

Sentences = Mapping[tuple[str, int], str]
"""A text by document and sentence."""


def words_of(text: str) -> list[str]:
    """The words that are compared."""
    plain = unicodedata.normalize("NFC", text).lower().translate(TYPOGRAPHIC)
    words: list[str] = WORD.findall(UNSEEN.sub("", plain))
    return words


def has_form(translation: str, forms: Iterable[str]) -> bool:
    """Whether the translation has one of the forms, each of one or more words."""
    words = f" {' '.join(words_of(translation))} "
    wanted = (" ".join(words_of(form)) for form in forms)
    return any(form and f" {form} " in words for form in wanted)


def judge_expected(
    expected: pd.DataFrame,
    translations: pd.DataFrame,
    *,
    file: str | Path,
    has: Callable[[str, Iterable[str]], bool] = has_form,
) -> pd.DataFrame:
    """A ``judged_translations`` table of an ``expected_forms`` table.

    The best of each sentence's ``translations``, read from ``file``, counts; ``has`` tells whether it has a form. One
    with the right form may have others, too: *du* beside *ihr*, which is also *her*.

    Raises :class:`InputError`: a sentence has no translation.
    """
    best = best_of(translations)
    right: list[bool] = []
    wrong: list[bool | None] = []
    for row in expected.to_dict("records"):
        translation = _translation(best, row["item_id"], (row["doc_id"], row["sent_id"]), file)
        right.append(has(translation, row["forms"]))
        others = row["other_forms"]
        wrong.append(None if others is None else not right[-1] and has(translation, others))
    columns = ["item_id", "doc_id", "phenomenon", "distance"]
    return expected[columns].assign(block=None, has_right=right, has_wrong=pd.Series(wrong, expected.index, object))


def judge_contrastive(
    items: pd.DataFrame, references: Sentences, translations: pd.DataFrame, *, file: str | Path
) -> pd.DataFrame:
    """A ``judged_translations`` table of a ``contrastive`` table.

    The right form of a row is the words that its reference has more often than the wrong translation, the wrong form
    those that this one has more often. A translation has the right form if it has all these words in every row of the
    item, and a wrong form if it has, in any row, one of the others that the reference does not have. Items whose rows
    differ in no word, but in order, case or punctuation, are left out.

    Raises :class:`InputError`: a sentence has no translation.
    """
    best = best_of(translations)
    judged = []
    for _, rows in items.groupby("item_id", sort=False):
        differs = has_wrong = False
        has_right = True
        for row in rows.to_dict("records"):
            place = row["doc_id"], row["sent_id"]
            reference = Counter(words_of(references[place]))
            wrong = Counter(words_of(row["wrong"]))
            words = set(words_of(_translation(best, row["item_id"], place, file)))
            differs |= reference != wrong
            has_right &= (reference - wrong).keys() <= words
            has_wrong |= bool(((wrong - reference).keys() - reference.keys()) & words)
        if differs:
            first = rows.iloc[0][["item_id", "doc_id", "phenomenon", "distance", "block"]]
            judged.append({**first, "has_right": has_right, "has_wrong": has_wrong})
    columns = ["item_id", "doc_id", "phenomenon", "distance", "block", "has_right", "has_wrong"]
    return pd.DataFrame(judged, columns=columns)


def generation_items(judged: pd.DataFrame) -> pd.DataFrame:
    """The items as :func:`.subsets` reads them: right with the right form and no wrong one; there are no ties."""
    right = verdicts(judged).eq("right")
    return judged[["item_id", "phenomenon", "distance", "block"]].assign(right=right, tie=False)


def verdicts(judged: pd.DataFrame) -> "pd.Series[str]":
    """The verdict on each item of a table ``judged_translations``: wrong with a wrong form, else right, or neither."""
    verdict = judged["has_right"].astype(bool).map({True: "right", False: "neither"})
    return verdict.mask(judged["has_wrong"].eq(True), "wrong")


def generation_scores(judged: pd.DataFrame, *, file: str | Path, signature: str = SIGNATURE) -> list[Score]:
    """Accuracy in per cent with its interval and number of items: overall, per phenomenon, distance and block.

    Where items name wrong forms, also the numbers of items whose translation has one, and neither form.

    Raises :class:`InputError`: no items.
    """
    if judged.empty:
        raise InputError("holds no items", file=file)
    items = generation_items(judged).assign(verdict=verdicts(judged))
    counted = {"wrong": WRONG, "neither": NEITHER} if judged["has_wrong"].notna().all() else {}
    scores = []
    for subset, chosen in subsets(items, file=file):
        scores += accuracy_scores("generation", subset, chosen["right"], f"{signature}|")
        for verdict, figure in counted.items():
            if "verdict" in chosen:  # blocks are not items
                number = int(chosen["verdict"].eq(verdict).sum())
                scores.append(item_score("generation", figure, subset, number, "count"))
    return scores


def best_of(translations: pd.DataFrame) -> Sentences:
    """The best translation of each sentence."""
    best = translations[translations["rank"] == 0]
    return dict(zip(zip(best["doc_id"], best["sent_id"]), best["hypothesis"]))


def _translation(best: Sentences, item: str, place: tuple[str, int], file: str | Path) -> str:
    if place not in best:
        what = f"item {item}: no translation of sentence {place[1]} of document {place[0]}"
        raise InputError(what, file=file, remedy="translate the set again")
    return best[place]
