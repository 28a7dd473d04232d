"""Switches of multi-task learning of discourse structure."""

from dataclasses import dataclass
from typing import Literal

from discourse_nmt.corpus.errors import InputError
from discourse_nmt.corpus.settings import setting
from discourse_nmt.models.switches.context import ContextSettings

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
        "offline", "the whole paragraph, or none (the sentence model, which analyses nothing)"
    )
    context_gradient: bool = setting(
        True, "the loss also reaches the states of the paragraph by the attention of the decoder to them"
    )
    edu_attn: Literal["dasa", "mhsa"] = setting(
        "dasa", "attention among units: one head finds the units' heads, or all are ordinary, and nothing is parsed"
    )
    dasa_layers: int = setting(1, "layers of it; the last one has the dependency head", minimum=1)
    dasa_residual: bool = setting(False, "each of these layers adds to what it reads")
    biaffine_scale: bool = setting(False, "scores of the dependency head are divided by sqrt(d_k)")
    biaffine_bias: bool = setting(False, "they have a term for how much of a head a unit is, whoever asks")
    lambda1: float = setting(0.5, "weight of the loss of segmentation", minimum=0)
    lambda2: float = setting(1.0, "weight of the losses of heads and of relations", minimum=0)
    loss_norm: Literal["sum", "mean"] = setting(
        "sum", "the losses are sums over the same paragraphs, or each a mean: over target tokens, words and units"
    )
    relations: list[str] = setting(RELATIONS, "classes of relations; ROOT is one besides")
    fuse: Literal["both", "encoder", "decoder"] = setting("both", "where vectors of units enter")
    enc_fuse: Literal["gate", "hier"] = setting(
        "gate", "encoder: a gate with the vector of the word's own unit, or with attention to all units and words"
    )
    dec_fuse: Literal["hier", "plain"] = setting(
        "hier", "decoder: attention to units and words, or to the words of the paragraph alone"
    )
    dec_tok_keys: Literal["fused", "raw"] = setting(
        "fused", "words that the decoder attends to in the paragraph: after the encoder's gate, or before it"
    )
    tok_norm: WordNorm = setting(
        "global", "softmax of words: over the paragraph; the same and products divided by their sum; inside each unit"
    )
    dep_forward_train: Literal["pred", "gold"] = setting(
        "pred", "heads that vectors of units are made with in training: the predicted ones, or the parser's"
    )
    paragraph_len: int = setting(16, "sentences of a paragraph, at most 16", minimum=1, below=17)
    segmentation_threshold: float = setting(
        0.5, "a unit ends after a word whose probability is above it", minimum=0, below=1
    )
    test_structure: Literal["multitask", "multitask+parser"] = setting(
        "multitask", "where units and heads come from in decoding: the network itself, or a parser"
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(set(self.relations)) < len(self.relations) or ROOT in self.relations:
            raise InputError("system: relations names a class twice, or ROOT", remedy="name each once, and not ROOT")
        if self.edu_attn == "mhsa" and (self.dep_forward_train == "gold" or self.biaffine_scale or self.biaffine_bias):
            raise InputError(
                "system: edu_attn is mhsa, which has no dependency head",
                remedy="leave dep_forward_train, biaffine_scale and biaffine_bias as they are, or set edu_attn: dasa",
            )

    @property
    def structure(self) -> str:
        """Units, heads and relations of each paragraph, which training learns from."""
        return "" if self.context == "none" else "paragraph_dependencies"

    def decoding_structure(self, use_tree: bool) -> str:
        """The same for decoding with a parser; otherwise where words end, which the dataset tells."""
        parsed = use_tree and self.test_structure == "multitask+parser"
        return self.structure if parsed or not self.structure else "words"

    @property
    def classes(self) -> list[str]:
        """The names of all classes of relations, that of roots first."""
        return [ROOT, *self.relations]
