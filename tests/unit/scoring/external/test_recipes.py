"""The programs of resources/metrics, with stand-ins for the packages that they need."""

import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from discourse_nmt.scoring.external.command_metrics import parse_output
from tests.conftest import ROOT

SENTENCES = pd.DataFrame({"doc_id": ["b", "b", "a"], "sent_id": [0, 1, 0]})
TEXTS = {"source": ["One.", "Two.", "Three."], "hypotheses": ["E", "ZZ", ""], "references": ["Eins.", "Zwei.", "Drei."]}
# Scores are lengths of translations; a hundred more with context, and ten with references.
COMET = """
from types import SimpleNamespace

class Model:
    more = 0

    def enable_context(self):
        self.more = 100

    def predict(self, data, batch_size, gpus):
        print("Predicting")
        scores = [len(line["mt"]) + self.more + 10 * ("ref" in line) + gpus for line in data]
        return SimpleNamespace(scores=scores, system_score=sum(scores) / len(scores))

def load_from_checkpoint(path):
    assert path == "model.ckpt"
    return Model()
"""
METRICX = """
import json, sys

options = dict(zip(sys.argv[1::2], sys.argv[2::2]))
assert options["--tokenizer"].endswith("/mt5") and options["--model_name_or_path"].endswith("/metricx")
print("Predicting")
with open(options["--input_file"]) as given, open(options["--output_file"], "w") as scored:
    for line in given:
        text = json.loads(line)
        assert set(text) == {"source", "hypothesis", "reference"} and ("--qe" in sys.argv) == (not text["reference"])
        print(json.dumps({**text, "prediction": len(text["hypothesis"])}), file=scored)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "comet").mkdir()
    (tmp_path / "comet" / "__init__.py").write_text(COMET)
    (tmp_path / "clone" / "metricx24").mkdir(parents=True)
    (tmp_path / "clone" / "metricx24" / "predict.py").write_text(METRICX)
    for name, lines in TEXTS.items():
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return tmp_path


def scores(folder: Path, program: str, *words: str) -> list[float]:
    """Scores of the segments and of the system."""
    command = [sys.executable, str(ROOT / "resources" / "metrics" / program), *words]
    done = subprocess.run(
        command, cwd=folder, env={"PYTHONPATH": str(folder)}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    table = parse_output(done.stdout, SENTENCES, program)
    return [*table.loc[table["level"] == "segment", "score"], table["score"].iloc[0]]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["source", "hypotheses", "references"], [11, 12, 10, 11]),
        (["source", "hypotheses"], [1, 2, 0, 1]),
        (["source", "hypotheses", "references", "--context", "--gpus", "1"], [112, 113, 111, 112]),
    ],
)
def test_comet_reads_sources_translations_and_references(words: list[str], expected: list[float], folder: Path) -> None:
    assert scores(folder, "comet_scores.py", "model.ckpt", *words) == expected


@pytest.mark.parametrize("files", [["source", "hypotheses", "references"], ["source", "hypotheses"]])
def test_metricx_runs_its_own_program(files: list[str], folder: Path) -> None:
    assert scores(folder, "metricx_scores.py", "clone", "mt5", "metricx", *files) == [1, 2, 0, 1]
