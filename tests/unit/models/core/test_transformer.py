"""The Transformer: parity with torch's layers, parameter counts, and what may depend on what."""

from collections.abc import Callable
from typing import Any, Literal

import pytest
import torch
from torch import Tensor, nn

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.vocabulary import BEGIN, END, MASK, PAD, SPECIALS
from discourse_nmt.models.attention.multi_head import MultiHeadAttention
from discourse_nmt.models.core.layers import (
    Memory,
    SentenceDecoderLayer,
    SentenceEncoderLayer,
)
from discourse_nmt.models.core.transformer import Transformer
from discourse_nmt.models.sublayers.parts import FeedForward
from discourse_nmt.models.switches.transformer import TransformerSettings

SMALL: dict[str, Any] = {
    "width": 16,
    "heads": 2,
    "feed_forward_width": 32,
    "encoder_layers": 2,
    "decoder_layers": 2,
}
SIZE = 40


def make(**changes: Any) -> Transformer:
    torch.manual_seed(7)
    return Transformer(TransformerSettings(**{**SMALL, **changes}), SIZE, SIZE, True).eval()


def sentences(lengths: list[int], seed: int = 1) -> Tensor:
    """Padded ids of random sentences, with sentence marks."""
    generator = torch.Generator().manual_seed(seed)
    rows = []
    for length in lengths:
        ids = torch.randint(len(SPECIALS), SIZE, (length,), generator=generator)
        rows.append(torch.cat((torch.tensor([BEGIN]), ids, torch.tensor([END]))))
    return nn.utils.rnn.pad_sequence(rows, batch_first=True, padding_value=PAD)


def randomise(module: nn.Module) -> None:
    """Make every parameter matter: norms and biases are 1 and 0 at the start."""
    for parameter in module.parameters():
        nn.init.normal_(parameter, std=0.3)


def copy_attention(own: MultiHeadAttention, other: nn.MultiheadAttention) -> None:
    other.in_proj_weight.data.copy_(own.projection.weight)
    other.in_proj_bias.data.copy_(own.projection.bias)
    other.out_proj.load_state_dict(own.output.state_dict())


def copy_feed_forward(own: FeedForward, other: Any) -> None:
    other.linear1.load_state_dict(own.expand.state_dict())
    other.linear2.load_state_dict(own.contract.state_dict())


@pytest.mark.parametrize("norm", ["post", "pre"])
@pytest.mark.parametrize("activation", ["relu", "gelu"])
def test_layers_equal_those_of_torch(norm: Literal["post", "pre"], activation: Literal["relu", "gelu"]) -> None:
    settings = TransformerSettings(**SMALL, norm=norm, activation=activation, dropout=0.0)
    torch.manual_seed(3)
    encoder: SentenceEncoderLayer[None] = SentenceEncoderLayer(settings)
    decoder = SentenceDecoderLayer(settings)
    randomise(encoder)
    randomise(decoder)
    arguments = (16, 2, 32, 0.0, activation)
    other_encoder = nn.TransformerEncoderLayer(*arguments, batch_first=True, norm_first=norm == "pre")
    other_decoder = nn.TransformerDecoderLayer(*arguments, batch_first=True, norm_first=norm == "pre")
    for own, other in ((encoder, other_encoder), (decoder, other_decoder)):
        copy_attention(own.attention, other.self_attn)
        copy_feed_forward(own.feed_forward, other)
        other.norm1.load_state_dict(own.attention_residual.norm.state_dict())
    other_encoder.norm2.load_state_dict(encoder.feed_forward_residual.norm.state_dict())
    copy_attention(decoder.source_attention, other_decoder.multihead_attn)
    other_decoder.norm2.load_state_dict(decoder.source_residual.norm.state_dict())
    other_decoder.norm3.load_state_dict(decoder.feed_forward_residual.norm.state_dict())

    source, target = torch.randn(3, 6, 16, requires_grad=True), torch.randn(3, 5, 16)
    padding = torch.arange(6) >= torch.tensor([6, 4, 2])[:, None]
    causal = nn.Transformer.generate_square_subsequent_mask(5)
    ours = encoder(source, ~padding[:, None, None])
    torchs = other_encoder(source, src_key_padding_mask=padding)
    assert torch.allclose(ours[~padding], torchs[~padding], atol=1e-5)
    gradients = [torch.autograd.grad(out[~padding].square().sum(), source)[0] for out in (ours, torchs)]
    assert torch.allclose(gradients[0], gradients[1], rtol=1e-4, atol=1e-4)

    memory = source.detach()
    assert torch.allclose(
        decoder(target, Memory(memory, padding), None),
        other_decoder(target, memory, tgt_mask=causal, memory_key_padding_mask=padding),
        atol=1e-5,
    )


def test_parameters_of_the_base_can_be_counted() -> None:
    """Vaswani et al.: attention 4 (d² + d), feed-forward 2 d d_ff + d_ff + d, norm 2 d, embeddings V d."""
    d, hidden, source, target = 512, 2048, 1000, 1200
    attention, feed_forward, norm = 4 * (d * d + d), 2 * d * hidden + hidden + d, 2 * d
    layers = 6 * (attention + feed_forward + 2 * norm) + 6 * (2 * attention + feed_forward + 3 * norm)

    def count(sizes: tuple[int, int], shared: bool, **changes: Any) -> int:
        with torch.device("meta"):
            model = Transformer(TransformerSettings(**changes), *sizes, shared)
        return sum(p.numel() for p in model.parameters())

    assert count((source, source), True) == layers + source * d == 44_138_496 + 512_000
    assert count((source, target), False) == layers + (source + target) * d
    assert count((source, target), False, tie_output=False) == layers + (source + 2 * target) * d
    assert count((source, source), True, tie_source_target=False) == layers + 2 * source * d
    assert count((source, source), True, norm="pre") == layers + source * d + 2 * norm


def test_embeddings_are_scaled_and_start_at_unit_variance() -> None:
    model = Transformer(TransformerSettings(**{**SMALL, "width": 256}), 500, 500, True).eval()
    ids = torch.arange(500)[None]
    assert (model.target_embedding.weight.std() * 16).item() == pytest.approx(1.0, abs=0.02)
    difference = model.embed(ids, model.target_embedding) - model.embed(ids * 0, model.target_embedding)
    expected = 16 * (model.target_embedding.weight - model.target_embedding.weight[0])
    assert torch.allclose(difference[0], expected, atol=1e-5)


@pytest.mark.parametrize("changes", [{}, {"norm": "pre"}, {"tie_output": False, "tie_source_target": False}])
def test_every_parameter_gets_a_gradient(changes: dict[str, Any]) -> None:
    model = make(**changes).train()
    randomise(model)
    source, target = sentences([5, 3, 8]), sentences([4, 6, 2], seed=2)
    wanted = target[:, 1:] != PAD
    logits = model(source, target[:, :-1], wanted)
    nn.functional.cross_entropy(logits, target[:, 1:][wanted]).backward()
    for name, parameter in model.named_parameters():
        assert parameter.grad is not None and parameter.grad.abs().sum() > 0, name


def test_wanted_positions_are_those_of_all_logits() -> None:
    model = make()
    source, target = sentences([5, 3]), sentences([4, 6])[:, :-1]
    wanted = target != PAD
    assert torch.allclose(model(source, target, wanted), model(source, target)[wanted], atol=1e-6)


@pytest.mark.parametrize("norm", ["post", "pre"])
def test_nothing_leaks_from_the_future_or_from_padding(norm: str) -> None:
    model = make(norm=norm)
    source, target = sentences([5, 3]), sentences([6, 6], seed=2)[:, :-1]
    before = model(source, target)
    changed = target.clone()
    changed[:, 4] = (target[:, 4] + 1 - len(SPECIALS)) % (SIZE - len(SPECIALS)) + len(SPECIALS)
    after = model(source, changed)
    assert torch.equal(before[:, :4], after[:, :4])
    assert not torch.allclose(before[:, 4:], after[:, 4:])
    # Gradients: the shorter source's padding and later target positions have none.
    embedded = model.embed(source, model.source_embedding).detach().requires_grad_()
    states = embedded
    for layer in model.encoder_layers:
        states = layer(states, (source != PAD)[:, None, None])
    model.logits(model.decode(target, Memory(states, source == PAD))).sum().backward()
    assert embedded.grad is not None
    assert not embedded.grad[source == PAD].any() and embedded.grad[source != PAD].any()


@pytest.mark.parametrize("norm", ["post", "pre"])
def test_a_sentence_does_not_depend_on_its_batch(norm: str) -> None:
    model = make(norm=norm)
    source, target = sentences([5, 9, 1]), sentences([7, 3, 12], seed=2)[:, :-1]
    together = model(source, target)
    for row, (s, t) in enumerate([(7, 8), (11, 4), (3, 13)]):
        alone = model(source[row : row + 1, :s], target[row : row + 1, :t])
        assert torch.allclose(together[row, :t], alone[0], atol=1e-5)


def test_sentences_of_similar_length_are_encoded_together() -> None:
    """With little padding, and as all at once."""
    network, source = make(), sentences([90, 3, 80, 3, 4])
    read: list[int] = []
    handle = network.encoder_layers[0].register_forward_hook(lambda _, given, __: read.append(given[0][..., 0].numel()))
    with torch.no_grad():
        groups, whole = network.encode_in_groups(source), network.encode(source)
    handle.remove()
    assert sorted(read) == [3 * 6, 2 * 92, 5 * 92]
    assert torch.equal(groups.padding, whole.padding)
    torch.testing.assert_close(groups.states[~whole.padding], whole.states[~whole.padding], rtol=1e-4, atol=1e-5)


def test_word_dropout_masks_ordinary_input_in_training_only() -> None:
    model, clean = make(word_dropout=0.5, dropout=0.0), make(dropout=0.0)
    ids = sentences([200, 100])
    ordinary = ids >= len(SPECIALS)
    table = model.source_embedding
    assert torch.equal(model.embed(ids, table), clean.embed(ids, table))
    model.train()
    torch.manual_seed(1)
    differing = (model.embed(ids, table) != clean.embed(ids, table)).any(-1)
    assert not differing[~ordinary].any()
    assert differing[ordinary].float().mean().item() == pytest.approx(0.5, abs=0.1)
    model.word_dropout = 1.0
    assert torch.equal(model.embed(ids, table), clean.embed(ids.masked_fill(ordinary, MASK), table))


def test_positions_shift_in_training_only_by_a_draw_of_each_sentence_and_side() -> None:
    model, largest = make(position_shift=3, dropout=0.0), 3
    ids = sentences([5] * 400)
    table = model.source_embedding
    columns = torch.arange(7)
    assert torch.equal(model.embed(ids, table), table.states(ids, columns))
    model.train()
    torch.manual_seed(1)
    shifts = [shifts_of(model.embed(ids, table, given), table.states, ids, largest) for given in (columns, None)]
    assert [set(drawn) for drawn in shifts] == [{0, 1, 2, 3}] * 2
    assert all(80 < drawn.count(shift) < 120 for drawn in shifts for shift in range(4))
    assert 80 < sum(one == other for one, other in zip(*shifts)) < 120


def test_a_shift_beyond_all_learned_positions_is_refused() -> None:
    make(positions="learned", max_positions=9, position_shift=8)
    with pytest.raises(InputError, match="position_shift is 9, max_positions is 9"):
        make(positions="learned", max_positions=9, position_shift=9)


def shifts_of(found: Tensor, states: Callable[[Tensor, Tensor], Tensor], ids: Tensor, largest: int) -> list[int]:
    """The shift of each row of ``found`` [B, T, d]; the positions of a row keep their distances."""
    columns = torch.arange(ids.shape[1])
    shifted = torch.stack([states(ids, columns + shift) for shift in range(largest + 1)])
    same = torch.isclose(found, shifted, atol=1e-6).flatten(2).all(-1)
    assert (same.sum(0) == 1).all()
    return same.int().argmax(0).tolist()


def test_initialisation_depends_on_the_seed_alone() -> None:
    first, second = make().state_dict(), make().state_dict()
    assert all(torch.equal(first[name], second[name]) for name in first)


@pytest.mark.parametrize("norm", ["post", "pre"])
def test_a_small_model_learns_to_copy(norm: str) -> None:
    model = make(norm=norm, width=32, dropout=0.0).train()
    optimiser = torch.optim.Adam(model.parameters(), lr=3e-3)
    ids = sentences([4] * 16)
    for _ in range(150):
        loss = nn.functional.cross_entropy(model(ids, ids[:, :-1]).flatten(0, 1), ids[:, 1:].flatten())
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    assert loss.item() < 0.05
