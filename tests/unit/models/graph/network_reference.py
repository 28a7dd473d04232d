"""The document graph written as specification 03 prints it: one sentence at a time, dense graphs of whole documents."""

import math

import numpy as np
import torch
from torch import Tensor, nn

from discourse_nmt.base.relations import RELATIONS
from discourse_nmt.base.vocabulary import BEGIN, END
from discourse_nmt.models.attention.multi_head import MultiHeadAttention
from discourse_nmt.models.context.inference import Paragraph
from discourse_nmt.models.graph.encoder import GraphEncoder
from discourse_nmt.models.graph.layers import GraphDecoderLayer, GraphEncoderLayer, GraphGate
from discourse_nmt.models.graph.network import DocumentGraph
from discourse_nmt.models.graph.word_graphs import LinkedWords
from tests.unit.models.graph.encoder_reference import dense, encode


def attention(module: MultiHeadAttention, queries: Tensor, memory: Tensor, allowed: Tensor) -> Tensor:
    """``queries`` [T, d], ``memory`` [K, d], ``allowed`` [T, K] bool: [T, d]."""
    weights, biases = module.projection.weight.chunk(3), module.projection.bias.chunk(3)
    query, keys, values = (x @ w.T + b for x, w, b in zip((queries, memory, memory), weights, biases))
    heads = []
    for part in torch.arange(queries.shape[1]).chunk(module.heads):
        scores = query[:, part] @ keys[:, part].T / math.sqrt(len(part))
        heads.append(scores.masked_fill(~allowed, -math.inf).softmax(1) @ values[:, part])
    result: Tensor = module.output(torch.cat(heads, dim=1))
    return result


def gate(module: GraphGate, first: Tensor, second: Tensor) -> Tensor:
    """Equations 6 and 7."""
    mixed = torch.sigmoid(
        first @ module.plain.weight.T + module.plain.bias + second @ module.context.weight.T + module.context.bias
    )
    return mixed * first + (1 - mixed) * second


def everything(rows: int, columns: int) -> Tensor:
    return torch.ones(rows, columns, dtype=torch.bool)


class Nodes:
    """The states of the nodes that a sentence sees, and which of them each of its positions sees."""

    def __init__(self, states: Tensor, allowed: Tensor) -> None:
        self.states, self.allowed = states, allowed


def matrices_of(linked: LinkedWords, model: DocumentGraph) -> list[Tensor]:
    """A matrix for each relation, or one for all that are chosen."""
    chosen = [RELATIONS.index(relation) for relation in model.settings.relations]
    edges = list(zip(linked.sources.tolist(), linked.targets.tolist(), linked.relations.tolist()))
    groups = [[relation] for relation in range(len(RELATIONS))] if model.settings.relation_gates else [chosen]
    kept = [[edge for edge in edges if edge[2] in group and edge[2] in chosen] for group in groups]
    return [dense(len(linked.words), [edge[0] for edge in each], [edge[1] for edge in each]) for each in kept]


def near(linked: LinkedWords, sentence: int, distance: int) -> LinkedWords:
    """The words of the sentences at most so far away, with the edges between them, one by one."""
    kept = [word for word, of in enumerate(linked.words.sentences.tolist()) if abs(of - sentence) <= distance]
    index = {word: place for place, word in enumerate(kept)}
    edges = [
        (index[source], index[target], relation)
        for source, target, relation in zip(linked.sources.tolist(), linked.targets.tolist(), linked.relations.tolist())
        if source in index and target in index
    ]
    columns = np.array(edges, np.int64).reshape(-1, 3).T
    words = linked.words.part(np.isin(np.arange(len(linked.words)), kept))
    return LinkedWords(words, *columns)


def node_states(model: DocumentGraph, linked: LinkedWords, side: str, kept: Tensor | None = None) -> Tensor:
    embedding = model.source_embedding if side == "source" else model.target_embedding
    encoder: GraphEncoder = model.graph_encoder
    if side == "target" and model.draft_encoder is not None:
        encoder = model.draft_encoder
    words = linked.words
    pieces = torch.tensor_split(torch.from_numpy(words.subwords), torch.from_numpy(words.starts[1:]))
    first = torch.stack([embedding.weight[piece].mean(0) * embedding.scale for piece in pieces])
    return encode(encoder, first, matrices_of(linked, model), kept)


def seen_nodes(model: DocumentGraph, linked: LinkedWords, side: str, sentence: int) -> Nodes | None:
    """What the positions of ``sentence`` (of the document) see of a side."""
    settings = model.settings
    if side == "target" and settings.draft == "earlier":
        linked = linked.before(sentence)
        members = torch.from_numpy(linked.words.sentences >= sentence - settings.earlier_sentences)
        if not len(linked.words):
            return None
        return Nodes(node_states(model, linked, side)[members], members.new_ones(1, int(members.sum())))
    if settings.context_sentences is not None:
        linked = near(linked, sentence, settings.context_sentences)
    matrix = sum(matrices_of(linked, model), torch.zeros(()))
    linked_pairs = (matrix + matrix.T > 0) | torch.eye(len(matrix), dtype=torch.bool)
    own = torch.from_numpy(linked.words.sentences == sentence)
    kept = None
    if settings.pruning == "printed" and settings.prune_hops is not None:
        kept = own
        for _ in range(settings.prune_hops):
            kept = (linked_pairs & kept[:, None]).any(0)
    states = node_states(model, linked, side, kept)
    if settings.scope == "current":
        return Nodes(states[own], own.new_ones(1, int(own.sum())))
    hops = 1 if settings.scope == "related" else settings.prune_hops
    members = own
    for _ in range(len(matrix) if hops is None else hops):
        members = (linked_pairs & members[:, None]).any(0)
    if hops is None:
        members = torch.ones_like(own)
    allowed = own.new_ones(1, int(members.sum()))
    if settings.scope == "related" and side == "source":
        rows = [allowed[0]]
        counts = torch.from_numpy(linked.words.starts).diff(append=torch.tensor([len(linked.words.subwords)]))
        for word in own.nonzero()[:, 0].tolist():
            rows += [linked_pairs[word, members]] * int(counts[word])
        allowed = torch.stack([*rows, allowed[0]])
    return Nodes(states[members], allowed)


def encoder_layer(layer: GraphEncoderLayer, x: Tensor, nodes: Nodes | None, architecture: str) -> Tensor:
    """Equations 4, 5 and 8, or the gate inside the first sublayer."""
    own = attention(layer.attention, x, x, everything(len(x), len(x)))
    if nodes is not None and architecture == "parallel":
        found = attention(layer.graph_attention, x, nodes.states, nodes.allowed.expand(len(x), -1))
        own = gate(layer.graph_gate, own, found)
    h = norm(layer.attention_residual.norm, x + own)
    if nodes is not None and architecture != "parallel":
        h = gate(
            layer.graph_gate,
            h,
            attention(layer.graph_attention, h, nodes.states, nodes.allowed.expand(len(x), -1)),
        )
    return norm(layer.feed_forward_residual.norm, h + layer.feed_forward(h))


def decoder_layer(
    layer: GraphDecoderLayer, y: Tensor, source: Tensor, nodes: Nodes | None, draft: Nodes | None, model: DocumentGraph
) -> Tensor:
    """Equations 9 and 10, and the serial forms."""
    settings = model.settings
    of_draft = (layer.draft_attention or layer.graph_attention, layer.draft_gate or layer.graph_gate)

    def joined(plain: Tensor, query: Tensor, seen: Nodes, parts: tuple[MultiHeadAttention, GraphGate]) -> Tensor:
        allowed = everything(len(query), len(seen.states))
        return gate(parts[1], plain, attention(parts[0], query, seen.states, allowed))

    own = attention(layer.attention, y, y, everything(len(y), len(y)).tril())
    if draft is not None and settings.target_graph == "parallel":
        own = joined(own, y, draft, of_draft)
    h = norm(layer.attention_residual.norm, y + own)
    if draft is not None and settings.target_graph == "serial":
        h = joined(h, h, draft, of_draft)
    read = attention(layer.source_attention, h, source, everything(len(y), len(source)))
    of_source = (layer.graph_attention, layer.graph_gate)
    if nodes is not None and settings.architecture != "serial":
        read = joined(read, h, nodes, of_source)
    h = norm(layer.source_residual.norm, h + read)
    if nodes is not None and settings.architecture == "serial":
        h = joined(h, h, nodes, of_source)
    return norm(layer.feed_forward_residual.norm, h + layer.feed_forward(h))


def norm(module: nn.LayerNorm, x: Tensor) -> Tensor:
    centred = x - x.mean(1, keepdim=True)
    return centred / (centred.square().mean(1, keepdim=True) + module.eps).sqrt() * module.weight + module.bias


def sentence_logits(model: DocumentGraph, paragraph: Paragraph, place: int) -> Tensor:
    """Logits [T, V] of a sentence of a paragraph; ``model`` has layer normalisation after each sublayer."""
    graphs = paragraph.structure
    sides = {side: seen_nodes(model, each, side, graphs.first + place) for side, each in graphs.sides.items()}
    source, draft = sides["source"], sides.get("target")
    ids = [BEGIN, *paragraph.source[place], END], [BEGIN, *paragraph.target[place]]
    x, y = (
        embedding.states(torch.tensor(each), torch.arange(len(each)))
        for each, embedding in zip(ids, (model.source_embedding, model.target_embedding))
    )
    for layer in model.encoder_layers:
        assert isinstance(layer, GraphEncoderLayer)
        x = encoder_layer(layer, x, source, model.settings.architecture)
    for layer in model.decoder_layers:
        assert isinstance(layer, GraphDecoderLayer)
        y = decoder_layer(layer, y, x, source, draft if model.settings.target_graph != "none" else None, model)
    return model.logits(y)
