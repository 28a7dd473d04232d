"""The configuration's checks: one line that names the key and the nearest valid one; schema, presets and code agree."""

import copy
import dataclasses
import re
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints

import pytest
import yaml

from discourse_nmt.base.errors import InputError
from discourse_nmt.corpus.data.settings import DataSettings
from discourse_nmt.corpus.importing.filters import Filters
from discourse_nmt.corpus.importing.plan import CorpusSettings, SplitSettings
from discourse_nmt.corpus.readers import FORMATS
from discourse_nmt.language_models.settings import LLM
from discourse_nmt.models.switches.transformer import TransformerSettings
from discourse_nmt.models.systems import SYSTEMS
from discourse_nmt.text import tokenisers
from discourse_nmt.text.settings import BpeSettings
from discourse_nmt.training.settings import TrainingSettings
from discourse_nmt.workflow.checks.corpora import check_corpora
from discourse_nmt.workflow.checks.experiments import check_experiments
from discourse_nmt.workflow.checks.schema import check_schema
from discourse_nmt.workflow.configuration.decoding import DecodingSection
from discourse_nmt.workflow.configuration.texts import BySide, TextSection
from discourse_nmt.workflow.configuration.tree import Configuration
from discourse_nmt.workflow.resolving.resolve import resolve
from discourse_nmt.workflow.sections.experiments import baseline_of, experiment_settings
from tests.conftest import ROOT

SCHEMA = yaml.safe_load((ROOT / "config.schema.yaml").read_text(encoding="utf-8"))
PRESETS = [ROOT / "config.yaml", *sorted((ROOT / "config").rglob("*.yaml"))]


def load(path: Path) -> dict[str, Any]:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def resolved(config: dict[str, Any]) -> Configuration:
    read = resolve(Configuration.read(check_schema(config, SCHEMA)))
    check_corpora(read)
    check_experiments(read)
    return read


@pytest.mark.parametrize("path", PRESETS, ids=lambda path: path.name)
def test_presets_are_valid(path: Path) -> None:
    config = resolved(load(path))
    for name in config.experiments:
        assert experiment_settings(config, name).training.batch_tokens > 0


def keys(schema: dict[str, Any]) -> set[str]:
    """Keys of an object of the schema, references followed."""
    while "$ref" in schema:
        schema = SCHEMA["$defs"][schema["$ref"].rsplit("/", 1)[1]]
    return set(schema.get("properties", {}))


def test_default_configuration_shows_every_key() -> None:
    config = load(ROOT / "config.yaml")
    corpus = next(iter(config["corpora"].values()))
    experiment = next(iter(config["experiments"].values()))
    assert set(config) == set(SCHEMA["properties"])
    assert set(config["demo"]) == keys(SCHEMA["properties"]["demo"])
    assert set(corpus) == keys(SCHEMA["$defs"]["corpus"])
    assert set(corpus["filters"]) == keys(SCHEMA["$defs"]["filters"])
    assert set(corpus["text"]) == keys(SCHEMA["$defs"]["text"])
    assert set(corpus["text"]["bpe"]) == keys(SCHEMA["$defs"]["text"]["properties"]["bpe"])
    assert set(config["training"]) == keys(SCHEMA["$defs"]["training"])
    assert set(config["decoding"]) == keys(SCHEMA["$defs"]["decoding"])
    assert set(config["significance"]) == keys(SCHEMA["properties"]["significance"])
    assert set(experiment) == keys(SCHEMA["$defs"]["experiment"])


def test_every_key_of_the_default_configuration_is_commented() -> None:
    for number, line in enumerate((ROOT / "config.yaml").read_text(encoding="utf-8").splitlines(), 1):
        key = line.split("#")[0].strip()
        if key and not key.startswith("- "):
            assert "#" in line, f"config.yaml:{number}: no comment on {key}"


def test_the_demo_names_every_switch_of_the_model_with_its_meaning() -> None:
    demo = load(ROOT / "config.yaml")["model"]
    defaults = dataclasses.asdict(TransformerSettings())
    assert set(demo) == set(defaults)
    # The demo's network is small; else a key here is what it is where nobody sets it.
    sizes = {"encoder_layers", "decoder_layers", "width", "feed_forward_width", "heads"}
    assert {name for name, value in demo.items() if value != defaults[name]} == sizes
    lines = (ROOT / "config.yaml").read_text(encoding="utf-8").splitlines()
    hints = get_type_hints(TransformerSettings)
    for field in dataclasses.fields(TransformerSettings):
        words = f" ({', '.join(get_args(hints[field.name]))})" if get_origin(hints[field.name]) is Literal else ""
        value = yaml.safe_dump(demo[field.name]).splitlines()[0]
        assert f"  {field.name}: {value} # {field.metadata['meaning']}{words}" in lines


def test_the_documentation_names_systems_that_there_are() -> None:
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    pattern = re.compile(r"\bsystem: (\w+)(?=[,}`]|$)", re.MULTILINE)
    named = {(page.name, name) for page in pages for name in pattern.findall(page.read_text("utf-8"))}
    assert len({page for page, _ in named}) > 3
    assert not {(page, name) for page, name in named if name not in (*SYSTEMS, LLM)}


def test_the_schema_describes_every_switch_of_the_model_and_sets_none() -> None:
    switches = SCHEMA["$defs"]["switches"]
    assert set(switches["properties"]) == {field.name for field in dataclasses.fields(TransformerSettings)}
    hints = get_type_hints(TransformerSettings)
    types = {int: "integer", float: "number", bool: "boolean"}
    for field in dataclasses.fields(TransformerSettings):
        key = dict(switches["properties"][field.name])
        default = yaml.safe_dump(field.default).splitlines()[0]
        assert key.pop("description").casefold() == f"{field.metadata['meaning']}; default {default}.".casefold()
        wanted = {"minimum": field.metadata["minimum"], "exclusiveMaximum": field.metadata["below"]}
        if get_origin(hints[field.name]) is Literal:
            wanted["enum"] = list(get_args(hints[field.name]))
        else:
            wanted["type"] = types[hints[field.name]]
        assert key == {name: value for name, value in wanted.items() if value is not None}, field.name
    config = resolved(load(ROOT / "config" / "demo_short.yaml"))
    assert set(config.model) == set(load(ROOT / "config" / "demo_short.yaml")["model"])


def followed(schema: dict[str, Any]) -> dict[str, Any]:
    """A key of the schema with its references followed, and without the form that gives a value per side."""
    while "$ref" in schema:
        own = {key: value for key, value in schema.items() if key != "$ref"}
        schema = SCHEMA["$defs"][schema["$ref"].rsplit("/", 1)[1]] | own
    return {**schema, **followed(schema["anyOf"][0])} if "anyOf" in schema else schema


def default_of(field: dataclasses.Field[Any]) -> Any:
    """The default of a setting as JSON writes it; a section of its own is an empty mapping."""
    value = field.default if field.default_factory is dataclasses.MISSING else field.default_factory()
    if isinstance(value, BySide):
        return dataclasses.asdict(value)
    return {} if dataclasses.is_dataclass(value) else value


# Settings dataclass, its object in the schema, keys that only the schema has and fields that only the code has.
SECTIONS = [
    (TrainingSettings, SCHEMA["$defs"]["training"], set(), set()),
    (DecodingSection, SCHEMA["$defs"]["decoding"], set(), set()),
    (
        CorpusSettings,
        SCHEMA["$defs"]["corpus"],
        {"licence", "contrastive", "suites", "systems", "text", "text_of", "data", "scored", "cut_test_sets_by"}
        | {"training", "decoding", "shards", "text_pairs"},
        {"shards"},  # a number, once the configuration is read
    ),
    (DataSettings, SCHEMA["$defs"]["data"], set(), set()),
    (SplitSettings, SCHEMA["$defs"]["corpus"]["properties"]["splits"]["additionalProperties"], set(), set()),
    (Filters, SCHEMA["$defs"]["filters"], set(), set()),
    (TextSection, SCHEMA["$defs"]["text"], set(), set()),
    (BpeSettings, SCHEMA["$defs"]["text"]["properties"]["bpe"], set(), set()),
]


@pytest.mark.parametrize(("declared", "schema", "more_keys", "more_fields"), SECTIONS)
def test_schema_and_settings_agree(
    declared: Any, schema: dict[str, Any], more_keys: set[str], more_fields: set[str]
) -> None:
    keys = {name: followed(value) for name, value in schema["properties"].items() if name not in more_keys}
    fields = {field.name: field for field in dataclasses.fields(declared) if field.name not in more_fields}
    assert set(keys) == set(fields)
    assert set(schema.get("required", ())) == {
        name for name, field in fields.items() if field.default is field.default_factory is dataclasses.MISSING
    }
    hints = get_type_hints(declared)
    for name, key in keys.items():
        field = fields[name]
        if declared is not SplitSettings:  # its keys share their descriptions and are absent rather than null
            assert key["description"].casefold() == f"{field.metadata['meaning']}.".casefold(), name
            assert name in schema.get("required", ()) or key["default"] == default_of(field), name
        numbers = key.get("additionalProperties", key) if get_origin(hints[name]) is dict else key
        assert numbers.get("minimum") == field.metadata["minimum"], name
        assert numbers.get("exclusiveMaximum") == field.metadata["below"], name
        if get_origin(hints[name]) is Literal:
            assert key["enum"] == list(get_args(hints[name])), name


def test_the_schema_names_every_format() -> None:
    assert SCHEMA["$defs"]["corpus"]["properties"]["format"]["enum"] == list(FORMATS)


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (("trainin",), {}, "unknown key trainin in the top level; did you mean training?"),
        (("training", "bach_tokens"), 1, "unknown key bach_tokens in training; did you mean batch_tokens?"),
        (("training", "batch_tokens"), "many", "training.batch_tokens: 'many' is not of type 'integer'"),
        (
            ("corpora", "demo", "format"),
            "tabel",
            "corpora.demo.format: 'tabel' is not one of its values; did you mean table?",
        ),
        (("experiments", "sentence", "system"), "transfomer", "unknown system transfomer; did you mean transformer?"),
        (("experiments", "sentence", "system"), "lm", "experiments.sentence: unknown system lm; did you mean llm?"),
        (
            ("experiments", "sentence", "system"),
            "external",
            "experiments.sentence: system external is not trained; its keys stand in corpora.NAME.systems.SYSTEM",
        ),
        (
            ("experiments", "sentence", "settings"),
            {"widht": 3},
            "experiments.sentence: settings: unknown setting widht; did you mean width?",
        ),
        (("model", "norm"), "pots", "model.norm: 'pots' is not one of its values; did you mean post?"),
        (("model", "dropout"), 1, "model.dropout: 1 is greater than or equal to the maximum of 1"),
        (("experiments", "sentence", "settings"), {"heads": 0}, "experiments.sentence.settings.heads: 0 is less than"),
        (("experiments", "sentence", "corpora"), ["dmo"], "no corpus dmo; did you mean demo?"),
        (("experiments", "sentence", "initialised_from"), "sentense", "no experiment sentense; did you mean sentence?"),
        (("experiments", "sentence", "initialised_from"), "sentence", "leads back to sentence"),
        (("experiments", "sentence", "initialised_from"), "pretrained", "corpus demo has no checkpoint; set subwords"),
        (("experiments", "pretrained"), {"system": "transformer"}, "experiments.pretrained: that names the checkpoint"),
        (
            ("significance", "baseline"),
            "sentense",
            "significance.baseline: no experiment sentense; did you mean sentence?",
        ),
        (("significance", "sampels"), 5, "unknown key sampels in significance; did you mean samples?"),
        (
            ("experiments", "sentence", "settings"),
            {"width": 30, "heads": 4},
            "experiments.sentence: settings: width is 30, heads is 4; width must be even",
        ),
        (
            ("experiments", "sentence", "decodings"),
            {"wide": {"beam": 2, "n_best": 4}},
            "experiments.sentence.decodings.wide: decoding: n_best is 4 but beam is 2; widen the beam",
        ),
        *(
            (
                ("experiments", "packed"),
                {"system": system, "settings": {"encoder_layers": 2, "decoder_layers": 3, key: 4}},
                f"experiments.packed: settings: {key} is 4, but there are encoder_layers 2",
            )
            for system, key in {
                "rst_transformer": "rst_layers",
                "g_transformer": "global_layers",
                "flat_transformer": "current_layers",
            }.items()
        ),
        *(
            (
                ("experiments", "asked"),
                {"system": "llm", "settings": settings},
                f"experiments.asked.settings: {message}",
            )
            for settings, message in [
                ({}, "there are neither of address and command; give one of the two"),
                ({"address": "http://x", "command": ["y"]}, "there are both address and command; give one"),
                ({"address": "x"}, "address is 'x'; write for example http://127.0.0.1"),
                ({"address": "http://me@x"}, "address holds a name or a key; put the key"),
                ({"address": "http://x", "key_variable": "a-b"}, "key_variable is no name of an environment"),
                ({"address": "http://x", "parameters": {"model": "y"}}, "parameters.model is no further key; leave"),
            ]
        ),
        (
            ("experiments", "asked"),
            {"system": "llm", "settings": {"command": ["x"]}, "compared_with": "asked"},
            "experiments.asked.compared_with: that is itself; name another",
        ),
        (("metrics",), {"comet": {"command": ["x"], "texts": {"reads": 5}}}, "metrics.comet.texts: reads and subwords"),
        (("experiments", "sentence", "compared_with"), "x", "experiments.sentence.compared_with: no experiment x"),
        (("experiments", "sentence", "compared_with"), "sentence", "compared_with: that is itself; name another"),
        (("corpora", "demo", "text", "subwords"), "byte_bpe", "subwords is byte_bpe, pretrained is None"),
        (("run",), "a/../b", "run: 'a/../b' is no name; use letters from A to Z, digits, _, ., + and -, a letter or"),
        (("run",), "mein großes Netz", "or digit first, for example mein_grosses_Netz"),
        (("corpora", "demo; rm -rf x"), {}, "corpora: 'demo; rm -rf x' is no name; use letters"),
        (("experiments", "_trees"), {"system": "transformer"}, "experiments: '_trees' is no name; "),
        (("corpora", "demo", "held_out"), {"te st": 2}, "corpora.demo.held_out: 'te st' is no name; "),
        (("parsers",), {"English": {}}, "parsers: 'English' is no code of a language; write en (English)"),
        (
            ("corpora", "demo", "data"),
            {"folder": "x", "urls": {"a": {"url": "ftp://a", "sha256": "0" * 64}}},
            "corpora.demo.data.urls.a.url: 'ftp://a' is no address; begin it with https://",
        ),
        (
            ("corpora", "demo", "data"),
            {"folder": "x", "urls": {"a": {"url": "https://a", "sha256": "0"}}},
            "corpora.demo.data.urls.a.sha256: '0' is no SHA-256; write 64",
        ),
        (
            ("training", "learning_rate"),
            "1e-3",
            "learning_rate: '1e-3' is text; take off the quotes, or write",
        ),
        (("corpora", "demo", "options"), {"layot": "csv"}, "unknown setting layot; did you mean layout?"),
        (("corpora", "demo", "held_out"), {"more": 1.5}, "corpora.demo.held_out.more: 1.5 is neither"),
        (
            ("corpora", "demo", "text", "tokeniser"),
            {"source": "moses", "traget": "moses"},
            "unknown key traget in corpora.demo.text.tokeniser; did you mean target?",
        ),
        (
            ("corpora", "demo", "text", "tokeniser"),
            {"source": "moses", "target": "mses"},
            "corpora.demo: text: tokeniser is 'mses'; did you mean moses?",
        ),
        (
            ("corpora", "demo", "text", "tokeniser"),
            "mses",
            "corpora.demo.text.tokeniser: 'mses' is not one of its values; did you mean moses?",
        ),
        (
            ("corpora", "demo", "text", "tokeniser"),
            "builtin",
            "corpora.demo: text: tokeniser builtin is for Chinese, not for en; set it to auto for this side",
        ),
        (("corpora", "demo", "contrastive"), {"tset": "x"}, "corpora.demo.contrastive: no test set tset; did you mean"),
        (
            ("corpora", "demo", "splits"),
            {"train": {"files": ["a"]}, "test": {"files": ["b"]}},
            "corpora.demo: no split dev, which decides when training ends; give it files under splits, or",
        ),
        (
            ("corpora", "demo", "source_language"),
            "EN",
            "language: 'EN' is no code of a language; write en (English)",
        ),
        (("experiments", "sentence", "seeds"), 3, "experiments.sentence.seeds: 3 is no list; write [3]"),
        (("experiments", "sentence", "seeds"), "3", "experiments.sentence.seeds: '3' is no list; write [3]"),
        (("analyses", "builtin", "corpora"), "demo", "analyses.builtin.corpora: 'demo' is no list; write [\"demo\"]"),
        (("documents",), "*.txt", "documents: '*.txt' is no list; write [\"*.txt\"]"),
        (("experiments", "sentence", "seeds"), {}, "experiments.sentence.seeds: {} is not of type 'array'"),
        (("experiments", "sentence", "corpora"), ["demo", "demo"], "has non-unique elements"),
    ],
)
def test_faults_are_told_in_one_line(path: tuple[str, ...], value: Any, message: str) -> None:
    config = load(ROOT / "config.yaml")
    place = config
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    with pytest.raises(InputError) as caught:
        resolved(config)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_tokeniser_whose_package_is_missing_is_told_before_any_job(monkeypatch: pytest.MonkeyPatch) -> None:
    config = load(ROOT / "config.yaml")
    config["corpora"]["demo"]["text"]["tokeniser"] = {"source": "moses", "target": "rjieba"}
    resolved(config)
    monkeypatch.setattr(tokenisers, "find_spec", lambda name: None)
    with pytest.raises(
        InputError, match=r"^corpora.demo: text: tokeniser is rjieba, and the package rjieba is missing; "
    ):
        resolved(config)


def test_experiment_settings_override_the_common_ones() -> None:
    demo = load(ROOT / "config.yaml")
    demo["experiments"]["other"] = copy.deepcopy(demo["experiments"]["sentence"])
    demo["experiments"]["other"]["training"] = {"learning_rate": 0.125}
    demo["experiments"]["other"]["settings"] = {"width": 64}
    config = resolved(demo)
    merged = experiment_settings(config, "other")
    assert merged.training.learning_rate == 0.125
    assert merged.settings.width == 64
    assert type(merged.settings) is SYSTEMS["transformer"].settings
    assert experiment_settings(config, "sentence").training.learning_rate != 0.125


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (
            {"width": 64},
            "experiments.other: width is 64, that of sentence, which it starts from, is 128; give both",
        ),
        (
            {"heads": 2},
            "experiments.other: heads is 2, that of sentence, which it starts from, is 4; give both",
        ),
        ({"positions": "learned"}, "positions is learned, that of sentence, which it starts from, is sinusoidal"),
        ({"decoder_layers": 1}, "decoder_layers is 1, that of sentence, which it starts from, is 2, so that its upper"),
    ],
)
def test_an_experiment_starts_from_a_model_that_fits(settings: dict[str, Any], message: str) -> None:
    config = load(ROOT / "config.yaml")
    config["experiments"] = {
        "sentence": {"system": "transformer", "settings": {"encoder_layers": 2, "decoder_layers": 2, "width": 128}},
        "other": {"system": "concat", "initialised_from": "sentence", "settings": {"encoder_layers": 3}},
    }
    config["labellers"], config["significance"] = {}, {}
    resolved(config)
    config["experiments"]["other"]["settings"] = settings
    with pytest.raises(InputError) as caught:
        resolved(config)
    assert message in str(caught.value)


@pytest.mark.parametrize("path", [path for path in PRESETS if path.parent.name == "papers"], ids=lambda path: path.name)
def test_presets_of_papers_test_significance(path: Path) -> None:
    """As the papers do; a run of one experiment has nothing to be compared."""
    config = resolved(load(path))
    pairs = [(name, corpus) for name in config.experiments for corpus in config.corpora]
    assert len(config.experiments) == 1 or any(baseline_of(config, *pair) for pair in pairs)


def test_an_experiment_starts_from_one_of_its_own_corpus() -> None:
    config = load(ROOT / "config.yaml")
    config["corpora"]["second"] = copy.deepcopy(config["corpora"]["demo"])
    config["experiments"]["other"] = {"system": "transformer", "initialised_from": "sentence"}
    with pytest.raises(InputError, match="sentence is not trained on second; add it to experiments"):
        resolved(config)


def test_experiments_are_compared_on_the_corpora_of_their_baseline() -> None:
    config = load(ROOT / "config.yaml")
    config["corpora"]["second"] = copy.deepcopy(config["corpora"]["demo"])
    config["experiments"] = {"sentence": config["experiments"]["sentence"], "other": {"system": "transformer"}}
    read = resolved(config)
    assert baseline_of(read, "other", "demo") == "sentence"
    assert baseline_of(read, "other", "second") is None
    assert baseline_of(read, "sentence", "demo") is None
    config["experiments"]["other"]["compared_with"] = "sentence"
    with pytest.raises(InputError, match=r"other\.compared_with: sentence is not trained on second; add it to exp"):
        resolved(config)
    config["experiments"]["sentence"]["compared_with"] = "other"
    config["experiments"]["other"]["corpora"] = ["demo"]
    assert baseline_of(resolved(config), "sentence", "demo") == "other"


def test_a_corpus_does_not_take_the_name_of_another_folder() -> None:
    config = load(ROOT / "config.yaml")
    config["corpora"]["logs"] = copy.deepcopy(config["corpora"]["demo"])
    with pytest.raises(InputError, match="rename the corpus"):
        resolved(config)
