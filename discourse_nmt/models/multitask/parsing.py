"""Discourse analysis by a multi-task network, of text alone or of a parser's units."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch

from discourse_nmt.base.arrays import Integers, Reals
from discourse_nmt.models.context.inference import Paragraph, source_of
from discourse_nmt.models.context.lines import lines_of_paragraphs
from discourse_nmt.models.core.inference import batches
from discourse_nmt.models.multitask.labels import Labels
from discourse_nmt.models.multitask.network import Multitask


@dataclass(frozen=True)
class ParsedParagraph:
    """The analysis of a paragraph of M units."""

    units: list[Integers]
    """The unit of each subword of each sentence, counted from 0."""
    heads: Reals
    """[M, M]: log-probability of each head (second axis) of each unit, itself if it is a root."""
    of_dependents: Reals
    """[M, C]: the part of the logits of a relation that depends on the dependent."""
    of_heads: Reals
    """[M, C]: the part that depends on the head; logits are the sum of both (spec 04, equation 17)."""

    def relations(self, heads: Sequence[int] | Integers) -> Integers:
        """The most probable class of the relation of each unit to its head; 0, the class of roots, for roots alone."""
        units = np.arange(len(self.heads))
        scores = self.of_dependents + self.of_heads[np.asarray(heads, np.int64)]
        return np.where(units == heads, 0, 1 + scores[:, 1:].argmax(axis=1))


@torch.inference_mode()
def parse_paragraphs(
    model: Multitask, paragraphs: Sequence[Paragraph], tokens: int, given: bool
) -> Iterator[tuple[int, ParsedParagraph]]:
    """Yield the index of each of ``paragraphs`` and its analysis; heads are always the network's.

    With ``given`` the units are those of the paragraphs' ``structure``, otherwise the network's. ``tokens`` bounds the
    source subwords of a batch. ``model`` is in evaluation mode, has a dependency head, and reads 16 sentences.
    """
    sizes = [sum(len(ids) + 2 for ids in paragraph.source) for paragraph in paragraphs]
    for batch in batches(sizes, tokens):
        chosen = [paragraphs[index] for index in batch]
        source = source_of(model, chosen)
        labels: Labels = source.structure
        lines = lines_of_paragraphs(source)
        states = lines.take(model.encode_sentences(source))
        analysis = model.analyse(states, lines, labels if given else Labels(labels.word_ends))
        assert analysis.heads is not None
        width, weight = model.settings.width, model.relation.weight
        results = (
            analysis.heads.log_softmax(dim=-1),
            analysis.vectors @ weight[:, :width].T + model.relation.bias,
            analysis.vectors @ weight[:, width:].T,
        )
        scores, of_dependents, of_heads = (tensor.double().cpu().numpy() for tensor in results)
        words, units = analysis.units.words.cpu().numpy(), analysis.units.segments.cpu().numpy()
        for row, index in enumerate(batch):
            lengths = [len(ids) for ids in chosen[row].source]
            unit_of_word = units[row][words[row]]
            count = int(unit_of_word.max(initial=-1)) + 1
            unit_lists = np.split(unit_of_word, np.cumsum(lengths)[:-1])
            yield (
                index,
                ParsedParagraph(
                    unit_lists, scores[row, :count, :count], of_dependents[row, :count], of_heads[row, :count]
                ),
            )
