"""Paragraphs that begin with the same sentences: they are translated once, where nothing after them is read."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from discourse_nmt.models.context import inference
from discourse_nmt.models.context.inference import Paragraph, translate_paragraphs
from discourse_nmt.models.core.beam_search import Hypothesis
from discourse_nmt.models.switches.decoding import DecodingSettings
from discourse_nmt.models.systems import SYSTEMS
from tests.unit.models.context.context_examples import BEAM, PARAGRAPHS, TEXT_ONLY, network

ONLINE = [name for name in TEXT_ONLY if SYSTEMS[name].switches({}).context == "online"]  # type: ignore[attr-defined]
REFERENCES = replace(BEAM, target_context="references")


def beginning(one: Paragraph, sentences: int) -> Paragraph:
    return Paragraph(one.source[:sentences], one.target[:sentences])


WHOLE, OTHER, _ = PARAGRAPHS
ITEMS = [beginning(WHOLE, 2), OTHER, beginning(WHOLE, 4), WHOLE, beginning(WHOLE, 1), WHOLE]
"""Items of one scene, of another one between them, and one again."""


@pytest.fixture
def searched(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many sentences each search translates."""
    counts: list[int] = []
    search = inference.searched

    def noted(model: Any, source_ids: Any, *others: Any) -> Any:
        counts.append(len(source_ids))
        return search(model, source_ids, *others)

    monkeypatch.setattr(inference, "searched", noted)
    return counts


def ids_of(translations: Sequence[Sequence[Hypothesis]]) -> list[list[Sequence[int]]]:
    return [[hypothesis.ids for hypothesis in of_sentence] for of_sentence in translations]


@pytest.mark.parametrize("settings", [BEAM, REFERENCES], ids=["own", "references"])
@pytest.mark.parametrize("system", ONLINE)
def test_each_is_translated_as_by_itself(system: str, settings: DecodingSettings, searched: list[int]) -> None:
    model = network(system)
    alone = [ids_of(next(translate_paragraphs(model, [one], settings))[1]) for one in ITEMS]
    searched.clear()
    found = dict(translate_paragraphs(model, ITEMS, settings))
    assert [ids_of(found[number]) for number in range(len(ITEMS))] == alone
    assert sum(searched) == len(WHOLE.source) + len(OTHER.source)


@pytest.mark.parametrize("system", ["han", "side_constraint"])
def test_other_references_are_other_paragraphs(system: str, searched: list[int]) -> None:
    other = replace(WHOLE, target=[WHOLE.target[1], *WHOLE.target[1:]])
    model = network(system)
    for settings, count in ((BEAM, 1), (REFERENCES, 2)):
        searched.clear()
        dict(translate_paragraphs(model, [WHOLE, other], settings))
        assert sum(searched) == count * len(WHOLE.source)


def test_what_reads_later_sentences_translates_each(searched: list[int]) -> None:
    found = dict(translate_paragraphs(network("selective", context="offline"), ITEMS, BEAM))
    assert sum(searched) == sum(len(one.source) for one in ITEMS)
    short, whole = (found[number][0][0].log_probability for number in (0, 3))
    assert short != pytest.approx(whole, abs=1e-3)


def test_what_one_of_them_asks_for_is_translated(searched: list[int]) -> None:
    asked = [np.zeros(len(one.source), bool) for one in ITEMS]
    asked[0][1] = asked[3][4] = True
    found = dict(translate_paragraphs(network("han"), ITEMS, REFERENCES, asked))
    assert sum(searched) == 2 and found[0][1] and found[3][4] and not found[3][0]
    assert [sum(mask) for mask in asked] == [1, 0, 0, 1, 0, 0]
