"""Multi-task learning of discourse structure (spec 04): segment, parse and translate in one model.

The encoder's states are cut into units; an attention among the units finds their heads and relations. Its vectors of
units enter the words by a gate, and the decoder by attention to units and words. In training the units are a parser's,
and heads and relations are learnt from it; decoding needs no parser.
"""

from collections.abc import Sequence
from dataclasses import replace

import torch
from torch import Tensor, nn

from discourse_nmt.models.context.host import ContextMemory, ContextTransformer
from discourse_nmt.models.context.lines import NO_SEGMENT, Lines, lines_of_paragraphs
from discourse_nmt.models.context.paragraphs import NO_SENTENCE, ParagraphBatch, Paragraphs, ParagraphSource
from discourse_nmt.models.multitask.analysis import Analysis, Discourse, discourse_of
from discourse_nmt.models.multitask.discourse_attention import DiscourseAttention
from discourse_nmt.models.multitask.labels import Labels, ParagraphAnalysis, labels_of, shortened
from discourse_nmt.models.multitask.losses import AnalysisLosses, class_loss, segmentation_loss
from discourse_nmt.models.multitask.paragraph_analysis import UNANNOTATED
from discourse_nmt.models.multitask.unit_attention import UnitAttention
from discourse_nmt.models.multitask.unit_pooling import pooled, predicted_cuts, spread, units_of_lines
from discourse_nmt.models.sublayers.parts import PASSING, Gate, linear
from discourse_nmt.models.switches.multitask import ROOT, MultitaskSettings


class Multitask(ContextTransformer):
    """The sentence model with segmentation and parsing, whose results enter encoder and decoder."""

    settings: MultitaskSettings

    def __init__(self, settings: MultitaskSettings, source_size: int, target_size: int, shared: bool) -> None:
        super().__init__(settings, source_size, target_size, shared)
        width = settings.width
        encoder, decoder = settings.fuse != "decoder", settings.fuse != "encoder"
        self.boundary = linear(width, 1)
        self.unit_layers = nn.ModuleList(self._unit_layer(number) for number in range(settings.dasa_layers))
        self.relation = linear(2 * width, len(settings.classes))
        self.encoder_attention = self._attention(True) if encoder and settings.enc_fuse == "hier" else None
        self.encoder_gate = Gate(width) if encoder else None
        self.decoder_attention = self._attention(settings.dec_fuse == "hier") if decoder else None
        self.decoder_gate = Gate(width) if decoder else None
        if settings.beginning == "unchanged":
            for gate in filter(None, (self.encoder_gate, self.decoder_gate)):
                gate.begin_constant(PASSING)

    def _unit_layer(self, number: int) -> DiscourseAttention:
        settings = self.settings
        dependency = settings.edu_attn == "dasa" and number == settings.dasa_layers - 1
        return DiscourseAttention(
            settings.width,
            settings.heads,
            settings.attention_dropout,
            dependency,
            dependency and settings.biaffine_scale,
            dependency and settings.biaffine_bias,
            settings.unit_reach if settings.unit_order == "relative" else 0,
        )

    def _attention(self, by_units: bool) -> UnitAttention:
        settings = self.settings
        dropout, norm = settings.attention_dropout, settings.tok_norm
        return UnitAttention(settings.width, settings.heads, dropout, norm, by_units)

    def arrange(self, structures: Sequence[ParagraphAnalysis], source_ids: Tensor) -> Labels:
        """Tensors of the analyses of paragraphs."""
        length = self.settings.paragraph_len
        runs = [run for paragraph in structures for run in shortened(paragraph, length, ROOT)]
        return labels_of(runs, source_ids.shape, self.settings.classes)

    def in_context(self, memory: ContextMemory, source: ParagraphSource) -> ContextMemory:
        """The memory of each sentence in view of the units of its paragraph."""
        labels: Labels | None = source.structure
        source = self._in_paragraphs(source)
        lines = lines_of_paragraphs(source)
        states = lines.take(memory.states)
        if labels is not None and labels.cuts is not None and self.training:
            analysis = self._learned(states, lines, labels)
        elif labels is not None and labels.cuts is not None and self.settings.test_structure == "multitask+parser":
            analysis = self.analyse(states, lines, labels, labels.heads)
        else:
            analysis = self.analyse(states, lines, None if labels is None else Labels(labels.word_ends))
        fused = self._fused(analysis)
        keys = None
        if self.decoder_attention is not None:
            words = fused if self.settings.dec_tok_keys == "fused" else analysis.states
            keys = self.decoder_attention.keys(self.as_context(analysis.vectors), self.as_context(words))
        states = memory.states if fused is analysis.states else analysis.units.put(memory.states, fused)
        discourse = Discourse(analysis, source.paragraphs.paragraph_of_row, keys)
        return replace(memory, states=states, contexts={"discourse": discourse})

    def analyse(
        self, states: Tensor, lines: Lines, labels: Labels | None = None, heads: Tensor | None = None
    ) -> Analysis:
        """The analysis of paragraphs by the encoder's ``states`` [P, K, d] in ``lines`` (spec 04, equation 4).

        Units are those of ``labels`` if it has any. Otherwise they are predicted; they end at the end of words, or of
        any subword without ``labels``. ``heads`` [P, M] replace the predicted ones.
        """
        boundaries = self.boundary(states)[..., 0]
        if labels is not None and labels.cuts is not None:
            cuts = lines.take(labels.cuts)
        else:
            ends = lines.words if labels is None else lines.take(labels.word_ends)
            cuts = predicted_cuts(lines, boundaries, ends, self.settings.segmentation_threshold)
        units = units_of_lines(lines, cuts)
        vectors, scores = pooled(units, states), None
        for layer in self.unit_layers:
            in_view, scores = layer(vectors, units.present, heads)
            vectors = vectors + in_view if self.settings.dasa_residual else in_view
        return Analysis(lines, units, states, boundaries, vectors, scores)

    def decoder_context(self, top: Tensor, memory: ContextMemory) -> Tensor:
        """Decoder states [B * r, T, d] mixed with their attention to the paragraph (spec 04, section 6)."""
        if self.decoder_attention is None or self.decoder_gate is None:
            return top
        keys, units, rows = discourse_of(memory).seen
        states = top.reshape(len(memory.states), -1, top.shape[-1])
        queries = states[rows.clamp(min=0)]  # [U, N, r * T, d]
        attended = self.decoder_attention(queries.flatten(1, 2), keys, units).view(queries.shape)
        real = rows != NO_SENTENCE
        context = torch.zeros_like(states).index_copy(0, rows[real], attended[real].to(states.dtype))
        fused: Tensor = self.decoder_gate(states, context)
        return fused.view(top.shape)

    def relation_scores(self, analysis: Analysis, heads: Tensor) -> Tensor:
        """Scores [P, M, C] of the relation of each unit to its head, ``heads`` [P, M] (spec 04, equation 17)."""
        chosen = heads.clamp(min=0)[..., None].expand_as(analysis.vectors)
        pairs = torch.cat((analysis.vectors, analysis.vectors.gather(1, chosen)), dim=-1)
        scores: Tensor = self.relation(pairs)
        return scores

    def learn(self, batch: ParagraphBatch, wanted: Tensor) -> tuple[Tensor, Tensor | None]:
        """The states of ``final_states``, and what the joint loss adds to the loss of translation."""
        if self.settings.context == "none":
            return super().learn(batch, wanted)
        memory = self.encode_source(batch.source)
        states = self.predict(batch, memory, wanted)
        losses = self.analysis_losses(discourse_of(memory).analysis, batch.source)
        per = batch.target_tokens if self.settings.loss_norm == "mean" else None
        return states, losses.joint(self.settings.lambda1, self.settings.lambda2, per)

    def analysis_losses(self, analysis: Analysis, source: ParagraphSource) -> AnalysisLosses:
        """The losses of an analysis, given the labels that are the structure of ``source``.

        In evaluation, where units are predicted, heads and relations are measured on the parser's units.
        """
        labels: Labels = source.structure
        assert labels.cuts is not None and labels.heads is not None and labels.relations is not None
        lines = analysis.lines
        if not self.training:
            analysis = self._learned(analysis.states, lines, labels)
        words = lines.take(labels.word_ends) & lines.words
        nothing = analysis.boundaries.new_zeros(())
        return AnalysisLosses(
            segmentation_loss(analysis.boundaries, lines.take(labels.cuts), words),
            nothing if analysis.heads is None else class_loss(analysis.heads, labels.heads),
            class_loss(self.relation_scores(analysis, labels.heads), labels.relations),
            words.sum(),
            (labels.heads != UNANNOTATED).sum(),
        )

    def _learned(self, states: Tensor, lines: Lines, labels: Labels) -> Analysis:
        """The analysis of a parser's units, for the losses."""
        return self.analyse(states, lines, labels, labels.heads if self.settings.dep_forward_train == "gold" else None)

    def _fused(self, analysis: Analysis) -> Tensor:
        """The states of words mixed with the vectors of units: [P, K, d] (spec 04, equations 8 and 9)."""
        states, units = analysis.states, analysis.units
        if self.encoder_gate is None:
            return states
        if self.encoder_attention is None:
            context = spread(units, analysis.vectors)
        else:
            context = self.encoder_attention(states, self.encoder_attention.keys(analysis.vectors, states), units)
        fused: Tensor = self.encoder_gate(states, context.to(states.dtype))
        # Marks of a sentence without words have no unit.
        return torch.where((units.segments == NO_SEGMENT)[..., None], states, fused)

    def _in_paragraphs(self, source: ParagraphSource) -> ParagraphSource:
        """The source in paragraphs of ``paragraph_len`` sentences."""
        whole = source.paragraphs
        runs = whole.paragraph_of_row * whole.rows.shape[1] + whole.sentence_of_row // self.settings.paragraph_len
        return replace(source, paragraphs=Paragraphs(runs.unique_consecutive(return_inverse=True)[1]))
