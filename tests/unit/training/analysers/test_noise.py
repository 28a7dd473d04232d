"""Noise on training sentences: what changes, what stays, how often."""

import dataclasses

import numpy as np
import pytest

from discourse_nmt.discourse.analysers.analyser import Analyser
from discourse_nmt.discourse.analysers.examples import Example
from discourse_nmt.discourse.analysers.inventory import Inventory
from discourse_nmt.training.analysers.joint import LearningSettings, TunedLearning, train
from discourse_nmt.training.analysers.noise import noisy
from tests.unit.discourse.analysers.test_network import EXAMPLES, SMALL, example

SENTENCE = example("|McCoy/PROPN/2/nsubj does/AUX/0/root n't/PART/2/advmod |!/PUNCT/2/punct")
ALWAYS = 1 - 1e-12


def draws(given: Example, case: float, ending: float, count: int = 600) -> list[Example]:
    randomness = np.random.default_rng(1)
    return [noisy(given, case, ending, randomness) for _ in range(count)]


def test_cases_of_headings_and_chat_are_equally_frequent() -> None:
    read = draws(SENTENCE, ALWAYS, 0)
    forms = [one.forms for one in read]
    for expected in (("mccoy", "does", "n't", "!"), ("MCCOY", "DOES", "N'T", "!"), ("McCoy", "Does", "N't", "!")):
        assert 150 < forms.count(expected) < 250
    assert {dataclasses.replace(one, forms=SENTENCE.forms) for one in read} == {SENTENCE}


def test_the_final_mark_goes_with_all_its_annotation() -> None:
    [shorter] = set(draws(SENTENCE, 0, ALWAYS))
    for field in dataclasses.fields(Example):
        before, after = getattr(SENTENCE, field.name), getattr(shorter, field.name)
        assert after == (before[:3] if isinstance(before, tuple) else before), field.name
    [plain] = set(draws(dataclasses.replace(SENTENCE, xpos=None, features=None, edu_starts=None), 0, ALWAYS))
    assert plain.xpos is plain.features is plain.edu_starts is None and len(plain.forms) == 3


@pytest.mark.parametrize(
    "text",
    [
        "|Run/VERB/0/root now/ADV/1/advmod",  # no mark
        "|Run/VERB/2/dep !/PUNCT/0/root",  # others depend on it
        "|!/PUNCT/0/root",  # nothing would be left
    ],
)
def test_endings_that_are_needed_stay(text: str) -> None:
    assert set(draws(example(text), 0, ALWAYS, 20)) == {example(text)}


def test_noise_has_its_share_of_the_sentences() -> None:
    assert all(one is SENTENCE for one in draws(SENTENCE, 0, 0))
    read = draws(SENTENCE, 0.3, 0.1)
    # a third of the changes of case give the same forms as before or nearly so; none leaves all words as they are
    assert 130 < sum(one.forms[:3] != SENTENCE.forms[:3] for one in read) < 230
    assert 35 < sum(len(one.forms) == 3 for one in read) < 85


def test_labels_are_those_of_the_sentence_that_is_read() -> None:
    short = [example("|DOGS/NOUN/0/root !/PUNCT/1/punct")] * 4
    inventory = Inventory.from_examples([*short, *EXAMPLES], "main")
    settings = LearningSettings(
        epochs=40, batch_words=8, rate=0.01, case_noise=ALWAYS, ending_noise=ALWAYS, tuned=TunedLearning(average=0.9)
    )
    [analysis] = Analyser(train(short, inventory, SMALL, settings), inventory).analyse([[["dogs"]]])[0]
    assert (analysis.upos, analysis.lemmas) == (("NOUN",), ("dog",))
