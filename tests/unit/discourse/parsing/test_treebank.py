"""Lessons of the parser of trees that an EDU makes of several sentences."""

from types import SimpleNamespace
from typing import Any

import numpy as np

from discourse_nmt.discourse.formats.conllu import read_conllu
from discourse_nmt.discourse.parsing.treebank import examples_of
from discourse_nmt.discourse.structures.trees import NUCLEUS, RstTree, join, leaf

SENTENCES = ("a b .", "c d .", "e .")


class Shapes:
    """An analyser whose states are the numbers of words of the document."""

    def analyse(self, documents: list[list[list[str]]], states: bool) -> list[list[SimpleNamespace]]:
        assert states
        numbers = iter(range(100))
        return [
            [SimpleNamespace(states=np.array([[next(numbers)] for _ in words], np.float32)) for words in document]
            for document in documents
        ]


def conllu() -> str:
    lines = ["# newdoc id = d"]
    for number, sentence in enumerate(SENTENCES):
        lines += ["# newpar"] * (number != 1)
        forms = sentence.split()
        rows = [[word, form, form, "X", "_", "_", max(0, word - 1), "dep"] for word, form in enumerate(forms, 1)]
        lines += ["\t".join([*map(str, row), "_", "_"]).replace("\t0\tdep", "\t0\troot") for row in rows] + [""]
    return "\n".join([*lines, ""])


def tree(*texts: str) -> RstTree:
    return join([(leaf(text), NUCLEUS, "joint") for text in texts])


def test_sentences_that_a_unit_crosses_are_one_and_keep_their_paragraphs() -> None:
    analyser: Any = Shapes()
    found = {"d": tree("a b . c", "d .", "e .")}
    [example] = examples_of(read_conllu(conllu(), "d"), "d", found, analyser, own_syntax=True)
    document = example.document
    assert [one.forms for one in document.sentences] == [("a", "b", ".", "c", "d", "."), ("e", ".")]
    assert [one.heads for one in document.sentences] == [(-1, 0, 1, -1, 3, 4), (-1, 0)]
    assert document.paragraphs == {0, 1}
    assert [states.ravel().tolist() for states in document.states] == [[0, 1, 2, 3, 4, 5], [6, 7]]
