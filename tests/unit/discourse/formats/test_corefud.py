"""CorefUD's ``Entity=``: what is read and written, GUM through it and back, and scores of the scorer's own cases."""

import logging
from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.sources import expand
from discourse_nmt.discourse.evaluation.measures.coreference import score_chains
from discourse_nmt.discourse.formats.conllu import ConlluRow, Sentence, read_conllu, write_conllu
from discourse_nmt.discourse.formats.coreference import CoreferenceDocument, EntityMention, read_gum_coreference
from discourse_nmt.discourse.formats.corefud import read_corefud, with_chains
from discourse_nmt.discourse.structures.trees import StructureError
from tests.unit.discourse.evaluation.test_coreference import CASES
from tests.unit.discourse.structures.discourse_examples import COREFUD

MENTIONS = (
    EntityMention(0, 1, "e1", "person", head=0),
    EntityMention(2, 3, "e3", "object", head=2),
    EntityMention(5, 6, "e2", "object", head=5),
    EntityMention(5, 7, "e2", "object", head=5, others=((2, 4),)),  # the part with the head is first
)
ZUM = """# newdoc id = d
# global.Entity = eid-etype-head-other
1\tEr\t_\t_\t_\t_\t_\t_\t_\tEntity=(e1--1-)
2\tgeht\t_\t_\t_\t_\t_\t_\t_\t_
3-4\tzum\t_\t_\t_\t_\t_\t_\t_\t_
3\tzu\t_\t_\t_\t_\t_\t_\t_\t_
4\tdem\t_\t_\t_\t_\t_\t_\t_\tEntity=(e2--2-
5\tHaus\t_\t_\t_\t_\t_\t_\t_\tEntity=e2)

"""


def rows(count: int, marks: dict[int, str] | None = None) -> tuple[ConlluRow, ...]:
    return tuple(ConlluRow(str(word), f"w{word}", misc=(marks or {}).get(word, "_")) for word in range(1, count + 1))


def plain(count: int) -> list[Sentence]:
    return [Sentence(("# newdoc id = d",), rows(count))]


def test_nested_and_split_mentions_are_read_and_the_rest_is_counted(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO):
        [document] = read_corefud(COREFUD, "x.conllu")
    assert (document.name, document.mentions) == ("one", MENTIONS)
    assert document.sentences == (("He", "took", "a", "book", "out", "that", "sold"),)
    told = "x.conllu: left out 2 bridging relations, 1 split antecedents, 1 mentions without words"
    assert told in caplog.messages


def test_what_is_written_is_read_back_equal() -> None:
    sentences = read_conllu(COREFUD, "x")
    [document] = read_corefud(COREFUD, "x")
    written = write_conllu(with_chains(sentences, document))
    assert read_corefud(written, "x") == [document]
    # Other notes stay, inner mentions end first, and no mention is written twice.
    assert "Seg=O|Entity=(e2[1/2]-object-3(e3-object-1)" in written
    assert written.count("Entity=(e1-person") == 1
    assert write_conllu(with_chains(read_conllu(written, "x"), document)) == written
    bare = replace(document, mentions=())
    assert "Entity=" not in write_conllu(with_chains(sentences, bare))


def test_mentions_that_end_or_cross_on_one_word_keep_their_marks_apart() -> None:
    spans = ((0, 3, "a"), (1, 3, "b"), (2, 3, "c"), (2, 5, "d"), (3, 4, "d"))
    document = CoreferenceDocument("d", (("w1", "w2", "w3", "w4", "w5"),), tuple(EntityMention(*one) for one in spans))
    written = write_conllu(with_chains(plain(5), document))
    assert "Entity=b)a)(d--(c--)" in written
    assert read_corefud(written, "x") == [document]


def test_parts_of_mentions_of_one_entity_join_the_last_that_waits() -> None:
    marks = {word: f"Entity=(e1[{part}/2]--1)" for word, part in enumerate((1, 1, 2, 2), start=1)}
    comments = ("# newdoc id = d", "# global.Entity = eid-etype-head")
    [document] = read_corefud(write_conllu([Sentence(comments, rows(4, marks))]), "x")
    assert [(one.start, one.others) for one in document.mentions] == [(0, ((3, 4),)), (1, ((2, 3),))]


def test_words_of_a_multiword_token_are_the_token_where_written() -> None:
    [words] = read_corefud(ZUM, "x")
    assert [(one.start, one.end, one.head) for one in words.mentions] == [(0, 1, 0), (3, 5, 4)]
    [tokens] = read_corefud(ZUM, "x", written=True)
    assert tokens.sentences == (("Er", "geht", "zum", "Haus"),)
    assert [(one.start, one.end, one.head) for one in tokens.mentions] == [(0, 1, 0), (2, 4, 3)]


def test_gums_names_of_attributes_hold_for_the_documents_after() -> None:
    text = """# newdoc id = a
# global.Entity = entity-GRP-infstat-MIN-coref_type-identity
1\tAda\t_\t_\t_\t_\t_\t_\t_\tEntity=(person-1-new-2,1-coref-Ada-Lovelace
2\tL.\t_\t_\t_\t_\t_\t_\t_\tEntity=person-1)

# newdoc id = b
1\tShe\t_\t_\t_\t_\t_\t_\t_\tEntity=(person-1)

"""
    first, second = read_corefud(text, "x")
    assert first.mentions == (EntityMention(0, 2, "1", "person", "Ada-Lovelace", head=1),)
    assert second.mentions == (EntityMention(0, 1, "1", "person"),)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("# global.Entity = eid-etype-head-other\n", "", r"x:2: a mention before the line # global\.Entity; name"),
        ("Entity=e2[2/2])", "_", r"x:9: mention e2\[2/2\] is never closed"),
        ("(e1-person-1-)", "e1)", "x:3: mention e1 ends before it begins"),
        ("(e1-person-1-)", "(e1-person-1-))", r"x:3: mentions .* have unmatched parentheses"),
        ("(e1-person-1-)", "(-person-1-)", "x:3: mention '-person-1-' has no entity"),
        ("(e1-person-1-)", "(e1[3/2]-person-1-)", "x:3: mention .* has no entity"),
        ("(e1-person-1-)", "(e1-person-2-)", "x:3: mention e1 has 1 words, its head is 2"),
        ("(e1-person-1-)", "(e1[1/2]-person-1-)", r"x:3: mention e1\[1/2\] lacks parts"),
        ("(e1-person-1-)", "(e1[2/2]-person-1-)", r"x:3: mention e1\[2/2\] has no part before"),
        ("1\tHe\t", "1-2\tHe\t_\t_\t_\t_\t_\t_\t_\tEntity=(e9-x-1-)\n1\tHe\t", "x:3: the token 1-2 has a mention"),
    ],
)
def test_faults(old: str, new: str, message: str) -> None:
    text = COREFUD.replace(old, new, 1)
    assert text != COREFUD
    with pytest.raises(InputError, match=message) as caught:
        read_corefud(text, "x")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("mentions", "message"),
    [
        ([EntityMention(0, 1, "a-b")], "cannot have the entity 'a-b'"),
        ([EntityMention(0, 1, "a", "x y")], "of type 'x y'"),
        ([EntityMention(0, 2, "a"), EntityMention(1, 3, "a")], "two mentions of a cross"),
    ],
)
def test_chains_that_cannot_be_written(mentions: list[EntityMention], message: str) -> None:
    with pytest.raises(StructureError, match=message):
        with_chains(plain(3), CoreferenceDocument("d", (("w1", "w2", "w3"),), tuple(mentions)))
    with pytest.raises(StructureError, match="other words"):
        with_chains(plain(4), CoreferenceDocument("d", (("w1", "w2", "w3"),), ()))


def test_gum_dev_is_what_its_own_columns_say_and_comes_back_equal(shared_data: Path) -> None:
    archive = f"{shared_data}/treebanks/gum/gum_dev.tar.xz::dev"
    columns = {source.stem: source.text() for source in expand(f"{archive}/coref_conll/*.conll")}
    mentions = 0
    for source in expand(f"{archive}/conllu/*.conllu"):
        [document] = read_corefud(source.text(), source.name)
        [own] = read_gum_coreference(columns[source.stem], source.stem)
        assert sorted(replace(one, head=-1) for one in document.mentions) == list(own.mentions)
        written = write_conllu(with_chains(read_conllu(source.text(), source.name), document))
        assert read_corefud(written, source.name) == [document]
        mentions += len(own.mentions)
    assert mentions > 7000


def clusters(text: str) -> list[set[EntityMention]]:
    """The mentions of each entity, without its name."""
    [document] = read_corefud(text, "x")
    found: dict[str, set[EntityMention]] = {}
    for one in document.mentions:
        found.setdefault(one.entity, set()).add(replace(one, entity=""))
    return list(found.values())


def entities(chains: Iterable[str]) -> str:
    """A document in which each letter of a chain is a word of its own."""
    letters = [chr(code) for code in range(ord("1"), ord("z") + 1)]
    marks: dict[int, str] = {}
    for number, chain in enumerate(chains):
        for letter in chain:
            place = letters.index(letter) + 1
            marks[place] = marks.get(place, "Entity=") + f"(e{number}-x-1-)"
    comments = ("# newdoc id = d", "# global.Entity = eid-etype-head-other")
    return write_conllu([Sentence(comments, rows(len(letters), marks))])


@pytest.mark.parametrize("case", [name for name in CASES if name not in ("A7", "A8", "A9")])
def test_cases_that_corefuds_scorer_shares_with_the_reference_scorer(case: str) -> None:
    """Its tests TC-A to TC-N with exact matching; the reference scorer alone has those with repeated mentions."""
    key, response, expected = CASES[case]
    found = score_chains(clusters(entities(key.split())), clusters(entities(response.split())))
    for name, (recall, precision) in expected.items():
        assert found[name].recall == pytest.approx(100 * float(Fraction(recall)))
        assert found[name].precision == pytest.approx(100 * float(Fraction(precision)))


def laid(*chains: str) -> str:
    """A document of 71 words with chains such as ``2-5/3 48``: words from 1 and the number of the head."""
    opening: dict[int, str] = {}
    closing: dict[int, str] = {}
    for number, chain in enumerate(chains):
        for mention in chain.split():
            span, _, head = mention.partition("/")
            first, _, last = span.partition("-")
            opened = f"(e{number}-x-{head or 1}-"
            if last:
                opening[int(first)] = opening.get(int(first), "") + opened
                closing[int(last)] = f"e{number})" + closing.get(int(last), "")
            else:
                opening[int(first)] = opening.get(int(first), "") + f"{opened})"
    marks = {
        word: f"Entity={opening.get(word, '')}{closing.get(word, '')}"
        for word in range(1, 72)
        if word in opening or word in closing
    }
    return write_conllu([Sentence(("# newdoc id = d", "# global.Entity = eid-etype-head-other"), rows(71, marks))])


OVERLAPPING = ("2-13/9 48", "2-5/2 30-32 63-64 67")
HEAD_CASES = {
    "TC-HMA-3": (("2-11/9 48", "3-9/1 29-32/2 63-64 67"), "1", "1"),
    "TC-HMA-4": (("9-11/2 48", "4-5/1 30-32 63-64 67"), "3/4", "17/24"),
}


@pytest.mark.parametrize("case", HEAD_CASES)
def test_cases_of_head_matching(case: str) -> None:
    """The scorer's files of responses, and the key of its overlapping mentions: recall and precision are equal."""
    response, muc, b3 = HEAD_CASES[case]
    key_heads, response_heads = (
        [{one.head for one in chain} for chain in clusters(laid(*chains))] for chains in (OVERLAPPING, response)
    )
    found = score_chains(key_heads, response_heads)
    for name, value in (("MUC", muc), ("B3", b3)):
        assert found[name].recall == found[name].precision == pytest.approx(100 * float(Fraction(value)))
