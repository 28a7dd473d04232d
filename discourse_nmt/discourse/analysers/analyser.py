"""Analysis with the joint network: tokenised sentences in, annotated words out."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from discourse_nmt.discourse.analysers.arborescence import best_tree, is_tree
from discourse_nmt.discourse.analysers.batches import grouped, make_batch
from discourse_nmt.discourse.analysers.inventory import Inventory
from discourse_nmt.discourse.analysers.lemmas import apply_rule
from discourse_nmt.discourse.analysers.network import JointNetwork, JointScores
from discourse_nmt.discourse.analysers.network_settings import AnalyserDropout
from discourse_nmt.discourse.structures.syntax import Syntax

UNIT_THRESHOLD = 0.6  # least probability for the beginning of a discourse unit; the best F1 on GUM dev
NOTHING: Mapping[int, str] = {}
BATCH_WORDS = 2500  # including padding


@dataclass(frozen=True)
class SentenceAnalysis(Syntax):
    """Annotation of one sentence by the joint network; every tuple has one entry per word.

    ``edu_starts`` is true for the first word of each elementary discourse unit, so that the first entry is always true.
    ``states`` [words, state size] (float32) are the states of the network, or None if the caller did not need them.
    """

    edu_starts: tuple[bool, ...]
    states: npt.NDArray[np.float32] | None = None

    @property
    def edus(self) -> tuple[tuple[int, int], ...]:
        """Word ranges ``[first, last)`` of the elementary discourse units, which tile the sentence."""
        starts = [number for number, start in enumerate(self.edu_starts) if start]
        return tuple(zip(starts, [*starts[1:], len(self.forms)]))


def states_of(analyses: Iterable[SentenceAnalysis]) -> list[npt.NDArray[np.float32]]:
    """The states of each sentence that was analysed with ``states=True``."""
    return [analysis.states for analysis in analyses if analysis.states is not None]


class Analyser:
    """A trained joint network with its inventory; ``units`` says whether it has learnt discourse units, which begin
    where their probability is at least ``threshold``. Without them, each sentence is one unit.

    The network reads characters of ``simplified``, a table of :meth:`str.translate`, as what they stand for.
    """

    def __init__(
        self,
        network: JointNetwork,
        inventory: Inventory,
        units: bool = True,
        threshold: float = UNIT_THRESHOLD,
        simplified: Mapping[int, str] = NOTHING,
    ) -> None:
        self.network = network.eval()
        self.inventory = inventory
        self.units = units
        self.threshold = threshold
        self.simplified = simplified
        self._features = network.word_features(inventory)

    @property
    def state_size(self) -> int:
        """Width of :attr:`SentenceAnalysis.states`."""
        return 2 * self.network.settings.width

    def analyse(
        self, documents: Sequence[Sequence[Sequence[str]]], states: bool = False
    ) -> list[list[SentenceAnalysis]]:
        """Annotate documents, each a list of sentences, each a list of words.

        Documents and sentences may be empty. Sentences do not affect each other's annotation. With ``states``, the
        results have the network's states: 4 bytes times :attr:`state_size` per word.
        """
        sentences = [sentence for document in documents for sentence in document]
        empty = np.zeros((0, self.state_size), np.float32) if states else None
        results = [SentenceAnalysis((), (), (), (), (), (), (), (), empty)] * len(sentences)
        with_words = [index for index, forms in enumerate(sentences) if forms]
        for group in grouped([len(sentences[index]) for index in with_words], BATCH_WORDS, None):
            indices = [with_words[position] for position in group]
            for index, analysis in zip(indices, self._batch([sentences[index] for index in indices], states)):
                results[index] = analysis
        remaining = iter(results)
        return [[next(remaining) for _ in document] for document in documents]

    @torch.inference_mode()
    def _batch(self, sentences: Sequence[Sequence[str]], states: bool) -> Iterator[SentenceAnalysis]:
        read = (
            [[form.translate(self.simplified) for form in forms] for forms in sentences]
            if self.simplified
            else sentences
        )
        batch = make_batch(read, [0] * len(sentences), self._features)
        scores = self.network(batch, AnalyserDropout(), self.units)
        heads = _decode(scores.arcs, batch.lengths)
        deprels = self._relations(scores, heads).numpy()
        upos, xpos, features = (logits.argmax(-1).numpy() for logits in (scores.upos, scores.xpos, scores.features))
        rules = scores.lemmas.argmax(-1).numpy()
        starts = ((scores.units.sigmoid() >= self.threshold) & self.units).numpy()
        starts[:, 0] = True
        names = self.inventory
        for row, forms in enumerate(sentences):
            size = len(forms)
            yield SentenceAnalysis(
                tuple(forms),
                tuple(names.upos[label] for label in upos[row, :size]),
                tuple(names.xpos[label] for label in xpos[row, :size]),
                tuple(names.features[label] for label in features[row, :size]),
                tuple(
                    self._lemma(form, rule) or self._other_lemma(form, scores.lemmas[row, word])
                    for word, (form, rule) in enumerate(zip(forms, rules[row].tolist()))
                ),
                tuple((heads[row, :size] - 1).tolist()),
                tuple(names.deprels[label] for label in deprels[row, :size]),
                tuple(starts[row, :size].tolist()),
                scores.states[row, :size].clone().numpy() if states else None,
            )

    def _relations(self, scores: JointScores, heads: npt.NDArray[np.int64]) -> Tensor:
        """Relation labels [B, T]: ``root`` for the root, and for no other word."""
        logits = self.network.relation_scores(scores, torch.from_numpy(heads))
        root = self.inventory.deprels.index("root")
        best: Tensor = logits.index_fill(2, torch.tensor([root]), -torch.inf).argmax(-1)
        return torch.where(torch.from_numpy(heads) == 0, root, best)

    def _lemma(self, form: str, rule: int) -> str | None:
        return apply_rule(form, self.inventory.lemma_rules[rule])

    def _other_lemma(self, form: str, logits: Tensor) -> str:
        """The lemma by the best rule that fits the form; the lower-cased form if no rule fits."""
        for rule in logits.argsort(descending=True).tolist():
            lemma = self._lemma(form, rule)
            if lemma:
                return lemma
        return form.lower()


def _decode(arcs: Tensor, lengths: Tensor) -> npt.NDArray[np.int64]:
    """Heads [B, T] of the best trees: the best head of each word if these form a tree, otherwise by a search."""
    heads: npt.NDArray[np.int64] = arcs.argmax(-1).numpy()
    for row, size in enumerate(lengths.tolist()):
        heads[row, size:] = 0
        if not is_tree(heads[row, :size]):
            heads[row, :size] = best_tree(arcs[row, :size, : size + 1].double().numpy())
    return heads
