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
    tie_source_target: bool = setting(True, "one embedding for both sides, where they share a vocabulary")
    tie_output: bool = setting(True, "the output projection is the target embedding")

    def __post_init__(self) -> None:
        if self.width % self.heads or self.width % 2:
            raise InputError(
                f"system: width is {self.width}, heads is {self.heads}",
                remedy="width must be even and a multiple of heads",
            )


@dataclass(frozen=True)
class RstTransformerSettings(TransformerSettings):
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
    position_reset: bool = setting(False, "positions begin anew with each sentence")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.rst_layers > min(self.encoder_layers, self.decoder_layers):
            raise InputError(f"system: rst_layers is {self.rst_layers}", remedy="there are not so many layers")
        if self.shared_projections and self.fusion != "parallel":
            raise InputError("system: shared_projections goes with fusion: parallel", remedy="set it to false")


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
