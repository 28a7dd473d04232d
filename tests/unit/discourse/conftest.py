"""A pipeline whose trees and chains follow from the text by a rule."""

from collections.abc import Sequence

import pytest

from discourse_nmt.discourse.analyser_set import Analysers
from discourse_nmt.discourse.analysers.weights import load_analyser, load_segmenter
from discourse_nmt.discourse.coreference.speech.turns import Speakers
from discourse_nmt.discourse.parsing.document import ParserInput
from discourse_nmt.discourse.pipeline import Pipeline
from discourse_nmt.discourse.structures.mentions import Chain, Mention, Span
from discourse_nmt.discourse.structures.syntax import Syntax
from discourse_nmt.discourse.structures.trees import RstTree, join, leaf
from discourse_nmt.discourse.themes.labelling import label_themes
from tests.conftest import ROOT

MODELS = ROOT / "resources" / "analysers" / "en"


class ChainParser:
    """Stands in for the trained parser: every unit is joined to all that follow it."""

    def parse(self, documents: Sequence[ParserInput]) -> list[RstTree]:
        trees = []
        for document in documents:
            tree = leaf()
            for number in range(1, len(document.edus)):
                if number % 2:
                    tree = join([(leaf(), "nucleus", "joint"), (tree, "nucleus", "joint")])
                else:
                    tree = join([(leaf(), "nucleus", "span"), (tree, "satellite", "causal")])
            trees.append(tree)
        return trees


class PronounResolver:
    """Stands in for the trained resolver: words of one lemma are one entity."""

    def resolve(
        self, documents: Sequence[Sequence[Syntax]], speakers: Sequence[Speakers] | None = None
    ) -> list[tuple[Chain, ...]]:
        resolved = []
        for sentences in documents:
            entities: dict[str, list[Mention]] = {}
            for number, sentence in enumerate(sentences):
                for word, lemma in enumerate(sentence.lemmas):
                    span = Span(number, word, word + 1)
                    entities.setdefault(lemma, []).append(Mention(span, span))
            resolved.append(tuple(Chain(tuple(one)) for one in entities.values() if len(one) > 1))
        return resolved


@pytest.fixture(scope="session")
def pipeline() -> Pipeline:
    parser, resolver = ChainParser(), PronounResolver()
    return Pipeline(load_segmenter(MODELS), Analysers(load_analyser(MODELS), parser, resolver, label_themes))
