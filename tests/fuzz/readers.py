"""Every reader of files that are not the project's own, with a small valid file of its format.

A reader takes the files of a sample, of which one is damaged, and gives anything or raises InputError.
"""

import json
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from discourse_nmt.base.archives import members
from discourse_nmt.base.sources import Source, expand
from discourse_nmt.corpus.importing.checks import check
from discourse_nmt.corpus.importing.plan import plan
from discourse_nmt.corpus.reading.requests import Request
from discourse_nmt.corpus.suites.plan import plan as suite_plan
from discourse_nmt.discourse.backends.files import readings
from discourse_nmt.discourse.formats.brackets import read_brackets
from discourse_nmt.discourse.formats.coreference import read_conll_coreference, read_gum_coreference
from discourse_nmt.discourse.formats.dplp import read_merge
from discourse_nmt.discourse.formats.rs3 import read_rs3
from discourse_nmt.discourse.formats.rs3_trees import tree_of_graph
from discourse_nmt.discourse.formats.rsd import read_rsd
from discourse_nmt.discourse.formats.scidtb import read_scidtb
from discourse_nmt.discourse.themes.ctrd import read_ctrd
from discourse_nmt.text.subwords import Segmentation
from discourse_nmt.text.truecasing import load_casing
from tests.unit.corpus.importing.corpus_samples import COMPRESSORS, WRITERS, Corpus, members_of, tar
from tests.unit.corpus.suites.suite_examples import section
from tests.unit.discourse.structures import discourse_examples as examples

CORPUS: Corpus = {"a": [("One & two.", "Eins."), ('"Q" <b>', "'Z'")], "b c": [("Three.", "Drei.")]}
CTRD = """<?xml version="1.0" encoding="utf-8"?>
<DOC><S ID="1"><T FUNCTION="TOP" WORD="我们" NUM="1" CONTENT="我们"/>
<R TYPE="NOR" WORD="去 了" NUM="2" CONTENT="去 了 。"/>
</S>
<S ID="2"><R TYPE="OMN" WORD="" NUM="0" CONTENT=""/></S></DOC>
"""


@dataclass(frozen=True)
class Reader:
    """The sample's files by name, the reader of these files, and whether they are text."""

    files: dict[str, bytes]
    read: Callable[[dict[str, bytes]], object]
    text: bool = True


def _found(roles: dict[str, list[str]]) -> dict[str, list[Source]]:
    """The files of each role."""
    return {role: [one for pattern in patterns for one in expand(pattern)] for role, patterns in roles.items()}


def _reader(sources: dict[str, list[Source]], read: Callable[[dict[str, list[Source]]], object]) -> Reader:
    """A reader of corpus files: their text, without compression, is damaged in memory."""

    def read_damaged(files: dict[str, bytes]) -> None:
        plain = {one.name: Source(_plain(one.name), one.key, one.path, files[one.name]) for one in every}
        read({role: [plain[one.name] for one in found] for role, found in sources.items()})

    every = [one for found in sources.values() for one in found]
    return Reader({one.name: b"".join(one.blocks()) for one in every}, read_damaged)


def _plain(name: str) -> str:
    path = Path(name)
    return str(path.with_suffix("")) if path.suffix in COMPRESSORS else name


def _corpus(values: dict[str, Any]) -> Reader:
    """A format of parallel corpora; sentences are checked as the import does."""
    (split,) = plan(values).splits

    def read(sources: dict[str, list[Source]]) -> None:
        request = Request(split.name, sources, "en", "de")
        for document in split.format.read(request, split.options):
            check(document, drop_empty=True, space_controls=True, drops=request.drops)

    return _reader(_found(split.roles), read)


def _suite(kind: str, folder: Path) -> Reader:
    chosen = suite_plan(section(folder, kind), ("en", "de"))

    def read(sources: dict[str, list[Source]]) -> None:
        for item in chosen.format.read(Request("s", sources, "", ""), chosen.options):
            for document in item.documents:
                document.doc_id = "s"
                check(document, drop_empty=True, space_controls=True, drops=[])

    return _reader(_found(chosen.settings.roles), read)


def _single(text: str, read: Callable[[bytes, str], object]) -> Reader:
    return Reader({"x": text.encode()}, lambda files: read(files["x"], "x"))


def _imported(text: str, reading: readings.Reading) -> Reader:
    """A format of imported annotation, from bytes as they lie in a file."""
    assert reading.read is not None
    read = reading.read
    return Reader({"x": text.encode()}, lambda files: read(Source("x", None, Path("x"), files["x"]).text(), "x"))


def _compressed(suffix: str) -> Reader:
    name = f"x{suffix}"
    return Reader(
        {name: COMPRESSORS[suffix](b"one\ntwo\n" * 20)},
        lambda files: [*Source(name, None, Path(name), files[name]).lines()],
        text=False,
    )


def _archive(suffix: str, content: bytes) -> Reader:
    def read(files: dict[str, bytes]) -> None:
        with tempfile.NamedTemporaryFile(suffix=suffix) as file:
            file.write(files["x"])
            file.flush()
            members(file.name, "talks/*.en", lambda name: name.endswith(".en"))

    return Reader({"x": content}, read, text=False)


def _on_disk(value: Any, load: Callable[[Path], object]) -> Reader:
    def read(files: dict[str, bytes]) -> None:
        with tempfile.NamedTemporaryFile(suffix=".json") as file:
            file.write(files["x"])
            file.flush()
            load(Path(file.name))

    return Reader({"x": json.dumps(value).encode()}, read)


@cache
def readers() -> dict[str, Reader]:
    """Every reader by name."""
    with tempfile.TemporaryDirectory() as folder:
        return _readers(Path(folder))


def _readers(folder: Path) -> dict[str, Reader]:
    """Every reader; the samples that are written below ``folder`` are in memory afterwards."""
    archives = ("tar_of_pairs", "tar_gz_of_pairs", "tar_xz_of_pairs", "zip_of_pairs")
    found = {
        f"corpus {name}": _corpus(write(folder / name, CORPUS))
        for name, write in WRITERS.items()
        if name not in archives
    }
    found |= {
        f"suite {kind}": _suite(kind, folder / "suites" / kind)
        for kind in ("voita", "contrapro", "contracat", "discevalmt", "ctxpro")
    }
    found |= {f"compressed {suffix}": _compressed(suffix) for suffix in COMPRESSORS}
    for suffix, mode in ((".tar", "w"), (".tar.gz", "w:gz"), (".tar.xz", "w:xz"), (".tar.bz2", "w:bz2")):
        tar(folder / f"x{suffix}", members_of(CORPUS), mode)
        found[f"archive {suffix}"] = _archive(suffix, (folder / f"x{suffix}").read_bytes())
    WRITERS["zip_of_pairs"](folder, CORPUS)
    found["archive .zip"] = _archive(".zip", (folder / "corpus.zip").read_bytes())
    texts = {
        "rs3": examples.RS4, "rs4": examples.RS4, "dis": examples.DIS, "stagedp": examples.STAGEDP,
        "dplp": examples.MERGE,
        "edu_lines": examples.EDU_LINES, "conllu": examples.CONLLU, "gum": examples.GUM_COREFERENCE,
        "conll2012": examples.CONLL_COREFERENCE, "corefud": examples.COREFUD,
        "rsd": examples.RSD, "scidtb": examples.SCIDTB,
    }  # fmt: skip
    for stage, formats in readings.FORMATS.items():
        for name, reading in formats.items():
            if reading.read is not None:
                text = examples.BRACKETS if (stage, name) == ("rst", "dplp") else texts[name]
                found[f"annotation {stage} {name}"] = _imported(text, reading)
    found |= {
        "bytes rs4": _single(examples.RS4, lambda content, name: tree_of_graph(read_rs3(content, name), name)),
        "bytes brackets": _single(examples.BRACKETS, read_brackets),
        "bytes rsd": _single(examples.RSD, read_rsd),
        "bytes scidtb": _single(examples.SCIDTB, read_scidtb),
        "bytes merge": _single(examples.MERGE, read_merge),
        "bytes gum": _single(examples.GUM_COREFERENCE, read_gum_coreference),
        "bytes conll2012": _single(examples.CONLL_COREFERENCE, read_conll_coreference),
        "bytes ctrd": _single(CTRD, read_ctrd),
    }
    found["model truecasing"] = _on_disk({"the": {"the": 3, "The": 1}}, load_casing)
    found["model bpe"] = _on_disk({"codes": ["a b</w>", "c d"], "known": ["ab", "c@@"]}, Segmentation.load)
    return found
