"""Every key of the training of an analyser, with a second value, changes the weights that are learnt."""

from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from discourse_nmt.discourse.analysers.inventory import Inventory
from discourse_nmt.discourse.coreference.examples import CoreferenceExample
from discourse_nmt.discourse.coreference.lexicons.english import ENGLISH
from discourse_nmt.discourse.coreference.network import CoreferenceNetworkSettings
from discourse_nmt.discourse.coreference.resolver import ResolverSettings
from discourse_nmt.discourse.treebanks.examples import Segmented
from discourse_nmt.training.analysers import coreference, joint, rst_parser, segmenter
from tests.unit.discourse.analysers.test_network import EXAMPLES, SMALL
from tests.unit.discourse.test_coreference import syntax
from tests.unit.discourse.test_rst_parser import SMALL as SMALL_PARSER
from tests.unit.discourse.test_rst_parser import example as tree_example

WORDS = ["cats", "dogs", "run"]


def joint_network(settings: joint.LearningSettings) -> list[nn.Module]:
    torch.manual_seed(3)
    inventory = Inventory.from_examples(EXAMPLES, "main", WORDS)
    vectors = torch.randn(len(WORDS), 4)
    return [joint.train(EXAMPLES, inventory, SMALL, settings, vectors=vectors, silver=EXAMPLES)]


def splitter(settings: segmenter.SegmenterSettings) -> list[nn.Module]:
    sentence = tuple((start, start + 4) for start in (0, 5))
    documents = [[Segmented("Cats run.", (sentence,)), Segmented("Dogs bark", (sentence,))]] * 5
    return [segmenter.train_segmenter(documents, settings).network]


def parser(settings: rst_parser.ParserLearningSettings) -> list[nn.Module]:
    examples = []
    for seed in range(3):
        made = tree_example(seed, 4)
        states = [np.full(of_unit.shape, 1 + unit, np.float32) for unit, of_unit in enumerate(made.document.states)]
        document = replace(made.document, states=states, paragraphs=frozenset({0, 2}))
        examples.append(replace(made, document=document))
    return list(rst_parser.train(examples, SMALL_PARSER, settings).networks)


def resolver(settings: coreference.CoreferenceLearningSettings) -> list[nn.Module]:
    sizes = CoreferenceNetworkSettings(mention_buckets=64, pair_buckets=64, detection_width=4, ranking_width=4)
    first = "{} x NOUN 2 nsubj\nsaw see VERB 0 root\n{} x NOUN 2 obj\n. . PUNCT 2 punct"
    second = syntax("It it PRON 2 nsubj\nslept sleep VERB 0 root\n. . PUNCT 2 punct")
    examples = []
    for number, names in enumerate([("dog", "cat"), ("cat", "dog")] * 4):
        entities = {(0, 0, 1): ("1", "animal"), (0, 2, 3): ("2", "animal"), (1, 0, 1): (str(1 + number % 3), "animal")}
        examples.append(CoreferenceExample(f"toy_{number}", (syntax(first.format(*names)), second), entities))
    made = coreference.train(examples, sizes, settings, ResolverSettings(), ENGLISH)
    return [made.detection, made.ranking]


TRAININGS: dict[str, tuple[Callable[[Any], list[nn.Module]], Any]] = {
    "joint": (joint_network, joint.LearningSettings(epochs=2, batch_words=12)),
    "segmenter": (
        splitter,
        segmenter.SegmenterSettings(epochs=2, width=8, tuned=segmenter.TunedSegmenter(batch=2)),
    ),
    "parser": (parser, rst_parser.ParserLearningSettings(epochs=2, members=1)),
    "coreference": (
        resolver,
        coreference.CoreferenceLearningSettings(
            detection_epochs=2,
            ranking_epochs=1,
            folds=2,
            tuned=coreference.TunedCoreferenceLearning(detection_rate=0.02),
        ),
    ),
}
"""The training of each analyser on a toy language, and its settings."""

SECOND: dict[str, Any] = {
    **{"batch_words": 24, "window": 4, "max_minutes": 1e-9, "least": 1, "least_documents": 4, "average": 0.05},
    **{"clip": 1e-3, "rate": 0.01, "detection_rate": 0.01, "ranking_rate": 0.01, "dictionary": True},
    **{"detection_batch": 3, "ranking_batch": 4, "warm_up": 0.6},
}
"""Second values; of other keys one more for a whole number, and 0.7 for a share or a weight."""

NOTHING = {
    "pretrained_rate": "it is of layers that only a teacher has",
    "folds": "all detectors of a toy language are equally sure",
}
"""Keys that change nothing here, with the reason."""


def second(key: str, first: object) -> object:
    return SECOND.get(key, first + 1 if isinstance(first, int) else 0.7)


def keys() -> list[tuple[str, str]]:
    return [
        (name, entry.name)
        for name, (_, settings) in TRAININGS.items()
        for entry in (*fields(settings), *fields(settings.tuned))
        if entry.name not in ("tuned", *NOTHING)
    ]


@pytest.fixture(scope="module")
def first() -> dict[str, Mapping[str, Tensor]]:
    """The weights with first values that were learnt, by analyser."""
    return {}


def weights(networks: list[nn.Module]) -> dict[str, Tensor]:
    return {f"{place}.{name}": value for place, one in enumerate(networks) for name, value in one.state_dict().items()}


@pytest.mark.parametrize(("name", "key"), keys())
def test_a_key_changes_what_is_learnt(name: str, key: str, first: dict[str, Mapping[str, Tensor]]) -> None:
    train, settings = TRAININGS[name]
    tuned = hasattr(settings.tuned, key)
    value = {key: second(key, getattr(settings.tuned if tuned else settings, key))}
    changed = replace(settings, tuned=replace(settings.tuned, **value)) if tuned else replace(settings, **value)
    if name not in first:
        first[name] = weights(train(settings))
    learnt = weights(train(changed))
    assert learnt.keys() != first[name].keys() or any(not torch.equal(learnt[one], first[name][one]) for one in learnt)
