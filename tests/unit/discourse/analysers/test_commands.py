"""The training commands, on a treebank of a few sentences."""

import json
import logging
import subprocess
import sys
from pathlib import Path

import pytest

from discourse_nmt.base.errors import InputError
from discourse_nmt.discourse.analysers.weights import load_analyser, load_segmenter
from discourse_nmt.discourse.backends.builtin.edus import BuiltinEdus
from discourse_nmt.discourse.formats.conllu import read_conllu
from discourse_nmt.discourse.treebanks.examples import examples_of
from discourse_nmt.training.analysers.segmenter import Paragraphs
from discourse_nmt.workflow_scripts.parsers import train_analyser, train_segmenter
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


def test_the_segmenter_learns_twice_from_chosen_genres_and_once_from_all_of_more(treebank: Path) -> None:
    learnt: list[list[Paragraphs]] = []

    def stop(training: list[Paragraphs], *_: object) -> None:
        learnt.append(training)
        raise InterruptedError

    for number in range(4):
        (treebank / f"other_fiction_{number}.conllu").write_text(f"# newdoc id = {number}\n{SENTENCE}", "utf-8")
    given = ["--treebank", f"{treebank}/GUM_*.conllu", "--genres", "news", "--more", f"{treebank}/other_*.conllu"]
    with pytest.MonkeyPatch.context() as patch, pytest.raises(InterruptedError):
        patch.setattr(sys, "argv", ["train_segmenter", *given, "--output", f"{treebank}/out"])
        patch.setattr(train_segmenter, "train_segmenter", stop)
        train_segmenter.main()
    sentences = [sum(paragraph.text.count(".") for paragraph in document) for document in learnt[0]]
    assert sorted(sentences) == [1] * 4 + [2] * 8


def test_a_treebank_without_units_teaches_none(treebank: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = SENTENCE.replace("Discourse=x", "_")
    for number in range(2):
        name = f"GUM_news_{number}"
        (treebank / f"{name}.conllu").write_text(f"# newdoc id = {name}\n{plain}", encoding="utf-8")
    options = ["--settings", TINY, "--training", '{"epochs": 1}', "--output"]
    for folder, pattern in {"mixed": "GUM_news_*", "plain": "GUM_news_0"}.items():
        given = ["--treebank", f"{treebank}/{pattern}.conllu", *options, f"{tmp_path}/{folder}"]
        monkeypatch.setattr(sys, "argv", ["train_analyser", *given])
        train_analyser.main()
    assert load_analyser(tmp_path / "mixed").units
    assert BuiltinEdus(tmp_path / "mixed") is not None
    assert not load_analyser(tmp_path / "plain").units
    with pytest.raises(InputError, match="these weights have learnt no discourse units; choose backend"):
        BuiltinEdus(tmp_path / "plain")
    [first, *_] = examples_of(read_conllu(plain + SENTENCE, "two"), "main", units=True, features=True)
    assert first.edu_starts is not None  # one document, which has marks somewhere


@pytest.mark.parametrize(("guidelines", "first"), [("train", "main"), ("more", "syntax")])
def test_analyses_follow_the_guidelines_of_one_treebank(
    treebank: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, guidelines: str, first: str
) -> None:
    given = ["--treebank", f"{treebank}/GUM_news_0.conllu", "--syntax", f"{treebank}/GUM_fiction_1.conllu"]
    given += ["--settings", TINY, "--training", '{"epochs": 1}', "--guidelines", guidelines]
    monkeypatch.setattr(sys, "argv", ["train_analyser", *given, "--output", f"{tmp_path}/out"])
    train_analyser.main()
    assert load_analyser(tmp_path / "out").inventory.treebanks[0] == first


def test_a_command_that_is_stopped_continues(
    treebank: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    options = ["--treebank", f"{treebank}/GUM_*.conllu", "--settings", TINY, "--training", '{"epochs": 3}']

    def train(folder: str, *more: str) -> bytes:
        given = [*options, *more, "--output", f"{tmp_path}/{folder}"]
        monkeypatch.setattr(sys, "argv", ["train_analyser", *given])
        train_analyser.main()
        return (tmp_path / folder / "joint.safetensors").read_bytes()

    whole = train("whole")
    resuming = ("--work", f"{tmp_path}/work", "--time-limit", "1e-9")
    for _ in range(2):
        with pytest.raises(SystemExit) as caught:
            train("stopped", *resuming)
        assert caught.value.code == 142
    assert "stopped by its time limit after 2.00 of 3 epochs" in caplog.text
    assert train("stopped", *resuming[:2]) == whole
    assert len(list((tmp_path / "work").iterdir())) == 1
    # What changes the weights starts anew: the code, a setting, a file.
    caplog.clear()
    train("stopped", *resuming[:2], "--code", "x")
    (treebank / "GUM_news_0.conllu").write_text(f"# newdoc id = GUM_news_0\n{SENTENCE}", encoding="utf-8")
    train("stopped", *resuming[:2])
    assert len(list((tmp_path / "work").iterdir())) == 3
    assert "continuing" not in caplog.text


def test_the_network_reads_vectors_of_raw_text(treebank: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "vectors.txt"
    given = ["--treebank", f"{treebank}/GUM_*.conllu", "--settings", TINY, "--training", '{"epochs": 1}']
    given += [
        "--vectors",
        str(file),
        "--vector-words",
        "2",
        "--work",
        f"{tmp_path}/work",
        "--output",
        f"{tmp_path}/out",
    ]
    monkeypatch.setattr(sys, "argv", ["train_analyser", *given])
    for column in ("1 2 3", "3 2 1"):
        rows = [f"{word} {value} 0" for word, value in zip(("the", "Zebra", "cats"), column.split())]
        file.write_text("\n".join(rows), encoding="utf-8")
        train_analyser.main()
        analyser = load_analyser(tmp_path / "out")
        assert analyser.inventory.vectors == ("the", "zebra")
        vectors = analyser.network.encoder.vectors
        assert vectors.shape == (4, 2)
        assert (vectors[2:, 0] == vectors.new_tensor([-0.5, 0.5] if column == "1 2 3" else [0.5, -0.5])).all()
    assert len(list((tmp_path / "work").iterdir())) == 2  # other vectors start anew


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--time-limit", "-1"], "--time-limit is -1; it must be at least 0"),
        (["--time-limit", "5"], "--time-limit needs a folder to continue from; give one, --work"),
        (["--settings", '{"widht": 1}'], "joint network: unknown setting widht; did you mean width?"),
        (["--settings", "8"], "--settings is not a JSON object"),
        (["--training", '{"epochs": 0}'], "training: epochs is 0; it must be at least 1"),
        (["--training", '{"clip": 2}'], "training: unknown setting clip; it stands in tuned"),
        (["--training", '{"tuned": {"clop": 2}}'], "training.tuned: unknown setting clop; did you mean clip?"),
        (["--folds", "2", "--fold", "2"], "--fold"),
        (["--vector-words", "1"], "--vector-words is 1; it must be at least 2"),
        (["--vectors", "absent.vec"], "absent.vec: no such file"),
        (["--genres", "poetry"], "no sentence"),
        (["--guidelines", "more"], "--guidelines more, but there is no sentence of it; name its files"),
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
