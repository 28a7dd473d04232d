"""The roles of columns by the names in the first row of a table, and whether an unknown first row names columns."""

import re
from collections import Counter
from collections.abc import Sequence
from itertools import groupby

from iso639 import Lang, is_language

WORDS_OF_ROLE = {
    "source": "source src original quelle quelltext ausgangstext",
    "target": "target tgt trg reference ref translation translated ziel zieltext übersetzung",
    "document": "document doc docid documentid article talk file filename dokument datei artikel",
    "text": "text texts txt sentence sentences sent segment seg string line side",
    "id": "id ids name number no nr key",
}
SOURCE_WORDS, TARGET_WORDS, DOCUMENT_WORDS, TEXT_WORDS, ID_WORDS = (
    frozenset(words.split()) for words in WORDS_OF_ROLE.values()
)
# Names of languages in themselves, in German and in French; English names are those of ISO 639.
OTHER_NAMES = {
    "de": "deutsch allemand alemán tedesco",
    "en": "englisch anglais inglés inglese",
    "fr": "français francais französisch franzoesisch francés francese",
    "es": "español espanol spanisch espagnol castellano",
    "it": "italiano italienisch italien",
    "pt": "português portugues portugiesisch portugais",
    "nl": "nederlands niederländisch néerlandais dutch",
    "pl": "polski polnisch polonais",
    "cs": "čeština cesky tschechisch tchèque czech",
    "ru": "русский russisch russe",
    "uk": "українська ukrainisch ukrainien",
    "zh": "中文 汉语 漢語 chinesisch chinois mandarin",
    "ja": "日本語 japanisch japonais",
    "ko": "한국어 koreanisch coréen",
    "ar": "العربية arabisch arabe",
    "tr": "türkçe türkisch turc",
    "sv": "svenska schwedisch suédois",
    "da": "dansk dänisch danois",
    "no": "norsk norwegisch norvégien",
    "fi": "suomi finnisch finnois",
    "hu": "magyar ungarisch hongrois",
    "el": "ελληνικά griechisch grec greek",
    "ro": "română rumänisch roumain",
    "fa": "فارسی persisch persan farsi",
    "he": "עברית hebräisch hébreu",
    "hi": "हिन्दी",
}
LANGUAGE_OF_NAME = {name: code for code, names in OTHER_NAMES.items() for name in names.split()}
IDENTIFIER = re.compile(r"[A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)+|[a-z]+(?:[A-Z][a-z]+)+|[A-Za-z]{1,8}[0-9]{1,2}")
NUMBER = re.compile(r"[-+]?[0-9][0-9.,:%]*")


def language_named(name: str) -> str | None:
    """The ISO 639-1 code that a name, code or tag (``German``, ``Deutsch``, ``deu``, ``de-AT``) means, if it is one."""
    text = name.strip().casefold()
    if text in LANGUAGE_OF_NAME:
        return LANGUAGE_OF_NAME[text]
    code = re.sub(r"(?<=^..)[-_][a-z]{2,4}$", "", text)
    if len(code) == 2:
        return code if code != "id" and is_language(code, "pt1") else None
    known = is_language(text, ("pt2b", "pt3")) or (len(text) > 3 and is_language(name.strip().title(), "name"))
    return (Lang(text if len(text) == 3 else name.strip().title()).pt1 or None) if known else None


def roles_of(names: Sequence[str]) -> tuple[dict[str, str], tuple[str, str] | None]:
    """The columns of source, target and perhaps document by the names of a header, and the languages that these tell.

    Nothing is recognised in names of one language or of one side, such as *German* and *Deutsch*: they are a pair.
    """
    meanings = {name: _meaning(name) for name in names}
    texts = [name for name, meaning in meanings.items() if meaning not in ("", "document")]
    if len(texts) != 2 or meanings[texts[0]] == meanings[texts[1]]:
        return {}, None
    source, target = texts[::-1] if meanings[texts[0]] == "target" or meanings[texts[1]] == "source" else texts
    document = next((name for name, meaning in meanings.items() if meaning == "document"), None)
    languages = (
        None if {"source", "target"} & {meanings[source], meanings[target]} else (meanings[source], meanings[target])
    )
    return {"source": source, "target": target} | ({} if document is None else {"document": document}), languages


def _meaning(name: str) -> str:
    """``source``, ``target``, ``document``, the code of a language, or nothing."""
    if language := language_named(name):
        return language
    words = {word for word in re.split(r"[\W_]+", name.casefold()) if word}
    rest = words - TEXT_WORDS
    for role, own in (("source", SOURCE_WORDS), ("target", TARGET_WORDS)):
        others = rest - own
        if rest & own and all(map(language_named, others)):
            return role
    if words & DOCUMENT_WORDS and words <= DOCUMENT_WORDS | ID_WORDS:
        return "document"
    [only] = rest if len(rest) == 1 else [""]
    return language_named(only) or "" if words - rest else ""


def names_columns(first: Sequence[str], others: Sequence[Sequence[str]]) -> bool:
    """Whether a first row of unknown words seems to name the columns of the ``others`` rather than to be text.

    It is unlike them: a number stands below a word, words are identifiers (``text_a``, ``L1``), a language stands
    beside an unknown word, single words in lower case stand above sentences only, or a document of one row above
    documents of several.
    """
    cells = [cell.strip() for cell in first]
    columns = [[row[place].strip() for row in others if place < len(row)] for place in range(len(cells))]
    if len(others) < 3 or len(set(cells)) < len(cells) or not all(cells):
        return False
    numbered = any(
        not NUMBER.fullmatch(cell) and all(map(NUMBER.fullmatch, column)) for cell, column in zip(cells, columns)
    )
    identifiers = all(map(IDENTIFIER.fullmatch, cells))
    languages = [language_named(cell) for cell in cells if len(cell) > 3]
    beside = len(cells) == 2 and len([code for code in languages if code]) == 1
    lower = all(map(_is_lower_word, cells)) and not any(all(map(_is_lower_word, row)) for row in others)
    return numbered or identifiers or beside or lower or _is_lonely(cells, columns)


def _is_lower_word(cell: str) -> bool:
    return re.fullmatch(r"[a-z]{2,}", cell.strip()) is not None


def _is_lonely(cells: Sequence[str], columns: Sequence[Sequence[str]]) -> bool:
    """Whether the first row would be a document of one row, without a sentence, above documents of several rows."""
    if any(len(cell.split()) > 2 or re.search(r"[^\w\s)]$", cell) for cell in cells):
        return False
    for cell, column in zip(cells, columns):
        runs = [len(list(run)) for _, run in groupby(column)]
        if len(runs) > 1 and min(runs) > 1 and cell not in column and Counter(column)[column[0]] > 1:
            return True
    return False
