"""Settings of theme-rheme labelling."""

from dataclasses import dataclass
from typing import Literal

from discourse_nmt.base.settings import setting


@dataclass(frozen=True)
class ThemeSettings:
    """The units that are divided into theme and rheme."""

    clause: Literal["edu", "sentence"] = setting(
        "edu",
        "unit that is divided: each clause among the discourse units (edu), or each sentence by its main clause",
    )
