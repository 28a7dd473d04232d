"""Truecasing: a word at the start of a sentence takes its most frequent form, and back.

The model of a side is its casing table: for each lower-cased word, the forms seen inside sentences, with counts.

With ``spacing: marks`` only words that start a sentence change, also after opening quotation marks, brackets, dashes
and bullets, and only where the way back gives the word again (:class:`ExactCase`). With ``spacing: rules`` it is Moses'
``train-truecaser.perl``, ``truecase.perl`` and ``detruecase.perl``: other words keep a form that was seen, and replace
an unseen one by the most frequent one. Two choices differ from the defaults of sacremoses, as in the Perl scripts:
known forms are kept (``use_known``), and equally frequent forms are in alphabetical order, so that the order of shards
does not matter.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.storage.files import read_json, write_json
from discourse_nmt.text.settings import SideSettings

if TYPE_CHECKING:
    from sacremoses import MosesTruecaser  # long to import, and used with spacing: rules alone

Casing = dict[str, dict[str, int]]
Caser = Callable[[list[str]], list[str]]
SENTENCE_ENDS = frozenset(".?!。？！")


def starts_of(tokens: Sequence[str]) -> Iterator[int]:
    """The places of words that start a sentence: the first with a letter or digit, and the first after ``.?!``."""
    waiting = True
    for index, token in enumerate(tokens):
        if token in SENTENCE_ENDS:
            waiting = True
        elif waiting and any(map(str.isalnum, token)):
            waiting = False
            yield index


def capitalised(word: str) -> str:
    """``word`` with a capital letter."""
    return word[:1].upper() + word[1:]


class ExactCase:
    """Case by a side's settings and casing table that can be restored, but for a side in lower case."""

    def __init__(self, settings: SideSettings, casing: Casing) -> None:
        self._lowercase = settings.lowercase
        self._truecase = settings.truecase and not settings.lowercase
        self._forms = {word: next(iter(forms)) for word, forms in casing.items()}

    def cased(self, tokens: list[str]) -> tuple[list[str], set[int]]:
        """The tokens as a model reads them, and the places of those that start a sentence without a capital."""
        cased, small = [token.lower() for token in tokens] if self._lowercase else list(tokens), set[int]()
        for index in starts_of(tokens) if self._truecase else ():
            token = tokens[index]
            form = self._forms.get(token.lower(), token)
            if capitalised(form) == token:
                cased[index] = form
            elif capitalised(token) != token:
                small.add(index)
        return cased, small

    def restored(self, tokens: list[str], small: Collection[int]) -> list[str]:
        """``tokens`` with a capital at the start of each sentence but for the places ``small``."""
        starts = set(starts_of(tokens)) - set(small) if self._truecase else set()
        return [capitalised(token) if index in starts else token for index, token in enumerate(tokens)]


def learn_casing(sentences: Iterable[list[str]], settings: SideSettings) -> Casing:
    """The casing table of tokenised sentences; their order does not matter.

    Words are sorted. The forms of a word are in order of falling frequency, equally frequent ones alphabetically.
    """
    counts: dict[str, Counter[str]] = {}
    inside = _words_inside if settings.spacing == "marks" else _words_inside_by_moses(_truecaser())
    for tokens in sentences:
        for form in inside(tokens):
            counts.setdefault(form.lower(), Counter())[form] += 1
    return {word: dict(sorted(counts[word].items(), key=lambda item: (-item[1], item[0]))) for word in sorted(counts)}


def _words_inside(tokens: list[str]) -> Iterator[str]:
    """The words that do not start a sentence."""
    starts = set(starts_of(tokens))
    return (token for index, token in enumerate(tokens) if index not in starts and any(map(str.isalpha, token)))


def _truecaser() -> "MosesTruecaser":
    from sacremoses import MosesTruecaser

    return MosesTruecaser()


def _words_inside_by_moses(truecaser: "MosesTruecaser") -> Callable[[list[str]], Iterator[str]]:
    return lambda tokens: (form for _, form, _ in truecaser.learn_truecase_weights(tokens))


def caser(settings: SideSettings, casing: Casing) -> Caser:
    """The casing function of a side's settings without marks, from the tokens of a sentence to as many tokens."""
    if settings.lowercase:
        return lambda tokens: [token.lower() for token in tokens]
    if not settings.truecase:
        return lambda tokens: tokens
    truecaser = _truecaser()
    truecaser.split_xml = list  # for tokens instead of a line, so that it never divides one
    forms = {word: list(seen) for word, seen in casing.items()}
    truecaser.model = {
        "best": {word: seen[0] for word, seen in forms.items()},
        "known": {form for seen in forms.values() for form in seen[1:]},
    }
    return lambda tokens: truecaser.truecase(tokens, use_known=True)


def detruecase(tokens: list[str]) -> list[str]:
    """``tokens`` with the first word of each sentence capitalised; as many tokens as before."""
    from sacremoses import MosesDetruecaser

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
