"""The switches in which experiments differ, for the report."""

import dataclasses

from discourse_nmt.base.settings import as_json
from discourse_nmt.workflow.configuration.tree import Configuration
from discourse_nmt.workflow.sections.experiments import experiment_settings

# Keys of an experiment that are sections of switches, or say how often it is run and what it is compared with.
OTHERS = ("settings", "training", "decoding", "decodings", "corpora", "seeds", "compared_with")


def experiment_switches(config: Configuration, name: str) -> dict[str, object]:
    """Every switch of an experiment with its default, by its dotted name."""
    sections = dataclasses.asdict(experiment_settings(config, name))
    plain = {key: value for key, value in as_json(config.experiments[name]).items() if key not in OTHERS}
    return plain | {
        f"{section}.{key}": value for section, switches in sections.items() for key, value in switches.items()
    }


def differing_switches(config: Configuration) -> dict[str, dict[str, object]]:
    """The switches of every experiment but for those that have one value in all of them; ``system`` stays."""
    switches = {name: experiment_switches(config, name) for name in config.experiments}
    of_first = next(iter(switches.values()), {})
    shared = {
        key
        for key, value in of_first.items()
        if key != "system" and all(key in own and own[key] == value for own in switches.values())
    }
    return {name: {key: value for key, value in own.items() if key not in shared} for name, own in switches.items()}
