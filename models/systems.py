"""The registry of systems: what each is called, where its network is, its settings and what it needs.

Importing this module does not import torch: the workflow asks it which annotation a system needs.
"""

import importlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from corpus.errors import InputError
from corpus.settings import nearest, parse_settings, probability, setting

if TYPE_CHECKING:
    from torch import nn


@dataclass(frozen=True)
class TransformerSettings:
    """Switches of the sentence-level Transformer; the defaults are the base of Vaswani et al. 2017."""

    encoder_layers: int = setting(6, "layers of the encoder", minimum=1)
    decoder_layers: int = setting(6, "layers of the decoder", minimum=1)
    width: int = setting(512, "width d of embeddings and states; even, a multiple of heads", minimum=2)
    feed_forward_width: int = setting(2048, "width of the hidden layer of each feed-forward block", minimum=1)
    heads: int = setting(8, "attention heads", minimum=1)
    activation: Literal["relu", "gelu"] = setting("relu", "nonlinearity of the feed-forward blocks")
    norm: Literal["post", "pre"] = setting("post", "layer normalisation after each residual sum, or before each block")
    dropout: float = probability(0.1, "dropout of embeddings and of each block's output")
    attention_dropout: float = probability(0.0, "dropout of attention weights")
    activation_dropout: float = probability(0.0, "dropout of the hidden layer of feed-forward blocks")
    word_dropout: float = probability(
        0.0, "share of ordinary source and target input subwords replaced by <mask> in training"
    )
    positions: Literal["sinusoidal", "learned"] = setting("sinusoidal", "how positions are encoded")
    max_positions: int = setting(1024, "learned: positions that there are, the longest input in tokens", minimum=1)
    embedding_scale: bool = setting(True, "embeddings are multiplied by sqrt(d) before positions are added")
    embedding_norm: bool = setting(False, "layer normalisation of embeddings plus positions")
    tie_source_target: bool = setting(True, "one embedding for both sides, where they share a vocabulary")
    tie_output: bool = setting(True, "the output projection is the target embedding")

    def __post_init__(self) -> None:
        if self.width % self.heads or self.width % 2:
            raise InputError(
                f"system: width is {self.width}, heads is {self.heads}",
                remedy="width must be even and a multiple of heads",
            )


@dataclass(frozen=True)
class PackedSettings(TransformerSettings):
    """Switches that all systems have which read a whole instance in one pass."""

    target_positions: Literal["source", "running"] = setting(
        "source", "a target sentence's positions begin with its source sentence's, or run over the target"
    )
    position_reset: bool = setting(False, "positions begin anew with each sentence, on both sides")


@dataclass(frozen=True)
class RstTransformerSettings(PackedSettings):
    """Switches of the RST-Transformer (spec 01, section 9)."""

    rst_layers: int = setting(2, "upper layers of encoder and of decoder that fuse SentAttn and RSTAttn", minimum=0)
    fusion: Literal["serial", "parallel", "mix"] = setting("mix", "how RSTAttn joins SentAttn in these layers")
    shared_projections: bool = setting(False, "parallel: one set of projections for SentAttn and RSTAttn")
    inner_norm: bool = setting(False, "serial and mix: layer normalisation of SentAttn's output before RSTAttn")
    source_attention: Literal["fused", "sentence", "tree", "instance"] = setting(
        "fused", "what these layers of the decoder see of the source"
    )
    target_tree: Literal["merged", "none"] = setting(
        "merged", "the target's tree: merged from the source's units, or none, which relates all its sentences"
    )
    drop_rst: float = setting(
        0.0, "probability that an instance is trained without its tree; 1 never uses it", minimum=0, below=1.0000001
    )
    drop_rst_unit: Literal["instance", "batch"] = setting("instance", "what loses its tree together")

    def __post_init__(self) -> None:
        super().__post_init__()
        _at_most("rst_layers", self.rst_layers, min(self.encoder_layers, self.decoder_layers))
        if self.shared_projections and self.fusion != "parallel":
            raise InputError("system: shared_projections goes with fusion: parallel", remedy="set it to false")


@dataclass(frozen=True)
class GTransformerSettings(PackedSettings):
    """Switches of the G-Transformer."""

    global_layers: int = setting(
        2, "upper layers of encoder and of decoder that combine group and global attention", minimum=0
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        _at_most("global_layers", self.global_layers, min(self.encoder_layers, self.decoder_layers))


@dataclass(frozen=True)
class ConcatSettings(PackedSettings):
    """Switches of concatenation."""

    attention: Literal["instance", "sentence"] = setting(
        "instance", "what every token sees: the whole instance, or its sentence only"
    )


@dataclass(frozen=True)
class FlatTransformerSettings(PackedSettings):
    """Switches of the Flat-Transformer."""

    context_before: int = setting(1, "source sentences before the current one in its flat sequence", minimum=0)
    context_after: int = setting(1, "source sentences after it", minimum=0)
    current_layers: int = setting(1, "upper layers of the encoder that see the current sentence only", minimum=0)
    position_reset: bool = setting(True, "target positions begin anew with each sentence")

    def __post_init__(self) -> None:
        super().__post_init__()
        _at_most("current_layers", self.current_layers, self.encoder_layers)


@dataclass(frozen=True)
class HybridContextSettings(PackedSettings):
    """Switches of Hybrid Context (MCN)."""

    target_positions: Literal["source", "running"] = setting(
        "running", "a target sentence's positions begin with its source sentence's, or run over the target"
    )
    farthest_sentence: int = setting(
        20, "distances between sentences that are told apart; those beyond count as this one", minimum=1
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.position_reset:
            raise InputError(
                "system hybrid_context: position_reset is true, but positions tell how far target tokens are apart",
                remedy="set it to false; source positions begin anew with each sentence in any case",
            )
        if self.width // self.heads % 2:
            raise InputError(
                f"system hybrid_context: width {self.width} over {self.heads} heads",
                remedy="width / heads must be even",
            )


def _at_most(name: str, value: int, layers: int) -> None:
    if value > layers:
        raise InputError(f"system: {name} is {value}", remedy="there are not so many layers")


@dataclass(frozen=True)
class System:
    """One translation system."""

    name: str
    module: str
    """Module of its network."""
    network: str
    """Class of its network in that module, called with (settings, source_size, target_size, shared)."""
    settings: type[Any]
    """Dataclass that declares its switches."""
    unit: str
    """What it reads at a time: ``sentence``, ``paragraph`` (16 sentences) or ``instance`` (512 tokens)."""
    needs: tuple[str, ...] = ()
    """Annotation tables it cannot do without, by their name in :data:`corpus.tables.TABLES`."""


SYSTEMS = {
    system.name: system
    for system in [
        System("transformer", "models.transformer", "Transformer", TransformerSettings, "sentence"),
        System(
            "rst_transformer",
            "models.rst_transformer",
            "RstTransformer",
            RstTransformerSettings,
            "instance",
            needs=("edus", "rst_dependencies"),
        ),
        System("g_transformer", "models.g_transformer", "GTransformer", GTransformerSettings, "instance"),
        System("concat", "models.concat", "Concat", ConcatSettings, "instance"),
        System("flat_transformer", "models.flat_transformer", "FlatTransformer", FlatTransformerSettings, "instance"),
        System("hybrid_context", "models.hybrid_context", "HybridContext", HybridContextSettings, "instance"),
    ]
}


def system_named(name: str) -> System:
    """The system called ``name``; an unknown one is an :class:`InputError` with the nearest name."""
    if name not in SYSTEMS:
        raise InputError(f"unknown system {name}", remedy=nearest(name, SYSTEMS))
    return SYSTEMS[name]


def build(name: str, settings: Mapping[str, Any], source_size: int, target_size: int, shared: bool) -> "nn.Module":
    """A freshly initialised network of the system ``name``.

    ``source_size`` and ``target_size`` are the vocabularies' numbers of symbols; ``shared`` says that both
    are the same vocabulary. Raises :class:`InputError` for an unknown system or a wrong setting.
    """
    system = system_named(name)
    parsed: Any = parse_settings(system.settings, settings, f"system {name}")
    network = getattr(importlib.import_module(system.module), system.network)
    built: nn.Module = network(parsed, source_size, target_size, shared)
    return built
