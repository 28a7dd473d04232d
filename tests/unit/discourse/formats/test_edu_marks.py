"""Marks of EDUs in CoNLL-U: read where they agree, refused with file, line and remedy where they do not."""

import pytest

from discourse_nmt.base.errors import InputError
from discourse_nmt.discourse.backends.files.readings import FORMATS
from discourse_nmt.discourse.formats.conllu import documents_of, edu_starts, edus_of_sentences, read_conllu
from discourse_nmt.discourse.structures.mentions import Span
from discourse_nmt.discourse.treebanks.examples import examples_of
from discourse_nmt.discourse.treebanks.preparation import documents_by_name


def conllu(*rows: str) -> str:
    """A document of rows ``ID FORM HEAD MISC``."""
    lines = []
    for row in rows:
        number, form, head, misc = row.split()
        lines.append("\t".join((number, form, "_", "X", "_", "_", head, "_" if head == "_" else "dep", "_", misc)))
    return "# newdoc id = d\n# sent_id = 1\n" + "\n".join(lines) + "\n\n"


def starts(*rows: str) -> list[bool]:
    [of_sentence] = edu_starts(read_conllu(conllu(*rows), "x", heads=False))
    return of_sentence


AGREEING = {
    "one notation": ["1 a _ Seg=B-seg", "2 b _ Seg=O", "3 c _ seg=b-SEG"],
    "the older notation": ["1 a _ BeginSeg=Yes", "2 b _ BeginSeg=No", "3 c _ X=y|BeginSeg=Yes"],
    "both kinds": ["1 a _ Discourse=joint:1->0|BeginSeg=Yes", "2 b _ _", "3 c _ BeginSeg=Yes|Discourse=cause:2->1"],
    "more of the newer notation": ["1 a _ BeginSeg=Yes|Seg=B-seg", "2 b _ _", "3 c _ Seg=B-seg"],
    "marks of connectives": ["1 a _ BeginSeg=Yes", "2 b _ Seg=B-conn", "3 c _ BeginSeg=Yes"],
    "a token of two words": ["1-2 ab _ BeginSeg=Yes", "1 a _ _", "2 b _ _", "3 c _ BeginSeg=Yes"],
    "a word of a marked token": ["1-2 ab _ Seg=B-seg", "1 a _ Seg=B-seg", "2 b _ _", "2.1 x _ _", "3 c _ Seg=B-seg"],
}  # fmt: skip


@pytest.mark.parametrize("rows", AGREEING.values(), ids=AGREEING.keys())
def test_marks_that_agree_are_read(rows: list[str]) -> None:
    assert starts(*rows) == [True, False, True]
    sentences = read_conllu(conllu(*rows), "x", heads=False)
    assert edus_of_sentences(sentences) == (Span(0, 0, 2), Span(0, 2, 3))
    [(_, texts)] = FORMATS["edus"]["conllu"].read(conllu(*rows), "x")  # type: ignore[misc]
    assert texts in (["a b", "c"], ["ab", "c"])


REFUSED = {
    "an empty node": (["1 a _ BeginSeg=Yes", "1.1 b _ BeginSeg=Yes"], "x:4: the empty node 1.1 begins an EDU, but"),
    "an empty node of GUM": (["1 a _ Discourse=x:1->0", "1.1 b _ Discourse=y:2->1"], "x:4: the empty node 1.1"),
    "inside a token": (["1 a _ Seg=B-seg", "2-3 bc _ _", "2 b _ _", "3 c _ Seg=B-seg"], r"x:6: word 3 .* token 2-3"),
    "inside a marked token": (["1-2 bc _ Seg=B-seg", "1 b _ _", "2 c _ Seg=B-seg"], r"x:5: word 2 .* token 1-2"),
    "a shifted mark": (
        ["1 a _ Discourse=joint:1->0|BeginSeg=Yes", "2 b _ Discourse=cause:2->1", "3 c _ BeginSeg=Yes"],
        "x:4: word 2: Discourse begins an EDU, BeginSeg does not; let all marks",
    ),
    "a mark of one kind alone": (
        ["1 a _ Discourse=joint:1->0|Seg=B-seg", "2 b _ _", "3 c _ Seg=B-seg"],
        "x:5: word 3: Seg begins an EDU, Discourse does not",
    ),
    "a mark that is denied": (["1 a _ BeginSeg=Yes", "2 b _ BeginSeg=Yes|Seg=O"], "x:4: word 2: BeginSeg .* Seg does"),
    "shifted notations": (
        ["1 a _ BeginSeg=Yes|Seg=B-seg", "2 b _ Seg=B-seg", "3 c _ BeginSeg=Yes"],
        "x:5: word 3: BeginSeg and Seg begin EDUs at different words",
    ),
}


@pytest.mark.parametrize(("rows", "message"), REFUSED.values(), ids=REFUSED.keys())
def test_marks_that_contradict_each_other_are_refused(rows: list[str], message: str) -> None:
    text = conllu(*rows)
    sentences = read_conllu(text, "x", heads=False)
    with pytest.raises(InputError, match=message):
        edus_of_sentences(sentences)
    with pytest.raises(InputError, match=message):
        FORMATS["edus"]["conllu"].read(text, "x")  # type: ignore[misc]
    with pytest.raises(InputError, match=message):
        documents_by_name(sentences, "x", "x")
    with pytest.raises(InputError, match=message):
        examples_of(sentences, "x", units=True, features=False)
    assert examples_of(sentences, "x", units=False, features=False) == []


def test_kinds_of_marks_are_compared_within_a_document() -> None:
    text = conllu("1 a _ Discourse=joint:1->0") + conllu("1 b _ BeginSeg=Yes").replace("= d", "= e")
    assert [edus_of_sentences(group) for _, group in documents_of(read_conllu(text, "x"))] == [(Span(0, 0, 1),)] * 2


HEADS = {
    "a word without a head": (["1 a 0 Seg=B-seg", "2 <PER> _ _"], "x:1: sentence 1: word 2 has no head; give every"),
    "two roots": (["1 a 0 Seg=B-seg", "2 b 0 Seg=B-seg"], "x:1: sentence 1 has 2 roots; let one word have the head 0"),
    "a cycle": (["1 a 2 Seg=B-seg", "2 b 1 _", "3 c 0 _"], "x:1: word . is its own ancestor; correct the heads"),
    "no number": (["1 a 0 Seg=B-seg", "2 b x _"], "x:1: head 'x' is not a whole number"),
}


@pytest.mark.parametrize(("rows", "message"), HEADS.values(), ids=HEADS.keys())
def test_only_readers_of_syntax_look_at_heads(rows: list[str], message: str) -> None:
    [(document, texts)] = FORMATS["edus"]["conllu"].read(conllu(*rows), "x")  # type: ignore[misc]
    assert document == "d" and " ".join(texts) == " ".join(row.split()[1] for row in rows)
    with pytest.raises(InputError, match=message):
        FORMATS["syntax"]["conllu"].read(conllu(*rows), "x")  # type: ignore[misc]


PLAIN = "# newdoc\n# sent_id = {0}\n1\t{0}\t_\tX\t_\t_\t0\troot\t_\tSeg=B-seg\n\n2\n".replace("2\n", "")


@pytest.mark.parametrize("mark", ["# newdoc", "#newdoc", "# newdoc ", "# newdoc id =", "#  newdoc"])
def test_a_document_may_begin_without_an_id(mark: str) -> None:
    text = "".join(PLAIN.format(name).replace("# newdoc", mark) for name in "ab")
    documents = list(documents_of(read_conllu(text, "x")))
    assert [(name, len(group)) for name, group in documents] == [(None, 1), (None, 1)]
    named = documents_by_name(read_conllu(text, "x"), "x", "stem")
    assert {name: group[0].words[0].form for name, group in named.items()} == {"stem-0001": "a", "stem-0002": "b"}
    assert named["stem-0001"][0].comment("newdoc id") == "stem-0001"


def test_documents_with_and_without_ids_follow_one_another() -> None:
    text = PLAIN.format("a").replace("newdoc", "newdoc id = first") + PLAIN.format("b")
    assert [name for name, _ in documents_of(read_conllu(text, "x"))] == ["first", None]
    assert list(documents_by_name(read_conllu(text, "x"), "x", "stem")) == ["first", "stem-0002"]
    other = PLAIN.format("a").replace("newdoc", "newdocument")
    assert [name for name, _ in documents_of(read_conllu(other + other, "x"))] == [None]
