"""Switches of multi-task learning of discourse structure."""

from dataclasses import dataclass
from typing import Literal

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.settings import setting
from discourse_nmt.models.switches.context import ContextSettings
from discourse_nmt.models.switches.transformer import NEW_WEIGHTS, NewWeights

WordNorm = Literal["global", "global_renorm", "edu"]
ROOT = "ROOT"
# Classes of the analysers of this project by Li's rule: a nucleus (_m) or a satellite (_r) of a coarse relation.
RELATIONS = [f"{name}_m" for name in ("adversative", "joint", "restatement", "same")] + [
    f"{name}_r"
    for name in (
        "adversative",
        "attribution",
        "causal",
        "context",
        "contingency",
        "elaboration",
        "evaluation",
        "explanation",
        "mode",
        "organization",
        "purpose",
        "restatement",
        "topic",
    )
]


@dataclass(frozen=True)
class MultitaskSettings(ContextSettings):
    """Switches of the multi-task system (spec 04, section 11)."""

    context: Literal["offline", "none"] = setting(
        "offline", "context: the whole paragraph (offline), or none (the sentence model, without analysis)"
    )
    context_gradient: bool = setting(
        True, "back-propagate through the decoder's attention to the states of the paragraph"
    )
    edu_attn: Literal["dasa", "mhsa"] = setting(
        "dasa",
        "attention among units: one head predicts dependency heads (dasa), or none does and nothing is parsed (mhsa)",
    )
    dasa_layers: int = setting(1, "number of layers of this attention; the last one has the dependency head", minimum=1)
    dasa_residual: bool = setting(False, "residual connections around these layers")
    biaffine_scale: bool = setting(False, "divide the scores of the dependency head by sqrt(d_k)")
    biaffine_bias: bool = setting(
        False, "add to these scores a term of the key alone, the prior of a unit to be a head"
    )
    unit_order: Literal["none", "relative"] = setting(
        "none",
        "order of units in this attention: none (as printed, it cannot tell which unit comes first), or relative "
        "positions (beyond the paper)",
    )
    unit_reach: int = setting(
        8, "unit_order: relative: distance in units from which all distances are alike", minimum=1
    )
    shuffled_trees: bool = setting(
        False, "a control: learn the tree of other units, every tree being turned over its units; units stay right"
    )
    lambda1: float = setting(0.5, "weight of the segmentation loss", minimum=0)
    lambda2: float = setting(1.0, "weight of the losses of dependency heads and of relations", minimum=0)
    loss_norm: Literal["sum", "mean"] = setting(
        "sum", "each loss is a sum over the batch, or a mean over its target tokens, words or units"
    )
    relations: list[str] = setting(RELATIONS, "relation classes, besides ROOT")
    fuse: Literal["both", "encoder", "decoder"] = setting("both", "sides into which the vectors of units are fused")
    enc_fuse: Literal["gate", "hier"] = setting(
        "gate",
        "encoder: gate with the vector of the word's own unit (gate), or with attention to units and words (hier)",
    )
    dec_fuse: Literal["hier", "plain"] = setting(
        "hier", "decoder: attention to units and words (hier), or to words alone (plain)"
    )
    dec_tok_keys: Literal["fused", "raw"] = setting(
        "fused", "states of words that the decoder attends to: after the encoder's gate (fused), or before it (raw)"
    )
    tok_norm: WordNorm = setting(
        "global",
        "softmax over words: of the paragraph (global), the same with renormalised products, or of each unit (edu)",
    )
    dep_forward_train: Literal["pred", "gold"] = setting(
        "pred", "dependency heads that make the vectors of units in training: predicted, or the parser's (gold)"
    )
    paragraph_len: int = setting(16, "number of sentences of a paragraph", minimum=1, below=17)
    segmentation_threshold: float = setting(0.5, "probability above which a word ends a unit", minimum=0, below=1)
    test_structure: Literal["multitask", "multitask+parser"] = setting(
        "multitask", "source of units and dependency heads in decoding: the network, or a parser (multitask+parser)"
    )

    beginning: NewWeights = setting("random", NEW_WEIGHTS)

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(set(self.relations)) < len(self.relations) or ROOT in self.relations:
            raise InputError("relations names a class twice, or ROOT", remedy="name each once, and not ROOT")
        if self.edu_attn == "mhsa" and (self.dep_forward_train == "gold" or self.biaffine_scale or self.biaffine_bias):
            raise InputError(
                "edu_attn is mhsa, which has no dependency head",
                remedy="leave dep_forward_train, biaffine_scale and biaffine_bias as they are, or set edu_attn: dasa",
            )

    @property
    def structure(self) -> str:
        """Units, heads and relations of each paragraph, which training learns from."""
        if self.context == "none":
            return ""
        return "shuffled_paragraph_dependencies" if self.shuffled_trees else "paragraph_dependencies"

    def decoding_structure(self, use_tree: bool) -> str:
        """The same for decoding with a parser; otherwise where words end, which the dataset tells."""
        parsed = use_tree and self.test_structure == "multitask+parser"
        return self.structure if parsed or not self.structure else "words"

    @property
    def classes(self) -> list[str]:
        """The names of all classes of relations, that of roots first."""
        return [ROOT, *self.relations]
