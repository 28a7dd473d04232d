"""Generation accuracy: the share of translations with the form that their document requires.

Forms are matched as in the script of ctxpro (Wicks and Post 2023): in lower case, without ASCII punctuation in the
translation, as whole words between spaces.
"""

import string
from collections.abc import Iterable
from pathlib import Path

import pandas as pd

from discourse_nmt.corpus.errors import InputError
from discourse_nmt.scoring.metrics.contrastive import accuracy_scores, subsets
from discourse_nmt.scoring.metrics.score import Score

WITHOUT_PUNCTUATION = str.maketrans("", "", string.punctuation)
SIGNATURE = "case:lc|punctuation:removed|match:words|"


def has_form(translation: str, forms: Iterable[str]) -> bool:
    """Whether the translation has one of the forms."""
    words = f" {translation.lower().translate(WITHOUT_PUNCTUATION)} "
    return any(f" {form.lower()} " in words for form in forms)


def generation_scores(expected: pd.DataFrame, translations: pd.DataFrame, *, file: str | Path) -> list[Score]:
    """Accuracy in per cent with its interval and number of items: overall, per phenomenon and per distance.

    ``expected`` is an ``expected_forms`` table. The best of each sentence's ``translations``, read from ``file``,
    counts.

    Raises :class:`InputError`: a sentence has no translation.
    """
    best = translations[translations["rank"] == 0].set_index(["doc_id", "sent_id"])["hypothesis"].to_dict()
    right = []
    for item in expected.to_dict("records"):
        document, sentence = item["doc_id"], item["sent_id"]
        if (document, sentence) not in best:
            what = f"item {item['item_id']}: no translation of sentence {sentence} of document {document}"
            raise InputError(what, file=file, remedy="translate the suite again")
        right.append(has_form(best[document, sentence], item["forms"]))
    items = expected[["item_id", "phenomenon", "distance"]].assign(right=right, block=None)
    return [
        score
        for name, subset in subsets(items, file=file)
        for score in accuracy_scores("generation", name, subset["right"], SIGNATURE)
    ]
