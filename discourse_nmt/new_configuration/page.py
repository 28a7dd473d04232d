"""The text of the configuration, with comments."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from discourse_nmt import ROOT
from discourse_nmt.base.errors import InputError
from discourse_nmt.base.storage.files import read_text
from discourse_nmt.discourse.backends.builtin.models import SHIPPED, check_model, has_model
from discourse_nmt.discourse.backends.registry import STAGES
from discourse_nmt.discourse.settings import BuiltinSettings
from discourse_nmt.new_configuration.facts import Facts
from discourse_nmt.new_configuration.machine import Machine, Network
from discourse_nmt.new_configuration.recognition import Recognised
from discourse_nmt.new_configuration.sizes import Sizes
from discourse_nmt.workflow.checks.configuration import check_configuration
from discourse_nmt.workflow.checks.schema import check_schema
from discourse_nmt.workflow.checks.sizes import check_size
from discourse_nmt.workflow.configuration.tree import Configuration
from discourse_nmt.workflow.configuration_files import parsed_configuration
from discourse_nmt.workflow.resolving.resolve import resolve
from discourse_nmt.workflow.schema.validator import parsed_schema

# docs/reference/figures/workflow.md#disk. A model has its weights (4 bytes), two checkpoints with Adam's moments (24)
# and five weights to average (20); the larger of the two document-level systems has 1.34 times the sentence model's
# parameters.
BYTES_PER_TEXT_BYTE = 11
BYTES_PER_PARAMETER = 48
LARGER = 1.34
BUSY = 0.9  # share of the machine's speed below which its other work is told


def duration(seconds: float) -> str:
    """For example ``about 40 minutes``."""
    minutes = seconds / 60
    if minutes < 1.5:
        return "about a minute"
    if minutes < 90:
        return f"about {minutes:.0f} minutes"
    return f"about {minutes / 60:.0f} hours" if minutes < 60 * 48 else f"about {minutes / 60 / 24:.0f} days"


def size(number_of_bytes: float) -> str:
    """For example ``300 MB``."""
    megabytes = number_of_bytes / 1e6
    return f"{megabytes:,.0f} MB" if megabytes < 1_000 else f"{megabytes / 1_000:,.1f} GB"


def flow(value: Any) -> str:
    """A value in YAML's flow style: JSON is a part of it."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key}: {flow(entry)}" for key, entry in value.items()) + "}"
    if isinstance(value, Sequence) and not isinstance(value, str):
        return "[" + ", ".join(map(flow, value)) + "]"
    return json.dumps(value, ensure_ascii=False)


def word(name: str) -> str:
    """A name in YAML, in quotes where it would be a number, a date or a truth value."""
    return name if yaml.safe_load(name) == name else flow(name)


def estimate(facts: Facts, machine: Machine, sizes: Sizes, network: Network, analysis_rate: float) -> list[str]:
    """Lines about time and disk, with where each figure comes from; ``analysis_rate`` 0 means no analysis."""
    where = f"GPU with {machine.gpu_memory:.0f} GB" if machine.gpu_memory else f"{machine.cores} CPU cores"
    lines = [
        f"Machine: {where}, {machine.memory:.0f} GB of memory.",
        f"Time: training {duration(sizes.training_seconds(network.rate))} if nothing stops it earlier.",
        f"  Steps of this sentence model were timed just now: {network.rate:,.0f} target subwords per second; the",
        "  others are slower by the ratios of docs/reference/figures/speed.md#training-rate.",
    ]
    if analysis_rate:
        seconds = facts.source_words / analysis_rate / machine.cores
        lines += [
            f"  Analysis {duration(seconds)}: {analysis_rate:,.0f} words per second and core, timed on the first ones.",
        ]
    disk = BYTES_PER_TEXT_BYTE * facts.text_bytes + BYTES_PER_PARAMETER * network.parameters * (
        1 + LARGER * len(sizes.systems)
    )
    if network.share < BUSY:
        lines.append(f"  The machine was busy: steps were timed at {network.share:.0%} of its speed; sized as if idle.")
    lines.append("  Not in it: import, subwords, translation of the test set, scores.")
    lines.append(
        f"Disk: at most {size(disk)} in results/ and work/ ({BYTES_PER_TEXT_BYTE} bytes per byte of text, "
        f"{BYTES_PER_PARAMETER} per parameter of each model)."
    )
    return lines


def has_all_analysers(language: str) -> bool:
    """Whether the project ships an analyser of each kind for a language."""
    try:
        for stage in STAGES:
            check_model(stage, BuiltinSettings(), language)
    except InputError:
        return False
    return has_model(SHIPPED / language, "joint") and has_model(SHIPPED / language, "coreference")


def configuration(
    run: str,
    recognised: Recognised,
    languages: tuple[str, str],
    facts: Facts,
    sizes: Sizes,
    notes: Sequence[str],
) -> str:
    """The YAML; ``notes`` become comments at its head."""
    roles = {role: list(patterns) for role, patterns in recognised.roles.items()}
    treatment = ""
    if facts.empty:
        treatment += "    empty_sentences: drop  # some are empty on one side; drops.tsv will list them\n"
    later = f"{{max_updates: {sizes.later_updates}, learning_rate: {sizes.learning_rate / 2}}}"
    experiments = "  sentence: {system: transformer}  # sees one sentence at a time: the baseline\n"
    comments = {
        "g_transformer": ("group", "whole sentences of a document together, without analysis"),
        "rst_transformer": ("trees", "attention along the RST tree of the shipped analysers"),
    }
    for system in sizes.systems:
        name, comment = comments[system]
        experiments += f"  {name}:  # {comment}\n    system: {system}\n    initialised_from: sentence\n"
        experiments += "    settings: {rst_layers: 1}\n" if system == "rst_transformer" else ""
        experiments += f"    training: {later}\n"
    viewer = "\nreport: {analyses: [builtin]}  # its viewer shows units, trees, chains and themes of the test set\n"
    viewer = viewer if has_all_analysers(languages[0]) else ""
    head = "".join(f"# {note}\n" for note in notes)
    model = flow(sizes.model)
    return f"""\
{head}run: {word(run)}  # results lie in results/{run}/

corpora:
  {word(run)}:
    source_language: {languages[0]}
    target_language: {languages[1]}
    format: {recognised.format}  # {recognised.sign}
    options: {flow(recognised.options)}
    splits:
      train: {flow(roles)}
    held_out: {{dev: {sizes.held_out}, test: {sizes.held_out}}}  # documents of train; or name files under splits
    near_duplicates: 0.5  # documents that share half of their sentences stay together
{treatment}    text: {{bpe: {{merges: {sizes.merges}}}}}  # subwords: more for a larger corpus

model: {model}

training:
  batch_tokens: {sizes.batch_tokens // sizes.processes}  # lower it if memory runs out
  accumulation: {sizes.processes}  # batches of an update; the processes under hardware share them
  max_updates: {sizes.updates}
  evaluate_every: {max(20, sizes.updates // 20)}
  patience: 5  # ends training when the development loss has not fallen in five evaluations
  learning_rate: {sizes.learning_rate}
  warmup_updates: {min(4000, sizes.updates // 5)}
  final: average

significance: {{baseline: sentence}}
{viewer}
hardware: {{processes: {sizes.processes}, threads: {sizes.threads}}}  # of a training on CPUs; threads of each process

experiments:  # `discourse-nmt systems` lists all systems; add `seeds: [1, 2, 3]` before you report a difference
{experiments}"""


def checked(text: str, path: Path) -> None:
    """Raise :class:`InputError` where the workflow would refuse the configuration."""
    config = parsed_configuration(text, path)
    check_size(config)
    filled = check_schema(config, parsed_schema(read_text(ROOT / "config.schema.yaml")))
    check_configuration(resolve(Configuration.read(filled)))
