"""Model folders of systems that start from a tiny, random mBART or BART: they translate as the workflow's jobs do."""

import importlib
import json
import sys
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import torch

from discourse_nmt.base.storage.tables import read_table, write_table
from discourse_nmt.base.vocabulary import Vocabulary
from discourse_nmt.demo.generation import generate, sentences
from discourse_nmt.models.systems import build, system_named
from discourse_nmt.text.settings import SIDES
from discourse_nmt.training.checkpoints.model_files import initialise_from, load_model, save_model
from discourse_nmt.translation import load
from discourse_nmt.translation.model_folder import open_folder
from discourse_nmt.translation.texts import SourceDocument
from tests.unit.training.pretrained.pretrained_checkpoints import write_checkpoint

DECODING = {"beam": 2, "n_best": 2, "max_length_ratio": 0.5, "max_length_offset": 3}


def command(name: str, *words: object, **options: Any) -> None:
    """Run a command of the workflow in this process; mappings become JSON."""
    for option, value in options.items():
        words += (f"--{option.replace('_', '-')}", json.dumps(value) if isinstance(value, dict) else value)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", [name, *map(str, words)])
        importlib.import_module(f"discourse_nmt.workflow_scripts.{name}").main()


def with_sides(folder: Path, name: str, file: str) -> dict[str, Path]:
    return {f"{side}_{name}": folder / side / file for side in SIDES}


@pytest.fixture(scope="module", params=["mbart", "bart"])
def prepared(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """The stages text and import of a small test set, with a checkpoint that is then removed."""
    folder = tmp_path_factory.mktemp(request.param)
    checkpoint = folder / "checkpoint"
    write_checkpoint(checkpoint, request.param)
    text = {
        "source_language": "en",
        "target_language": "de",
        "truecase": False,
        "normalise": False,
        "pretrained": str(checkpoint),
    }
    if request.param == "mbart":
        text |= {"subwords": "sentencepiece"}
    else:
        text |= {"subwords": "byte_bpe", "whole_vocabulary": True}
    pairs = sentences(generate(60, seed=1)["dev"])
    numbered = pairs.assign(sent_id=pairs.groupby("doc_id").cumcount())
    write_table(numbered[["doc_id", "sent_id", "source", "target"]], folder / "sentences.parquet", "sentences")
    command("text.tokenise", sentences=folder / "sentences.parquet", settings=text, output=folder / "tokens.parquet")
    for side in SIDES:
        output = folder / side / "truecase.json"
        command("text.train_truecaser", tokens=folder / "tokens.parquet", side=side, settings=text, output=output)
    models = with_sides(folder, "truecaser", "truecase.json") | with_sides(folder, "codes", "bpe.json")
    models |= with_sides(folder, "vocabulary", "vocabulary.json")
    command("text.learn_bpe", tokens=folder / "tokens.parquet", settings=text, **models)
    subwords = folder / "subwords.parquet"
    command("text.apply_bpe", tokens=folder / "tokens.parquet", settings=text, output=subwords, **models)
    command("text.build_dataset", subwords=subwords, output=folder / "dataset.arrow")
    vocabularies = with_sides(folder, "vocabulary", "vocabulary.json")
    output = folder / "pretrained.safetensors"
    command("text.import_pretrained", text_settings=text, output=output, **vocabularies)
    for path in checkpoint.iterdir():
        path.unlink()
    return folder, text


@pytest.mark.parametrize("system", ["transformer", "g_transformer"])
def test_translations_are_those_of_the_workflow(prepared: tuple[Path, dict[str, Any]], system: str) -> None:
    folder, text = prepared
    source, target = (Vocabulary.load(folder / side / "vocabulary.json") for side in SIDES)
    start = load_model(folder / "pretrained.safetensors", source, target, system="transformer")
    switches = system_named(system).switches(vars(start.settings))
    torch.manual_seed(1)
    network = build(system, vars(switches), len(source), len(target), source.fingerprint == target.fingerprint)
    initialise_from(network, folder / "pretrained.safetensors", source, target)
    model = folder / f"{system}.safetensors"
    save_model(model, network, system, switches, source, target)
    vocabularies = with_sides(folder, "vocabulary", "vocabulary.json")
    given: dict[str, Any] = {"model": model, "settings": DECODING, "text_settings": text, **vocabularies}
    translations = folder / f"{system}.parquet"
    command("train.translate", dataset=folder / "dataset.arrow", output=translations, device="cpu", **given)
    (folder / "metrics.csv").write_text("update,dev_perplexity\n1,2.5\n", encoding="utf-8")
    models = with_sides(folder, "truecaser", "truecase.json") | with_sides(folder, "codes", "bpe.json")
    origin: dict[str, Any] = {"corpus": "demo", "experiment": system, "seed": 1, "analysis": {}}
    packed = folder / f"{system}.model"
    command("train.pack_model", metrics=folder / "metrics.csv", output=packed, **given, **models, **origin)

    assert open_folder(packed).text.source.pretrained == "checkpoint", "the name alone: it is not needed"
    wanted = read_table(translations, "translations")
    assert wanted["hypothesis"].nunique() > 10, "or the comparison says little"
    documents = [
        SourceDocument.of_sentences(part["source"].tolist(), str(name))
        for name, part in read_table(folder / "sentences.parquet", "sentences").groupby("doc_id")
    ]
    rows = [
        (document.source.name, number, rank, candidate.line, list(candidate.tokens), candidate.score)
        for document in load(packed, device="cpu").translate_documents(documents)
        for number, candidates in enumerate(document.candidates)
        for rank, candidate in enumerate(candidates)
    ]
    found = pd.DataFrame(rows, columns=list(wanted))
    assert found.values.tolist() == wanted.assign(tokens=wanted["tokens"].map(list)).values.tolist()
