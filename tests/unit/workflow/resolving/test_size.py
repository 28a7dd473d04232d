"""``size: small``: one rule for each value, wherever it stands; rows keep their differences."""

from typing import Any

import pytest

from discourse_nmt.workflow.configuration.tree import Configuration
from discourse_nmt.workflow.resolving.size import in_size
from discourse_nmt.workflow.sections.experiments import experiment_settings
from tests.conftest import ROOT
from tests.unit.workflow.plan.plan_examples import read
from tests.unit.workflow.test_configuration import load

SOME_LAYERS = [
    ("rst_transformer", "rst_layers"),
    ("g_transformer", "global_layers"),
    ("flat_transformer", "current_layers"),
]


def sized(name: str, size: str = "small", **changes: Any) -> Configuration:
    return in_size(read({**load(ROOT / "config" / f"{name}.yaml"), "size": size, **changes}))


def test_full_changes_nothing() -> None:
    config = read(load(ROOT / "config" / "papers" / "rst_ende.yaml"))
    assert in_size(config) == config


def test_network_updates_and_documents_are_scaled() -> None:
    config = sized("papers/rst_ende")
    sections = experiment_settings(config, "mix", "news")
    assert [getattr(sections.settings, key) for key in ("width", "feed_forward_width", "heads", "encoder_layers")] == [
        128,
        512,
        4,
        3,
    ]
    training = sections.training
    assert (training.max_updates, training.warmup_updates, training.evaluate_every) == (200, 150, 50)
    assert training.batch_tokens == 8192 // 8 and training.accumulation == 4
    assert experiment_settings(config, "mix", "ted").training.batch_tokens == 4096 // 8
    assert config.corpora["ted"].documents == {"train": 40, "dev": 4, "test": 4}
    assert config.corpora["ted"].text.bpe.merges == 2000
    assert config.run == "paper_rst_ende-small"


def test_rows_keep_their_differences() -> None:
    config = sized("papers/rst_table3")
    sizes = [experiment_settings(config, f"{name}_mix").settings for name in ("base", "big", "large")]
    assert [one.width for one in sizes] == [128, 256, 256]
    assert [one.encoder_layers for one in sizes] == [3, 3, 6]
    cache = sized("papers/cache_table4")
    layers = [experiment_settings(cache, f"cache_{number}_layers").settings.encoder_layers for number in (2, 6)]
    assert layers == [2, 3]
    moved_by = experiment_settings(cache, "transformer_2_layers").training
    assert (moved_by.max_updates, moved_by.learning_rate) == (1, 0.0)
    assert cache.labellers["ctrd"].settings["direction_width"] == 64
    assert cache.labellers["ctrd"].training["epochs"] == 1


@pytest.mark.parametrize(("system", "key"), SOME_LAYERS)
@pytest.mark.parametrize(("layers", "some"), [(1, 1), (2, 1), (3, 3), (5, 3), (6, 2), (6, 6), (12, 11)])
def test_some_of_the_layers_are_no_more_than_all(system: str, key: str, layers: int, some: int) -> None:
    small = sized(
        "demo_matrix",
        model={"encoder_layers": layers, "decoder_layers": layers},
        experiments={"one": {"system": system, "settings": {key: some}}},
    )
    settings = experiment_settings(small, "one", "demo").settings
    assert min(some, 2) <= getattr(settings, key) <= min(some, settings.encoder_layers)


def test_a_limit_of_epochs_gets_one_of_updates() -> None:
    training = experiment_settings(sized("papers/cache_table5"), "theme_rheme_cache").training
    assert (training.max_epochs, training.max_updates) == (3, 200)


def test_checkpoints_are_left_out() -> None:
    config = sized("papers/rst_mbart_ende")
    assert config.corpora["ted"].text.pretrained is None
    assert {one.initialised_from for one in config.experiments.values()} == {None}
    assert experiment_settings(config, "mix").settings.marks == "both"


def test_networks_are_trained_instead_of_taken() -> None:
    """A folder holds a network of full size, with its subwords."""
    full, small = (sized("study_stories_adapted_ende", size).experiments["sentence"] for size in ("full", "small"))
    assert full.taken_from is not None and small.taken_from is None
    assert small.seeds == full.seeds == [1, 2, 3]


def test_no_value_grows() -> None:
    config = sized("demo_short")
    full = load(ROOT / "config" / "demo_short.yaml")
    for key in ("width", "encoder_layers", "feed_forward_width"):
        assert config.model[key] <= full["model"][key]
    assert config.training["max_updates"] <= full["training"]["max_updates"]


def test_the_demo_is_generated_where_the_small_run_reads_it() -> None:
    config = sized("demo_short")
    run = config.run
    (corpus,) = config.corpora.values()
    assert corpus.splits["train"]["files"] == [f"results/{run}/generated/train.tsv"]
    assert config.demo.documents <= 200 and corpus.documents == {}


def test_shared_parts_of_a_configuration_are_scaled_once() -> None:
    """A YAML alias is one object in several places."""
    shared = {"encoder_layers": 12, "decoder_layers": 12}
    experiments = {name: {"system": "transformer", "settings": shared} for name in ("one", "other")}
    config = sized("papers/graph_table2", experiments=experiments)
    assert [config.experiments[name].settings["encoder_layers"] for name in experiments] == [6, 6]


def test_keys_of_an_experiment_are_scaled_as_those_of_all() -> None:
    training = {"max_updates": 5000, "batch_tokens": 8000, "frozen_updates": 500}
    experiments = {"one": {"system": "transformer", "training": training}}
    config = sized("papers/graph_table2", experiments=experiments)
    assert config.experiments["one"].training == {"max_updates": 200, "batch_tokens": 1000, "frozen_updates": 50}
