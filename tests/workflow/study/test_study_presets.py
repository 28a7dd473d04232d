"""Presets that compare systems do what they say: equal budgets, the same start, a control beside each question."""

import dataclasses
import re
from typing import Any

import pytest

from discourse_nmt.base.settings import as_json
from discourse_nmt.scoring.metrics.score import CXMI
from discourse_nmt.workflow.configuration.tree import Configuration
from discourse_nmt.workflow.sections.experiments import baseline_of, experiment_settings, structure_of
from tests.conftest import ROOT
from tests.unit.workflow.test_configuration import load, resolved

PRESETS = [ROOT / "config" / f"study_help_{pair}.yaml" for pair in ("ende", "zhen")]
STORIES = ROOT / "config" / "study_stories_ende.yaml"
ADAPTED = ROOT / "config" / "study_stories_adapted_ende.yaml"
MATRIX = ROOT / "config" / "demo_matrix.yaml"
SIZES = ROOT / "config" / "study_help_sizes.yaml"


def settings_of(config: Configuration, name: str) -> dict[str, Any]:
    return dataclasses.asdict(experiment_settings(config, name))


@pytest.fixture(params=PRESETS, ids=lambda path: path.stem)
def config(request: pytest.FixtureRequest) -> Configuration:
    return resolved(load(request.param))


def test_every_system_of_the_second_stage_has_the_same_training_and_start(config: Configuration) -> None:
    alone = ("sentence", "concat_alone")
    second = {name: experiment for name, experiment in config.experiments.items() if name not in alone}
    assert len(second) >= 11
    assert {experiment.initialised_from for experiment in second.values()} == {"sentence"}
    assert all(experiment.seeds == [1, 2, 3] for experiment in config.experiments.values())
    trainings = [settings_of(config, name)["training"] for name in second]
    assert all(training == trainings[0] for training in trainings)
    assert trainings[0]["max_updates"] > 0 and trainings[0]["patience"] == 0
    sentence, concat = (settings_of(config, name)["training"] for name in alone)
    assert concat == sentence | {"max_updates": sentence["max_updates"] + trainings[0]["max_updates"]}
    assert config.experiments["concat_alone"].initialised_from is None


def test_both_pairs_make_as_many_passes_over_their_text() -> None:
    """And differ in nothing but languages, subwords and these budgets. An update of the first stage reads 1 / 350 of
    the English-German text and 1 / 215 of the Chinese-English one."""
    passes = []
    for path, updates_of_a_pass in zip(PRESETS, (350, 215)):
        config = resolved(load(path))
        trainings = [settings_of(config, name)["training"] for name in ("sentence", "trained_longer")]
        passes.append([training["max_updates"] / updates_of_a_pass for training in trainings])
        assert trainings[1]["max_updates"] == 8 * trainings[1]["evaluate_every"]
    assert passes[1] == pytest.approx(passes[0], rel=0.03)
    german, chinese = (resolved(load(path)) for path in PRESETS)
    assert german.experiments.keys() == chinese.experiments.keys()
    for name in german.experiments:
        settings = [settings_of(config, name) for config in (german, chinese)]
        budgets = [one.pop("training") for one in settings]
        assert settings[0] == settings[1]
        assert {key for key in budgets[0] if budgets[0][key] != budgets[1][key]} <= {"max_updates", "evaluate_every"}


def test_a_system_is_compared_with_more_training_without_context(config: Configuration) -> None:
    control = config.experiments["trained_longer"]
    assert (control.system, control.initialised_from) == ("transformer", "sentence")
    for name in (
        "concat",
        "concat_two",
        "concat_alone",
        "trained_on_documents",
        "g_transformer",
        "mix",
        "hierarchical",
        "document_graph",
        "multitask",
        "continuous_cache",
    ):
        assert baseline_of(config, name, "help") == "trained_longer"


def test_positions_are_those_that_the_sentence_model_knows(config: Configuration) -> None:
    for name, experiment in config.experiments.items():
        settings = settings_of(config, name)["settings"]
        if experiment.system in ("g_transformer", "rst_transformer"):
            assert settings["position_reset"], name


def test_concatenation_of_two_sentences_differs_in_their_number_only(config: Configuration) -> None:
    two, all_of_them = (settings_of(config, name) for name in ("concat_two", "concat"))
    assert two["settings"] == all_of_them["settings"] | {"sentences": 2}
    assert {**two, "settings": None} == {**all_of_them, "settings": None}


def test_one_control_learns_from_documents_and_sees_sentences_one_control_reads_sentences_alone(
    config: Configuration,
) -> None:
    learning, without = (settings_of(config, name) for name in ("trained_on_documents", "mix_without_trees"))
    assert learning["settings"] == without["settings"] | {"rst_layers": 0}
    assert learning["decoding"] == without["decoding"]
    for name in ("g_transformer", "hierarchical", "hierarchical_paths", "multitask"):
        assert config.experiments[name].decodings == {"alone": {"use_context": False}}


def test_documents_are_the_units_of_significance(config: Configuration) -> None:
    """A module is a group of the corpus; the test set of one module could show nothing by groups."""
    assert config.corpora["help"].groups and config.significance.units == "documents"


def test_right_trees_are_compared_with_shuffled_trees_and_with_none(config: Configuration) -> None:
    mixes = {name: settings_of(config, name) for name in ("mix", "mix_shuffled", "mix_without_trees")}
    right, shuffled, without = (mixes[name]["settings"] for name in mixes)
    assert shuffled == right | {"shuffled_trees": True} and without == right | {"drop_rst": 1.0}
    assert [mixes[name]["decoding"]["use_tree"] for name in mixes] == [True, True, False]
    assert structure_of(config, "mix_shuffled") == "shuffled_dependencies"
    assert {baseline_of(config, name, "help") for name in ("mix_shuffled", "mix_without_trees")} == {"mix"}


def test_multi_task_learning_is_compared_with_learning_of_the_trees_of_other_units(config: Configuration) -> None:
    right, shuffled = (settings_of(config, name) for name in ("multitask", "multitask_shuffled"))
    assert shuffled["settings"] == right["settings"] | {"shuffled_trees": True}
    assert {**shuffled, "settings": None} == {**right, "settings": None}
    assert structure_of(config, "multitask_shuffled") == "shuffled_paragraph_dependencies"
    assert baseline_of(config, "multitask_shuffled", "help") == "multitask"


def test_multi_task_learning_is_compared_with_the_same_network_without_its_tasks(config: Configuration) -> None:
    tasks, without = (settings_of(config, name) for name in ("multitask", "multitask_without_tasks"))
    assert without["settings"] == tasks["settings"] | {"lambda1": 0.0, "lambda2": 0.0}
    assert tasks["settings"].get("lambda1") != 0 and {**without, "settings": None} == {**tasks, "settings": None}
    assert baseline_of(config, "multitask_without_tasks", "help") == "multitask"


def test_parts_of_the_corpus_make_as_many_passes_and_differ_in_nothing_else() -> None:
    study, sizes = (resolved(load(path)) for path in (PRESETS[0], SIZES))
    assert {key: value for key, value in as_json(sizes).items() if key != "experiments"} == {
        key: value for key, value in as_json(study).items() if key not in ("experiments", "labellers")
    } | {"labellers": as_json(sizes.labellers)}
    for name in ("sentence", "trained_longer", "mix", "mix_shuffled"):
        whole = settings_of(sizes, name)
        assert whole == settings_of(study, name)
        assert sizes.experiments[name] == study.experiments[name]
        for part, share in (("half", 0.5), ("quarter", 0.25)):
            settings = settings_of(sizes, f"{name}_{part}")
            training = settings["training"]
            shrunk = {key: training[key] for key in ("max_updates", "evaluate_every", "warmup_updates")}
            assert training == whole["training"] | {"share_of_documents": share} | shrunk
            assert shrunk == pytest.approx({key: whole["training"][key] * share for key in shrunk}, rel=0.01)
            assert training["max_updates"] % training["evaluate_every"] == 0
            assert {**settings, "training": None} == {**whole, "training": None}
            experiment = sizes.experiments[f"{name}_{part}"]
            if name != "sentence":
                assert experiment.initialised_from == f"sentence_{part}"
                expected = {"trained_longer": "trained_longer", "mix": f"trained_longer_{part}"}
                assert baseline_of(sizes, f"{name}_{part}", "help") == expected.get(name, f"mix_{part}")
            assert structure_of(sizes, f"{name}_{part}") == structure_of(sizes, name)
            assert experiment.seeds == [1, 2, 3]


def test_large_models_are_of_the_size_of_transformer_base_and_make_a_fifth_more_passes() -> None:
    sizes = resolved(load(SIZES))
    base = {"encoder_layers": 6, "decoder_layers": 6, "width": 512, "feed_forward_width": 2048, "heads": 8}
    for name in ("sentence", "trained_longer", "mix", "mix_shuffled"):
        small, large = (settings_of(sizes, full) for full in (name, f"{name}_large"))
        assert large["settings"] == small["settings"] | base | {"dropout": 0.3}
        trainings = [settings["training"] for settings in (small, large)]
        tokens = [training["max_updates"] * training["batch_tokens"] for training in trainings]
        assert tokens[1] == pytest.approx(1.2 * tokens[0])
        changed = {key for key in trainings[0] if trainings[0][key] != trainings[1][key]}
        assert changed == {"batch_tokens", "max_updates", "evaluate_every", "learning_rate", "warmup_updates"}
        assert {**large, "settings": None, "training": None} == {**small, "settings": None, "training": None}
        assert structure_of(sizes, f"{name}_large") == structure_of(sizes, name)
        assert sizes.experiments[f"{name}_large"].seeds == [1, 2, 3]
        if name != "sentence":
            assert sizes.experiments[f"{name}_large"].initialised_from == "sentence_large"
            assert trainings[1] == settings_of(sizes, "trained_longer_large")["training"]
            expected = {"trained_longer": "trained_longer", "mix": "trained_longer_large"}
            assert baseline_of(sizes, f"{name}_large", "help") == expected.get(name, "mix_large")


def test_systems_of_the_demo_are_compared_with_a_sentence_model_trained_as_long() -> None:
    """Other trainings of each are part of the question."""
    config = resolved(load(MATRIX))
    longer, mix = (settings_of(config, name)["training"] for name in ("trained_longer", "mix_predicted"))
    assert longer["max_updates"] == mix["max_updates"]
    for name in ("mix_predicted", "mix_gold", "g_transformer", "han"):
        assert baseline_of(config, name, "demo") == "trained_longer"
    assert config.significance.trainings == "random"


def test_systems_of_stories_have_equal_stages() -> None:
    """Those without a second stage learn for no longer than the first, and are compared with the end of the second."""
    config = resolved(load(STORIES))
    second = {name: one.initialised_from for name, one in config.experiments.items() if one.initialised_from}
    assert {name for name, first in second.items() if first == "sentence_named"} == {"trained_longer_named"}
    taken_whole = {name for name, first in second.items() if first == "trained_longer"}
    assert {name.split(".")[0] for name in taken_whole} == {"side_constraint"}
    assert all(settings_of(config, name)["training"]["initialised_rate"] == 0 for name in taken_whole)
    assert all(settings_of(config, name)["settings"]["drafts"] for name in taken_whole)
    learning = second.keys() - taken_whole
    assert {second[name] for name in learning} == {"sentence", "sentence_named"} and len(learning) >= 15
    stages = [settings_of(config, name)["training"] for name in ("sentence", "trained_longer")]
    assert all(settings_of(config, name)["training"] == stages[1] for name in learning)
    whole = {name.split(".")[0] for name in config.experiments.keys() - second.keys()}
    assert whole == {"sentence", "sentence_named", "hybrid_context", "hybrid_context_named", "concat"}
    assert all(settings_of(config, name)["training"] == stages[0] for name in whole)
    assert all((one["schedule"], one["final"], one["patience"]) == ("polynomial", "last", 0) for one in stages)
    for name in ("concat", "hybrid_context", "hybrid_context.given", "hybrid_continued", "mix", "han"):
        assert baseline_of(config, name, "together") == "trained_longer"
    assert baseline_of(config, "hybrid_context_named", "together_named") == "trained_longer_named"


def test_stories_have_the_recipe_that_their_pages_tell() -> None:
    config = resolved(load(STORIES))
    pages = ROOT / "docs/notebook/study"
    kept, networks = ((pages / f"stories_{name}.md").read_text(encoding="utf-8") for name in ("kept", "networks"))
    first, second = (settings_of(config, name)["training"] for name in ("sentence", "trained_longer"))
    assert f"`sentence` ({first['max_updates']:,} updates of {first['batch_tokens']:,} tokens)" in kept
    assert f"`trained_longer` ({second['max_updates']:,} more)" in kept
    assert second["batch_tokens"] == first["batch_tokens"]
    assert f"dropout {settings_of(config, 'mix')['settings']['dropout']}, length penalty" in networks
    for name in ("g_transformer", "hierarchical", "multitask", "continuous_cache"):
        assert f"`{name}`: " in networks
        training = settings_of(config, name)["training"]
        assert f"{training['max_updates']:,} updates of {training['batch_tokens']:,} tokens, as" in networks
    assert f"`gate_bias: {settings_of(config, 'continuous_cache')['settings']['gate_bias']}`" in networks
    for name in ("sentence", "trained_longer", "side_constraint"):
        assert config.experiments[name].seeds == [1, 2, 3, 4, 5]


def test_systems_of_stories_are_asked_with_their_context_without_it_and_with_another() -> None:
    """Also after references; concat at several lengths, too."""
    config = resolved(load(STORIES))
    for name in (
        "hybrid_context",
        "g_transformer",
        "mix",
        "mix_shuffled",
        "mix_without_trees",
        "concat",
        "han",
        "side_constraint",
    ):
        alone, given = (settings_of(config, f"{name}.{row}")["decoding"] for row in ("alone", "given"))
        assert (alone["use_context"], alone["target_context"]) == (False, "own")
        assert (given["use_context"], given["target_context"]) == (True, "references")
    assert set(config.document_metrics.cxmi) == CXMI.keys()
    lengths = [settings_of(config, f"concat.{name}")["decoding"]["sentences"] for name in ("two", "four", "eight")]
    assert lengths == [2, 4, 8]
    for name in ("stories", "together", "together_named"):
        suites = config.corpora[name].suites
        assert {one.format for one in suites.values()} == {"address"}
        assert [dict(one.options) for one in suites.values()] == [{}, {"scene": "another"}]
        assert [one.splits for one in suites.values()] == [[f"results/{config.run}/{name}/corpus/test/*.parquet"]] * 2


def test_stories_with_names_differ_in_nothing_else() -> None:
    config = resolved(load(STORIES))
    assert {one.text_of for name, one in config.corpora.items() if name != "together"} == {"together"}
    named, unnamed = config.corpora["stories_named"], config.corpora["stories"]
    assert named.options["speakers_in_source"] is True
    assert dataclasses.replace(named, options=unnamed.options, suites=unnamed.suites) == unnamed
    corpora = load(STORIES)["corpora"]
    splits = str(corpora["together"]["splits"]).replace("stories", "stories_named")
    assert str(corpora["together_named"]["splits"]) == splits
    assert corpora["together"]["splits"]["train"]["corpora"][0] == "stories"


def test_systems_of_stories_read_the_document_in_all_layers() -> None:
    config = resolved(load(STORIES))
    sizes = load(STORIES)["model"]
    assert sizes["encoder_layers"] == sizes["decoder_layers"]
    switches = {
        "g_transformer": "global_layers",
        **dict.fromkeys(("mix", "mix_shuffled", "mix_without_trees"), "rst_layers"),
    }
    for name, switch in switches.items():
        assert config.experiments[name].settings[switch] == sizes["encoder_layers"]


def test_stories_from_the_shipped_models_have_the_text_of_both_studies() -> None:
    adapted, stories, help_pages = (load(path)["corpora"] for path in (ADAPTED, STORIES, PRESETS[0]))
    assert adapted["help"] == help_pages["help"] | {"scored": ["dev"]}
    for name in ("stories", "dialogues"):
        assert adapted[name] == stories[name] | {"text_of": "help"}
    learnt = adapted["together"]["splits"].pop("train")
    assert learnt == {"corpora": ["stories", "dialogues"]}, "the help is what the first stage has read"
    assert stories["together"]["splits"].pop("train")["corpora"][:2] == learnt["corpora"]
    assert adapted["together"]["splits"] == stories["together"]["splits"]
    assert adapted["together"]["text_of"] == "help"


def test_systems_of_stories_from_the_shipped_models_differ_in_context_alone() -> None:
    config = resolved(load(ADAPTED))
    second = {name: one for name, one in config.experiments.items() if one.initialised_from}
    assert {one.initialised_from for one in second.values()} == {"sentence"}
    assert {one.taken_from for name, one in config.experiments.items() if name == "sentence"} == {
        "resources/help_models/en-de/seed{seed}"
    }
    assert {tuple(one.seeds) for one in config.experiments.values()} == {(1, 2, 3)}
    settings = {name: settings_of(config, name) for name in second}
    control = settings["trained_longer"]
    for name in second:
        assert settings[name]["training"] == control["training"]
        assert settings[name]["settings"]["dropout"] == control["settings"]["dropout"]
        assert name == "trained_longer" or baseline_of(config, name, "together") == "trained_longer"
        assert settings[name]["decoding"]["length_penalty"] == control["decoding"]["length_penalty"]
    hybrid = settings["hybrid_context"]
    assert (hybrid["settings"]["mixed_runs"], hybrid["settings"]["sentences"], hybrid["decoding"]["sentences"]) == (
        True,
        8,
        0,
    )
    assert settings["hybrid_context.alone"]["decoding"]["use_context"] is False
    assert settings["hybrid_context.given"]["decoding"]["target_context"] == "references"


def test_stories_from_the_shipped_models_have_the_settings_that_were_chosen() -> None:
    """As the account of the choice tells it: those of the lowest loss on dev."""
    account = (ROOT / "docs/notebook/study/stories_adapted.md").read_text(encoding="utf-8")
    config = resolved(load(ADAPTED))
    control = settings_of(config, "trained_longer")
    training = control["training"]
    assert f"{training['max_updates']:,} updates of {training['batch_tokens']:,} tokens" in account
    tried = re.findall(r"^\| `trained_longer` \| ([\d.]+) \| ([\d.]+) \| ([\d.]+) \|$", account, re.MULTILINE)
    rate, dropout, _ = min(tried, key=lambda row: float(row[2]))
    assert len(tried) == 3
    assert (training["learning_rate"], control["settings"]["dropout"]) == (float(rate), float(dropout))
    assert f"of `trained_longer`: {control['decoding']['length_penalty']} with" in account
    assert (training["schedule"], training["final"], training["patience"]) == ("polynomial", "last", 0)
    assert {"without_context", "without_source_context", "without_target_context"} == set(config.document_metrics.cxmi)
