"""Which jobs run again when a module changes: the modules in the fingerprint of each job.

``python -m discourse_nmt.workflow.reruns.code_of_jobs`` prints a line for each module with the jobs that depend on it.
``tests/unit/workflow/reruns/test_rooms_of_jobs.py`` says of each kind of job the rooms that may not be among them.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping

from discourse_nmt import ROOT
from discourse_nmt.discourse.backends.registry import OFFERS
from discourse_nmt.models.systems import SYSTEMS
from discourse_nmt.text.settings import OTHER_SUBWORDS
from discourse_nmt.training.kinds import HELD, STRUCTURES, TASKS
from discourse_nmt.workflow.reruns.fingerprint import PACKAGE, importers, script_module

OF_SYSTEMS = (
    "train.train",
    "train.tune_decoding",
    "train.translate",
    "train.score_references",
    "score.score_contrastive",
)
OF_SUBWORDS = ("text.learn_bpe", "text.apply_bpe", "text.import_pretrained")
NAME = re.compile(rf"\b{PACKAGE}(?:\.workflow_scripts\.([a-z_.]+)| ([a-z-]+) )")


def code_of_jobs() -> dict[str, dict[str, dict[str, str]]]:
    """The modules in the fingerprint of each job, by script and variant, with their :func:`.importers`.

    A variant is what a script loads by name: a system, a kind of structure, an analyser, a kind of subwords; it is
    empty for the script alone.
    """
    entries: dict[str, dict[str, list[str]]] = {script: {"": []} for script in sorted(_scripts())}
    for script in OF_SYSTEMS:
        entries[script] = {
            name: [system.module, TASKS[system.unit], *_readers(name)] for name, system in SYSTEMS.items()
        }
    entries["train.train"] |= {companion.name: [companion.module] for companion in HELD}
    entries["train.show_cache"] = {"": entries["train.translate"]["theme_rheme_cache"]}
    entries["train.train_labeller"] = {"": [SYSTEMS["transformer"].module]}
    for script in OF_SUBWORDS:
        entries[script] |= {name: [module] for name, (module, _) in OTHER_SUBWORDS.items()}
    analysers = {
        f"{backend}-{stage}": [module] for backend, offer in OFFERS.items() for stage, module in offer.modules.items()
    }
    entries["discourse.analyse"] = analysers
    entries["discourse.parse_instances"] = {name: modules for name, modules in analysers.items() if "-rst" in name}
    entries["structures.build_structure"] = {
        name: [_module(kind.builder)] for name, kind in STRUCTURES.items() if kind.builder
    }
    return {
        script: {variant: importers([script_module(script), *modules]) for variant, modules in variants.items()}
        for script, variants in entries.items()
    }


def listing(jobs: Mapping[str, Mapping[str, Iterable[str]]]) -> str:
    """A line for each module: the scripts that depend on it, with their variants unless it is all of them."""
    dependents: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for script, variants in jobs.items():
        for variant, modules in variants.items():
            for module in modules:
                dependents[module.removeprefix(f"{PACKAGE}.")][script].append(variant)
    lines = []
    for module, scripts in sorted(dependents.items()):
        named = (
            script if len(variants) == len(jobs[script]) else f"{script}[{' '.join(sorted(variants))}]"
            for script, variants in sorted(scripts.items())
        )
        lines.append(f"{module}: {', '.join(named)}\n")
    return "".join(lines)


def _scripts() -> set[str]:
    """The scripts and commands that the rules run."""
    return {
        script or f"commands.{command.replace('-', '_')}"
        for path in (ROOT / "rules").glob("*.smk")
        for script, command in NAME.findall(path.read_text(encoding="utf-8"))
    }


def _readers(system: str) -> list[str]:
    """The reader of the structure that a system with default switches reads, if any."""
    kind = STRUCTURES[SYSTEMS[system].switches({}).structure]
    return [_module(kind.reader)] if kind.reader else []


def _module(reference: str) -> str:
    return reference.partition(":")[0]


if __name__ == "__main__":
    print(listing(code_of_jobs()), end="")
