"""Voita's consistency sets (Voita, Sennrich and Titov 2019): groups of sentences in JSON, several translations each.

``[{"src": "a _eos b _eos c _eos d", "dst": ["... _eos ...", ...], "true_ind": 0, "ctx_dist": 3}, ...]``. Each file is
one phenomenon, which has the file's name.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.settings import setting
from discourse_nmt.base.sources import Source
from discourse_nmt.corpus.reading.json_text import Json, fields_of, load, strings_in
from discourse_nmt.corpus.reading.requests import Request
from discourse_nmt.corpus.suites.items import Item, distance_of, document, fault, texts, translated


@dataclass(frozen=True)
class Options:
    """How sentences are divided, and how the tokenised source is joined."""

    separator: str = setting("_eos", "separator of the sentences of a group")
    attached: list[str] = setting([], "source words that are written without the space before them, for example 's")


def read(request: Request, options: Options) -> Iterator[Item]:
    """The groups of each file."""
    for file in request.sources["files"]:
        groups = load(file)
        if not isinstance(groups, list):
            raise InputError("not a list of groups", file=file.name, remedy='write [{"src": ..., "dst": [...]}, ...]')
        for number, group in enumerate(groups, start=1):
            yield _item(fields_of(group), number, file, options)


def _item(group: dict[str, Json], number: int, file: Source, options: Options) -> Item:
    (source,) = texts(group, file, number, "src")
    candidates, right = strings_in(group.get("dst")), group.get("true_ind")
    if candidates is None:
        raise fault(file, number, "'dst' is no list of texts")
    if not isinstance(right, int) or isinstance(right, bool) or not 0 <= right < len(candidates):
        raise fault(file, number, f"'true_ind' is {right!r}, no place in the {len(candidates)} texts of 'dst'")
    for word in options.attached:
        source = re.sub(rf"(?<=\w) {re.escape(word)}(?!\S)", lambda match: match.group()[1:], source)
    sentences = source.split(options.separator)
    translations = [text.split(options.separator) for text in candidates]
    for index, translation in enumerate(translations):
        if len(translation) != len(sentences):
            raise fault(file, number, f"text {index} of 'dst' has {len(translation)} sentences, 'src' {len(sentences)}")
    first = document((file, file), number, zip(sentences, translations[right]), unit="group")
    return Item(
        right=first,
        phenomenon=file.stem,
        distance=distance_of(group, "ctx_dist", file, number),
        wrong=[translated(first, text, number) for index, text in enumerate(translations) if index != right],
    )
