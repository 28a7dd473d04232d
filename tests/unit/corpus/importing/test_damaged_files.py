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

from discourse_nmt.base.errors import InputError
from discourse_nmt.corpus.importing.importing import import_corpus
from discourse_nmt.corpus.importing.plan import plan
from tests.fuzz.inputs import KINDS, random_damage
from tests.unit.corpus.importing.corpus_samples import COMPRESSORS, WRITERS, Corpus

DAMAGES = 60
# A line that moves within one side is a shift that no format can notice.
KINDS_OF_DAMAGE = [kind for kind in KINDS if kind != "move line"]
TAG = re.compile(r"\[(\d+)\.(\d+) ([0-9a-f]{8})\]")
DECOMPRESS: dict[str, Callable[[bytes], bytes]] = {
    ".gz": gzip.decompress,
    ".xz": lzma.decompress,
    ".bz2": bz2.decompress,
}
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


def damage(path: Path, dice: random.Random) -> str:
    """Damage the text of a file, or for every third compressed file its compressed bytes; describe the damage."""
    accident = random_damage(dice, KINDS_OF_DAMAGE)
    content = path.read_bytes()
    compress = COMPRESSORS.get(path.suffix)
    inside = compress is not None and ".tar" not in path.name and dice.randrange(3) > 0
    if compress is not None and inside:
        path.write_bytes(compress(accident.done_to(DECOMPRESS[path.suffix](content))))
    else:
        path.write_bytes(accident.done_to(content))
    return f"{accident.kind} in {path.name}{' (text)' if inside else ''}"


@pytest.mark.parametrize("name", WRITERS)
def test_damaged_files_are_refused_or_read_aligned(name: str, tmp_path: Path) -> None:
    dice = random.Random(f"damage {name}")
    values = WRITERS[name](tmp_path, CORPUS)
    files = {path: path.read_bytes() for path in sorted(tmp_path.rglob("*")) if path.is_file()}
    refused = read = 0
    for _ in range(DAMAGES):
        path = dice.choice(list(files))
        done = damage(path, dice)
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
    assert refused + read == DAMAGES and refused > DAMAGES // 8


def test_there_are_enough_damaged_files() -> None:
    assert DAMAGES * len(WRITERS) >= 500
