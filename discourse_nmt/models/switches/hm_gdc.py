"""Switches of the hierarchical model of global document context."""

from dataclasses import dataclass

from discourse_nmt.base.settings import setting
from discourse_nmt.models.switches.context import ContextSettings
from discourse_nmt.models.switches.transformer import NEW_WEIGHTS, NewWeights


@dataclass(frozen=True)
class HmGdcSettings(ContextSettings):
    """Switches of HM-GDC (spec 06, section 1.11).

    The document of a sentence is the sentence itself and what ``context`` lets it see.
    """

    beginning: NewWeights = setting("random", NEW_WEIGHTS)
