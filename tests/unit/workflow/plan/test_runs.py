"""Training runs: seeds, first stages, drafts."""

from pathlib import Path

import pytest
from snakemake.exceptions import WorkflowError

from discourse_nmt.base.errors import InputError
from discourse_nmt.workflow.plan.runs import shortlist_option, tuned_option
from tests.unit.workflow.plan.plan_examples import CONFIG, PRETRAINED, planned, run

PLAN = planned()
EXPERIMENTS = "results/example/news/experiments"


def test_a_run_for_each_corpus_experiment_and_seed() -> None:
    runs = PLAN.runs.all()
    assert len(runs) == len(set(runs)) == 2 * 2 + 2 * 3 + 1 + 1 + 2 * 2
    assert ("talks", "second", 3) in runs
    assert not {run for run in runs if run.experiment == "trees"} - {("news", "trees", 1)}
    assert PLAN.runs.used_corpora() == ["news", "talks"]


def test_a_corpus_of_no_experiment_is_not_used() -> None:
    experiments = {name: {**section, "corpora": ["talks"]} for name, section in CONFIG["experiments"].items()}
    assert planned(experiments=experiments).runs.used_corpora() == ["talks"]


def test_files_of_runs_are_one_each_or_one_for_each_test_set() -> None:
    assert len(PLAN.runs.files_named("model.safetensors")) == len(PLAN.runs.all())
    files = PLAN.runs.files_named("scores/{split}.tsv")
    assert f"{EXPERIMENTS}/trees/seed1/scores/test.tsv" in files
    assert f"{EXPERIMENTS}/trees/seed1/scores/more.tsv" in files
    assert "results/example/talks/experiments/second/seed3/scores/dev.tsv" in files
    assert not [path for path in files if "/news/" in path and path.endswith("dev.tsv")]


@pytest.mark.parametrize(("seed", "expected"), [(1, 1), (2, 2), (3, 1), ("2", 2)])
def test_a_stage_starts_from_the_same_seed_or_from_the_first(seed: int | str, expected: int) -> None:
    assert PLAN.runs.seed_in("news", "sentence", seed) == expected


@pytest.mark.parametrize(
    ("experiment", "seed", "expected"),
    [
        ("sentence", 2, []),
        ("second", 2, [f"{EXPERIMENTS}/sentence/seed2/model.safetensors"]),
        ("second", 3, [f"{EXPERIMENTS}/sentence/seed1/model.safetensors"]),
        ("drafted", 3, [f"{EXPERIMENTS}/second/seed3/model.safetensors"]),
    ],
)
def test_the_model_that_a_run_starts_from(experiment: str, seed: int, expected: list[str]) -> None:
    assert PLAN.runs.initial_model(run(experiment, seed)) == expected


def test_a_run_may_start_from_the_pretrained_model() -> None:
    corpora = CONFIG["corpora"]
    plan = planned(
        corpora={name: {**corpus, "text": PRETRAINED} for name, corpus in corpora.items()},
        experiments={"sentence": {"system": "transformer", "initialised_from": "pretrained", "seeds": [1, 2]}},
    )
    assert plan.runs.initial_model(run("sentence")) == ["results/example/news/pretrained/model.safetensors"]
    assert plan.runs.draft_of("news", "second", 2) == ("sentence", 2)


@pytest.mark.parametrize(
    ("experiment", "seed", "expected"), [("drafted", "3", ("sentence", 1)), ("sentence", 2, ("sentence", 2))]
)
def test_a_draft_is_that_of_the_very_first_stage(experiment: str, seed: int | str, expected: tuple[str, int]) -> None:
    assert PLAN.runs.draft_of("news", experiment, seed) == expected


def test_translations_of_subwords_are_learnt_for_decodings_with_a_shortlist() -> None:
    experiments = {**CONFIG["experiments"]}
    short = {**experiments["sentence"], "decodings": {"short": {"shortlist": 20}, "int8": {"precision": "int8"}}}
    plan = planned(experiments={**{name: experiments[name] for name in ("second", "trees")}, "sentence": short})
    expected = ["results/example/talks/text/subword_translations.safetensors"]
    assert plan.runs.subword_translations(run("sentence.short", corpus="talks")) == expected
    for name in ("sentence", "sentence.int8", "second"):
        assert plan.runs.subword_translations(run(name, corpus="talks")) == []
    everywhere = planned(decoding={"shortlist": 1})
    assert everywhere.runs.subword_translations(run("second", corpus="talks")) == expected
    option = shortlist_option(run("second"), {"subword_translations": expected})
    assert option == ["--subword-translations", *expected]
    assert shortlist_option(run("second"), {"subword_translations": []}) == []


def test_the_system_of_a_job() -> None:
    assert PLAN.runs.system(run("trees")) == "rst_transformer"


def test_the_network_of_a_folder_is_not_trained(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    section = {**CONFIG["experiments"]["second"], "seeds": [1, 2], "taken_from": "folders/second{seed}"}
    plan = planned(experiments={**CONFIG["experiments"], "second": section})
    assert plan.runs.taken_experiments() == ["second"] and "second" not in plan.runs.trained_experiments()
    assert "second" in PLAN.runs.trained_experiments() and PLAN.runs.taken_experiments() == []
    job = run("second", seed=2)
    assert plan.runs.model_folder(job) == "folders/second2"
    monkeypatch.chdir(tmp_path)
    with pytest.raises(
        WorkflowError, match=r"experiments\.second\.taken_from: no file folders/second2/model\.json; name a"
    ):
        plan.runs.model_folder_description(job)
    description = tmp_path / "folders/second2/model.json"
    description.parent.mkdir(parents=True)
    description.touch()
    assert plan.runs.model_folder_description(job) == ["folders/second2/model.json"]
    other = tmp_path / "folders/second1/model.json"
    other.parent.mkdir()
    other.write_text("{}", encoding="utf-8")
    digests = {seed: plan.runs.model_folder_digest(run("second", seed=seed)) for seed in (1, 2)}
    assert all(digests.values()) and digests[1] != digests[2]
    kept = tmp_path / plan.files.run("news", "second", 1) / "taken_from.json"
    kept.parent.mkdir(parents=True)
    other.rename(kept)
    assert plan.runs.model_folder_digest(run("second", seed=1)) == digests[1], "the folder is gone"


def test_a_folder_for_several_seeds_is_refused() -> None:
    section = {**CONFIG["experiments"]["second"], "seeds": [1, 2], "taken_from": "folder"}
    with pytest.raises(InputError, match=r"experiments\.second\.taken_from: one folder for 2 seeds; write \{seed\}"):
        planned(experiments={**CONFIG["experiments"], "second": section})


def test_each_model_has_values_of_its_own_where_some_are_chosen_on_dev() -> None:
    first = {"system": "transformer", "seeds": [1, 2]}
    experiments = {"sentence": {**first, "decoding": {"length_penalty": "tuned"}}, "plain": first}
    systems = {"other": {"hypotheses": {"test": "other.txt"}}}
    corpora = {**CONFIG["corpora"], "news": {**CONFIG["corpora"]["news"], "systems": systems}}
    runs = planned(experiments=experiments, corpora=corpora).runs
    found = runs.tuned_decoding(run("sentence", 2, split="test"))
    assert found == [f"{EXPERIMENTS}/sentence/seed2/tuned_decoding/dev.json"]
    assert tuned_option(run("sentence", 2), {"tuned": found}) == ["--tuned", *found]
    for name in ("plain", "other"):
        assert runs.tuned_decoding(run(name, 1, split="test")) == [] == tuned_option(run(name, 1), {"tuned": []})


def test_engine_and_precision_are_told_of_systems_of_the_project() -> None:
    fast = {"system": "transformer", "seeds": [1], "decoding": {"engine": "ctranslate2", "precision": "int8"}}
    systems = {"other": {"hypotheses": {"test": "other.txt"}}}
    corpora = {**CONFIG["corpora"], "news": {**CONFIG["corpora"]["news"], "systems": systems}}
    runs = planned(experiments={"sentence": fast, "plain": {"system": "transformer"}}, corpora=corpora).runs
    assert runs.computed_by(run("sentence", 1)) == ["engine:ctranslate2", "precision:int8"]
    assert runs.computed_by(run("plain", 1)) == [] == runs.computed_by(run("other", 1))
