"""Switches of the theme–rheme labeller."""

from dataclasses import dataclass
from typing import Literal

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.settings import probability, setting


@dataclass(frozen=True)
class LabellerSettings:
    """What labels words, and how large it is; defaults are those of the paper."""

    network: Literal["encoder", "characters"] = setting(
        "encoder",
        "input of the labeller: states of a trained model's encoder, or words and their characters (a baseline without "
        "scores)",
    )
    designated: str = setting("theme-topical", "label whose words get high scores; network: encoder only")
    direction_width: int = setting(256, "width of the LSTM per direction", minimum=1)
    layers: int = setting(2, "number of layers of the LSTM", minimum=1)
    dropout: float = probability(0.1, "dropout rate of each layer's output")
    word_width: int = setting(100, "width of word embeddings, 0 for none; network: characters only", minimum=0)
    character_width: int = setting(30, "width of character embeddings; network: characters only", minimum=1)
    filters: int = setting(
        30, "number of filters of the convolution over characters; network: characters only", minimum=1
    )
    window: int = setting(3, "width of a filter in characters, an odd number; network: characters only", minimum=1)

    def __post_init__(self) -> None:
        if self.window % 2 == 0:
            raise InputError(f"window is {self.window}", remedy="it must be odd")
