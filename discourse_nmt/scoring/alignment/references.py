"""Pairs every translation with its reference by document id and sentence number; both sides must be complete."""

from pathlib import Path

import pandas as pd

from discourse_nmt.base.errors import InputError

KEY = ["doc_id", "sent_id"]


def pair(
    sentences: pd.DataFrame,
    tokens: pd.DataFrame,
    translations: pd.DataFrame,
    instances: pd.DataFrame,
    *,
    file: str | Path,
) -> pd.DataFrame:
    """One row per sentence of ``sentences``, in its order, with its hypothesis and reference.

    ``sentences``, ``tokens`` and ``translations`` are tables of those names. Only the target side of ``tokens`` and
    the best of an n-best list count. ``instances`` has the columns doc_id, sent_id and instance, the index of the
    sentence's 512-token instance. ``file`` is the name of the translations in messages.

    Columns of the result: doc_id, sent_id, reference (raw), hypothesis (detokenised), reference_tokens and
    hypothesis_tokens (lists of words), instance.

    Raises :class:`InputError`: no sentences, no references, or a sentence occurs twice or is missing in a table.
    """
    if sentences.empty:
        raise InputError("the test set has no sentences")
    check_references(sentences)
    reference = once(sentences, "the test set").rename(columns={"target": "reference"})
    words = once(tokens[tokens["side"] == "target"], "the tokens of the test set")
    words = words.rename(columns={"tokens": "reference_tokens"})
    hypothesis = once(translations[translations["rank"] == 0], "the translations", file=file)
    hypothesis = hypothesis.rename(columns={"tokens": "hypothesis_tokens"})
    same(reference, hypothesis, "is not translated", "is translated but not in the test set", file=file)
    same(reference, words, "has no tokens", "has tokens but is not in the test set")
    same(reference, instances, "is not in the dataset", "is in the dataset but not in the test set")
    return (
        reference[[*KEY, "reference"]]
        .merge(hypothesis[[*KEY, "hypothesis", "hypothesis_tokens"]], on=KEY)
        .merge(words[[*KEY, "reference_tokens"]], on=KEY)
        .merge(once(instances, "the dataset")[[*KEY, "instance"]], on=KEY)
    )


def check_references(sentences: pd.DataFrame) -> None:
    """Raise :class:`InputError` for ``sentences`` of a test set that has sources alone."""
    if (sentences["target"] == "").all():
        raise InputError("the test set has no references", remedy="score test sets with a target side")


def once(frame: pd.DataFrame, what: str, *, file: str | Path | None = None) -> pd.DataFrame:
    """Return ``frame``; a repeated sentence is an :class:`InputError`. ``what`` is the name of the table in it."""
    repeated = frame[frame.duplicated(KEY)]
    if len(repeated):
        raise InputError(f"{name(repeated)} occurs twice in {what}", file=file, remedy="make the table again")
    return frame


def same(
    expected: pd.DataFrame, actual: pd.DataFrame, missing: str, extra: str, *, file: str | Path | None = None
) -> None:
    """Check that both frames hold the same sentences.

    Raises :class:`InputError`: with the text ``missing`` or ``extra``, a sentence is in one of the frames only.
    """
    keys = expected[KEY].merge(actual[KEY], on=KEY, how="outer", indicator="where")
    for where, complaint in (("left_only", missing), ("right_only", extra)):
        faulty = keys[keys["where"] == where]
        if len(faulty):
            others = f" (and {len(faulty) - 1} more)" if len(faulty) > 1 else ""
            remedy = "make both tables from the same test set"
            raise InputError(f"{name(faulty)}{others} {complaint}", file=file, remedy=remedy)


def name(frame: pd.DataFrame) -> str:
    """The name of the first sentence of ``frame`` in messages."""
    first = frame.iloc[0]
    return f"document {first['doc_id']} sentence {first['sent_id']}"
