"""CTRD: its files read as they are, with their known faults counted; broken and hostile ones told in one line."""

from collections import Counter
from pathlib import Path

import pytest

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.sources import expand
from discourse_nmt.discourse.themes.ctrd import CtrdDocument, CtrdUnit, labelled_words, read_ctrd

CLAUSE = """    <S ID="1">
        <T WORD="但是" CONTENT="但是" FUNCTION="TXT" CONNTOS="0" NUM="1"/>
        <T WORD="他" CONTENT="他 ，" FUNCTION="TOP" CONNTOS1="7" CONNTO1="T" CONNTOT1="TOP" NUM="1"/>
        <R WORD="无法 离开 " CONTENT="无法 离开 。" TYPE="NOR" LINKTOS1="8" LINKTO1="T" LINKTOT1="TOP" NUM="3"/>
    </S>
"""
DOCUMENT = f"""<?xml version="1.0" encoding="UTF-8"?>

<DOC>
{CLAUSE}    <S ID="2">
        <T WORD=" " CONTENT="" FUNCTION="INT" CONNTOS="0" NUM="0"/>
        <R WORD="回国" CONTENT="回国 。" TYPE="OMN" LINKTOS="0" NUM="1"/>
    </S>
</DOC>
"""
ENTITIES = """<!DOCTYPE DOC [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>"""


def test_a_document() -> None:
    document = read_ctrd(DOCUMENT, "x.xml")
    assert document == CtrdDocument(
        (
            (CtrdUnit("TXT", ("但是",)), CtrdUnit("TOP", ("他", "，")), CtrdUnit("NOR", ("无法", "离开", "。"))),
            (CtrdUnit("INT", ()), CtrdUnit("OMN", ("回国", "。"))),
        ),
        wrong_numbers=1,
        without_words=1,
    )
    first, second = (list(labelled_words(clause, omitted=False)) for clause in document.clauses)
    assert first == [
        ("但是", "theme-textual"),
        ("他", "theme-topical"),
        ("，", "theme-topical"),
        *((word, "rheme") for word in ("无法", "离开", "。")),
    ]
    assert second == [("回国", "rheme"), ("。", "rheme")]
    assert {label for _, label in labelled_words(document.clauses[1], omitted=True)} == {"rheme-omitted"}
    assert read_ctrd(("\ufeff" + DOCUMENT).encode(), "x.xml") == document


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("</DOC>", "", "x.xml:14: not XML (no element found)"),
        ('ID="2"', 'ID="3"', "x.xml:9: clause 3 follows clause 1"),
        ('ID="2"', 'ID="٢"', "x.xml:9: ID '٢' is not a whole number"),
        (' ID="2"', "", "x.xml:9: <S> has no ID"),
        ('TYPE="OMN"', 'TYPE="TOP"', "x.xml:11: TYPE is 'TOP', not NOR or OMN"),
        ('FUNCTION="INT"', 'FUNCTION="int"', "x.xml:10: FUNCTION is 'int', not TOP or TXT or INT"),
        ('CONTENT="回国 。"', "", "x.xml:11: <R> has no CONTENT"),
        ('WORD="回国"', "", "x.xml:11: <R> has no WORD"),
        ("<DOC>", "<TEXT>", "x.xml:3: <TEXT> has no place in <>"),
        ('<S ID="2">', '<S ID="2"><S ID="3">', "x.xml:9: <S> has no place in <S>"),
        ("</DOC>", "loose</DOC>", "x.xml:13: text 'loose' outside the attributes of a unit"),
        ("<DOC>", ENTITIES + "<DOC>", "x.xml:3: a document type declaration is not allowed"),
        ("回国", "回\0国", "x.xml:11: a NUL character"),
        (DOCUMENT, "", "x.xml:1: not XML (no element found)"),
    ],
)
def test_faults_are_told_in_one_line(old: str, new: str, message: str) -> None:
    text = DOCUMENT.replace(old, new, 1)
    assert text != DOCUMENT
    with pytest.raises(InputError) as caught:
        read_ctrd(text, "x.xml")
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)


def test_bytes_that_are_not_utf8() -> None:
    with pytest.raises(InputError, match=r"x\.xml:5: byte 78 is not UTF-8"):
        read_ctrd(DOCUMENT.encode().replace("但是".encode(), b"\xff", 1), "x.xml")


def test_the_published_files(shared_data: Path) -> None:
    archive = shared_data / "theme_rheme" / "ctrd_450docs.tar.xz"
    units: Counter[str] = Counter()
    words, clauses, wrong, without, names = 0, 0, 0, 0, set()
    for source in expand(f"{archive}::ctrd/*.xml"):
        content = b"".join(source.blocks())
        document = read_ctrd(content, source.name)
        names.add(source.filename)
        clauses += len(document.clauses)
        wrong, without = wrong + document.wrong_numbers, without + document.without_words
        for clause in document.clauses:
            units.update(unit.kind for unit in clause)
            words += sum(len(unit.words) for unit in clause)
        # Counted in the text itself, without a parser.
        assert content.count(b"<S ") == len(document.clauses)
        assert content.count(b"<T ") + content.count(b"<R ") == sum(map(len, document.clauses))
    assert (len(names), clauses, words, wrong, without) == (450, 39212, 346246, 654, 5)
    assert units == {"TOP": 21812, "TXT": 12189, "INT": 1167, "NOR": 25463, "OMN": 5895}
