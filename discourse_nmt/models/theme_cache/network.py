"""The theme-rheme cache: a small memory of the source words that earlier sentences were about (spec 05).

A frozen labeller (:mod:`.theme_cache.labeller`) scores each source word by how much it is a topical theme, and the
scores decide which words stay in a cache of C entries (:mod:`.theme_cache.trace`). A sentence reads the states h^j of
the entries that the cache holds before it, and computes for each of its own states h_t (spec 05, equations 8 to 10)

    u   = LN(MHA(h_t, h^j, h^j))
    d_t = LN(u + FFN(u))
    α   = σ(W h_t + U d_t)
    c_t = α d_t + (1 - α) h_t           which the decoder reads in place of h_t

A sentence keeps its states if the cache is empty. With ``cache: continuous`` the entries are the most recent words, and
there are no scores. An entry is a word: the mean of its subwords' states, the highest of their scores.

As printed, entries do not age. With ``ageing`` the score of an entry is multiplied by 2^(-age / half-life), for its age
in sentences, and so is its weight in the attention, from where a learned half-life gets its gradient.

The entries follow from the source alone, so that all sentences of a document are encoded first, and computed as one
batch from there on, in training and in translation.
"""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from discourse_nmt.base.arrays import Booleans
from discourse_nmt.models.context.host import ContextMemory, ContextTransformer
from discourse_nmt.models.context.paragraphs import Paragraphs, ParagraphSource
from discourse_nmt.models.context.projected_attention import ProjectedAttention
from discourse_nmt.models.core.layers import feed_forward
from discourse_nmt.models.sublayers.dropout import Dropout
from discourse_nmt.models.sublayers.parts import PASSING, Gate, mixed
from discourse_nmt.models.switches.theme_rheme_cache import ThemeRhemeCacheSettings
from discourse_nmt.models.theme_cache.labeller import ThemeLabeller
from discourse_nmt.models.theme_cache.words import CacheWords, DocumentWords, cache_words


class ContextualAttention(nn.Module):
    """Attention of a state to the cache (spec 05, equation 8), and the gate that mixes both (equations 9 and 10)."""

    def __init__(self, settings: ThemeRhemeCacheSettings) -> None:
        super().__init__()
        width = settings.width
        self.residual = settings.ctx_residual
        self.attention = ProjectedAttention(width, settings.heads, settings.attention_dropout)
        self.attention_norm = nn.LayerNorm(width)
        self.feed_forward = feed_forward(settings)
        if settings.beginning != "random":
            self.attention.begin_copying()
            if self.residual == "none":
                self.feed_forward.begin_copying()
            else:
                self.feed_forward.begin_silent()
        self.feed_forward_norm = nn.LayerNorm(width)
        self.dropout = Dropout(settings.dropout)
        unchanged = settings.beginning == "unchanged"
        self.gate = Gate(width, bias=unchanged or settings.gate_bias is not None, own_matrices=True)  # W and U
        if settings.gate_bias is not None:
            nn.init.constant_(self.gate.bias, settings.gate_bias)
        if unchanged:
            self.gate.begin_constant(-PASSING)
        self.fixed_half_life = settings.half_life if settings.ageing == "fixed" else None
        self.log_half_life: nn.Parameter | None = None
        if settings.ageing == "learned":
            self.log_half_life = nn.Parameter(torch.tensor(math.log(settings.half_life)))

    @property
    def half_life(self) -> float | None:
        """Age in sentences at which an entry has half its weight; None if entries do not age."""
        return self.fixed_half_life if self.log_half_life is None else float(self.log_half_life.detach().exp())

    def forward(self, states: Tensor, keys: Tensor, values: Tensor, ages: Tensor) -> Tensor:
        """``states`` [B, T, d] in view of projected entries [B, C, d] of ``ages`` [B, C] in sentences, 0 if free."""
        filled = ages > 0
        all_empty = ~filled.any(dim=1)[:, None]
        context = self.context(states, keys, values, (filled | all_empty)[:, None, None], self._recency(ages, states))
        return torch.where(all_empty[:, None], states, self.joined(states, context))

    def _recency(self, ages: Tensor, states: Tensor) -> Tensor | None:
        """The logarithm [B, 1, 1, C] of the factor on the weight of entries of these ``ages``; None without ageing."""
        if self.log_half_life is not None:
            rate = math.log(2) * (-self.log_half_life).exp()
        elif self.fixed_half_life is not None:
            rate = states.new_tensor(math.log(2) / self.fixed_half_life)
        else:
            return None
        return -(ages.to(rate.dtype) * rate)[:, None, None]

    def context(
        self, states: Tensor, keys: Tensor, values: Tensor, allowed: Tensor, recency: Tensor | None = None
    ) -> Tensor:
        """d_t [B, T, d] of ``states`` [B, T, d] and the ``allowed`` of the projected entries [B, C, d] (equation 8).

        With ``recency``, the logarithm of a factor on the weight of each entry.
        """
        read = self.dropout(self.attention.read(self.attention.query(states), keys, values, allowed, recency))
        seen = self.attention_norm(states + read if self.residual == "both" else read)
        changed = self.dropout(self.feed_forward(seen))
        normed: Tensor = self.feed_forward_norm(changed if self.residual == "none" else seen + changed)
        return normed

    def joined(self, states: Tensor, context: Tensor) -> Tensor:
        """``states`` and their ``context`` mixed, [..., d] (equations 9 and 10); the gate is the context's share."""
        return mixed(self.gate.share(states, context), context, states)


class ThemeRhemeCache(ContextTransformer):
    """The sentence model with a cache of source words."""

    settings: ThemeRhemeCacheSettings

    def __init__(self, settings: ThemeRhemeCacheSettings, source_size: int, target_size: int, shared: bool) -> None:
        super().__init__(settings, source_size, target_size, shared)
        self.cache_block = None if settings.context == "none" else ContextualAttention(settings)
        self.labeller: ThemeLabeller | None = None
        if "labeller" in settings.companions:
            sizes = settings.labels, settings.lstm_dir_width, settings.lstm_layers
            self.labeller = ThemeLabeller(settings.width, *sizes).requires_grad_(False)

    def train(self, mode: bool = True) -> "ThemeRhemeCache":
        """Training or evaluation mode; the labeller is frozen and always evaluates."""
        super().train(mode)
        if self.labeller is not None:
            self.labeller.eval()
        return self

    def arrange(self, structures: Sequence[DocumentWords], source_ids: Tensor) -> CacheWords:
        """The words of the documents, of which ``structures`` has one entry each."""
        return cache_words(structures, source_ids.shape[1])

    @property
    def carried_sentences(self) -> int:
        """See :class:`.ContextTransformer`."""
        return self.settings.carried_sentences

    def arrange_parts(
        self, structures: Sequence[DocumentWords], source_ids: Tensor, carried_ids: Tensor, carried: Sequence[int]
    ) -> CacheWords:
        """The words of parts of documents, each with the ``carried`` sentences before it, ``carried_ids``."""
        length = max(source_ids.shape[1], carried_ids.shape[1])
        return cache_words(structures, length, carried_ids, carried)

    def in_context(self, memory: ContextMemory, source: ParagraphSource) -> ContextMemory:
        """The memory whose states are in view of the cache of their document before their sentence."""
        assert self.cache_block is not None
        words: CacheWords = source.structure
        all_states, scores = memory.states, self.scores(memory.states, source)
        own = np.ones(len(words.documents), bool)
        if words.carried_ids is not None:
            all_states, scores, own = self._with_carried(words, all_states, scores)
        entries = words.cached(self.settings, scores, self.cache_block.half_life)
        ages = torch.from_numpy(words.ages(entries)[own]).to(memory.states.device)
        entries = entries[own]
        chosen = np.unique(entries[entries >= 0])
        word_states = self.as_context(words.states(all_states, chosen))
        word_states = F.pad(word_states, (0, 0, 1, 0))  # row 0 stands for a free slot
        keys, values = self.cache_block.attention.keys_values(word_states, word_states)
        most = max(1, int((entries >= 0).sum(axis=1).max()))  # free slots are the last ones
        state_of_slot = np.where(entries < 0, 0, np.searchsorted(chosen, entries) + 1)[:, :most]
        slots = torch.from_numpy(state_of_slot).to(memory.states.device)
        parts = []
        for rows, length in source.groups:
            read = slots[rows]
            parts.append(self.cache_block(memory.states[rows, :length], keys[read], values[read], ages[rows, :most]))
        return replace(memory, states=source.groups.join(parts, source.ids.shape[1]))

    @torch.no_grad()
    def _carried(self, ids: Tensor) -> tuple[Tensor, Tensor | None]:
        """States [A, T, d] and scores [A, T] of carried sentences, without a gradient."""
        source = ParagraphSource(ids, Paragraphs(torch.zeros(len(ids), dtype=torch.long, device=ids.device)))
        states = self.encode_sentences(source)
        return states, self.scores(states, source)

    def _with_carried(
        self, words: CacheWords, states: Tensor, scores: Tensor | None
    ) -> tuple[Tensor, Tensor | None, Booleans]:
        """States and scores of all sentences, carried ones included, in text order, and which are not carried."""
        assert words.carried_ids is not None and words.carried is not None
        earlier, earlier_scores = self._carried(words.carried_ids)
        order = torch.from_numpy(np.argsort(np.argsort(~words.carried, kind="stable"))).to(states.device)
        length = max(states.shape[1], earlier.shape[1])

        def together(first: Tensor, second: Tensor) -> Tensor:
            padded = [F.pad(part, (*[0, 0] * (part.dim() - 2), 0, length - part.shape[1])) for part in (first, second)]
            return torch.cat(padded)[order]

        joined = None if scores is None or earlier_scores is None else together(earlier_scores, scores)
        return together(earlier.to(states.dtype), states), joined, ~words.carried

    @torch.no_grad()
    def scores(self, states: Tensor, source: ParagraphSource) -> Tensor | None:
        """The labeller's score of each source position, [B, S]; None for a cache without scores."""
        if self.labeller is None:
            return None
        states = states.to(self.labeller.score_head.weight.dtype)
        # Entries are chosen in full precision.
        with torch.autocast(states.device.type, enabled=False):
            parts: list[Tensor] = [
                self.labeller(states[rows, :length], source.padding[rows, :length])[1][..., None]
                for rows, length in source.groups
            ]
        return source.groups.join(parts, source.ids.shape[1])[..., 0]
