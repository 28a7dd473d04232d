"""The preset of OPUS-MT in the real DAG with a tiny checkpoint, to a model folder and back to transformers."""

import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
import torch
import transformers
import yaml

from discourse_nmt.base.storage.tables import read_table
from discourse_nmt.demo.generation import generate, sentences
from discourse_nmt.translation import load
from discourse_nmt.translation.texts import SourceDocument
from tests.conftest import ROOT
from tests.unit.training.pretrained.reference_checkpoints import Reference, make
from tests.workflow.test_workflow import snakemake

RUN = "results/ted_opus_ende/ted/experiments"


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Reference]:
    """The folder of a run whose sentence model learns nothing, and the checkpoint that it starts from."""
    folder = tmp_path_factory.mktemp("opus")
    reference = make("marian", folder / "checkpoint")
    config = yaml.safe_load((ROOT / "config" / "ted_opus_ende.yaml").read_text(encoding="utf-8"))
    files = config["corpora"]["ted"]["splits"]["train"]
    frame = sentences(generate(40, seed=5)["train"])
    for side, [name] in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        documents = ["\n".join(["<d>", *part[side]]) for _, part in frame.groupby("doc_id", sort=False)]
        (folder / name).write_text("\n".join([*documents, ""]), encoding="utf-8")
    config["corpora"]["ted"] |= {"shards": 1, "held_out": {"dev": 2, "test": 4}}
    config["corpora"]["ted"]["text"]["pretrained"] = "checkpoint"
    config["model"] |= reference.switches
    config["training"] |= {"max_updates": 4, "evaluate_every": 2, "warmup_updates": 1, "batch_tokens": 1000}
    config["decoding"] = {"beam": 2, "length_penalty": 0, "max_length_ratio": 0, "max_length_offset": 45}
    kept = {name: config["experiments"][name] for name in ("sentence", "g_transformer")}
    kept["sentence"]["training"] = {"learning_rate": 1.0e-12, "max_updates": 2}
    config["experiments"] = kept
    (folder / "opus.yaml").write_text(yaml.safe_dump(config), encoding="utf-8")
    result = snakemake(folder, "--configfile", "opus.yaml", "--", "score", "models")
    assert result.returncode == 0, result.stdout
    return folder, reference


def test_the_preset_translates_as_the_checkpoint_before_it_learns(finished: tuple[Path, Reference]) -> None:
    folder, reference = finished
    rows = read_table(folder / RUN / "sentence/seed1/translations/test.parquet", "translations")
    corpus = read_table(folder / "results/ted_opus_ende/ted/corpus/test/0.parquet", "sentences")
    sources = corpus["source"].tolist()[:12]
    symbols = reference.model.config.vocab_size
    special = [reference.model.config.pad_token_id, 1]
    expected = reference.translations(sources, 2, list(range(symbols)), special)
    tokenizer = transformers.MarianTokenizer.from_pretrained(reference.folder)
    lines = rows["hypothesis"].tolist()[:12]
    ended = [(line, theirs) for line, theirs in zip(lines, expected) if theirs[-1] == 0]
    assert len(ended) > 4
    assert [line for line, _ in ended] == [
        " ".join(tokenizer.decode(theirs, skip_special_tokens=True).split()) for _, theirs in ended
    ]
    scores = pd.read_csv(folder / "results/ted_opus_ende/scores.tsv", sep="\t")
    assert set(scores["experiment"]) == {"sentence", "g_transformer"}


@pytest.mark.parametrize("experiment", ["sentence", "g_transformer"])
def test_model_folders_translate_as_the_workflow(finished: tuple[Path, Reference], experiment: str) -> None:
    folder, _ = finished
    run = folder / RUN / experiment / "seed1"
    corpus = read_table(folder / "results/ted_opus_ende/ted/corpus/test/0.parquet", "sentences")
    documents = [
        SourceDocument.of_sentences(part["source"].tolist(), str(name)) for name, part in corpus.groupby("doc_id")
    ]
    found = [
        candidates[0].line
        for document in load(run / "model", device="cpu").translate_documents(documents)
        for candidates in document.candidates
    ]
    wanted = read_table(run / "translations/test.parquet", "translations")
    assert found == wanted["hypothesis"].tolist()


def test_the_command_exports_what_transformers_reads(finished: tuple[Path, Reference]) -> None:
    folder, reference = finished
    model = str(folder / RUN / "sentence/seed1/model")
    words = ["export", model, "--checkpoint", str(reference.folder), "--output", str(folder / "exported")]
    command = [sys.executable, "-m", "discourse_nmt", *words]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    again = type(reference.model).from_pretrained(folder / "exported")
    source = torch.tensor([reference.source_rows("The lamp is new.")])
    with torch.no_grad():
        ours, theirs = (
            network(source, decoder_input_ids=torch.tensor([[*reference.begin, 5, 6]])).logits
            for network in (again.eval(), reference.model)
        )
    torch.testing.assert_close(ours, theirs, rtol=1e-5, atol=1e-5)
    once_more = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert once_more.returncode == 1
    assert once_more.stderr.strip().splitlines() == [f"error: {folder / 'exported'}: there already; name a new folder"]
