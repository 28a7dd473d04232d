"""The training commands, on a treebank of a few sentences."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from discourse_nmt.corpus.errors import InputError
from discourse_nmt.discourse.analysers.weights import load_analyser, load_segmenter
from discourse_nmt.discourse.formats.conllu import read_conllu
from discourse_nmt.workflow_scripts.parsers import train_analyser
from tests.conftest import ROOT

SENTENCE = """1\tDogs\tdog\tNOUN\tNNS\tNumber=Plur\t2\tnsubj\t_\tDiscourse=x
2\tsleep\tsleep\tVERB\tVB\t_\t0\troot\t_\t_
3\twhen\twhen\tSCONJ\tWRB\t_\t5\tmark\t_\tDiscourse=x
4\tcats\tcat\tNOUN\tNNS\tNumber=Plur\t5\tnsubj\t_\t_
5\trun\trun\tVERB\tVB\t_\t2\tadvcl\t_\tSpaceAfter=No
6\t.\t.\tPUNCT\t.\t_\t2\tpunct\t_\t_

"""
TINY = '{"width": 8, "word_size": 8, "affix_size": 8, "filters": 8, "arc_size": 8, "buckets": 32}'


@pytest.fixture
def treebank(tmp_path: Path) -> Path:
    for genre in ("news", "fiction"):
        for number in range(4):
            name = f"GUM_{genre}_{number}"
            (tmp_path / f"{name}.conllu").write_text(f"# newdoc id = {name}\n{SENTENCE}{SENTENCE}", encoding="utf-8")
    return tmp_path


def command(name: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", f"discourse_nmt.workflow_scripts.parsers.{name}", *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )


def test_a_fold_is_held_out_and_annotated(treebank: Path, tmp_path: Path) -> None:
    pattern = f"{treebank}/GUM_*.conllu"
    documents: list[str | None] = []
    for fold in ("0", "1"):
        result = command(
            "train_analyser", "--treebank", pattern, "--syntax", f"{treebank}/GUM_fiction_1.conllu",
            "--development", pattern, "--settings", TINY, "--training", '{"epochs": 2}', "--folds", "2", "--fold", fold,
            "--annotated", f"{tmp_path}/out/{fold}.conllu", "--output", f"{tmp_path}/out/{fold}",
        )  # fmt: skip
        assert result.returncode == 0, result.stderr
        content = (tmp_path / "out" / f"{fold}.conllu").read_text(encoding="utf-8")
        documents += [one.comment("newdoc id") for one in read_conllu(content, "out")]
    # every document of the free genre exactly once, and none of the others
    assert sorted(filter(None, documents)) == [f"GUM_news_{number}" for number in range(4)]
    assert json.loads((tmp_path / "out/0/figures.json").read_text(encoding="utf-8"))["news"]["UAS"] >= 0
    assert load_analyser(tmp_path / "out/0").analyse([[["Dogs", "run"]]])[0][0].forms == ("Dogs", "run")


def test_the_segmenter_is_trained(treebank: Path, tmp_path: Path) -> None:
    pattern = f"{treebank}/GUM_*.conllu"
    result = command(
        "train_segmenter",
        "--treebank",
        pattern,
        "--development",
        pattern,
        "--settings",
        '{"epochs": 2, "width": 8}',
        "--output",
        f"{tmp_path}/out",
    )
    assert result.returncode == 0, result.stderr
    assert load_segmenter(tmp_path / "out").tokenise(["a b"]) == [[(0, 1), (2, 3)]]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--settings", '{"widht": 1}'], "joint network: unknown setting widht; did you mean width?"),
        (["--settings", "8"], "--settings is not a JSON object"),
        (["--training", '{"epochs": 0}'], "training: epochs is 0; it must be at least 1"),
        (["--folds", "2", "--fold", "2"], "--fold"),
        (["--genres", "poetry"], "no sentence"),
    ],
)
def test_faults_are_one_line(
    treebank: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], message: str
) -> None:
    options = ["--treebank", f"{treebank}/GUM_*.conllu", "--output", f"{tmp_path}/out", *arguments]
    monkeypatch.setattr(sys, "argv", ["train_analyser", *options])
    with pytest.raises(InputError) as error:
        train_analyser.main()
    assert message in str(error.value) and "\n" not in str(error.value)
    assert not (tmp_path / "out").exists()
