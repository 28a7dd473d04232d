"""Evaluation on the development set: losses per target token, and BLEU of translations."""

import math
import re
from collections.abc import Callable, Iterable
from typing import Generic

import torch
from lightning_fabric import Fabric

from discourse_nmt.base.vocabulary import JOINER, SMALL, Vocabulary
from discourse_nmt.models.core.transformer import Transformer
from discourse_nmt.models.switches.decoding import DecodingSettings
from discourse_nmt.training.checkpoints.work import DevelopmentMeasures
from discourse_nmt.training.processes.collectives import Collectives
from discourse_nmt.training.tasks.feed import Feed
from discourse_nmt.training.tasks.loss import Network, Objective
from discourse_nmt.training.tasks.protocol import BatchRead, Task

JOINTS_AND_MARKS = re.compile(f"@@ |[{JOINER}{SMALL}]")
"""Joints of subwords, and marks of white space and case."""

DevelopmentBleu = Callable[[Network, Callable[[], None]], float]
"""The BLEU of a network; calls its second argument while it translates, see :meth:`.Collectives.of_first`."""


class Development(Generic[Network, BatchRead]):
    """Evaluation during training; ``bleu``, if any, computes the development BLEU (0 to 100) of a network."""

    def __init__(
        self, fabric: Fabric, feed: Feed[Network, BatchRead], bleu: DevelopmentBleu[Network] | None = None
    ) -> None:
        self.fabric, self.feed, self.bleu = fabric, feed, bleu
        self.collectives = Collectives(fabric)

    @torch.no_grad()
    def measure(self, network: Network, objective: Objective[Network, BatchRead]) -> DevelopmentMeasures:
        """Columns of metrics: development losses in nats per target token, perplexity and, if computed, BLEU.

        Each process computes the losses of its share of the batches; the first one translates.
        """
        order, device = self.feed.order, self.fabric.device
        sums = torch.zeros(3, dtype=torch.float64, device=device)
        network.eval()
        for position in range(self.fabric.global_rank, order.batches_per_epoch, self.fabric.world_size):
            batch = self.feed.collate(order.batch(0, position))
            with self.fabric.autocast():
                losses = objective(network, batch.to(device))
            sums[0] += losses.objective
            sums[1] += losses.likelihood
            sums[2] += batch.target_tokens
        loss, likelihood, tokens = self.collectives.sum(sums).tolist()
        measured: DevelopmentMeasures = {
            "dev_loss": loss / tokens,
            "dev_nll": likelihood / tokens,
            "dev_perplexity": math.exp(min(700.0, likelihood / tokens)),
        }
        if (bleu := self.bleu) is not None:
            with self.fabric.autocast():
                measured["dev_bleu"] = self.collectives.of_first(lambda alive: bleu(network, alive))
        return measured


def development_bleu(
    task: Task[Network, BatchRead], target: Vocabulary, settings: DecodingSettings
) -> DevelopmentBleu[Network]:
    """A function that translates the source side of the task's split and computes BLEU against the target side.

    BLEU (Papineni et al. 2002) is sacrebleu's on the tokens of the text stage, without further tokenisation and without
    marks of white space and case.
    """
    import sacrebleu  # long to import, and used with select_by: bleu alone

    references = task.dataset.target.sentences()

    def words(ids: Iterable[int], mark: int | None) -> str:
        return JOINTS_AND_MARKS.sub("", " ".join(target.symbol(number) for number in ids if number != mark))

    def bleu(network: Network, alive: Callable[[], None]) -> float:
        assert isinstance(network, Transformer)
        mark = network.language_symbol  # before every translation, of every network
        of_rows = {}
        for row, found in task.hypotheses(network, settings):
            of_rows[row] = found
            alive()
        hypotheses = [words(of_rows[row][0].ids, mark) for row in range(len(of_rows))]
        metric = sacrebleu.metrics.BLEU(tokenize="none", force=True)
        return metric.corpus_score(hypotheses, [[words(ids, mark) for ids in references]]).score

    return bleu
