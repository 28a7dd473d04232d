"""Projection of trees over word alignments: worked examples, properties, and the command."""

import json
import random
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from discourse_nmt.base.storage.files import write_text
from discourse_nmt.discourse.evaluation.treebank import read_treebank
from discourse_nmt.discourse.formats.conllu import edus_of_sentences, read_conllu
from discourse_nmt.discourse.formats.rs3 import read_rs3
from discourse_nmt.discourse.formats.rs3_trees import tree_of_graph
from discourse_nmt.discourse.parsing import projection
from discourse_nmt.discourse.parsing.projection import matched_blocks, pieces_of, project_tree, representatives
from discourse_nmt.discourse.structures.mentions import Span
from discourse_nmt.discourse.structures.parallel import ParallelDocument
from discourse_nmt.discourse.structures.subtrees import restricted
from discourse_nmt.discourse.structures.syntax import Syntax
from discourse_nmt.discourse.structures.trees import RstTree, join, leaf
from discourse_nmt.workflow_scripts.parsers.projection import project_trees
from discourse_nmt.workflow_scripts.parsers.projection.project_trees import with_texts
from tests.unit.discourse.structures.discourse_examples import random_tree


def sentence(words: str) -> Syntax:
    """Words without syntax; a full stop is punctuation."""
    forms = tuple(words.split())
    tags = tuple("PUNCT" if form == "." else "X" for form in forms)
    rest = ("_",) * len(forms)
    return Syntax(forms, tags, rest, rest, forms, (-1,) * len(forms), rest)


def satellite(nucleus: RstTree, other: RstTree, relation: str) -> RstTree:
    return join([(nucleus, "nucleus", "span"), (other, "satellite", relation)])


def drawn(tree: RstTree, number: int = 0) -> str:
    """``(0 joint 1)`` for two nuclei, ``(0 < cause 1)`` and ``(0 > cause 1)`` for a satellite behind and before."""
    below = tree.children[number]
    if not below:
        return str(tree.nodes[number].first_edu)
    arrow = {"nucleus": "", "satellite": ">"}[tree.nodes[below[0]].nuclearity]
    arrow += "<" if tree.nodes[below[-1]].nuclearity == "satellite" else ""
    name = f"{arrow} {tree.joining_relation(number)}".strip()
    return f"({drawn(tree, below[0])} {name} {drawn(tree, below[-1])})"


def test_pieces_begin_behind_punctuation_and_before_conjunctions() -> None:
    tags = ["X", "PUNCT", "PUNCT", "X", "CCONJ", "X", "PUNCT", "CCONJ", "X", "PUNCT"]
    one = replace(sentence("a , „ b und c , und d ."), upos=tuple(tags))
    assert [(piece.start, piece.end) for piece in pieces_of([one])] == [(0, 2), (2, 4), (4, 7), (7, 10)]
    assert pieces_of([one, sentence("."), sentence("e")])[-2:] == (Span(1, 0, 1), Span(2, 0, 1))


def test_pieces_begin_with_clauses_and_behind_them() -> None:
    french = sentence("Ceux que tu vois dorment parce que ils sont las .")
    heads = (4, 3, 3, 0, -1, 9, 5, 9, 9, 4, 4)
    relations = ("nsubj", "obj", "nsubj", "acl:relcl", "root", "mark", "fixed", "nsubj", "cop", "advcl", "punct")
    one = replace(french, heads=heads, deprels=relations)
    assert pieces_of([one]) == (Span(0, 0, 11),)
    starts = [piece.start for piece in pieces_of([one], clauses=True)]
    assert [one.forms[start] for start in starts] == ["Ceux", "que", "dorment", "parce"]
    assert pieces_of([sentence("Ceux .")], clauses=True) == (Span(0, 0, 2),)  # no parse


def test_an_opening_bracket_belongs_to_the_piece_behind_it() -> None:
    tags = ["X", "PUNCT", "PUNCT", "X", "PUNCT", "X", "PUNCT", "PUNCT", "CCONJ"]
    one = replace(sentence("a ( « b ) c , ( und"), upos=tuple(tags))
    assert [piece.start for piece in pieces_of([one])] == [0, 1, 5, 7]


def test_pieces_become_the_units_that_they_translate() -> None:
    english, german = (
        sentence("Although it rained they went out ."),
        sentence("Obwohl es , leider , regnete , gingen sie ."),
    )
    german = replace(german, upos=tuple("PUNCT" if form in {",", "."} else "X" for form in german.forms))
    more, mehr = sentence("They laughed ."), sentence("Sie lachten .")
    tree = satellite(join([(leaf(), "satellite", "adversative"), (leaf(), "nucleus", "span")]), leaf(), "context")
    from_edus = [Span(0, 0, 3), Span(0, 3, 7), Span(1, 0, 3)]
    links = [[0, 1, 5, 8, 7, 7, 9], [0, 1, 2]]
    document = ParallelDocument("d", [english, more], [german, mehr], [0, 1], [0, 1], links)
    found = project_tree(document, tree, from_edus)
    assert found is not None and drawn(found.tree) == "((0 > adversative 1) < context 2)"
    pieces = (Span(0, 0, 3), Span(0, 3, 5), Span(0, 5, 7)), (Span(0, 7, 10),), (Span(1, 0, 3),)
    assert found.units == pieces and found.outcomes == {"kept": 3} and found.certain == found.sentences == (0, 1)
    whole = " ".join(with_texts(found, [german, mehr]).texts)
    assert whole.split() == [*german.forms, *mehr.forms]
    links[0] = [8, 7, 7, 0, 1, 5, 9]  # clauses that change places are one unit
    crossed = project_tree(document, tree, from_edus)
    assert crossed is not None and drawn(crossed.tree) == "(0 < context 1)"
    assert crossed.outcomes == {"joined": 2, "kept": 1} and crossed.certain == (1,)


def test_links_of_punctuation_do_not_count() -> None:
    english, german = sentence("one . two ."), sentence("eins . zwei .")
    document = ParallelDocument("d", [english], [german], [0], [0], [[0, 3, 2, 1]])
    found = project_tree(document, satellite(leaf(), leaf(), "cause"), [Span(0, 0, 2), Span(0, 2, 4)])
    assert found is not None and found.units == ((Span(0, 0, 2),), (Span(0, 2, 4),))


def test_segments_without_a_translation_are_left_out() -> None:
    english = [sentence("One ."), sentence("Two ."), sentence("Three .")]
    german = [sentence("Null ."), sentence("Eins ."), sentence("Drei .")]
    document = ParallelDocument("d", english, german, [1, 2, 3], [0, 1, 3], [[], [0, 1], [-1, -1], [0, 1]])
    tree = satellite(leaf(), satellite(leaf(), leaf(), "cause"), "elaboration")
    edus = [Span(number, 0, 2) for number in range(3)]
    found = project_tree(document, tree, edus)
    assert found is not None and found.sentences == (1, 2) and drawn(found.tree) == "(0 < elaboration 1)"
    assert found.outcomes == {"kept": 2, "without translation": 1}
    nothing = ParallelDocument("d", english[:1], german[:1], [0], [1], [[-1, -1], []])
    assert project_tree(nothing, leaf(), edus[:1]) is None


@pytest.mark.parametrize(
    ("links", "ends"),
    [
        ([[3, 0], [0, 2]], [(1, 1), (2, 2)]),
        ([[0, 3], [2, 0]], [(2, 2)]),  # changed places
        ([[3, 0], [0, 2], [0, 2]], [(1, 1), (3, 2)]),  # two units for one
        ([[3, 1], [0, 0]], [(2, 2)]),  # no link of the last unit
        ([[5, 1], [1, 5]], [(1, 1), (2, 2)]),  # few stray links
        ([[3, 1], [1, 3]], [(1, 1), (2, 2)]),  # three of five links, the least share
        ([[1, 1], [1, 1]], [(2, 2)]),
        ([[0]], [(1, 1)]),
        ([[2, 2, 0], [0, 0, 4]], [(1, 2), (2, 3)]),
    ],
)
def test_blocks_are_as_small_as_the_links_allow(links: list[list[int]], ends: list[tuple[int, int]]) -> None:
    found = matched_blocks(np.array(links))
    assert [(first[1], second[1]) for first, second in found] == ends


@pytest.mark.parametrize(("units", "ends"), [(12, [(12, 1), (13, 2)]), (13, [(14, 2)])])
def test_a_block_has_at_most_twelve_units_where_there_are_several(units: int, ends: list[tuple[int, int]]) -> None:
    links = np.zeros((units + 1, 2), int)
    links[:units, 0], links[units, 1] = 1, 1
    for turned in (False, True):
        found = [(first[1], second[1]) for first, second in matched_blocks(links.T if turned else links)]
        assert [pair[::-1] if turned else pair for pair in found] == ends


@pytest.mark.parametrize("seed", range(20))
def test_blocks_tile_both_sides(seed: int) -> None:
    pick = random.Random(seed)
    rows, columns = pick.randint(1, 12), pick.randint(1, 12)
    links = np.array([[pick.choice([0, 0, 0, 1, 4]) for _ in range(columns)] for _ in range(rows)])
    blocks = matched_blocks(links)
    for side, count in ((0, rows), (1, columns)):
        ends = [block[side] for block in blocks]
        assert [start for start, _ in ends] == [0, *(end for _, end in ends[:-1])] and ends[-1][1] == count
        assert all(start < end for start, end in ends)
    if len(blocks) > 1:
        for (start, end), (first, last) in blocks:
            shared = links[start:end, first:last].sum()
            touched = links[start:end].sum() + links[:, first:last].sum() - shared
            assert shared > 0 and shared >= projection.SHARED * touched


def test_a_joined_unit_keeps_the_relations_of_both_its_parts() -> None:
    inner = satellite(leaf(), leaf(), "elaboration")
    tree = join([(leaf(), "nucleus", "same"), (inner, "nucleus", "same")])
    kept = representatives(tree, {0: 0, 1: 0, 2: 1})
    assert drawn(restricted(tree, kept)) == "(0 < elaboration 1)"  # not (0 same 1): the block holds both halves
    tree = satellite(inner, satellite(leaf(), leaf(), "cause"), "context")
    kept = representatives(tree, {0: 0, 1: 1, 2: 1, 3: 2})
    assert drawn(restricted(tree, kept)) == "((0 < elaboration 1) < context 2)"  # the satellite loses its unit


@pytest.mark.parametrize("seed", range(30))
def test_one_unit_of_each_block_stays(seed: int) -> None:
    pick = random.Random(seed)
    edus = pick.randint(1, 15)
    tree = random_tree(pick, edus, mixed=True)
    blocks: dict[int, int] = {}
    for edu in range(edus):
        if edu == 0 or pick.random() < 0.8:
            blocks[edu] = max(blocks.values(), default=0) + (pick.random() < 0.6)
    kept = representatives(tree, blocks)
    assert kept == sorted(kept) and Counter(blocks[edu] for edu in kept) == Counter(set(blocks.values()))
    ones = {edu: edu for edu in range(edus)}
    assert representatives(tree, ones) == list(range(edus))
    assert len(restricted(tree, kept).leaves) == len(kept)


def test_the_command_makes_a_treebank(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    texts = {
        "a.en": "Although it rained, the children played. They laughed.\n\nThe dog slept because it was tired.\n",
        "a.de": "Obwohl es regnete, spielten Kinder. Sie lachten.\nNur hier.\nDer Hund schlief, weil er müde war.\n",
        "b.en": "The children laughed.\n",
        "b.de": "Die Kinder lachten.\n",
        "c.en": "\n",
        "c.de": "Nur hier.\n",
    }
    for name, content in texts.items():
        write_text(content, tmp_path / "texts" / name)
    out = tmp_path / "projected"
    options = ["--parallel", f"{tmp_path}/texts", "--to", "de", "--output", str(out)]
    monkeypatch.setattr("sys.argv", ["project_trees", *options])
    project_trees.main()
    counts = json.loads((out / "counts.json").read_text("utf-8"))
    assert (counts["documents"], counts["trees"]) == (3, 2)
    assert set(counts["units"]) <= {"kept", "joined", "without translation"} and counts["units"]["kept"] >= 3
    documents = {document.name: document for document in read_treebank(str(out))}
    assert documents.keys() == {"a", "b"}
    forms = [word.form for one in documents["a"].sentences for word in one.words]
    assert "Nur" not in forms and forms[-1] == "."
    tree = tree_of_graph(read_rs3((out / "rs3" / "a.rs3").read_text("utf-8"), "a"), "a")
    assert " ".join(tree.texts).split() == forms and len(tree.leaves) >= 3
    assert {node.relation for node in tree.nodes} - {"ROOT", "span"}
    edus = documents["a"].edus
    assert edus is not None and len(edus) == len(tree.leaves)
    marked = edus_of_sentences(documents["a"].sentences)
    assert len(marked) >= len(edus)  # a sentence that was joined to another one begins no unit
    teaching = read_conllu((out / "units" / "b.conllu").read_text("utf-8"), "b")
    assert [word.form for one in teaching for word in one.words] == ["Die", "Kinder", "lachten", "."]
