"""The RST parser: charts against enumeration, valid trees for any document, learning of a planted rule, weights."""

import itertools
import json
import random
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.sources import expand
from discourse_nmt.discourse.analysers.weights import load_analyser
from discourse_nmt.discourse.formats.conllu import read_conllu
from discourse_nmt.discourse.formats.rs3 import read_rs3
from discourse_nmt.discourse.formats.rs3_trees import tree_of_graph
from discourse_nmt.discourse.parsing import parser as parser_module
from discourse_nmt.discourse.parsing.chart import best_tree, probabilities, spans_of
from discourse_nmt.discourse.parsing.document import ParserInput
from discourse_nmt.discourse.parsing.examples import Node, ParserExample, coarse, nodes_of_tree, tree_of_nodes
from discourse_nmt.discourse.parsing.layout import UnitLayout
from discourse_nmt.discourse.parsing.measures import measure_by_genre
from discourse_nmt.discourse.parsing.network import ParserSettings
from discourse_nmt.discourse.parsing.parser import RstParser
from discourse_nmt.discourse.parsing.treebank import examples_of
from discourse_nmt.discourse.parsing.weights import load_rst_parser, save_rst_parser
from discourse_nmt.discourse.structures.conversions import binarise
from discourse_nmt.discourse.structures.mentions import Span, edus_of_starts
from discourse_nmt.discourse.structures.syntax import Syntax
from discourse_nmt.discourse.structures.trees import RstTree, StructureError, join, leaf
from discourse_nmt.training.analysers.rst_parser import ParserLearningSettings, TunedParserLearning, train
from tests.conftest import ROOT
from tests.unit.discourse.structures.discourse_examples import random_tree, trees

WORDS = ["but", "because", "Ann", "sleeps", "dogs", "bark", "now", "."]
TAGS = ["CCONJ", "SCONJ", "PROPN", "VERB", "NOUN", "VERB", "ADV", "PUNCT"]
STATES = 3
SHIPPED = ROOT / "resources" / "analysers" / "en"
LEAST = {"Span": 64.5, "Nuclearity": 49.0, "Relation": 40.5, "Full": 39.3}  # a little below the card


def sentence(source: random.Random, length: int) -> Syntax:
    """Random words with a random tree."""
    chosen = [source.randrange(len(WORDS)) for _ in range(length)]
    forms = tuple(WORDS[number] for number in chosen)
    tags = tuple(TAGS[number] for number in chosen)
    order = source.sample(range(length), length)
    heads = [-1] * length
    for place, word in enumerate(order[1:], 1):
        heads[word] = source.choice(order[:place])
    relations = tuple(source.choice(["advcl", "conj", "punct"]) if head >= 0 else "root" for head in heads)
    return Syntax(forms, tags, tags, ("_",) * length, forms, tuple(heads), relations)


def document(source: random.Random, lengths: list[int], share: float = 0.4) -> ParserInput:
    """Sentences of these lengths in random EDUs with random states."""
    sentences = [sentence(source, length) for length in lengths]
    edus = edus_of_starts([[source.random() < share for _ in range(length)] for length in lengths])
    states = [np.array([[source.gauss(0, 1) for _ in range(STATES)] for _ in range(n)], np.float32) for n in lengths]
    return ParserInput(sentences, edus, [one.reshape(-1, STATES) for one in states])


def example(seed: int, sentences: int) -> ParserExample:
    """Documents of one word in each EDU with a planted rule: ``but`` begins an adversative satellite."""
    source = random.Random(seed)
    tree = leaf()
    words = ["Ann"]
    for _ in range(sentences - 1):
        words.append(source.choice(["but", "dogs"]))
        right = ("satellite", "adversative-contrast") if words[-1] == "but" else ("satellite", "elaboration-more")
        tree = join([(tree, "nucleus", "span"), (leaf(), *right)])  # type: ignore[list-item]
    syntax = [Syntax((word,), ("X",), ("X",), ("_",), (word,), (-1,), ("root",)) for word in words]
    edus = [Span(number, 0, 1) for number in range(sentences)]
    return ParserExample(
        f"toy_{seed}", ParserInput(syntax, edus, [np.zeros((1, STATES), np.float32)] * sentences), tree
    )


SMALL = ParserSettings(feature_size=8, unit_size=8, width=4, span_size=8, label_size=8)


@pytest.fixture(scope="module")
def learnt() -> RstParser:
    learning = ParserLearningSettings(
        epochs=8, members=2, least=2, tuned=TunedParserLearning(rate=0.02, feature_dropout=0.0, average=0.9)
    )
    return train([example(seed, 2 + seed % 7) for seed in range(14)], SMALL, learning)


def all_trees(start: int, end: int) -> list[list[Node]]:
    """Inner nodes of every binary tree, in pre-order."""
    if end - start == 1:
        return [[]]
    return [
        [(start, division, end), *left, *right]
        for division in range(start + 1, end)
        for left, right in itertools.product(all_trees(start, division), all_trees(division, end))
    ]


def spans_by_side(nodes: list[Node]) -> list[tuple[tuple[int, int], int]]:
    return [pair for a, k, b in nodes for pair in (((a, k), 0), ((k, b), 1))]


@pytest.mark.parametrize("edus", range(1, 8))
def test_chart_against_all_trees(edus: int) -> None:
    start, end = spans_of(edus)
    places = {pair: number for number, pair in enumerate(zip(start.tolist(), end.tolist()))}
    scores = np.random.default_rng(edus).normal(size=(len(start), 2))
    found = all_trees(0, edus)
    values = np.array([sum(scores[places[span], side] for span, side in spans_by_side(nodes)) for nodes in found])
    expected = np.zeros_like(scores)
    for nodes, value in zip(found, values):
        for span, side in spans_by_side(nodes):
            expected[places[span], side] += np.exp(value)
    total, shares = probabilities(scores)
    assert total == pytest.approx(np.log(np.exp(values).sum()))
    np.testing.assert_allclose(shares, expected / np.exp(values).sum(), atol=1e-12)
    assert best_tree(scores) == found[int(values.argmax())]


def test_layout_against_words() -> None:
    for seed in range(30):
        source = random.Random(seed)
        page = document(source, [source.randint(1, 9) for _ in range(4)])
        layout = UnitLayout.of(page)
        start, end = spans_of(len(page.edus))
        classes, tops = layout.arc_classes(start, end), layout.first_tops(start, end)
        owner = {(edu.sentence, w): n for n, edu in enumerate(page.edus) for w in range(edu.start, edu.end)}
        for number, (first, last) in enumerate(zip(start.tolist(), end.tolist())):
            own = page.edus[first].sentence
            syntax = page.sentences[own]
            arcs = [
                (owner[own, word], owner[own, head])
                for word, head in enumerate(syntax.heads)
                if head >= 0 and syntax.deprels[word] != "punct"
            ]
            before = sum(first <= word < last and head < first for word, head in arcs)
            after = sum(first <= word < last <= head for word, head in arcs)
            entering = any(word < first <= head < last for word, head in arcs)
            leaving = any(first <= head < last <= word for word, head in arcs)
            root = any(first <= owner[own, word] < last for word, head in enumerate(syntax.heads) if head < 0)
            whole = page.edus[first].start == 0 and (last == len(page.edus) or page.edus[last].start == 0)
            part = page.edus[last - 1].sentence == own and not whole
            code = 1 + (((min(before, 2) * 3 + min(after, 2)) * 2 + entering) * 2 + leaving) * 2 + root
            assert classes[number] == (code if part else 0)

            def depth(word: int, heads: tuple[int, ...] = syntax.heads) -> int:
                return 0 if heads[word] < 0 else 1 + depth(heads[word], heads)

            inside = [word for word in range(len(syntax.forms)) if first <= owner[own, word] < last]
            lowest = min(map(depth, inside))
            assert tops[number] == min(owner[own, word] for word in inside if depth(word) == lowest)


def test_nodes_of_tree_and_back() -> None:
    for tree in [*trees(), *trees(mixed=True), random_tree(random.Random(1), 400)]:
        nodes, labels = nodes_of_tree(tree)
        binary = binarise(tree)
        found = tree_of_nodes(len(tree.leaves), nodes, labels)
        assert [(n.parent, n.first_edu, n.last_edu, n.nuclearity) for n in found.nodes] == [
            (n.parent, n.first_edu, n.last_edu, n.nuclearity) for n in binary.nodes
        ]
        assert [n.relation for n in found.nodes] == [coarse(n.relation) for n in binary.nodes]


@settings(max_examples=30, deadline=None)
@given(st.lists(st.integers(0, 7), min_size=1, max_size=12).filter(any), st.integers(0, 1000))
def test_any_document_gets_a_tree(learnt: RstParser, lengths: list[int], seed: int) -> None:
    page = document(random.Random(seed), lengths)
    [tree] = learnt.parse([page])
    assert len(tree.leaves) == len(page.edus)
    assert all(len(below) in (0, 2) for below in tree.children)
    spans = {(node.first_edu, node.last_edu + 1) for node in tree.nodes}
    bounds = UnitLayout.of(page).bounds.tolist()
    assert set(itertools.pairwise(bounds)) <= spans


def test_alone_as_in_a_batch_and_again(learnt: RstParser) -> None:
    source = random.Random(5)
    pages = [document(source, [source.randint(0, 8) for _ in range(source.randint(1, 40))] + [3]) for _ in range(12)]
    together = learnt.parse(pages)
    assert together == [learnt.parse([page])[0] for page in pages]
    assert together == learnt.parse(pages)
    assert learnt.parse([]) == []


def test_documents_longer_than_a_block(learnt: RstParser, monkeypatch: pytest.MonkeyPatch) -> None:
    page = document(random.Random(3), [1] * 1000, share=1.0)
    [tree] = learnt.parse([page])
    assert len(tree.leaves) == 1000
    monkeypatch.setattr(parser_module, "BLOCK", 4)
    for lengths in ([3] * 50 + [40], [200], [1] * 5):
        page = document(random.Random(4), lengths)
        [tree] = learnt.parse([page])
        assert len(tree.leaves) == len(page.edus)
        assert all(len(below) in (0, 2) for below in tree.children)


def test_learns_a_planted_rule(learnt: RstParser) -> None:
    for seed in range(100, 110):
        unseen = example(seed, 8)
        [tree] = learnt.parse([unseen.document])
        assert nodes_of_tree(tree) == nodes_of_tree(unseen.tree)


def test_training_is_reproducible() -> None:
    examples = [example(seed, 5) for seed in range(4)]
    learning = ParserLearningSettings(epochs=2, members=2)
    first, second = (train(examples, SMALL, learning) for _ in range(2))
    for left, right in zip(first.networks, second.networks):
        for name, value in left.state_dict().items():
            assert torch.equal(value, right.state_dict()[name])
    assert not torch.equal(first.networks[0].score.weight, first.networks[1].score.weight)


def test_networks_decide_together_in_any_order() -> None:
    """Of networks that have learnt nothing, so that each by itself makes other trees."""
    examples = [example(seed, 6) for seed in range(6)]
    tuned = TunedParserLearning(rate=0.0)
    made = train(examples, SMALL, ParserLearningSettings(epochs=1, members=2, tuned=tuned))
    first, second = made.networks
    documents = [one.document for one in examples]
    alone, other, together, turned = (
        [nodes_of_tree(tree) for tree in RstParser(networks, made.inventory).parse(documents)]
        for networks in ([first], [second], [first, second], [second, first])
    )
    assert together == turned
    for own in (alone, other):
        assert [labels for _, labels in own] != [labels for _, labels in together]


@pytest.mark.parametrize("known", [False, True])
def test_paragraphs_say_nothing_to_a_parser_that_saw_none(known: bool) -> None:
    examples = [example(seed, 6) for seed in range(4)]
    if known:
        marked = replace(examples[0].document, paragraphs=frozenset([0, 3]))
        examples[0] = replace(examples[0], document=marked)
    [network] = train(examples, SMALL, ParserLearningSettings(epochs=1, members=1)).networks
    for ends in (network.span, network.left, network.right):
        rows = ends.paragraph.weight
        assert torch.equal(rows, rows[:1].expand_as(rows)) == (not known)


def test_weights_survive_the_disk(learnt: RstParser, tmp_path: Path) -> None:
    save_rst_parser(learnt, tmp_path)
    again = load_rst_parser(tmp_path)
    pages = [example(seed, 9).document for seed in range(5)]
    assert again.parse(pages) == learnt.parse(pages)
    assert again.state_size == STATES


def damaged(content: dict, key: str, value: object) -> str:
    return json.dumps({**content, key: value})


def test_damaged_weights(learnt: RstParser, tmp_path: Path) -> None:
    save_rst_parser(learnt, tmp_path)
    content = json.loads((tmp_path / "rst.json").read_text(encoding="utf-8"))
    network = content["network"]
    faults = [
        "[]",
        "{",
        damaged(content, "members", 3),
        damaged(content, "members", "2"),
        damaged(content, "labels", content["labels"][:-1]),
        damaged(content, "labels", ["elaboration"] * len(content["labels"])),
        damaged(content, "features", content["features"][1:]),
        damaged(content, "network", {**network, "width": network["width"] + 1}),
        damaged(content, "network", {**network, "depth": 3}),
    ]
    for number, fault in enumerate(faults):
        folder = tmp_path / str(number)
        folder.mkdir()
        shutil.copy(tmp_path / "rst.safetensors", folder)
        (folder / "rst.json").write_text(fault, encoding="utf-8")
        with pytest.raises(InputError):
            load_rst_parser(folder)
    weights = (tmp_path / "rst.safetensors").read_bytes()
    for content_of_file in (b"", weights[: len(weights) // 2], b"x" * 100):
        (tmp_path / "rst.safetensors").write_bytes(content_of_file)
        with pytest.raises(InputError):
            load_rst_parser(tmp_path)
    with pytest.raises(InputError):
        load_rst_parser(tmp_path / "absent")


def test_documents_that_do_not_fit() -> None:
    page = example(1, 3).document
    with pytest.raises(StructureError):
        ParserInput(page.sentences, page.edus, page.states[1:])
    with pytest.raises(StructureError):
        ParserInput(page.sentences, page.edus[1:], page.states)
    with pytest.raises(StructureError):
        ParserInput([], [], [])


def gum(folder: Path, split: str) -> tuple[dict[str, RstTree], list[tuple[str, str]]]:
    """Trees of a part of GUM and its CoNLL-U files as (name, text)."""
    archive = folder / "treebanks" / "gum" / f"gum_{split}.tar.xz"
    sources = expand(f"{archive}::{split}/rs4/*.rs4")
    found = {one.stem: tree_of_graph(read_rs3(one.text(), one.name), one.name) for one in sources}
    return found, [(one.name, one.text()) for one in expand(f"{archive}::{split}/conllu/*.conllu")]


def test_shipped_weights_on_gum(shared_data: Path) -> None:
    found, files = gum(shared_data, "dev")
    analyser, parser = load_analyser(SHIPPED), load_rst_parser(SHIPPED)
    examples = [one for name, text in files for one in examples_of(read_conllu(text, name), name, found, analyser)]
    assert len(examples) == 30
    figures = measure_by_genre(examples, parser.parse([one.document for one in examples]))["all"]
    assert {name: figures[name] >= least for name, least in LEAST.items()} == dict.fromkeys(LEAST, True), figures


def test_examples_need_their_tree(shared_data: Path) -> None:
    found, files = gum(shared_data, "dev")
    analyser = load_analyser(SHIPPED)
    name, text = files[0]
    sentences = read_conllu(text, name)
    [taken] = examples_of(sentences, name, found, analyser, own_syntax=True)
    assert [one.forms for one in taken.document.sentences] == [tuple(w.form for w in one.words) for one in sentences]
    assert taken.document.sentences[0].heads == sentences[0].heads
    assert list(examples_of(sentences, name, found, analyser, genres=["none"])) == []
    with pytest.raises(InputError, match="has no tree"):
        list(examples_of(sentences, name, {}, analyser))
    other = next(tree for tree in found.values() if tree is not found[taken.name])
    with pytest.raises(InputError):
        list(examples_of(sentences, name, {taken.name: other}, analyser))
