"""One small network for tags, features, lemmas, dependencies and elementary discourse units.

A word is the concatenation of features of its form (embedding, hashed affixes, a convolution over characters, and
perhaps a fixed vector that was learnt from raw text). A stack of bidirectional LSTMs reads the sentence. Heads are
scored by the deep biaffine classifier of Dozat and Manning (2017). Discourse units depend on syntax: their classifier
is another bidirectional LSTM, over the states and the network's own predictions of the tree (expected state of the
head, relation, tag, arcs across the gap before the word).
"""

from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

from discourse_nmt.discourse.analysers.inventory import Inventory
from discourse_nmt.discourse.analysers.network_settings import AnalyserDropout, NetworkSizes
from discourse_nmt.discourse.analysers.words import AFFIXES, OWN, WordFeatures

MASKED = -1e4  # score of an impossible choice; far below any real score, and exact in half precision


class SentenceBatch(NamedTuple):
    """Sentences as ids: ``types`` [U, OWN + AFFIXES + word_length] has the features of the distinct forms, ``places``
    [B, T] the index of each word's form, ``lengths`` [B] the number of words, ``treebank`` [B] the treebank's id."""

    types: Tensor
    places: Tensor
    lengths: Tensor
    treebank: Tensor


class JointScores(NamedTuple):
    """Output of the network: ``states`` [B, T, 2 width], and log-probabilities or logits.

    ``arcs`` [B, T, 1 + T]: head 0 is the root, head t + 1 is word t. ``relations`` has the dependents' half of the
    relation scores; :meth:`JointNetwork.relation_scores` completes them for given heads.
    """

    states: Tensor
    arcs: Tensor
    upos: Tensor
    xpos: Tensor
    features: Tensor
    lemmas: Tensor
    units: Tensor
    relation_dependents: Tensor
    relation_heads: Tensor


def shared_dropout(states: Tensor, rate: float) -> Tensor:
    """Dropout of states [B, T, D] with one mask per sentence (Gal and Ghahramani, 2016)."""
    if rate == 0:
        return states
    mask = states.new_empty(states.shape[0], 1, states.shape[2]).bernoulli_(1 - rate) / (1 - rate)
    return states * mask


class BothDirections(nn.Module):
    """A bidirectional LSTM over padded sentences; padding does not affect the result."""

    def __init__(self, entry: int, width: int) -> None:
        super().__init__()
        self.onward = nn.LSTM(entry, width, batch_first=True)
        self.backward_ = nn.LSTM(entry, width, batch_first=True)

    def forward(self, entry: Tensor, reverse: Tensor) -> Tensor:
        """States [B, T, 2 width] of ``entry`` [B, T, D]; ``reverse`` [B, T] reverses each sentence in place."""
        rows = torch.arange(len(entry))[:, None]
        onward, _ = self.onward(entry)
        back, _ = self.backward_(entry[rows, reverse])
        return torch.cat([onward, back[rows, reverse]], -1)


class WordEncoder(nn.Module):
    """Vectors of words, computed from their forms."""

    vectors: Tensor

    def __init__(self, settings: NetworkSizes) -> None:
        super().__init__()
        self.settings = settings
        self.word = nn.Embedding(settings.words, settings.word_size)
        self.affix = nn.EmbeddingBag(settings.buckets, settings.affix_size, mode="sum")
        self.character = nn.Embedding(settings.characters, settings.character_size, padding_idx=0)
        self.filters = nn.Conv1d(settings.character_size, settings.filters, 3, padding=1)
        self.size = settings.word_size + settings.affix_size + settings.filters + settings.vector_size
        if settings.vectors:  # a buffer, so that no training changes it
            self.register_buffer("vectors", torch.zeros(settings.vectors, settings.vector_size))
        nn.init.normal_(self.word.weight, std=0.3)
        nn.init.normal_(self.affix.weight, std=0.1)

    def forward(self, batch: SentenceBatch, dropout: AnalyserDropout) -> Tensor:
        """Vectors [B, T, size]."""
        affixes = self.affix(batch.types[:, OWN : OWN + AFFIXES])
        marks = batch.types[:, OWN + AFFIXES :]
        marks = marks[:, : max(1, int((marks > 0).sum(1).max()))]
        seen = functional.relu(self.filters(self.character(marks).transpose(1, 2)))  # [U, filters, characters]
        seen = (seen * (marks > 0)[:, None]).amax(2)
        words = batch.types[:, 0][batch.places]
        if dropout.word:
            words = torch.where(torch.rand(words.shape) < dropout.word, 1, words)
        parts = [self.word(words), torch.cat([affixes, seen], 1)[batch.places]]
        if self.settings.vectors:
            known = batch.types[:, 1][batch.places]
            if dropout.vector:
                known = torch.where(torch.rand(known.shape) < dropout.vector, 1, known)
            parts.append(functional.embedding(known, self.vectors))
        return torch.cat(parts, -1)


class JointNetwork(nn.Module):
    """The joint network: all scores of a sentence in one pass; see the module's docstring."""

    def __init__(self, settings: NetworkSizes) -> None:
        super().__init__()
        self.settings = settings
        self.encoder = self.word_encoder()
        self.treebank = nn.Embedding(settings.treebanks, self.encoder.size)
        nn.init.zeros_(self.treebank.weight)
        sizes = [self.encoder.size] + [2 * settings.width] * settings.layers
        self.layers = nn.ModuleList(BothDirections(size, settings.width) for size in sizes[:-1])
        tags = 160
        self.tag_entry = nn.Linear(sizes[-1] + self.encoder.size, tags)
        self.upos = nn.Linear(tags, settings.upos)
        self.xpos = nn.Linear(tags, settings.xpos)
        self.features = nn.Linear(tags, settings.features)
        self.lemmas = nn.Linear(tags, settings.lemma_rules)
        self.root = nn.Parameter(torch.zeros(sizes[-1]))
        self.dependent = nn.Linear(sizes[-1], settings.arc_size + settings.relation_size)
        self.head = nn.Linear(sizes[-1], settings.arc_size + settings.relation_size)
        self.arc = nn.Parameter(torch.zeros(settings.arc_size + 1, settings.arc_size))
        self.relation = nn.Linear(
            settings.relation_size + 1, settings.deprels * (settings.relation_size + 1), bias=False
        )
        nn.init.normal_(self.relation.weight, std=0.02)
        summary, label = 96, 32
        self.unit_summary = nn.Linear(sizes[-1], summary)
        self.unit_label = nn.Linear(settings.deprels, label, bias=False)
        self.unit_tag = nn.Linear(settings.upos, label, bias=False)
        self.unit_layer = BothDirections(2 * summary + 2 * label + 4, settings.unit_width)
        self.unit = nn.Linear(2 * settings.unit_width, 1)

    def forward(self, batch: SentenceBatch, dropout: AnalyserDropout, units: bool = True) -> JointScores:
        """Scores of a batch; without dropout, neither other sentences nor padding affect them.

        Without ``units``, discourse units are not computed (their logits are 0), which saves time.
        """
        length = batch.places.shape[1]
        place = torch.arange(length)
        inside = place < batch.lengths[:, None]  # [B, T]
        reverse = torch.where(inside, batch.lengths[:, None] - 1 - place, place)
        words = self.encoder(batch, dropout) + self.treebank(batch.treebank)[:, None]
        words = shared_dropout(words, dropout.entry)
        states = words
        for layer in self.layers:
            states = shared_dropout(layer(states, reverse), dropout.state)

        tags = functional.leaky_relu(self.tag_entry(torch.cat([states, words], -1)), 0.1)
        tags = shared_dropout(tags, dropout.head)
        upos = self.upos(tags)

        rooted = torch.cat([self.root.expand(len(states), 1, -1), states], 1)  # [B, 1 + T, 2 width]
        dependents = shared_dropout(functional.leaky_relu(self.dependent(states), 0.1), dropout.head)
        heads = shared_dropout(functional.leaky_relu(self.head(rooted), 0.1), dropout.head)
        split = [self.settings.arc_size, self.settings.relation_size]
        arc_dependents, relation_dependents = dependents.split(split, -1)
        arc_heads, relation_heads = heads.split(split, -1)
        arcs = (_with_one(arc_dependents) @ self.arc) @ arc_heads.transpose(1, 2)  # [B, T, 1 + T]
        banned = functional.pad(~inside, (1, 0))[:, None] | torch.eye(length + 1, dtype=torch.bool)[1:]
        arcs = arcs.masked_fill(banned, MASKED)
        relation_dependents = self.relation(_with_one(relation_dependents))
        relation_heads = _with_one(relation_heads)

        scores = JointScores(
            states,
            arcs.log_softmax(-1),
            upos,
            self.xpos(tags),
            self.features(tags),
            self.lemmas(tags),
            torch.zeros(inside.shape),
            relation_dependents,
            relation_heads,
        )
        if units:
            scores = scores._replace(units=self._units(scores, rooted, inside, reverse, dropout))
        return scores

    def word_encoder(self) -> WordEncoder:
        """A new encoder of words."""
        return WordEncoder(self.settings)

    def word_features(self, inventory: Inventory) -> WordFeatures:
        """The features of words that the network reads."""
        return WordFeatures(
            inventory.words, inventory.characters, self.settings.buckets, self.settings.word_length, inventory.vectors
        )

    def unit_layers(self) -> nn.ModuleDict:
        """The layers that nothing but discourse units needs, by their names among the network's weights."""
        return nn.ModuleDict({name: layer for name, layer in self.named_children() if name.startswith("unit")})

    def relation_scores(self, scores: JointScores, heads: Tensor) -> Tensor:
        """Logits [B, T, deprels] of the relations to ``heads`` [B, T] (0 is the root, t + 1 is word t)."""
        size = scores.relation_heads.shape[-1]
        chosen = scores.relation_heads.gather(1, heads[..., None].expand(-1, -1, size))  # [B, T, R + 1]
        halves = scores.relation_dependents.unflatten(-1, (self.settings.deprels, size))
        return (halves @ chosen[..., None]).squeeze(-1)

    def _units(
        self, scores: JointScores, rooted: Tensor, inside: Tensor, reverse: Tensor, dropout: AnalyserDropout
    ) -> Tensor:
        """Logits [B, T] of "the word begins a discourse unit"."""
        arcs = scores.arcs.exp() * inside[..., None]
        summary = functional.leaky_relu(self.unit_summary(rooted), 0.1)
        relations = self.relation_scores(scores, scores.arcs.argmax(-1)).softmax(-1)
        length = arcs.shape[1]
        place = torch.arange(length + 1)
        before = arcs * (place < place[1:, None])  # head to the left of the dependent
        left, right = crossing_arcs(arcs)
        shape = torch.stack([arcs[..., 0], before[..., 1:].sum(-1), left.log1p(), right.log1p()], -1)
        entry = torch.cat(
            [
                summary[:, 1:],
                arcs @ summary,
                self.unit_label(relations),
                self.unit_tag(scores.upos.softmax(-1)),
                shape,
            ],
            -1,
        )
        states = self.unit_layer(shared_dropout(entry, dropout.head), reverse)
        logits: Tensor = self.unit(shared_dropout(states, dropout.state)).squeeze(-1)
        return logits


def crossing_arcs(arcs: Tensor) -> tuple[Tensor, Tensor]:
    """Expected number of arcs across the gap before each word, with the head before and after the gap: [B, T] each.

    ``arcs`` [B, T, 1 + T] are the probabilities of the heads of each word.
    """
    words = arcs[..., 1:]  # [B, dependent, head]
    left = words.tril(-1).flip(1).cumsum(1).flip(1)  # [B, t, h]: from head h to words from t on
    right = words.triu(1).flip(2).cumsum(2).flip(2)  # [B, d, t]: from heads from t on to word d
    return left.tril(-1).sum(2), right.triu(1).sum(1)


def _with_one(states: Tensor) -> Tensor:
    """``states`` with a last column of ones, for the linear part of a biaffine form."""
    return functional.pad(states, (0, 1), value=1.0)
