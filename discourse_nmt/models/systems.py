"""The registry of systems: the name, network and switches of each; the switches tell which annotation it needs.

Importing this module does not import torch, as the workflow reads it.
"""

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.settings import nearest, parse_settings
from discourse_nmt.models.switches.context import ContextSettings, SideConstraintSettings
from discourse_nmt.models.switches.continuous_cache import ContinuousCacheSettings
from discourse_nmt.models.switches.doc_transformer import DocTransformerSettings
from discourse_nmt.models.switches.document_graph import DocumentGraphSettings
from discourse_nmt.models.switches.han import HanSettings
from discourse_nmt.models.switches.hm_gdc import HmGdcSettings
from discourse_nmt.models.switches.multitask import MultitaskSettings
from discourse_nmt.models.switches.packed import (
    ConcatSettings,
    FlatTransformerSettings,
    GTransformerSettings,
    HybridContextSettings,
    PackedSettings,
    RstTransformerSettings,
)
from discourse_nmt.models.switches.selective import SelectiveSettings
from discourse_nmt.models.switches.theme_rheme_cache import ThemeRhemeCacheSettings
from discourse_nmt.models.switches.transformer import TransformerSettings

if TYPE_CHECKING:
    from torch import nn

    from discourse_nmt.base.vocabulary import Vocabulary


@dataclass(frozen=True)
class System:
    """One translation system."""

    name: str
    module: str
    """Module of its network."""
    network: str
    """Class of its network in that module, called with (settings, source_size, target_size, shared)."""
    settings: type[TransformerSettings]
    """Dataclass that declares its switches."""
    unit: str
    """What it reads: a ``sentence``, a ``paragraph`` (16 sentences), a ``document`` or an ``instance`` (512 tokens)."""
    paper: str
    """The paper that proposes it, by authors or by subject."""
    adds: str
    """Its difference from the sentence model, in a few words."""
    own_parameters: bool = True
    """Whether it has parameters that a sentence model lacks. Otherwise it can translate with a sentence model's."""
    attends_to_translations: Callable[[Any], bool] = lambda switches: False
    """Whether its network with these switches, and with context, reads the translations of earlier sentences."""

    def reads_translations(self, switches: TransformerSettings) -> bool:
        """Whether a translation depends on those of earlier sentences: it reads them, or its positions follow them."""
        if isinstance(switches, PackedSettings) and switches.target_positions == "running":
            return not switches.position_reset or self.attends_to_translations(switches)
        without_context = isinstance(switches, ContextSettings) and switches.context == "none"
        return not without_context and self.attends_to_translations(switches)

    def switches(self, values: Mapping[str, object]) -> TransformerSettings:
        """Its switches with the defaults of those not in ``values``; :class:`InputError` for a wrong one."""
        return parse_settings(self.settings, values, f"system {self.name}")


SYSTEMS = {
    system.name: system
    for system in [
        System(
            "transformer",
            "discourse_nmt.models.core.transformer",
            "Transformer",
            TransformerSettings,
            "sentence",
            "Vaswani et al. 2017",
            "nothing",
            own_parameters=False,
        ),
        System(
            "rst_transformer",
            "discourse_nmt.models.packed.rst_transformer",
            "RstTransformer",
            RstTransformerSettings,
            "instance",
            "RST-Transformer",
            "attention to neighbours in the RST dependency tree",
            attends_to_translations=lambda switches: switches.rst_layers > 0,
        ),
        System(
            "g_transformer",
            "discourse_nmt.models.packed.g_transformer",
            "GTransformer",
            GTransformerSettings,
            "instance",
            "Bao et al. 2021",
            "attention to the whole instance in the upper layers",
            attends_to_translations=lambda switches: switches.global_layers > 0,
        ),
        System(
            "concat",
            "discourse_nmt.models.packed.concat",
            "Concat",
            ConcatSettings,
            "instance",
            "Tiedemann and Scherrer 2017; Junczys-Dowmunt 2019",
            "the instance is one long sentence",
            own_parameters=False,
            attends_to_translations=lambda switches: switches.attention == "instance",
        ),
        System(
            "flat_transformer",
            "discourse_nmt.models.packed.flat_transformer",
            "FlatTransformer",
            FlatTransformerSettings,
            "instance",
            "Ma, Zhang, Zhou 2020",
            "the encoder reads each sentence with its neighbours",
        ),
        System(
            "hybrid_context",
            "discourse_nmt.models.packed.hybrid_context",
            "HybridContext",
            HybridContextSettings,
            "instance",
            "Zheng et al. 2020 (MCN)",
            "one global encoder layer, a decoder that remembers",
            attends_to_translations=lambda switches: True,
        ),
        System(
            "selective",
            "discourse_nmt.models.selective.network",
            "Selective",
            SelectiveSettings,
            "paragraph",
            "Maruf et al. 2019; discourse positions",
            "sparse attention to the paragraph, positions in the RST tree",
            attends_to_translations=lambda switches: switches.sides == "both",
        ),
        System(
            "han",
            "discourse_nmt.models.context.han",
            "Han",
            HanSettings,
            "paragraph",
            "Miculicich et al. 2018",
            "hierarchical attention to earlier sentences",
            attends_to_translations=lambda switches: switches.place != "encoder",
        ),
        System(
            "doc_transformer",
            "discourse_nmt.models.context.doc_transformer",
            "DocTransformer",
            DocTransformerSettings,
            "paragraph",
            "Zhang et al. 2018 (CTX)",
            "every layer attends to earlier source sentences",
        ),
        System(
            "continuous_cache",
            "discourse_nmt.models.context.continuous_cache",
            "ContinuousCache",
            ContinuousCacheSettings,
            "paragraph",
            "Tu et al. 2018",
            "the decoder remembers the last words that it wrote",
            attends_to_translations=lambda switches: True,
        ),
        System(
            "side_constraint",
            "discourse_nmt.models.context.side_constraint",
            "SideConstraint",
            SideConstraintSettings,
            "document",
            "Sennrich et al. 2016",
            "keeps the form of address of the last earlier translation",
            own_parameters=False,
            attends_to_translations=lambda switches: True,
        ),
        System(
            "multitask",
            "discourse_nmt.models.multitask.network",
            "Multitask",
            MultitaskSettings,
            "paragraph",
            "multi-task structure",
            "learns to parse the paragraph and attends to its units",
        ),
        System(
            "hm_gdc",
            "discourse_nmt.models.context.hm_gdc",
            "HmGdc",
            HmGdcSettings,
            "paragraph",
            "Tan et al. 2019",
            "vectors of all sentences, given back to every word",
        ),
        System(
            "document_graph",
            "discourse_nmt.models.graph.network",
            "DocumentGraph",
            DocumentGraphSettings,
            "paragraph",
            "document graph",
            "attention to word graphs of source and draft",
        ),
        System(
            "theme_rheme_cache",
            "discourse_nmt.models.theme_cache.network",
            "ThemeRhemeCache",
            ThemeRhemeCacheSettings,
            "document",
            "theme-rheme cache",
            "attention to cached source words, chosen by a labeller",
        ),
    ]
}


def system_named(name: str) -> System:
    """The system called ``name``; an unknown one is an :class:`InputError` with the nearest name."""
    if name not in SYSTEMS:
        raise InputError(f"unknown system {name}", remedy=nearest(name, SYSTEMS))
    return SYSTEMS[name]


def build(name: str, settings: Mapping[str, object], source_size: int, target_size: int, shared: bool) -> "nn.Module":
    """A freshly initialised network of the system ``name``.

    ``source_size`` and ``target_size`` are the sizes of the vocabularies; ``shared`` says that both sides have the same
    vocabulary. Raises :class:`InputError` for an unknown system or a wrong setting.
    """
    system = system_named(name)
    network = getattr(importlib.import_module(system.module), system.network)
    built: nn.Module = network(system.switches(settings), source_size, target_size, shared)
    return built


def build_with(name: str, settings: Mapping[str, object], source: "Vocabulary", target: "Vocabulary") -> "nn.Module":
    """:func:`build` for these vocabularies; a network that looks at words reads them."""
    network = build(name, settings, len(source), len(target), source.fingerprint == target.fingerprint)
    take_vocabularies: Callable[[Vocabulary, Vocabulary], None] = network.take_vocabularies  # type: ignore[assignment]
    take_vocabularies(source, target)
    return network
