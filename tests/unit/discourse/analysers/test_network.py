"""The joint network: padding, gradients, what it believes of the tree, and that training teaches it."""

import dataclasses
from typing import Any

import numpy as np
import pytest
import torch

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.settings import as_json, parse_settings
from discourse_nmt.discourse.analysers.analyser import Analyser
from discourse_nmt.discourse.analysers.arborescence import is_tree
from discourse_nmt.discourse.analysers.batches import IGNORED, Labeller, make_batch, pad_labels
from discourse_nmt.discourse.analysers.examples import Example
from discourse_nmt.discourse.analysers.inventory import Inventory, sized
from discourse_nmt.discourse.analysers.network import JointNetwork, crossing_arcs
from discourse_nmt.discourse.analysers.network_settings import AnalyserDropout, NetworkSettings, NetworkSizes
from discourse_nmt.discourse.analysers.words import AFFIXES, OWN
from discourse_nmt.discourse.evaluation.analyses import measure
from discourse_nmt.training.analysers.coreference import TunedCoreferenceLearning
from discourse_nmt.training.analysers.joint import LearningSettings, TunedLearning, loss_of, train
from discourse_nmt.training.analysers.rst_parser import TunedParserLearning
from discourse_nmt.training.analysers.segmenter import SegmenterSettings, TunedSegmenter

TUNED = [TunedLearning, TunedSegmenter, TunedParserLearning, TunedCoreferenceLearning]
SMALL = NetworkSettings(
    word_size=16, affix_size=16, character_size=8, filters=8, width=16, arc_size=16, relation_size=8, unit_width=8,
    buckets=64,
)  # fmt: skip


def example(text: str, treebank: str = "main") -> Example:
    """``form/UPOS/head/deprel`` separated by spaces, heads from 1, ``|`` before a word that begins a unit."""
    words = [word.removeprefix("|").split("/") for word in text.split()]
    forms = tuple(word[0] for word in words)
    known = treebank == "main"
    return Example(
        document=forms[0],
        forms=forms,
        lemmas=tuple(form.lower().removesuffix("s") for form in forms),
        upos=tuple(word[1] for word in words),
        xpos=tuple(word[1] for word in words),
        features=tuple("Number=Plur" if form.endswith("s") else "_" for form in forms) if known else None,
        heads=tuple(int(word[2]) - 1 for word in words),
        deprels=tuple(word[3] for word in words),
        edu_starts=tuple(word.startswith("|") for word in text.split()) if known else None,
        treebank=treebank,
    )


EXAMPLES = [
    example(
        "|Cats/NOUN/2/nsubj sleep/VERB/0/root ,/PUNCT/6/punct |because/SCONJ/6/mark dogs/NOUN/6/nsubj run/VERB/2/advcl"
    ),
    example("|Dogs/NOUN/2/nsubj run/VERB/0/root |when/SCONJ/5/mark cats/NOUN/5/nsubj sleep/VERB/2/advcl"),
    example("|Run/VERB/0/root !/PUNCT/1/punct"),
    example("|The/DET/2/det dogs/NOUN/3/nsubj sleep/VERB/0/root"),
    example("Cats/NOUN/2/nsubj run/VERB/0/root", "more"),
    example("|Sleep/VERB/0/root"),
]


@pytest.fixture(scope="module")
def network() -> JointNetwork:
    torch.manual_seed(3)
    return JointNetwork(sized(SMALL, Inventory.from_examples(EXAMPLES, "main"))).eval()


def batch_of(examples: list[Example]):  # type: ignore[no-untyped-def]
    inventory = Inventory.from_examples(EXAMPLES, "main")
    labeller = Labeller(inventory)
    features = JointNetwork(sized(SMALL, inventory)).word_features(inventory)
    batch = make_batch(
        [one.forms for one in examples], [labeller.treebanks[one.treebank] for one in examples], features
    )
    return batch, pad_labels([labeller.of(one) for one in examples])


def test_neighbours_and_padding_change_nothing(network: JointNetwork) -> None:
    together = network(batch_of(EXAMPLES)[0], AnalyserDropout())
    for row, one in enumerate(EXAMPLES):
        alone = network(batch_of([one])[0], AnalyserDropout())
        size = len(one.forms)
        for name in ("states", "upos", "xpos", "features", "lemmas", "units"):
            torch.testing.assert_close(getattr(together, name)[row, :size], getattr(alone, name)[0])
        torch.testing.assert_close(together.arcs[row, :size, : size + 1], alone.arcs[0])


def test_no_word_is_its_own_head_or_hangs_on_padding(network: JointNetwork) -> None:
    arcs = network(batch_of(EXAMPLES)[0], AnalyserDropout()).arcs.exp()
    for row, one in enumerate(EXAMPLES):
        size = len(one.forms)
        torch.testing.assert_close(arcs[row, :size, : size + 1].sum(-1), torch.ones(size))
        for word in range(size):
            assert arcs[row, word, word + 1] == 0


def test_crossing_arcs_are_counted_at_every_gap() -> None:
    arcs = torch.rand(2, 6, 7, dtype=torch.float64)
    left, right = crossing_arcs(arcs)
    for gap in range(6):
        heads_before = sum(arcs[:, d, h + 1] for h in range(gap) for d in range(gap, 6))
        heads_after = sum(arcs[:, d, h + 1] for d in range(gap) for h in range(gap, 6))
        torch.testing.assert_close(left[:, gap], heads_before + torch.zeros(2, dtype=torch.float64))
        torch.testing.assert_close(right[:, gap], heads_after + torch.zeros(2, dtype=torch.float64))


def test_every_parameter_learns() -> None:
    network = JointNetwork(sized(SMALL, Inventory.from_examples(EXAMPLES, "main")))
    torch.nn.init.normal_(network.arc, std=0.1)  # it starts at 0, and then what it multiplies gets no gradient
    batch, labels = batch_of(EXAMPLES)
    settings = LearningSettings(word_dropout=0, tuned=TunedLearning(entry_dropout=0, state_dropout=0, head_dropout=0))
    loss_of(network, network(batch, AnalyserDropout()), labels, settings).backward()
    for name, parameter in network.named_parameters():
        assert parameter.grad is not None and parameter.grad.abs().sum() > 0, name


def test_a_batch_without_labels_teaches_nothing() -> None:
    network = JointNetwork(sized(SMALL, Inventory.from_examples(EXAMPLES, "main")))
    batch, labels = batch_of(EXAMPLES)
    unknown = type(labels)(*(torch.full_like(one, IGNORED) for one in labels))
    loss = loss_of(network, network(batch, AnalyserDropout()), unknown, LearningSettings())
    loss.backward()
    assert loss.item() == 0
    assert not any(one.grad.any() for one in network.parameters() if one.grad is not None)


def test_sizes_of_fixed_vectors_are_told_where_there_are_some() -> None:
    inventory = Inventory.from_examples(EXAMPLES, "main")
    without, with_vectors = (sized(SMALL, inventory, width).to_json() for width in (0, 8))
    assert {"vectors", "vector_size"}.isdisjoint(without) and with_vectors["vector_size"] == 8
    assert without.keys() == with_vectors.keys() - {"vectors", "vector_size"}


def test_unknown_labels_teach_nothing() -> None:
    _, labels = batch_of([EXAMPLES[4]])
    assert (labels.units == IGNORED).all() and (labels.features == IGNORED).all()
    assert (labels.heads != IGNORED).all()
    _, labels = batch_of([EXAMPLES[0]])
    assert labels.units[0].tolist() == [IGNORED, 0, 0, 1, 0, 0]  # the first word always begins a unit


def test_training_learns_its_examples_and_is_repeatable() -> None:
    inventory = Inventory.from_examples(EXAMPLES, "main")
    tuned = TunedLearning(average=0.9, entry_dropout=0)
    settings = LearningSettings(epochs=120, batch_words=12, rate=0.01, word_dropout=0, tuned=tuned)
    network = train(EXAMPLES, inventory, SMALL, settings)
    known = [one for one in EXAMPLES if one.treebank == "main"]
    figures = measure(known, Analyser(network, inventory).analyse([[one.forms for one in known]])[0])
    assert figures["LAS"] == figures["UPOS"] == figures["features"] == figures["EDU F1"] == 100
    short = dataclasses.replace(settings, epochs=2)
    first, second = (train(EXAMPLES, inventory, SMALL, short) for _ in range(2))
    for one, other in zip(first.parameters(), second.parameters()):
        assert torch.equal(one, other)


def test_analyses_of_an_untrained_network_are_well_formed(network: JointNetwork) -> None:
    analyser = Analyser(network, Inventory.from_examples(EXAMPLES, "main"))
    words = np.random.default_rng(1).choice(["cats", "dogs", "run", "because", "zebra"], (40, 9)).tolist()
    for analysis in analyser.analyse([words])[0]:
        assert is_tree(np.array(analysis.heads) + 1)
        assert [label == "root" for label in analysis.deprels] == [head < 0 for head in analysis.heads]


@pytest.mark.parametrize("kind", [NetworkSizes, LearningSettings, SegmenterSettings, AnalyserDropout, *TUNED])
def test_every_setting_has_a_meaning_and_a_valid_default(kind: type[Any]) -> None:
    declared = dataclasses.fields(kind)
    assert all(entry.metadata["meaning"] for entry in declared)
    defaults = {entry.name: as_json(entry.default) for entry in declared if entry.default is not dataclasses.MISSING}
    sizes = {entry.name: 3 for entry in declared if entry.default is dataclasses.MISSING}
    assert dataclasses.asdict(parse_settings(kind, {**defaults, **sizes}, "settings")) == {**defaults, **sizes}


def test_sizes_of_the_inventory_are_not_chosen() -> None:
    with pytest.raises(InputError, match="unknown setting words"):
        parse_settings(NetworkSettings, {"words": 3}, "joint network")
    with pytest.raises(InputError, match="words is missing"):
        parse_settings(NetworkSizes, {}, "joint network")


def test_the_shortest_word_length_holds_long_words() -> None:
    inventory = Inventory.from_examples(EXAMPLES, "main")
    sizes = sized(parse_settings(NetworkSettings, {"word_length": 4}, "joint network"), inventory)
    assert JointNetwork(sizes).word_features(inventory).of(["Internationalisation"]).shape == (1, OWN + AFFIXES + 4)
    with pytest.raises(InputError, match="word_length is 3; it must be at least 4"):
        parse_settings(NetworkSettings, {"word_length": 3}, "joint network")
