"""Switches of the packed systems, which read a whole instance in one pass."""

from dataclasses import dataclass
from typing import Literal

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.settings import setting
from discourse_nmt.models.switches.transformer import NEW_WEIGHTS, NewWeights, TransformerSettings, check_unchanged


@dataclass(frozen=True)
class PackedSettings(TransformerSettings):
    """Switches that all systems have which read a whole instance in one pass."""

    target_positions: Literal["source", "running"] = setting(
        "source",
        "first position of a target sentence: that of its source sentence (source), or the next free one (running)",
    )
    position_reset: bool = setting(False, "positions restart with each sentence, on both sides")
    sentences: int = setting(
        0,
        "largest number of sentences that are read together: an instance is cut into runs of as many; 0 for the whole "
        "instance",
        minimum=0,
    )
    drawn_sentences: list[int] = setting(
        [],
        "lengths of runs, like sentences: training draws one for each instance of each batch, and the place where the "
        "first run ends; [] trains with sentences",
        schema={"items": {"type": "integer", "minimum": 0}},
    )
    mixed_runs: bool = setting(
        False,
        "training shuffles single runs of sentences, so that a batch has neighbours from many places, instead of whole "
        "instances, whose runs stay together",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.mixed_runs and (not self.sentences or self.drawn_sentences):
            raise InputError(
                "mixed_runs needs runs of one length",
                remedy="set sentences to their number and leave drawn_sentences empty, or set mixed_runs to false",
            )
        if min(self.drawn_sentences, default=0) < 0:
            raise InputError(
                f"drawn_sentences has {min(self.drawn_sentences)}",
                remedy="give numbers of sentences, 0 for the whole instance",
            )


@dataclass(frozen=True)
class RstTransformerSettings(PackedSettings):
    """Switches of the RST-Transformer (spec 01, section 9)."""

    rst_layers: int = setting(
        2, "number of upper layers, of the encoder and of the decoder, that fuse SentAttn and RSTAttn", minimum=0
    )
    fusion: Literal["serial", "parallel", "mix"] = setting("mix", "fusion of SentAttn and RSTAttn in these layers")
    shared_projections: bool = setting(False, "fusion: parallel: one set of projections for SentAttn and RSTAttn")
    inner_norm: bool = setting(
        False, "fusion: serial or mix: layer normalisation of the output of SentAttn before RSTAttn"
    )
    source_attention: Literal["fused", "sentence", "tree", "instance"] = setting(
        "fused",
        "attention of these decoder layers to the source: fused like self-attention, to the sentence, along the tree, "
        "or to the whole instance",
    )
    target_tree: Literal["merged", "none"] = setting(
        "merged", "tree of the target: merged from the units of the source, or none, where all sentences are related"
    )
    shuffled_trees: bool = setting(
        False, "a control: turn every tree over its units, so that it keeps its shape but belongs to other units"
    )
    drop_rst: float = setting(
        0.0, "probability that an instance is trained without its tree; 1 never uses the tree", minimum=0, maximum=1
    )
    drop_rst_unit: Literal["instance", "batch"] = setting(
        "instance", "unit of drop_rst: each instance, or all instances of a batch together"
    )
    beginning: NewWeights = setting("random", NEW_WEIGHTS)

    def __post_init__(self) -> None:
        super().__post_init__()
        _check_upper_layers("rst_layers", self)
        if self.shared_projections and self.fusion != "parallel":
            raise InputError("shared_projections goes with fusion: parallel", remedy="set it to false")
        check_unchanged(
            self, position_reset=(True,), fusion=("mix", "parallel"), source_attention=("fused", "sentence")
        )

    @property
    def structure(self) -> str:
        """Dependencies, those of the trees."""
        return "shuffled_dependencies" if self.shuffled_trees else "dependencies"


@dataclass(frozen=True)
class GTransformerSettings(PackedSettings):
    """Switches of the G-Transformer."""

    global_layers: int = setting(
        2,
        "number of upper layers, of the encoder and of the decoder, that combine group and global attention",
        minimum=0,
    )
    beginning: NewWeights = setting("random", NEW_WEIGHTS)

    def __post_init__(self) -> None:
        super().__post_init__()
        _check_upper_layers("global_layers", self)
        check_unchanged(self, position_reset=(True,))


@dataclass(frozen=True)
class ConcatSettings(PackedSettings):
    """Switches of concatenation."""

    attention: Literal["instance", "sentence"] = setting(
        "instance", "tokens that a token attends to: the whole instance, or its own sentence"
    )


@dataclass(frozen=True)
class FlatTransformerSettings(PackedSettings):
    """Switches of the Flat-Transformer."""

    context_before: int = setting(
        1, "number of source sentences before the current one in the encoder's input", minimum=0
    )
    context_after: int = setting(
        1, "number of source sentences after the current one in the encoder's input", minimum=0
    )
    current_layers: int = setting(
        1, "number of upper encoder layers that attend to the current sentence only", minimum=0
    )
    position_reset: bool = setting(True, "target positions restart with each sentence")

    def __post_init__(self) -> None:
        super().__post_init__()
        _check_upper_layers("current_layers", self, of=("encoder_layers",))


@dataclass(frozen=True)
class HybridContextSettings(PackedSettings):
    """Switches of Hybrid Context (MCN)."""

    target_positions: Literal["source", "running"] = setting(
        "running", "a target sentence's positions begin with its source sentence's, or run over the target"
    )
    farthest_sentence: int = setting(
        20, "largest distance between sentences that has a vector of its own; larger ones count as this one", minimum=1
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.position_reset:
            raise InputError(
                "position_reset is true, but positions tell how far target tokens are apart",
                remedy="set it to false; source positions begin anew with each sentence in any case",
            )
        if self.position_shift:
            raise InputError(
                f"position_shift is {self.position_shift}, but its decoder has no positions to shift",
                remedy="set it in the settings of the sentence model alone",
            )
        if self.width // self.heads % 2:
            raise InputError(
                f"width {self.width} over {self.heads} heads",
                remedy="width / heads must be even",
            )


def _check_upper_layers(
    name: str, settings: PackedSettings, of: tuple[str, ...] = ("encoder_layers", "decoder_layers")
) -> None:
    """Raise :class:`InputError` where the switch ``name`` counts more upper layers than there are."""
    value, layers = getattr(settings, name), {key: getattr(settings, key) for key in of}
    if value > (most := min(layers.values())):
        there_are = " and ".join(f"{key} {number}" for key, number in layers.items())
        raise InputError(f"{name} is {value}, but there are {there_are}", remedy=f"it must be at most {most}")
