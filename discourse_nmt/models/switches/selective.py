"""Switches of selective attention with discourse structural positions (DSP)."""

from dataclasses import dataclass
from typing import Literal

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.settings import setting
from discourse_nmt.models.switches.context import GATE_BIAS, ContextSettings, check_beginning
from discourse_nmt.models.switches.transformer import BEGINNING, Beginning, check_unchanged

Kind = Literal["abs_edu", "rel_edu", "abs_depth", "rel_depth", "path"]
ABSOLUTE: tuple[Kind, ...] = ("abs_edu", "abs_depth")
RELATIVE: tuple[Kind, ...] = ("rel_edu", "rel_depth", "path")


@dataclass(frozen=True)
class SelectiveSettings(ContextSettings):
    """Switches of selective attention (spec 02, section 10)."""

    attention: Literal["hier", "flat"] = setting(
        "hier",
        "HierAtt (hier): sentences by sparsemax, then words by softmax; FlatAtt (flat): one softmax over all words",
    )
    sides: Literal["source", "both"] = setting(
        "source", "sides with attention to context: the source, or also the target, there to earlier sentences only"
    )
    dsp: list[Kind] = setting(
        ["rel_edu", "rel_depth", "path"], "structural positions of the source; [] for none, which needs no trees"
    )
    dsp_fusion: Literal["nonlinear", "add"] = setting(
        "nonlinear", "fusion with the word's position: tanh of a linear layer (equation 5), or addition"
    )
    w_n: float = setting(
        0.8, "dsp path: weight of an edge to a nucleus; that of an edge to a satellite is 1 - w_n", minimum=0.5, below=1
    )
    path_log_base: float = setting(10.0, "dsp path: base of the logarithm", minimum=1.1)
    rel_injection: Literal["ctx", "embed"] = setting(
        "ctx",
        "place of relative positions: context attention (ctx), or embeddings (embed; one encoder pass per unit, slow)",
    )
    gate_bias: float = setting(0.0, GATE_BIAS)
    beginning: Beginning = setting("random", BEGINNING)
    edu_index_base: int = setting(0, "dsp abs_edu: index of the first unit", minimum=0, below=2)
    depth_base: Literal["min_edu", "root_child"] = setting(
        "min_edu", "dsp abs_depth: node of depth 0: the topmost unit, or a child of the root"
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        check_beginning(self.beginning, self)
        check_unchanged(self, gate_bias=(0.0,))
        if len(set(self.dsp)) < len(self.dsp):
            raise InputError(f"dsp names a position twice, {', '.join(self.dsp)}", remedy="name each once")
        if self.embedded and self.beginning == "unchanged":
            raise InputError(
                f"beginning is unchanged, dsp adds {', '.join(self.embedded)} to the embeddings",
                remedy="leave out abs_edu and abs_depth, and set rel_injection: ctx",
            )

    @property
    def structure(self) -> str:
        """Positions of the units in the trees, where any is asked for."""
        return "positions" if self.dsp and self.context != "none" else ""

    @property
    def embedded(self) -> tuple[Kind, ...]:
        """Positions that are added to the embeddings."""
        everywhere = ABSOLUTE + RELATIVE if self.rel_injection == "embed" else ABSOLUTE
        return tuple(kind for kind in everywhere if kind in self.dsp)

    @property
    def attended(self) -> tuple[Kind, ...]:
        """Positions that are added to what context attention reads."""
        return tuple(kind for kind in RELATIVE if kind in self.dsp and self.rel_injection == "ctx")

    @property
    def repeated(self) -> bool:
        """Whether the paragraph is encoded once for each of its units."""
        return self.rel_injection == "embed" and any(kind in self.dsp for kind in RELATIVE)
