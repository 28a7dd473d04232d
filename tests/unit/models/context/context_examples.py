"""Random networks with context, paragraphs and batches for the tests."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from discourse_nmt.base.vocabulary import BEGIN, END, PAD, SPECIALS, Vocabulary
from discourse_nmt.models.context.host import ContextTransformer
from discourse_nmt.models.context.inference import Paragraph, source_of
from discourse_nmt.models.context.paragraphs import ParagraphBatch
from discourse_nmt.models.core.beam_search import Hypothesis
from discourse_nmt.models.core.inference import Ids
from discourse_nmt.models.core.transformer import Transformer
from discourse_nmt.models.switches.decoding import DecodingSettings
from discourse_nmt.models.systems import SYSTEMS, build, build_with

SIZE = 23
GREEDY = DecodingSettings(beam=1, max_length_ratio=1.0, max_length_offset=3)
BEAM = DecodingSettings(beam=3, n_best=2, max_length_ratio=1.0, max_length_offset=2)
SMALL: dict[str, Any] = {
    "encoder_layers": 2,
    "decoder_layers": 2,
    "width": 16,
    "heads": 2,
    "feed_forward_width": 32,
    "tie_output": False,
}
# Many words address somebody, so that random sentences do: those of the tests below, by this order.
WORDS = Vocabulary(tuple(f"{' '.join(SPECIALS)} g d thou your euch du f b you thee c ihr a thy e dich".split()))
OF_SYSTEM: dict[str, dict[str, Any]] = {"side_constraint": {"target_language": "de"}}
"""By system, what it needs beside these."""
TEXT_ONLY = [
    name
    for name, system in SYSTEMS.items()
    if system.unit in ("paragraph", "document") and not system.switches({}).structure
]
"""Systems with context that read no structure file."""


def network(system: str, seed: int = 1, end: float = 2.0, **switches: Any) -> ContextTransformer:
    """A random model that ends sentences now and then before the limit."""
    torch.manual_seed(seed)
    model = build_with(system, {**SMALL, **OF_SYSTEM.get(system, {}), **switches}, WORDS, WORDS).eval()
    assert isinstance(model, ContextTransformer)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(torch.randn(parameter.shape) * 0.3)
        model.output.weight[END] += end / 16
    return model


def sentence_model(model: ContextTransformer) -> Transformer:
    """The sentence model with the parameters of stage 1."""
    names = set(SYSTEMS["transformer"].settings.__dataclass_fields__)
    switches = {name: value for name, value in vars(model.settings).items() if name in names}
    size = model.output.num_embeddings
    stage_1 = build("transformer", switches, size, size, True).eval()
    assert isinstance(stage_1, Transformer)
    own = model.state_dict()
    stage_1.load_state_dict({name: own[name] for name in stage_1.state_dict()})
    return stage_1.to(next(model.parameters()).dtype)


def paragraph(lengths: Sequence[int], seed: int = 1, size: int = SIZE) -> Paragraph:
    """Random sentences of ``lengths`` subwords, and translations one longer or shorter."""
    rng = np.random.default_rng(seed)
    sides = [
        [rng.integers(len(SPECIALS), size, max(1, length + extra)) for length, extra in zip(lengths, more)]
        for more in (np.zeros(len(lengths), int), rng.integers(-1, 2, len(lengths)))
    ]
    return Paragraph(*[[ids.tolist() for ids in side] for side in sides])


PARAGRAPHS = [paragraph([3, 5, 2, 4, 6], 1), paragraph([4], 2), paragraph([1, 7, 3], 3)]


def batch(model: ContextTransformer, paragraphs: Sequence[Paragraph]) -> ParagraphBatch:
    """What training makes of the paragraphs."""
    targets = [torch.tensor(ids, dtype=torch.int64) for one in paragraphs for ids in one.target]
    marks = torch.tensor([BEGIN]), torch.tensor([END])
    return ParagraphBatch(
        source_of(model, [replace(one, target=()) for one in paragraphs]),
        pad_sequence([torch.cat((marks[0], ids)) for ids in targets], batch_first=True, padding_value=PAD),
        pad_sequence([torch.cat((ids, marks[1])) for ids in targets], batch_first=True, padding_value=PAD),
    )


def logits(model: ContextTransformer, paragraphs: Sequence[Paragraph]) -> list[list[torch.Tensor]]:
    """What the model predicts for each position of each sentence of each paragraph: [T, V]."""
    made = batch(model, paragraphs)
    rows = iter(model(made))
    return [[next(rows)[: len(ids) + 1] for ids in one.target] for one in paragraphs]


def check_scores(
    items: Sequence[tuple[int, int, Ids]],
    scores: Mapping[int, float],
    found: Mapping[int, list[list[Hypothesis]]],
    outputs: Sequence[Sequence[Tensor]],
) -> None:
    """Scores of the best translations, and those of the search, are what the logits ``outputs`` of forward give."""
    for number, (place, sentence, ids) in enumerate(items):
        output = outputs[place][sentence].log_softmax(-1)
        wanted = output.gather(1, torch.tensor([*ids, END])[:, None]).sum().item()
        assert scores[number] == pytest.approx(wanted, abs=2e-4)
        assert found[place][sentence][0].log_probability == pytest.approx(wanted, abs=2e-4)
