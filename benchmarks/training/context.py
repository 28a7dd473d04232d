"""Training speed of the systems with context against the sentence model of the same size on the same sentences.

The corpus is random paragraphs of 16 sentences, whose lengths are log-normal as in talks. A system with context trains
on whole paragraphs, the sentence model on single sentences, both in the batches that training cuts from the corpus, of
the same number of tokens. In a round each model takes one step; all systems with context take theirs on the same batch.
A step is forward, backward, update, and the plans that a system makes for its context. A system whose paper freezes
stage 1 is also timed with stage 1 frozen.

Prints target tokens per CPU-second, and the relative rate: their ratio to the sentence model's, with the published one
(spec 06, 3.3).

    python -m benchmarks.training.context
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from benchmarks.options import SIZE, begin, model_arguments
from benchmarks.random_documents import document
from benchmarks.random_graphs import SUBWORDS, paragraph_graphs
from benchmarks.rounds import alternate
from benchmarks.training.speed import our_loss, train
from discourse_nmt.base.settings import parse_settings
from discourse_nmt.base.vocabulary import BEGIN, END, PAD
from discourse_nmt.models.context.host import ContextTransformer
from discourse_nmt.models.context.paragraphs import ParagraphBatch, Paragraphs, ParagraphSource
from discourse_nmt.models.core.transformer import Transformer
from discourse_nmt.models.graph.word_graphs import ParagraphGraphs
from discourse_nmt.models.switches.transformer import TransformerSettings
from discourse_nmt.models.systems import SYSTEMS, build
from discourse_nmt.models.theme_cache.document_words import DocumentWords
from discourse_nmt.training.data.batches import cut
from discourse_nmt.training.run.optimiser import Optimiser, rates_of
from discourse_nmt.training.settings import TrainingSettings
from discourse_nmt.workflow_scripts.command import run

SENTENCE_MODEL = "transformer"
PUBLISHED = {
    "han": 0.58,
    "doc_transformer": 0.65,
    "continuous_cache": 0.75,
    "hm_gdc": 0.80,
    "selective": 0.31,
    "document_graph target_graph none": 0.69,
    "document_graph": 0.64,
}
FREEZES = ("doc_transformer", "continuous_cache", "document_graph")
VARIANTS: dict[str, list[dict[str, str]]] = {
    "document_graph": [{"target_graph": "none"}, {}],
    "theme_rheme_cache": [{}, {"cache": "continuous"}],
}

Unit = list[tuple[np.ndarray, np.ndarray]]
"""Sentence pairs that are read together: source and target."""
Step = Callable[[Sequence[Unit]], None]
"""Takes a step on a batch."""


@dataclass(frozen=True)
class Batches:
    """The batches of one round: whole paragraphs, and single sentences for the sentence model."""

    paragraphs: Sequence[Unit]
    sentences: Sequence[Unit]

    def of(self, name: str) -> Sequence[Unit]:
        """The batch of a model by its name."""
        return self.sentences if name == SENTENCE_MODEL else self.paragraphs


def random_paragraph(sentences: int, mean: float, size: int, rng: np.random.Generator) -> Unit:
    """A paragraph whose sentences have ``mean`` subwords in the median."""
    lengths = rng.lognormal(np.log(mean), 0.5, sentences).round().astype(np.int64).clip(3, 150)
    made = document(lengths, 10, size, rng)
    return list(zip(made.source, made.target))


def batches(units: list[Unit], batch_tokens: int, rng: np.random.Generator) -> list[list[Unit]]:
    """The batches of an epoch, in random order."""
    sizes = np.array([max(sum(len(ids) + 2 for ids in side) for side in zip(*unit)) for unit in units])
    order = np.argsort(sizes, kind="stable")
    batches_of_units = np.split(order, cut(sizes[order], batch_tokens)[1:-1])
    return [[units[unit] for unit in batches_of_units[batch]] for batch in rng.permutation(len(batches_of_units))]


def target_tokens(batch: Sequence[Unit]) -> int:
    """Tokens that are predicted."""
    return sum(len(target) + 1 for unit in batch for _, target in unit)


def padded(sentences: Sequence[np.ndarray], begin: list[int], end: list[int]) -> Tensor:
    """The sentences between marks, padded, [B, T]."""
    marked = [torch.from_numpy(np.concatenate((begin, ids, end)).astype(np.int64)) for ids in sentences]
    return nn.utils.rnn.pad_sequence(marked, batch_first=True, padding_value=PAD)


def random_words(unit: Unit, rng: np.random.Generator) -> DocumentWords:
    """Words of 1.25 subwords, half of them stop words; words with the same first subword are the same."""
    ids = np.concatenate([source for source, _ in unit])
    begins = rng.random(len(ids)) < 1 / SUBWORDS
    types = ids[np.maximum.accumulate(np.where(begins, np.arange(len(ids)), 0))]
    return DocumentWords(np.array([len(source) for source, _ in unit]), begins.cumsum(), types, types % 2 == 0)


def step_of(model: Transformer, adam: torch.optim.Optimizer, structures: Mapping[str, Mapping[int, Any]]) -> Step:
    """Steps of the sentence model, or of a system with context; ``structures`` are those of the units, by kind."""
    structure_of_unit = structures.get(getattr(model.settings, "structure", ""))

    def step(batch: Sequence[Unit]) -> None:
        unit_of_sentence, source, target = zip(*((index, *pair) for index, unit in enumerate(batch) for pair in unit))
        source_ids = padded(source, [BEGIN], [END])
        read, written = padded(target, [BEGIN], []), padded(target, [], [END])
        wanted = written != PAD
        if isinstance(model, ContextTransformer):
            structure = structure_of_unit and model.arrange([structure_of_unit[id(unit)] for unit in batch], source_ids)
            context = ParagraphSource(source_ids, Paragraphs(torch.tensor(unit_of_sentence)), structure)
            paragraphs = ParagraphBatch(context, read, written)
            states = model.final_states(paragraphs, wanted)
        else:
            states = model.final_states(source_ids, read, wanted)
        train(adam, our_loss(model, states, written[wanted]))

    return step


def main() -> None:
    parser = model_arguments(__doc__, settings={**SIZE, "encoder_layers": 6, "decoder_layers": 6})
    parser.add_argument("--systems", nargs="*", help="systems to time; by default all with context")
    parser.add_argument("--sentences", type=int, default=16, help="sentences of a paragraph")
    parser.add_argument("--mean-length", type=float, default=22, help="median subwords of a sentence")
    parser.add_argument("--batch-tokens", type=int, default=2500, help="tokens of a batch on its larger side")
    parser.add_argument("--paragraphs", type=int, default=64, help="paragraphs of the corpus")
    parser.add_argument("--rounds", type=int, default=2, help="rounds timed")
    options, rng = begin(parser)
    size = options.vocabulary_size
    base = Transformer(parse_settings(TransformerSettings, options.settings, "system transformer"), size, size, True)
    stage_1 = {name for name, _ in base.named_parameters()}
    steps: dict[str, Step] = {}
    graphs: dict[int, ParagraphGraphs] = {}
    words: dict[int, DocumentWords] = {}
    structures: dict[str, dict[int, Any]] = {"graph": graphs, "graphs": graphs, "cache_words": words}
    paragraph_systems = [name for name, system in SYSTEMS.items() if system.unit in ("paragraph", "document")]
    for name in [SENTENCE_MODEL, *(options.systems or paragraph_systems)]:
        for frozen in [False, True] if name in FREEZES else [False]:
            for switches in VARIANTS.get(name, [{}]):
                model = build(name, {**options.settings, **switches}, size, size, True)
                assert isinstance(model, Transformer)
                settings = TrainingSettings(initialised_rate=0.0 if frozen else 1.0)
                parameters = [parameter for parameter, _ in model.named_parameters()]
                adam = Optimiser(model, settings, rates_of(settings, stage_1, parameters)).adam
                label = " ".join([name, *(word for switch in switches.items() for word in switch)])
                steps[f"{label}, stage 1 frozen" if frozen else label] = step_of(model, adam, structures)
    corpus = [random_paragraph(options.sentences, options.mean_length, size, rng) for _ in range(options.paragraphs)]
    whole = batches(corpus, options.batch_tokens, rng)[: options.rounds]
    single = batches([[pair] for unit in corpus for pair in unit], options.batch_tokens, rng)[: options.rounds]
    if any(name.startswith("document_graph") for name in steps):
        for unit in [unit for batch in whole for unit in batch]:
            graphs[id(unit)] = paragraph_graphs(len(graphs), list(zip(*unit)), size, rng)
    words.update({id(unit): random_words(unit, rng) for batch in whole for unit in batch})

    def step_on(name: str, round_batches: Batches) -> None:
        steps[name](round_batches.of(name))

    items = [Batches(*pair) for pair in zip(whole, single)]
    rounds = alternate(
        {name: partial(step_on, name) for name in steps}, items, warm_up=Batches(whole[0][:1], single[0][:1])
    )
    rates = {name: sum(target_tokens(item.of(name)) for item in items) / rounds.total(name) for name in steps}
    for name, rate in rates.items():
        published = PUBLISHED.get(name.split(",")[0])
        comparison = f", published {published:.2f}" if published else ""
        relative = rate / rates[SENTENCE_MODEL]
        print(f"{name}: {rate:.0f} target tokens per CPU-second, relative rate {relative:.2f}{comparison}")
    print(rounds.conditions)


if __name__ == "__main__":
    run(main)
