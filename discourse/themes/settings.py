"""Settings of theme-rheme labelling."""

from dataclasses import dataclass
from typing import Literal

from discourse_nmt.corpus.settings import setting


@dataclass(frozen=True)
class ThemeSettings:
    """What is divided into a theme and a rheme."""

    clause: Literal["edu", "sentence"] = setting(
        "edu", "edu: each discourse unit that is a clause; sentence: each sentence, by its main clause"
    )
