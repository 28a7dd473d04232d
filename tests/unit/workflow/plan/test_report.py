"""The report: documents, what the viewer shows, provenance."""

import json
from pathlib import Path

import pytest
from snakemake.exceptions import WorkflowError

from discourse_nmt.workflow.plan.report import named, paths
from tests.unit.workflow.plan.plan_examples import CONFIG, planned


def test_documents_are_looked_up_from_here_and_from_the_checkout(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("letter.txt").touch()
    report = planned(documents=["*.txt", "resources/documents/*.txt"]).report
    assert report.documents[0] == "letter.txt"
    assert len(report.documents) > 1
    assert all(Path(path).is_file() for path in report.documents)
    assert report.document_folder() == ["results/example/documents"]
    assert set(map(Path, report.documents)) < set(report.document_sources())


def test_no_documents_have_no_folder() -> None:
    assert planned(documents=[]).report.document_folder() == []


@pytest.mark.parametrize(
    ("documents", "message"),
    [
        (["c.txt"], r"^documents: no file c\.txt; correct the path, or set documents: \[\] for none$"),
        (["a.txt", "b/a.txt"], r"^documents: a\.txt and b/a\.txt have one name; rename one$"),
        (["{a}.txt"], r"^documents: Snakemake cannot read \{a\}\.txt; rename it"),
    ],
)
def test_faulty_documents_are_told_in_one_line(
    documents: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("b").mkdir()
    for name in ("a.txt", "b/a.txt", "{a}.txt"):
        Path(name).touch()
    with pytest.raises(WorkflowError, match=message):
        planned(documents=documents).report.documents  # noqa: B018


def test_trees_are_shown_with_their_units() -> None:
    analyses = {**CONFIG["analyses"], "builtin": {"tables": ["coreference", "rst"]}}
    plan = planned(analyses=analyses, report={"analyses": ["builtin"]})
    assert plan.report.shown_tables("builtin") == ["coreference", "rst", "edus"]
    files = plan.report.annotation()
    assert len(files) == 3 * (2 * 2 + 1)
    path = "results/example/talks/discourse/builtin/source/edus/dev/0.parquet"
    assert ("talks/dev/builtin/edus", path) in files
    assert path in paths(files)
    assert f"talks/dev/builtin/edus={path}" in named(files)


def test_words_are_shown_for_word_graphs_alone() -> None:
    assert planned(report={"analyses": ["builtin"]}).report.tokens() == []
    analyses = {**CONFIG["analyses"], "builtin": {"tables": ["document_graph"]}}
    plan = planned(analyses=analyses, report={"analyses": ["builtin"]})
    assert plan.report.tokens() == plan.report.test_shards("text/tokens")
    assert len(plan.report.tokens()) == 2 * 2 + 1


def test_contrastive_items_and_their_scores(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("items.parquet").touch()
    plan = planned()
    assert plan.report.contrastive_items() == [("news/test", "items.parquet")]
    assert len(plan.report.contrastive_scores()) == len([run for run in plan.runs.all() if run.corpus == "news"])


def test_runs_and_corpora_are_named() -> None:
    report = planned().report
    assert ("news/trees/1", "results/example/news/experiments/trees/seed1") in report.run_folders()
    assert report.drops()[0] == ("news", "results/example/news/corpus/drops.parquet")
    assert report.statistics()[0] == "results/example/news/corpus/statistics.tsv"
    assert report.quality()[0] == ("news", "results/example/news/corpus/quality.tsv")
    assert report.test_shards("corpus")[0] == ("news/test", "results/example/news/corpus/test/0.parquet")


def test_data_files_are_those_of_used_corpora(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("train.tsv", "dev.tsv", "test.tsv", "more.tsv", "items.parquet"):
        Path(name).touch()
    assert planned().report.data_files() == ["dev.tsv", "items.parquet", "more.tsv", "test.tsv", "train.tsv"]


def test_provenance_names_code_of_stages_experiments_and_analyses() -> None:
    codes = json.loads(planned(report={"analyses": ["builtin"]}).report.code())
    assert {"tokenise", "score", "train sentence", "translate trees", "score_contrastive second"} <= set(codes)
    assert {"edus builtin", "rst builtin"} <= set(codes)
    assert "rst gold" not in codes
    assert all(len(code) == 16 for code in codes.values())


def test_hardware_is_no_part_of_the_configuration_that_is_recorded() -> None:
    recorded = json.loads(planned().report.configuration())
    assert "hardware" not in recorded and recorded["run"] == "example"
    assert set(json.loads(planned().report.switches())) == set(CONFIG["experiments"])


def test_groups_that_tests_draw_are_those_of_the_corpora() -> None:
    corpora = {"news": {**CONFIG["corpora"]["news"], "groups": "[a-z]{2}="}}
    assert planned(corpora=corpora).report.groups() == ["news=[a-z]{2}="]
    assert planned(corpora=corpora, significance={"units": "documents"}).report.groups() == []


def test_languages_and_lower_case_are_those_of_the_corpora() -> None:
    plan = planned()
    pairs = [argument.rpartition("=") for argument in plan.report.languages()]
    assert [corpus for corpus, _, _ in pairs] == plan.runs.used_corpora()
    for corpus, _, languages in pairs:
        own = plan.config.corpora[corpus]
        assert languages == f"{own.source_language}/{own.target_language}"
    lowercased = plan.report.lowercased_corpora()
    assert lowercased and "news" not in lowercased
