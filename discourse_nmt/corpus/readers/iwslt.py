"""TED talks of the IWSLT campaigns: ``train.tags`` files for training, ``.xml`` files for dev and test.

``train.tags`` files are lines of text between lines of tags, not XML. ``<doc>`` or ``<url>`` begins a talk, and
``<talkid>`` names it. The two sides may differ in their tags, but not in a talk's lines of text.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.settings import setting
from discourse_nmt.base.sources import Source
from discourse_nmt.corpus.documents import Document
from discourse_nmt.corpus.reading import mteval
from discourse_nmt.corpus.reading.requests import Request

KNOWN = "url|keywords|speaker|talkid|title|description|reviewer|translator"
INFORMATION = re.compile(rf"<({KNOWN})\b[^>]*>(?:(.*)</\1>)?")
STRUCTURE = re.compile(r"</?([a-z]+)(?: [^<>]*)?>")


@dataclass(frozen=True)
class Options:
    """Tags that hold text."""

    keep: list[str] = setting([], "tags whose text is a sentence: title, description")


@dataclass
class Talk:
    """One side of a talk: first line, id, information tags so far, and ``(text, line)`` of its sentences."""

    line: int
    talkid: str = ""
    seen: set[str] = field(default_factory=set)
    sentences: list[tuple[str, int]] = field(default_factory=list)


def read(request: Request, options: Options) -> Iterator[Document]:
    """The talks under their talkid (``train.tags``) or docid (``.xml``)."""
    for source, target in request.aligned_files("source", "target"):
        if ".xml" in source.filename:
            yield from mteval.pair(source, target, None)
        else:
            yield from _tagged(source, target, options)


def _tagged(source: Source, target: Source, options: Options) -> Iterator[Document]:
    left, right = list(talks(source, options.keep)), list(talks(target, options.keep))
    for original, translation in zip(left, right):
        if original.talkid != translation.talkid:
            raise InputError(
                f"talk {original.talkid} here, talk {translation.talkid} at {target.name}:{translation.line}",
                file=source.name,
                line=original.line,
                remedy="both sides must hold the same talks in the same order",
            )
        if len(original.sentences) != len(translation.sentences):
            raise InputError(
                f"talk {original.talkid} has {len(original.sentences)} lines of text, "
                f"{len(translation.sentences)} at {target.name}:{translation.line}",
                file=source.name,
                line=original.line,
                remedy="line n of a talk must be the translation of line n on the other side",
            )
        document = Document.start(original.talkid, source.name, target.name, original.line)
        for (text, line), (other, place) in zip(original.sentences, translation.sentences):
            document.add(text, other, line, place)
        yield document
    if len(left) != len(right):
        raise InputError(f"holds {len(left)} talks, {target.name} holds {len(right)}", file=source.name)


def talks(source: Source, keep: list[str]) -> Iterator[Talk]:
    """The talks of a ``train.tags`` file; raises :class:`InputError` for tags and text that do not fit."""
    talk: Talk | None = None
    for line, raw in enumerate(source.lines(), start=1):
        text = raw.strip()
        information, structure = INFORMATION.fullmatch(text), STRUCTURE.fullmatch(text)
        if information and information[2] is None:
            raise InputError(f"<{information[1]}> is not closed on its line", file=source.name, line=line)
        name = information[1] if information else structure[1] if structure else None
        if name == "doc" or (name == "url" and (talk is None or "url" in talk.seen)):
            if talk is not None:
                yield _named(talk, source)
            talk = None if text.startswith("</") else Talk(line)
        if structure and not information:
            continue
        if talk is None:
            raise InputError(
                "text outside a talk", file=source.name, line=line, remedy="a talk opens with <doc> or <url>"
            )
        if information and name is not None:
            if name == "talkid":
                if "talkid" in talk.seen:
                    raise InputError(
                        "second <talkid> of a talk", file=source.name, line=line, remedy="is <url> missing?"
                    )
                talk.talkid = information[2].strip()
            talk.seen.add(name)
            if name not in keep:
                continue
        talk.sentences.append((information[2] if information else raw, line))
    if talk is not None:
        yield _named(talk, source)


def _named(talk: Talk, source: Source) -> Talk:
    if not talk.talkid:
        raise InputError("talk without <talkid>", file=source.name, line=talk.line)
    return talk
