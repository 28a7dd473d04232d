"""Campaigns of the game Battle for Wesnoth: texts of scripts (``.cfg``), and their translations in compiled catalogues
of gettext (``.mo``). A script is a document; what somebody says at once, or a part of a story, is one or more sentence
pairs.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from html import unescape

from discourse_nmt.base.sources import natural
from discourse_nmt.corpus.documents import Document
from discourse_nmt.corpus.readers.games.spoken import Options, Spoken, catalogues_of, document_of
from discourse_nmt.corpus.readers.games.wml import Templates, Utterance, WmlString, read_script, said
from discourse_nmt.corpus.reading.requests import Request, by_key

MARKUP = re.compile(r"</?[a-z]+(?:\s[^<>]*)?/?>")
BREAK = re.compile(r"[ \t]*\n[ \t\n]*")


def read(request: Request, options: Options) -> Iterator[Document]:
    """The scripts with a text, in natural order of their ids: what the wildcards of the pattern matched.

    A catalogue has the name of its text domain. Texts without a translation are left out and counted. Markup becomes
    text.
    """
    scripts = by_key(request.sources["source"], (".cfg",))
    catalogues = catalogues_of(request)
    utterances, templates = dict[str, list[Utterance]](), Templates()
    for key in sorted(scripts, key=natural):
        utterances[key], defined = read_script(scripts[key])
        templates |= defined
    for key in utterances:
        spoken = [
            Spoken(one.line, *_sides(one.pieces, catalogues), one.tag.speaker, one.scene)
            for one in said(utterances[key], templates)
        ]
        document = document_of(key, scripts[key], spoken, request, options)
        if len(document):
            yield document


def _sides(pieces: Sequence[WmlString], catalogues: Mapping[str, Mapping[str, str]]) -> tuple[str, str]:
    """Both sides of a text; the target is empty if one of its strings has no translation."""
    translated = [
        catalogues.get(piece.domain, {}).get(piece.text, "") if piece.domain else piece.text for piece in pieces
    ]
    sources = [_without_context(piece.text) if piece.domain else piece.text for piece in pieces]
    complete = all(text or not piece.text for text, piece in zip(translated, pieces))
    return _plain("".join(sources)), _plain("".join(translated)) if complete else ""


def _without_context(text: str) -> str:
    """``text`` without what stands before ``^``, which tells several translations apart."""
    return text.partition("^")[2] if "^" in text else text


def _plain(text: str) -> str:
    """The text on one line, without markup."""
    return unescape(MARKUP.sub("", BREAK.sub(" ", text))).strip()
