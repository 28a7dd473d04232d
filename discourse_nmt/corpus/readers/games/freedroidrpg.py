"""Dialogues of the game FreedroidRPG: scripts in Lua, and their translations in compiled catalogues of gettext.

A script is a document. ``Npc:says(_"Hello")`` is said by ``Npc``, the text of a node, ``text = _"Hello"``, by the
player, ``Tux``; a node is a scene. Of several texts, one of which the game draws, the first one counts.
"""

import re
from collections import ChainMap
from collections.abc import Iterator, Mapping

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.sources import Source, natural
from discourse_nmt.corpus.documents import Document
from discourse_nmt.corpus.readers.games.spoken import Options, Spoken, catalogues_of, document_of
from discourse_nmt.corpus.reading.requests import Request, by_key, one_line

PLAYER = "Tux"
TOKEN = re.compile(
    r"""--(?:\[\[(?:[^\]]++|\](?!\]))*+\]\]|[^\n]*+)
    | (?<!\w)id\s*=\s*(?P<node>"[^"\n]*")
    | (?:(?<!\w)(?P<speaker>\w++):says(?:_random)?\s*\(\s*|(?<!\w)(?P<choice>text)\s*=\s*)(?P<mark>_\s*)?
      "(?P<string>(?:[^"\\\n]++|\\.)*+)(?P<closed>")?
    | "(?:[^"\\\n]++|\\.)*+"
    """,
    re.VERBOSE | re.DOTALL,
)
ESCAPE = re.compile(r"\\(.)", re.DOTALL)
MARKUP = re.compile(r"\[/?[a-z]\]")


def read(request: Request, options: Options) -> Iterator[Document]:
    """The scripts with a text, in natural order of their ids: what the wildcards of the pattern matched."""
    scripts = by_key(request.sources["source"], (".lua",))
    translations = ChainMap(*(dict(catalogue) for catalogue in catalogues_of(request).values()))
    for key in sorted(scripts, key=natural):
        spoken = list(_spoken(scripts[key], translations))
        document = document_of(key, scripts[key], spoken, request, options)
        if len(document):
            yield document


def _spoken(script: Source, translations: Mapping[str, str]) -> Iterator[Spoken]:
    line, scene, last = 1, 0, ("", "")
    text, end = script.text(), 0
    for token in TOKEN.finditer(text):
        line, end = line + text.count("\n", end, token.start()), token.start()
        scene += bool(token["node"])
        if token["string"] is not None and not token["closed"]:
            raise InputError('the string has no closing "', file=script.name, line=line, remedy="correct the script")
        if not token["mark"]:
            continue
        message = ESCAPE.sub(lambda found: "\n" if found[1] == "n" else found[1], token["string"])
        speaker = token["speaker"] or PLAYER
        if (speaker, message) != last:  # a choice that the player then says
            yield Spoken(line, _plain(message), _plain(translations.get(message, "")), speaker, scene)
        last = speaker, message


def _plain(text: str) -> str:
    """The text on one line, without markup."""
    return one_line(MARKUP.sub("", text)).strip()
