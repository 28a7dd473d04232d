"""Switches of the sentence-level Transformer, which all systems have; free of torch, as the workflow reads them.

And the values of ``beginning``, the initial weights of what a system adds to it.
"""

from dataclasses import dataclass
from typing import Literal, Protocol

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.settings import probability, setting

# Switches that change what weights mean but not their shapes.
MEANING = (
    "heads",
    "activation",
    "norm",
    "positions",
    "embedding_scale",
    "embedding_norm",
    "marks",
    "output_bias",
)

Beginning = Literal["random", "copy", "unchanged"]
NewWeights = Literal["random", "unchanged"]
UNCHANGED = "such that the network translates as the sentence model that it starts from (unchanged)"
BEGINNING = (
    "initial weights of the block: random, such that it copies the words most similar to the query (copy), or as copy "
    f"with closed gates, {UNCHANGED}"
)
NEW_WEIGHTS = f"initial weights of new blocks: random, or {UNCHANGED}"


@dataclass(frozen=True)
class TransformerSettings:
    """Switches of the sentence-level Transformer; the defaults are the base of Vaswani et al. 2017.

    ``marks``: both is ``<s> X </s>`` on either side; with end and language layers see no ``<s>`` in the source, and a
    target begins with the embedding of ``<pad>`` (end) or ``</s>`` (language). With language every translation begins
    with the symbol of its language, the first subword of the target vocabulary.
    """

    encoder_layers: int = setting(6, "number of encoder layers", minimum=1)
    decoder_layers: int = setting(6, "number of decoder layers", minimum=1)
    width: int = setting(512, "width d of embeddings and hidden states; even, and a multiple of heads", minimum=2)
    feed_forward_width: int = setting(2048, "width of the hidden layer of each feed-forward block", minimum=1)
    heads: int = setting(8, "number of attention heads", minimum=1)
    activation: Literal["relu", "gelu", "swish"] = setting("relu", "nonlinearity of the feed-forward blocks")
    norm: Literal["post", "pre"] = setting("post", "layer normalisation after each residual sum, or before each block")
    dropout: float = probability(0.1, "dropout rate of the embeddings and of each block's output")
    attention_dropout: float = probability(0.0, "dropout rate of the attention weights")
    activation_dropout: float = probability(0.0, "dropout rate of the hidden layer of feed-forward blocks")
    word_dropout: float = probability(
        0.0, "probability that an ordinary input subword of either side is replaced by <mask> in training"
    )
    positions: Literal["sinusoidal", "sinusoidal_marian", "sinusoidal_fairseq", "learned"] = setting(
        "sinusoidal", "encoding of token positions; those of Marian and fairseq order the components otherwise"
    )
    max_positions: int = setting(
        1024, "positions: learned: number of position embeddings, which is the longest input in tokens", minimum=1
    )
    position_shift: int = setting(
        0,
        "largest shift of all positions in training, drawn for each sentence, or batch of a packed system, and side "
        "(SHAPE, Kiyono et al. 2021), so that packed systems whose positions run on can start from the model; 0 for "
        "none",
        minimum=0,
    )
    embedding_scale: bool = setting(True, "multiply embeddings by sqrt(d) before positions are added")
    embedding_norm: bool = setting(False, "layer normalisation of the sum of embeddings and positions")
    marks: Literal["both", "end", "language"] = setting(
        "both",
        "symbols around sentences: <s> and </s>, as a new network has them, those of Marian, or those of M2M-100, "
        "NLLB-200 and mBART-50; docs/how-to/pretrained.md explains",
    )
    output_bias: bool = setting(False, "add a bias that is not trained to the scores of target symbols, as in Marian")
    tie_source_target: bool = setting(True, "one embedding matrix for both sides if they share a vocabulary")
    tie_output: bool = setting(True, "use the target embedding as the output projection")

    def __post_init__(self) -> None:
        if self.width % self.heads or self.width % 2:
            raise InputError(
                f"width is {self.width}, heads is {self.heads}",
                remedy="width must be even and a multiple of heads",
            )
        if self.positions == "learned" and self.position_shift >= self.max_positions:
            raise InputError(
                f"position_shift is {self.position_shift}, max_positions is {self.max_positions}",
                remedy="learned positions must reach beyond the largest shift by the longest input",
            )

    @property
    def structure(self) -> str:
        """The kind of structure, see training/kinds.py, that the system reads beside the text; "" for none."""
        return ""

    @property
    def companions(self) -> tuple[str, ...]:
        """The companions, see training/kinds.py, that the network holds."""
        return ()

    def decoding_structure(self, use_tree: bool) -> str:
        """The kind that it reads in decoding, which is without trees if ``use_tree`` is false."""
        return self.structure if use_tree else ""


class Beginner(Protocol):
    """Switches with initial weights of what the system adds."""

    @property
    def beginning(self) -> Beginning:
        """The initial weights."""
        ...


def check_unchanged(settings: Beginner, **needed: tuple[object, ...]) -> None:
    """Raise :class:`InputError` where ``beginning`` is unchanged and a switch has none of the values it ``needed``."""
    if settings.beginning != "unchanged":
        return
    for name, allowed in needed.items():
        if (value := getattr(settings, name)) not in allowed:
            raise InputError(
                f"beginning is unchanged, {name} is {_written(value)}",
                remedy=f"it must be {' or '.join(map(_written, allowed))}",
            )


def _written(value: object) -> str:
    """The ``value`` as a configuration has it."""
    return {"None": "null", "True": "true", "False": "false"}.get(str(value), str(value))
