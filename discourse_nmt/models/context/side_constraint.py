"""The form of address as a side constraint that earlier translations set.

Sennrich, Haddow and Birch (2016, "Controlling politeness in neural machine translation via side constraints", NAACL,
pages 35–40) give the source a word for the politeness of the translation: that of the reference in training, with
words hidden in some sentences, so that the network translates without it, too; at test time a user's. Takeno, Nagata
and Yamamoto (2017, "Controlling target features in neural machine translation via prefix constraints", WAT, pages
55–63) put it before the target. Here the document chooses: in translation the constraint is the form of the last
earlier translation that has one, so that a conversation goes on as it began. Words of address are known by rules, not
learnt (:mod:`discourse_nmt.corpus.address.forms`).

The constraint is an embedding, added to the decoder's input at each position:

    y_t = embedding(y) + position(t) + a(form)        a(none) = 0; every other a begins with 0, too

It is given where the source sentence has a word for *you*. Training needs the own form alone, so it reads sentences
from everywhere, as the sentence model does.
"""

from dataclasses import dataclass, replace

import torch
from torch import Tensor, nn

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.vocabulary import Vocabulary
from discourse_nmt.corpus.address.forms import FORMS, form_in, says_you
from discourse_nmt.models.context.host import ContextMemory, ContextTransformer
from discourse_nmt.models.context.paragraphs import NO_SENTENCE, History, ParagraphBatch, ParagraphSource
from discourse_nmt.models.core.layers import Memory
from discourse_nmt.models.switches.context import SideConstraintSettings


@dataclass(frozen=True)
class Addressing:
    """Whether the source of each row has a word for *you*: ``you`` [B] bool."""

    you: Tensor

    def select(self, sentences: Tensor) -> "Addressing":
        """The rows ``sentences``, in this order."""
        return Addressing(self.you.index_select(0, sentences))


class SideConstraint(ContextTransformer):
    """The sentence model, told the form of address of the earlier translations."""

    settings: SideConstraintSettings

    def __init__(self, settings: SideConstraintSettings, source_size: int, target_size: int, shared: bool) -> None:
        super().__init__(settings, source_size, target_size, shared)
        self.forms = list(FORMS.get(settings.target_language, {}))
        self.form_embedding = nn.Embedding(len(self.forms), settings.width)
        nn.init.zeros_(self.form_embedding.weight)
        self.vocabularies: tuple[Vocabulary, Vocabulary] | None = None

    def read_with(self, source: Vocabulary, target: Vocabulary) -> None:
        """See :class:`.Transformer`."""
        if not self.forms:
            known = ", ".join(FORMS)
            raise InputError("system: side_constraint has no target_language", remedy=f"set it to one of {known}")
        self.vocabularies = source, target

    @property
    def earlier_targets(self) -> int:
        """See :class:`.ContextTransformer`."""
        return self.settings.sentences

    @property
    def learns_sentences(self) -> bool:
        """The form of its own translation is all that a sentence learns from."""
        return True

    def in_context(self, memory: ContextMemory, source: ParagraphSource) -> ContextMemory:
        """The memory, with what its sources address."""
        assert self.vocabularies is not None
        you = [says_you(self.vocabularies[0].text(ids)) for ids in source.ids.tolist()]
        return replace(memory, contexts={"addressing": Addressing(torch.tensor(you, device=source.ids.device))})

    def read_later(self, target_input: Tensor, memory: Memory) -> Tensor:
        """The number of the form of each translation, 0 without one form: [R, T, 1], the same at all positions."""
        assert self.vocabularies is not None
        texts = [self.vocabularies[1].text(ids) for ids in target_input.tolist()]
        forms = [form_in(text, self.settings.target_language) for text in texts]
        numbers = [0 if form is None else 1 + self.forms.index(form) for form in forms]
        told = torch.tensor(numbers, dtype=memory.states.dtype, device=target_input.device)
        return told[:, None, None].expand(-1, target_input.shape[1], 1)

    def predict(self, batch: ParagraphBatch, memory: ContextMemory, wanted: Tensor | None = None) -> Tensor:
        """See :class:`.ContextTransformer`. In training each sentence is told its own form, or none."""
        rows = batch.source.paragraphs.earlier(self.earlier_targets)
        if self.training:
            own = torch.arange(len(rows), device=rows.device)
            unconstrained = torch.rand(len(rows), device=rows.device) < self.settings.unconstrained
            rows = own.masked_fill(unconstrained, NO_SENTENCE)[:, None]
        given = replace(memory, history=History(self.read_later(batch.target_input, memory), batch.target_input, rows))
        parts = []
        for (members, size), of_group in zip(batch.groups, batch.groups.row_lists):
            longest = max(batch.source.lengths[row] for row in of_group)
            parts.append(self.top_states(batch.target_input[members, :size], given.part(members, longest)))
        states = batch.groups.join(parts, batch.target_input.shape[1])
        return states if wanted is None else states[wanted]

    def target_states(self, target_input: Tensor, positions: Tensor | None, memory: Memory) -> Tensor:
        """See :class:`.Transformer`; with the constraint of each row of ``memory``."""
        states = super().target_states(target_input, positions, memory)
        if not isinstance(memory, ContextMemory) or memory.history is None:
            return states
        numbers = self.constraints(memory)
        added = self.form_embedding((numbers - 1).clamp(min=0)) * (numbers > 0)[:, None]
        return states + added.repeat_interleave(len(states) // len(added), dim=0)[:, None]

    def constraints(self, memory: ContextMemory) -> Tensor:
        """The number of the form that each row of ``memory`` keeps, 0 for none: [B]."""
        history, addressing = memory.history, memory.contexts["addressing"]
        assert history is not None and isinstance(addressing, Addressing)
        forms = history.states[:, 0, 0].long()[history.rows.clamp(min=0)].masked_fill(history.absent, 0)  # (B, K)
        nearest = (forms > 0).byte().argmax(dim=1, keepdim=True)
        return forms.gather(1, nearest)[:, 0] * addressing.you
