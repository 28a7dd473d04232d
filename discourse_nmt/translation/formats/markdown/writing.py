"""Translations as text of Markdown: signs that would be markup are escaped."""

import re

from discourse_nmt.translation.formats.blocks import Writer
from discourse_nmt.translation.formats.inline import REFERENCE

MARKUP = frozenset("\\`*_[]<~|&")
BEGINNING = re.compile(r"#{1,6}(?=\s|$)|>|[-+](?=\s|$)|=+\s*$|\d{1,9}(?P<item>[.)])(?=\s|$)")
BRACKETS = str.maketrans("", "", "[]")


def written_text(text: str, source: str) -> str:
    """Text with escaped signs, but for those that stand bare in the source and cannot be markup here, either."""
    begin = BEGINNING.match(text)
    if begin and begin.group()[:1] not in source:
        cut = begin.start("item") if begin["item"] else 0
        return f"{written_text(text[:cut], source)}\\{text[cut]}{written_text(text[cut + 1 :], source)}"
    parts = []
    for index, sign in enumerate(text):
        before, after = text[index - 1 : index] or " ", text[index + 1 : index + 2] or " "
        if sign == "&":
            reference = REFERENCE.match(text, index)
            bare = reference is None or reference.group() in source
        elif sign == "_":
            bare = before.isalnum() and after.isalnum()
        else:
            bare = sign in source and (sign != "*" or (before.isspace() and after.isspace()))
        parts.append(sign if sign not in MARKUP or bare else f"\\{sign}")
    return "".join(parts)


def written_alternative(text: str, source: str) -> str:
    """The alternative text of an image, which brackets may end."""
    return written_text(text, source.translate(BRACKETS))


def title_writer(before: str) -> Writer:
    """The writer of a title, which ``before`` begins: its end, and that of a cell, is escaped."""
    signs = re.compile(rf"[\\|{re.escape('()' if before == '(' else before)}]")
    return lambda text, source: signs.sub(r"\\\g<0>", text)
