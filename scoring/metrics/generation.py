"""Generation accuracy: how often a translation has the form that its document asks for.

Forms are found as by the script of ctxpro (Wicks and Post 2023): in lower case, ASCII punctuation of the translation
taken out, as whole words between spaces.
"""

import string
from collections.abc import Iterable
from pathlib import Path

import pandas as pd

from discourse_nmt.corpus.errors import InputError
from discourse_nmt.scoring.metrics.bleu import Score
from discourse_nmt.scoring.metrics.contrastive import shares, subsets

WITHOUT_PUNCTUATION = str.maketrans("", "", string.punctuation)
SIGNATURE = "case:lc|punctuation:removed|match:words|"


def has_form(translation: str, forms: Iterable[str]) -> bool:
    """Whether the translation has one of the forms."""
    words = f" {translation.lower().translate(WITHOUT_PUNCTUATION)} "
    return any(f" {form.lower()} " in words for form in forms)


def generation_scores(expected: pd.DataFrame, translations: pd.DataFrame, *, file: str | Path) -> list[Score]:
    """Accuracy in per cent with its interval and number of items: overall, per phenomenon and per distance.

    ``expected`` is an ``expected_forms`` table; of ``translations``, read from ``file``, the best of each sentence
    counts.

    :raises InputError: a sentence without a translation.
    """
    best = translations[translations["rank"] == 0].set_index(["doc_id", "sent_id"])["hypothesis"].to_dict()
    right = []
    for item in expected.to_dict("records"):
        place = item["doc_id"], item["sent_id"]
        if place not in best:
            what = f"item {item['item_id']}: no translation of sentence {place[1]} of document {place[0]}"
            raise InputError(what, file=file, remedy="translate the suite again")
        right.append(has_form(best[place], item["forms"]))
    items = expected[["item_id", "phenomenon", "distance"]].assign(right=right, block=None)
    return [
        score
        for name, chosen in subsets(items, file=file)
        for score in shares("generation", name, chosen["right"], SIGNATURE)
    ]
