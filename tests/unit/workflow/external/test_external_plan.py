"""Systems and metrics from outside of the project: files, comparisons, tables; faults that are told before any job."""

import copy
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from snakemake.exceptions import WorkflowError

from discourse_nmt.corpus.suites import importing
from discourse_nmt.workflow.plan.plan import Plan
from discourse_nmt.workflow.reruns.fingerprint import file_digest
from tests.unit.corpus.suites.suite_examples import GROUP, section
from tests.unit.workflow.plan.plan_examples import CONFIG, job, planned, run

RUNS = "results/example/news/experiments"
SYSTEMS = {
    "gpt": {"hypotheses": {"test": "gpt.txt", "more": "more/*.de"}},
    "engine": {"hypotheses": {"test": "engine.txt"}},
}
SEEDED = {"fairseq": {"hypotheses": {"test": "fairseq.{seed}.txt"}, "seeds": [2, 3]}}
METRICS = {"comet": {"command": ["comet", "{hypotheses}"], "time_limit": 7}}


def with_systems(systems: Any = SYSTEMS, **sections: Any) -> Plan:
    news = {**copy.deepcopy(CONFIG["corpora"]["news"]), "systems": systems, "contrastive": {}, "suites": {}}
    return planned(**{"corpora": {"news": news}, **sections})


@pytest.fixture
def texts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory with test sets of two documents and translations of them."""
    monkeypatch.chdir(tmp_path)
    rows = [("b", "One.", "Eins."), ("b", "Two.", "Zwei."), ("a", "Three.", "Drei.")]
    for split in ("train", "dev", "test", "more"):
        lines = ["\t".join([split + name, *sides]) for name, *sides in rows]
        Path(f"{split}.tsv").write_text("\n".join(["doc_id\tsource\ttarget", *lines]) + "\n")
    for name in ("gpt.txt", "engine.txt"):
        Path(name).write_text("x\ny\nz\n")
    Path("more").mkdir()
    Path("more/moreb.de").write_text("x\ny\n")
    Path("more/morea.de").write_text("z\n")
    return tmp_path


def test_a_system_is_a_run_of_its_test_sets() -> None:
    runs = with_systems().runs
    assert runs.external() == [("news", "gpt", 0), ("news", "engine", 0)]
    assert [runs.test_sets(one) for one in runs.external()] == [["test", "more"], ["test"]]
    assert runs.system(run("gpt", 0)) == "external" and runs.system(run("sentence")) == "transformer"
    assert not {"gpt", "engine"} & {one.experiment for one in runs.all()}
    files = runs.scored_files("translations/{split}.parquet")
    assert [path for path in files if "seed0" in path] == [
        f"{RUNS}/gpt/seed0/translations/test.parquet",
        f"{RUNS}/gpt/seed0/translations/more.parquet",
        f"{RUNS}/engine/seed0/translations/test.parquet",
    ]
    assert set(runs.files_named("translations/{split}.parquet")) == {path for path in files if "seed0" not in path}


def test_a_system_on_a_corpus_without_experiments_is_scored() -> None:
    config = with_systems().config
    sentence = replace(config.experiments["sentence"], corpora=["talks"])
    runs = Plan(replace(config, experiments={"sentence": sentence})).runs
    assert runs.used_corpora() == ["talks", "news"]


def test_comparisons_are_on_common_test_sets_and_not_of_contrastive_items() -> None:
    plan = with_systems(significance={"baseline": "engine"})
    tables = plan.comparisons.significance_tables("significance", plan.runs.test_sets)
    assert f"{RUNS}/gpt/seed0/significance/test.tsv" in tables
    assert f"{RUNS}/gpt/seed0/significance/more.tsv" not in tables
    assert f"{RUNS}/sentence/significance/test.tsv" in tables
    assert f"{RUNS}/gpt/significance/test.tsv" not in tables
    wildcards = job(corpus="news", experiment="sentence", split="test")
    assert plan.comparisons.seeds(wildcards)[-2:] == ["0", "0"]


def test_systems_score_no_contrastive_items(texts: Path) -> None:
    Path("items.parquet").touch()
    news = {**CONFIG["corpora"]["news"], "suites": {}, "systems": {"gpt": {**SYSTEMS["gpt"], "compared_with": "trees"}}}
    plan = planned(corpora={"news": news})
    assert plan.scores.contrastive(run("gpt", 0, split="test")) == []
    assert plan.scores.contrastive(run("trees", 1, split="test"))
    assert f"{RUNS}/gpt/seed0/significance/test.tsv" in plan.scores.tables()
    assert f"{RUNS}/gpt/seed0/contrastive_significance/test.tsv" not in plan.scores.tables()


def test_metrics_are_run_on_every_translation_and_compared() -> None:
    plan = with_systems(metrics=METRICS, significance={"baseline": "sentence"})
    tables = plan.scores.tables()
    assert len(tables) == len(set(tables))
    for name in ("gpt/seed0/metric_scores", "gpt/seed0/metric_significance", "trees/seed1/metric_scores"):
        assert f"{RUNS}/{name}/comet/test.tsv" in tables
    wildcards = run("second", 2, split="test", metric="comet")
    assert plan.comparisons.baseline_files("metrics/{metric}")(wildcards) == [
        f"{RUNS}/sentence/seed2/metrics/comet/test.parquet"
    ]
    assert plan.scores.metric_time_limit(wildcards) == ["--time-limit", "7"]
    assert plan.scores.metric_better(wildcards) == "higher"


def test_a_change_of_a_metric_s_program_counts(tmp_path: Path) -> None:
    program = tmp_path / "metric.py"
    program.write_text("one")
    plan = planned(metrics={"own": {"command": ["python", str(program), "{hypotheses}"]}})
    first = plan.scores.metric_digest(job(metric="own"))
    program.write_text("two")
    file_digest.cache_clear()
    assert plan.scores.metric_digest(job(metric="own")) not in ("", first)


def test_what_stands_in_a_metric_s_lines_is_a_setting_of_its_jobs_and_its_subwords_are_a_file(tmp_path: Path) -> None:
    (tmp_path / "subwords.model").write_text("one")
    texts = {"window": 2, "reads": 512, "subwords": str(tmp_path / "subwords.model")}
    plan = planned(metrics={"own": {"command": ["python", "{hypotheses}"], "texts": texts}})
    assert json.loads(plan.scores.metric_texts(job(metric="own"))).items() >= texts.items()
    assert plan.scores.metric_digest(job(metric="own")) != ""


def test_the_report_shows_systems_and_their_files_are_data(texts: Path) -> None:
    plan = with_systems()
    assert ("news/gpt/0", f"{RUNS}/gpt/seed0") in plan.report.external_folders()
    assert ("news/gpt/0", f"{RUNS}/gpt/seed0") not in plan.report.run_folders()
    assert {"gpt.txt", "more/morea.de"} <= set(plan.report.data_files())


def test_translations_that_fit_are_inputs(texts: Path) -> None:
    hypotheses = with_systems().corpora.hypotheses
    assert hypotheses["news", "gpt", 0, "more"] == ["more/morea.de", "more/moreb.de"]
    assert with_systems().corpora.hypothesis_pattern(run("gpt", 0, split="more")) == "more/*.de"


def test_a_system_has_an_output_for_each_seed(texts: Path) -> None:
    for seed in (2, 3):
        Path(f"fairseq.{seed}.txt").write_text("x\ny\nz\n")
    plan = with_systems(SEEDED, significance={"baseline": "sentence"})
    assert plan.runs.external() == [("news", "fairseq", 2), ("news", "fairseq", 3)]
    assert {seed: files for (_, _, seed, _), files in plan.corpora.hypotheses.items()} == {
        2: ["fairseq.2.txt"],
        3: ["fairseq.3.txt"],
    }
    wildcards = run("fairseq", 3, split="test")
    assert plan.corpora.hypotheses_of(wildcards) == [plan.corpora.hypothesis_pattern(wildcards)] == ["fairseq.3.txt"]
    tables = plan.comparisons.significance_tables("significance", plan.runs.test_sets)
    for place in ("fairseq", "fairseq/seed2", "fairseq/seed3"):
        assert f"{RUNS}/{place}/significance/test.tsv" in tables
    over_seeds = plan.comparisons.seeds(job(corpus="news", experiment="fairseq", split="test"))
    assert over_seeds[2:5] == ["--seeds", "2", "3"] and over_seeds[-2:] == ["2", "1"]  # sentence has seeds 1 and 2


def test_a_baseline_of_several_outputs_is_compared_seed_by_seed() -> None:
    plan = with_systems(SEEDED, significance={"baseline": "fairseq"})
    options = plan.comparisons.seeds(job(corpus="news", experiment="sentence", split="test"))
    assert options[2:5] == ["--seeds", "1", "2"] and options[-2:] == ["2", "2"]


def test_a_missing_output_of_one_seed_is_told(texts: Path) -> None:
    Path("fairseq.2.txt").write_text("x\ny\nz\n")
    with pytest.raises(
        WorkflowError, match=r"no file fairseq\.3\.txt; put it there, or correct corpora\.news\.systems"
    ):
        with_systems(SEEDED, documents=[]).look_up(["snakemake", "--", "score"])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda: Path("gpt.txt").write_text("x\n"),
            "gpt.txt: 1 lines, but test set test of corpus news has 3 sentences",
        ),
        (lambda: Path("gpt.txt").unlink(), "no file gpt.txt; put it there, or correct corpora.news.systems.gpt"),
        (lambda: Path("engine.txt").write_bytes(b"\xff\n\n\n"), "engine.txt:1: byte 0xff is not UTF-8"),
        (lambda: Path("test.tsv").write_text("doc_id\tsource\ttarget\nb\t\tEins.\n"), "corpus news: test.tsv:2: empty"),
    ],
)
def test_translations_that_do_not_fit_are_told_before_any_job(change: Any, message: str, texts: Path) -> None:
    change()
    with pytest.raises(WorkflowError) as caught:
        with_systems(documents=[]).look_up(["snakemake", "--", "score"])
    assert message in str(caught.value)


def test_a_test_set_that_is_not_there_yet_is_compared_by_the_import(texts: Path) -> None:
    Path("gpt.txt").write_text("x\n")
    news = {**CONFIG["corpora"]["news"], "contrastive": {}, "suites": {}}
    news["splits"] = {"train": {"files": ["train.tsv"]}}
    news |= {"held_out": {"dev": 1, "test": 1}, "systems": {"gpt": {"hypotheses": {"test": "gpt.txt"}}}}
    assert planned(corpora={"news": news}).corpora.hypotheses == {("news", "gpt", 0, "test"): ["gpt.txt"]}


def with_suites(**hypotheses: str) -> Plan:
    """A corpus with a suite of three sentences in each of two documents, of which one has a wrong variant, too."""
    suites = {"deixis": section(Path("suites"), "voita", files={"deixis.json": [GROUP, GROUP]})}
    suites["forms"] = section(Path("suites"), "ctxpro")
    systems = {"gpt": {"hypotheses": hypotheses, "compared_with": "engine"}}
    systems["engine"] = {"hypotheses": {"test": "engine.txt", "deixis": "deixis.txt"}}
    news = {**copy.deepcopy(CONFIG["corpora"]["news"]), "systems": systems, "contrastive": {}, "suites": suites}
    return planned(corpora={"news": news}, documents=[])


def test_a_system_is_judged_on_the_suites_that_it_has_translated(texts: Path) -> None:
    for name in ("deixis", "forms"):
        Path(f"{name}.txt").write_text("x\n" * (6 if name == "deixis" else 3))
    plan = with_suites(test="gpt.txt", deixis="deixis.txt", forms="forms.txt")
    assert plan.corpora.hypotheses["news", "gpt", 0, "deixis"] == ["deixis.txt"]
    assert plan.runs.test_sets(plan.runs.external()[0]) == ["test"]
    wildcards = run("gpt", 0, split="deixis")
    assert plan.scores.contrastive(wildcards) == []
    assert plan.scores.generation(wildcards) == [f"{RUNS}/gpt/seed0/generation/deixis.parquet"]
    tables = plan.scores.tables()
    own = [path.removeprefix(f"{RUNS}/") for path in tables if "seed0/suites" in path]
    assert own == ["gpt/seed0/suites/deixis.tsv", "gpt/seed0/suites/forms.tsv", "engine/seed0/suites/deixis.tsv"]
    assert f"{RUNS}/gpt/seed0/generation_significance/deixis.tsv" in tables
    assert f"{RUNS}/gpt/seed0/generation_significance/forms.tsv" not in tables
    assert f"{RUNS}/sentence/seed1/suites/deixis.tsv" in tables


def test_a_suite_is_read_once_for_all_systems(texts: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("deixis.txt").write_text("x\n" * 6)
    read = []

    def counted(name: str, *words: Any, **options: Any) -> importing.ImportedSuite:
        read.append(name)
        return import_suite(name, *words, **options)

    import_suite = importing.import_suite
    monkeypatch.setattr(importing, "import_suite", counted)
    assert len(with_suites(deixis="deixis.txt").corpora.hypotheses) == 3 and read == ["deixis"]


@pytest.mark.parametrize("name", ["deixis", "forms"])
def test_translations_that_do_not_fit_a_suite_are_told_before_any_job(name: str, texts: Path) -> None:
    Path("deixis.txt").write_text("x\n" * 6)
    Path("short.txt").write_text("x\n")
    with pytest.raises(WorkflowError) as caught:
        with_suites(**{name: "short.txt"}).look_up(["snakemake", "--", "score"])
    number = {"deixis": 6, "forms": 3}[name]
    assert f"short.txt: 1 lines, but test set {name} of corpus news has {number} sentences; " in str(caught.value)
