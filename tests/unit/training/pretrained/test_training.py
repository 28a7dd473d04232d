"""From an mBART checkpoint to a trained RST-Transformer: text stage, import, structure, training."""

import importlib
import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.storage.files import read_json
from discourse_nmt.base.vocabulary import BEGIN, END, Vocabulary
from discourse_nmt.demo.generation import generate, gold_tables, sentences
from discourse_nmt.models.core.transformer import Transformer
from discourse_nmt.models.packed.instances import Instance
from discourse_nmt.models.packed.rst_transformer import RstTransformer
from discourse_nmt.models.systems import SYSTEMS
from discourse_nmt.text.postprocessing import Postprocessor
from discourse_nmt.text.pretrained import PretrainedEncoder, adopt
from discourse_nmt.text.settings import SIDES, TextSettings
from discourse_nmt.text.stages import apply_subwords, tokenise, tokens_of
from discourse_nmt.training.builders.dependencies import write_dependencies
from discourse_nmt.training.builders.options import BuilderOptions
from discourse_nmt.training.checkpoints.model_files import load_model, tensors_of
from discourse_nmt.training.data.dataset import ParallelDataset
from discourse_nmt.training.data.dataset_tables import write_dataset
from discourse_nmt.training.run.run import TrainingRun, initial_network, train
from discourse_nmt.training.settings import TrainingSettings
from tests.unit.training.pretrained.pretrained_checkpoints import write_checkpoint

SWITCHES: dict[str, Any] = {
    "width": 16,
    "encoder_layers": 3,
    "decoder_layers": 3,
    "heads": 4,
    "feed_forward_width": 24,
    "activation": "gelu",
    "norm": "pre",
    "positions": "learned",
    "max_positions": 600,
    "embedding_norm": True,
}
UPDATES: dict[str, Any] = {
    "batch_tokens": 3000,
    "max_updates": 6,
    "evaluate_every": 3,
    "learning_rate": 0.01,
    "warmup_updates": 1,
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Datasets, structures and vocabularies of the demo corpus, and the checkpoint they are made with."""
    made = tmp_path_factory.mktemp("corpus")
    write_checkpoint(made / "mbart")
    text = settings(made)
    tokens, splits = {}, generate(60, seed=1)
    for split in ("train", "dev"):
        frame = sentences(splits[split])
        numbered = frame.assign(sent_id=frame.groupby("doc_id").cumcount())
        tokens[split] = tokenise(numbered, text)
    adopted = adopt(tokens_of(tokens["train"]), text)
    encoders = {side: PretrainedEncoder(*adopted[side]) for side in SIDES}
    for side in SIDES:
        adopted[side][1].save(made / f"{side}.json")
    for split, frame in tokens.items():
        write_dataset([apply_subwords(frame, encoders)], made / f"{split}.arrow")
        gold = gold_tables(splits[split])
        tables = {name: gold[name] for name in ("edus", "rst_dependencies")}
        data = ParallelDataset(made / f"{split}.arrow")
        write_dependencies(data, [{"tokens": frame, **tables}], made / f"{split}-structure.arrow", BuilderOptions())
    command(made)
    return made


def section(folder: Path) -> dict[str, Any]:
    languages = {"source_language": "en", "target_language": "de", "truecase": False, "normalise": False}
    return {**languages, "subwords": "sentencepiece", "pretrained": str(folder / "mbart")}


def settings(folder: Path) -> TextSettings:
    return TextSettings.from_mapping(section(folder))


def command(folder: Path) -> None:
    """Run import_pretrained in this process."""
    words = ["--text-settings", json.dumps(section(folder)), "--output", str(folder / "pretrained.safetensors")]
    for side in SIDES:
        words += [f"--{side}-vocabulary", str(folder / f"{side}.json")]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["import_pretrained", *words])
        importlib.import_module("discourse_nmt.workflow_scripts.text.import_pretrained").main()


def run_of(folder: Path, system: str = "rst_transformer", **changes: Any) -> TrainingRun:
    source, target = (Vocabulary.load(folder / f"{side}.json") for side in SIDES)
    training = TrainingSettings(**UPDATES)
    return TrainingRun(
        system,
        {**SWITCHES, **changes},
        training,
        1,
        folder / "train.arrow",
        folder / "dev.arrow",
        source,
        target,
        initialised_from=folder / "pretrained.safetensors",
        train_structure=folder / "train-structure.arrow",
        dev_structure=folder / "dev-structure.arrow",
    )


def test_the_imported_model_is_a_sentence_model(folder: Path) -> None:
    vocabulary = Vocabulary.load(folder / "source.json")
    network = load_model(folder / "pretrained.safetensors", vocabulary, vocabulary, system="transformer")
    assert isinstance(network, Transformer)
    assert {name: asdict(network.settings)[name] for name in SWITCHES} == SWITCHES
    assert network.settings.embedding_scale
    side = settings(folder).source
    dataset = ParallelDataset(folder / "dev.arrow")
    lines = [Postprocessor(side, vocabulary).line(ids) for ids in dataset.source.sentences()]
    assert lines == list(sentences(generate(60, seed=1)["dev"]).sort_values("doc_id", kind="stable")["source"])


def test_an_rst_transformer_trains_from_it(folder: Path, tmp_path: Path) -> None:
    trained = train(run_of(folder, rst_layers=2), tmp_path, device="cpu", devices=1, threads=1)
    assert isinstance(trained.network, RstTransformer)
    scores = pd.DataFrame(trained.state.rows)["dev_nll"].dropna()
    assert torch.isfinite(torch.tensor(scores.to_numpy())).all() and scores.iloc[-1] < scores.iloc[0]


def test_the_start_is_the_checkpoint_but_for_what_it_lacks(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    names = tmp_path / "names.json"
    with caplog.at_level("INFO"):
        network, loaded = initial_network(run_of(folder, rst_layers=2), names)
    new = {name for name, _ in network.named_parameters()} - loaded
    assert f"{len(loaded)} parameters from {folder / 'pretrained.safetensors'}, {len(new)} new ({names})" in caplog.text
    assert read_json(names) == {"new": sorted(new), "not used": []}
    names.unlink()
    monkeypatch.setenv("LOCAL_RANK", "1")
    initial_network(run_of(folder, rst_layers=2), names)
    assert not names.exists()  # as another process of the run has written it
    assert new and all(".related." in name or ".gate." in name for name in new)
    assert {name.split(".")[1] for name in new} == {"1", "2"}  # the two upper ones of three layers


# The side constraint refuses subwords of SentencePiece.
@pytest.mark.parametrize("system", sorted(set(SYSTEMS) - {"transformer", "side_constraint"}))
def test_every_system_takes_over_the_whole_checkpoint(folder: Path, system: str) -> None:
    vocabulary = Vocabulary.load(folder / "source.json")
    imported = load_model(folder / "pretrained.safetensors", vocabulary, vocabulary)
    # The continuous cache is the theme-rheme cache without a labeller, which is another model.
    switches = {"cache": "continuous"} if system == "theme_rheme_cache" else {}
    _, loaded = initial_network(run_of(folder, system, **switches))
    assert loaded == tensors_of(imported).keys()


def test_an_instance_of_sentences_by_themselves_has_the_logits_of_the_imported_model(folder: Path) -> None:
    vocabulary = Vocabulary.load(folder / "source.json")
    imported = load_model(folder / "pretrained.safetensors", vocabulary, vocabulary)
    network, _ = initial_network(run_of(folder, rst_layers=0, position_reset=True))
    assert isinstance(network, RstTransformer)
    dataset = ParallelDataset(folder / "dev.arrow")
    source, target = (side.rows(0, 3) for side in (dataset.source, dataset.target))
    instance = Instance(source, target, (), np.empty(0, np.int64), tree=False)
    with torch.no_grad():
        together = network.eval()(network.pack([instance]))
        apart = [
            imported(torch.tensor([[BEGIN, *ids, END]]), torch.tensor([[BEGIN, *translation]]))[0]
            for ids, translation in zip(source, target)
        ]
    torch.testing.assert_close(together, torch.cat(apart), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(
    ("name", "value"),
    [("heads", 2), ("norm", "post"), ("activation", "relu"), ("embedding_scale", False)],
)
def test_switches_that_do_not_fit_the_checkpoint_are_told(folder: Path, tmp_path: Path, name: str, value: Any) -> None:
    with pytest.raises(InputError, match=f"its {name} is .*, the network's is {value}; give both models the same"):
        train(run_of(folder, **{name: value}), tmp_path, device="cpu", devices=1, threads=1)


def test_a_vocabulary_of_another_checkpoint_is_told(folder: Path, tmp_path: Path) -> None:
    symbols = Vocabulary.load(folder / "source.json").symbols
    for name in ("source", "target"):
        Vocabulary((*symbols, "elsewhere")).save(tmp_path / f"{name}.json")
    write_checkpoint(tmp_path / "mbart")
    with pytest.raises(InputError, match="the checkpoint has no subword elsewhere"):
        command(tmp_path)
    write_checkpoint(tmp_path / "mbart", vocab_size=400, tensors={"shared.weight": torch.ones(400, 16)})
    with pytest.raises(InputError, match=r"vocab_size is 400, .* makes 327 symbols \(mBART-25\) or 354 \(mBART-50\)"):
        command(tmp_path)
