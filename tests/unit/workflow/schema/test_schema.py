"""The generated schema, page and comments: up to date, complete, strict in an editor, and lenient in the workflow."""

import copy
import dataclasses
import importlib
import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator

from discourse_nmt import PACKAGE
from discourse_nmt.base.errors import InputError
from discourse_nmt.base.settings import TUNED, declared_fields, hints_of
from discourse_nmt.corpus.readers import FORMATS
from discourse_nmt.corpus.suites import FORMATS as SUITE_FORMATS
from discourse_nmt.discourse.backends.registry import OFFERS
from discourse_nmt.models.systems import SYSTEMS
from discourse_nmt.workflow.checks.experiments import check_experiments
from discourse_nmt.workflow.checks.schema import check_schema
from discourse_nmt.workflow.configuration.tree import Configuration
from discourse_nmt.workflow.schema.comments import commented
from discourse_nmt.workflow.schema.generate import generated
from discourse_nmt.workflow.schema.json_schema import as_yaml
from discourse_nmt.workflow.schema.tables import pages, settings_pages
from discourse_nmt.workflow.schema.validator import parsed_schema
from tests.conftest import ROOT

SCHEMA = parsed_schema((ROOT / "config.schema.yaml").read_text(encoding="utf-8"))
PRESETS = [ROOT / "config.yaml", *sorted((ROOT / "config").rglob("*.yaml"))]
# Rates and sizes that a network gets from other settings, the two sides of a text, the description of a model folder:
# no keys of the configuration.
NO_KEYS = {"AnalyserDropout", "NetworkSizes", "ParserSizes", "TextSettings", "AnalysisRecipe", "Manifest", "Origin"}


def demo() -> dict[str, Any]:
    config: dict[str, Any] = yaml.safe_load((ROOT / "config.yaml").read_text(encoding="utf-8"))
    return config


def in_an_editor(config: dict[str, Any]) -> list[str]:
    """Faults that a plain validator of JSON Schema finds, as an editor has one."""
    return [
        f"{'.'.join(map(str, error.absolute_path))}: {error.message}"
        for error in Draft202012Validator(SCHEMA).iter_errors(config)
    ]


@pytest.mark.parametrize("path", ["config.schema.yaml", "config.yaml", *settings_pages()])
def test_committed_files_are_the_generated_ones(path: str) -> None:
    assert (ROOT / path).read_text(encoding="utf-8") == generated()[path], "run make schema"


def test_the_schema_is_one() -> None:
    Draft202012Validator.check_schema(SCHEMA)
    references = set(re.findall(r"#/\$defs/(\w+)", json.dumps(SCHEMA)))
    assert references == set(SCHEMA["$defs"])


def settings_classes() -> list[type[Any]]:
    """Every dataclass of the project with a field made by ``setting``."""
    classes = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        if not re.search(
            r"^    \w+: .* = (setting|given|required|probability|_size)\(", path.read_text(encoding="utf-8"), re.M
        ):
            continue
        module = importlib.import_module(".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts))
        for kind in vars(module).values():
            own = isinstance(kind, type) and dataclasses.is_dataclass(kind) and kind.__module__ == module.__name__
            if own and any("meaning" in entry.metadata for entry in dataclasses.fields(kind)):
                classes[f"{module.__name__}.{kind.__name__}"] = kind
    return list(classes.values())


def test_every_setting_is_in_the_schema_and_on_the_page() -> None:
    described = set(re.findall(r'"(\w+)": \{"description"', json.dumps(SCHEMA)))
    page = "".join(settings_pages().values())
    kinds = [kind for kind in settings_classes() if kind.__name__ not in NO_KEYS]
    tuned = [hints_of(kind)[TUNED] for kind in kinds if TUNED in declared_fields(kind)]
    assert len(kinds) > 50 and len(tuned) == 4
    for kind in kinds:
        for entry in declared_fields(kind).values():
            if "meaning" in entry.metadata and (kind.__name__, entry.name) != ("SideSettings", "language"):
                assert entry.name in described, f"{kind.__name__}.{entry.name}"
                row = f"| `{entry.name}` |" if kind not in tuned else f"{entry.name}: {as_yaml(entry.default)}"
                assert row in page, f"{kind.__name__}.{entry.name}"


def test_each_dataclass_has_the_keys_of_its_section() -> None:
    definitions = SCHEMA["$defs"]
    for name, system in SYSTEMS.items():
        assert list(definitions[f"system_{name}"]["properties"]) == [
            entry.name for entry in dataclasses.fields(system.settings)
        ]
    for name, chosen in FORMATS.items():
        assert set(definitions[f"options_{name}"]["properties"]) == {
            entry.name for entry in dataclasses.fields(chosen.options)
        }
    sections = [section for page in pages().values() for section in page]
    headings = {section.heading for section in sections}
    assert {f"## {name}" for name in SYSTEMS if name != "transformer"} <= headings
    assert {f"### backend {name}" for name in OFFERS} <= headings
    assert {
        f"## suite format {name}" for name, one in SUITE_FORMATS.items() if dataclasses.fields(one.options)
    } <= headings
    assert len(headings) == len(sections)


@pytest.mark.parametrize("path", PRESETS, ids=lambda path: path.name)
def test_an_editor_finds_no_fault_in_a_preset(path: Path) -> None:
    assert in_an_editor(yaml.safe_load(path.read_text(encoding="utf-8"))) == []


@pytest.mark.parametrize(
    ("path", "value", "fault"),
    [
        ("experiments.mix.settings", {"rst_layer": 1}, "'rst_layer' was unexpected"),
        ("experiments.mix.settings", {"fusion": "mixed"}, "'mixed' is not one of"),
        ("experiments.mix.settings", {"drop_rst": 1.1}, "1.1 is greater than the maximum of 1"),
        ("experiments.sentence.settings", {"rst_layers": 1}, "'rst_layers' was unexpected"),
        ("experiments.sentence.system", "transfomer", "'transfomer' is not one of"),
        ("experiments.mix.training", {"max_update": 5}, "'max_update' was unexpected"),
        ("experiments.mix.decoding", {"beam": 0}, "0 is less than the minimum of 1"),
        ("model.widht", 4, "'widht' is not one of"),
        ("corpora.demo.options", {"layot": "csv"}, "'layot' was unexpected"),
        ("corpora.demo.splits.dev", {"format": "marked", "options": {"layout": "csv"}}, "is not valid under any"),
        ("corpora.demo.suites.x", {"format": "voita", "options": {"seperator": "_"}}, "'seperator' was unexpected"),
        ("analyses.builtin.edus", {"backend": "stanza"}, "'stanza' is not one of"),
        ("analyses.builtin.edus", {"backend": "import"}, "'files' is a required property"),
        ("analyses.builtin.edus", {"clause": "edu"}, "'clause' was unexpected"),
        ("analyses.gold.rst.format", "tabel", "'tabel' is not one of"),
        ("labellers.themes.settings", {"layer": 1}, "'layer' was unexpected"),
        (
            "parsers.en",
            {"treebanks": {"train": {"conllu": ["x"]}, "dev": {"conllu": ["y"]}}, "rst": {"training": {"epoch": 1}}},
            "'epoch' was",
        ),
        (
            "parsers.en",
            {"treebanks": {"train": {"conllu": ["x"]}, "dev": {"conllu": ["y"]}}, "training": {"tuned": {"clips": 1}}},
            "'clips' was",
        ),
    ],
)
def test_an_editor_flags_keys_and_values(path: str, value: Any, fault: str) -> None:
    config = demo()
    *sections_above, key = path.split(".")
    section = config
    for name in sections_above:
        section = section[name]
    section[key] = value
    faults = in_an_editor(config)
    assert any(fault in one for one in faults), faults


def test_the_workflow_leaves_switches_to_their_dataclasses() -> None:
    config = demo()
    config["experiments"]["mix"]["settings"] = {"rst_layer": 1}
    read = Configuration.read(check_schema(config, SCHEMA))
    with pytest.raises(InputError, match=r"experiments\.mix: settings: unknown setting rst_layer; did you mean rst_"):
        check_experiments(read)


def test_defaults_are_filled_where_a_key_stands_for_itself_alone() -> None:
    given: dict[str, Any] = {
        "run": "x",
        "corpora": {
            "c": {
                "source_language": "en",
                "target_language": "de",
                "format": "table",
                "splits": {"train": {"files": ["a"]}},
                "suites": {"s": {"format": "voita", "files": ["b"]}},
            }
        },
        "experiments": {"e": {"system": "rst_transformer"}},
        "labellers": {"l": {}},
    }
    before = copy.deepcopy(given)
    config: Any = check_schema(given, SCHEMA)
    assert given == before, "what is given stays"
    assert config["corpora"]["c"]["filters"]["max_tokens"] == 200
    assert config["corpora"]["c"]["splits"] == given["corpora"]["c"]["splits"]
    assert config["corpora"]["c"]["suites"]["s"] == given["corpora"]["c"]["suites"]["s"] | {
        "context": None,
        "generation": False,
        "options": {},
        "where": "",
    }
    assert config["experiments"]["e"] == given["experiments"]["e"] | {
        "analysis": "builtin",
        "decodings": {},
        "seeds": [1],
        **dict.fromkeys(("initialised_from", "taken_from", "labeller", "compared_with")),
        **{section: {} for section in ("settings", "training", "decoding")},
    }
    assert config["model"] == {}
    assert config["training"]["adam_epsilon"] == 1e-9
    assert config["analyses"]["builtin"]["rst"] == {"backend": "builtin"}
    assert config["labellers"]["l"]["imported"] is None
    again: Any = check_schema(given, SCHEMA)
    config["corpora"]["c"]["filters"]["splits"].append("dev")
    assert again["corpora"]["c"]["filters"]["splits"] == ["train"], "defaults are copied"


def test_comments_are_meanings_where_a_key_first_occurs() -> None:
    text = "run: x # mine\ncorpora:\n  run: # a name\n    where: a # mine\n  b: # a name\n    where: b # mine\n"
    assert commented(text).splitlines() == [
        "run: x # name of this run; its results lie in results/<run>/",
        "corpora: # parallel corpora with document boundaries, by name",
        "  run: # a name",
        "    where: a # source of the files, shown when one is missing",
        "  b: # a name",
        "    where: b # mine",
    ]


def test_no_page_has_a_line_that_breaks_its_tables() -> None:
    for path, text in settings_pages().items():
        bars = 3 if path == "docs/reference/settings.md" else 5
        for line in text.splitlines():
            assert not line.startswith("|") or len(re.findall(r"(?<!\\)\|", line)) == bars, line
