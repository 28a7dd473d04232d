"""Readers and writers of interchange formats: the traps of each, faults in one line, mutated files."""

import json
import random
from collections.abc import Callable

import pytest

from corpus.errors import InputError
from discourse.conversions import hirao13, li14
from discourse.formats.brackets import read_brackets, write_brackets
from discourse.formats.conllu import (
    documents_of,
    edus_of_sentences,
    read_conllu,
    write_conllu,
)
from discourse.formats.coreference import (
    CoreferenceDocument,
    EntityMention,
    read_conll_coreference,
    read_gum_coreference,
    write_conll_coreference,
    write_gum_coreference,
)
from discourse.formats.dis import read_dis, write_dis
from discourse.formats.dplp import read_dplp, read_merge
from discourse.formats.edu_lines import (
    place_sentence_ends,
    read_edu_lines,
    spans_of_edu_lines,
    write_edu_lines,
)
from discourse.formats.rs3 import read_rs3, write_rs3
from discourse.formats.rs3_trees import graph_of_tree, tree_of_graph
from discourse.formats.rsd import RsdDocument, read_rsd, write_rsd
from discourse.formats.scidtb import read_scidtb, write_scidtb
from discourse.formats.stagedp import read_stagedp
from discourse.mentions import Mention, Span
from discourse.trees import RstTree, StructureError, join, leaf
from tests.unit.discourse_examples import deep_tree, tree_a, trees

DIS = write_dis(tree_a())
BRACKETS = write_brackets(tree_a())
RSD = write_rsd(RsdDocument(li14(tree_a()), tree_a().texts))
RS4 = """<rst>
\t<header>
\t\t<relations>
\t\t\t<rel name="evidence" type="rst"/>
\t\t\t<rel name="joint" type="multinuc"/>
\t\t</relations>
\t\t<sigtypes>
\t\t\t<sig type="dm" subtypes="dm"/>
\t\t</sigtypes>
\t</header>
\t<body>
\t\t<segment id="1" parent="5" relname="span">It rained &amp; &lt;poured></segment>
\t\t<segment id="2" parent="4" relname="joint">because "A"</segment>
\t\t<segment id="3" parent="4" relname="joint">and B .</segment>
\t\t<group id="4" type="multinuc" parent="1" relname="evidence"/>
\t\t<group id="5" type="span"/>
\t\t<secedges>
\t\t\t<secedge id="3-1" source="3" target="1" relname="evidence"/>
\t\t</secedges>
\t\t<signals>
\t\t\t<signal source="4" type="dm" subtype="dm" tokens="5,6"/>
\t\t\t<signal source="3-1" type="dm" subtype="dm" tokens="" status="unsure"/>
\t\t</signals>
\t</body>
</rst>"""
CONLLU = """# newdoc id = one
# newpar
# text = du pain.
1-2\tdu\t_\t_\t_\t_\t_\t_\t_\tSeg=B-seg
1\tde\tde\tADP\t_\t_\t3\tcase\t_\tBeginSeg=Yes|BeginSeg=Yes
2\tle\tle\tDET\t_\t_\t3\tdet\t_\tX=a=b|X=c
2.1\tbon\t_\t_\t_\t_\t_\t_\t_\t_
3\tpain  blanc\tpain\tNOUN\t_\t_\t0\troot\t_\tSeg=B-Seg
4\t.\t.\tPUNCT\t_\t_\t3\tpunct\t_\tMSeg=b-seg

"""
GUM_COREFERENCE = """# begin document GUM_x
0\tHer\t(person-1-Ada_Lovelace)(object-2
1\told\t_
2\tcar\t(object-3)object-2)
3\tis\t_
4\tits\t(object-2)
# end document

"""
CONLL_COREFERENCE = """#begin document (x); part 001
x\t1\t0\tShe\t(12)
x\t1\t1\tsaw\t-
x\t1\t2\ther\t(4|(12)
x\t1\t3\tcar\t4)

x\t1\t0\tIt\t(4)

#end document
"""
SCIDTB = '\ufeff{"root": [' + ", ".join(
    json.dumps({"id": number, "parent": parent, "text": text, "relation": relation})
    for number, (parent, text, relation) in enumerate(
        [
            (-1, "ROOT", "null"), (0, "We try ", "ROOT"),
            (1, "to win . <S>", "enablement"), (-1, "Ha <S>", "null"),
        ]
    )
) + "]}"  # fmt: skip
MERGE = "".join(
    f"{sentence}\t{word}\t{form}\tx\tNN\tdep\t0\tO\t (ROOT\t{edu}\n{gap}"
    for sentence, word, form, edu, gap in [
        (0, 1, "We", 1, ""), (0, 2, "win", 2, "\n"),
        (1, 1, "He", 3, ""), (1, 2, "does", 3, "\n"), (2, 1, ".", 4, "\n"),
    ]
)  # fmt: skip
STAGEDP = "(NS-Evidence\n  (EDU _!We_win_-LRB-_now!_)\n  (NN-Joint (EDU _!a_b!_) (EDU _!c!_)))"
EDU_LINES = "We try\nto win . <S>\nHe\n<S>\n<P>\nwins too .\n"


def test_dis_texts_hold_parentheses_and_foreign_marks() -> None:
    text = DIS.replace("_!e2_!", "_!(e2) (text _! ( Nucleus_!").replace("\n", " //TT_ERR\n", 2)
    tree = read_dis(text.replace(" //TT_ERR", "", 1), "x.dis")
    assert tree.nodes == tree_a().nodes
    assert tree.texts[1] == "(e2) (text _! ( Nucleus"
    assert read_dis("( Root (leaf 1) (text _!alone_!) )", "x").texts == ("alone",)


def test_dis_is_written_as_gum_writes_it() -> None:
    assert DIS.splitlines()[:3] == [
        "( Root (span 1 4) ",
        "  ( Nucleus (leaf 1) (rel2par span) (text _!e1_!) )",
        "  ( Satellite (span 2 4) (rel2par evidence)",
    ]
    with pytest.raises(ValueError, match="needs a text without"):
        write_dis(join([(leaf(), "nucleus", "a"), (leaf(), "nucleus", "a")]))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("(span 2 4)", "(span 2 5)", "x.dis:3: Satellite of EDUs 2 to 5 covers EDUs 2 to 4"),
        ("(leaf 3)", "(leaf 4)", "x.dis:6: Satellite of EDU 4, but EDU 3 comes next"),
        ("Satellite (leaf 3)", "Nucleus (leaf 3)", None),
        ("( Satellite (leaf 3)", "( Satelite (leaf 3)", "x.dis:6: not a node of a .dis tree"),
        (" (text _!e3_!)", "", "x.dis:6: Satellite of EDU 3: a leaf has a text"),
        ("(rel2par evidence)", "", "x.dis:3: Satellite of EDUs 2 to 4 has no rel2par"),
        ("\n)\n", "\n", "the tree ends before its last parenthesis"),
        ("\n)\n", "\n)\n(", "text after the end of the tree"),
        ("Nucleus (leaf 1)", "Root (leaf 1)", "x.dis:2: Root of EDU 1 is out of place"),
        ("Nucleus (leaf 1)", "Satellite (leaf 1)", "x.dis: node Root of EDUs 1 to 4 .*nucleus"),
    ],
)  # fmt: skip
def test_dis_faults(old: str, new: str, message: str | None) -> None:
    text = DIS.replace(old, new)
    assert text != DIS
    if message is None:
        assert read_dis(text, "x.dis").nodes[5].relation == "elaboration"
        return
    with pytest.raises(InputError, match=message):
        read_dis(text, "x.dis")


def test_brackets_are_in_post_order_without_the_root() -> None:
    assert BRACKETS.splitlines() == [
        "((1, 1), 'Nucleus', 'span')",
        "((2, 2), 'Nucleus', 'span')",
        "((3, 3), 'Satellite', 'elaboration')",
        "((2, 3), 'Nucleus', 'joint')",
        "((4, 4), 'Nucleus', 'joint')",
        "((2, 4), 'Satellite', 'evidence')",
    ]
    assert read_brackets("\n".join(reversed(BRACKETS.splitlines())), "x", tree_a().texts) == tree_a()
    assert read_brackets("", "x", ["alone"]) == leaf("alone")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("(2, 3)", "(1, 3)", "x: span 2 to 4 crosses 1 to 3"),
        ("(2, 3)", "(3, 2)", "x:4: span 3 to 2 is there twice or empty"),
        ("((2, 2), 'Nucleus', 'span')\n", "", r"x: node \(2, 3\) has a single child"),
        ("((1, 1), 'Nucleus', 'span')\n", "", "no node begins at EDU 1|single child"),
        ("'Nucleus', 'joint'", "'Nukleus', 'joint'", "x:4: .* is not like"),
    ],
)  # fmt: skip
def test_brackets_faults(old: str, new: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_brackets(BRACKETS.replace(old, new), "x")
    with pytest.raises(InputError, match="1 texts for 4 EDUs"):
        read_brackets(BRACKETS, "x", ["one"])


def test_rsd_rows_carry_levels_and_suffixes() -> None:
    assert RSD.splitlines()[3] == "4\te4\t1\t_\t_\t_\t2\tjoint_m\t_\t_"
    assert read_rsd(RSD, "x").dependencies == li14(tree_a())
    forest = RsdDocument(hirao13(tree_a()), tree_a().texts)
    assert read_rsd(write_rsd(forest), "x").dependencies.heads == forest.dependencies.heads


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("\t2\tjoint_m", "\t4\tjoint_m", "x: EDU 4 is its own ancestor"),
        ("\t2\tjoint_m", "\t9\tjoint_m", "x: EDU 4 has the head 9"),
        ("\t2\tjoint_m", "\tx\tjoint_m", "x:4: head 'x' is not a whole number"),
        ("\t2\tjoint_m", "\t0\tjoint_m", "x:4: EDU 4 has head 0 and relation 'joint_m'"),
        ("4\te4", "5\te4", "x:4: EDU 5, but EDU 4 comes next"),
        ("4\te4\t", "4\te4\t\t", "x:4: 11 columns"),
    ],
)
def test_rsd_faults(old: str, new: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_rsd(RSD.replace(old, new), "x")


def test_rs4_keeps_edges_and_signals_and_gives_the_tree() -> None:
    graph = read_rs3(RS4, "x.rs4")
    assert write_rs3(graph) == RS4
    assert graph.secondary_edges[0].relation == "evidence"
    assert graph.signals[0].tokens == (5, 6)
    pair = join([(leaf('because "A"'), "nucleus", "joint"), (leaf("and B ."), "nucleus", "joint")])
    expected = join([(leaf("It rained & <poured>"), "nucleus", "span"), (pair, "satellite", "evidence")])
    assert tree_of_graph(graph, "x.rs4") == expected


def test_rs3_satellites_attach_to_segments_groups_and_multinuclear_groups() -> None:
    body = (
        '<segment id="1" parent="2" relname="cause">a</segment>'
        '<segment id="2" parent="9" relname="joint">b</segment>'
        '<segment id="3" parent="9" relname="joint">c</segment>'
        '<segment id="4" parent="9" relname="cause">d</segment>'
        '<group id="9" type="multinuc"/>'
    )
    relations = '<relations><rel name="joint" type="multinuc"/><rel name="cause"/></relations>'
    header = f"<header><encoding/>{relations}</header>"
    tree = tree_of_graph(read_rs3(f"<rst>{header}<body>{body}</body></rst>".encode(), "x"), "x")
    left = join([(leaf("a"), "satellite", "cause"), (leaf("b"), "nucleus", "span")])
    pair = join([(left, "nucleus", "joint"), (leaf("c"), "nucleus", "joint")])
    assert tree == join([(pair, "nucleus", "span"), (leaf("d"), "satellite", "cause")])


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (' parent="5" relname="span"', "", "x: 2 nodes have no parent"),
        ('type="span"/>', 'type="span" parent="4" relname="span"/>', "x: 0 nodes have no parent"),
        ('id="2" parent="4"', 'id="2" parent="5"', "x: node 4 with its satellites: |x: node .*not adjacent"),
        ('parent="1" relname="evidence"', 'parent="77" relname="evidence"', "x: node 4 has the parent 77"),
        ('parent="1" relname="evidence"', 'parent="4" relname="joint"', "x: node .* in a cycle|not adjacent"),
        ('parent="1" relname="evidence"', 'parent="1"', "x:15: node 4 has a parent and no relname"),
        ('id="3" parent', 'id="2" parent', "x:14: node 2 is there twice"),
        ('type="span"', 'type="spam"', "x:16: a group of the type 'spam'"),
        ('source="3" target="1"', 'source="3" target="8"', "x: secondary edge 3-1 names node 8"),
        ('tokens="5,6"', 'tokens="5,a"', "x:21: word 'a' is not a whole number"),
        ("<body>", "<body><video/>", "x:11: <video> has no place in <body>"),
        ("<rst>", '<!DOCTYPE r [<!ENTITY a "b">]><rst>', "x:1: a document type declaration is not allowed"),
        ("</segment>", "</segmen>", "x:12: not XML"),
        ("and B .", "&unknown;", "not XML"),
    ],
)  # fmt: skip
def test_rs3_faults_name_the_node(old: str, new: str, message: str) -> None:
    text = RS4.replace(old, new)
    assert text != RS4
    with pytest.raises(InputError, match=message):
        tree_of_graph(read_rs3(text, "x"), "x")


def test_rs3_honours_a_declared_encoding() -> None:
    text = '<?xml version="1.0" encoding="iso-8859-1"?><rst><body><segment id="1">Öl</segment></body></rst>'
    assert tree_of_graph(read_rs3(text.encode("latin-1"), "x"), "x").texts == ("Öl",)
    with pytest.raises(InputError, match="not XML"):
        read_rs3(text.replace("iso-8859-1", "utf-8").encode("latin-1"), "x")
    with pytest.raises(InputError, match="encoding"):
        read_rs3(text.replace("iso-8859-1", "shift-jis").encode("latin-1"), "x")


def test_random_trees_survive_every_tree_format() -> None:
    for tree in [*trees(), deep_tree(1500)]:
        texts = tree.texts or tuple(f"]]> & {number} <\r" for number in range(len(tree.leaves)))
        tree = RstTree(tree.nodes, texts)
        assert read_dis(write_dis(tree), "x") == tree
        assert read_brackets(write_brackets(tree), "x", texts) == tree
        assert tree_of_graph(read_rs3(write_rs3(graph_of_tree(tree)), "x"), "x") == tree


def test_rs3_refuses_what_it_cannot_hold() -> None:
    parts = [(leaf(), "nucleus", "joint"), (leaf(), "nucleus", "joint"), (leaf(), "satellite", "cause")]
    with pytest.raises(StructureError, match="several nuclei beside satellites"):
        graph_of_tree(join(parts))  # type: ignore[arg-type]


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
    words = "".join(
        f"{n}\tw\t" + "_\t" * 7 + ("BeginSeg=Yes\n" if n in (1, 4) else "_\n") for n in range(1, 6)
    )
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


def test_scidtb_has_a_byte_order_mark_and_unattached_units() -> None:
    document = read_scidtb(SCIDTB.encode(), "x")
    assert document.dependencies.heads == (-1, 0, -1)
    assert document.dependencies.relations == ("ROOT", "enablement", "ROOT")
    assert document.texts == ("We try", "to win .", "Ha")
    assert document.sentences == (0, 0, 1)
    assert read_scidtb(write_scidtb(document), "x") == document
    for old, new, message in [
        ('"parent": 1', '"parent": 2', "x: EDU 2 is its own ancestor"),
        ('"parent": 1', '"parent": 9', "x: EDU 2 has the head 9"),
        ('"parent": 1', '"parent": "1"', "x: unit 2 has no parent of the right type"),
        ('"id": 2', '"id": 3', "x: unit 2 has the id 3"),
        ('"root"', '"roots"', "x: not a SciDTB file"),
        ("]}", "]", "x:1: not JSON"),
    ]:
        with pytest.raises(InputError, match=message):
            read_scidtb(SCIDTB.replace(old, new), "x")
    with pytest.raises(InputError, match="not JSON"):
        read_scidtb("[" * 100_000, "x")


def test_dplp_joins_words_and_tree() -> None:
    document, tree = read_dplp(MERGE, BRACKETS, "x.merge", "x.brackets")
    assert document.sentences == (("We", "win"), ("He", "does"), (".",))
    assert document.edus == (Span(0, 0, 1), Span(0, 1, 2), Span(1, 0, 2), Span(2, 0, 1))
    assert tree.nodes == tree_a().nodes
    assert tree.texts == ("We", "win", "He does", ".")
    for old, new, message in [
        ("\t4\n", "\t5\n", "x:7: EDU 5, but EDU 4 comes next"),
        ("\t4\n", "\t3\n", "x:7: EDU 3 goes on into sentence 2; an EDU must lie in one sentence"),
        ("2\t1\t.", "3\t1\t.", "x:7: sentence 3, but sentence 2 comes next"),
        ("2\t1\t.", "2\t2\t.", "x:7: word 2 of sentence 2 is out of order"),
        ("\t4\n", "\n", "x:7: 9 columns"),
    ]:
        with pytest.raises(InputError, match=message):
            read_merge(MERGE.replace(old, new), "x")
    with pytest.raises(InputError, match="4 texts for 1 EDUs"):
        read_dplp(MERGE, "", "x.merge", "x.brackets")


def test_stagedp_labels_give_both_roles() -> None:
    tree = read_stagedp(STAGEDP, "x")
    pair = join([(leaf("a b"), "nucleus", "Joint"), (leaf("c"), "nucleus", "Joint")])
    expected = join([(leaf("We win -LRB- now"), "nucleus", "span"), (pair, "satellite", "Evidence")])
    assert tree == expected
    numbered = read_stagedp("( SN-Attribution (EDU 1)\n(EDU 2))", "x")
    assert [node.nuclearity for node in numbered.nodes] == ["root", "satellite", "nucleus"]
    assert numbered.texts == ()
    for text, message in [
        (STAGEDP[:-1], "x:3: the tree ends before"),
        (STAGEDP.replace("NN-", "SS-"), "x: node SS-Joint number 2 has no nucleus"),
        (STAGEDP.replace("(EDU _!c!_)", ""), "x:3: NN-Joint number 2 has not two children"),
        (STAGEDP.replace("NN-Joint", "Joint"), "x:3: not a node of a tree"),
        ("(NN-Joint (EDU 1) (EDU 3))", "x:1: EDU 2 has the number 3"),
        ("", "the tree ends before"),
    ]:
        with pytest.raises(InputError, match=message):
            read_stagedp(text, "x")


def test_edu_lines_with_and_without_marks() -> None:
    edus = read_edu_lines(EDU_LINES, "x")
    assert [(edu.ends_sentence, edu.ends_paragraph) for edu in edus] == [
        (False, False), (True, False), (True, True), (True, True),
    ]  # fmt: skip
    assert write_edu_lines(edus).splitlines()[1:3] == ["to win . <S>", "He <S> <P>"]
    assert read_edu_lines(write_edu_lines(edus), "x") == edus
    plain = read_edu_lines("We try\nto win .\nHe\nwins too .\n", "x")
    assert not any(edu.ends_sentence for edu in plain)
    placed = place_sentence_ends(plain, [5, 1, 3], "x")
    assert [edu.ends_sentence for edu in placed] == [False, True, True, True]
    assert spans_of_edu_lines(placed) == (Span(0, 0, 2), Span(0, 2, 5), Span(1, 0, 1), Span(2, 0, 3))
    for lengths, message in [
        ([4, 5], "EDU 2 reaches over"),
        ([5, 1], "EDU 4 comes after"),
        ([5, 1, 3, 1], "end in"),
    ]:
        with pytest.raises(InputError, match=message):
            place_sentence_ends(plain, lengths, "x")
    for text, message in [
        ("", "no EDU"),
        ("<S>\na", "x:1: a mark before"),
        ("a <S> b", "x:1: a sentence or"),
    ]:
        with pytest.raises(InputError, match=message):
            read_edu_lines(text, "x")


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
                content = (
                    content[:place]
                    + source.choice([b"0", b"2", b"7", b"-1", b"9" * 12])
                    + content[place + 1 :]
                )
            case 7:
                piece = source.choice(
                    [b"(", b")", b"_!", b"\t", b"\n\n", b"|", b'"', b"<S>", b"\0", "٣".encode()]
                )
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
