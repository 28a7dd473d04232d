"""The rule of ctxpro's own script (Wicks and Post 2023), for comparison with published figures.

It looks at the last sentence of an output, as the rules of Koehn's sentence splitter for Europarl cut it. An expected
form is found between spaces, in lower case, once ASCII punctuation is gone. So, unlike in the project's own rule,
*Est-elle* is one word, and typographic marks stay on theirs.
"""

import string
from collections.abc import Iterable
from functools import cache

import regex

SIGNATURE = "case:lc|punctuation:ascii-removed|match:words|sentence:last"
UNPUNCTUATED = str.maketrans("", "", string.punctuation)
OPENING, CLOSING, LETTER = r"'\"(\[¿¡\p{Pi}", r"'\")\]\p{Pf}", r"[\p{Lu}\p{Lo}]"
# Each splits at the spaces between two groups.
BORDERS = [
    regex.compile(rf"([?!]) +([{OPENING}]*{LETTER})"),
    regex.compile(rf"(\.\.+) +([{OPENING}]*{LETTER})"),
    regex.compile(rf"([?!.] *[{CLOSING}]+) +([{OPENING}]* *{LETTER})"),
    regex.compile(rf"([?!.]) +(['\"\[¿¡\p{{Pi}}]+ *{LETTER})"),
]
BEFORE = regex.compile(r"([\w.\-]*)(['\")\]%\p{Pf}]*)\.+$")
ACRONYM = regex.compile(r"\.[\p{Lu}\p{Lo}\-]+\.+$")
BEGINNING = regex.compile(rf" *[{OPENING}]* *[\p{{Lu}}\p{{Lo}}0-9]")
NUMERIC = " #NUMERIC_ONLY#"


def last_sentence(text: str, language: str) -> str:
    """The last sentence of a text, by marks and capital letters; a full stop after an abbreviation ends none."""
    for border in BORDERS:
        text = border.sub("\\1\n\\2", text)
    last = text.strip().split("\n")[-1]
    words = regex.split(" +", last)
    for place in range(len(words) - 1, 0, -1):
        if _ends(words[place - 1], words[place], language):
            return " ".join(words[place:])
    return last


def has_form(output: str, forms: Iterable[str], language: str) -> bool:
    """Whether the last sentence of an output has one of the forms, as the script compares them."""
    words = f" {last_sentence(output.strip(), language).lower().translate(UNPUNCTUATED)} "
    return any(f" {form.lower()} " in words for form in forms)


def _ends(word: str, following: str, language: str) -> bool:
    """Whether a full stop at the end of a word ends its sentence."""
    found = BEFORE.search(word)
    if not found or ACRONYM.search(word) or not BEGINNING.match(following):
        return False
    before, marks = found.groups()
    abbreviations = _abbreviations(language)
    if not before or marks:
        return True
    return before not in abbreviations and not (f"{before}{NUMERIC}" in abbreviations and following[0].isdecimal())


@cache
def _abbreviations(language: str) -> frozenset[str]:
    """Words of a language that a full stop follows within a sentence, as Moses lists them; English ones without any."""
    from sacremoses.corpus import NonbreakingPrefixes

    lists = NonbreakingPrefixes()
    return frozenset(lists.words(language if language in lists.available_langs.values() else "en"))
