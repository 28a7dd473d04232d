"""Truecasing as in Moses' ``train-truecaser.perl``, ``truecase.perl`` and ``detruecase.perl``.

The model of a side is its casing table: for each lower-cased word, the forms seen inside sentences, with counts. A word
at the start of a sentence takes its most frequent form. Other words keep a form that was seen, and replace an unseen
one by the most frequent one. Two choices differ from the defaults of sacremoses, as in the Perl scripts: known forms
are kept (``use_known``), and equally frequent forms are in alphabetical order, so that the order of shards does not
matter.
"""

from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path

from sacremoses import MosesDetruecaser, MosesTruecaser

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.storage.files import read_json, write_json
from discourse_nmt.text.settings import SideSettings

Casing = dict[str, dict[str, int]]
Caser = Callable[[list[str]], list[str]]


class TokenTruecaser(MosesTruecaser):
    """sacremoses' truecaser for a list of tokens instead of a line, so that it never divides a token."""

    @staticmethod
    def split_xml(tokens: list[str]) -> list[str]:
        """The tokens, unchanged."""
        return tokens


def learn_casing(sentences: Iterable[list[str]]) -> Casing:
    """The casing table of tokenised sentences; their order does not matter.

    Words are sorted. The forms of a word are in order of falling frequency, equally frequent ones alphabetically.
    """
    truecaser = MosesTruecaser()
    counts: dict[str, Counter[str]] = {}
    for tokens in sentences:
        for lower, form, weight in truecaser.learn_truecase_weights(tokens):
            counts.setdefault(lower, Counter())[form] += weight
    return {word: dict(sorted(counts[word].items(), key=lambda item: (-item[1], item[0]))) for word in sorted(counts)}


def caser(settings: SideSettings, casing: Casing) -> Caser:
    """The casing function of a side's settings, from the tokens of a sentence to as many tokens."""
    if settings.lowercase:
        return lambda tokens: [token.lower() for token in tokens]
    if not settings.truecase:
        return lambda tokens: tokens
    truecaser = TokenTruecaser()
    forms = {word: list(seen) for word, seen in casing.items()}
    truecaser.model = {
        "best": {word: seen[0] for word, seen in forms.items()},
        "known": {form for seen in forms.values() for form in seen[1:]},
    }
    return lambda tokens: truecaser.truecase(tokens, use_known=True)


def detruecase(tokens: list[str]) -> list[str]:
    """``tokens`` with the first word of each sentence capitalised; as many tokens as before."""
    return MosesDetruecaser().detruecase(" ".join(tokens))


def save_casing(casing: Casing, path: str | Path) -> None:
    """Write a casing table as JSON, atomically."""
    write_json(casing, path)


def load_casing(path: str | Path) -> Casing:
    """Read what :func:`save_casing` wrote; anything else is an :class:`InputError`."""
    casing = read_json(path)
    if not isinstance(casing, dict) or not all(
        isinstance(forms, dict) and forms and all(type(count) is int for count in forms.values())
        for forms in casing.values()
    ):
        raise InputError(
            "not a truecasing model: JSON of words, their forms and counts is expected",
            file=path,
            remedy="make the text stage again",
        )
    return casing
