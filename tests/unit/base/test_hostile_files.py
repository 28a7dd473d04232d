"""Files that are made to do harm: each is one line of refusal, in little time and memory; no other file is read."""

import bz2
import gzip
import io
import lzma
import subprocess
import sys
import tarfile
import time
import zipfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.sources import Source, expand
from discourse_nmt.corpus.documents import Document
from discourse_nmt.corpus.readers.wmt.xml import Options, read
from discourse_nmt.corpus.reading import mteval
from discourse_nmt.corpus.reading.json_text import load
from discourse_nmt.corpus.reading.requests import Request
from discourse_nmt.discourse.backends.files.user_files import file_name
from discourse_nmt.discourse.formats.brackets import read_brackets
from discourse_nmt.discourse.formats.conllu import read_conllu
from discourse_nmt.discourse.formats.dis import read_dis
from discourse_nmt.discourse.formats.rs3 import read_rs3
from discourse_nmt.discourse.formats.rs3_trees import tree_of_graph
from discourse_nmt.discourse.formats.rsd import read_rsd
from discourse_nmt.discourse.formats.stagedp import read_stagedp
from discourse_nmt.discourse.themes.ctrd import read_ctrd
from tests.conftest import ROOT
from tests.fuzz.readers import CTRD
from tests.unit.discourse.structures.discourse_examples import RS4

SECRET = "root:x:0:0"
LAUGHS = "".join(f'<!ENTITY a{i} "{f"&a{i - 1};" * 10}">' for i in range(1, 12))
DOCUMENT_TYPES = [
    f'<!DOCTYPE rst [<!ENTITY a0 "ha">{LAUGHS}]>',
    '<!DOCTYPE rst [<!ENTITY a11 SYSTEM "file:///etc/passwd">]>',
    '<!DOCTYPE rst SYSTEM "file:///etc/passwd">',
    '<!DOCTYPE rst [<!ENTITY % a SYSTEM "file:///etc/passwd"> %a;]>',
]


def refusal(read: Callable[[], object]) -> str:
    """The line that a reader refuses a file with; it takes less than 10 CPU-seconds."""
    start = time.process_time()
    with pytest.raises(InputError) as caught:
        read()
    assert time.process_time() - start < 10
    assert "\n" not in str(caught.value) and SECRET not in str(caught.value)
    return str(caught.value)


def source(text: str | bytes, name: str = "x") -> Source:
    return Source(name, None, Path(name), text.encode() if isinstance(text, str) else text)


def documents_of_test_set(file: Source) -> list[Document]:
    return list(read(Request("s", {"files": [file]}, "en", "de"), Options()))


@pytest.mark.parametrize("declaration", DOCUMENT_TYPES)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "latin-1"])
def test_entities_are_never_expanded_nor_fetched(declaration: str, encoding: str) -> None:
    head = f'<?xml version="1.0" encoding="{encoding}"?>{declaration}'
    for body, reader in ((RS4.replace("<body>", "<body>&a11;"), read_rs3), (CTRD[CTRD.index("<DOC>") :], read_ctrd)):
        told = refusal(partial(reader, (head + body).encode(encoding, "replace"), "x"))
        assert "document type" in told or "not UTF-8" in told, told


@pytest.mark.parametrize("declaration", DOCUMENT_TYPES)
def test_test_sets_have_no_entities(declaration: str) -> None:
    assert "is not accepted" in refusal(lambda: documents_of_test_set(source(f"{declaration}<dataset>&a11;</dataset>")))


@pytest.mark.parametrize("depth", [200, 200_000])
def test_deep_xml_is_refused(depth: int) -> None:
    assert "nested more than 100 deep" in refusal(lambda: read_rs3("<rst><header>" + "<a>" * depth, "x"))
    assert "has no place" in refusal(lambda: read_ctrd("<DOC>" * depth, "x"))
    assert "not XML" in refusal(lambda: documents_of_test_set(source("<dataset>" + "<a>" * depth)))


def chain(size: int) -> dict[str, Callable[[], object]]:
    """Structures of ``size`` units, each below the one before: as deep as a structure of that size can be."""
    head = '<rst><header><relations><rel name="elab" type="rst"/></relations></header><body>'
    rs3 = "".join(f'<segment id="{i}" parent="{i - 1}" relname="elab">a</segment>' for i in range(2, size))
    first = '<segment id="1">a</segment>'
    rows = range(1, size)
    opened = "".join(
        f"( {'Satellite' if i else 'Root'} (span {i + 1} {size}) {'(rel2par elab)' if i else ''}"
        f"( Nucleus (leaf {i + 1}) (rel2par span) (text _!a_!) )"
        for i in range(size - 1)
    )
    brackets = "".join(
        f"(({i}, {size}), 'Satellite', 'elab')\n(({i - 1}, {i - 1}), 'Nucleus', 'span')\n" for i in range(2, size + 1)
    )
    return {
        "rs3": lambda: tree_of_graph(read_rs3(f"{head}{first}{rs3}</body></rst>", "x"), "x"),
        "dis": lambda: read_dis(
            f"{opened} ( Satellite (leaf {size}) (rel2par elab) (text _!a_!) ){')' * (size - 1)}", "x"
        ),
        "brackets": lambda: read_brackets(brackets, "x"),
        "stagedp": lambda: read_stagedp("(NS-elab (EDU _!a!_) " * size + "(EDU _!a!_)" + ")" * size, "x"),
        "rsd": lambda: read_rsd(
            "".join(f"{i}\ta\t0\t_\t_\t_\t{i - 1}\t{'ROOT' if i == 1 else 'elab_r'}\t_\t_\n" for i in rows), "x"
        ),
        "conllu": lambda: read_conllu("".join(f"{i}\ta\ta\tX\tX\t_\t{i - 1}\tdep\t_\t_\n" for i in rows), "x"),
    }


@pytest.mark.parametrize("name", chain(2))
def test_the_deepest_structures_are_read_in_linear_time(name: str) -> None:
    read = chain(5000)[name]
    start = time.process_time()
    assert read()
    assert time.process_time() - start < 5  # 0.2 seconds; squared it would be minutes


@pytest.mark.parametrize("rows", [[2, 1], [2, 3, 1], [1]])
def test_cycles_are_refused(rows: list[int]) -> None:
    words = "".join(f"{i}\ta\ta\tX\tX\t_\t{head}\tdep\t_\t_\n" for i, head in enumerate([*rows, 0], start=1))
    assert "its own ancestor" in refusal(lambda: read_conllu(words, "x"))
    edus = "".join(f"{i}\ta\t0\t_\t_\t_\t{head}\telab_r\t_\t_\n" for i, head in enumerate(rows, start=1))
    assert "root" in refusal(lambda: read_rsd(edus, "x"))
    nodes = "".join(f'<group id="{i}" type="span" parent="{head}" relname="span"/>' for i, head in enumerate(rows, 1))
    graph = read_rs3(f'<rst><body>{nodes}<segment id="9">a</segment></body></rst>', "x")
    told = refusal(lambda: tree_of_graph(graph, "x"))
    assert "cycle" in told


@pytest.mark.parametrize(
    "inside", ["a" * 400_000, "a=" * 200_000, "a=\"x' b='" * 50_000, "a " * 200_000, " " * 400_000, "<doc " * 50_000]
)
def test_tags_take_linear_time(inside: str) -> None:
    refusal(lambda: list(mteval.parts(source(f"<doc {inside}>"))))


def test_json_that_repeats_a_key_or_nests_takes_linear_time() -> None:
    keys = ",".join(f'"{number}": 1' for number in range(200_000))
    assert "there twice" in refusal(lambda: load(source(f'{{{keys}, "199999": 2}}')))
    for nested in ("[" * 300_000, '{"a":' * 300_000):
        assert "not JSON" in refusal(partial(load, source(nested)))


def tar(folder: Path, headers: dict[str, str], data: bytes = b"x" * 512) -> str:
    """A tar archive of one member with such headers of the PAX format."""
    with tarfile.open(folder / "a.tar", "w", format=tarfile.PAX_FORMAT) as archive:
        member = tarfile.TarInfo("a.en")
        member.size, member.pax_headers = len(data), headers
        archive.addfile(member, io.BytesIO(data))
    return f"{folder}/a.tar"


SPARSE = {"GNU.sparse.major": "1", "GNU.sparse.minor": "0", "GNU.sparse.name": "a.en"}


@pytest.mark.parametrize(
    ("headers", "data", "message"),
    [
        ({"GNU.sparse.size": str(10**11), "GNU.sparse.numblocks": "1", "GNU.sparse.map": "0,512"}, b"", "has holes"),
        (SPARSE | {"GNU.sparse.realsize": str(10**11)}, b"1\n0\n512\n".ljust(512, b"\0"), "has holes"),
        (SPARSE | {"GNU.sparse.realsize": str(10**11)}, b"9" * 512, "damaged or cut short"),
        ({"size": str(10**11)}, b"", "damaged or cut short"),
        ({"size": "-5"}, b"", "damaged or cut short"),
        ({"path": "../../x"}, b"", "unsafe name"),
    ],
)
def test_members_larger_than_the_archive_are_refused(
    headers: dict[str, str], data: bytes, message: str, tmp_path: Path
) -> None:
    assert message in refusal(lambda: expand(tar(tmp_path, headers, data.ljust(1024, b"x")) + "::*"))


def test_headers_that_announce_headers_are_refused(tmp_path: Path) -> None:
    header = tarfile.TarInfo("././@LongLink")
    header.type, header.size = tarfile.GNUTYPE_LONGNAME, 5
    (tmp_path / "a.tar").write_bytes((header.tobuf(tarfile.GNU_FORMAT) + b"a.en\0".ljust(512, b"\0")) * 3000)
    assert "damaged or cut short" in refusal(lambda: expand(f"{tmp_path}/a.tar::*"))


@pytest.mark.parametrize("doc_id", ["../x", "a/../../x", "/etc/passwd"])
def test_document_ids_do_not_lead_to_other_folders(doc_id: str) -> None:
    names = {"corpus": "c", "split": "s", "side": "source", "table": "rst", "document": doc_id}
    assert "rename the document" in refusal(lambda: file_name("gold/{document}.rs4", names))
    assert file_name("gold/{split}.parquet", names) == "gold/s.parquet"


READ = """
import re, resource, sys
from pathlib import Path

resource.setrlimit(resource.RLIMIT_AS, (1_500_000_000,) * 2)
from discourse_nmt.base import archives
from discourse_nmt.base.errors import InputError
from discourse_nmt.base.sources import expand

archives.ALWAYS_ALLOWED = 1 << 25
try:
    for source in expand(sys.argv[1]):
        for line in source.lines() if sys.argv[2] == "lines" else [source.text()]:
            pass
except InputError as error:
    print(error)
print(int(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1]) // 1024)
"""


def limited(pattern: str, how: str) -> tuple[str, int]:
    """What is said of files, of which 32 MiB are always allowed, and the peak memory in MB."""
    command = [sys.executable, "-c", READ, pattern, how]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    *lines, peak = result.stdout.splitlines()
    return "\n".join(lines), int(peak)


@pytest.mark.parametrize(("how", "message"), [("lines", "line longer than 1,048,576"), ("text", "larger than 256 MiB")])
def test_a_file_without_ends_of_lines_takes_little_memory(how: str, message: str, tmp_path: Path) -> None:
    with (tmp_path / "a.txt").open("wb") as file:
        file.truncate(4 << 30)  # holds nothing, so takes no room on the disk
    told, peak = limited(str(tmp_path / "a.txt"), how)
    assert message in told
    assert peak < (60 if how == "lines" else 400)


@pytest.mark.parametrize("name", ["a.txt.gz", "a.txt.xz", "a.txt.bz2", "a.zip::a.en"])
def test_a_bomb_takes_little_memory(name: str, tmp_path: Path) -> None:
    content = b"a line of a corpus\n" * 2_400_000  # 43 MiB
    path = tmp_path / name.partition("::")[0]
    if path.suffix == ".zip":
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
            archive.writestr("a.en", content)
    else:
        path.write_bytes({".gz": gzip, ".xz": lzma, ".bz2": bz2}[path.suffix].compress(content))
    told, peak = limited(f"{tmp_path}/{name}", "lines")
    assert "grows to more than 100 times its size" in told
    assert peak < 130
