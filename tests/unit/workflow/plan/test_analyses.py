"""Annotation: what each stage reads, imported files, backends."""

import json
from pathlib import Path
from typing import Any

import pytest
from snakemake.exceptions import WorkflowError

from discourse_nmt.discourse.settings import PROGRAMS
from discourse_nmt.workflow.plan.analyses import ANALYSER_RULES, earlier_tables
from discourse_nmt.workflow.reruns.fingerprint import file_digest, files_digest
from tests.unit.workflow.plan.plan_examples import CONFIG, job, planned

PLAN = planned()
SHARD = job(corpus="news", analysis="builtin", side="source", split="test", shard="1")


def with_backend(stage: str, **section: Any) -> Any:
    """The example with another backend for a stage of its first analysis."""
    return planned(analyses={"builtin": {**CONFIG["analyses"]["builtin"], stage: section}})


def test_annotation_is_in_the_folder_of_its_analysis_and_side() -> None:
    assert PLAN.analyses.annotation("news", "builtin", "source", "rst", "dev") == [
        f"results/example/news/discourse/builtin/source/rst/dev/{shard}.parquet" for shard in range(2)
    ]


def test_a_language_without_an_analyser_is_told_in_one_line() -> None:
    with pytest.raises(WorkflowError, match=r"^config: analyses\.builtin, target side of the corpus news: "):
        PLAN.analyses.annotation("news", "builtin", "target", "themes", "dev")


def test_a_missing_import_is_told_in_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    message = r"^config: no file gold/dev\.parquet for the corpus news; put it there, or correct analyses\.gold\.edus\."
    with pytest.raises(WorkflowError, match=message):
        PLAN.analyses.annotation("news", "gold", "source", "edus", "dev")
    Path("gold").mkdir()
    Path("gold/dev.parquet").touch()
    assert len(PLAN.analyses.annotation("news", "gold", "source", "edus", "dev")) == 2


def test_the_target_analyse_makes_every_table_of_every_split() -> None:
    plan = planned(analyses={"gold": {"corpora": ["talks"], "tables": ["syntax"]}})
    paths = plan.analyses.all_annotation()
    assert len(paths) == len(set(paths)) == 2 * (4 * 2 + 2 * 1) + 2
    assert "results/example/talks/discourse/gold/source/syntax/dev/0.parquet" in paths


@pytest.mark.parametrize(
    ("target", "fault"),
    [
        ("analyse", r"no file gold/train\.parquet"),
        ("documents_jsonl", r"no file gold/train\.parquet"),
        ("train", r"no file gold/train\.parquet"),
        ("corpus", "no file train"),
    ],
)
def test_missing_annotation_is_told_for_targets_that_need_it(
    target: str, fault: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another target ends with the first file of a corpus that is missing."""
    monkeypatch.chdir(tmp_path)
    analyses = {"gold": {**CONFIG["analyses"]["gold"], "tables": ["rst_dependencies"]}}
    trees = {**CONFIG["experiments"]["trees"], "analysis": "gold"}
    plan = planned(analyses=analyses, experiments={"trees": trees}, documents=[])
    with pytest.raises(WorkflowError, match=fault):
        plan.look_up(["snakemake", "--", target])


def test_a_stage_reads_sentences_and_the_tables_of_earlier_stages() -> None:
    files = PLAN.analyses.inputs("rst")(SHARD)
    folder = "results/example/news"
    assert files.pop("sentences") == f"{folder}/corpus/test/1.parquet"
    assert files.pop("imported") == []
    assert files
    assert set(files) <= set(ANALYSER_RULES)
    for table, path in files.items():
        assert path == f"{folder}/discourse/builtin/source/{table}/test/1.parquet"
    options = earlier_tables(SHARD, {"sentences": "s", "dataset": "d", **files})
    assert options == [f"{table}={path}" for table, path in files.items()]


def test_the_text_of_a_draft_is_analysed_in_its_folder() -> None:
    plan = with_backend("syntax", backend="stanza", folder="models", download="missing")
    wildcards = job(**dict(SHARD.items()), experiment="sentence", seed="2")
    files = plan.analyses.inputs("syntax")(wildcards)
    assert files["sentences"] == "results/example/news/drafts/sentence/seed2/corpus/test/1.parquet"


def test_an_import_is_an_input_or_with_one_file_for_each_document_a_digest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("gold").mkdir()
    for name in ("test", "a", "b"):
        Path(f"gold/{name}.parquet").write_text(name)
    wildcards = job(**{**dict(SHARD.items()), "analysis": "gold"})
    assert PLAN.analyses.inputs("edus")(wildcards)["imported"] == ["gold/test.parquet"]
    assert PLAN.analyses.digest("edus")(wildcards) == ""
    assert PLAN.analyses.inputs("coreference")(wildcards)["imported"] == []
    digest = PLAN.analyses.digest("coreference")(wildcards)
    assert len(digest) == 16
    Path("gold/c.parquet").touch()
    assert PLAN.analyses.digest("coreference")(wildcards) != digest


def test_a_digest_is_of_the_models_or_of_the_files_of_a_command(tmp_path: Path) -> None:
    assert len(PLAN.analyses.digest("edus")(SHARD)) == 16
    script = tmp_path / "analyse.sh"
    script.write_text("one")
    plan = with_backend("edus", backend="command", command=[str(script), "{input}", "{output}"], format="table")
    digest = plan.analyses.digest("edus")(SHARD)
    assert len(digest) == 16
    script.write_text("two")
    file_digest.cache_clear()
    assert plan.analyses.digest("edus")(SHARD) != digest
    shipped = ["python", "{programs}/rst_trees.py", "{input}", "{output}"]
    plan = with_backend("edus", backend="command", command=shipped, format="edu_lines")
    assert plan.analyses.digest("edus")(SHARD) == files_digest([PROGRAMS / "rst_trees.py"])


def test_the_backend_decides_on_environment_settings_and_code() -> None:
    stanza = with_backend("syntax", backend="stanza", folder="models", download="missing")
    assert PLAN.analyses.environment("syntax")(SHARD) == "../envs/network.yaml"
    assert stanza.analyses.environment("syntax")(SHARD) == "../envs/stanza.yaml"
    assert PLAN.analyses.code("syntax")(SHARD) != stanza.analyses.code("syntax")(SHARD)
    settings = json.loads(stanza.analyses.resolved("syntax")(SHARD))
    assert settings["backend"] == "stanza" and "download" in settings
    assert stanza.analyses.digest("syntax")(SHARD) == ""  # the models are downloaded


def test_conversion_of_the_job_s_side() -> None:
    analysis = {"rst": {"backend": "builtin", "conversion": "hirao13", "debinarise": True}}
    plan = planned(analyses={"builtin": analysis})
    assert plan.analyses.conversion_options(SHARD) == ["--conversion", "hirao13", "--debinarise"]
    other = planned(analyses={"builtin": {"rst": {"backend": "builtin", "conversion": "li14", "debinarise": False}}})
    assert other.analyses.conversion_options(job(analysis="builtin")) == ["--conversion", "li14"]


def test_a_word_graph_reads_the_tables_of_its_relations() -> None:
    plan = planned(
        analyses={"builtin": {"graph": {"relations": ["adjacency", "coreference"]}}},
        experiments={"drafted": {"system": "transformer"}},
    )
    files = plan.analyses.graph_inputs(SHARD)
    assert files == {"coreference": "results/example/news/discourse/builtin/source/coreference/test/1.parquet"}
    assert plan.analyses.graph_options(SHARD, files) == ["--coreference", files["coreference"]]


def test_corpora_of_an_analysis() -> None:
    assert PLAN.analyses.corpora_of("builtin") == ["news", "talks"]
    assert PLAN.analyses.corpora_of("gold") == ["news"]
