"""Mutated files of every format give an InputError in one line or a valid object, never anything else."""

import random
from collections.abc import Callable

import pytest

from discourse_nmt.base.errors import InputError
from discourse_nmt.discourse.formats.brackets import read_brackets
from discourse_nmt.discourse.formats.conllu import read_conllu, write_conllu
from discourse_nmt.discourse.formats.coreference import (
    read_conll_coreference,
    read_gum_coreference,
    write_conll_coreference,
)
from discourse_nmt.discourse.formats.corefud import read_corefud
from discourse_nmt.discourse.formats.dis import read_dis
from discourse_nmt.discourse.formats.dplp import read_merge
from discourse_nmt.discourse.formats.edu_lines import read_edu_lines, write_edu_lines
from discourse_nmt.discourse.formats.rs3 import read_rs3, write_rs3
from discourse_nmt.discourse.formats.rs3_trees import tree_of_graph
from discourse_nmt.discourse.formats.rsd import read_rsd
from discourse_nmt.discourse.formats.scidtb import read_scidtb
from discourse_nmt.discourse.formats.stagedp import read_stagedp
from discourse_nmt.discourse.structures.trees import RstTree, StructureError
from tests.unit.discourse.formats.writers import (
    write_brackets,
    write_dis,
    write_gum_coreference,
    write_rsd,
    write_scidtb,
)
from tests.unit.discourse.structures.discourse_examples import (
    BRACKETS,
    CONLL_COREFERENCE,
    CONLLU,
    COREFUD,
    DIS,
    EDU_LINES,
    GUM_COREFERENCE,
    MERGE,
    RS4,
    RSD,
    SCIDTB,
    STAGEDP,
)


def _tree_of_rs3(content: bytes) -> RstTree:
    return tree_of_graph(read_rs3(content, "x"), "x")


READERS: dict[str, tuple[str, Callable[[bytes], object], Callable[..., object] | None]] = {
    "dis": (DIS, lambda content: read_dis(content, "x"), write_dis),
    "brackets": (BRACKETS, lambda content: read_brackets(content, "x"), write_brackets),
    "rsd": (RSD, lambda content: read_rsd(content, "x"), write_rsd),
    "rs4": (RS4, lambda content: read_rs3(content, "x"), write_rs3),
    "rs4 tree": (RS4, _tree_of_rs3, None),
    "conllu": (CONLLU, lambda content: read_conllu(content, "x"), write_conllu),
    "gum": (GUM_COREFERENCE, lambda content: read_gum_coreference(content, "x"), write_gum_coreference),
    "conll": (
        CONLL_COREFERENCE,
        lambda content: read_conll_coreference(content, "x"),
        write_conll_coreference,
    ),
    "corefud": (COREFUD, lambda content: read_corefud(content, "x"), None),
    "scidtb": (SCIDTB, lambda content: read_scidtb(content, "x"), write_scidtb),
    "merge": (MERGE, lambda content: read_merge(content, "x"), None),
    "stagedp": (STAGEDP, lambda content: read_stagedp(content, "x"), None),
    "edu lines": (EDU_LINES, lambda content: read_edu_lines(content, "x"), write_edu_lines),
}


def mutated(content: bytes, source: random.Random) -> bytes:
    """One to three small accidents: bytes, numbers, pieces and lines lost, doubled, swapped or made up."""
    for _ in range(source.randint(1, 3)):
        start = source.randrange(len(content) or 1)
        end = min(len(content), start + source.choice([1, 1, 2, 5, 30]))
        lines = content.split(b"\n")
        match source.randrange(8):
            case 0:
                content = content[:start] + content[end:]
            case 1:
                content = content[:end] + content[start:end] + content[end:]
            case 2:
                content = content[:start] + bytes([source.randrange(256)]) + content[start + 1 :]
            case 3:
                content = content[:start]
            case 4:
                source.shuffle(lines)
                content = b"\n".join(lines)
            case 5:
                lines.pop(source.randrange(len(lines)))
                content = b"\n".join(lines)
            case 6:
                digits = [place for place, byte in enumerate(content) if chr(byte).isdigit()] or [0]
                place = source.choice(digits)
                content = content[:place] + source.choice([b"0", b"2", b"7", b"-1", b"9" * 12]) + content[place + 1 :]
            case 7:
                piece = source.choice([b"(", b")", b"_!", b"\t", b"\n\n", b"|", b'"', b"<S>", b"\0", "٣".encode()])
                content = content[:start] + piece + content[start:]
    return content


@pytest.mark.parametrize("name", READERS)
def test_mutated_files_give_input_errors_or_valid_objects(name: str) -> None:
    text, read, write = READERS[name]
    refused = 0
    for seed in range(400):
        content = mutated(text.encode(), random.Random(seed))
        try:
            value = read(content)
        except InputError as error:
            refused += 1
            assert "\n" not in str(error)
            assert str(error).startswith("x")
            continue
        if write is not None:
            try:
                written = write(value)
            except (
                StructureError,
                ValueError,
            ):  # an object that this format cannot hold: no text where it needs one
                continue
            again = read(str(written).encode())
            assert getattr(again, "nodes", again) == getattr(value, "nodes", value)
    assert 0 < refused < 400
