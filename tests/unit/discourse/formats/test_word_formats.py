"""Readers and writers of word-based formats: CoNLL-U, DISRPT, coreference, EDU lists."""

import pytest

from discourse_nmt.base.errors import InputError
from discourse_nmt.discourse.formats.conllu import documents_of, edus_of_sentences, read_conllu, write_conllu
from discourse_nmt.discourse.formats.coreference import (
    CoreferenceDocument,
    EntityMention,
    read_conll_coreference,
    read_gum_coreference,
    write_conll_coreference,
)
from discourse_nmt.discourse.formats.dis import read_dis
from discourse_nmt.discourse.formats.edu_lines import (
    read_edu_lines,
    write_edu_lines,
)
from discourse_nmt.discourse.structures.mentions import Mention, Span
from discourse_nmt.discourse.structures.trees import StructureError
from tests.unit.discourse.formats.writers import write_gum_coreference
from tests.unit.discourse.structures.discourse_examples import (
    CONLL_COREFERENCE,
    CONLLU,
    DIS,
    EDU_LINES,
    GUM_COREFERENCE,
)


def test_conllu_keeps_every_byte_and_knows_edu_marks() -> None:
    (sentence,) = read_conllu(CONLLU, "x")
    assert write_conllu([sentence]) == CONLLU
    assert [word.form for word in sentence.words] == ["de", "le", "pain  blanc", "."]
    assert sentence.heads == (2, 2, -1, 2)
    assert sentence.comment("newdoc id", "newdoc_id") == "one"
    assert edus_of_sentences([sentence]) == (Span(0, 0, 2), Span(0, 2, 4))
    assert [(name, len(group)) for name, group in documents_of([sentence] * 3)] == [("one", 1)] * 3
    crlf = read_conllu(b"\xef\xbb\xbf" + CONLLU.replace("\n", "\r\n").encode(), "x")
    assert crlf == [sentence]


def test_tok_files_have_no_sentences_and_no_syntax() -> None:
    words = "".join(f"{n}\tw\t" + "_\t" * 7 + ("BeginSeg=Yes\n" if n in (1, 4) else "_\n") for n in range(1, 6))
    (document,) = read_conllu("# newdoc_id = a\n" + words, "x.tok")
    assert document.heads == ()
    assert edus_of_sentences([document]) == (Span(0, 0, 3), Span(0, 3, 5))
    unmarked = read_conllu(words.replace("BeginSeg=Yes", "_"), "x.tok")
    with pytest.raises(StructureError, match="no word is marked"):
        edus_of_sentences(unmarked)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("\t0\troot", "\t4\troot", "x:1: a sentence has 0 roots"),
        ("\t3\tpunct", "\t0\tpunct", "x:1: a sentence has 2 roots"),
        ("le\tDET\t_\t_\t3", "le\tDET\t_\t_\t1", None),
        ("de\tADP\t_\t_\t3", "de\tADP\t_\t_\t1", "x:1: word 1 is its own ancestor"),
        ("de\tADP\t_\t_\t3", "de\tADP\t_\t_\t33", "x:1: word 1 has the head 33, which is no word"),
        ("de\tADP\t_\t_\t3", "de\tADP\t_\t_\t_", "x:1: a sentence: word 1 has no head"),
        ("4\t.", "5\t.", "x:9: word '5' does not follow word 3"),
        ("4\t.", "4 .", "x:9: 9 filled columns"),
        ("4\t.", "# x\n4\t.", "x:9: a comment between the words"),
        ("1-2\t", "1-99999999999\t", "x:4: word '1-99999999999'"),
        ("pain.", "pain.\0", "x:3: a NUL character"),
    ],
)  # fmt: skip
def test_conllu_faults(old: str, new: str, message: str | None) -> None:
    text = CONLLU.replace(old, new)
    assert text != CONLLU
    if message is None:
        assert read_conllu(text, "x")[0].heads == (2, 0, -1, 2)
        return
    with pytest.raises(InputError, match=message):
        read_conllu(text, "x")


def test_wrong_encoding_is_told_with_its_line() -> None:
    with pytest.raises(InputError, match=r"x:3: byte \d+ is not UTF-8; convert the file to UTF-8"):
        read_conllu(CONLLU.replace("du pain.", "dü pain.").encode("latin-1"), "x")
    with pytest.raises(InputError, match=r"x:1: byte 0 is not UTF-8"):
        read_dis(DIS.encode("utf-16"), "x")


def test_gum_coreference_reads_types_links_and_nested_mentions() -> None:
    (document,) = read_gum_coreference(GUM_COREFERENCE, "x")
    assert document.mentions == (
        EntityMention(0, 1, "1", "person", "Ada_Lovelace"),
        EntityMention(0, 3, "2", "object"),
        EntityMention(2, 3, "3", "object"),
        EntityMention(4, 5, "2", "object"),
    )
    chains = document.chains([3, 2], [(2, 2, -1), (-1, 0)])
    assert chains[1].mentions == (
        Mention(Span(0, 0, 3), Span(0, 2, 3)),
        Mention(Span(1, 1, 2), Span(1, 1, 2)),
    )
    assert document.chains([5])[1].mentions[0] == Mention(Span(0, 0, 3), Span(0, 0, 3))
    for lengths in ([2, 3], [3, 3]):
        with pytest.raises(StructureError):
            document.chains(lengths)


def test_conll_coreference_reads_the_last_column() -> None:
    (document,) = read_conll_coreference(CONLL_COREFERENCE, "x")
    assert (document.name, document.part) == ("x", 1)
    assert document.sentences == (("She", "saw", "her", "car"), ("It",))
    assert document.mentions == (
        EntityMention(0, 1, "12"), EntityMention(2, 3, "12"),
        EntityMention(2, 4, "4"), EntityMention(4, 5, "4"),
    )  # fmt: skip
    assert write_conll_coreference([document]) == CONLL_COREFERENCE


def test_crossing_mentions_survive_unless_they_are_of_one_entity() -> None:
    words = (("a", "b", "c", "d"),)
    crossing = CoreferenceDocument("x", words, (EntityMention(0, 2, "1", "a"), EntityMention(1, 4, "2", "a")))
    assert read_gum_coreference(write_gum_coreference([crossing]), "x") == [crossing]
    nested = CoreferenceDocument("x", words, (EntityMention(0, 2, "1", "a"), EntityMention(0, 4, "1", "a")))
    assert read_gum_coreference(write_gum_coreference([nested]), "x") == [nested]
    same = CoreferenceDocument("x", words, (EntityMention(0, 2, "1"), EntityMention(1, 4, "1")))
    with pytest.raises(StructureError, match="two mentions of 1 cross at word 1"):
        write_conll_coreference([same])


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("(object-3)object-2)", "(object-3)", "x:7: mention object-2 is never closed"),
        ("(object-3)object-2)", "object-3)object-2)", "x:4: mention object-3 ends before it begins"),
        ("(object-3)object-2)", "(object-3))", "x:4: mentions .* unmatched parentheses"),
        ("(object-3)object-2)", "object)object-2)", "x:4: mention 'object' is not in this format"),
        ("# end document\n\n", "", "x:6: document GUM_x has no end"),
        ("# begin document GUM_x\n", "", "x:1: a word outside"),
        ("3\tis", "4\tis", "x:5: not a line for word 3"),
        ("3\tis", "# begin document b\n3\tis", "x:5: a document begins inside document GUM_x"),
    ],
)
def test_gum_coreference_faults(old: str, new: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_gum_coreference(GUM_COREFERENCE.replace(old, new), "x")


def test_edu_lines_with_and_without_marks() -> None:
    edus = read_edu_lines(EDU_LINES, "x")
    assert [(edu.ends_sentence, edu.ends_paragraph) for edu in edus] == [
        (False, False), (True, False), (True, True), (True, True),
    ]  # fmt: skip
    assert write_edu_lines(edus).splitlines()[1:3] == ["to win . <S>", "He <S> <P>"]
    assert read_edu_lines(write_edu_lines(edus), "x") == edus
    plain = read_edu_lines("We try\nto win .\nHe\nwins too .\n", "x")
    assert not any(edu.ends_sentence for edu in plain)
    for marks in ("<P>\n<S>", "<S>\n<P>", "<P> <S>"):
        assert read_edu_lines(f"We win .\n{marks}\nHe too .\n", "x")[0].ends_paragraph
    for text, message in [
        ("", "no EDU"),
        ("<S>\na", "x:1: a mark before"),
        ("a <S> b", "x:1: a sentence or"),
    ]:
        with pytest.raises(InputError, match=message):
            read_edu_lines(text, "x")


@pytest.mark.parametrize(
    ("header", "part"),
    [
        ("#begin document (x);", 0),
        ("#begin document (x)", 0),
        ("# begin document (x);", 0),
        ("#begin document (x); part 7", 7),
        ("#begin document (nw/x_1); part 007", 7),
    ],
)
def test_conll_headers_may_lack_a_part(header: str, part: int) -> None:
    [document] = read_conll_coreference(f"{header}\nx 0 0 John (1)\nx 0 1 sleeps -\n\n#end document\n", "x")
    assert document.part == part and document.sentences == (("John", "sleeps"),)
    assert document.mentions == (EntityMention(0, 1, "1"),)


def test_two_parts_of_a_document_without_numbers_are_not_united() -> None:
    text = "#begin document (x);\nx 0 0 John (1)\n\n#end document\n"
    assert len(read_conll_coreference(text + text.replace("(x)", "(y)"), "x")) == 2
    with pytest.raises(InputError, match=r"x:5: document x, part 0, is there twice; give its parts the numbers 0, 1"):
        read_conll_coreference(text + text, "x")
