"""Parameters: what changes with which key of the configuration."""

import json

import pytest

from discourse_nmt.discourse.backends.builtin.models import segmenter_files
from discourse_nmt.workflow.jobs.parameters import OF_EXPERIMENTS, canonical, code
from discourse_nmt.workflow.reruns.fingerprint import files_digest
from tests.unit.workflow.plan.plan_examples import CONFIG, PRETRAINED, job, planned, run

PLAN = planned()


def test_settings_are_one_string_in_one_order() -> None:
    assert canonical({"b": 1, "a": "ä"}) == '{"a": "ä", "b": 1}'


@pytest.mark.parametrize(
    ("section", "key", "value", "stages"),
    [
        ("decoding", "beam", 7, {"decoding"}),
        ("decoding", "batch_tokens", 77, {"decoding", "scoring"}),
        ("training", "max_updates", 7, {"training"}),
        ("model", "dropout", 0.77, {"settings"}),
    ],
)
def test_a_key_changes_its_stages_and_no_other(section: str, key: str, value: object, stages: set[str]) -> None:
    own, other = (
        {stage: plan.parameters.experiment_settings_of(stage, "news", "sentence") for stage in OF_EXPERIMENTS}
        for plan in (PLAN, planned(**{section: {key: value}}))
    )
    changed = {stage for stage in OF_EXPERIMENTS if own[stage] != other[stage]}
    assert changed == stages


def test_the_text_of_a_corpus_depends_on_more_than_its_tokens() -> None:
    tokenise, text, imported = (
        json.loads(PLAN.parameters.settings(stage)(job(corpus="talks"))) for stage in ("tokenise", "text", "corpus")
    )
    assert tokenise.items() < text.items()
    assert "bpe" in text and "bpe" not in tokenise
    assert "text" not in imported and imported["held_out"] == {"dev": 0.1}


def test_settings_of_a_job_are_those_of_its_experiment() -> None:
    wanted = PLAN.parameters.experiment_settings_of("training", "news", "trees")
    assert PLAN.parameters.settings("training")(run("trees")) == wanted


def test_code_depends_on_the_system_and_on_what_it_reads() -> None:
    codes = {name: PLAN.parameters.system_code_of("train.train", name) for name in CONFIG["experiments"]}
    assert len(set(codes.values())) == len(codes)
    assert PLAN.parameters.system_code("train.train")(run("trees")) == codes["trees"]
    unlabelled = planned(
        experiments={"remembering": {"system": "theme_rheme_cache", "settings": {"cache": "continuous"}}}
    )
    assert unlabelled.parameters.system_code_of("train.train", "remembering") != codes["remembering"]


def test_code_depends_on_pretrained_subwords() -> None:
    plan = planned(corpora={name: {**corpus, "text": PRETRAINED} for name, corpus in CONFIG["corpora"].items()})
    wildcards = run("sentence")
    assert PLAN.parameters.subword_code("text.apply_bpe")(wildcards) == code("text.apply_bpe")
    assert plan.parameters.subword_code("text.apply_bpe")(wildcards) != code("text.apply_bpe")
    codes = [one.parameters.system_and_text_code("train.translate")(wildcards) for one in (plan, PLAN)]
    assert codes[0] != codes[1]


@pytest.mark.parametrize("side", ["source", "target"])
@pytest.mark.parametrize("name", ["rjieba", "builtin"])
def test_code_models_and_environment_depend_on_a_tokeniser_that_is_loaded_by_name(name: str, side: str) -> None:
    news = {
        **CONFIG["corpora"]["news"],
        f"{side}_language": "zh",
        "text": {"tokeniser": {"source": "moses", "target": "moses", side: name}},
    }
    plan = planned(corpora={"news": news})
    wildcards = run("sentence")
    for code_of in ("tokeniser_code", "system_and_text_code"):
        codes = [getattr(one.parameters, code_of)("train.translate")(wildcards) for one in (plan, PLAN)]
        assert codes[0] != codes[1]
    assert PLAN.parameters.tokeniser_code("text.tokenise")(wildcards) == code("text.tokenise")
    digest, environment = plan.corpora.tokeniser_digest(wildcards), plan.corpora.tokeniser_environment(wildcards)
    with_network = name == "builtin"
    assert digest == (files_digest(segmenter_files("zh")) if with_network else "")
    assert environment == f"../envs/{'network' if with_network else 'text'}.yaml"
    assert (PLAN.corpora.tokeniser_digest(wildcards), PLAN.corpora.tokeniser_environment(wildcards)) == (
        "",
        "../envs/text.yaml",
    )


def test_settings_of_a_corpus_come_between_those_of_all_and_those_of_an_experiment() -> None:
    talks = {"training": {"warmup_updates": 2, "patience": 2}, "decoding": {"beam": 7}}
    parameters = planned(
        training={"batch_tokens": 1, "warmup_updates": 1, "patience": 1},
        experiments={"own": {"system": "transformer", "training": {"patience": 3}}},
        corpora={"talks": {**CONFIG["corpora"]["talks"], **talks}},
    ).parameters
    found = {
        corpus: json.loads(parameters.experiment_settings_of("training", corpus, "own")) for corpus in ("news", "talks")
    }
    chosen = ("batch_tokens", "warmup_updates", "patience")
    assert [[found[corpus][key] for key in chosen] for corpus in found] == [[1, 1, 3], [1, 2, 3]]
    beams = [
        json.loads(parameters.settings("decoding")(run("own", corpus=corpus)))["beam"] for corpus in ("news", "talks")
    ]
    assert beams == [4, 7]
