"""Write the documents of a split with all that is known of their structure as JSON lines.

docs/reference/discourse-formats.md shows an object. Shards are read one at a time.
"""

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain
from pathlib import Path

import pandas as pd

from discourse_nmt.base.progress import progress
from discourse_nmt.base.storage.files import replacing
from discourse_nmt.base.storage.shard_files import read_together
from discourse_nmt.base.storage.tables import read_table
from discourse_nmt.discourse.records.json_lines import ABOUT, json_line
from discourse_nmt.discourse.records.record import DocumentRecord, Link, records
from discourse_nmt.text.settings import SIDES
from discourse_nmt.word_alignment.model import Aligner
from discourse_nmt.workflow_scripts.command import arguments, run


def main() -> None:
    """Parse the arguments, read, join, write."""
    parser = arguments(__doc__)
    add = parser.add_argument
    add("--sentences", nargs="+", required=True, metavar="FILE", help="sentences tables of the split, in order")
    add("--tokens", nargs="+", required=True, metavar="FILE", help="tokens tables of the same shards")
    add("--tables", nargs="*", default=[], metavar="SIDE/TABLE=FILE", help="tables of annotation, in the same order")
    add("--alignment", metavar="FILE", help="table word_translations, for the word alignment")
    for name in ABOUT:
        add(f"--{name.replace('_', '-')}", default="", help="told in every object; empty: null")
    add("--output", type=Path, required=True, metavar="FILE", help="JSON lines to write")
    options = parser.parse_args()

    about = {name: getattr(options, name) or None for name in ABOUT}
    layers: dict[str, list[str]] = {}
    for entry in options.tables:
        name, _, file = entry.partition("=")
        layers.setdefault(name, []).append(file)
    aligner = Aligner(read_table(options.alignment, "word_translations")) if options.alignment else None
    shards = (
        shard
        for number, (sentences, tokens) in enumerate(zip(options.sentences, options.tokens, strict=True))
        for shard in read_together(
            {"sentences": sentences, "tokens": tokens, **{name: files[number] for name, files in layers.items()}},
            {name: name.partition("/")[2] for name in layers},
        )
    )
    made: Iterator[DocumentRecord] = chain.from_iterable(map(documents_of, shards))
    if aligner is not None:
        made = (aligned(record, aligner) for record in made)
    with replacing(options.output) as temporary, temporary.open("w", encoding="utf-8") as file:
        for record in progress(made, "writing", "documents"):
            file.write(f"{json_line(record, about)}\n")


def documents_of(tables: dict[str, pd.DataFrame]) -> Iterator[DocumentRecord]:
    """The documents of a shard; its tables of annotation have the names SIDE/TABLE."""
    by_side: dict[str, dict[str, pd.DataFrame]] = {side: {"tokens": tables["tokens"]} for side in SIDES}
    for name, frame in tables.items():
        side, _, table = name.partition("/")
        if table:
            by_side[side][table] = frame
    return records(tables["sentences"], by_side)


def aligned(record: DocumentRecord, aligner: Aligner) -> DocumentRecord:
    """The ``record`` with its word alignment."""
    source, target = ([row["tokens"] for row in record.layer("tokens", side)] for side in SIDES)
    links: list[list[Link]] = [
        [(place, link) for place, link in enumerate(of_sentence.tolist()) if link >= 0]
        for of_sentence in aligner.align(source, target)
    ]
    return replace(record, links=links)


if __name__ == "__main__":
    run(main)
