"""The side constraint with drafts: the form that most sentences have when each is translated by itself."""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from discourse_nmt.base.vocabulary import BEGIN, END
from discourse_nmt.corpus.address.forms import form_in, says_you
from discourse_nmt.models.context.host import ContextMemory
from discourse_nmt.models.context.inference import Paragraph, translate_paragraphs
from discourse_nmt.models.context.paragraphs import NO_SENTENCE, History
from discourse_nmt.models.context.side_constraint import Addressing, SideConstraint
from discourse_nmt.models.core.beam_search import beam_search
from tests.unit.models.context.context_examples import BEAM, WORDS, network, paragraph, sentence_model

TEXTS = [paragraph([5, 6, 4, 7, 6, 5, 4], number) for number in range(8)]
NONE, DU, IHR = range(3)


def drafting(**switches: Any) -> SideConstraint:
    model = network("side_constraint", drafts=True, **switches)
    assert isinstance(model, SideConstraint)
    return model


def with_changes(logits: Callable[[Tensor], Tensor], changes: Tensor) -> Callable[[Tensor], Tensor]:
    return lambda states: logits(states) + changes


def literally(
    model: SideConstraint, one: Paragraph, monkeypatch: pytest.MonkeyPatch
) -> tuple[list[list[int]], list[str | None]]:
    """The translations of a text, one sentence at a time, and the form that each keeps."""
    stage_1 = sentence_model(model)
    marked = [torch.tensor([[BEGIN, *ids, END]]) for ids in one.source]
    drafts = [beam_search(stage_1, ids, BEAM)[0][0].ids for ids in marked]
    you = [says_you(WORDS.text(ids)) for ids in one.source]
    forms = [form_in(WORDS.text(ids), "de") if asked else None for ids, asked in zip(drafts, you)]
    kept: list[str | None] = []
    for place, asked in enumerate(you):
        read = [form for form in forms[max(0, place - model.settings.sentences) : place + 1] if form]
        most = max(Counter(read).values(), default=0)
        kept.append(next((form for form in reversed(read) if read.count(form) == most), None) if asked else None)
    found = []
    for ids, form in zip(marked, kept):
        changed = sentence_model(model)
        assert changed.output_bias is None
        changes = torch.zeros(len(WORDS)) if form is None else model.lexicon[:, model.forms.index(form)]
        monkeypatch.setattr(changed, "logits", with_changes(changed.logits, changes))
        found.append(list(beam_search(changed, ids, BEAM)[0][0].ids))
    return found, kept


@pytest.mark.parametrize("sentences", [1, 20])
def test_the_most_drafts_set_the_form(sentences: int, monkeypatch: pytest.MonkeyPatch) -> None:
    model = drafting(sentences=sentences)
    found = dict(translate_paragraphs(model, TEXTS, replace(BEAM, batch_tokens=60)))
    moved = 0
    for number, one in enumerate(TEXTS):
        wanted, kept = literally(model, one, monkeypatch)
        assert [list(hypotheses[0].ids) for hypotheses in found[number]] == wanted
        moved += len(set(kept))
    assert moved > len(TEXTS)


@pytest.mark.parametrize(
    ("forms", "of_drafts", "last"),
    [
        ([DU, IHR, IHR], IHR, DU),
        ([DU, IHR, NONE], DU, DU),
        ([NONE, IHR, DU, DU, IHR], IHR, IHR),
        ([NONE, NONE], NONE, NONE),
        ([IHR, NO_SENTENCE, NO_SENTENCE], IHR, IHR),
    ],
)
def test_of_as_many_drafts_the_nearest_counts(forms: list[int], of_drafts: int, last: int) -> None:
    """References are facts, of which the last counts; no draft counts where there is none."""
    states = torch.tensor(forms, dtype=torch.float32).clamp(min=0)[:, None, None]
    rows = torch.tensor([[NO_SENTENCE if form < 0 else place for place, form in enumerate(forms)]])
    history = History(states, torch.full((len(forms), 1), BEGIN), rows)
    addressing = {"addressing": Addressing(torch.tensor([True]))}
    model = drafting()
    for drafts, wanted in ((True, of_drafts), (False, last)):
        read = replace(history, drafts=drafts)
        memory = ContextMemory(
            torch.zeros(1, 1, 16), torch.zeros(1, 1, dtype=torch.bool), contexts=addressing, history=read
        )
        assert model.constraints(memory).tolist() == [wanted]


def test_references_are_read_in_place_of_drafts() -> None:
    settings = replace(BEAM, target_context="references")
    found, wanted = (
        dict(translate_paragraphs(network("side_constraint", drafts=drafts), TEXTS, settings))
        for drafts in (True, False)
    )
    assert found == wanted
    assert dict(translate_paragraphs(drafting(), TEXTS, BEAM)) != wanted


def test_only_what_is_asked_for_is_translated_again() -> None:
    asked = [np.zeros(len(one.source), bool) for one in TEXTS]
    asked[2][3] = True
    alone = replace(BEAM, batch_tokens=1)  # another batch is rounded otherwise
    for settings in (BEAM, alone):
        every, some = (dict(translate_paragraphs(drafting(), TEXTS, settings, which)) for which in (None, asked))
        [hypotheses] = [translation for translations in some.values() for translation in translations if translation]
        assert [hypothesis.ids for hypothesis in hypotheses] == [hypothesis.ids for hypothesis in every[2][3]]
    assert hypotheses == every[2][3]
