"""DiscEvalMT (Bawden et al. 2018): blocks of hand-made pairs of sentences in JSON, anaphora and lexical choice.

Anaphora: ``{"1": {"src": [previous, current], "trg": [{"correct": [previous, current], "incorrect": [...], "type":
"m.pl"}, ...]}, ...}``, with ``semi-correct`` instead of ``correct`` where the antecedent itself is mistranslated.
Lexical choice: ``{"1": {"type": "repet", "examples": [{"src": [...], "trg": {"correct": [...], ...}}, ...]}, ...}``.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.sources import Source
from discourse_nmt.corpus.reading.json_text import Json, fields_of, load, objects_in, strings_in
from discourse_nmt.corpus.reading.requests import Request
from discourse_nmt.corpus.suites.items import Item, document, fault, texts, translated


@dataclass(frozen=True)
class Options:
    """The format has no options."""


def read(request: Request, options: Options) -> Iterator[Item]:
    """The examples of each file, blocks in the order of their numbers."""
    for file in request.sources["files"]:
        blocks = load(file)
        if not isinstance(blocks, dict) or not all(re.fullmatch("[0-9]{1,18}", key) for key in blocks):
            raise InputError("not an object of numbered blocks", file=file.name, remedy='write {"1": {...}, ...}')
        for number in sorted(map(int, blocks)):
            for item in _examples(blocks.get(str(number)), file, number):
                item.block = f"{file.stem} {number}"
                yield item


def _examples(block: Json, file: Source, number: int) -> Iterator[Item]:
    if not isinstance(block, dict):
        raise fault(file, number, "no object")
    if "examples" in block:
        (kind,) = texts(block, file, number, "type")
        for example in _listed(block, "examples", file, number):
            yield _item(example, example.get("trg"), "correct", f"lexical choice/{kind}", file, number)
    else:
        for target in _listed(block, "trg", file, number):
            (kind,) = texts(target, file, number, "type")
            right = "correct" if "correct" in target else "semi-correct"
            yield _item(block, target, right, f"anaphora/{kind}/{right}", file, number)


def _listed(block: dict[str, Json], key: str, file: Source, number: int) -> list[dict[str, Json]]:
    examples = objects_in(block.get(key))
    if not examples:
        raise fault(file, number, f"{key!r} is no list of examples")
    return examples


def _item(source: Json, target: Json, right: str, phenomenon: str, file: Source, number: int) -> Item:
    sides = [_pair(source, "src", file, number), *(_pair(target, key, file, number) for key in (right, "incorrect"))]
    first = document((file, file), number, zip(sides[0], sides[1]), unit="group")
    return Item(first, phenomenon, distance=1, wrong=[translated(first, sides[2], number)])


def _pair(holder: Json, key: str, file: Source, number: int) -> list[str]:
    """The previous and the current sentence."""
    pair = strings_in(fields_of(holder).get(key))
    if pair is None or len(pair) != 2:
        raise fault(file, number, f"{key!r} is no pair of sentences")
    return pair
