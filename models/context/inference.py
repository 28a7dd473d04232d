"""Translating and scoring with systems that see the paragraph: many paragraphs at a time, results by number."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from discourse_nmt.corpus.vocabulary import BEGIN, END, PAD
from discourse_nmt.models.context.host import ContextMemory, ContextTransformer
from discourse_nmt.models.context.paragraphs import NO_SENTENCE, History, Paragraphs, ParagraphSource
from discourse_nmt.models.core.beam_search import CachedSteps, Hypothesis, longest, search
from discourse_nmt.models.core.inference import Ids, batches, padded, translate
from discourse_nmt.models.switches.decoding import DecodingSettings

POOL = 8  # batches of sentences that are encoded together, so that those of similar length can be searched together


@dataclass(frozen=True)
class Paragraph:
    """The sentences of one paragraph without marks.

    ``target`` has its translations where they are known; ``structure`` is what the structure file holds for it.
    """

    source: Sequence[Ids]
    target: Sequence[Ids] = ()
    structure: Any = None


def source_of(model: ContextTransformer, paragraphs: Sequence[Paragraph]) -> ParagraphSource:
    """The source of a batch, on the model's device."""
    ids = padded([sentence for paragraph in paragraphs for sentence in paragraph.source], model)
    numbers = [number for number, paragraph in enumerate(paragraphs) for _ in paragraph.source]
    structure = None
    if paragraphs[0].structure is not None:
        structure = model.arrange([paragraph.structure for paragraph in paragraphs], ids.cpu()).to(ids.device)
    return ParagraphSource(ids, Paragraphs(torch.tensor(numbers, device=ids.device)), structure)


def translate_paragraphs(
    model: ContextTransformer, paragraphs: Sequence[Paragraph], settings: DecodingSettings
) -> Iterator[tuple[int, list[list[Hypothesis]]]]:
    """Yield the number of each of ``paragraphs`` and the n-best translations of each of its sentences.

    ``model`` is in evaluation mode. Without context every sentence is translated as by the sentence model. Where the
    context is the source alone, the sentences of many paragraphs are one batch; where translations are looked back at,
    a batch holds one sentence of each paragraph, the paragraphs go on side by side, and what is looked back at is each
    sentence's best translation.
    """
    sizes = [sum(len(ids) + 2 for ids in paragraph.source) for paragraph in paragraphs]
    for chosen in batches(sizes, POOL * settings.batch_tokens):
        pool = [paragraphs[number] for number in chosen]
        with torch.inference_mode():
            way = alone if model.settings.context == "none" else in_streams if looks_back(model) else together
            found = way(model, pool, settings)
        yield from zip(chosen, found)


def looks_back(model: ContextTransformer) -> bool:
    """Whether a translation depends on those of earlier sentences."""
    return model.earlier_targets != 0 and model.settings.context != "none"


def alone(
    model: ContextTransformer, paragraphs: Sequence[Paragraph], settings: DecodingSettings
) -> list[list[list[Hypothesis]]]:
    """Translate every sentence without context."""
    sentences = [sentence for paragraph in paragraphs for sentence in paragraph.source]
    return by_paragraph(paragraphs, dict(translate(model, sentences, settings)))


def together(
    model: ContextTransformer, paragraphs: Sequence[Paragraph], settings: DecodingSettings
) -> list[list[list[Hypothesis]]]:
    """Translate all sentences at once, those of similar length in one search."""
    source = source_of(model, paragraphs)
    memory = model.encode_source(source)
    found: dict[int, list[Hypothesis]] = {}
    for rows in batches(source.lengths, settings.batch_tokens):
        found.update(zip(rows, searched(model, rows_of(rows, source, memory), settings)))
    return by_paragraph(paragraphs, found)


def rows_of(rows: Sequence[int], source: ParagraphSource, memory: ContextMemory) -> ContextMemory:
    """The ``rows`` of the memory of ``source``."""
    return memory.part(torch.tensor(rows, device=source.ids.device), max(source.lengths[row] for row in rows))


def searched(model: ContextTransformer, memory: ContextMemory, settings: DecodingSettings) -> list[list[Hypothesis]]:
    """The n-best translations of each row of ``memory``."""
    limits = longest((~memory.padding).sum(dim=1) - 2, settings)
    return search(CachedSteps(model, memory), limits, settings)


def in_streams(
    model: ContextTransformer, paragraphs: Sequence[Paragraph], settings: DecodingSettings
) -> list[list[list[Hypothesis]]]:
    """Translate the first sentence of every paragraph, then the second of those that have one, and so on."""
    source = source_of(model, paragraphs)
    memory = model.encode_source(source)
    found: dict[int, list[Hypothesis]] = {}
    bank = Bank(model, len(source.ids))
    earlier = source.paragraphs.earlier(model.earlier_targets)
    for column in source.paragraphs.rows.T.tolist():
        present = [row for row in column if row != NO_SENTENCE]
        for numbers in batches([source.lengths[row] for row in present], settings.batch_tokens):
            rows = [present[number] for number in numbers]
            part = rows_of(rows, source, memory)
            results = searched(model, replace(part, history=bank.history(earlier[rows], part)), settings)
            found.update(zip(rows, results))
            bank.add(rows, [result[0].ids for result in results], part)
    return by_paragraph(paragraphs, found)


def by_paragraph(paragraphs: Sequence[Paragraph], found: dict[int, list[Hypothesis]]) -> list[list[list[Hypothesis]]]:
    """What was found for all sentences, by their number, split where paragraphs end."""
    remaining = iter(range(len(found)))
    return [[found[next(remaining)] for _ in paragraph.source] for paragraph in paragraphs]


class Bank:
    """The states of target sentences so far, by their row in the batch of ``size`` sentences."""

    def __init__(self, model: ContextTransformer, size: int) -> None:
        self.model = model
        self.size = size
        self.states: Tensor | None = None
        self.ids: Tensor | None = None

    def add(self, rows: Sequence[int], translations: Sequence[Ids], memory: ContextMemory) -> None:
        """Keep the states of the ``translations`` of ``rows``; ``memory`` is theirs."""
        ids = padded(translations, self.model)
        ids = ids[:, :-1].masked_fill(ids[:, :-1] == END, PAD)
        states = self.model.top_states(ids, memory)
        if self.states is None or self.ids is None:
            self.states, self.ids = states.new_zeros(self.size, 0, states.shape[2]), ids.new_zeros(self.size, 0)
        missing = max(0, ids.shape[1] - self.ids.shape[1])
        self.states, self.ids = F.pad(self.states, (0, 0, 0, missing)), F.pad(self.ids, (0, missing), value=PAD)
        self.states[rows, : ids.shape[1]], self.ids[rows, : ids.shape[1]] = states, ids

    def history(self, rows: Tensor, memory: ContextMemory) -> History:
        """What sentences see that look back at ``rows`` [B, K]; ``memory`` is theirs."""
        if self.states is None or self.ids is None:
            width = self.model.top_states(rows.new_full((len(rows), 1), BEGIN), memory).shape[2]
            history = History(memory.states.new_zeros(1, 1, width), rows.new_full((1, 1), PAD), rows)
        else:
            kept, places = torch.cat((rows.new_zeros(1), rows[rows != NO_SENTENCE])).unique(return_inverse=True)
            renumbered = rows.masked_scatter(rows != NO_SENTENCE, places[1:])
            history = History(self.states[kept], self.ids[kept], renumbered)
        return self.model.remember(history)


def score_paragraphs(
    model: ContextTransformer,
    paragraphs: Sequence[Paragraph],
    items: Sequence[tuple[int, int, Ids]],
    batch_tokens: int,
) -> Iterator[tuple[int, float]]:
    """Yield the number of each of ``items`` and its log-probability in nats.

    An item is a paragraph, a sentence of it (both from 0), and a translation of this sentence; the earlier target
    sentences are those of the paragraph. ``batch_tokens`` bounds the padded tokens of the longer side of a batch.
    """
    of_paragraph: dict[int, list[int]] = {}
    for number, (paragraph, _, _) in enumerate(items):
        of_paragraph.setdefault(paragraph, []).append(number)
    wanted = sorted(of_paragraph)
    sizes = [
        max(sum(len(ids) + 2 for ids in side) for side in (paragraphs[number].source, paragraphs[number].target))
        for number in wanted
    ]
    for chosen in batches(sizes, POOL * batch_tokens):
        numbers = [wanted[i] for i in chosen]
        asked = [(place, item) for place, number in enumerate(numbers) for item in of_paragraph[number]]
        with torch.inference_mode():
            yield from _score(model, [paragraphs[number] for number in numbers], asked, items, batch_tokens)


def _score(
    model: ContextTransformer,
    paragraphs: Sequence[Paragraph],
    asked: Sequence[tuple[int, int]],
    items: Sequence[tuple[int, int, Ids]],
    batch_tokens: int,
) -> Iterator[tuple[int, float]]:
    """Score the items ``asked`` [(paragraph of ``paragraphs``, number of the item)]."""
    source = source_of(model, paragraphs)
    memory = model.encode_source(source)
    if looks_back(model):
        bank = Bank(model, len(source.ids))
        bank.add(range(len(source.ids)), [ids for paragraph in paragraphs for ids in paragraph.target], memory)
        memory = replace(memory, history=bank.history(source.paragraphs.earlier(model.earlier_targets), memory))
    table = source.paragraphs.rows.tolist()
    chosen = [table[place][items[item][1]] for place, item in asked]
    sizes = [max(source.lengths[row], len(items[item][2]) + 2) for row, (_, item) in zip(chosen, asked)]
    for batch in batches(sizes, batch_tokens):
        ids = padded([items[asked[i][1]][2] for i in batch], model)
        wanted = ids[:, 1:] != PAD
        part = rows_of([chosen[i] for i in batch], source, memory)
        logits = model.logits(model.decode(ids[:, :-1], part)[wanted]).float()
        losses = F.cross_entropy(logits, ids[:, 1:][wanted], reduction="none").double()
        sums = torch.zeros(wanted.shape, dtype=torch.float64, device=ids.device).masked_scatter(wanted, -losses).sum(1)
        yield from zip((asked[i][1] for i in batch), sums.tolist())
