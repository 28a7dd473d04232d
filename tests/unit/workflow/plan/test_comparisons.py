"""Comparisons of runs with their baseline, and of analyses with each other."""

from tests.unit.workflow.plan.plan_examples import CONFIG, job, planned, run

PLAN = planned()
GROUPED = {"news": {**CONFIG["corpora"]["news"], "groups": "[a-z]+-[0-9]+"}}
RUNS = "results/example/news/experiments"


def test_a_run_is_compared_with_that_of_its_seed() -> None:
    own, baseline = PLAN.comparisons.compared_runs(run("second", 2))
    assert own == [("news", "second", 2)]
    assert baseline == [("news", "sentence", 2)]


def test_a_seed_that_the_baseline_lacks_is_compared_with_its_first() -> None:
    wildcards = run("second", 3, split="test")
    assert PLAN.comparisons.own_files("translations")(wildcards) == [f"{RUNS}/second/seed3/translations/test.parquet"]
    assert PLAN.comparisons.baseline_files("translations")(wildcards) == [
        f"{RUNS}/sentence/seed1/translations/test.parquet"
    ]


def test_without_a_seed_all_seeds_are_compared() -> None:
    wildcards = job(corpus="news", experiment="second", split="test")
    assert len(PLAN.comparisons.own_files("contrastive")(wildcards)) == 3
    assert PLAN.comparisons.seeds(wildcards) == [
        "--trainings", "random", "--seeds", "1", "2", "3", "--baseline", "sentence", "--baseline-seeds", "1", "2", "1",
    ]  # fmt: skip


def test_groups_of_the_corpus_are_an_option_of_the_command() -> None:
    options = planned(corpora=GROUPED).comparisons.seeds(
        job(corpus="news", experiment="second", split="test", seed="2")
    )
    assert options[-2:] == ["2", "--groups=[a-z]+-[0-9]+"]


def test_documents_are_the_units_where_the_configuration_says_so() -> None:
    wildcards = job(corpus="news", experiment="second", split="test", seed="2")
    plan = planned(corpora=GROUPED, significance={"units": "documents"})
    options = plan.comparisons.seeds(wildcards)
    assert options[-1] == "2"


def test_the_command_is_told_whether_trainings_are_random() -> None:
    wildcards = job(corpus="news", experiment="second", split="test", seed="2")
    assert PLAN.comparisons.seeds(wildcards)[:2] == ["--trainings", "random"]
    fixed = planned(significance={"trainings": "fixed"}).comparisons.seeds(wildcards)
    assert fixed[:2] == ["--trainings", "fixed"]


def test_tables_are_those_of_runs_with_a_baseline_and_over_several_seeds() -> None:
    tables = PLAN.comparisons.significance_tables("significance", PLAN.runs.test_sets)
    of_news = [f"seed{seed}/" for seed in (1, 2, 3)] + [""]
    assert [path for path in tables if "/news/" in path] == [
        f"{RUNS}/second/{seed}significance/{split}.tsv" for seed in of_news for split in ("test", "more")
    ]
    assert len(tables) == 4 * 2 + 4 * 1


def test_an_experiment_of_one_seed_has_no_table_over_seeds() -> None:
    plan = planned(significance={"baseline": "sentence"})
    tables = plan.comparisons.significance_tables("significance", lambda run: ["test"])
    assert f"{RUNS}/trees/seed1/significance/test.tsv" in tables
    assert f"{RUNS}/trees/significance/test.tsv" not in tables


def test_an_analysis_is_compared_by_the_tables_that_both_have() -> None:
    analyses = CONFIG["analyses"]
    plan = planned(
        analyses={
            "builtin": {"tables": ["edus", "rst", "coreference"], "compared_with": "other"},
            "other": {"corpora": ["news"], "tables": ["edus", "rst"]},
            "gold": analyses["gold"],
        }
    )
    assert plan.comparisons.analysis_tables() == [
        f"results/example/news/discourse/builtin/source/scores/{split}.tsv" for split in ("test", "more")
    ]
    wildcards = job(corpus="news", analysis="builtin", side="source", split="test")
    assert plan.comparisons.gold(wildcards) == "other"
    assert plan.comparisons.gold_folder(wildcards) == "results/example/news/discourse/other/source"
    assert plan.comparisons.tables(wildcards) == ["edus", "rst"]
    predicted, gold = plan.comparisons.predicted_annotation(wildcards), plan.comparisons.gold_annotation(wildcards)
    assert gold == [path.replace("/builtin/", "/other/") for path in predicted]
    assert len(gold) == 2 * 2


def test_an_analysis_without_comparison_has_no_table() -> None:
    assert PLAN.comparisons.analysis_tables() == []
