"""Projection of trees over word alignments: worked examples, properties, and the command."""

import json
import random
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from discourse_nmt.corpus.storage.files import write_text
from discourse_nmt.discourse.evaluation.treebank import read_treebank
from discourse_nmt.discourse.formats.rs3 import read_rs3
from discourse_nmt.discourse.formats.rs3_trees import tree_of_graph
from discourse_nmt.discourse.parsing import projection
from discourse_nmt.discourse.parsing.projection import matched_blocks, project_tree, representatives
from discourse_nmt.discourse.structures.mentions import Span
from discourse_nmt.discourse.structures.parallel import ParallelDocument
from discourse_nmt.discourse.structures.subtrees import restricted
from discourse_nmt.discourse.structures.syntax import Syntax
from discourse_nmt.discourse.structures.trees import RstTree, join, leaf
from discourse_nmt.workflow_scripts.parsers.projection import project_trees
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


def test_each_unit_of_the_other_side_takes_the_place_of_its_translation() -> None:
    # Although it rained | they went out .  /  Sie gingen aus | obwohl es regnete .
    english, german = sentence("Although it rained they went out ."), sentence("Sie gingen aus obwohl es regnete .")
    more, mehr = sentence("They laughed ."), sentence("Sie lachten .")
    tree = satellite(join([(leaf(), "satellite", "adversative"), (leaf(), "nucleus", "span")]), leaf(), "context")
    links = [[3, 4, 5, 0, 1, 2, 6], [0, 1, 2]]
    from_edus = [Span(0, 0, 3), Span(0, 3, 7), Span(1, 0, 3)]
    document = ParallelDocument("d", [english, more], [german, mehr], [0, 1], [0, 1], links)
    crossed = project_tree(document, tree, from_edus, [Span(0, 0, 3), Span(0, 3, 7), Span(1, 0, 3)])
    assert crossed is not None and crossed.units == ((Span(0, 0, 3), Span(0, 3, 7)), (Span(1, 0, 3),))
    assert drawn(crossed.tree) == "(0 < context 1)"  # units that change places are one unit
    assert crossed.outcomes == {"from joined": 2, "to joined": 2, "from kept": 1, "to kept": 1}
    straight = ParallelDocument(
        "d", [english, more], [german, mehr], [0, 1], [0, 1], [[0, 1, 2, 3, 4, 5, 6], [0, 1, 2]]
    )
    kept = project_tree(straight, tree, from_edus, [Span(0, 0, 3), Span(0, 3, 7), Span(1, 0, 3)])
    assert kept is not None and drawn(kept.tree) == "((0 > adversative 1) < context 2)"
    assert kept.units == ((Span(0, 0, 3),), (Span(0, 3, 7),), (Span(1, 0, 3),))


def test_segments_without_a_translation_are_left_out() -> None:
    english = [sentence("One ."), sentence("Two ."), sentence("Three .")]
    german = [sentence("Null ."), sentence("Eins ."), sentence("Drei .")]
    document = ParallelDocument("d", english, german, [1, 2, 3], [0, 1, 3], [[], [0, 1], [-1, -1], [0, 1]])
    tree = satellite(leaf(), satellite(leaf(), leaf(), "cause"), "elaboration")
    edus = [Span(number, 0, 2) for number in range(3)]
    found = project_tree(document, tree, edus, edus)
    assert found is not None and found.sentences == (1, 2) and drawn(found.tree) == "(0 < elaboration 1)"
    assert found.outcomes["from without translation"] == found.outcomes["to without translation"] == 1
    nothing = ParallelDocument("d", english[:1], german[:1], [0], [1], [[-1, -1], []])
    assert project_tree(nothing, leaf(), edus[:1], edus[:1]) is None


@pytest.mark.parametrize(
    ("links", "ends"),
    [
        ([[3, 0], [0, 2]], [(1, 1), (2, 2)]),
        ([[0, 3], [2, 0]], [(2, 2)]),  # changed places
        ([[3, 0], [0, 2], [0, 2]], [(1, 1), (3, 2)]),  # two units for one
        ([[3, 1], [0, 0]], [(2, 2)]),  # no link of the last unit
        ([[5, 1], [1, 5]], [(1, 1), (2, 2)]),  # few stray links
        ([[1, 1], [1, 1]], [(2, 2)]),
        ([[0]], [(1, 1)]),
        ([[2, 2, 0], [0, 0, 4]], [(1, 2), (2, 3)]),
    ],
)
def test_blocks_are_as_small_as_the_links_allow(links: list[list[int]], ends: list[tuple[int, int]]) -> None:
    found = matched_blocks(np.array(links))
    assert [(first[1], second[1]) for first, second in found] == ends


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
    assert counts["units"]["to without translation"] == 1
    documents = {document.name: document for document in read_treebank(str(out))}
    assert documents.keys() == {"a", "b"}
    forms = [word.form for one in documents["a"].sentences for word in one.words]
    assert "Nur" not in forms and forms[-1] == "."
    tree = tree_of_graph(read_rs3((out / "rs3" / "a.rs3").read_text("utf-8"), "a"), "a")
    assert " ".join(tree.texts).split() == forms and len(tree.leaves) >= 3
    assert {node.relation for node in tree.nodes} - {"ROOT", "span"}
