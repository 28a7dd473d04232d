"""Campaigns of the game Battle for Wesnoth: texts of scripts (``.cfg``), and their translations in compiled catalogues
of gettext (``.mo``). A script is a document; what somebody says at once, or a part of a story, is one or more sentence
pairs.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from html import unescape

from discourse_nmt.base.settings import setting
from discourse_nmt.base.sources import natural
from discourse_nmt.corpus.documents import Document, Drop
from discourse_nmt.corpus.reading.division import divide
from discourse_nmt.corpus.reading.message_catalogues import translations_of
from discourse_nmt.corpus.reading.requests import Request, by_key
from discourse_nmt.corpus.reading.wml import Piece, Templates, Utterance, read_script, said

MARKUP = re.compile(r"</?[a-z]+(?:\s[^<>]*)?/?>")
BREAK = re.compile(r"[ \t]*\n[ \t\n]*")


@dataclass(frozen=True)
class Options:
    """The unit of a text."""

    split_sentences: bool = setting(
        True, "divide a text into sentences where both sides have the same number of them; else texts stay whole"
    )


def read(request: Request, options: Options) -> Iterator[Document]:
    """The scripts with a text, in natural order of their ids: what the wildcards of the pattern matched.

    A catalogue has the name of its text domain. Texts without a translation are left out and counted. Markup becomes
    text.
    """
    scripts = by_key(request.sources["source"], (".cfg",))
    files = by_key([replace(source, key=None) for source in request.sources["target"]])
    catalogues = {domain: translations_of(file) for domain, file in files.items()}
    utterances, templates = dict[str, list[Utterance]](), Templates()
    for key in sorted(scripts, key=natural):
        utterances[key], defined = read_script(scripts[key])
        templates |= defined
    for key in utterances:
        found = list(said(utterances[key], templates))
        texts = [_sides(utterance.pieces, catalogues) for utterance in found]
        kept = [place for place, text in enumerate(texts) if text[1]]
        document = Document.start(key, scripts[key].name, scripts[key].name)
        document.speakers, document.scenes = [], []
        scenes: dict[object, int] = {}
        for place, (utterance, (source, target)) in enumerate(zip(found, texts)):
            if not target:
                between = bool(kept) and kept[0] < place < kept[-1]
                request.drops.append(Drop(key, utterance.line, "untranslated", source, 1, between))
                continue
            document.line = document.line or utterance.line
            document.add(source, target, utterance.line)
            document.speakers.append(utterance.tag.speaker)
            document.scenes.append(scenes.setdefault(utterance.scene, len(scenes)))
        if len(document):
            if options.split_sentences:
                divide(document, request)
            yield document


def _sides(pieces: list[Piece], catalogues: Mapping[str, Mapping[str, str]]) -> tuple[str, str]:
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
