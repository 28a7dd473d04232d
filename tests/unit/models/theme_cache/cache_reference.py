"""The theme-rheme cache as specification 05 writes it: a word, a sentence and a document after the other."""

from collections.abc import Collection, Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from discourse_nmt.base.vocabulary import BEGIN, END
from discourse_nmt.models.context.inference import Paragraph
from discourse_nmt.models.core.layers import Memory
from discourse_nmt.models.core.transformer import Transformer
from discourse_nmt.models.theme_cache.document_words import DocumentWords
from discourse_nmt.models.theme_cache.network import ContextualAttention, ThemeRhemeCache
from tests.unit.models.context.context_examples import sentence_model


@dataclass
class Entry:
    score: float
    type: Hashable
    state: Tensor | None = None
    sentence: int = 0


@dataclass
class Cache:
    """Section 4."""

    size: int
    stop_types: Collection[Hashable] = ()
    dedup: bool = False
    half_life: float | None = None
    entries: list[Entry] = field(default_factory=list)

    def store(self, new: Entry) -> None:
        """Store a word; the scores of all entries are those of its sentence."""

        def worth(entry: Entry) -> float:
            age = new.sentence - entry.sentence
            return entry.score if self.half_life is None else entry.score * 0.5 ** (age / self.half_life)

        same = [number for number, entry in enumerate(self.entries) if entry.type == new.type]
        full = len(self.entries) == self.size
        lowest = min(map(worth, self.entries), default=0.0)
        if new.type in self.stop_types:
            return
        if not full and not (self.dedup and same):
            self.entries.append(new)
        elif full and new.score < lowest:
            return
        elif same:
            self.entries[min(same, key=lambda number: worth(self.entries[number]))] = new
        else:
            self.entries[[worth(entry) for entry in self.entries].index(lowest)] = new


def words_of(words: DocumentWords) -> list[list[tuple[list[int], int, bool]]]:
    """For each sentence its words: places of their subwords in the sentence, type, stop word or not."""
    found: list[list[tuple[list[int], int, bool]]] = []
    start = 0
    for length in words.lengths.tolist():
        sentence: list[tuple[list[int], int, bool]] = []
        before = None
        for place in range(length):
            if words.words[start + place] != before:
                sentence.append(([], int(words.types[start + place]), bool(words.stops[start + place])))
            before = words.words[start + place]
            sentence[-1][0].append(place)
        found.append(sentence)
        start += length
    return found


def attend(attention: Any, query: Tensor, keys: Sequence[Tensor], factors: Tensor | None = None) -> Tensor:
    """Multi-head attention of one query [d], head by head; keys are values, too, whose weights have ``factors``."""
    width, heads = attention.width, attention.heads
    weights, biases = attention.projection.weight.split(width), attention.projection.bias.split(width)
    q = F.linear(query, weights[0], biases[0])
    ks, vs = (F.linear(torch.stack(list(keys)), weights[part], biases[part]) for part in (1, 2))
    found = []
    for head in range(heads):
        part = slice(head * width // heads, (head + 1) * width // heads)
        powers = (ks[:, part] @ q[part] / (width // heads) ** 0.5).exp() * (1 if factors is None else factors)
        found.append(powers / powers.sum() @ vs[:, part])
    result: Tensor = attention.output(torch.cat(found))
    return result


def half_life_of(block: ContextualAttention) -> Tensor | None:
    if block.log_half_life is not None:
        return block.log_half_life.exp()
    return None if block.fixed_half_life is None else torch.tensor(block.fixed_half_life)


def contextual(block: ContextualAttention, h: Tensor, cached: Sequence[Tensor], ages: Sequence[int]) -> Tensor:
    """Equations 8 to 10 for one state [d]; ``ages`` of the entries are in sentences."""
    if not cached:
        return h
    half_life = half_life_of(block)
    factors = None if half_life is None else 0.5 ** (torch.tensor(ages) / half_life)
    read = attend(block.attention, h, cached, factors)
    u = block.attention_norm(read + h if block.residual == "both" else read)
    changed = block.feed_forward(u)
    d = block.feed_forward_norm(changed if block.residual == "none" else u + changed)
    big_w, big_u = block.gate.weight.chunk(2, dim=1)
    bias = 0 if block.gate.bias is None else block.gate.bias
    alpha = torch.sigmoid(big_w @ h + big_u @ d + bias)
    return alpha * d + (1 - alpha) * h


def translated(
    model: ThemeRhemeCache, document: Paragraph, stage_1: Transformer | None = None
) -> tuple[list[Tensor], list[list[int]]]:
    """Decoder states of each sentence given its translation, and the types that the cache held before it.

    The document's sentences one by one, with a cache that is carried along; ``stage_1`` is the model's sentence model.
    """
    stage_1, settings = stage_1 or sentence_model(model), model.settings
    block = model.cache_block
    assert block is not None
    half_life = half_life_of(block)
    half_life_in_use = None if half_life is None else float(half_life.detach())
    cache = Cache(settings.cache_size, dedup=settings.dedup_when_not_full, half_life=half_life_in_use)
    outputs, held = [], []
    sentences = words_of(document.structure)
    for number, (source, target) in enumerate(zip(document.source, document.target)):
        h = stage_1.encode(torch.tensor([[BEGIN, *source, END]])).states[0]
        values = [entry.state for entry in cache.entries if entry.state is not None]
        ages = [number - entry.sentence for entry in cache.entries]
        c = torch.stack([contextual(block, each, values, ages) for each in h])
        held.append([int(str(entry.type)) for entry in cache.entries])
        memory = Memory(c[None], torch.zeros(1, len(c), dtype=torch.bool))
        outputs.append(stage_1.decode(torch.tensor([[BEGIN, *target]]), memory)[0])
        if number == len(document.source) - 1:
            break
        scores = None
        if model.labeller is not None:
            scores = model.labeller(h[None], torch.zeros(1, len(h), dtype=torch.bool))[1][0, 1:-1]
        for places, kind, stop in sentences[number]:
            if stop and settings.filters:
                continue
            state = torch.stack([h[1 + place] for place in places]).mean(dim=0)
            if not settings.context_gradient:
                state = state.detach()
            if scores is None:
                cache.entries = [*cache.entries, Entry(0.0, kind, state, number)][-settings.cache_size :]
            else:
                cache.store(Entry(max(scores[place].item() for place in places), kind, state, number))
    return outputs, held
