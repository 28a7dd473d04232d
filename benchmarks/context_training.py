"""Training speed of the systems with context against the sentence model of the same size on the same sentences.

Random paragraphs of 16 sentences, whose lengths vary as those of talks do (log-normal). A system with context trains
on whole paragraphs, the sentence model on the sentences by themselves, both in batches as training cuts them from the
whole corpus, of the same number of tokens. In a round each model takes a step, those with context on the same batch.
The time is CPU time of the steps, which the load of a machine leaves as it is: forward, backward, update, and whatever
a system plans for its context. Where the paper of a system freezes stage 1, it is also timed so.

Prints target tokens per second and their ratio to the sentence model's, the relative rate, beside that of the published
comparison (spec 06, 3.3).

    python -m benchmarks.context_training
"""

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from benchmarks.random_documents import document
from benchmarks.random_graphs import SUBWORDS, paragraph_graphs
from benchmarks.training_speed import train
from discourse_nmt.corpus.settings import parse_settings
from discourse_nmt.corpus.vocabulary import BEGIN, END, PAD
from discourse_nmt.models.context.host import ContextTransformer
from discourse_nmt.models.context.paragraphs import ParagraphBatch, Paragraphs, ParagraphSource
from discourse_nmt.models.core.transformer import Transformer
from discourse_nmt.models.graph.word_graphs import ParagraphGraphs
from discourse_nmt.models.switches.transformer import TransformerSettings
from discourse_nmt.models.systems import SYSTEMS, build
from discourse_nmt.models.theme_cache.document_words import DocumentWords
from discourse_nmt.training.data.batches import cut
from discourse_nmt.training.run.optimiser import Optimiser, rates_of
from discourse_nmt.training.run.settings import TrainingSettings
from discourse_nmt.workflow_scripts.command import JsonObject, arguments, run

SIZE = {"width": 256, "heads": 4, "encoder_layers": 6, "decoder_layers": 6, "feed_forward_width": 1024}
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


def random_paragraph(sentences: int, mean: float, size: int, rng: np.random.Generator) -> Unit:
    """A paragraph whose sentences have ``mean`` subwords in the median."""
    lengths = rng.lognormal(np.log(mean), 0.5, sentences).round().astype(np.int64).clip(3, 150)
    made = document(lengths, 10, size, rng)
    return list(zip(made.source, made.target))


def batches(units: list[Unit], batch_tokens: int, rng: np.random.Generator) -> list[list[Unit]]:
    """The batches of an epoch, in random order."""
    sizes = np.array([max(sum(len(ids) + 2 for ids in side) for side in zip(*unit)) for unit in units])
    order = np.argsort(sizes, kind="stable")
    parts = np.split(order, cut(sizes[order], batch_tokens)[1:-1])
    return [[units[number] for number in parts[place]] for place in rng.permutation(len(parts))]


def target_tokens(batch: Sequence[Unit]) -> int:
    """Tokens that are predicted."""
    return sum(len(target) + 1 for unit in batch for _, target in unit)


def rows(sentences: Sequence[np.ndarray], begin: list[int], end: list[int]) -> Tensor:
    """The sentences between marks, padded."""
    parts = [torch.from_numpy(np.concatenate((begin, ids, end)).astype(np.int64)) for ids in sentences]
    return nn.utils.rnn.pad_sequence(parts, batch_first=True, padding_value=PAD)


def random_words(unit: Unit, rng: np.random.Generator) -> DocumentWords:
    """Words of 1.25 subwords, half of them stop words; two are the same that begin with the same subword."""
    ids = np.concatenate([source for source, _ in unit])
    begins = rng.random(len(ids)) < 1 / SUBWORDS
    types = ids[np.maximum.accumulate(np.where(begins, np.arange(len(ids)), 0))]
    return DocumentWords(np.array([len(source) for source, _ in unit]), begins.cumsum(), types, types % 2 == 0)


def step_of(model: Transformer, adam: torch.optim.Adam, structures: Mapping[str, Mapping[int, Any]]) -> Step:
    """Steps of the sentence model, or of a system with context; ``structures`` are those of the units, by kind."""
    beside = structures.get(getattr(model.settings, "structure", ""))

    def step(batch: Sequence[Unit]) -> None:
        numbers, source, target = zip(*((number, *pair) for number, unit in enumerate(batch) for pair in unit))
        source_ids, read, written = rows(source, [BEGIN], [END]), rows(target, [BEGIN], []), rows(target, [], [END])
        wanted = written != PAD
        if isinstance(model, ContextTransformer):
            structure = None if beside is None else model.arrange([beside[id(unit)] for unit in batch], source_ids)
            context = ParagraphSource(source_ids, Paragraphs(torch.tensor(numbers)), structure)
            paragraphs = ParagraphBatch(context, read, written)
            train(adam, model(paragraphs, wanted), written[wanted])
        else:
            train(adam, model(source_ids, read, wanted), written[wanted])

    return step


def timed(step: Step, batch: Sequence[Unit]) -> float:
    """CPU seconds of a step."""
    start = time.process_time()
    step(batch)
    return time.process_time() - start


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument(
        "--settings", action=JsonObject, default=SIZE, help="settings of the system transformer, as JSON"
    )
    parser.add_argument("--vocabulary-size", type=int, default=8000, help="symbols of the joint vocabulary")
    parser.add_argument("--systems", nargs="*", help="systems that are timed; all with context unless told")
    parser.add_argument("--sentences", type=int, default=16, help="sentences of a paragraph")
    parser.add_argument("--mean-length", type=float, default=22, help="median subwords of a sentence")
    parser.add_argument("--batch-tokens", type=int, default=2500, help="tokens of a batch on its larger side")
    parser.add_argument("--paragraphs", type=int, default=64, help="paragraphs of the corpus")
    parser.add_argument("--rounds", type=int, default=2, help="rounds timed")
    parser.add_argument("--threads", type=int, default=1, help="CPU threads")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    torch.manual_seed(1)
    rng = np.random.default_rng(1)
    size = options.vocabulary_size
    base = Transformer(parse_settings(TransformerSettings, options.settings, "system transformer"), size, size, True)
    stage_1 = {name for name, _ in base.named_parameters()}
    steps: dict[str, Step] = {}
    graphs: dict[int, ParagraphGraphs] = {}
    words: dict[int, DocumentWords] = {}
    structures: dict[str, dict[int, Any]] = {"graph": graphs, "graphs": graphs, "cache_words": words}
    paragraph_systems = [name for name, system in SYSTEMS.items() if system.unit in ("paragraph", "document")]
    for name in ["transformer", *(options.systems or paragraph_systems)]:
        for frozen in [False, True] if name in FREEZES else [False]:
            for switches in VARIANTS.get(name, [{}]):
                model = build(name, {**options.settings, **switches}, size, size, True)
                assert isinstance(model, Transformer)
                settings = TrainingSettings(initialised_rate=0.0 if frozen else 1.0)
                names = [each for each, _ in model.named_parameters()]
                adam = Optimiser(model, settings, rates_of(settings, stage_1, names)).adam
                label = " ".join([name, *(word for each in switches.items() for word in each)])
                steps[f"{label}, stage 1 frozen" if frozen else label] = step_of(model, adam, structures)
    corpus = [random_paragraph(options.sentences, options.mean_length, size, rng) for _ in range(options.paragraphs)]
    whole = batches(corpus, options.batch_tokens, rng)[: options.rounds]
    single = batches([[pair] for unit in corpus for pair in unit], options.batch_tokens, rng)[: options.rounds]
    chosen = {name: single if name == "transformer" else whole for name in steps}
    if any(name.startswith("document_graph") for name in steps):
        for unit in [unit for batch in whole for unit in batch]:
            graphs[id(unit)] = paragraph_graphs(len(graphs), list(zip(*unit)), size, rng)
    words.update({id(unit): random_words(unit, rng) for batch in whole for unit in batch})
    for name, step in steps.items():
        step(chosen[name][0][:1])
    times = dict.fromkeys(steps, 0.0)
    for number in range(min(len(whole), len(single))):
        for name, step in steps.items():
            times[name] += timed(step, chosen[name][number])
    rates = {name: sum(map(target_tokens, chosen[name])) / times[name] for name in steps}
    for name, rate in rates.items():
        published = PUBLISHED.get(name.split(",")[0])
        beside = f", published {published:.2f}" if published else ""
        print(f"{name}: {rate:.0f} target tokens/s, relative rate {rate / rates['transformer']:.2f}{beside}")


if __name__ == "__main__":
    run(main)
