"""Checkpoints of translation models as Hugging Face's transformers writes them: the networks, to and from.

A directory holds ``config.json`` and ``model.safetensors`` or ``pytorch_model.bin``, or either in several files with
an index. Encoder and decoder are those of
:mod:`.core.transformer`. The kinds, by their ``model_type``, are mBART (Liu et al. 2020; mBART-50: Tang et al. 2020),
BART (Lewis et al. 2020), Marian (Junczys-Dowmunt et al. 2018) and M2M-100 (Fan et al. 2021), which NLLB-200 shares.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor, nn

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.settings import nearest, parse_settings
from discourse_nmt.base.storage.files import read_json
from discourse_nmt.models.core.embeddings import UNUSED_POSITIONS
from discourse_nmt.models.switches.transformer import TransformerSettings
from discourse_nmt.models.systems import build
from discourse_nmt.text.pieces.files import weight_files
from discourse_nmt.training.checkpoints.model_files import fill, read_tensors, tensors_of

KINDS: dict[str, dict[str, object]] = {
    "mbart": {"norm": "pre", "positions": "learned", "embedding_norm": True},
    "bart": {"norm": "post", "positions": "learned", "embedding_norm": True},
    "marian": {"norm": "post", "positions": "sinusoidal_marian", "marks": "end", "output_bias": True},
    "m2m_100": {"norm": "pre", "positions": "sinusoidal_fairseq", "marks": "language", "output_bias": True},
}
"""The switches that follow from the ``model_type``."""
# Entries of a config.json that older versions wrote, with the values that the switches above stand for.
FIXED = {
    "marian": {
        "normalize_before": False,
        "normalize_embedding": False,
        "add_final_layer_norm": False,
        "static_position_embeddings": True,
    }
}
ACTIVATIONS: dict[object, str] = {"silu": "swish"}
SPARE = {"m2m_100": 8}  # rows after those of all symbols, which make the number of rows a round one
AGAIN = "get it again"
ABSENT = -30.0
"""Bias of symbols that the checkpoint lacks and whose row is another's: they get no probability, and a gradient."""

PREFIX = "model."
SHARED = ("shared.weight", "encoder.embed_tokens.weight", "decoder.embed_tokens.weight", "lm_head.weight")
OWN = {"source": "encoder.embed_tokens.weight", "target": "decoder.embed_tokens.weight"}
OUTPUT, BIAS = "lm_head.weight", "final_logits_bias"
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
    """A checkpoint: the switches of its network, and its tensors by Hugging Face's names without ``model.``.

    ``separate`` says that each side has embeddings of its own; ``spare`` is the number of rows without a symbol;
    ``prefixed`` are the tensors whose name has ``model.`` in the file.
    """

    path: Path
    settings: TransformerSettings
    tensors: dict[str, Tensor]
    separate: bool = False
    spare: int = 0
    prefixed: frozenset[str] = frozenset()

    @property
    def embeddings(self) -> dict[str, Tensor]:
        """The embeddings of each side, [V, d]."""
        if self.separate:
            return {side: self.tensors[name] for side, name in OWN.items()}
        return dict.fromkeys(OWN, next(self.tensors[name] for name in SHARED if name in self.tensors))

    @property
    def output(self) -> Tensor:
        """The output projection, [V, d]."""
        return self.embeddings["target"] if self.settings.tie_output else self.tensors[OUTPUT]

    def check_symbols(self, rows: Mapping[str, int], side: str = "target") -> None:
        """Raise :class:`InputError` where the ``rows`` of the subwords do not fit the number of embeddings."""
        expected, count = max(rows.values()) + 1, len(self.embeddings[side])
        if not 0 <= count - expected <= self.spare:
            raise InputError(
                f"it has {count} embeddings, its subwords make {expected} symbols",
                file=self.path,
                remedy="the checkpoint's own files of subwords are needed",
            )


def read_pretrained(directory: str | Path, marks: str = "both") -> Pretrained:
    """Read a checkpoint; :class:`InputError` for anything but a complete one of one of the :data:`KINDS`.

    ``marks`` is the switch of mBART, which its subwords tell: both for mBART-25, language for mBART-50.
    """
    directory = Path(directory)
    config = read_json(directory / "config.json")
    settings = network_settings(config, directory / "config.json", marks)
    path, tensors = _read_weights(directory)
    named = {name.removeprefix(PREFIX): tensor for name, tensor in tensors.items()}
    prefixed = frozenset(name.removeprefix(PREFIX) for name in tensors if name.startswith(PREFIX))
    separate = config["model_type"] == "marian" and config.get("share_encoder_decoder_embeddings", True) is False
    pretrained = Pretrained(path, settings, named, separate, SPARE.get(config["model_type"], 0), prefixed)
    _check_embeddings(pretrained)
    return pretrained


def network_settings(config: object, path: Path, marks: str = "both") -> TransformerSettings:
    """The switches of the network in a ``config.json``; ``marks`` are those of mBART."""
    entries = config if isinstance(config, dict) else {}
    kind = entries.get("model_type")
    if kind not in KINDS:
        raise InputError(f"model_type is {kind}", file=path, remedy=nearest(str(kind), KINDS))
    for name, value in FIXED.get(kind, {}).items():
        if entries.get(name, value) != value:
            raise InputError(
                f"{name} is {entries[name]}", file=path, remedy=f"models with {name} {value} are supported"
            )
    of_kind = KINDS[kind]
    if kind == "mbart" and marks == "language":
        of_kind = {**of_kind, "marks": marks, "output_bias": True}
    activation = _entry(entries, path, "activation_function")
    values = {
        "width": _entry(entries, path, "d_model"),
        "encoder_layers": _entry(entries, path, "encoder_layers"),
        "decoder_layers": _entry(entries, path, "decoder_layers"),
        "heads": _entry(entries, path, "encoder_attention_heads", "decoder_attention_heads"),
        "feed_forward_width": _entry(entries, path, "encoder_ffn_dim", "decoder_ffn_dim"),
        "max_positions": _entry(entries, path, "max_position_embeddings"),
        "activation": ACTIVATIONS.get(activation, activation),
        "embedding_scale": entries.get("scale_embedding", False),
        **{name: entries.get(name, 0.0) for name in ("dropout", "attention_dropout", "activation_dropout")},
        "tie_output": entries.get("tie_word_embeddings", True),
        **of_kind,
    }
    return parse_settings(TransformerSettings, values, str(path))


def sentence_model(pretrained: Pretrained, source: Sequence[int], target: Sequence[int], shared: bool) -> nn.Module:
    """The sentence Transformer with the checkpoint's weights.

    ``source`` and ``target`` give, for each symbol of a side's vocabulary, its row in the checkpoint's embeddings;
    ``shared`` says that both sides have one vocabulary, whose rows are then ``target``'s.
    """
    network = build("transformer", vars(pretrained.settings), len(source), len(target), shared)
    own = tensors_of(network)
    tables = {
        "source_embedding.weight": lambda: pretrained.embeddings["source"][list(source)],
        "target_embedding.weight": lambda: pretrained.embeddings["target"][list(target)],
        "output.weight": lambda: pretrained.output[list(target)],
        "output_bias": lambda: _bias(pretrained, target),
    }
    origins = {name: _origins(name) for name in own if name not in tables}
    _check_names(pretrained, {origin for names in origins.values() for origin in names})
    converted = {name: table() for name, table in tables.items() if name in own}
    for name, names in origins.items():
        converted[name] = _joined(name, [pretrained.tensors[origin] for origin in names])
    fill(network, converted, pretrained.path)
    return network


def checkpoint_tensors(
    pretrained: Pretrained, network: nn.Module, source: Sequence[int], target: Sequence[int]
) -> dict[str, Tensor]:
    """The tensors of a checkpoint with the weights of ``network`` in single precision, by their names in its file.

    ``network`` is a sentence Transformer that started from ``pretrained``; ``source`` and ``target`` are as in
    :func:`sentence_model`. Rows of symbols that the vocabularies lack are those of ``pretrained``.
    """
    own = tensors_of(network)
    written = {name: tensor.clone() for name, tensor in pretrained.tensors.items()}
    tables = {"source": "source_embedding.weight", "target": "target_embedding.weight"}
    for side, rows in (("source", source), ("target", target)):
        if tables[side] in own:
            table = _with_rows(pretrained.embeddings[side], own[tables[side]], rows)
            for name in (OWN[side],) if pretrained.separate else SHARED:
                if name in written and (name != OUTPUT or pretrained.settings.tie_output):
                    written[name] = table
            if side == "target" and pretrained.separate and pretrained.settings.tie_output and OUTPUT in written:
                written[OUTPUT] = table
    if "output.weight" in own:
        written[OUTPUT] = _with_rows(pretrained.output, own["output.weight"], target)
    for name in own.keys() - {*tables.values(), "output.weight", "output_bias"}:
        names = _origins(name)
        for origin, part in zip(names, own[name].chunk(len(names))):
            written[origin] = part
            if ".encoding." in name:
                written[origin] = torch.cat((pretrained.tensors[origin][:UNUSED_POSITIONS].to(part), part))
    return {
        f"{PREFIX if name in pretrained.prefixed else ''}{name}": tensor.float() for name, tensor in written.items()
    }


def _with_rows(table: Tensor, rows: Tensor, indices: Sequence[int]) -> Tensor:
    """``table`` [V, d] with ``rows`` at ``indices``; of several rows for an index the first one counts."""
    symbol_of_index = {index: symbol for symbol, index in reversed(list(enumerate(indices)))}
    changed = table.to(rows.dtype, copy=True)
    changed[list(symbol_of_index)] = rows[list(symbol_of_index.values())]
    return changed


def _joined(name: str, parts: Sequence[Tensor]) -> Tensor:
    """The parameter ``name`` from the tensors of :func:`_origins`."""
    return parts[0][UNUSED_POSITIONS:] if ".encoding." in name else torch.cat(list(parts))


def _bias(pretrained: Pretrained, target: Sequence[int]) -> Tensor:
    """The output bias of each symbol, whose rows are ``target``; a row's second symbol is one that is never written."""
    stored = pretrained.tensors.get(BIAS)
    bias = torch.zeros(len(target)) if stored is None else stored.flatten().float()[list(target)]
    seen: set[int] = set()
    for index, row in enumerate(target):
        if row in seen:
            bias[index] += ABSENT
        seen.add(row)
    return bias


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


def _entry(config: Mapping[str, object], path: Path, *names: str) -> object:
    """The common value of the entries ``names``."""
    values = [config.get(name) for name in names]
    if None in values:
        raise InputError(f"no {names[values.index(None)]}", file=path)
    if len(set(values)) > 1:
        raise InputError(f"{' and '.join(names)} differ", file=path, remedy="encoder and decoder must be of one size")
    return values[0]


def _read_weights(directory: Path) -> tuple[Path, dict[str, Tensor]]:
    (first, *parts), file_of_tensor = weight_files(directory)
    if not file_of_tensor:
        return directory / first, _read_file(directory / first)
    tensors: dict[str, Tensor] = {}
    for part in parts:
        tensors |= _read_file(directory / part)
    for name, part in file_of_tensor.items():
        if name not in tensors:
            raise InputError(f"it has no tensor {name}, which {first} names", file=directory / part, remedy=AGAIN)
    return directory / first, tensors


def _read_file(path: Path) -> dict[str, Tensor]:
    """The tensors of a file, of which nothing is executed."""
    if path.suffix == ".safetensors":
        return read_tensors(path, remedy=AGAIN)[0]
    try:
        tensors = torch.load(path, map_location="cpu", weights_only=True)
    except Exception as error:  # it raises the exceptions of zip files, of pickles and of its own
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        raise InputError(f"not a readable checkpoint ({reason})", file=path, remedy=AGAIN) from None
    if not isinstance(tensors, dict) or not all(isinstance(tensor, Tensor) for tensor in tensors.values()):
        raise InputError("not a checkpoint: it holds other things than tensors", file=path)
    return tensors


def _check_embeddings(pretrained: Pretrained) -> None:
    tensors, path = pretrained.tensors, pretrained.path
    tied = pretrained.settings.tie_output
    needed = [*OWN.values()] if pretrained.separate else []
    for name in [*needed, *([] if tied else [OUTPUT])]:
        if name not in tensors:
            raise InputError(f"it has no tensor {name}", file=path)
    if not any(name in tensors for name in SHARED):
        raise InputError(f"it has no tensor {SHARED[0]}", file=path)
    copies = {OUTPUT: pretrained.embeddings["target"]} if tied else {}
    if not pretrained.separate:
        copies |= dict.fromkeys(SHARED[:3], pretrained.embeddings["target"])
    for name, table in copies.items():
        if name in tensors and not torch.equal(tensors[name], table):
            raise InputError(f"{name} differs from the shared embeddings", file=path)
    bias = tensors.get(BIAS)
    if bias is None:
        return
    if bias.numel() != len(pretrained.output):
        raise InputError(f"{BIAS} has {bias.numel()} entries, not {len(pretrained.output)}", file=path)
    if bias.count_nonzero() and not pretrained.settings.output_bias:
        raise InputError(f"{BIAS} is not zero", file=path, remedy="such models are not supported")


def _check_names(pretrained: Pretrained, expected: set[str]) -> None:
    """Raise :class:`InputError` where encoder and decoder do not have exactly the ``expected`` tensors."""
    present = {name for name in pretrained.tensors if name.startswith(("encoder.", "decoder."))} - set(SHARED)
    if pretrained.settings.positions != "learned":
        # Older versions of transformers wrote the sinusoids, too.
        present = {name for name in present if ".embed_positions." not in name}
    for names, what in (
        (expected - present, "it has no tensor"),
        (present - expected, "config.json does not describe"),
    ):
        if names:
            raise InputError(f"{what} {min(names)}", file=pretrained.path)
