"""The conda environments, the containers, the pins and what the project imports agree."""

import ast
import re
import sys
import tomllib
from collections.abc import Iterable
from functools import cache
from importlib.metadata import packages_distributions
from itertools import chain

import pytest
import yaml
from packaging.requirements import Requirement

from discourse_nmt.corpus.importing.plan import SPLITTERS
from discourse_nmt.discourse.backends.registry import OFFERS, STAGES
from discourse_nmt.models.systems import SYSTEMS
from discourse_nmt.text.settings import OTHER_SUBWORDS, OTHER_TOKENISERS
from discourse_nmt.training.kinds import HELD, STRUCTURES, TASKS
from discourse_nmt.workflow.reruns.fingerprint import PACKAGE, imported_names, module_path, script_module
from tests.conftest import ROOT
from tests.unit.project.test_architecture import MODULES

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS = {name: list(map(Requirement, given)) for name, given in PROJECT["optional-dependencies"].items()}
BASE = list(map(Requirement, PROJECT["dependencies"]))
LOCKED = [
    line
    for line in (ROOT / "envs/requirements.lock").read_text(encoding="utf-8").splitlines()
    if not line.startswith("#")
]
PINS = {pin.split("==")[0].lower().replace("_", "-"): pin.lower().replace("_", "-") for pin in LOCKED}
# What runs for a user, by the extra that installs it; tests and style have no place in it.
DECLARED = {
    requirement.name for requirement in chain(BASE, *(EXTRAS[name] for name in EXTRAS if name != "development"))
}
OWNERS = packages_distributions()
STACKS = sorted(path.stem for path in (ROOT / "envs").glob("*.yaml"))

# What a rule says of its environment and its script, the former possibly chosen by a function.
RULE = re.compile(
    r"conda:\n +(\S+)\n(?:(?!conda:).)*?python -m discourse_nmt(?:\.workflow_scripts\.([\w.]+)| ([\w-]+))", re.DOTALL
)
# Packages that others load without an import of the project's: what does so -> distribution.
LOADED = {"torch.utils.tensorboard": "tensorboard", "sentencepiece": "protobuf"}
# Packages that users install for the programs of the command backend, in an environment of their own.
FOR_PROGRAMS = {"fastcoref", "isanlp_rst", "maverick"}
# Packages that a setting chooses, and that are loaded only then.
CHOSEN = {"ctranslate2", "rjieba"}
TABLES = ".to_markdown("  # for which pandas loads tabulate

SYSTEM_MODULES = {system.module for system in SYSTEMS.values()} | set(TASKS.values())
SYSTEM_MODULES |= {companion.module for companion in HELD}
SYSTEM_MODULES |= {kind.reader.split(":")[0] for kind in STRUCTURES.values() if kind.reader}
BUILDER_MODULES = {kind.builder.split(":")[0] for kind in STRUCTURES.values() if kind.builder}
SUBWORD_MODULES = {module for module, _ in OTHER_SUBWORDS.values()}
TOKENISER_MODULES = {OTHER_TOKENISERS["rjieba"]}
OTHER_BACKENDS = {module for name, offer in OFFERS.items() if name != "stanza" for module in offer.modules.values()}
# Modules that scripts load by name.
NAMED = {
    "discourse.analyse": OTHER_BACKENDS,
    "discourse.parse_instances": OTHER_BACKENDS,
    "structures.build_structure": BUILDER_MODULES,
    "train.train": SYSTEM_MODULES,
    "discourse.predict_discourse": SYSTEM_MODULES,
    "train.translate": SYSTEM_MODULES | SUBWORD_MODULES | TOKENISER_MODULES,
    "train.tune_decoding": SYSTEM_MODULES | SUBWORD_MODULES | TOKENISER_MODULES,
    "train.score_references": SYSTEM_MODULES,
    "score.score_contrastive": SYSTEM_MODULES | SUBWORD_MODULES | TOKENISER_MODULES,
    "train.show_cache": SYSTEM_MODULES | SUBWORD_MODULES | TOKENISER_MODULES,
    "corpus.measure_corpus": TOKENISER_MODULES,
    "external.import_hypotheses": TOKENISER_MODULES,
    "text.tokenise": TOKENISER_MODULES,
    "text.learn_bpe": SUBWORD_MODULES,
    "text.apply_bpe": SUBWORD_MODULES,
    "text.import_pretrained": SUBWORD_MODULES,
}


def pinned(stack: str) -> list[str]:
    """The packages of an environment."""
    environment = yaml.safe_load((ROOT / "envs" / f"{stack}.yaml").read_text(encoding="utf-8"))
    assert environment["channels"] == ["conda-forge"]
    assert environment["dependencies"][:-1] == ["python=3.11", "pip"]
    found: list[str] = environment["dependencies"][-1]["pip"]
    return found


@cache
def read(module: str) -> tuple[str, frozenset[str]]:
    """The text of a project module, and the names it imports."""
    path = module_path(module)
    assert path is not None, module
    text = path.read_text(encoding="utf-8")
    return text, frozenset(imported_names(ast.parse(text)))


def needed(modules: Iterable[str]) -> set[str]:
    """Distributions that modules need, with all that they import and, as far as it is known, load."""
    found, waiting, names, distributions = set[str](), list(modules), set[str](), set[str]()
    while waiting:
        module = waiting.pop()
        if module in found:
            continue
        found.add(module)
        text, imported = read(module)
        names |= imported
        distributions |= {"tabulate"} if TABLES in text else set()
        waiting += [name for name in imported if module_path(name)]
    distributions |= {LOADED[name] for name in names & LOADED.keys()}
    for name in {name.split(".")[0] for name in names} - sys.stdlib_module_names - {PACKAGE}:
        distributions |= {owner.lower().replace("_", "-") for owner in OWNERS.get(name, [])} & DECLARED
    return distributions


def scripts() -> dict[str, set[str]]:
    """The scripts of each environment, as the rules say."""
    found: dict[str, set[str]] = {stack: set() for stack in STACKS}
    for path in sorted((ROOT / "rules").glob("*.smk")):
        for environment, script, command in RULE.findall(path.read_text(encoding="utf-8")):
            script = script or f"commands.{command.replace('-', '_')}"
            if chosen := re.fullmatch(r'"\.\./envs/(\w+)\.yaml"', environment):
                found[chosen[1]].add(script)
            elif environment.startswith(("plan.corpora.import_environment(", "plan.corpora.tokeniser_environment")):
                found["text"].add(script)
                found["network"].add(script)
            else:  # by the backend, see Analyses.environment
                assert environment.startswith("plan.analyses.environment("), f"{path}: {environment}"
                found["network"].add(script)
                found["stanza"].add(script)
    return found


def test_every_rule_has_an_environment() -> None:
    for path in set((ROOT / "rules").glob("*.smk")) - set((ROOT / "rules").glob("common*.smk")):
        text = path.read_text(encoding="utf-8")
        assert len(RULE.findall(text)) == text.count("python -m discourse_nmt"), path.name


@pytest.mark.parametrize("stack", STACKS)
def test_an_environment_is_what_its_rules_need_at_the_pinned_versions(stack: str) -> None:
    entries = {script_module(script) for script in scripts()[stack]}
    if stack == "network":
        entries |= {SPLITTERS, OTHER_TOKENISERS["builtin"]}
    assert entries
    for script in scripts()[stack]:
        entries |= NAMED.get(script, set())
    if stack == "stanza":
        entries |= set(OFFERS["stanza"].modules.values())
    assert pinned(stack) == [PINS[name] for name in sorted(needed(entries))]


def test_only_networks_need_torch_and_only_some_need_stanza() -> None:
    """What makes environments of their own worth while."""
    stacks = {stack: {pin.split("==")[0] for pin in pinned(stack)} for stack in STACKS}
    assert {stack for stack, names in stacks.items() if "torch" in names} == {"network", "stanza"}
    assert {stack for stack, names in stacks.items() if "stanza" in names} == {"stanza"}


def test_backends_of_every_stage_are_covered() -> None:
    modules = {module for offer in OFFERS.values() for module in offer.modules.values()}
    assert len(modules) > len(STAGES)


def test_the_lock_is_exact_and_within_the_ranges() -> None:
    assert all(re.fullmatch(r"[A-Za-z0-9._-]+==[0-9][0-9a-z.]*", pin) for pin in LOCKED)
    for requirement in chain(BASE, *EXTRAS.values()):
        pin = PINS[requirement.name.lower()]
        assert requirement.specifier.contains(pin.split("==")[1]), f"{requirement} does not allow {pin}"
        assert len(requirement.specifier) >= 1 and "==" not in str(requirement), requirement


def test_without_extras_there_is_what_analysis_needs_and_nothing_of_the_workflow() -> None:
    commands = {"analyse", "evaluate_analysers", "systems", "translate"}
    names = needed({"discourse_nmt.command_line"} | {f"discourse_nmt.commands.{name}" for name in commands})
    assert names - CHOSEN <= {requirement.name for requirement in BASE}
    assert {requirement.name for name in sorted(CHOSEN) for requirement in EXTRAS[name]} == CHOSEN
    assert not {requirement.name for requirement in BASE} & {requirement.name for requirement in EXTRAS["workflow"]}


def test_every_imported_package_is_declared() -> None:
    """What runs for a user must not come along only as somebody else's dependency."""
    known = {name.lower() for name in DECLARED}
    for path in MODULES:
        beside = {one.stem for one in path.parent.glob("*.py")}  # which a program imports without the project
        installed = FOR_PROGRAMS | beside if "programs" in path.parts else set()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [str(node.module)] if isinstance(node, ast.ImportFrom) else []
            for name in {name.split(".")[0] for name in names} - sys.stdlib_module_names - {PACKAGE} - installed:
                distributions = {owner.lower().replace("_", "-") for owner in OWNERS.get(name, [])}
                assert distributions & known, f"{path}: {name} is not among the dependencies"
