"""Checkpoints of mBART (Liu et al. 2020) and BART (Lewis et al. 2020), as Hugging Face's transformers writes them.

A directory holds ``config.json`` and ``model.safetensors`` or ``pytorch_model.bin``. Encoder and decoder are those of
:mod:`.core.transformer`. mBART has layer normalisation before each block and after the last, BART after each residual
sum. Both have learned positions and normalised embeddings, shared by both sides and the output.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from discourse_nmt.corpus.errors import InputError
from discourse_nmt.corpus.settings import nearest, parse_settings
from discourse_nmt.corpus.storage.files import read_json
from discourse_nmt.models.switches.transformer import TransformerSettings
from discourse_nmt.models.systems import build
from discourse_nmt.training.checkpoints.model_files import fill, read_tensors, tensors_of

NORMS = {"mbart": "pre", "bart": "post"}
UNUSED_POSITIONS = 2  # rows before position 0, reserved by fairseq for its padding symbol
SHARED = ("shared.weight", "encoder.embed_tokens.weight", "decoder.embed_tokens.weight", "lm_head.weight")
SIDES = {"source": "encoder", "target": "decoder"}
PARTS = {
    "attention.projection": ("self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj"),
    "attention.output": ("self_attn.out_proj",),
    "attention_residual.norm": ("self_attn_layer_norm",),
    "source_attention.projection": ("encoder_attn.q_proj", "encoder_attn.k_proj", "encoder_attn.v_proj"),
    "source_attention.output": ("encoder_attn.out_proj",),
    "source_residual.norm": ("encoder_attn_layer_norm",),
    "feed_forward.expand": ("fc1",),
    "feed_forward.contract": ("fc2",),
    "feed_forward_residual.norm": ("final_layer_norm",),
}


@dataclass(frozen=True)
class Pretrained:
    """A checkpoint: the switches of its network, and its tensors by Hugging Face's names without ``model.``."""

    path: Path
    settings: TransformerSettings
    tensors: dict[str, Tensor]

    @property
    def embeddings(self) -> Tensor:
        """The embeddings of both sides and of the output, [V, d]."""
        return next(self.tensors[name] for name in SHARED if name in self.tensors)

    def check_symbols(self, rows: Mapping[str, int]) -> None:
        """Raise :class:`InputError` where the ``rows`` of the subwords do not fit the number of embeddings."""
        expected = max(rows.values()) + 1
        if expected != len(self.embeddings):
            raise InputError(
                f"it has {len(self.embeddings)} embeddings, its subwords make {expected} symbols",
                file=self.path,
                remedy="a checkpoint of mBART-25 or BART with its own files is needed",
            )


def read_pretrained(directory: str | Path) -> Pretrained:
    """Read a checkpoint; :class:`InputError` for anything but a complete mBART or BART with tied embeddings."""
    directory = Path(directory)
    settings = network_settings(read_json(directory / "config.json"), directory / "config.json")
    path, tensors = _read_weights(directory)
    pretrained = Pretrained(path, settings, {name.removeprefix("model."): tensor for name, tensor in tensors.items()})
    _check_embeddings(pretrained)
    return pretrained


def network_settings(config: Any, path: Path) -> TransformerSettings:
    """The switches of the network in a ``config.json``."""
    kind = config.get("model_type") if isinstance(config, dict) else None
    if kind not in NORMS:
        raise InputError(f"model_type is {kind}", file=path, remedy=nearest(str(kind), NORMS))
    values = {
        "width": _entry(config, path, "d_model"),
        "encoder_layers": _entry(config, path, "encoder_layers"),
        "decoder_layers": _entry(config, path, "decoder_layers"),
        "heads": _entry(config, path, "encoder_attention_heads", "decoder_attention_heads"),
        "feed_forward_width": _entry(config, path, "encoder_ffn_dim", "decoder_ffn_dim"),
        "max_positions": _entry(config, path, "max_position_embeddings"),
        "activation": _entry(config, path, "activation_function"),
        "embedding_scale": config.get("scale_embedding", False),
        **{name: config.get(name, 0.0) for name in ("dropout", "attention_dropout", "activation_dropout")},
        "norm": NORMS[kind],
        "positions": "learned",
        "embedding_norm": True,
    }
    return parse_settings(TransformerSettings, values, str(path))


def sentence_model(pretrained: Pretrained, source: Sequence[int], target: Sequence[int], shared: bool) -> nn.Module:
    """The sentence Transformer with the checkpoint's weights.

    ``source`` and ``target`` give, for each symbol of a side's vocabulary, its row in the checkpoint's embeddings;
    ``shared`` says that both sides have one vocabulary, whose rows are then ``target``'s.
    """
    network = build("transformer", vars(pretrained.settings), len(source), len(target), shared)
    own = tensors_of(network)
    rows = {"source_embedding.weight": source, "target_embedding.weight": target}
    origins = {name: _origins(name) for name in own if name not in rows}
    _check_names(pretrained, {origin for names in origins.values() for origin in names})
    converted = {name: pretrained.embeddings[list(rows[name])] for name in rows if name in own}
    for name, names in origins.items():
        parts = [pretrained.tensors[origin] for origin in names]
        converted[name] = parts[0][UNUSED_POSITIONS:] if ".encoding." in name else torch.cat(parts)
    fill(network, converted, pretrained.path)
    return network


def _origins(name: str) -> list[str]:
    """Hugging Face's names of the tensors that are concatenated to the parameter ``name``."""
    if match := re.fullmatch(r"(source|target)_embedding\.(encoding|norm)\.(\w+)", name):
        side, part, kind = match.groups()
        return [f"{SIDES[side]}.{'embed_positions' if part == 'encoding' else 'layernorm_embedding'}.{kind}"]
    if match := re.fullmatch(r"(encoder|decoder)_norm\.(\w+)", name):
        return [f"{match[1]}.layer_norm.{match[2]}"]
    match = re.fullmatch(r"(encoder|decoder)_layers\.(\d+)\.(.+)\.(\w+)", name)
    assert match, name
    stack, layer, part, kind = match.groups()
    return [f"{stack}.layers.{layer}.{origin}.{kind}" for origin in PARTS[part]]


def _entry(config: Mapping[str, Any], path: Path, *names: str) -> Any:
    """The common value of the entries ``names``."""
    values = [config.get(name) for name in names]
    if None in values:
        raise InputError(f"no {names[values.index(None)]}", file=path)
    if len(set(values)) > 1:
        raise InputError(f"{' and '.join(names)} differ", file=path, remedy="encoder and decoder must be of one size")
    return values[0]


def _read_weights(directory: Path) -> tuple[Path, dict[str, Tensor]]:
    path = directory / "model.safetensors"
    if path.exists():
        return path, read_tensors(path)[0]
    path = directory / "pytorch_model.bin"
    if not path.exists():
        raise InputError("no model.safetensors and no pytorch_model.bin", file=directory)
    try:
        tensors = torch.load(path, map_location="cpu", weights_only=True)
    except Exception as error:  # it raises the exceptions of zip files, of pickles and of its own
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        raise InputError(f"not a readable checkpoint ({reason})", file=path, remedy="get it again") from None
    if not isinstance(tensors, dict) or not all(isinstance(tensor, Tensor) for tensor in tensors.values()):
        raise InputError("not a checkpoint: it holds other things than tensors", file=path)
    return path, tensors


def _check_embeddings(pretrained: Pretrained) -> None:
    tensors = pretrained.tensors
    if not any(name in tensors for name in SHARED):
        raise InputError(f"it has no tensor {SHARED[0]}", file=pretrained.path)
    for name in SHARED:
        if name in tensors and not torch.equal(tensors[name], pretrained.embeddings):
            raise InputError(f"{name} differs from the shared embeddings", file=pretrained.path)
    bias = tensors.get("final_logits_bias")
    if bias is not None and bias.count_nonzero():
        raise InputError("final_logits_bias is not zero", file=pretrained.path, remedy="such models are not supported")


def _check_names(pretrained: Pretrained, expected: set[str]) -> None:
    """Raise :class:`InputError` where encoder and decoder do not have exactly the ``expected`` tensors."""
    present = {name for name in pretrained.tensors if name.startswith(("encoder.", "decoder."))} - set(SHARED)
    for names, what in (
        (expected - present, "it has no tensor"),
        (present - expected, "config.json does not describe"),
    ):
        if names:
            raise InputError(f"{what} {min(names)}", file=pretrained.path)
