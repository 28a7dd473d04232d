"""Each system with context against its paper's equations, word by word in double precision."""

from collections.abc import Callable, Sequence
from typing import Any, cast

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

from discourse_nmt.base.vocabulary import BEGIN, END
from discourse_nmt.corpus.address.forms import form_in, says_you
from discourse_nmt.models.context.continuous_cache import ContinuousCache
from discourse_nmt.models.context.doc_transformer import ContextSublayer, DocTransformer
from discourse_nmt.models.context.han import EarlierSentencesBlock, Han
from discourse_nmt.models.context.hm_gdc import HmGdc
from discourse_nmt.models.context.host import ContextTransformer
from discourse_nmt.models.context.inference import Paragraph
from discourse_nmt.models.context.remembered_words import remembered_words
from discourse_nmt.models.context.side_constraint import SideConstraint
from discourse_nmt.models.core.layers import Memory
from discourse_nmt.models.core.transformer import Transformer
from tests.unit.models.context.context_examples import PARAGRAPHS, WORDS, logits, network, paragraph, sentence_model

Reference = Callable[[Any, Paragraph], list[Tensor]]
TEXTS = [*PARAGRAPHS, paragraph([9, 2, 8, 6, 2, 7], 9, size=9)]  # the last one repeats its few words


def attend(attention: Any, query: Tensor, keys: Sequence[Tensor], values: Sequence[Tensor]) -> Tensor:
    """Multi-head attention of one query [d] to keys and values [d], head by head."""
    width, heads = attention.width, attention.heads
    size = width // heads
    maps = [
        (
            attention.projection.weight[part * width : (part + 1) * width],
            attention.projection.bias[part * width :][:width],
        )
        for part in range(3)
    ]
    q, ks, vs = (F.linear(torch.stack(list(x)), *maps[part]) for part, x in enumerate(([query], keys, values)))
    found = []
    for head in range(heads):
        part = slice(head * size, (head + 1) * size)
        weights = torch.softmax(ks[:, part] @ q[0, part] / size**0.5, dim=0)
        found.append(weights @ vs[:, part])
    return cast(Tensor, attention.output(torch.cat(found)))


def encoded(stage_1: Transformer, ids: Sequence[int]) -> Tensor:
    return stage_1.encode(torch.tensor([[BEGIN, *ids, END]])).states[0]


def decoded(stage_1: Transformer, states: Tensor, target: Sequence[int]) -> Tensor:
    memory = Memory(states[None], torch.zeros(1, len(states), dtype=torch.bool))
    return stage_1.decode(torch.tensor([[BEGIN, *target]]), memory)[0]


def block(module: EarlierSentencesBlock, states: Tensor, earlier: Sequence[Tensor]) -> Tensor:
    """HAN, equations 4 to 8, for every word."""
    if not earlier:
        return states
    found = []
    for h in states:
        word_query = module.word_query_norm(h)
        s = [module.word_norm(attend(module.word_attention, word_query, [*H], [*H])) for H in earlier]
        d = attend(module.sentence_attention, module.sentence_query_norm(h), s, s)
        d = d + module.feed_forward(module.residual.norm(d))
        gate = torch.sigmoid(module.gate.weight @ torch.cat((h, d)) + module.gate.bias)
        found.append(gate * h + (1 - gate) * d)
    return torch.stack(found)


def han(model: Han, one: Paragraph) -> list[Tensor]:
    stage_1, count = sentence_model(model), model.settings.sentences
    sources = [encoded(stage_1, ids) for ids in one.source]
    outputs, tops = [], []
    for place, (states, ids) in enumerate(zip(sources, one.target)):
        seen = range(max(0, place - count), place)
        if model.encoder_block is not None:
            states = block(model.encoder_block, states, [sources[j] for j in seen])
        tops.append(decoded(stage_1, states, ids))
        outputs.append(tops[-1])
        if model.decoder_block is not None:
            outputs[-1] = block(model.decoder_block, tops[-1], [tops[j] for j in seen])
    return outputs


def doc_transformer(model: DocTransformer, one: Paragraph) -> list[Tensor]:
    post = model.settings.norm == "post"

    def sublayer(module: ContextSublayer, states: Tensor, context: Tensor | None) -> Tensor:
        if context is None:
            return states
        found = []
        for x in states:
            y = attend(module.attention, x if post else module.norm(x), [*context], [*context])
            gate = torch.sigmoid(module.gate.weight @ torch.cat((x, y)))
            z = gate * x + (1 - gate) * y
            found.append(module.norm(z) if post else z)
        return torch.stack(found)

    def residual(module: Any, states: Tensor, function: Callable[..., Tensor], *more: Any) -> Tensor:
        x = (states if post else module.norm(states))[None]
        return module.norm(states + function(x, *more)[0]) if post else states + function(x, *more)[0]

    def embedded(ids: list[int], embedding: Any) -> Tensor:
        return cast(Tensor, embedding.states(torch.tensor(ids), torch.arange(len(ids))))

    outputs = []
    for place, (source, target) in enumerate(zip(one.source, one.target)):
        earlier = one.source[max(0, place - model.settings.sentences) : place]
        text = [symbol for ids in earlier for symbol in (BEGIN, *ids, END)]
        context = embedded(text, model.source_embedding)[None] if text else None
        for plain in model.context_layers if context is not None else []:
            context = plain(context, torch.ones(1, 1, 1, len(text), dtype=torch.bool))
        context = None if context is None else model.context_norm(context)[0]
        states = embedded([BEGIN, *source, END], model.source_embedding)
        for module in model.encoder_layers:
            layer = cast(Any, module)
            states = residual(layer.attention_residual, states, layer.attention.to_itself)
            states = sublayer(layer.context, states, context)
            states = residual(layer.feed_forward_residual, states, layer.feed_forward)
        memory = model.encoder_norm(states)
        states = embedded([BEGIN, *target], model.target_embedding)
        for module in model.decoder_layers:
            layer = cast(Any, module)
            states = residual(layer.attention_residual, states, layer.attention.to_itself, None, True)
            states = sublayer(layer.context, states, context)
            states = residual(layer.source_residual, states, layer.source_attention.to_memory, memory[None])
            states = residual(layer.feed_forward_residual, states, layer.feed_forward)
        outputs.append(model.decoder_norm(states))
    return outputs


def continuous_cache(model: ContinuousCache, one: Paragraph) -> list[Tensor]:
    """The cache as a list of (word, key, value), the one used longest ago first, updated word by word."""
    stage_1 = sentence_model(model)
    top: list[Tensor] = []
    attention = cast(Any, stage_1.decoder_layers[-1]).source_attention
    whole = attention.to_memory

    def kept(*arguments: Any) -> Tensor:
        top.append(whole(*arguments))
        return top[-1]

    attention.to_memory = kept
    cache: list[tuple[int, Tensor, Tensor]] = []
    outputs = []
    for source, target in zip(one.source, one.target):
        states = decoded(stage_1, encoded(stage_1, source), target)
        contexts = top[-1][0]
        found = []
        for s, c in zip(states, contexts):
            if not cache:
                found.append(s)
                continue
            keys, values = [key for _, key, _ in cache], [value for _, _, value in cache]
            if model.reading is None:
                m = torch.softmax(torch.stack(keys) @ c, dim=0) @ torch.stack(values)
            else:
                m = attend(model.reading, c, keys, values)
            gate = torch.sigmoid(model.gate.weight @ torch.cat((s, c, m)) + model.gate.bias)
            found.append((1 - gate) * s + gate * m)
        outputs.append(torch.stack(found))
        for word, s, c in zip(target, states, contexts):
            stored = [entry for entry in cache if entry[0] == word]
            if stored:
                cache.remove(stored[0])
                c, s = (stored[0][1] + c) / 2, (stored[0][2] + s) / 2
            elif len(cache) == model.settings.size:
                cache.pop(0)
            cache.append((word, c, s))
    return outputs


def hm_gdc(model: HmGdc, one: Paragraph) -> list[Tensor]:
    stage_1 = sentence_model(model)
    sources = [encoded(stage_1, ids) for ids in one.source]
    top = cast(Any, model.encoder_layers[-1]).attention
    vectors = torch.stack([sum((attend(top, h, [*H], [*H]) for h in H), torch.zeros(16)) for H in sources])
    outputs = []
    for place, (states, target) in enumerate(zip(sources, one.target)):
        # An earlier sentence sees no later one online, so the vectors up to this one are its document.
        document = vectors if model.settings.context == "offline" else vectors[: place + 1]
        mask = torch.ones(1, 1, len(document), len(document), dtype=torch.bool)
        H = document[None]  # noqa: N806
        for layer in model.encoder_layers:
            H = layer(H, mask if model.settings.context == "offline" else mask.tril())  # noqa: N806
        H = model.encoder_norm(H)[0]  # noqa: N806
        memory = torch.stack([h + attend(model.distribution, h, [*H], [*H]) for h in states])
        states = model.target_embedding.states(torch.tensor([BEGIN, *target]), torch.arange(len(target) + 1))
        for module in model.decoder_layers:
            layer = cast(Any, module)
            T = layer.attention_residual.norm(states + layer.attention.to_itself(states[None], causal=True)[0])  # noqa: N806
            E = torch.stack([attend(layer.source_attention, t, [*memory], [*memory]) for t in T])  # noqa: N806
            G = torch.stack([attend(layer.document_attention, t, [*H], [*H]) for t in T])  # noqa: N806
            states = layer.source_residual.norm(T + E + G)
            states = layer.feed_forward_residual.norm(states + layer.feed_forward(states))
        outputs.append(states)
    return outputs


def side_constraint(model: SideConstraint, one: Paragraph) -> list[Tensor]:
    """The forms of the references as a list, read from its end."""
    stage_1 = sentence_model(model)
    outputs: list[Tensor] = []
    forms: list[str | None] = []
    for source, target in zip(one.source, one.target):
        states = decoded(stage_1, encoded(stage_1, source), target)
        known = [form for form in forms[-model.settings.sentences :] if form is not None]
        kept = known[-1] if known and says_you(WORDS.text(source)) else None
        constraint = torch.tensor([float(form == kept) for form in ("du", "ihr")])
        outputs.append(torch.cat((states, constraint.expand(len(states), 2)), dim=1))
        forms.append(form_in(WORDS.text(target), "de") if says_you(WORDS.text(source)) else None)
    return outputs


@pytest.mark.parametrize(
    ("reference", "switches"),
    [
        (han, {}),
        (han, {"place": "encoder", "sentences": 1}),
        (han, {"place": "decoder", "sentences": 2, "context_hidden": 8}),
        (doc_transformer, {}),
        (doc_transformer, {"sentences": 3, "context_layers": 2, "norm": "pre"}),
        (continuous_cache, {}),
        (continuous_cache, {"size": 3}),
        (continuous_cache, {"size": 5, "projections": False, "context_gradient": True}),
        (hm_gdc, {}),
        (hm_gdc, {"context": "online"}),
        (side_constraint, {}),
        (side_constraint, {"sentences": 1, "norm": "pre"}),
    ],
    ids=lambda value: getattr(value, "__name__", str(value)),
)
def test_it_is_what_the_paper_says(reference: Reference, switches: dict[str, Any]) -> None:
    torch.set_default_dtype(torch.float64)
    try:
        model: ContextTransformer = network(reference.__name__, **switches)
        with torch.no_grad():
            for one, found in zip(TEXTS, logits(model, TEXTS), strict=True):
                for states, output in zip(reference(model, one), found, strict=True):
                    torch.testing.assert_close(output, model.logits(states), atol=1e-6, rtol=0)
    finally:
        torch.set_default_dtype(torch.float32)


def test_words_of_a_small_cache_by_hand() -> None:
    """Two entries: a a b | c a. The first sentence's a is a mean, c takes its place, and a enters again, for b."""
    a, b, c = 6, 7, 8
    ids = [[BEGIN, a, a, b], [BEGIN, c, a, 0]]
    previous, levels, entries = remembered_words(ids, [[], [0], [1, 0]], 2)
    assert previous == {1: 0}
    assert levels == [[1]]
    assert entries == [[1, 2], [4, 5]]


def test_a_word_that_stays_is_a_mean_of_all_its_uses() -> None:
    """With weights 1/4, 1/4, 1/2, across sentences."""
    previous, levels, entries = remembered_words([[BEGIN, 6, 6, 0], [BEGIN, 7, 6, 0]], [[1, 0]], 3)
    assert previous == {1: 0, 5: 1}
    assert levels == [[1], [5]]
    assert entries == [[1, -1, -1], [4, 5, -1]]
