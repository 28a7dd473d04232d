"""Switches of the hierarchical model of global document context."""

from dataclasses import dataclass

from discourse_nmt.models.switches.context import ContextSettings


@dataclass(frozen=True)
class HmGdcSettings(ContextSettings):
    """Switches of HM-GDC (spec 06, section 1.11): those of every system with context.

    The document of a sentence is the sentence itself and what ``context`` lets it see.
    """
