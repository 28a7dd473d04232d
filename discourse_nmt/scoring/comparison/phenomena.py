"""Sentences of a test set by what an earlier sentence of their document may decide."""

from collections.abc import Iterable, Mapping

import numpy as np
import pandas as pd

from discourse_nmt.corpus.address.forms import are_known, form_of_address
from discourse_nmt.scoring.alignment.references import KEY
from discourse_nmt.scoring.alignment.translated_words import ABSENT
from discourse_nmt.scoring.metrics.distances import Subsets, by_antecedent

PRONOUN, NOUN, ADDRESS, NONE = "pronoun for an earlier sentence", "noun again", "form of address", "none of these"


def phenomena(
    sentences: pd.DataFrame, analyses: Iterable[Mapping[str, pd.DataFrame]], languages: tuple[str, str]
) -> Subsets:
    """Masks of the ``sentences`` with :data:`PRONOUN`, :data:`NOUN`, :data:`ADDRESS` and :data:`NONE`.

    The first three may overlap; :data:`ADDRESS` is that of the reference, where the words of both ``languages`` are
    known (:func:`.form_of_address`).
    """
    found = dict(taking_up(sentences, analyses))
    if are_known(*languages):
        pairs = zip(sentences["source"], sentences["target"])
        forms = [form_of_address(source, target, languages[1]) for source, target in pairs]
        found[ADDRESS] = np.array([form is not None for form in forms], bool)
    return {**found, NONE: ~np.logical_or.reduce([*found.values()])} if found else {}


def taking_up(sentences: pd.DataFrame, analyses: Iterable[Mapping[str, pd.DataFrame]]) -> Subsets:
    """Masks of the ``sentences`` with words that take up an earlier one: :data:`PRONOUN` and :data:`NOUN`.

    A pronoun counts if the nearest earlier mention of its chain that is no pronoun lies in an earlier sentence; a noun
    counts if an earlier sentence of the document has its lemma. ``analyses`` are tables of the source side by name. The
    first one with ``syntax`` and ``coreference`` counts; without such an analysis there are no masks.
    """
    tables = next((tables for tables in analyses if {"syntax", "coreference"} <= set(tables)), None)
    if tables is None:
        return {}
    words = analysed_words(tables["syntax"])
    pronouns = words[words["upos"] == "PRON"]
    near, *far = by_antecedent(sentences, tables["coreference"], pronouns, pronouns["word"].unique()).values()
    pronoun = sum(far, start=near & False)
    nouns = words[words["upos"] == "NOUN"]
    again = nouns[nouns["sent_id"] > nouns.groupby(["doc_id", "lemma"])["sent_id"].transform("min")]
    noun = pd.MultiIndex.from_frame(sentences[KEY]).isin(pd.MultiIndex.from_frame(again[KEY]))
    return {PRONOUN: pronoun, NOUN: noun}


def analysed_words(syntax: pd.DataFrame) -> pd.DataFrame:
    """A row per word of a table ``syntax``: doc_id, sent_id, start, end, upos, word and lemma, both in lower case.

    The lemma of a word without one is the word.
    """
    columns = {"starts": "start", "ends": "end", "forms": "word", "lemmas": "lemma", "upos": "upos"}
    words = syntax[[*KEY, *columns]].explode(list(columns), ignore_index=True).rename(columns=columns)
    words = words.dropna(subset="start").astype({"start": int, "end": int})
    lemma = words["lemma"].where(words["lemma"] != ABSENT, words["word"])
    return words.assign(word=words["word"].str.lower(), lemma=lemma.str.lower())
