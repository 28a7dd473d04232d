"""Parity with transformers, for each kind of checkpoint: tokens, logits, greedy and beam search."""

from collections.abc import Callable, Sequence
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as F

from discourse_nmt.base.vocabulary import END, PAD, SPECIALS
from discourse_nmt.models.core.beam_search import beam_search, one_sentence
from discourse_nmt.models.core.inference import padded
from discourse_nmt.models.switches.decoding import DecodingSettings
from discourse_nmt.text.postprocessing import Postprocessor
from discourse_nmt.text.settings import SIDES
from discourse_nmt.training.tasks.loss import smoothed
from tests.unit.training.pretrained.imported_checkpoints import Imported
from tests.unit.training.pretrained.pretrained_checkpoints import demo_pairs
from tests.unit.training.pretrained.reference_checkpoints import KINDS, Reference, lines, make, real_lines


@pytest.fixture(scope="module")
def imported(tmp_path_factory: pytest.TempPathFactory) -> Any:
    made: Callable[[str], Reference] = cache(lambda kind: make(kind, tmp_path_factory.mktemp(kind)))

    @cache
    def of_kind(kind: str, whole: bool = True) -> Imported:
        return Imported(made(kind), whole)

    return of_kind


def check_tokens(checkpoint: Imported, text: Sequence[str]) -> None:
    for line in text:
        for side, theirs in (
            (SIDES[0], checkpoint.reference.source_rows),
            (SIDES[1], checkpoint.reference.target_rows),
        ):
            ids = checkpoint.ids(side, line)
            assert checkpoint.in_rows(side, [*ids, END]) == theirs(line), line


@pytest.mark.parametrize("kind", KINDS)
def test_tokens_are_those_of_transformers(imported: Any, kind: str) -> None:
    assert len(lines()) >= 600 and len(real_lines()) == 1000
    check_tokens(imported(kind), [*lines(), *real_lines()])


@pytest.mark.parametrize("kind", KINDS)
def test_tokens_of_talks_and_films_are_those_of_transformers(imported: Any, kind: str, shared_data: Path) -> None:
    """A thousand lines of English, German and Chinese, most of whose characters the tiny vocabularies lack."""
    folder = shared_data / "parallel"
    talks = [folder / "maruf_ende" / "TED" / f"concatenated_en2de_dev_{side}.txt" for side in ("en", "de")]
    text = [
        line.strip()
        for path in (*talks, folder / "tvsub_zhen" / "dev" / "dev.orignal.zh")
        for line in path.read_text(encoding="utf-8").splitlines()[:350]
        if line.strip() and line.strip() != "<d>"
    ]
    assert len(text) >= 1000
    check_tokens(imported(kind), text)


@pytest.mark.parametrize("kind", KINDS)
def test_switches_are_those_that_the_documentation_tells(imported: Any, kind: str) -> None:
    checkpoint = imported(kind)
    found = asdict(checkpoint.network.settings)
    assert {name: found[name] for name in checkpoint.reference.switches} == checkpoint.reference.switches


@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize("kind", KINDS)
def test_logits_are_those_of_transformers(imported: Any, kind: str, whole: bool) -> None:
    checkpoint = imported(kind, whole)
    pairs = demo_pairs()[:12]
    source, target = ([checkpoint.ids(side, pair[index]) for pair in pairs] for index, side in enumerate(SIDES))
    own = padded(target, checkpoint.network)[:, :-1]
    with torch.no_grad():
        logits = checkpoint.network(padded(source, checkpoint.network), own.masked_fill(own == END, PAD))
    real = torch.tensor([END, *range(len(SPECIALS), len(checkpoint.rows["target"]))])
    rows = torch.tensor(checkpoint.rows["target"])[real]
    spread = []
    for index, (source_ids, target_ids) in enumerate(zip(source, target)):
        begin = checkpoint.reference.begin[0]
        with torch.no_grad():
            expected = checkpoint.reference.model(
                torch.tensor([checkpoint.in_rows("source", [*source_ids, END])]),
                decoder_input_ids=torch.tensor([[begin, *checkpoint.in_rows("target", target_ids)]]),
            ).logits[0][:, rows]
        torch.testing.assert_close(logits[index, : len(expected)][:, real], expected, rtol=1e-4, atol=1e-4)
        spread.append(expected.std())
    assert min(spread) > 0.5


@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize("beam", [1, 4])
@pytest.mark.parametrize("kind", KINDS)
def test_translations_are_those_of_transformers(imported: Any, kind: str, beam: int, whole: bool) -> None:
    checkpoint = imported(kind, whole)
    sources = [source for source, _ in demo_pairs()[:8]]
    own = dict.fromkeys(checkpoint.rows["target"])
    special = set(checkpoint.rows["target"][: len(SPECIALS)]) - {checkpoint.rows["target"][END]}
    expected = checkpoint.reference.translations(sources, beam, list(own), sorted(special))
    settings = DecodingSettings(beam=beam, length_penalty=0.0, max_length_ratio=0.0, max_length_offset=45)
    ids = padded([checkpoint.ids("source", line) for line in sources], checkpoint.network)
    found = [best[0].ids for best in beam_search(checkpoint.network, ids, settings)]
    language = len(checkpoint.reference.begin) - 1
    rows = [[*checkpoint.in_rows("target", [*translation]), checkpoint.rows["target"][END]] for translation in found]
    if beam == 1:
        assert [row[language:][: len(theirs)] for row, theirs in zip(rows, expected)] == expected
    # At its longest translation the library ends a hypothesis at no cost.
    ended = [(row[language:], theirs) for row, theirs in zip(rows, expected) if theirs[-1] == rows[0][-1]]
    assert [ours for ours, _ in ended] == [theirs for _, theirs in ended]
    assert ended
    text = Postprocessor(checkpoint.settings.target, checkpoint.vocabularies["target"])
    assert not any(mark in text.line(translation) for translation in found for mark in ("__", "_Latn", "de_DE", ">>"))


@pytest.mark.parametrize("smoothing", [0.0, 0.2])
def test_the_loss_and_its_gradient_know_the_bias(imported: Any, smoothing: float) -> None:
    checkpoint = imported("marian")
    network = checkpoint.network
    source, target = (
        [checkpoint.ids(side, pair[index]) for pair in demo_pairs()[:4]] for index, side in enumerate(SIDES)
    )
    own = padded(target, network)
    wanted = own[:, 1:] != PAD
    states = network.final_states(padded(source, network), own[:, :-1], wanted).detach().requires_grad_()
    reference = own[:, 1:][wanted]
    losses = smoothed(states, network.output.weight, reference, smoothing, network.output_bias)
    expected = F.cross_entropy(network.logits(states), reference, label_smoothing=smoothing, reduction="sum")
    torch.testing.assert_close(losses.objective, expected, rtol=1e-5, atol=1e-4)
    gradients = [torch.autograd.grad(loss, [states, network.output.weight]) for loss in (losses.objective, expected)]
    for found, wished in zip(*gradients):
        torch.testing.assert_close(found, wished, rtol=1e-4, atol=1e-5)
    likelihood = F.cross_entropy(network.logits(states), reference, reduction="sum")
    torch.testing.assert_close(losses.likelihood, likelihood, rtol=1e-5, atol=1e-4)


def test_a_translation_begins_with_its_language_at_no_cost_and_is_not_empty() -> None:
    language = len(SPECIALS)
    scores = torch.randn(3, 2, 20).log_softmax(-1)
    first, second, last = scores.clone().unbind()
    one_sentence(scores, np.array([1, 2, 3]), np.array([9, 9, 2]), language)
    assert scores[0].isfinite().nonzero().tolist() == [[0, language], [1, language]]
    assert (scores[0, :, language] == 0).all()
    assert not scores[1, :, END].isfinite().any() and torch.equal(scores[1, :, language:], second[:, language:])
    assert scores[2].isfinite().nonzero().tolist() == [[0, END], [1, END]]
    assert torch.equal(scores[2, :, END], last[:, END]) and not (first[:, language] == 0).any()
