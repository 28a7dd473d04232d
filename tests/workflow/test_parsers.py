"""The rules that train the builtin analysers again: a run in small, the plan of the real one, a missing treebank."""

import json
from pathlib import Path

import pandas as pd
import pytest
import yaml

from discourse_nmt.discourse.analysers.network import JointNetwork
from discourse_nmt.discourse.analysers.weights import load_analyser, notice_of
from discourse_nmt.discourse.coreference.lexicons.german import GERMAN
from discourse_nmt.discourse.coreference.weights import load_resolver
from discourse_nmt.discourse.formats.conllu import Sentence, read_conllu, write_conllu
from discourse_nmt.discourse.parsing.weights import load_rst_parser
from discourse_nmt.discourse.weight_files import simplified_characters
from discourse_nmt.training.analysers.pretrained import PretrainedNetwork
from discourse_nmt.training.analysers.teachers import load_teacher
from tests.conftest import ROOT
from tests.unit.discourse.evaluation.evaluation_samples import conll, rs4, sentences
from tests.unit.training.analysers.tiny_bert import write_bert
from tests.unit.workflow.papers.stand_ins import stand_in
from tests.workflow.test_workflow import planned, snakemake

CONFIG = ROOT / "tests" / "workflow" / "configurations" / "parsers.yaml"
NAMES = ("rain_0", "rain_1", "rain_2", "rain_3")


def write_treebank(folder: Path, paragraphs: bool) -> None:
    """Documents without genres in all layers; ``paragraphs`` says that a second sentence begins one."""
    for name in NAMES:
        first, second = sentences(name)
        if paragraphs:
            second = Sentence((*second.comments, "# newpar"), second.rows)
        files = {
            f"conllu/{name}.conllu": write_conllu([first, second]),
            f"rs4/{name}.rs4": rs4(),
            f"coref_conll/{name}.conll": conll(name),
        }
        for place, content in files.items():
            (folder / place).parent.mkdir(parents=True, exist_ok=True)
            (folder / place).write_text(content, encoding="utf-8")


def test_every_rule_runs_on_treebanks_without_genres(tmp_path: Path) -> None:
    write_treebank(tmp_path / "marked", paragraphs=True)
    write_treebank(tmp_path / "plain", paragraphs=False)
    (tmp_path / "vectors.txt").write_text("the 1 2\nrain 2 1\nzebra 0 3\nfrog 5 5\n", encoding="utf-8")
    (tmp_path / "texts").mkdir()
    for side, line in (("en", "The dog barked ."), ("de", "Der Hund bellte .")):
        (tmp_path / "texts" / f"rain.{side}").write_text(f"{line}\n" * 3, encoding="utf-8")
    write_bert(tmp_path / "bert")
    result = snakemake(tmp_path, "--configfile", str(CONFIG), "--", "parsers")
    assert result.returncode == 0, result.stdout
    jackknifed, plain, german = (tmp_path / f"results/tiny/parsers/{language}" for language in ("en", "fr", "de"))
    scores = pd.read_csv(jackknifed / "scores/dev.tsv", sep="\t")
    assert {"edu", "rst_parseval", "syntax", "coreference"} <= set(scores.task)
    assert "coreference" not in set(pd.read_csv(plain / "scores/dev.tsv", sep="\t").task)
    annotated = "".join((jackknifed / f"folds/{fold}/annotated.conllu").read_text(encoding="utf-8") for fold in (0, 1))
    assert sorted(filter(None, (one.comment("newdoc id") for one in read_conllu(annotated, "")))) == list(NAMES)
    assert load_resolver(jackknifed / "weights").resolve([[]]) == [()]
    for folder, kind in ((jackknifed, PretrainedNetwork), (plain, JointNetwork)):
        silver = read_conllu((folder / "teachers/annotated.conllu").read_text(encoding="utf-8"), "")
        assert sum(len(sentence.words) for sentence in silver) >= 12
        assert type(load_teacher(folder / "teachers/0").network) is kind
    first, second = ((plain / f"teachers/{member}/joint.safetensors").read_bytes() for member in (0, 1))
    assert first != second  # of different seeds
    assert "words by teachers" in (tmp_path / "results/tiny/logs/parsers/train_joint_network/fr.log").read_text("utf-8")
    assert load_analyser(jackknifed / "weights").inventory.vectors == ("the", "rain", "zebra")
    assert load_analyser(jackknifed / "weights").inventory.treebanks == ("syntax", "main")  # guidelines: more
    assert "# begin document rain" in (german / "projected/coreference/chains.conll").read_text(encoding="utf-8")
    assert load_resolver(german / "weights").lexicon is GERMAN
    assert (german / "projected/rst/rs3/rain.rs3").is_file() and load_rst_parser(german / "weights").state_size
    taught = (tmp_path / "results/tiny/logs/parsers/train_units/de.log").read_text("utf-8")
    assert taught.startswith("3 sentences")  # those of projected trees
    assert load_analyser(plain / "weights").threshold == 0.25
    assert notice_of(plain / "weights") == "units of rain" and not notice_of(plain / "weights", units=False)
    assert simplified_characters(plain / "weights")[ord("們")] == "们"
    predicted = read_conllu((plain / "units/annotated.conllu").read_text(encoding="utf-8"), "")
    assert sorted(filter(None, (one.comment("newdoc id") for one in predicted))) == list(NAMES)
    # Jackknifed files have no paragraphs: the parser has learned of them from the treebank.
    for folder, learned in ((jackknifed, True), (plain, False)):
        assert load_rst_parser(folder / "weights").state_size == load_analyser(folder / "weights").state_size
        features = json.loads((folder / "weights/rst.json").read_text(encoding="utf-8"))
        assert ("in_paragraph=" in json.dumps(features)) == learned


@pytest.fixture(autouse=True)
def data_lie_in_the_checkout(monkeypatch: pytest.MonkeyPatch) -> None:
    """No other folder stands for data/."""
    monkeypatch.delenv("DISCOURSE_NMT_DATA", raising=False)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A working directory with empty files in place of the data that config/parsers.yaml names."""
    work = tmp_path / "work"
    stand_in(work, yaml.safe_load((ROOT / "config" / "parsers.yaml").read_text(encoding="utf-8")))
    return work


def test_every_shipped_model_is_trained_and_scored(folder: Path) -> None:
    result = snakemake(folder, "--configfile", str(ROOT / "config" / "parsers.yaml"), "--dry-run", "--", "parsers")
    assert result.returncode == 0, result.stdout
    jobs = {
        "prepare_treebank", "train_segmenter", "train_teacher", "annotate_texts", "train_joint_network",
        "annotate_fold", "train_units", "annotate_units",
        "write_simplified", "project_trees", "train_rst_parser", "project_coreference", "train_coreference",
        "evaluate_parsers", "parsers",
    }  # fmt: skip
    assert planned(result.stdout) == jobs
    for weights in (ROOT / "resources" / "analysers").glob("*/*.safetensors"):
        assert f"results/builtin/parsers/{weights.parent.name}/weights/{weights.name}" in result.stdout


def test_one_language_alone(folder: Path) -> None:
    target = "results/builtin/parsers/de/scores/pud.tsv"
    result = snakemake(folder, "--configfile", str(ROOT / "config" / "parsers.yaml"), "--dry-run", "--", target)
    assert result.returncode == 0, result.stdout
    assert planned(result.stdout) == {
        "prepare_treebank", "train_segmenter", "train_teacher", "annotate_texts", "train_joint_network", "train_units",
        "project_trees", "train_rst_parser", "project_coreference", "train_coreference", "evaluate_parsers",
    }  # fmt: skip


def test_a_missing_treebank_is_named_with_where_to_get_it(folder: Path) -> None:
    for file in (folder / "data").rglob("gcdt_train_dev.tar.xz"):
        file.unlink()
    result = snakemake(folder, "--configfile", str(ROOT / "config" / "parsers.yaml"), "--dry-run", "--", "parsers")
    assert result.returncode != 0
    [line] = [line for line in result.stdout.splitlines() if "no file" in line]
    assert "parsers.zh.treebanks" in line and "github.com/logan-siyao-peng/GCDT" in line
    assert "Job stats" not in result.stdout


def test_the_demo_has_no_treebanks(tmp_path: Path) -> None:
    result = snakemake(tmp_path, "--dry-run", "--", "parsers")
    assert result.returncode != 0
    assert "config/parsers.yaml" in result.stdout
