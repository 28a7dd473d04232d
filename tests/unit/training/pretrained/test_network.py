"""Import of mBART and BART checkpoints: equal to a literal forward pass of theirs, and one line for unfit ones."""

import math
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.vocabulary import PAD
from discourse_nmt.models.core.transformer import Transformer
from discourse_nmt.models.switches.transformer import TransformerSettings
from discourse_nmt.training.checkpoints.pretrained import read_pretrained, sentence_model
from tests.unit.training.pretrained.pretrained_checkpoints import config_of, random_tensors, write_checkpoint

Weights = Mapping[str, Tensor]
ROWS = [1, 0, 2, 3, 30, 2, 2, *range(4, 30)]  # the checkpoint's row of each of 33 symbols


def norm(weights: Weights, name: str, states: Tensor) -> Tensor:
    return F.layer_norm(states, states.shape[-1:], weights[f"{name}.weight"], weights[f"{name}.bias"])


def linear(weights: Weights, name: str, states: Tensor) -> Tensor:
    return states @ weights[f"{name}.weight"].T + weights[f"{name}.bias"]


def attention(weights: Weights, name: str, heads: int, query: Tensor, memory: Tensor, allowed: Tensor) -> Tensor:
    """Multi-head attention, one head after the other; ``allowed`` [B, Q, K]."""
    mixed = []
    parts = [linear(weights, f"{name}.{part}_proj", states) for part, states in zip("qkv", (query, memory, memory))]
    for q, k, v in zip(*(part.chunk(heads, dim=-1) for part in parts)):
        scores = (q @ k.transpose(1, 2) / math.sqrt(q.shape[-1])).masked_fill(~allowed, -math.inf)
        mixed.append(scores.softmax(-1) @ v)
    return linear(weights, f"{name}.out_proj", torch.cat(mixed, dim=-1))


def stack(weights: Weights, config: Mapping[str, Any], name: str, ids: Tensor, blocks: list[tuple[str, Any]]) -> Tensor:
    """States of an encoder or a decoder; ``blocks`` are its attentions: name, memory (None: itself), mask."""
    scale = math.sqrt(config["d_model"]) if config["scale_embedding"] else 1.0
    positions = weights[f"{name}.embed_positions.weight"][2 : 2 + ids.shape[1]]
    states = norm(weights, f"{name}.layernorm_embedding", weights["shared.weight"][ids] * scale + positions)
    before = config["model_type"] == "mbart"

    def residual(states: Tensor, place: str, block: Callable[[Tensor], Tensor]) -> Tensor:
        if before:
            return states + block(norm(weights, place, states))
        return norm(weights, place, states + block(states))

    def attended(states: Tensor, place: str, memory: Tensor | None, allowed: Tensor) -> Tensor:
        heads = config["encoder_attention_heads"]
        return attention(weights, place, heads, states, states if memory is None else memory, allowed)

    def fed_forward(states: Tensor, place: str) -> Tensor:
        return linear(weights, f"{place}.fc2", F.gelu(linear(weights, f"{place}.fc1", states)))

    for layer in range(config[f"{name}_layers"]):
        place = f"{name}.layers.{layer}"
        for block, (memory, allowed) in blocks:
            part = partial(attended, place=f"{place}.{block}", memory=memory, allowed=allowed)
            states = residual(states, f"{place}.{block}_layer_norm", part)
        states = residual(states, f"{place}.final_layer_norm", partial(fed_forward, place=place))
    return norm(weights, f"{name}.layer_norm", states) if before else states


def reference(weights: Weights, config: Mapping[str, Any], source: Tensor, present: Tensor, target: Tensor) -> Tensor:
    """Logits [B, T, V] of mBART or BART; ``source`` [B, S] and ``target`` [B, T] are rows of the embeddings."""
    length = target.shape[1]
    causal = torch.ones(length, length, dtype=torch.bool).tril().expand(len(target), -1, -1)
    allowed = present[:, None].expand(-1, source.shape[1], -1)
    memory = stack(weights, config, "encoder", source, [("self_attn", (None, allowed))])
    across = present[:, None].expand(-1, length, -1)
    blocks = [("self_attn", (None, causal)), ("encoder_attn", (memory, across))]
    return stack(weights, config, "decoder", target, blocks) @ weights["shared.weight"].T


@pytest.mark.parametrize("kind", ["mbart", "bart"])
@pytest.mark.parametrize("old", [False, True])
def test_logits_are_those_of_the_checkpoint(tmp_path: Path, kind: str, old: bool) -> None:
    tensors = write_checkpoint(tmp_path, kind, old=old)
    network = sentence_model(read_pretrained(tmp_path), ROWS, ROWS, shared=True).eval()
    generator = torch.Generator().manual_seed(2)
    source, target = (torch.randint(7, len(ROWS), (3, length), generator=generator) for length in (9, 7))
    source[1, 6:] = PAD
    target[:, 0] = 1
    rows = torch.tensor(ROWS)
    weights = {name.removeprefix("model."): tensor for name, tensor in tensors.items()}
    with torch.no_grad():
        found = network(source, target)
        expected = reference(weights, config_of(kind), rows[source], source != PAD, rows[target])[..., rows]
    assert expected.std() > 0.5
    torch.testing.assert_close(found, expected, rtol=1e-5, atol=1e-5)


def test_rates_of_dropout_are_those_of_the_checkpoint(tmp_path: Path) -> None:
    rates: dict[str, Any] = {"dropout": 0.1, "attention_dropout": 0.2, "activation_dropout": 0.3}
    write_checkpoint(tmp_path, **rates)
    assert rates.items() <= vars(read_pretrained(tmp_path).settings).items()


def test_sides_with_a_vocabulary_each_have_their_own_rows(tmp_path: Path) -> None:
    tensors = write_checkpoint(tmp_path)
    source, target = [1, 5, 2, 3, 30, 2, 2, 9], [1, 6, 2, 3, 30, 2, 2, 8, 7]
    network = sentence_model(read_pretrained(tmp_path), source, target, shared=False)
    assert isinstance(network, Transformer)
    assert torch.equal(network.source_embedding.weight, tensors["model.shared.weight"][source])
    assert torch.equal(network.target_embedding.weight, tensors["model.shared.weight"][target])


def test_half_precision_and_copies_of_shared_tensors_are_read(tmp_path: Path) -> None:
    plain = random_tensors(config_of("mbart"))
    shared = plain.pop("model.shared.weight")
    names = ("model.encoder.embed_tokens.weight", "model.decoder.embed_tokens.weight", "lm_head.weight")
    tensors = {**plain, **{name: shared.clone() for name in names}}
    write_checkpoint(tmp_path, tensors={name: tensor.half() for name, tensor in tensors.items()})
    network = sentence_model(read_pretrained(tmp_path), ROWS, ROWS, shared=True)
    assert isinstance(network, Transformer)
    assert network.output.weight.dtype == torch.float32
    torch.testing.assert_close(network.output.weight, shared[ROWS].half().float(), rtol=0, atol=0)


def test_positions_beyond_the_table_are_told() -> None:
    settings = TransformerSettings(1, 1, 8, 8, 2, positions="learned", max_positions=4)
    network = Transformer(settings, 9, 9, True)
    network(torch.ones(1, 4, dtype=torch.int64), torch.ones(1, 4, dtype=torch.int64))
    with pytest.raises(InputError, match="position 4 is beyond the 4 that the model has learned"):
        network(torch.ones(1, 5, dtype=torch.int64), torch.ones(1, 1, dtype=torch.int64))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"model_type": "t5"}, r"config\.json: model_type is t5; .*bart"),
        ({"model_type": None}, r"config\.json: model_type is None"),
        ({"d_model": None}, r"config\.json: no d_model"),
        ({"d_model": "wide"}, "width is 'wide'"),
        ({"d_model": 10}, "width is 10, heads is 4"),
        ({"activation_function": "gelu_new"}, "activation is 'gelu_new'"),
        ({"decoder_ffn_dim": 30}, "encoder_ffn_dim and decoder_ffn_dim differ"),
        ({"encoder_layers": 4}, r"it has no tensor encoder\.layers\.3"),
        ({"encoder_layers": 2}, r"config\.json does not describe encoder\.layers\.2"),
        ({"encoder_ffn_dim": 48, "decoder_ffn_dim": 48}, "has shape"),
        ({"max_position_embeddings": 700}, "has shape"),
    ],
)
def test_a_configuration_that_does_not_fit_is_told_in_one_line(
    tmp_path: Path, changes: dict[str, Any], message: str
) -> None:
    write_checkpoint(tmp_path, **changes)
    with pytest.raises(InputError, match=message) as error:
        sentence_model(read_pretrained(tmp_path), ROWS, ROWS, shared=True)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("name", ["model.safetensors", "pytorch_model.bin"])
@pytest.mark.parametrize("length", [0, 7, 3000])
def test_truncated_weights_are_told_in_one_line(tmp_path: Path, name: str, length: int) -> None:
    write_checkpoint(tmp_path, old=name.endswith("bin"))
    (tmp_path / name).write_bytes((tmp_path / name).read_bytes()[:length])
    with pytest.raises(InputError, match=f"{name}: not a readable") as error:
        read_pretrained(tmp_path)
    assert "\n" not in str(error.value)


class Dangerous:
    """Unpickling it would write a file."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Any, ...]:
        return Path.write_text, (self.path, "done")


def test_no_code_of_a_checkpoint_runs(tmp_path: Path) -> None:
    write_checkpoint(tmp_path, old=True)
    torch.save({"shared.weight": Dangerous(tmp_path / "trace")}, tmp_path / "pytorch_model.bin")
    with pytest.raises(InputError, match=r"pytorch_model\.bin: not a readable checkpoint"):
        read_pretrained(tmp_path)
    assert not (tmp_path / "trace").exists()


def test_other_faults_are_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"config\.json: cannot be read"):
        read_pretrained(tmp_path)
    tensors = write_checkpoint(tmp_path)
    with pytest.raises(InputError, match="it has 327 embeddings, its subwords make 354 symbols"):
        read_pretrained(tmp_path).check_symbols({"<mask>": 353})
    for change, message in [
        ({"final_logits_bias": torch.ones(1, 327)}, "final_logits_bias is not zero"),
        ({"lm_head.weight": torch.ones(327, 16)}, "lm_head.weight differs from the shared embeddings"),
    ]:
        write_checkpoint(tmp_path, tensors={**tensors, **change})
        with pytest.raises(InputError, match=message):
            read_pretrained(tmp_path)
    write_checkpoint(tmp_path, tensors={"model.encoder.layer_norm.weight": torch.ones(16)})
    with pytest.raises(InputError, match=r"it has no tensor shared\.weight"):
        read_pretrained(tmp_path)
    (tmp_path / "model.safetensors").unlink()
    with pytest.raises(InputError, match=r"no file model\.safetensors or pytorch_model\.bin"):
        read_pretrained(tmp_path)
