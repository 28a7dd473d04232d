"""Teachers: joint networks that annotate raw text, from which the network that ships learns beside its treebanks.

Several teachers are several seeds; the logarithms of their probabilities are averaged.
"""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import torch
from torch import Tensor, nn

from discourse_nmt.discourse.analysers.analyser import Analyser
from discourse_nmt.discourse.analysers.inventory import Inventory
from discourse_nmt.discourse.analysers.network import JointNetwork, JointScores, SentenceBatch
from discourse_nmt.discourse.analysers.network_settings import AnalyserDropout
from discourse_nmt.discourse.analysers.weights import load_analyser
from discourse_nmt.discourse.analysers.words import WordFeatures
from discourse_nmt.training.analysers.pretrained import TOKENISER, PretrainedModel, PretrainedNetwork


class JointEnsemble(JointNetwork):
    """Joint networks of one inventory as one network, with the means of their scores."""

    def __init__(self, networks: Sequence[JointNetwork]) -> None:
        nn.Module.__init__(self)  # it has no layers of its own
        self.networks = nn.ModuleList(networks)
        self.settings = networks[0].settings

    def word_features(self, inventory: Inventory) -> WordFeatures:
        """The features of words that all networks read."""
        first = self.networks[0]
        assert isinstance(first, JointNetwork)
        return first.word_features(inventory)

    def forward(self, batch: SentenceBatch, dropout: AnalyserDropout, units: bool = True) -> JointScores:
        """Mean scores. The halves of relations are concatenated, so that their product is the mean of the products."""
        scores = [network(batch, dropout, units) for network in self.networks]

        def mean(parts: Sequence[Tensor]) -> Tensor:
            return torch.stack([part.log_softmax(-1) for part in parts]).mean(0)

        size, relations = self.settings.relation_size + 1, self.settings.deprels
        dependents = [score.relation_dependents.unflatten(-1, (relations, size)) / len(scores) for score in scores]
        return scores[0]._replace(
            arcs=mean([score.arcs for score in scores]),
            upos=mean([score.upos for score in scores]),
            xpos=mean([score.xpos for score in scores]),
            features=mean([score.features for score in scores]),
            lemmas=mean([score.lemmas for score in scores]),
            units=torch.stack([score.units for score in scores]).mean(0),
            relation_dependents=torch.cat(dependents, -1).flatten(-2),
            relation_heads=torch.cat([score.relation_heads for score in scores], -1),
        )


def load_teacher(folder: str | Path) -> Analyser:
    """The analyser in ``folder``, whose network may read a pretrained model."""
    if not (Path(folder) / TOKENISER).is_file():
        return load_analyser(folder)
    return load_analyser(folder, build=partial(PretrainedNetwork, model=PretrainedModel(folder)))


def load_teachers(folders: Sequence[str | Path]) -> Analyser:
    """One analyser of all teachers, which were trained on the same data."""
    teachers = [load_teacher(folder) for folder in folders]
    first = teachers[0]
    if len(teachers) == 1:
        return first
    return Analyser(JointEnsemble([teacher.network for teacher in teachers]), first.inventory, first.units)
