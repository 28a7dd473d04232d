"""Model folders in the real DAG: they translate the test set as the workflow does."""

import shutil
from pathlib import Path

import pandas as pd
import pytest
import torch
import yaml

from discourse_nmt.base.storage.tables import read_table
from discourse_nmt.training.checkpoints.model_files import read_tensors
from discourse_nmt.translation import load
from discourse_nmt.translation.model_folder import open_folder
from discourse_nmt.translation.texts import SourceDocument
from tests.conftest import ROOT
from tests.workflow.test_structure_workflow import CONFIG
from tests.workflow.test_workflow import NOTHING, snakemake

SMALL = {"initialised_from": "sentence", "training": {"max_updates": 3, "learning_rate": 0.0002}}
GRAPH = {"relations": ["adjacency", "dependency", "lexical"]}
EXPERIMENTS = {
    "sentence": {
        "system": "transformer",
        "training": {"max_updates": 600, "evaluate_every": 100},
        "decoding": {"engine": "ctranslate2"},
        "decodings": {"own": {"engine": "own"}},
    },
    "trees": {"system": "rst_transformer", "settings": {"rst_layers": 1}, **SMALL},
    "paths": {"system": "selective", "settings": {"dsp": ["path"]}, **SMALL},
    # It reads drafts, which its folder can make.
    "drafts": {"system": "document_graph", "settings": GRAPH, **SMALL},
}


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("models")
    config = yaml.safe_load(CONFIG.read_text(encoding="utf-8"))
    config["corpora"]["demo"]["shards"] = 1
    config["analyses"] = {"builtin": {"sides": ["source", "target"], "graph": GRAPH}}
    config["training"] |= {"learning_rate": 0.005}
    config["decoding"] = {"beam": 2, "n_best": 2, "max_length_ratio": 0.6, "max_length_offset": 3}
    config["model_folders"] = {"licence": "CC0"}
    config["experiments"] = EXPERIMENTS
    (folder / "models.yaml").write_text(yaml.safe_dump(config), encoding="utf-8")
    result = snakemake(folder, "--configfile", "models.yaml", "--", "models")
    assert result.returncode == 0, result.stdout
    return folder


def check_translations(corpus: Path, experiment: str) -> None:
    """The folder of an experiment gives the candidates of the workflow's, with their tokens and scores."""
    run = corpus / "experiments" / experiment / "seed1"
    sentences = read_table(corpus / "corpus/test/0.parquet", "sentences")
    documents = [
        SourceDocument.of_sentences(part["source"].tolist(), str(name)) for name, part in sentences.groupby("doc_id")
    ]
    rows = [
        (document.source.name, number, rank, candidate.line, candidate.tokens, candidate.score)
        for document in load(run / "model", device="cpu").translate_documents(documents)
        for number, candidates in enumerate(document.candidates)
        for rank, candidate in enumerate(candidates)
    ]
    wanted = read_table(run / "translations/test.parquet", "translations")
    assert wanted["hypothesis"].nunique() > 10, "or the comparison says little"
    found = pd.DataFrame(rows, columns=list(wanted))
    same = [name for name in wanted if name not in ("tokens", "score")]
    assert found[same].values.tolist() == wanted[same].values.tolist()
    assert found["tokens"].map(tuple).tolist() == wanted["tokens"].map(tuple).tolist()
    # Two calls of the same matrix product may differ in the last digits on some processors.
    assert found["score"].to_numpy() == pytest.approx(wanted["score"].to_numpy(), rel=1e-5)


@pytest.mark.parametrize("experiment", EXPERIMENTS)
def test_translations_are_those_of_the_workflow(finished: Path, experiment: str) -> None:
    check_translations(finished / "results/structure/demo", experiment)


def test_ctranslate2_makes_translations_and_drafts_and_is_in_signatures(finished: Path) -> None:
    corpus, logs = (finished / f"results/structure/{folder}demo" for folder in ("", "logs/"))
    translations = {
        name: read_table(corpus / f"experiments/{name}/seed1/translations/test.parquet", "translations").query(
            "rank == 0"
        )
        for name in ("sentence", "sentence.own")
    }
    assert translations["sentence"]["hypothesis"].tolist() == translations["sentence.own"]["hypothesis"].tolist()
    drafted = [*logs.glob("translate/sentence/**/*.log")]
    assert {"train", "dev", "test"} <= {path.relative_to(logs).parts[3].split(".")[0] for path in drafted}
    assert all("engine ctranslate2" in path.read_text(encoding="utf-8") for path in drafted)
    for name, engine in (("sentence", "ctranslate2"), ("sentence.own", "own")):
        manifest = open_folder(corpus / f"experiments/{name}/seed1/model").manifest
        [signature] = {row["signature"] for row in manifest.origin.scores if row["metric"] == "s-BLEU"}
        assert ("|engine:ctranslate2" in signature) == (engine == "ctranslate2") and manifest.decoding.engine == engine


def test_folders_say_where_they_come_from(finished: Path) -> None:
    folder = open_folder(finished / "results/structure/demo/experiments/drafts/seed1/model")
    origin = folder.manifest.origin
    assert (origin.corpus, origin.experiment, origin.seed) == ("demo", "drafts", 1)
    assert set(origin.data) == {"train.tsv", "dev.tsv", "test.tsv"} and all(origin.data.values())
    assert "s-BLEU" in {row["metric"] for row in origin.scores} and origin.training["dev_perplexity"] > 1
    assert folder.manifest.licence == "CC0" and "CC0" in (folder.path / "LICENCE.txt").read_text(encoding="utf-8")
    assert folder.draft is not None and folder.draft.manifest.origin.experiment == "sentence"
    assert {"en/joint.safetensors", "de/joint.safetensors"} <= folder.manifest.analysis.weights.keys()


def test_an_experiment_takes_its_network_from_a_folder(finished: Path) -> None:
    config = yaml.safe_load((finished / "models.yaml").read_text(encoding="utf-8"))
    config["run"] = "taken"
    config["model_folders"] = {"precision": "bf16"}
    trained = finished / "results/structure/demo/experiments/sentence/seed1/model"
    folder = finished / "folders/sentence1"
    shutil.copytree(trained, folder)
    config["experiments"]["sentence"]["taken_from"] = "folders/sentence{seed}"
    config["experiments"] = {name: config["experiments"][name] for name in ("sentence", "trees")}
    (finished / "taken.yaml").write_text(yaml.safe_dump(config), encoding="utf-8")
    command = ["--configfile", "taken.yaml", "--", "score", "report", "models"]
    result = snakemake(finished, *command, checkout=ROOT)
    assert result.returncode == 0, result.stdout
    for experiment in ("sentence", "trees"):
        models = [
            finished / f"results/{run}/demo/experiments/{experiment}/seed1/model.safetensors"
            for run in ("structure", "taken")
        ]
        assert models[0].read_bytes() == models[1].read_bytes()
        tensors, _ = read_tensors(models[1].parent / "model/weights.safetensors")
        assert {tensor.dtype for tensor in tensors.values()} == {torch.bfloat16}
    logs = finished / "results/taken/logs/demo"
    assert not (logs / "train/sentence").exists() and (logs / "take_from_folder/sentence/seed1.log").is_file()
    assert NOTHING in snakemake(finished, *command, checkout=ROOT).stdout

    shutil.rmtree(folder)
    kept = snakemake(finished, *command, checkout=ROOT).stdout
    assert NOTHING in kept and "it stays as it was imported before" in kept

    # Another model takes its place, and its files are older than the results.
    shutil.copytree(trained.parents[2] / "trees/seed1/model", folder)
    result = snakemake(finished, *command, checkout=ROOT)
    assert result.returncode and "a model of system rst_transformer, the experiment has transformer" in result.stdout

    config["experiments"]["sentence"]["taken_from"] = "results/nowhere/seed{seed}"
    config["run"] = "missing"
    (finished / "missing.yaml").write_text(yaml.safe_dump(config), encoding="utf-8")
    result = snakemake(finished, "--configfile", "missing.yaml", "--", "score", checkout=ROOT)
    assert "experiments.sentence.taken_from: no file results/nowhere/seed1/model.json; name a" in result.stdout
    assert result.returncode and not (finished / "results/missing").exists()


def test_a_second_call_does_nothing(finished: Path) -> None:
    result = snakemake(finished, "--configfile", "models.yaml", "--", "models", checkout=ROOT)
    assert NOTHING in result.stdout
