"""The form of address as a side constraint that earlier translations set.

Sennrich, Haddow and Birch (2016, "Controlling politeness in neural machine translation via side constraints", NAACL,
pages 35–40) give the source a word for the politeness of the translation, that of the reference in training and a
user's in translation. Here the document chooses: the constraint is the form of the last earlier translation that has
one, so that a conversation goes on as it began. Only sentences with a word for *you* set it and have it.

Words of address are known by rules (:mod:`discourse_nmt.corpus.address.forms`). So the constraint is no word that the
network must learn to obey, for which small corpora have too few sentences, but is added to the scores of these words:

    score(w) = W_w · s + L_wf        L_wf = a if w is a word of the form f, -b if it is of another one, otherwise 0

There are no parameters: any sentence model translates so.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import torch
import torch.nn.functional as F
from torch import Tensor

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.vocabulary import WORD_PART, Vocabulary
from discourse_nmt.corpus.address.forms import FORMS, WORD, form_in, says_you
from discourse_nmt.models.context.host import ContextMemory, ContextTransformer
from discourse_nmt.models.context.paragraphs import ParagraphSource
from discourse_nmt.models.core.layers import Memory
from discourse_nmt.models.core.shortlist import Product, Shortlist, SubwordIds
from discourse_nmt.models.switches.context import SideConstraintSettings


@dataclass(frozen=True)
class Addressing:
    """Whether the source of each row has a word for *you*: ``you`` [B] bool."""

    you: Tensor

    def select(self, sentences: Tensor) -> "Addressing":
        """The rows ``sentences``, in this order."""
        return Addressing(self.you.index_select(0, sentences))


@dataclass(frozen=True)
class ConstrainedProduct:
    """Scores [..., U] of states [..., d] and constraints [..., forms] behind them, of U symbols.

    ``product`` is that of the states, ``lexicon`` [U, forms] that of the constraints.
    """

    product: Product
    lexicon: Tensor

    def __call__(self, states: Tensor) -> Tensor:
        """The scores."""
        forms = self.lexicon.shape[1]
        size = states.shape[-1] - forms
        return self.product(states[..., :size]) + states[..., size:] @ self.lexicon.t()


class SideConstraint(ContextTransformer):
    """The sentence model, whose words of address follow the earlier translations."""

    settings: SideConstraintSettings
    lexicon: Tensor

    def __init__(self, settings: SideConstraintSettings, source_size: int, target_size: int, shared: bool) -> None:
        super().__init__(settings, source_size, target_size, shared)
        self.forms = list(FORMS.get(settings.target_language, {})) if settings.context != "none" else []
        self.register_buffer("lexicon", torch.zeros(target_size, len(self.forms)), persistent=False)
        self.vocabularies: tuple[Vocabulary, Vocabulary] | None = None

    def take_vocabularies(self, source: Vocabulary, target: Vocabulary) -> None:
        """See :class:`.Transformer`."""
        language = self.settings.target_language
        if not language:
            known = ", ".join(FORMS)
            raise InputError("system: side_constraint has no target_language", remedy=f"set it to one of {known}")
        if source.marks_begins or target.marks_begins:
            raise InputError(
                "system: side_constraint cannot see where a word ends in subwords of SentencePiece",
                remedy="set corpora.NAME.text.subwords to bpe",
            )
        pronouns = [words[0] for words in FORMS[language].values()]
        split = [word for word in pronouns if not any(is_one_of(symbol, {word}) for symbol in target.symbols)]
        if len(pronouns) - len(split) < 2:
            raise InputError(
                f"system: side_constraint can keep nothing: no subword of the target is {' or '.join(split)}",
                remedy="learn subwords from a text with such words, or with more merges",
            )
        self.vocabularies = source, target
        for number, form in enumerate(self.forms):
            for other, words in FORMS[language].items():
                change = self.settings.reward if other == form else -self.settings.penalty
                for symbol, name in enumerate(target.symbols):
                    if is_one_of(name, set(words)):
                        self.lexicon[symbol, number] = change

    @property
    def earlier_targets(self) -> int:
        """See :class:`.ContextTransformer`."""
        return self.settings.sentences

    @property
    def reads_drafts(self) -> bool:
        """See :class:`.ContextTransformer`."""
        return self.settings.drafts

    @property
    def output_matrix(self) -> Tensor:
        """The lexicon behind the matrix of the sentence model: [V, d + forms]."""
        return torch.cat((super().output_matrix, self.lexicon), dim=1)

    def logits(self, states: Tensor) -> Tensor:
        """See :class:`.Transformer`."""
        return ConstrainedProduct(super().logits, self.lexicon)(states)

    def shortlist(self, sources: Sequence[SubwordIds]) -> Shortlist | None:
        """See :class:`.Transformer`."""
        found = super().shortlist(sources)
        if found is None:
            return None
        return replace(found, product=ConstrainedProduct(found.product, self.lexicon[found.symbols]))

    def in_context(self, memory: ContextMemory, source: ParagraphSource) -> ContextMemory:
        """The memory, with what its sources address."""
        assert self.vocabularies is not None
        you = [says_you(self.vocabularies[0].text(ids)) for ids in source.ids.tolist()]
        return replace(memory, contexts={"addressing": Addressing(torch.tensor(you, device=source.ids.device))})

    def history_states(self, target_input: Tensor, memory: Memory, top: Tensor | None = None) -> Tensor:
        """The number of the form of each translation: [R, T, 1], the same at all positions.

        It is 0 without one form, and where the source has no *you*: translations of other sentences guess.
        """
        assert self.vocabularies is not None
        texts = [self.vocabularies[1].text(ids) for ids in target_input.tolist()]
        forms = [form_in(text, self.settings.target_language) for text in texts]
        numbers = [0 if form is None else 1 + self.forms.index(form) for form in forms]
        addressing = memory.context("addressing", Addressing)
        assert addressing is not None
        told = torch.tensor(numbers, dtype=memory.states.dtype, device=target_input.device) * addressing.you
        return told[:, None, None].expand(-1, target_input.shape[1], 1)

    def decoder_context(self, top: Tensor, memory: ContextMemory) -> Tensor:
        """The states with the constraint of their row of ``memory`` behind them: [B * r, T, d + forms]."""
        chosen = F.one_hot(self.constraints(memory), 1 + len(self.forms))[:, 1:]
        given = chosen.repeat_interleave(len(top) // len(chosen), dim=0)
        return torch.cat((top, given[:, None].expand(-1, top.shape[1], -1).to(top.dtype)), dim=2)

    def constraints(self, memory: ContextMemory) -> Tensor:
        """The number of the form that each row of ``memory`` keeps, 0 for none: [B].

        It is that of the nearest sentence, and of drafts that of the most of them, of several such the nearest one's.
        """
        history, addressing = memory.history, memory.contexts["addressing"]
        assert history is not None and isinstance(addressing, Addressing)
        forms = history.states[:, 0, 0].long()[history.rows.clamp(min=0)].masked_fill(history.absent, 0)  # (B, K)
        told = forms > 0
        if history.drafts:
            votes = F.one_hot(forms, 1 + len(self.forms))[:, :, 1:].sum(dim=1)
            told &= votes.gather(1, (forms - 1).clamp(min=0)) == votes.max(dim=1, keepdim=True).values
        nearest = told.byte().argmax(dim=1, keepdim=True)
        return forms.gather(1, nearest)[:, 0] * addressing.you


def is_one_of(symbol: str, words: set[str]) -> bool:
    """Whether a subword is one of these words, in whatever case, with marks or punctuation beside it or not."""
    return not symbol.endswith(WORD_PART) and WORD.findall(symbol.lower()) in [[word] for word in words]
