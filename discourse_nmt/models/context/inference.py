"""Translating and scoring with systems with context: many paragraphs at a time, results by index."""

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from discourse_nmt.base.arrays import Booleans, Integers
from discourse_nmt.base.vocabulary import BEGIN, END, PAD
from discourse_nmt.models.context.host import ContextMemory, ContextTransformer
from discourse_nmt.models.context.paragraphs import NO_SENTENCE, History, Paragraphs, ParagraphSource
from discourse_nmt.models.core.beam_search import CachedSteps, Hypothesis, longest, search, sentence_restriction
from discourse_nmt.models.core.inference import Ids, batches, decoding_batches, padded, translate
from discourse_nmt.models.switches.decoding import ContextRead, DecodingSettings

POOL = 8  # batches of sentences that are encoded together, so that those of similar length can be searched together


@dataclass(frozen=True)
class Paragraph:
    """The sentences of one paragraph without marks.

    ``target`` are the translations, where they are known; ``structure`` is the entry of the structure file.
    """

    source: Sequence[Ids]
    target: Sequence[Ids] = ()
    structure: Any = None


def source_of(model: ContextTransformer, paragraphs: Sequence[Paragraph]) -> ParagraphSource:
    """The source of a batch, on the model's device."""
    ids = padded([sentence for paragraph in paragraphs for sentence in paragraph.source], model)
    paragraph_of_row = [index for index, paragraph in enumerate(paragraphs) for _ in paragraph.source]
    structure = None
    if paragraphs[0].structure is not None:
        structure = model.arrange([paragraph.structure for paragraph in paragraphs], ids.cpu()).to(ids.device)
    return ParagraphSource(ids, Paragraphs(torch.tensor(paragraph_of_row, device=ids.device)), structure)


def translate_paragraphs(
    model: ContextTransformer,
    paragraphs: Sequence[Paragraph],
    settings: DecodingSettings,
    asked: Sequence[Booleans] | None = None,
) -> Iterator[tuple[int, list[list[Hypothesis]]]]:
    """Yield the index of each of ``paragraphs`` and the n-best translations of each of its sentences.

    ``model`` is in evaluation mode. Without context every sentence is translated as by the sentence model. If the
    context is the source alone, the sentences of many paragraphs are one batch. If earlier translations are read, a
    batch holds one sentence of each paragraph, unless drafts are read; the translation that is read is the best one of
    each sentence, unless the references are, with ``target_context: references``. ``asked`` [paragraphs][sentences]
    tells which sentences are wanted; others may have no translations.

    Where later sentences are not read, a paragraph with which another one begins is translated as a part of that one:
    the items of a scene read the same sentences before.
    """
    longest_of = np.arange(len(paragraphs))
    if model.settings.context == "online" and all(paragraph.structure is None for paragraph in paragraphs):
        with_targets = reads_translations(model) and settings.target_context == "references"
        longest_of = longest_extensions(paragraphs, with_targets=with_targets)
    distinct = np.unique(longest_of).tolist()
    sharing = {index: np.flatnonzero(longest_of == index).tolist() for index in distinct}
    wanted = (
        None if asked is None else [asked_by_any([asked[index] for index in sharing[number]]) for number in distinct]
    )
    for number, translations in translate_pools(model, [paragraphs[index] for index in distinct], settings, wanted):
        for index in sharing[distinct[number]]:
            yield index, translations[: len(paragraphs[index].source)]


def longest_extensions(paragraphs: Sequence[Paragraph], with_targets: bool) -> Integers:
    """The index of the longest paragraph that begins with each one: [P]; its own where no other does.

    ``with_targets``: the targets of these sentences are the same, too.
    """
    sides = [(paragraph.source, paragraph.target) if with_targets else (paragraph.source,) for paragraph in paragraphs]
    texts = [[tuple(map(tuple, sentence)) for sentence in zip(*of_paragraph)] for of_paragraph in sides]
    order = sorted(range(len(texts)), key=texts.__getitem__)
    extensions = np.arange(len(texts))
    for shorter, longer in reversed(list(itertools.pairwise(order))):  # beginnings stand right before
        if texts[longer][: len(texts[shorter])] == texts[shorter]:
            extensions[shorter] = extensions[longer]
    return extensions


def asked_by_any(asked: Sequence[Booleans]) -> Booleans:
    """Which sentences of the longest paragraph are asked for, by it or by one that it begins with."""
    union = np.zeros(max(map(len, asked)), bool)
    for sentences in asked:
        union[: len(sentences)] |= sentences
    return union


def translate_pools(
    model: ContextTransformer,
    paragraphs: Sequence[Paragraph],
    settings: DecodingSettings,
    asked: Sequence[Booleans] | None,
) -> Iterator[tuple[int, list[list[Hypothesis]]]]:
    """:func:`translate_paragraphs`, each by itself, as many at a time as some batches hold."""
    sizes = [sum(len(ids) + 2 for ids in paragraph.source) for paragraph in paragraphs]
    for chosen in batches(sizes, POOL * settings.batch_tokens):
        pool = [paragraphs[index] for index in chosen]
        with torch.inference_mode():
            if model.settings.context == "none":
                translations = translate_alone(model, pool, settings)
            elif reads_translations(model) and settings.target_context == "own" and not model.reads_drafts:
                translations = translate_in_streams(model, pool, settings)
            else:
                wanted = None if asked is None else np.concatenate([asked[index] for index in chosen])
                translations = translate_together(model, pool, settings, wanted)
        yield from zip(chosen, translations)


def reads_translations(model: ContextTransformer) -> bool:
    """Whether a translation depends on those of earlier sentences."""
    return model.earlier_targets != 0 and model.settings.context != "none"


def translate_alone(
    model: ContextTransformer, paragraphs: Sequence[Paragraph], settings: DecodingSettings
) -> list[list[list[Hypothesis]]]:
    """Translate every sentence without context."""
    sentences = [sentence for paragraph in paragraphs for sentence in paragraph.source]
    return by_paragraph(paragraphs, dict(translate(model, sentences, settings)))


def translate_together(
    model: ContextTransformer,
    paragraphs: Sequence[Paragraph],
    settings: DecodingSettings,
    asked: Booleans | None = None,
) -> list[list[list[Hypothesis]]]:
    """Translate all sentences, or those that are ``asked`` for, at once, those of similar length in one search.

    A model that reads earlier translations reads the references or drafts.
    """
    source = source_of(model, paragraphs)
    memory = model.encode_source(source)
    if reads_translations(model) and settings.target_context == "references":
        memory = with_references(model, paragraphs, source, memory)
    elif reads_translations(model):
        memory = with_drafts(model, source, memory, settings)
    wanted = range(len(source.ids)) if asked is None else np.flatnonzero(asked).tolist()
    return by_paragraph(paragraphs, searched_at_once(model, wanted, source, memory, settings))


def searched_at_once(
    model: ContextTransformer,
    wanted: Sequence[int],
    source: ParagraphSource,
    memory: ContextMemory,
    settings: DecodingSettings,
) -> dict[int, list[Hypothesis]]:
    """The n-best translations of the rows ``wanted`` of the ``source``, by their number."""
    hypotheses: dict[int, list[Hypothesis]] = {}
    for batch in decoding_batches(model, [source.lengths[row] for row in wanted], settings):
        rows = [wanted[index] for index in batch]
        memory_of_rows = rows_of(rows, source, memory)
        hypotheses.update(zip(rows, searched(model, source.ids[rows], memory_of_rows, settings)))
    return hypotheses


def rows_of(rows: Sequence[int], source: ParagraphSource, memory: ContextMemory) -> ContextMemory:
    """The ``rows`` of the memory of ``source``."""
    return memory.part(torch.tensor(rows, device=source.ids.device), max(source.lengths[row] for row in rows))


def searched(
    model: ContextTransformer, source_ids: Tensor, memory: ContextMemory, settings: DecodingSettings
) -> list[list[Hypothesis]]:
    """The n-best translations of each row of ``memory``, whose sentences are ``source_ids`` [B, S]."""
    limits = longest((~memory.padding).sum(dim=1) - model.source_marks, settings)
    shortlist = model.shortlist(source_ids.tolist())
    steps = CachedSteps(model, memory, shortlist)
    return search(steps, limits, settings, sentence_restriction(model), shortlist=shortlist)


def translate_in_streams(
    model: ContextTransformer, paragraphs: Sequence[Paragraph], settings: DecodingSettings
) -> list[list[list[Hypothesis]]]:
    """Translate the first sentence of every paragraph, then the second of those that have one, and so on."""
    source = source_of(model, paragraphs)
    memory = model.encode_source(source)
    hypotheses: dict[int, list[Hypothesis]] = {}
    bank = Bank(model, len(source.ids))
    earlier = source.paragraphs.earlier(model.earlier_targets)
    for column in source.paragraphs.rows.T.tolist():
        present = [row for row in column if row != NO_SENTENCE]
        for batch in decoding_batches(model, [source.lengths[row] for row in present], settings):
            rows = [present[index] for index in batch]
            memory_of_rows = rows_of(rows, source, memory)
            history = bank.history(earlier[rows], memory_of_rows)
            results = searched(model, source.ids[rows], replace(memory_of_rows, history=history), settings)
            hypotheses.update(zip(rows, results))
            bank.add(rows, [result[0].ids for result in results], memory_of_rows)
    return by_paragraph(paragraphs, hypotheses)


def by_paragraph(
    paragraphs: Sequence[Paragraph], hypotheses: dict[int, list[Hypothesis]]
) -> list[list[list[Hypothesis]]]:
    """The ``hypotheses`` of sentences, by their row, split where paragraphs end; none of a sentence without any."""
    rows = itertools.count()
    return [[hypotheses.get(next(rows), []) for _ in paragraph.source] for paragraph in paragraphs]


class Bank:
    """The states of the target sentences translated so far, by their row in a batch of ``size`` sentences."""

    def __init__(self, model: ContextTransformer, size: int) -> None:
        self.model = model
        self.size = size
        self.states: Tensor | None = None
        self.ids: Tensor | None = None

    def add(self, rows: Sequence[int], translations: Sequence[Ids], memory: ContextMemory) -> None:
        """Store the states of the ``translations`` of ``rows``; ``memory`` is theirs."""
        ids = padded(translations, self.model)
        ids = ids[:, :-1].masked_fill(ids[:, :-1] == END, PAD)
        states = self.model.history_states(ids, memory)
        if self.states is None or self.ids is None:
            self.states, self.ids = states.new_zeros(self.size, 0, states.shape[2]), ids.new_zeros(self.size, 0)
        missing = max(0, ids.shape[1] - self.ids.shape[1])
        self.states, self.ids = F.pad(self.states, (0, 0, 0, missing)), F.pad(self.ids, (0, missing), value=PAD)
        self.states[rows, : ids.shape[1]], self.ids[rows, : ids.shape[1]] = states, ids

    def history(self, rows: Tensor, memory: ContextMemory) -> History:
        """The history of sentences that read the translations of ``rows`` [B, K]; ``memory`` is theirs."""
        if self.states is None or self.ids is None:
            width = self.model.history_states(rows.new_full((len(rows), 1), BEGIN), memory).shape[2]
            history = History(memory.states.new_zeros(1, 1, width), rows.new_full((1, 1), PAD), rows)
        else:
            read, indices = torch.cat((rows.new_zeros(1), rows[rows != NO_SENTENCE])).unique(return_inverse=True)
            renumbered = rows.masked_scatter(rows != NO_SENTENCE, indices[1:])
            history = History(self.states[read], self.ids[read], renumbered)
        return self.model.remember(history)


def with_references(
    model: ContextTransformer,
    paragraphs: Sequence[Paragraph],
    source: ParagraphSource,
    memory: ContextMemory,
    context: ContextRead = "both",
) -> ContextMemory:
    """The ``memory`` of all sentences of ``source``, with the translations of the earlier ones that are known.

    Where the ``context`` is the source, there are none. Where it is the target, their decoder attends to no source, as
    their states would tell of it: of that attention the bias remains.
    """
    bank = Bank(model, len(source.ids))
    earlier = source.paragraphs.earlier(model.earlier_targets)
    if context == "source":
        earlier = torch.full_like(earlier, NO_SENTENCE)
    else:
        read = replace(memory, padding=torch.ones_like(memory.padding)) if context == "target" else memory
        bank.add(range(len(source.ids)), [ids for paragraph in paragraphs for ids in paragraph.target], read)
    return replace(memory, history=bank.history(earlier, memory))


def with_drafts(
    model: ContextTransformer, source: ParagraphSource, memory: ContextMemory, settings: DecodingSettings
) -> ContextMemory:
    """The ``memory`` of all sentences, with their drafts: each sentence in view of no other, and the earlier ones."""
    bank, every = Bank(model, len(source.ids)), torch.arange(len(source.ids), device=source.ids.device)[:, None]
    alone = replace(memory, history=bank.history(torch.full_like(every, NO_SENTENCE), memory))
    drafts = searched_at_once(model, range(len(every)), source, alone, settings)
    bank.add(range(len(every)), [drafts[row][0].ids for row in range(len(every))], memory)
    read = torch.cat((every, source.paragraphs.earlier(model.earlier_targets)), dim=1)
    return replace(memory, history=replace(bank.history(read, memory), drafts=True))


def score_paragraphs(
    model: ContextTransformer,
    paragraphs: Sequence[Paragraph],
    items: Sequence[tuple[int, int, Ids]],
    batch_tokens: int,
    context: ContextRead = "both",
) -> Iterator[tuple[int, float]]:
    """Yield the index of each of ``items`` and its log-probability in nats, given the ``context``.

    An item is the index of a paragraph, the index of a sentence in it, and a translation of this sentence. The earlier
    target sentences are those of the paragraph. ``batch_tokens`` bounds the padded tokens of a batch's longer side.
    """
    items_of_paragraph: dict[int, list[int]] = {}
    for item, (paragraph, _, _) in enumerate(items):
        items_of_paragraph.setdefault(paragraph, []).append(item)
    scored = sorted(items_of_paragraph)
    sizes = [
        max(sum(len(ids) + 2 for ids in side) for side in (paragraphs[index].source, paragraphs[index].target))
        for index in scored
    ]
    for batch in batches(sizes, POOL * batch_tokens):
        chosen = [scored[i] for i in batch]
        pairs = [(index, item) for index, number in enumerate(chosen) for item in items_of_paragraph[number]]
        with torch.inference_mode():
            yield from _score(model, [paragraphs[index] for index in chosen], pairs, items, batch_tokens, context)


def _score(
    model: ContextTransformer,
    paragraphs: Sequence[Paragraph],
    pairs: Sequence[tuple[int, int]],
    items: Sequence[tuple[int, int, Ids]],
    batch_tokens: int,
    context: ContextRead,
) -> Iterator[tuple[int, float]]:
    """Score the items of ``pairs`` (index in ``paragraphs``, index in ``items``)."""
    source = source_of(model, paragraphs)
    sentences = torch.arange(len(source.ids), device=source.ids.device)
    read = replace(source, paragraphs=Paragraphs(sentences)) if context == "target" else source
    memory = model.encode_source(read)
    if reads_translations(model):
        memory = with_references(model, paragraphs, source, memory, context)
    rows_of_paragraphs = source.paragraphs.rows.tolist()
    rows = [rows_of_paragraphs[paragraph][items[item][1]] for paragraph, item in pairs]
    sizes = [max(source.lengths[row], len(items[item][2]) + 2) for row, (_, item) in zip(rows, pairs)]
    for batch in batches(sizes, batch_tokens):
        ids = padded([items[pairs[i][1]][2] for i in batch], model)
        wanted = ids[:, 1:] != PAD
        memory_of_rows = rows_of([rows[i] for i in batch], source, memory)
        logits = model.logits(model.decode(ids[:, :-1], memory_of_rows)[wanted]).float()
        losses = F.cross_entropy(logits, ids[:, 1:][wanted], reduction="none").double()
        sums = torch.zeros(wanted.shape, dtype=torch.float64, device=ids.device).masked_scatter(wanted, -losses).sum(1)
        yield from zip((pairs[i][1] for i in batch), sums.tolist())
