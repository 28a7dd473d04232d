"""Switches of the theme–rheme labeller."""

from dataclasses import dataclass
from typing import Literal

from discourse_nmt.corpus.errors import InputError
from discourse_nmt.corpus.settings import probability, setting


@dataclass(frozen=True)
class LabellerSettings:
    """What labels words, and how large it is; defaults are those of specification 05."""

    network: Literal["encoder", "characters"] = setting(
        "encoder",
        "what a word is read from: the states of a trained model's encoder, or itself and its characters (a baseline"
        " without scores)",
    )
    designated: str = setting("theme-topical", "label whose words get high scores; encoder only")
    direction_width: int = setting(256, "width of the LSTM in each direction", minimum=1)
    layers: int = setting(2, "layers of the LSTM", minimum=1)
    dropout: float = probability(0.1, "dropout of what each layer returns")
    word_width: int = setting(100, "width of the embeddings of words; characters only, 0 for none", minimum=0)
    character_width: int = setting(30, "width of the embeddings of characters; characters only", minimum=1)
    filters: int = setting(30, "filters of the convolution over characters; characters only", minimum=1)
    window: int = setting(3, "characters that a filter sees, an odd number; characters only", minimum=1)

    def __post_init__(self) -> None:
        if self.window % 2 == 0:
            raise InputError(f"settings: window is {self.window}", remedy="it must be odd")
