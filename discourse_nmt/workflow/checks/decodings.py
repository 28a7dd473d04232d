"""Keys of decoding that an experiment's system does not read: rows that repeat others without a word."""

from collections.abc import Iterator, Mapping

from discourse_nmt.models.switches.context import ContextSettings
from discourse_nmt.models.switches.decoding import DecodingSettings
from discourse_nmt.models.switches.packed import PackedSettings
from discourse_nmt.models.switches.transformer import TransformerSettings
from discourse_nmt.models.systems import SYSTEMS, System
from discourse_nmt.workflow.configuration.decoding import DecodingSection
from discourse_nmt.workflow.configuration.tree import Configuration
from discourse_nmt.workflow.sections.experiments import corpora_of, experiment_settings


def vain_decodings(config: Configuration) -> Iterator[str]:
    """A line for each ``decoding`` or decoding of ``decodings`` with keys that are not read, and for each that repeats.

    These are warnings: a row that must not differ from another one may be a control. Keys that all experiments share
    are not looked at.
    """
    for name, experiment in config.experiments.items():
        if experiment.model_of is not None:
            continue
        vain, _ = _keys(config, name, experiment.decoding, {})
        if vain:
            yield f"experiments.{name}.decoding: {_not_read(experiment.system, vain)}; leave it out"
        for decoding, changes in experiment.decodings.items():
            vain, effective = _keys(config, f"{name}.{decoding}", changes, experiment.decoding)
            reason = _not_read(experiment.system, vain) if vain else f"it has the values of {name}"
            repeated = "" if effective else f", so that its rows repeat those of {name}"
            if vain or repeated:
                yield f"experiments.{name}.decodings.{decoding}: {reason}{repeated}; leave it out"


def unread_keys(system: System, switches: TransformerSettings, decoding: DecodingSettings) -> set[str]:
    """The keys of decoding that change nothing that a ``system`` with ``switches`` computes under this ``decoding``."""
    trees = switches.decoding_structure(True) != switches.decoding_structure(False)
    several = system.unit != "sentence"
    if isinstance(switches, ContextSettings):
        several = switches.context != "none"
    if isinstance(switches, PackedSettings):
        several = (switches.sentences if decoding.sentences is None else decoding.sentences) != 1
    in_context = several and decoding.use_context
    read = {
        "use_context": several or trees,
        "use_tree": trees and decoding.use_context,
        "target_context": in_context and system.reads_translations(switches),
        "sentences": isinstance(switches, PackedSettings) and decoding.use_context,
        **dict.fromkeys(("search", "whole_documents"), isinstance(switches, PackedSettings) and in_context),
    }
    return {key for key, is_read in read.items() if not is_read}


def _keys(
    config: Configuration, name: str, changes: Mapping[str, object], before: Mapping[str, object]
) -> tuple[list[str], list[str]]:
    """The keys of ``changes`` that differ from those ``before`` on a corpus: those never read, and the others.

    ``name`` is the experiment that has them.
    """
    differing: set[str] = set()
    effective: set[str] = set()
    for corpus in corpora_of(config, name):
        sections = experiment_settings(config, name, corpus)
        others = {**vars(DecodingSection()), **config.decoding, **config.corpora[corpus].decoding, **before}
        found = {key for key in changes if changes[key] != others[key]}
        system = SYSTEMS[config.experiments[name].system]
        differing |= found
        effective |= found - unread_keys(system, sections.settings, sections.decoding)
    return [key for key in changes if key in differing - effective], [key for key in changes if key in effective]


def _not_read(system: str, keys: list[str]) -> str:
    return f"{system} with these settings does not read {' and '.join(keys)}"
