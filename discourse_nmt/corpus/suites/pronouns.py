"""Items of pronouns, made from a corpus: translations of *it* whose gender an earlier sentence decides.

A sentence is an item if its source has one *it*, which a chain of coreference links with a noun of an earlier sentence
of the scene, and no other pronoun that could have the words of a gender; and if its translation has the words of one
gender alone. Since chains miss nouns, none with an article may stand before *it* in its sentence. The neuter makes no
items, as most *es* are of no noun. docs/notebook/study/stories.md has the errors of these rules.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from discourse_nmt.base.errors import InputError
from discourse_nmt.corpus.address.forms import OTHERS, WORD, YOU
from discourse_nmt.corpus.address.scenes import Row, pairs_of, rows_of, scenes

SEPARATOR = " <eos> "
IT = "it"
PERSONS = {"he", "him", "his", "himself"} | OTHERS
PRONOUNS = {
    *("i", "me", "my", "mine", "myself", "we", "us", "our", "ours", "ourselves"),
    *("it", "its", "itself", "this", "that", "these", "those", "which", "who", "one", "what"),
    *(YOU | PERSONS),
}
"""Heads of mentions that are no nouns."""
BEFORE_NOUNS = {"the", "a", "an", "this", "that", "these", "those", "my", "your", "our"}
FORMS: Mapping[str, Mapping[str, list[str]]] = {
    "de": {"er": ["er", "ihn"], "sie": ["sie"], "": ["es"]},
    "fr": {"il": ["il"], "elle": ["elle"]},
    "ru": {"он": ["он"], "она": ["она", "её", "ее", "неё", "нее"], "": ["оно"]},
}
"""Words of each gender that are of no other one, by language; "" is the neuter."""


@dataclass(frozen=True)
class PronounItem:
    """The sentence at the end of a ``scene``, whose translation has one of the words of a ``form``.

    ``distance`` is the number of sentences back to the noun.
    """

    scene: list[Row]
    form: str
    expected: list[str]
    distance: int

    def as_json(self) -> dict[str, object]:
        """The object of the suite format ctxpro, with the place in the corpus."""
        *context, sentence = self.scene
        return {
            "src segment": sentence["source"],
            "ref segment": sentence["target"],
            "ref context": [row["target"] for row in context],
            "expected": self.expected,
            "rule": f"pronoun/{self.form}",
            "ante distance": self.distance,
            "document": sentence["doc_id"],
            "sentence": sentence["sent_id"],
            "speaker": sentence["speaker"],
        }

    def as_line(self) -> str:
        """The source of the scene up to the sentence, as ctxpro writes it."""
        return SEPARATOR.join(row["source"] for row in self.scene)


def pronoun_items(sentences: pd.DataFrame, coreference: pd.DataFrame, language: str) -> Iterator[PronounItem]:
    """The items of a ``sentences`` table with chains of its source side, in order.

    Their distance leads to the nearest noun of the chain. Raises :class:`InputError` for a language whose forms are not
    known.
    """
    if language not in FORMS:
        raise InputError(f"pronouns of {language} are not known", remedy=f"choose from {', '.join(FORMS)}")
    chains = dict(iter(coreference.groupby(["doc_id", "chain_id"], sort=False)))
    chain_of = {(row.doc_id, row.sent_id, row.start): row.chain_id for row in coreference.itertuples()}
    for rows in scenes(rows_of(sentences)):
        pairs, places = pairs_of(rows), {row["sent_id"]: place for place, row in enumerate(rows)}
        for place, (row, pair) in enumerate(zip(rows, pairs)):
            form = gender(*pair, language)
            if form is None or pair in pairs[:place]:
                continue
            chain = chain_of.get((row["doc_id"], row["sent_id"], _place_of_it(row["source"])))
            if chain is None:
                continue
            distance = _distance(chains[row["doc_id"], chain], rows, places, place)
            if distance:
                yield PronounItem(rows[: place + 1], form, FORMS[language][form], distance)


def gender(source: str, target: str, language: str) -> str | None:
    """The pronoun that ``target`` has for the only *it* of ``source``; None if either has others, too, or a noun."""
    originals, words = list(map(str.lower, WORD.findall(source))), WORD.findall(target)
    if originals.count(IT) != 1 or PERSONS & set(originals):
        return None
    if language == "de" and "Sie" in words and YOU & set(originals):  # may be a form of address
        return None
    if BEFORE_NOUNS & set(originals[: originals.index(IT)]):
        return None
    found = {form for form, of_form in FORMS[language].items() if set(of_form) & set(map(str.lower, words))}
    return (found.pop() or None) if len(found) == 1 else None


def _place_of_it(source: str) -> int:
    return next(match.start() for match in WORD.finditer(source) if match[0].lower() == IT)


def _distance(chain: Any, rows: list[Row], places: Mapping[int, int], place: int) -> int | None:
    """The sentences back to the nearest noun of the chain; 0 for one in the sentence itself, None without one."""
    nouns = []
    for mention in chain.itertuples():
        found = places.get(mention.sent_id)
        if found is None or found > place:
            continue
        if rows[found]["source"][mention.head_start : mention.head_end].lower() not in PRONOUNS:
            nouns.append(place - found)
    return min(nouns, default=None)
