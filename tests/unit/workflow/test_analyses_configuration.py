"""Sets of analysers in the configuration: schema and code agree, faults are told in one line, before any job."""

import copy
import dataclasses
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints

import pytest
import yaml

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.settings import as_json
from discourse_nmt.base.storage.tables import TABLES
from discourse_nmt.discourse import settings
from discourse_nmt.discourse.backends.builtin.models import SHIPPED
from discourse_nmt.discourse.backends.registry import OFFERS, STAGES, module_of, needed_tables, stage_settings
from discourse_nmt.discourse.settings import ImportSettings, RstSettings
from discourse_nmt.discourse.themes.settings import ThemeSettings
from discourse_nmt.models.switches.transformer import TransformerSettings
from discourse_nmt.training.kinds import STRUCTURES, StructureKind
from discourse_nmt.workflow.checks.analyses import check_analyses, check_annotation
from discourse_nmt.workflow.checks.schema import check_schema
from discourse_nmt.workflow.configuration.analyses import AnalysisSection
from discourse_nmt.workflow.reruns.fingerprint import fingerprint, module_path, reachable_modules
from discourse_nmt.workflow.resolving.resolve import resolve
from discourse_nmt.workflow.sections.analyses import conversion_of, section_of
from tests.conftest import ROOT
from tests.unit.workflow.plan.plan_examples import read

SCHEMA = yaml.safe_load((ROOT / "config.schema.yaml").read_text(encoding="utf-8"))
ANALYSER = SCHEMA["$defs"]["analyser"]["properties"]
ANALYSIS = SCHEMA["$defs"]["analysis"]["properties"]
IMPORT = {"backend": "import", "format": "table", "files": "gold/{split}.parquet"}


def configured(analyses: Any = None, **corpus: Any) -> dict[str, Any]:
    """A configuration with the schema's defaults."""
    config = {
        "run": "test",
        "corpora": {
            "demo": {
                "source_language": "en",
                "target_language": "de",
                "format": "table",
                "splits": {"train": {"files": ["train.tsv"]}, "dev": {"files": ["dev.tsv"]}},
                **corpus,
            }
        },
        "experiments": {"sentence": {"system": "transformer"}},
    }
    if analyses is not None:
        config["analyses"] = copy.deepcopy(analyses)
    return check_schema(config, SCHEMA)


def fields_of(*declared: Any) -> dict[str, tuple[dataclasses.Field[Any], Any]]:
    return {
        field.name: (field, get_type_hints(kind)[field.name]) for kind in declared for field in dataclasses.fields(kind)
    }


def test_schema_and_settings_of_analysers_agree() -> None:
    kinds = {offer.settings_of(stage) for offer in OFFERS.values() for stage in offer.modules}
    declared = fields_of(*kinds, RstSettings)
    declared.pop("weights")  # stands beside the stages, for all of them
    assert set(ANALYSER) == {"backend", *declared}
    for name, (field, hint) in declared.items():
        assert "default" not in ANALYSER[name], name
        if name != "format":  # two backends say it in their own way
            default = field.default if field.default_factory is dataclasses.MISSING else None
            told = (
                "" if default in (dataclasses.MISSING, None) else f"; default {yaml.safe_dump(default).splitlines()[0]}"
            )
            assert ANALYSER[name]["description"].casefold() == f"{field.metadata['meaning']}{told}.".casefold(), name
        if get_origin(hint) is Literal:
            assert ANALYSER[name]["enum"] == list(get_args(hint)), name
    assert ANALYSER["backend"]["enum"] == list(OFFERS) == list(get_args(settings.BackendName))


def test_schema_and_settings_of_analyses_agree() -> None:
    declared = fields_of(AnalysisSection)
    assert set(ANALYSIS) == set(declared)
    for name, (field, _) in declared.items():
        default = field.default if field.default_factory is dataclasses.MISSING else field.default_factory()
        assert ANALYSIS[name]["default"] == ({} if dataclasses.is_dataclass(default) else as_json(default)), name
        assert ANALYSIS[name]["description"].casefold() == f"{field.metadata['meaning']}.".casefold(), name
    assert set(settings.TABLES) == {*STAGES, "rst_dependencies", "document_graph"} <= set(TABLES)
    assert ANALYSIS["tables"]["items"]["enum"] == list(settings.TABLES)
    assert set(ANALYSIS["target"]["properties"]) == set(STAGES)


def test_the_demo_shows_every_key_of_an_analysis() -> None:
    config = yaml.safe_load((ROOT / "config.yaml").read_text(encoding="utf-8"))
    assert set(config["analyses"]["builtin"]) == set(ANALYSIS)
    assert set(config["analyses"]["builtin"]["rst"]) == {"backend", *fields_of(RstSettings)}
    assert set(config["analyses"]["builtin"]["themes"]) == {"backend", *fields_of(ThemeSettings)}


@pytest.mark.parametrize(
    "preset", [ROOT / "config.yaml", *sorted((ROOT / "config").rglob("*.yaml"))], ids=lambda p: p.name
)
def test_presets_are_valid(preset: Path) -> None:
    config = yaml.safe_load(preset.read_text(encoding="utf-8"))
    check_analyses(resolve(read(config)))


def test_the_default_is_one_set_of_builtin_analysers() -> None:
    config = configured()
    check_analyses(read(config))
    assert list(config["analyses"]) == ["builtin"]
    for stage in STAGES:
        assert section_of(read(config).analyses["builtin"], "source", stage) == {"backend": "builtin", "weights": None}
    assert conversion_of(read(config).analyses["builtin"], "source") == RstSettings("li14", True)


@pytest.mark.parametrize(
    ("analysis", "message"),
    [
        ({"edu": {}}, "unknown key edu in analyses.own; did you mean edus?"),
        ({"edus": {"backend": "bultin"}}, "'bultin' is not one of its values; did you mean builtin?"),
        ({"edus": {"backend": "stanza", "folder": "x"}}, "analyses.own: edus: no backend stanza; choose from builtin"),
        ({"edus": {"backend": "builtin", "files": "x"}}, "analyses.own: edus: unknown setting files"),
        ({"edus": {"backend": "import", "format": "table"}}, "analyses.own: edus: files is missing"),
        ({"edus": {"conversion": "li14"}}, "analyses.own: edus: unknown setting conversion"),
        ({"edus": {"clause": "edu"}}, "analyses.own: edus: unknown setting clause"),
        ({"themes": {**IMPORT, "clause": "edu"}}, "analyses.own: themes: unknown setting clause"),
        ({"edus": {"fiels": "x"}}, "unknown key fiels in analyses.own.edus; did you mean files?"),
        ({"edus": {**IMPORT, "format": "tabel"}}, "analyses.own: edus: no format tabel; did you mean table?"),
        (
            {"edus": {**IMPORT, "files": "{splt}.parquet"}},
            "analyses.own: edus: files has the placeholder {splt}",
        ),
        (
            {"rst": {"backend": "command", "command": ["x"], "format": "dis"}},
            "own: rst: command has no argument",
        ),
        ({"rst": {"conversion": "li"}}, "'li' is not one of its values; did you mean li14?"),
        ({"corpora": ["dmo"]}, "analyses.own.corpora: no corpus dmo; did you mean demo?"),
        ({"sides": ["left"]}, "'left' is not one of its values"),
        ({"target": {"themes": {"backend": "stanza", "folder": "x"}}}, "analyses.own: themes: no backend stanza"),
    ],
)
def test_faults_are_told_in_one_line(analysis: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as caught:
        check_analyses(read(configured({"own": analysis})))
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_side_may_have_its_own_analysers() -> None:
    config = configured(
        {"own": {"sides": ["source", "target"], "target": {"rst": {**IMPORT, "conversion": "hirao13"}}}}
    )
    check_analyses(read(config))
    analysis = read(config).analyses["own"]
    assert section_of(analysis, "source", "rst")["backend"] == "builtin"
    assert section_of(analysis, "target", "rst") == IMPORT
    assert section_of(analysis, "target", "edus")["backend"] == "builtin"
    assert (conversion_of(analysis, "source").conversion, conversion_of(analysis, "target").conversion) == (
        "li14",
        "hirao13",
    )


def needing(monkeypatch: pytest.MonkeyPatch, *tables: str) -> None:
    """Let the sentence model read a structure file made of these tables."""
    kind = "dependencies" if "rst_dependencies" in tables else "other"
    tree: Literal["", "instance"] = "instance" if kind == "dependencies" else ""
    monkeypatch.setitem(STRUCTURES, kind, StructureKind(kind, tables=tables, tree=tree))
    monkeypatch.setattr(TransformerSettings, "structure", kind)


def test_a_language_without_models_matters_only_where_annotation_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    config = configured(source_language="it")
    check_analyses(read(config))
    needing(monkeypatch, "syntax", "coreference")
    check_analyses(read(config))
    needing(monkeypatch, "rst_dependencies")
    with pytest.raises(InputError, match=r"analyses.builtin, source .* corpus demo: (rst|edus): no builtin .* it"):
        check_analyses(read(config))
    for table, stage in (("edus", "edus"), ("rst", "(rst|edus)"), ("themes", "themes")):
        with pytest.raises(InputError, match=f"{stage}: no builtin .*; choose backend: import or command"):
            check_annotation(read(config), "demo", "builtin", "source", table)
    imported = configured({"builtin": {"edus": IMPORT, "rst": {**IMPORT, "unit": "document"}}}, source_language="it")
    check_analyses(read(imported))
    assert sorted(check_annotation(read(imported), "demo", "builtin", "source", "rst_dependencies")) == ["edus", "rst"]


@pytest.mark.parametrize("side", ["source", "target"])
def test_german_has_trees_on_either_side(side: str) -> None:
    config = configured({"own": {"sides": ["source", "target"]}}, source_language="de", target_language="de")
    check_analyses(read(config))
    for table in ("rst", "rst_dependencies"):
        assert set(check_annotation(read(config), "demo", "own", side, table)) == {"syntax", "edus", "rst"}


def test_imported_trees_are_not_of_instances(monkeypatch: pytest.MonkeyPatch) -> None:
    config = configured({"own": {"rst": IMPORT}})
    config["experiments"]["sentence"]["analysis"] = "own"
    for tables in (("edus",), ("rst",)):
        needing(monkeypatch, *tables)
        check_analyses(read(config))
    needing(monkeypatch, "rst_dependencies")
    with pytest.raises(InputError, match=r"experiments.sentence: analyses.own.rst: imported .*; set unit: document"):
        check_analyses(read(config))
    config["analyses"]["own"]["rst"]["unit"] = "document"
    check_analyses(read(config))


def test_an_experiment_needs_an_analysis_that_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    config = configured({"own": {}})
    check_analyses(read(config))  # this experiment needs none
    config["experiments"]["sentence"]["analysis"] = "onw"
    with pytest.raises(InputError, match=r"experiments.sentence: no analysis onw; did you mean own?"):
        check_analyses(read(config))
    config["experiments"]["sentence"]["analysis"] = "builtin"
    needing(monkeypatch, "syntax")
    with pytest.raises(InputError, match=r"experiments.sentence: no analysis builtin; choose from own"):
        check_analyses(read(config))


def test_themes_of_sentences_need_no_units() -> None:
    config = configured({"own": {"themes": {"clause": "sentence"}}, "builtin": {}})
    assert check_annotation(read(config), "demo", "own", "source", "themes") == ["themes", "syntax"]
    assert set(check_annotation(read(config), "demo", "builtin", "source", "themes")) == {"themes", "syntax", "edus"}


def test_own_weights(tmp_path: Path) -> None:
    (tmp_path / "fr").mkdir()
    for name in ("joint", "rst"):
        (tmp_path / "fr" / f"{name}.safetensors").touch()
    (tmp_path / "fr" / "joint.json").write_text("{}", encoding="utf-8")
    config = configured({"builtin": {"weights": str(tmp_path)}}, source_language="fr")
    assert set(check_annotation(read(config), "demo", "builtin", "source", "rst")) == {"syntax", "edus", "rst"}


def test_weights_without_units_are_refused_before_any_job(tmp_path: Path) -> None:
    """Those of units may lie in files of their own."""
    folder = tmp_path / "it"
    folder.mkdir()
    (folder / "joint.safetensors").touch()
    (folder / "joint.json").write_text('{"units": false}', encoding="utf-8")
    config = configured({"builtin": {"weights": str(tmp_path)}}, source_language="it")
    with pytest.raises(InputError, match="edus: the builtin model for the language it has learnt no discourse units"):
        check_annotation(read(config), "demo", "builtin", "source", "edus")
    (folder / "units.safetensors").touch()
    assert set(check_annotation(read(config), "demo", "builtin", "source", "edus")) == {"syntax", "edus"}


def test_every_offered_module_exists() -> None:
    for name, offer in OFFERS.items():
        for stage in offer.modules:
            assert module_path(module_of(stage, name)), (name, stage)


def test_a_stage_depends_on_the_code_of_its_backend_only() -> None:
    def modules(stage: Any, backend: str) -> set[str]:
        return reachable_modules(["discourse_nmt.workflow_scripts.discourse.analyse", module_of(stage, backend)])

    assert not any(name.startswith("discourse_nmt.discourse.coreference") for name in modules("rst", "builtin"))
    assert not any(name.startswith("discourse_nmt.discourse.parsing") for name in modules("coreference", "builtin"))
    assert any(name.startswith("discourse_nmt.discourse.parsing") for name in modules("rst", "builtin"))
    assert not any("stanza" in name for name in modules("syntax", "builtin"))
    for stage, backend in (("coreference", "builtin"), ("themes", "builtin"), ("syntax", "import"), ("rst", "command")):
        assert "discourse_nmt.discourse.analysers.network" not in modules(stage, backend)
    shared = reachable_modules(["discourse_nmt.workflow_scripts.discourse.analyse"])
    assert not any(
        name.startswith(
            tuple(f"discourse_nmt.{room}" for room in ("discourse.analysers", "discourse.formats", "models"))
        )
        for name in shared
    )
    assert fingerprint(
        "discourse_nmt.workflow_scripts.discourse.analyse", module_of("syntax", "stanza")
    ) != fingerprint("discourse_nmt.workflow_scripts.discourse.analyse")


def test_patterns_of_imported_files() -> None:
    chosen = ImportSettings("in/{corpus}/{split}/{side}/{table}/{document}.rs3", "rs3")
    assert chosen.pattern("demo", "dev", "source", "rst") == "in/demo/dev/source/rst/{document}.rs3"
    assert needed_tables("rst", chosen) == ("syntax", "edus")
    assert needed_tables("rst", stage_settings("rst", IMPORT)) == ("edus",)


def test_english_ships() -> None:
    assert (SHIPPED / "en" / "joint.safetensors").is_file()
