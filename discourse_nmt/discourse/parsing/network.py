"""The parser's network: vectors of discourse units, scores of spans, scores of labels."""

from dataclasses import MISSING, dataclass
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

from discourse_nmt.base.settings import setting
from discourse_nmt.discourse.analysers.network import BothDirections
from discourse_nmt.discourse.parsing.layout import ARCS, GOVERNORS, LENGTHS, LINKS, PARAGRAPHS, SENTENCES

POOLED = 4  # pooled states of each EDU: first word, last word, head, mean


def _size(default: Any, meaning: str) -> Any:
    return setting(default, meaning, minimum=1, below=1 << 24)


@dataclass(frozen=True)
class ParserSettings:
    """Sizes of the network that the user chooses."""

    feature_size: int = _size(48, "width of the embedding of a feature")
    unit_size: int = _size(128, "width of the vector of a discourse unit")
    width: int = _size(96, "width of the recurrent layer over the document, per direction")
    span_size: int = _size(128, "width of the layer that scores spans")
    label_size: int = _size(128, "width of the layer that scores labels")


@dataclass(frozen=True, kw_only=True)
class ParserSizes(ParserSettings):
    """All sizes: the chosen ones, and those that follow from the data."""

    features: int = _size(MISSING, "features with an embedding, and one for padding")
    state_size: int = _size(MISSING, "width of the joint network's states")
    pairs: int = _size(MISSING, "pairs with weights, and one for padding")
    labels: int = _size(MISSING, "labels of inner nodes")


class ParserUnits(NamedTuple):
    """Discourse units of a batch of documents, concatenated: ``features`` and ``offsets`` for an embedding bag,
    ``states`` [units, POOLED, state size], and the ``lengths`` of the documents."""

    features: Tensor
    offsets: Tensor
    states: Tensor
    lengths: list[int]


class Rates(NamedTuple):
    """Rates of dropout."""

    feature: float = 0.0
    state: float = 0.0
    unit: float = 0.0
    span: float = 0.0


class SpanTable(NamedTuple):
    """Spans with their classes of :class:`.UnitLayout`: ``numbers`` [S, 9] are start, end, the
    first and the last top, and the classes by length, sentences, arcs, governors and paragraphs."""

    numbers: Tensor


class Children(NamedTuple):
    """The children of inner nodes, the class of the dependencies between them, and the ids [N, templates] of their
    pairs (:mod:`.parsing.pairs`), 0 for a pair without weights."""

    left: SpanTable
    right: SpanTable
    links: Tensor
    pairs: Tensor


class Parts(NamedTuple):
    """Terms of the first layer over spans: ``rows`` [rows, size] of starts, ends, tops and classes, concatenated;
    column c of a table begins at ``offsets[c]``. ``sums`` [n + 1, size] are prefix sums over the units."""

    rows: Tensor
    offsets: Tensor
    sums: Tensor


class Ends(nn.Module):
    """First layer over spans as a sum of terms: units at both ends, inside and outside; the mean inside; classes."""

    def __init__(self, entry: int, size: int) -> None:
        super().__init__()
        self.size = size
        self.project = nn.Linear(entry, 7 * size)
        self.edge = nn.Parameter(torch.zeros(2, entry))
        self.length = nn.Embedding(LENGTHS, size)
        self.sentence = nn.Embedding(SENTENCES, size)
        self.arc = nn.Embedding(ARCS, size)
        self.governor = nn.Embedding(GOVERNORS, size)
        self.paragraph = nn.Embedding(PARAGRAPHS, size)
        for table in (self.length, self.sentence, self.arc, self.governor, self.paragraph):
            nn.init.normal_(table.weight, std=0.1)

    def forward(self, units: Tensor) -> Parts:
        """Terms for the vectors [n, entry] of the units of a document."""
        rows = torch.cat([self.edge[:1], units, self.edge[1:]])  # unit u is row u + 1
        first, last, before, after, inside, first_top, last_top = self.project(rows).split(self.size, -1)
        sums = functional.pad(inside[1:-1].cumsum(0), (0, 0, 1, 0))
        classes = (self.length, self.sentence, self.arc, self.governor, self.paragraph)
        parts = [first[1:] + before[:-1], last[:-1] + after[1:], first_top[1:-1], last_top[1:-1]]
        parts += [table.weight for table in classes]
        offsets = torch.tensor([0, *map(len, parts[:-1])]).cumsum(0)
        return Parts(torch.cat(parts), offsets, sums)

    def spans(self, parts: Parts, table: SpanTable) -> Tensor:
        """Sums [S, size] for the spans of a table."""
        start, end = table.numbers[:, 0], table.numbers[:, 1]
        mean = (parts.sums[end] - parts.sums[start]) / (end - start)[:, None]
        # One call: the intermediate results of nine look-ups would cost more than the rest of the parser.
        return mean + functional.embedding_bag(table.numbers + parts.offsets, parts.rows, mode="sum")


class ParserNetwork(nn.Module):
    """The networks of units, spans and labels; see the module's docstring."""

    def __init__(self, settings: ParserSizes) -> None:
        super().__init__()
        self.settings = settings
        self.feature = nn.EmbeddingBag(settings.features, settings.feature_size, mode="sum", padding_idx=0)
        nn.init.normal_(self.feature.weight, std=0.1)
        with torch.no_grad():
            self.feature.weight[0] = 0
        self.state = nn.Linear(POOLED * settings.state_size, settings.unit_size)
        self.symbol = nn.Linear(settings.feature_size, settings.unit_size)
        self.layer = BothDirections(settings.unit_size, settings.width)
        entry = settings.unit_size + 2 * settings.width
        self.span = Ends(entry, settings.span_size)
        self.score = nn.Linear(settings.span_size, 2)
        self.left = Ends(entry, settings.label_size)
        self.right = Ends(entry, settings.label_size)
        self.link = nn.Embedding(LINKS, settings.label_size)
        self.label = nn.Linear(settings.label_size, settings.labels)
        self.pair = nn.EmbeddingBag(settings.pairs, settings.labels, mode="sum", padding_idx=0)
        nn.init.zeros_(self.pair.weight)

    @torch.no_grad()
    def take_paragraphs_as_unknown(self) -> None:
        """Make the result independent of paragraphs, for networks that learnt from documents without any."""
        for ends in (self.span, self.left, self.right):
            ends.paragraph.weight[1:] = ends.paragraph.weight[0]

    def encode(self, units: ParserUnits, rates: Rates) -> list[Tensor]:
        """Vectors [n, entry] of the units of each document."""
        symbols = self.symbol(self.feature(_hidden(units.features, rates.feature), units.offsets))
        states = functional.dropout(units.states.flatten(1), rates.state, rates.state > 0)
        own = functional.leaky_relu(symbols + self.state(states), 0.1)
        own = functional.dropout(own, rates.unit, rates.unit > 0)
        documents = own.split(units.lengths)
        padded = nn.utils.rnn.pad_sequence(list(documents), batch_first=True)
        lengths = torch.tensor(units.lengths)[:, None]
        place = torch.arange(padded.shape[1])
        reverse = torch.where(place < lengths, lengths - 1 - place, place)
        context = functional.dropout(self.layer(padded, reverse), rates.unit, rates.unit > 0)
        return [torch.cat([part, row[: len(part)]], 1) for part, row in zip(documents, context)]

    def span_scores(self, parts: Parts, table: SpanTable, rates: Rates) -> Tensor:
        """Scores [S, 2] of spans as left and right children, from the ``parts`` of :attr:`span`."""
        hidden = functional.leaky_relu(self.span.spans(parts, table), 0.1)
        scores: Tensor = self.score(functional.dropout(hidden, rates.span, rates.span > 0))
        return scores

    def label_scores(self, units: Tensor, children: Children, rates: Rates) -> Tensor:
        """Logits [N, labels] of nodes with these children, from the vectors of the units."""
        hidden = self.left.spans(self.left(units), children.left) + self.right.spans(self.right(units), children.right)
        hidden = functional.leaky_relu(hidden + self.link(children.links), 0.1)
        logits: Tensor = self.label(functional.dropout(hidden, rates.span, rates.span > 0))
        return logits + self.pair(_hidden(children.pairs, rates.feature))


def _hidden(numbers: Tensor, rate: float) -> Tensor:
    """``numbers`` with a random share replaced by 0, which has no weights."""
    return torch.where(torch.rand(numbers.shape) < rate, 0, numbers) if rate else numbers
