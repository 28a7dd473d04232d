"""The sentence-level Transformer (Vaswani et al. 2017, "Attention is all you need"), core of every system.

Deviations: pre-norm layers on request (then encoder and decoder end in a layer normalisation), learned positions and
normalised embeddings on request, no dropout of attention weights by default. Another system derives from
:class:`Transformer`: it replaces a layer's attention by overriding :meth:`Transformer.encoder_layer` or
:meth:`Transformer.decoder_layer`, and adds a block on top of the encoder or the decoder by extending
:meth:`Transformer.encode` or :meth:`Transformer.decode`.
"""

from collections.abc import Sequence
from typing import Protocol

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from discourse_nmt.base.vocabulary import BEGIN, END, MASK, PAD, SPECIALS, Vocabulary
from discourse_nmt.models.attention.kv_cache import KeyValueCache
from discourse_nmt.models.core.embeddings import InputEmbedding, embedding_table
from discourse_nmt.models.core.layers import (
    Memory,
    SentenceDecoderLayer,
    SentenceEncoderLayer,
)
from discourse_nmt.models.core.length_groups import length_groups
from discourse_nmt.models.core.shortlist import Product, Shortlist, Shortlists, SubwordIds
from discourse_nmt.models.sublayers.dropout import Dropout
from discourse_nmt.models.switches.decoding import DecodingSettings
from discourse_nmt.models.switches.transformer import TransformerSettings

# The symbol whose embedding begins a target sentence, by the switch ``marks``.
TARGET_BEGINNINGS = {"both": BEGIN, "end": PAD, "language": END}


EndedHypotheses = list[tuple[tuple[int, ...], float]]
"""Hypotheses of a sentence that have ended: subword ids without marks, and log-probability (nats)."""


class Engine(Protocol):
    """Another program that searches with the parameters of a network."""

    def search(
        self,
        sources: Sequence[SubwordIds],
        limits: Sequence[int],
        settings: DecodingSettings,
        earlier: Sequence[Sequence[SubwordIds]] = (),
    ) -> list[EndedHypotheses | None]:
        """Hypotheses of sentences with the ids ``sources``, of at most ``limits`` subwords; the n-best are among them.

        With the translations of ``earlier`` sentences [sources][n] a source is a text, and the next sentence of its
        translation is searched. None where the search of this project may find others.
        """
        ...


class Transformer(nn.Module):
    """Encoder, decoder, embeddings and output projection.

    ``source_size`` and ``target_size`` are vocabulary sizes; ``shared`` says that both sides have the same
    vocabulary. ``word_dropout`` may be changed between training steps. ``output_bias`` [V], where there is one, is
    added to the scores of all symbols.
    """

    output_bias: Tensor | None

    def __init__(self, settings: TransformerSettings, source_size: int, target_size: int, shared: bool) -> None:
        super().__init__()
        self.settings = settings
        self.word_dropout = settings.word_dropout
        table = embedding_table(target_size, settings.width)
        self.target_embedding = InputEmbedding(settings, table)
        if not (shared and settings.tie_source_target):
            table = embedding_table(source_size, settings.width)
        self.source_embedding = InputEmbedding(settings, table)
        # A matrix [V, d]: the target embedding itself or one of its own.
        self.output = self.target_embedding if settings.tie_output else embedding_table(target_size, settings.width)
        self.register_buffer("output_bias", torch.zeros(target_size) if settings.output_bias else None)
        self.project: Product | None = None
        """Computes the product with ``output`` instead, if inference was prepared for it."""
        self.shortlists: Shortlists | None = None
        """What the searches of a translation score, if inference was prepared for less than the whole vocabulary."""
        self.engine: Engine | None = None
        """What searches instead of this project, if inference was prepared for it."""
        self.embedding_dropout = Dropout(settings.dropout)
        self.encoder_layers = nn.ModuleList(self.encoder_layer(i) for i in range(settings.encoder_layers))
        self.decoder_layers = nn.ModuleList(self.decoder_layer(i) for i in range(settings.decoder_layers))
        pre = settings.norm == "pre"
        self.encoder_norm = nn.LayerNorm(settings.width) if pre else nn.Identity()
        self.decoder_norm = nn.LayerNorm(settings.width) if pre else nn.Identity()

    def take_vocabularies(self, source: Vocabulary, target: Vocabulary) -> None:
        """Take the vocabularies, for systems that look at words; called before the network computes anything.

        Raises :class:`.InputError` where it cannot read them.
        """

    def encoder_layer(self, index: int) -> nn.Module:
        """Make the encoder layer ``index``, counted from 0 at the bottom."""
        return SentenceEncoderLayer(self.settings)

    def decoder_layer(self, index: int) -> nn.Module:
        """Make the decoder layer ``index``, counted from 0 at the bottom."""
        return SentenceDecoderLayer(self.settings)

    def forward(self, source_ids: Tensor, target_input: Tensor, wanted: Tensor | None = None) -> Tensor:
        """Logits of the token that follows each position of ``target_input``.

        ``source_ids`` [B, S] int64 ``<s> … </s>``, ``target_input`` [B, T] ``<s> …``, both padded.
        Returns [B, T, V]; with ``wanted`` [B, T] bool only the positions where it is true, [n, V] in row
        order, which spares training the projection of padding.
        """
        return self.logits(self.final_states(source_ids, target_input, wanted))

    def final_states(self, source_ids: Tensor, target_input: Tensor, wanted: Tensor | None = None) -> Tensor:
        """The decoder states [B, T, d] or [n, d] whose :meth:`logits` :meth:`forward` returns."""
        states = self.decode(target_input, self.encode(source_ids))
        return states if wanted is None else states[wanted]

    def encode(self, source_ids: Tensor, context: object = None) -> Memory:
        """Encode ``source_ids`` [B, S]; ``context`` is what the layers of the system read besides."""
        hidden = self.hidden(source_ids)
        states = self.embed(source_ids, self.source_embedding, self.source_positions(source_ids))
        return Memory(self.through_encoder(states, ~hidden[:, None, None], context), hidden)

    def encode_in_groups(self, source_ids: Tensor) -> Memory:
        """:meth:`encode`, rows of similar lengths together, so that little padding is computed."""
        groups = length_groups((source_ids != PAD).sum(dim=1).tolist(), source_ids.device)
        parts = [self.encode(source_ids[rows, :length]).states for rows, length in groups]
        return Memory(groups.join(parts, source_ids.shape[1]), self.hidden(source_ids))

    @property
    def source_marks(self) -> int:
        """How many marks of a source sentence the layers see."""
        return 2 if self.settings.marks == "both" else 1

    @property
    def language_symbol(self) -> int | None:
        """The id of the subword that every translation begins with; None if there is none.

        It is the first subword of the target vocabulary.
        """
        return len(SPECIALS) if self.settings.marks == "language" else None

    def hidden(self, source_ids: Tensor) -> Tensor:
        """Where no layer may look in ``source_ids`` (any shape): at padding, and at ``<s>`` where sources have none."""
        padding = source_ids == PAD
        return padding if self.source_marks == 2 else padding | (source_ids == BEGIN)

    def source_positions(self, source_ids: Tensor) -> Tensor:
        """The position [S] of each column of ``source_ids`` [..., S]; the first symbol that is seen has position 0."""
        columns = torch.arange(source_ids.shape[-1], device=source_ids.device)
        return (columns + self.source_marks - 2).clamp(min=0)

    def through_encoder(self, states: Tensor, allowed: object, context: object = None) -> Tensor:
        """``states`` [B, S, d] through all layers of the encoder; see :class:`.EncoderLayer` for the others."""
        for layer in self.encoder_layers:
            states = layer(states, allowed, context)
        normed: Tensor = self.encoder_norm(states)
        return normed

    def decode(self, target_input: Tensor, memory: Memory, cache: KeyValueCache | None = None) -> Tensor:
        """Decoder states [B * r, T, d] of ``target_input`` [B * r, T]; r adjacent ones share a memory row.

        With a cache ``target_input`` is the newest position only, T = 1, and the cache grows by it.
        """
        if cache is not None:
            sentences = len(memory.states)
            cache.begin_position(sentences, len(target_input) // sentences, target_input.device)
        newest = None if cache is None else torch.full_like(target_input, cache.length - 1)
        return self.through_decoder(self.embed(target_input, self.target_embedding, newest), memory, cache)

    def through_decoder(self, states: Tensor, memory: object, plans: object) -> Tensor:
        """``states`` [B * r, T, d] through all layers of the decoder; see :class:`.DecoderLayer` for the others."""
        for layer in self.decoder_layers:
            states = layer(states, memory, plans)
        normed: Tensor = self.decoder_norm(states)
        return normed

    @property
    def output_matrix(self) -> Tensor:
        """What decoder states are multiplied with: [V, d]."""
        return self.output.weight

    def logits(self, states: Tensor) -> Tensor:
        """Scores [..., V] of the next target token given decoder ``states`` [..., d]."""
        scores = F.linear(states, self.output.weight) if self.project is None else self.project(states)
        return scores if self.output_bias is None else scores + self.output_bias

    def shortlist(self, sources: Sequence[SubwordIds]) -> Shortlist | None:
        """The symbols that a search of sentences with the ids ``sources`` scores; None: the whole vocabulary."""
        return None if self.shortlists is None else self.shortlists.of(sources)

    def embed(self, ids: Tensor, embedding: InputEmbedding, positions: Tensor | None = None) -> Tensor:
        """Input states [B, T, d] of ``ids`` [B, T] at ``positions`` [B, T] or [T] (None: from 0).

        Training moves the positions of each row by a draw from 0 to ``position_shift``, evenly (SHAPE, Kiyono et al.
        2021, "Shifted absolute position embedding for Transformers", EMNLP); a packed batch is one row.
        """
        if self.settings.marks != "both":
            # Only a target's <s> is seen.
            ids = ids.masked_fill(ids == BEGIN, TARGET_BEGINNINGS[self.settings.marks])
        if self.training and self.word_dropout > 0:
            dropped = torch.rand(ids.shape, device=ids.device) < self.word_dropout
            ids = ids.masked_fill(dropped & (ids >= len(SPECIALS)), MASK)
        if positions is None:
            positions = torch.arange(ids.shape[1], device=ids.device)
        if self.training and self.settings.position_shift > 0:
            # Drawn apart for both sides, so that their positions do not tell which words translate each other.
            largest, sequences = self.settings.position_shift, ids.shape[:-1]
            positions = positions + torch.randint(largest + 1, (*sequences, 1), device=ids.device)
        states: Tensor = self.embedding_dropout(embedding.states(ids, positions))
        return states
