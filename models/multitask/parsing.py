"""Discourse analysis by a multi-task network, of text alone or of a parser's units."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch

from discourse_nmt.corpus.arrays import Integers, Reals
from discourse_nmt.models.context.inference import Paragraph, source_of
from discourse_nmt.models.context.lines import lines_of_paragraphs
from discourse_nmt.models.core.inference import batches
from discourse_nmt.models.multitask.labels import Labels
from discourse_nmt.models.multitask.network import Multitask


@dataclass(frozen=True)
class ParsedParagraph:
    """What a network finds in a paragraph of M units."""

    units: list[Integers]
    """The unit of each subword of each sentence, counted from 0."""
    heads: Reals
    """[M, M]: log-probability of each head (second axis) of each unit, itself if it is a root."""
    of_dependents: Reals
    """[M, C]: what a unit says of its relation to its head."""
    of_heads: Reals
    """[M, C]: what it says of relations to itself as the head; logits are the sum of both."""

    def relations(self, heads: Sequence[int] | Integers) -> Integers:
        """The most probable class of the relation of each unit to its head: that of roots, 0, for them alone."""
        units = np.arange(len(self.heads))
        scores = self.of_dependents + self.of_heads[np.asarray(heads, np.int64)]
        return np.where(units == heads, 0, 1 + scores[:, 1:].argmax(axis=1))


@torch.inference_mode()
def parse_paragraphs(
    model: Multitask, paragraphs: Sequence[Paragraph], tokens: int, given: bool
) -> Iterator[tuple[int, ParsedParagraph]]:
    """Yield the number of each of ``paragraphs`` and its analysis; heads are always the network's.

    With ``given`` the units are those of the paragraphs' ``structure``, otherwise the network's, too. ``tokens`` bounds
    the source subwords of a batch. ``model`` is in evaluation mode, has a dependency head, and reads 16 sentences.
    """
    sizes = [sum(len(ids) + 2 for ids in paragraph.source) for paragraph in paragraphs]
    for numbers in batches(sizes, tokens):
        chosen = [paragraphs[number] for number in numbers]
        source = source_of(model, chosen)
        labels: Labels = source.structure
        lines = lines_of_paragraphs(source)
        states = lines.take(model.encode_sentences(source))
        found = model.analyse(states, lines, labels if given else Labels(labels.word_ends))
        assert found.heads is not None
        width, weight = model.settings.width, model.relation.weight
        results = (
            found.heads.log_softmax(dim=-1),
            found.vectors @ weight[:, :width].T + model.relation.bias,
            found.vectors @ weight[:, width:].T,
        )
        scores, of_dependents, of_heads = (part.double().cpu().numpy() for part in results)
        words, units = found.units.words.cpu().numpy(), found.units.segments.cpu().numpy()
        for place, number in enumerate(numbers):
            lengths = [len(ids) for ids in chosen[place].source]
            inside = units[place][words[place]]
            count = int(inside.max(initial=-1)) + 1
            rows = np.split(inside, np.cumsum(lengths)[:-1])
            yield (
                number,
                ParsedParagraph(
                    rows, scores[place, :count, :count], of_dependents[place, :count], of_heads[place, :count]
                ),
            )
