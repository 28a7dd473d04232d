"""The annotated help pages: whole, as their card counts them, with relations that the parser knows."""

import json
import re
from functools import cache

from discourse_nmt.discourse.evaluation.documents import GoldDocument
from discourse_nmt.discourse.evaluation.measures.offsets import joined_lengths
from discourse_nmt.discourse.evaluation.treebank import read_treebank
from discourse_nmt.discourse.structures.conversions import binarise
from discourse_nmt.discourse.structures.relation_classes import coarse
from tests.conftest import ROOT

FOLDER = ROOT / "resources" / "help_trees"


@cache
def pages() -> list[GoldDocument]:
    return read_treebank(str(FOLDER))


def test_the_card_counts_what_is_there() -> None:
    [size] = re.findall(r"^\| size \| (.*) \|$", (FOLDER / "README.md").read_text(encoding="utf-8"), re.MULTILINE)
    stated = [int(number.replace(",", "")) for number in re.findall(r"[\d,]*\d", size)]
    chains = [chain for page in pages() for chain in page.chains or ()]
    assert stated == [
        sum(len(page.sentences) for page in pages()),
        sum(sum(page.lengths) for page in pages()),
        sum(len(page.edus or ()) for page in pages()),
        len(chains),
        sum(map(len, chains)),
    ]
    assert [page.genre for page in pages()] == ["corrected"] * 10 + ["unseen"] * 10
    assert min(map(len, chains)) == 2


def test_units_end_with_their_sentences() -> None:
    for page in pages():
        assert page.edus is not None and joined_lengths(page.lengths, page.edus) == page.lengths, page.name


def test_relations_and_roles_are_among_the_labels_of_the_parser() -> None:
    weights = ROOT / "resources" / "analysers" / "en" / "rst.json"
    labels = json.loads(weights.read_text(encoding="utf-8"))["labels"]
    for page in pages():
        assert page.tree is not None
        tree = binarise(page.tree)
        for number, children in enumerate(tree.children):
            roles = "".join(tree.nodes[child].nuclearity[0] for child in children)
            assert not children or f"{coarse(tree.joining_relation(number))} {roles}" in labels, page.name
