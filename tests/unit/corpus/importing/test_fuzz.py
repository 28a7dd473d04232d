"""Damaged files of every format: a one-line refusal or an aligned table, never a traceback, never a shifted line.

Each sentence carries its document, its number and a checksum of both, so that a pair whose two sides are whole and
do not belong together is found, while damage to the text of one sentence is not taken for a shift.
"""

import bz2
import gzip
import lzma
import random
import re
from collections.abc import Callable
from pathlib import Path
from zlib import crc32

import pytest

from discourse_nmt.corpus.errors import InputError
from discourse_nmt.corpus.importing.importing import import_corpus
from discourse_nmt.corpus.importing.plan import plan
from tests.fuzz.inputs import PAYLOADS
from tests.unit.corpus.importing.corpus_samples import COMPRESSORS, WRITERS, Corpus

MUTATIONS = 60
TAG = re.compile(r"\[(\d+)\.(\d+) ([0-9a-f]{8})\]")
DECOMPRESS: dict[str, Callable[[bytes], bytes]] = {
    ".gz": gzip.decompress,
    ".xz": lzma.decompress,
    ".bz2": bz2.decompress,
}
Mutation = Callable[[bytes, random.Random], bytes]
# Where each side says where documents begin, damage to one side cannot move a boundary either.
BOUNDARIES_ON_BOTH_SIDES = {"marked", "turns", "blank_lines", "folder_of_pairs", "iwslt_train", "iwslt_xml", "wmt_sgm"}


def tagged(document: int, number: int) -> tuple[str, str]:
    key = f"{document}.{number}"
    tag = f"[{key} {crc32(key.encode()):08x}]"
    return f'The "first" side, {tag} & more.', f"Die andere Seite {tag}, auch."


def original(text: str) -> tuple[str, str] | None:
    """Document and number of a sentence whose tag is whole."""
    tags = TAG.findall(text)
    whole = {
        (document, number)
        for document, number, check in tags
        if int(check, 16) == crc32(f"{document}.{number}".encode())
    }
    return whole.pop() if len(whole) == 1 else None


CORPUS: Corpus = {str(d): [tagged(d, i) for i in range(3 + d)] for d in range(4)}


def place(data: bytes, dice: random.Random) -> int:
    return dice.randrange(len(data) + 1)


def change_byte(data: bytes, dice: random.Random) -> bytes:
    at = min(place(data, dice), len(data) - 1)
    return data[:at] + bytes([data[at] ^ (1 << dice.randrange(8))]) + data[at + 1 :]


def insert(data: bytes, dice: random.Random) -> bytes:
    at = place(data, dice)
    return data[:at] + dice.choice(PAYLOADS) + data[at:]


def replace(data: bytes, dice: random.Random) -> bytes:
    at = place(data, dice)
    return data[:at] + dice.choice(PAYLOADS) + data[at + 1 :]


def delete(data: bytes, dice: random.Random) -> bytes:
    at = place(data, dice)
    return data[:at] + data[at + dice.randrange(1, 12) :]


def delete_punctuation(data: bytes, dice: random.Random) -> bytes:
    places = [at for at, byte in enumerate(data) if byte in b'\n\t,"<>/&:{}[]=']
    at = dice.choice(places or [0])
    return data[:at] + data[at + 1 :]


def delete_line(data: bytes, dice: random.Random) -> bytes:
    lines = data.split(b"\n")
    del lines[dice.randrange(len(lines))]
    return b"\n".join(lines)


def repeat_line(data: bytes, dice: random.Random) -> bytes:
    lines = data.split(b"\n")
    at = dice.randrange(len(lines))
    return b"\n".join([*lines[:at], lines[at], *lines[at:]])


def truncate(data: bytes, dice: random.Random) -> bytes:
    return data[: place(data, dice)]


def nothing(data: bytes, dice: random.Random) -> bytes:
    return b""


MUTATIONS_OF_BYTES: list[Mutation] = [
    change_byte,
    insert,
    insert,
    replace,
    delete,
    delete_punctuation,
    delete_line,
    repeat_line,
    truncate,
    nothing,
]


def mutate(path: Path, dice: random.Random) -> str:
    """Damage the text of a file, or for every third compressed file its compressed bytes; return what was done."""
    mutation = dice.choice(MUTATIONS_OF_BYTES)
    data = path.read_bytes()
    compress = COMPRESSORS.get(path.suffix)
    inside = compress is not None and ".tar" not in path.name and dice.randrange(3) > 0
    if compress is not None and inside:
        path.write_bytes(compress(mutation(DECOMPRESS[path.suffix](data), dice)))
    else:
        path.write_bytes(mutation(data, dice))
    return f"{mutation.__name__} in {path.name}{' (text)' if inside else ''}"


@pytest.mark.parametrize("name", WRITERS)
def test_damaged_files_are_refused_or_read_aligned(name: str, tmp_path: Path) -> None:
    dice = random.Random(f"damage {name}")
    values = WRITERS[name](tmp_path, CORPUS)
    files = {path: path.read_bytes() for path in sorted(tmp_path.rglob("*")) if path.is_file()}
    refused = read = 0
    for _ in range(MUTATIONS):
        path = dice.choice(list(files))
        done = mutate(path, dice)
        settings = values | {
            "empty_sentences": dice.choice(["error", "drop"]),
            "control_characters": dice.choice(["error", "space"]),
        }
        try:
            imported = import_corpus(plan(settings))
        except InputError as error:
            assert "\n" not in str(error) and str(error)
            refused += 1
        else:
            read += 1
            for document in imported.documents["train"]:
                assert len(document.source.sentences) == len(document.target.sentences) > 0
                tags = filter(None, map(original, document.source.sentences))
                assert name not in BOUNDARIES_ON_BOTH_SIDES or len({number for number, _ in tags}) <= 1, done
                for pair in zip(document.source.sentences, document.target.sentences):
                    source, target = map(original, pair)
                    assert None in (source, target) or source == target, (done, pair)
        path.write_bytes(files[path])
    assert refused + read == MUTATIONS and refused > MUTATIONS // 8


def test_the_mutations_are_many_enough() -> None:
    assert MUTATIONS * len(WRITERS) >= 500
