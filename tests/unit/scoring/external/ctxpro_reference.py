"""The rule of ctxpro's script, literally: sentence splitter, last sentence, form.

``passes_test`` and ``get_last`` are those of ``ctxpro/score.py`` in github.com/rewicks/ctxpro. The splitter is Koehn's,
forwards, with a list of abbreviations that is given.
"""

import string

import regex

STARTERS = r"['\"(\[¿¡\p{Initial_Punctuation}]*"
UPPER = r"[\p{Uppercase_Letter}\p{Other_Letter}]"


def split(text: str, abbreviations: frozenset[str]) -> list[str]:
    text = regex.sub(rf"([?!]) +({STARTERS}{UPPER})", r"\1\n\2", text)
    text = regex.sub(rf"(\.[\.]+) +({STARTERS}{UPPER})", r"\1\n\2", text)
    text = regex.sub(rf"([?!\.][\ ]*['\")\]\p{{Final_Punctuation}}]+) +({STARTERS}[\ ]*{UPPER})", r"\1\n\2", text)
    text = regex.sub(rf"([?!\.]) +(['\"[¿¡\p{{Initial_Punctuation}}]+[\ ]*{UPPER})", r"\1\n\2", text)
    words = text.split(" ")
    for index in range(len(words) - 1):
        found = regex.search(r"([\w\.\-]*)(['\")\]%\p{Final_Punctuation}]*)(\.+)$", words[index])
        if not found:
            continue
        before, marks, following = found.group(1), found.group(2), words[index + 1]
        if before and before in abbreviations and not marks:
            continue
        if regex.search(r"(\.)[\p{Uppercase_Letter}\p{Other_Letter}\-]+(\.+)$", words[index]):
            continue
        if not regex.search(rf"^([ ]*{STARTERS}[ ]*[\p{{Uppercase_Letter}}\p{{Other_Letter}}0-9])", following):
            continue
        numeric = f"{before} #NUMERIC_ONLY#" in abbreviations and not marks
        if not (before and numeric and regex.search("^[0-9]+", following)):
            words[index] += "\n"
    return [sentence.strip() for sentence in " ".join(words).strip().split("\n")]


def get_last(text: str, abbreviations: frozenset[str]) -> str:
    sentences = split(text, abbreviations)
    return sentences[-1] if sentences else text


def passes_test(translation: str, expected_form: str) -> bool:
    translation = translation.lower()
    stripped = ""
    for character in translation:
        if character not in string.punctuation:
            stripped += character
    return f" {expected_form.lower()} " in f" {stripped} "
