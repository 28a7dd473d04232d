"""The sentence model with context blocks: the host of the systems that translate sentence by sentence.

A system derives from :class:`ContextTransformer`. It overrides :meth:`~ContextTransformer.in_context`, a block on top
of the encoder, :meth:`~ContextTransformer.decoder_context` for one on top of the decoder, or makes layers of its own by
``encoder_layer`` and ``decoder_layer``. With ``context: none`` it computes what the sentence model does, bit for bit.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, Self

from torch import Tensor

from discourse_nmt.models.attention.kv_cache import KeyValueCache
from discourse_nmt.models.context.paragraphs import History, Movable, ParagraphBatch, ParagraphSource
from discourse_nmt.models.core.layers import Context, Memory
from discourse_nmt.models.core.transformer import Transformer
from discourse_nmt.models.switches.context import ContextSettings


class Selectable(Protocol):
    """Something with one row per sentence."""

    def select(self, sentences: Tensor) -> Self:
        """The rows ``sentences``, in this order."""


@dataclass(frozen=True)
class ContextMemory(Memory):
    """What the decoder reads of a sentence and its context."""

    contexts: Mapping[str, Selectable] = field(default_factory=dict)
    """Further things that the blocks of a system read, by names of its choice."""
    history: History | None = None
    """The earlier target sentences, for systems that read them."""

    def keep(self) -> Self:
        """The same memory, whose keys and values, and those of contexts that are memories, are computed once."""
        contexts = {name: text.keep() if isinstance(text, Memory) else text for name, text in self.contexts.items()}
        return replace(super().keep(), contexts=contexts)

    def context(self, name: str, kind: type[Context]) -> Context | None:
        """See :class:`.Memory`."""
        context = self.contexts.get(name)
        assert context is None or isinstance(context, kind)
        return context

    def part(self, sentences: Tensor, length: int) -> Self:
        """The rows ``sentences``, cut to the ``length`` of the longest of them."""
        rows = self.select(sentences)
        return replace(rows, states=rows.states[:, :length], padding=rows.padding[:, :length])

    def select(self, sentences: Tensor) -> Self:
        """The rows ``sentences``, in this order."""
        return replace(
            super().select(sentences),
            contexts={name: context.select(sentences) for name, context in self.contexts.items()},
            history=None if self.history is None else self.history.select(sentences),
        )


class ContextTransformer(Transformer):
    """A sentence model in view of a paragraph; parameters of stage 1 have the sentence model's names."""

    settings: ContextSettings

    @property
    def earlier_targets(self) -> int | None:
        """How many earlier target sentences the decoder reads; 0 for none, None for all of the paragraph.

        With 0, sentences are translated in any order.
        """
        return 0

    @property
    def reads_drafts(self) -> bool:
        """Whether in translation the earlier target sentences are drafts, and that of the sentence itself is read."""
        return False

    @property
    def carried_sentences(self) -> int:
        """How many sentences before a part of a cut document training reads besides, without a gradient."""
        return 0

    def arrange(self, structures: Sequence[Any], source_ids: Tensor) -> Movable:
        """Tensors of the ``structures`` of the paragraphs of a batch, on the CPU.

        ``source_ids`` [B, S] are those of the whole batch. Systems that read a structure file override this.
        """
        raise NotImplementedError(f"{type(self).__name__} reads no structure")

    def arrange_parts(
        self, structures: Sequence[Any], source_ids: Tensor, carried_ids: Tensor, carried: Sequence[int]
    ) -> Movable:
        """:meth:`arrange` for parts of documents, with so many ``carried`` sentences before each.

        ``carried_ids`` [C, S] are those of all of these; see :attr:`carried_sentences`.
        """
        raise NotImplementedError(f"{type(self).__name__} carries no sentences")

    def forward(self, batch: ParagraphBatch, wanted: Tensor | None = None) -> Tensor:  # type: ignore[override]
        """Logits of the token that follows each position of ``batch.target_input``: [B, T, V].

        With ``wanted`` [B, T] bool only of the positions where it is true: [n, V] in row order.
        """
        return self.logits(self.final_states(batch, wanted))

    def final_states(self, batch: ParagraphBatch, wanted: Tensor | None = None) -> Tensor:  # type: ignore[override]
        """The decoder states [B, T, d] or [n, d] whose :meth:`logits` :meth:`forward` returns."""
        if self.settings.context == "none":
            return super().final_states(batch.source.ids, batch.target_input, wanted)
        return self.predict(batch, self.encode_source(batch.source), wanted)

    def learn(self, batch: ParagraphBatch, wanted: Tensor) -> tuple[Tensor, Tensor | None]:
        """:meth:`final_states` [n, d], and the further loss of the system's training, None without one."""
        return self.final_states(batch, wanted), None

    def predict(self, batch: ParagraphBatch, memory: ContextMemory, wanted: Tensor | None = None) -> Tensor:
        """The states of :meth:`final_states`, with the ``memory`` of the batch's source."""
        lengths = [max(batch.source.lengths[row] for row in rows) for rows in batch.groups.row_lists]
        memories = [memory.part(rows, length) for rows, length in zip(batch.groups.rows, lengths)]
        tops = [
            self.top_states(batch.target_input[rows, :size], part) for (rows, size), part in zip(batch.groups, memories)
        ]
        size = batch.target_input.shape[1]
        if self.earlier_targets != 0:
            states = self.history_states(batch.target_input, memory, batch.groups.join(tops, size))
            earlier = batch.source.paragraphs.earlier(self.earlier_targets)
            history = self.remember(History(states, batch.target_input, earlier))
            memories = [replace(part, history=history.select(rows)) for rows, part in zip(batch.groups.rows, memories)]
        states = batch.groups.join([self.decoder_context(top, part) for top, part in zip(tops, memories)], size)
        return states if wanted is None else states[wanted]

    def encode_source(self, source: ParagraphSource) -> ContextMemory:
        """Encode every sentence of a batch of paragraphs once, in view of its context."""
        memory = ContextMemory(self.encode_sentences(source), self.hidden(source.ids))
        return memory if self.settings.context == "none" else self.in_context(memory, source)

    def encode_sentences(self, source: ParagraphSource, context: Selectable | None = None) -> Tensor:
        """Encoder states [B, S, d] of all sentences, whose layers read the rows of the ``context``."""
        parts = [
            self.encode(source.ids[rows, :length], None if context is None else context.select(rows)).states
            for rows, length in source.groups
        ]
        return source.groups.join(parts, source.ids.shape[1])

    def decode(self, target_input: Tensor, memory: Memory, cache: KeyValueCache | None = None) -> Tensor:
        """Decoder states [B * r, T, d]; see :meth:`.Transformer.decode`."""
        top = self.top_states(target_input, memory, cache)
        if self.settings.context == "none":
            return top
        assert isinstance(memory, ContextMemory)
        return self.decoder_context(top, memory)

    def in_context(self, memory: ContextMemory, source: ParagraphSource) -> ContextMemory:
        """The memory of each sentence in view of its context; the sentence model's without it."""
        return memory

    def top_states(self, target_input: Tensor, memory: Memory, cache: KeyValueCache | None = None) -> Tensor:
        """Decoder states [B * r, T, w] before :meth:`decoder_context`; they do not depend on other target sentences."""
        return super().decode(target_input, memory, cache)

    def decoder_context(self, top: Tensor, memory: ContextMemory) -> Tensor:
        """Decoder states [B * r, T, d] in view of the context, of :meth:`top_states` [B * r, T, w].

        r adjacent ones share a row of ``memory``.
        """
        return top

    def remember(self, history: History) -> History:
        """``history`` with the results that a block computes once for it; called when it is made."""
        return history

    def history_states(self, target_input: Tensor, memory: Memory, top: Tensor | None = None) -> Tensor:
        """What later sentences read of translations ``target_input`` [R, T]: their states ``top`` [R, T, w].

        None: :meth:`top_states` are still to be computed.
        """
        return self.as_context(self.top_states(target_input, memory) if top is None else top)

    def as_context(self, states: Tensor) -> Tensor:
        """``states`` to be read as context: without a gradient, unless ``context_gradient`` is true."""
        return states if self.settings.context_gradient else states.detach()
