"""Every key of training, decoding, text, filters and significance travels from a YAML file to the jobs that read it."""

import json
import logging
from collections.abc import Iterator
from contextlib import redirect_stdout
from dataclasses import asdict, fields
from io import StringIO
from typing import Any, get_type_hints

import pytest
import yaml
from snakemake.api import SnakemakeApi
from snakemake.settings.types import ConfigSettings, OutputSettings, ResourceSettings

from discourse_nmt import ROOT
from discourse_nmt.corpus.importing.filters import Filters
from discourse_nmt.discourse.backends.builtin.models import segmenter_files
from discourse_nmt.models.switches.decoding import DecodingSettings
from discourse_nmt.scoring.comparison.settings import SignificanceSettings
from discourse_nmt.text.settings import BpeSettings, SentencePieceSettings, SideSettings
from discourse_nmt.training.settings import TrainingSettings
from discourse_nmt.workflow.jobs.parameters import SCORING, TOKENISING
from discourse_nmt.workflow.reruns.fingerprint import files_digest
from tests.unit.second_values import other_than
from tests.unit.training.pretrained.pretrained_checkpoints import write_checkpoint
from tests.unit.workflow.plan.plan_examples import job, run

Rules = dict[str, Any]

# Second values where those by the type are not valid together.
BY_HAND: dict[str, dict[str, Any]] = {
    "training": {"rates": {"encoder_layers.": 0.5}},
    "filters": {"splits": ["train", "dev"]},
    "significance": {"baseline": "first"},
}
# Second values that do not go with those of other keys, or with every system; each belongs to an experiment of its own.
ENGINE, SENTENCES = {"engine": "ctranslate2"}, {"sentences": 1}
GIVEN = {"target_context": "references", "search": "waves"}
ALONE = ENGINE | SENTENCES | {"target_context": "references"}
LEARNT: dict[str, Any] = {
    "tokeniser": {"source": "spaces", "target": "moses"},
    "normalise": {"source": False, "target": True},
    "spacing": {"source": "rules", "target": "marks"},
    "lowercase": {"source": True, "target": False},
    "truecase": {"source": True, "target": False},
    "bpe": {
        "joint": False,
        "merges": {"source": 31, "target": 32},
        "vocabulary_threshold": {"source": 3, "target": 4},
        "vocabulary_size": {"source": 91, "target": 92},
    },
    "sentencepiece": {
        "algorithm": {"source": "bpe", "target": "unigram"},
        "size": {"source": 71, "target": 72},
        "character_coverage": {"source": 0.98, "target": 0.99},
    },
}
TAKEN: dict[str, Any] = {
    **{"subwords": "sentencepiece", "pretrained": "checkpoint", "whole_vocabulary": True},
    **{"language_code": {"source": "en_XX", "target": "de_DE"}, "truecase": False, "normalise": False},
}


def second(name: str, kind: type) -> dict[str, Any]:
    """Every key of a section with a value that is not the default."""
    hints, default = get_type_hints(kind), kind()
    by_hand = BY_HAND.get(name, {})
    return {
        entry.name: by_hand.get(entry.name) or other_than(getattr(default, entry.name), hints[entry.name])
        for entry in fields(kind)
    }


SECTIONS_OF: dict[str, type] = {
    "training": TrainingSettings,
    "decoding": DecodingSettings,
    "filters": Filters,
    "significance": SignificanceSettings,
}
SECTIONS = {name: second(name, kind) for name, kind in SECTIONS_OF.items()}
SECTIONS["decoding"] |= {key: getattr(DecodingSettings(), key) for key in ALONE}


OF_THE_RUN: dict[str, Any] = {
    "demo": {"documents": 42, "seed": 7},
    "report": {"documents": 11},
    "model_folders": {"licence": "CC0-1.0", "precision": "bf16"},
    "document_metrics": {"alignment_pairs": 1234, "cxmi": ["without_trees"]},
}
"""Sections whose keys are parameters of jobs as they are."""

TREEBANK = {"kept": ["kept"], "rst": ["a.rs4"], "coreference": ["a.conll"], "steps": ["hyphens"], "sentences": 20}
PARSERS: dict[str, Any] = {
    "treebanks": {
        "train": {"conllu": ["train.conllu"]},
        "dev": {"conllu": ["dev.conllu"], **TREEBANK, "folds": 3, "part": "held"},
        "units": {"conllu": ["units.conllu"]},
    },
    **{"genres": ["news"], "more_teaches": ["units"], "guidelines": "more", "notice": "gold", "folds": 3},
    **{"segmenter": {"epochs": 2}, "network": {"width": 16}, "training": {"epochs": 4, "rate": 0.5, "seed": 5}},
    **{"vectors": {"file": "v.txt", "words": 9}, "fold_training": {"epochs": 6}},
    "teachers": {"texts": ["t/*.txt"], "members": 2, "pretrained": "bert", "training": {"epochs": 7}},
    "units": {"training": {"epochs": 8}, "threshold": 0.8, "notice": "silver"},
    "rst": {"settings": {"width": 3}, "training": {"members": 4}},
    "coreference": {"settings": {"ranking_width": 5}, "training": {"folds": 6}, "resolving": {"threshold": 0.7}},
}


@pytest.fixture(scope="module")
def rules(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rules]:
    """The rules of the workflow, as Snakemake reads them with a configuration file of second values."""
    folder = tmp_path_factory.mktemp("workflow")
    corpora: dict[str, Any] = {}
    for name, text in (("learnt", LEARNT), ("taken", TAKEN)):
        splits = {split: {"files": [f"{split}.tsv"]} for split in ("train", "dev", "test")}
        corpora[name] = {"source_language": "en", "target_language": "de", "format": "table", "splits": splits}
        corpora[name] |= {"text": text, "filters": SECTIONS["filters"], "groups": "(.*)-"}
    corpora["cut"] = {**corpora["learnt"], "target_language": "zh"}
    corpora["cut"] |= {"text": {**LEARNT, "tokeniser": {"source": "spaces", "target": "builtin"}}}
    experiments: dict[str, Any] = {"first": {"system": "transformer"}, "second": {"system": "g_transformer"}}
    experiments["third"] = {"system": "transformer", "decoding": {**ENGINE, "shortlist": 0}}
    experiments["fourth"] = {"system": "concat", "decoding": SENTENCES}
    experiments["fifth"] = {"system": "concat", "decoding": GIVEN}
    config = {"run": "example", "corpora": corpora, "experiments": experiments}
    config |= {name: SECTIONS[name] for name in ("training", "decoding", "significance")}
    config |= {**OF_THE_RUN, "parsers": {"en": PARSERS}}
    for split in ("train", "dev", "test"):
        (folder / f"{split}.tsv").touch()
    write_checkpoint(folder / "checkpoint")
    (folder / "config.yaml").write_text(yaml.safe_dump(config), encoding="utf-8")
    with SnakemakeApi(OutputSettings(log_level_override=logging.WARNING)) as api:
        workflow = api.workflow(
            ResourceSettings(cores=1),
            ConfigSettings(configfiles=[folder / "config.yaml"]),
            snakefile=ROOT / "Snakefile",
            workdir=folder,
        )
        with redirect_stdout(StringIO()):
            workflow.list_rules()
        yield {rule.name: rule for rule in workflow._workflow.rules}


def parameter(rules: Rules, rule: str, name: str, corpus: str = "learnt", experiment: str = "second") -> Any:
    """A parameter of a job of a rule; its command gets it, as JSON or words."""
    assert f"{{params.{name}" in rules[rule].shellcmd
    value = dict(rules[rule].params.items())[name]
    found = value(run(experiment, corpus=corpus, split="test", side="source")) if callable(value) else value
    return json.loads(found) if isinstance(found, str) and found.startswith("{") else found


def test_every_key_of_a_section_has_another_value_than_its_default() -> None:
    counts = {}
    for name, kind in SECTIONS_OF.items():
        default = asdict(kind())
        counts[name] = len(default)
        alone = ALONE if name == "decoding" else {}
        assert {key for key, value in {**SECTIONS[name], **alone}.items() if value == default[key]} == set()
        assert set(SECTIONS[name]) == set(default)
    assert counts == {"training": 33, "decoding": 16, "filters": 5, "significance": 6}


@pytest.mark.parametrize("corpus", ["learnt", "taken"])
def test_training_reaches_its_job(rules: Rules, corpus: str) -> None:
    assert parameter(rules, "train_model", "training", corpus) == SECTIONS["training"]


@pytest.mark.parametrize("rule", ["translate_split", "translate_part", "pack_model"])
def test_decoding_reaches_the_jobs_that_translate(rules: Rules, rule: str) -> None:
    assert parameter(rules, rule, "settings") == SECTIONS["decoding"]
    assert parameter(rules, rule, "settings", experiment="third") == {**SECTIONS["decoding"], **ENGINE, "shortlist": 0}
    assert parameter(rules, rule, "settings", experiment="fourth") == SECTIONS["decoding"] | SENTENCES
    assert parameter(rules, rule, "settings", experiment="fifth") == SECTIONS["decoding"] | GIVEN


@pytest.mark.parametrize("rule", ["score_contrastive", "score_contrastive_part", "score_references", "show_cache"])
def test_decoding_reaches_the_jobs_that_score(rules: Rules, rule: str) -> None:
    assert parameter(rules, rule, "settings") == {key: SECTIONS["decoding"][key] for key in SCORING}
    assert parameter(rules, rule, "settings", experiment="fourth").items() >= SENTENCES.items()


@pytest.mark.parametrize("corpus", ["learnt", "taken"])
def test_filters_reach_the_import(rules: Rules, corpus: str) -> None:
    assert parameter(rules, f"import_corpus_{corpus}", "settings")["filters"] == SECTIONS["filters"]


TEXT_RULES = {
    **{"measure_corpus": "settings", "train_truecaser": "settings", "learn_bpe": "settings", "apply_bpe": "settings"},
    **{"import_pretrained": "text", "translate_split": "text", "translate_part": "text", "pack_model": "text"},
    **{"score_contrastive": "text", "show_cache": "text", "train_labeller": "text", "apply_bpe_to_draft": "settings"},
}
"""By rule, its parameter with the section ``text``."""


@pytest.mark.parametrize(("corpus", "section"), [("learnt", LEARNT), ("taken", TAKEN)])
@pytest.mark.parametrize("rule", TEXT_RULES)
def test_text_reaches_its_jobs(rules: Rules, rule: str, corpus: str, section: dict[str, Any]) -> None:
    found = parameter(rules, rule, TEXT_RULES[rule], corpus)
    assert {key: found[key] for key in section} == section
    assert (found["source_language"], found["target_language"]) == ("en", "de")


@pytest.mark.parametrize(
    ("rule", "name"), [("tokenise", "settings"), ("tokenise_draft", "settings"), ("import_hypotheses", "text")]
)
def test_what_tokens_depend_on_reaches_the_jobs_that_tokenise(rules: Rules, rule: str, name: str) -> None:
    assert parameter(rules, rule, name) == {
        **{"source_language": "en", "target_language": "de"},
        **{key: LEARNT[key] for key in TOKENISING if key in LEARNT},
    }


@pytest.mark.parametrize(
    "rule",
    [
        "measure_corpus",
        "tokenise",
        "tokenise_draft",
        "import_hypotheses",
        "tune_decoding",
        "translate_split",
        "translate_part",
        "score_contrastive",
        "score_contrastive_part",
        "show_cache",
    ],
)
def test_a_digest_of_the_weights_of_tokenisers_reaches_the_jobs_that_tokenise(rules: Rules, rule: str) -> None:
    """And a fingerprint of their code, by the corpus."""
    params = dict(rules[rule].params.items())
    assert params["files"](run("second", corpus="cut", split="test")) == files_digest(segmenter_files("zh"))
    assert params["files"](run("second", corpus="learnt", split="test")) == ""
    codes = [params["code"](run("second", corpus=corpus, split="test")) for corpus in ("cut", "learnt")]
    assert codes[0] != codes[1]


def test_every_key_of_text_is_in_one_of_the_corpora() -> None:
    assert set(LEARNT) | set(TAKEN) == {entry.name for entry in fields(SideSettings)} - {"language"}
    assert set(LEARNT["bpe"]) == {entry.name for entry in fields(BpeSettings)}
    assert set(LEARNT["sentencepiece"]) == {entry.name for entry in fields(SentencePieceSettings)}


@pytest.mark.parametrize("rule", ["compare_translations", "compare_translations_over_seeds", "compare_metric"])
def test_significance_reaches_the_jobs_that_compare(rules: Rules, rule: str) -> None:
    section = SECTIONS["significance"]
    keys = {"trials": "trials", "random_seed": "seed", **({} if "metric" in rule else {"samples": "samples"})}
    assert {name: parameter(rules, rule, name) for name in keys} == {name: section[key] for name, key in keys.items()}
    for name in keys:
        assert f"--{name.replace('_', '-')} {{params.{name}}}" in rules[rule].shellcmd


def test_normalised_sides_reach_the_scores(rules: Rules) -> None:
    assert LEARNT["normalise"] == {"source": False, "target": True}
    assert parameter(rules, "score_run", "normalised") == ["target"]


def test_engine_and_precision_reach_the_scores(rules: Rules) -> None:
    assert SECTIONS["decoding"]["precision"] == "int8"
    assert parameter(rules, "score_run", "computed_by") == ["precision:int8"]
    assert parameter(rules, "score_run", "computed_by", experiment="third") == ["engine:ctranslate2", "precision:int8"]
    assert "--computed-by {params.computed_by:q}" in rules["score_run"].shellcmd


@pytest.mark.parametrize("rule", ["compare_translations", "compare_accuracy", "compare_metric"])
def test_baseline_units_and_trainings_reach_the_jobs_that_compare(rules: Rules, rule: str) -> None:
    """The corpus has groups, which are not the units; by default they are."""
    seeds = ["--seeds", "1", "--baseline", "first", "--baseline-seeds", "1"]
    assert parameter(rules, rule, "seeds") == ["--trainings", "fixed", *seeds]


@pytest.mark.parametrize(
    ("rule", "name", "section", "key"),
    [
        ("generate_demo", "documents", "demo", "documents"),
        ("generate_demo", "seed", "demo", "seed"),
        ("report_page", "number", "report", "documents"),
        ("pack_model", "precision", "model_folders", "precision"),
        ("learn_alignment", "pairs", "document_metrics", "alignment_pairs"),
        ("learn_subword_translations", "pairs", "document_metrics", "alignment_pairs"),
        ("score_references", "controls", "document_metrics", "cxmi"),
    ],
)
def test_sections_of_the_run_reach_their_jobs(rules: Rules, rule: str, name: str, section: str, key: str) -> None:
    assert parameter(rules, rule, name) == OF_THE_RUN[section][key]


def test_the_licence_reaches_the_folders_of_models(rules: Rules) -> None:
    assert parameter(rules, "pack_model", "licence") == ["--licence=CC0-1.0"]


OF_JOINT = {"genres": ["news"], "teaches": ["units"], "guidelines": "more", "network": {"width": 16}}
TRAINED = PARSERS["training"]
VECTORS = ["--vectors=v.txt", "--vector-words=9"]
PARSER_RULES: dict[str, dict[str, Any]] = {
    "prepare_treebank": {**TREEBANK, "conllu": ["dev.conllu"], "folds": 3, "part": "held"},
    "train_segmenter": {"genres": ["news"], "settings": {"epochs": 2}},
    "train_teacher": {**OF_JOINT, "training": {**TRAINED, "epochs": 7, "seed": 6}, "pretrained": ["--pretrained=bert"]},
    "annotate_texts": {"texts": ["t/*.txt"]},
    "train_joint_network": {**OF_JOINT, "training": TRAINED, "vectors": VECTORS, "notice": ["--notice=gold"]},
    "annotate_fold": {**OF_JOINT, "training": {**TRAINED, "epochs": 6}, "folds": 3, "vectors": VECTORS},
    "train_units": {"training": {**TRAINED, "epochs": 8}, "threshold": 0.8, "notice": "silver"},
    "train_rst_parser": {"genres": ["news"], "settings": {"width": 3}, "training": {"members": 4}},
    "train_coreference": {
        **{"genres": ["news"], "settings": {"ranking_width": 5}},
        **{"training": {"folds": 6}, "resolving": {"threshold": 0.7}},
    },
}
"""By rule, its parameters that are keys of the analysers of a language."""


@pytest.mark.parametrize("rule", PARSER_RULES)
def test_the_keys_of_analysers_reach_the_jobs_that_train_them(rules: Rules, rule: str) -> None:
    wildcards = job(language="en", treebank="dev", member="1", fold="0")
    found = {}
    for name in PARSER_RULES[rule]:
        assert f"{{params.{name}" in rules[rule].shellcmd
        given = dict(rules[rule].params.items())[name]
        value = given(wildcards) if callable(given) else given
        found[name] = json.loads(value) if isinstance(value, str) and value.startswith("{") else value
    assert found == PARSER_RULES[rule]
