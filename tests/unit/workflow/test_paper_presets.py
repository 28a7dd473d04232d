"""Presets of papers run what the papers ran: every number of the recipes, inherited defaults included.

The tables are those of the specification (sections "Training recipe"), written out once more. Experiments whose names
end in ``_own`` are the project's own and free.
"""

from pathlib import Path
from typing import Any

import pytest
import yaml

from discourse_nmt.base.settings import as_json
from discourse_nmt.models.systems import SYSTEMS
from discourse_nmt.workflow.configuration.tree import Configuration
from discourse_nmt.workflow.plan.plan import Plan
from discourse_nmt.workflow.sections.corpora import scored_sets_of
from discourse_nmt.workflow.sections.experiments import corpora_of, experiment_settings
from tests.conftest import ROOT
from tests.unit.workflow.test_configuration import load, resolved

BASE: dict[str, Any] = {
    "settings.width": 512,
    "settings.heads": 8,
    "settings.feed_forward_width": 2048,
    "settings.encoder_layers": 6,
    "settings.decoder_layers": 6,
    "settings.activation": "relu",
    "settings.norm": "post",
    "settings.attention_dropout": 0.0,
    "settings.activation_dropout": 0.0,
    "training.adam_beta1": 0.9,
    "training.adam_beta2": 0.98,
    "training.adam_epsilon": 1e-9,
    "training.label_smoothing": 0.1,
    "training.clip_norm": 0.0,
    "decoding.use_tree": True,
}
RST: dict[str, Any] = {
    **BASE,
    "settings.dropout": 0.3,
    "training.batch_tokens": 4096,
    "training.accumulation": 4,
    "training.learning_rate": 3e-4,
    "training.schedule": "inverse_square_root",
    "training.warmup_updates": 4000,
    "training.initialised_rate": 0.2,
    "training.word_dropout_epochs": 40,
    "training.patience": 10,
    "training.select_by": "loss",
    "decoding.beam": 5,
    "decoding.max_length_ratio": 1.2,
    "decoding.max_length_offset": 10,
    "decoding.search": "sequence",
    "text.bpe.merges": 32000,
    "text.bpe.joint": True,
    "text.truecase": True,
}
MBART: dict[str, Any] = {
    **RST,
    "settings.width": 1024,
    "settings.heads": 16,
    "settings.feed_forward_width": 4096,
    "settings.encoder_layers": 12,
    "settings.decoder_layers": 12,
    "settings.activation": "gelu",
    "settings.norm": "pre",
    "settings.attention_dropout": 0.1,
    "training.adam_epsilon": 1e-6,
    "training.label_smoothing": 0.2,
    "training.batch_tokens": 2048,
    "training.accumulation": 2,
    "training.schedule": "polynomial",
    "training.warmup_updates": 2500,
    "training.initialised_rate": 1.0,
    "training.word_dropout_epochs": 0,
    "training.patience": 5,
    "text.truecase": False,
}
DSP: dict[str, Any] = {
    **BASE,
    "settings.dropout": 0.1,
    "training.batch_tokens": 3000,
    "training.learning_rate": 1.0,
    "training.schedule": "noam",
    "training.warmup_updates": 4000,
    "training.initialised_rate": 1.0,
    "training.select_by": "bleu",
    "training.bleu_beam": 4,
    "decoding.beam": 4,
    "decoding.length_penalty": 0.6,
    "text.bpe.vocabulary_size": 15000,
    "text.bpe.joint": True,
}
GRAPH: dict[str, Any] = {
    **BASE,
    "settings.dropout": 0.2,
    "training.batch_tokens": 4000,
    "training.accumulation": 6,
    "training.learning_rate": 7e-4,
    "training.schedule": "inverse_square_root",
    "training.warmup_updates": 4000,
    "training.select_by": "bleu",
    "training.bleu_beam": 4,
    "decoding.beam": 4,
    "decoding.length_penalty": 0.6,
    "text.lowercase": True,
    "text.bpe.joint": False,
    "text.bpe.merges": 32000,
}
MULTITASK: dict[str, Any] = {
    **BASE,
    "settings.dropout": 0.1,
    "training.batch_tokens": 3200,
    "training.learning_rate": 0.1,
    "training.schedule": "noam",
    "training.warmup_updates": 4000,
    "training.select_by": "bleu",
    "training.bleu_beam": 4,
    "decoding.beam": 4,
    "text.bpe.vocabulary_size": 30000,
    "text.bpe.joint": True,
}
CACHE: dict[str, Any] = {
    **BASE,
    "settings.dropout": 0.1,
    "training.batch_tokens": 2400,
    "training.learning_rate": 1e-3,
    "training.schedule": "inverse_square_root",
    "training.warmup_updates": 4000,
    "training.max_epochs": 10,
    "training.max_updates": 0,
    "training.patience": 0,
    "decoding.beam": 5,
    "decoding.length_penalty": 0.0,
    "text.lowercase": True,
    "text.bpe.joint": False,
    "text.bpe.merges": 0,
    "text.bpe.vocabulary_size": 50000,
}
RECIPES: dict[str, dict[str, Any]] = {
    "rst_ende": RST,
    "rst_table3": {**RST, "training.initialised_rate": 1.0, "training.word_dropout_epochs": 0},
    "rst_table5": RST,
    "rst_mbart_ende": MBART,
    **dict.fromkeys(("dsp_ende_table2", "dsp_table3", "dsp_table4"), DSP),
    **dict.fromkeys(("graph_table2", "graph_table3", "graph_tables_7_8_9"), GRAPH),
    "graph_tables_1_4_10": GRAPH,
    **dict.fromkeys(("multitask_ende", "multitask_ende_weights"), MULTITASK),
    **dict.fromkeys(("cache_sizes", "cache_table4", "cache_table5", "cache_tables_2_3"), CACHE),
}
# What differs on a corpus.
RU: dict[str, Any] = {"training.batch_tokens": 2667, "decoding.length_penalty": 0.5}
ZH_BPE = {"source": 25000, "target": 30000}
EN_ZH: dict[str, Any] = {"text.bpe.vocabulary_size": ZH_BPE, "text.bpe.merges": ZH_BPE, "text.bpe.joint": False}
LARGER: dict[str, dict[str, Any]] = {name: {"training.batch_tokens": 8192} for name in ("news", "europarl")}
CORPORA: dict[str, dict[str, dict[str, Any]]] = {
    "rst_ende": LARGER,
    "rst_table3": LARGER,
    "dsp_table3": {"zh": EN_ZH, "europarl": {"text.bpe.vocabulary_size": 30000}},
    "dsp_table4": {"zh": EN_ZH},
    "graph_tables_1_4_10": {
        "zh": {"decoding.length_penalty": 1.0, "text.bpe.merges": 30000},
        "de": {"training.batch_tokens": 5333},
        "ru": RU,
    },
    "multitask_ende": {"zh": EN_ZH},
}
STAGE_2: dict[str, dict[str, Any]] = {
    "document_graph": {
        "training.accumulation": 3,
        "training.learning_rate": 7e-5,
        "training.initialised_rate": 0.0,
        "settings.graph_dropout": 0.2,
        "settings.graph_activation": "sigmoid",
        "settings.prune_hops": 2,
    },
    "theme_rheme_cache": {
        "training.learning_rate": 5e-6,
        "training.schedule": "constant",
        "training.warmup_updates": 0,
        "training.max_epochs": 3,
        "training.initialised_rate": 1.0,
        "settings.ctx_residual": "ffn",
    },
    "multitask": {"training.initialised_rate": 1.0, "settings.test_structure": "multitask"},
    "doc_transformer": {"training.initialised_rate": 0.0},
    "selective": {"settings.rel_injection": "ctx", "settings.path_log_base": 10.0, "settings.beginning": "random"},
}
# Experiments that differ from this on purpose, as their tables do.
EXCEPTIONS: dict[str, dict[str, Any]] = {
    "base": {"training.learning_rate": None},  # the first stage of the multi-task preset has a rate of its own
    "multitask_parser": {"training.learning_rate": 0.0, "settings.test_structure": "multitask+parser"},
    **{
        f"graph_tables_1_4_10.{name}": {
            "training.learning_rate": 7e-5,
            "training.accumulation": 3,
            "training.initialised_rate": rate,
        }
        for name, rate in {"han": 1, "ctx": 0, "cache": 0, "ms": 1, "hm_gdc": 1, "selective": 1}.items()
    },
    "draft_earlier": {
        "training.learning_rate": 0.0,
        "training.warmup_updates": 0,
        "training.accumulation": 6,
        "training.initialised_rate": 1.0,
    },
    **{
        f"{size}_{name}": {
            "settings.width": 1024,
            "settings.heads": 16,
            "settings.feed_forward_width": 4096,
            "settings.encoder_layers": layers,
            "settings.decoder_layers": layers,
        }
        for size, layers in (("big", 6), ("large", 12))
        for name in ("transformer", "g_transformer", "mix")
    },
    # The model of the step before on other test sets.
    **{
        name: {
            "training.learning_rate": 0.0,
            "training.schedule": "constant",
            "training.warmup_updates": 0,
            "training.max_epochs": 0,
            "training.max_updates": 1,
            **dict.fromkeys(("settings.encoder_layers", "settings.decoder_layers"), layers),
        }
        for name, layers in (("transformer", 6), ("transformer_6_layers", 6), ("transformer_2_layers", 2))
    },
    "base_2_layers": {"settings.encoder_layers": 2, "settings.decoder_layers": 2},
    "cache_2_layers": {"settings.encoder_layers": 2, "settings.decoder_layers": 2},
}
PATHS = sorted((ROOT / "config" / "papers").glob("*.yaml"))


def values(config: Configuration, name: str, corpus: str) -> dict[str, Any]:
    """Every switch of an experiment and of the text of a corpus, with defaults, by dotted names."""
    text = as_json(config.corpora[corpus].text)
    sections = {**as_json(experiment_settings(config, name, corpus)), "text": text, "text.bpe": text["bpe"]}
    return {f"{section}.{key}": value for section, keys in sections.items() for key, value in keys.items()}


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_every_number_is_the_recipe_s(path: Path) -> None:
    config = resolved(load(path))
    for name, experiment in config.experiments.items():
        if name.endswith("_own") or experiment.model_of is not None:
            continue
        exceptions = EXCEPTIONS.get(name, {}) | EXCEPTIONS.get(f"{path.stem}.{name}", {})
        for corpus in corpora_of(config, name):
            of_corpus = CORPORA.get(path.stem, {}).get(corpus, {})
            wanted = RECIPES[path.stem] | STAGE_2.get(experiment.system, {}) | of_corpus | exceptions
            found = values(config, name, corpus)
            wrong = {key: found[key] for key, value in wanted.items() if value is not None and found[key] != value}
            assert not wrong, f"{name} on {corpus}"


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_trees_are_as_the_parser_makes_them_and_positions_run(path: Path) -> None:
    """Defects of earlier presets: debinarised trees, and target positions and searches of the project's own."""
    config = resolved(load(path))
    for name, experiment in config.experiments.items():
        system = SYSTEMS[experiment.system]
        settings = experiment_settings(config, name).settings
        if not name.endswith("_own") and settings.structure in (
            "dependencies",
            "paragraph_dependencies",
        ):
            assert config.analyses[experiment.analysis].rst["debinarise"] is False, name
        if not name.endswith("_own") and system.unit == "instance" and experiment.system != "flat_transformer":
            assert as_json(settings)["target_positions"] == "running", name


@pytest.mark.parametrize(
    "stem",
    [
        "rst_ende",
        "rst_mbart_ende",
        "dsp_table3",
        "graph_tables_1_4_10",
        "multitask_ende",
        "cache_table5",
    ],
)
def test_each_paper_has_the_project_s_own_beside_it(stem: str) -> None:
    config = resolved(load(ROOT / "config" / "papers" / f"{stem}.yaml"))
    own = [name for name in config.experiments if name.endswith("_own")]
    assert own
    assert all(experiment_settings(config, name).training.clip_norm == 1.0 for name in own)


@pytest.mark.parametrize(
    ("stem", "scored"),
    [
        ("dsp_ende_table2", ["dev"]),
        ("multitask_ende_weights", ["dev"]),
        ("graph_tables_7_8_9", ["dev", "test"]),
        ("graph_table2", ["dev", "test"]),
        ("graph_table3", ["dev", "test"]),
        ("graph_tables_1_4_10", ["dev", "test"]),
        ("cache_table4", ["nist02", "dev", "nist05", "nist06", "nist08"]),
        ("cache_table5", ["nist02", "dev", "nist05", "nist06", "nist08"]),
        ("dsp_table4", ["test"]),
        ("dsp_table3", ["test"]),
        ("rst_ende", ["test"]),
    ],
)
def test_the_sets_that_tables_are_about_are_scored(stem: str, scored: list[str]) -> None:
    config = resolved(load(ROOT / "config" / "papers" / f"{stem}.yaml"))
    corpora = [name for name in config.corpora if name != "ldc"]  # which a first step reads
    assert all(scored_sets_of(config.corpora[name]) == scored for name in corpora)


def test_figure_5_decodes_each_model_with_and_without_trees() -> None:
    config = resolved(load(ROOT / "config" / "papers" / "rst_ende.yaml"))
    plan = Plan(config)
    for name, drop_rst in {
        "mix": 0.0,
        "mix_drop_30": 0.3,
        "mix_drop_50": 0.5,
        "mix_drop_70": 0.7,
        "mix_drop_100": 1.0,
    }.items():
        assert values(config, name, "ted")["settings.drop_rst"] == drop_rst
        assert values(config, f"{name}.no_tree", "ted")["decoding.use_tree"] is False
        assert f"{name}.no_tree" in plan.runs.decoded_experiments()


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_papers_have_the_text_of_moses(path: Path) -> None:
    """A corpus that takes its text from another one has that of the other."""
    config = yaml.safe_load(path.read_text(encoding="utf-8"))
    for name, corpus in config["corpora"].items():
        text = corpus["text"] if "text_of" not in corpus else config["corpora"][corpus["text_of"]]["text"]
        assert (text["spacing"], text["normalise"]) == ("rules", False), name


def test_defaults_of_rivals_are_those_of_their_papers() -> None:
    """HAN reads three sentences; CTX two, with one layer; caches have 25 words; structural positions are all three."""
    defaults: dict[str, Any] = {name: system.settings() for name, system in SYSTEMS.items()}
    assert (defaults["han"].sentences, defaults["doc_transformer"].sentences) == (3, 2)
    assert defaults["doc_transformer"].context_layers == 1
    assert (defaults["continuous_cache"].size, defaults["theme_rheme_cache"].cache_size) == (25, 25)
    assert (defaults["selective"].w_n, defaults["selective"].dsp) == (0.8, ["rel_edu", "rel_depth", "path"])
    assert (defaults["multitask"].lambda1, defaults["multitask"].lambda2) == (0.5, 1.0)
    assert (defaults["multitask"].paragraph_len, defaults["multitask"].segmentation_threshold) == (16, 0.5)
    assert (defaults["rst_transformer"].rst_layers, defaults["g_transformer"].global_layers) == (2, 2)
    assert (defaults["rst_transformer"].fusion, defaults["rst_transformer"].drop_rst) == ("mix", 0.0)
    assert (defaults["document_graph"].graph_layers, defaults["document_graph"].earlier_sentences) == (2, 3)


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_a_preset_says_what_is_the_project_s(path: Path) -> None:
    comments = " ".join(line.lstrip("# ") for line in path.read_text(encoding="utf-8").splitlines() if "#" in line)
    for wanted in ("one seed", "<unk>", "size: small", "target `table`", "clip"):
        assert wanted in comments, wanted
