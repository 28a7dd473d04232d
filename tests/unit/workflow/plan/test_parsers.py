"""Training of analysers: treebanks, folds, weights."""

import json
from pathlib import Path
from typing import Any

import pytest
from snakemake.exceptions import WorkflowError

from discourse_nmt.base.errors import InputError
from discourse_nmt.workflow.checks.parsers import check_parsers
from discourse_nmt.workflow.configuration.tree import Configuration
from discourse_nmt.workflow.plan.plan import Plan
from tests.unit.workflow.plan.plan_examples import job, planned

TREEBANKS = {
    "train": {
        "conllu": ["train/*.conllu"],
        "kept": [],
        "rst": ["a.rs3", "b.rs4"],
        "coreference": [],
        "where": "get it",
    },
    "dev": {"conllu": ["dev.conllu"], "kept": [], "rst": [], "coreference": []},
    "test": {"conllu": ["test.conllu"], "kept": ["more.conllu"], "rst": [], "coreference": []},
}
UNITS = {"conllu": ["units.conllu"], "kept": [], "rst": ["c.rs3"], "coreference": []}
ENGLISH = "results/example/parsers/en"
LANGUAGE = job(language="en")
SECTION: dict[str, Any] = {"treebanks": {"train": {"conllu": ["a"]}, "dev": {"conllu": ["b"]}}}


def read(**sections: Any) -> Configuration:
    return Configuration.read({"run": "x", **sections})


def with_parsers(**keys: Any) -> Plan:
    """The example with a language whose analysers are trained."""
    absent = dict.fromkeys(("units", "rst", "coreference"))
    return planned(parsers={"en": {"treebanks": TREEBANKS, "traditional": False, **absent, **keys}})


def test_a_treebank_is_all_its_files_or_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    parsers = with_parsers().parsers
    wildcards = job(language="en", treebank="train")
    with pytest.raises(WorkflowError, match=r"^parsers\.en\.treebanks\.train: no file train/\*\.conllu; get it$"):
        parsers.treebank_files(wildcards)
    with pytest.raises(WorkflowError, match=r"no file dev\.conllu; correct the path$"):
        parsers.treebank_files(job(language="en", treebank="dev"))
    Path("train").mkdir()
    for name in ("train/b.conllu", "train/a.conllu", "a.rs3", "b.rs4"):
        Path(name).touch()
    assert parsers.treebank_files(wildcards) == ["a.rs3", "b.rs4", "train/a.conllu", "train/b.conllu"]
    for name in ("test.conllu", "more.conllu"):
        Path(name).touch()
    assert parsers.treebank_files(job(language="en", treebank="test")) == ["more.conllu", "test.conllu"]


def test_folders_and_patterns_are_those_of_treebanks_that_there_are() -> None:
    parsers = with_parsers().parsers
    assert parsers.prepared("train")(LANGUAGE) == [f"{ENGLISH}/treebanks/train"]
    assert parsers.prepared("more")(LANGUAGE) == parsers.conllu("more")(LANGUAGE) == []
    assert parsers.conllu("dev")(LANGUAGE) == [f"{ENGLISH}/treebanks/dev/conllu/*.conllu"]
    assert parsers.trees(LANGUAGE) == [f"{ENGLISH}/treebanks/train/{end}/*.{end}" for end in ("rs3", "rs4")]


def test_scores_are_of_treebanks_that_are_not_learnt_from() -> None:
    assert with_parsers().parsers.scores() == [f"{ENGLISH}/scores/{name}.tsv" for name in ("dev", "test")]


def test_the_target_parsers_needs_a_language() -> None:
    plan = planned()
    assert plan.parsers.score_tables("rows") == []
    with pytest.raises(WorkflowError, match=r"use --configfile config/parsers\.yaml$"):
        plan.parsers.scores()


def test_weights_are_those_of_the_analysers_that_are_trained() -> None:
    assert [Path(path).stem for path in with_parsers(rst=None, coreference=None).parsers.weights(LANGUAGE)] == [
        "segmenter",
        "joint",
    ]
    assert len(with_parsers(rst={}, coreference={}).parsers.weights(LANGUAGE)) == 4
    others = with_parsers(rst=None, coreference=None, units={}, traditional=True).parsers.weights(LANGUAGE)
    assert others[2:] == [f"{ENGLISH}/weights/units.safetensors", f"{ENGLISH}/weights/simplified.json"]


def test_trees_of_a_treebank_apart_have_the_syntax_of_the_network() -> None:
    keys = {"folds": 3, "training": {"epochs": 9, "rate": 1}, "units": {"training": {"epochs": 2}, "threshold": 0.5}}
    parsers = with_parsers(**keys, treebanks={**TREEBANKS, "units": UNITS}).parsers
    assert parsers.prepared_trees(LANGUAGE) == [f"{ENGLISH}/treebanks/units"]
    assert parsers.trees(LANGUAGE) == [f"{ENGLISH}/treebanks/units/rs3/*.rs3"]
    assert parsers.syntax_of_trees(LANGUAGE) == [f"{ENGLISH}/units/annotated.conllu"]
    assert json.loads(parsers.unit_training(LANGUAGE)) == {"epochs": 2, "rate": 1}
    assert parsers.unit_option("threshold")(LANGUAGE) == 0.5
    assert parsers.unit_folder(LANGUAGE) == [f"{ENGLISH}/treebanks/units"]
    assert parsers.scores() == with_parsers().parsers.scores()  # units are learnt from, so not scored on
    folds = [f"{ENGLISH}/folds/{fold}/annotated.conllu" for fold in range(3)]
    gold = f"{ENGLISH}/treebanks/train/conllu/*.conllu"
    assert with_parsers(**keys).parsers.syntax_of_trees(LANGUAGE) == [*folds, gold]
    assert with_parsers(folds=0).parsers.syntax_of_trees(LANGUAGE) == [gold]  # its own syntax


def test_keys_of_folds_change_what_seldom_changes_one_by_one() -> None:
    keys = {"epochs": 9, "tuned": {"clip": 2, "average": 0.5}}
    parsers = with_parsers(training=keys, fold_training={"tuned": {"clip": 3}}).parsers
    assert json.loads(parsers.fold_training(LANGUAGE)) == {"epochs": 9, "tuned": {"clip": 3, "average": 0.5}}


def test_options() -> None:
    parsers = with_parsers(folds=3, notice="gold", training={"batch": 7}, fold_training={"batch": 9, "x": 1}).parsers
    assert parsers.annotated_folds(LANGUAGE) == [f"{ENGLISH}/folds/{fold}/annotated.conllu" for fold in range(3)]
    assert parsers.notice_option(LANGUAGE) == ["--notice=gold"]
    assert parsers.option("folds")(LANGUAGE) == 3
    assert json.loads(parsers.option("training")(LANGUAGE)) == {"batch": 7}
    assert json.loads(parsers.fold_training(LANGUAGE)) == {"batch": 9, "x": 1}
    assert parsers.treebank_option("rst")(job(language="en", treebank="train")) == ["a.rs3", "b.rs4"]
    assert with_parsers(notice="").parsers.notice_option(LANGUAGE) == []


def test_vectors_are_a_file_and_options_of_the_joint_network(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    parsers = with_parsers(vectors={"file": "v.zip::v.txt", "words": 7, "where": "get it"}).parsers
    assert parsers.vector_options(LANGUAGE) == ["--vectors=v.zip::v.txt", "--vector-words=7"]
    with pytest.raises(WorkflowError, match=r"^parsers\.en\.vectors: no file v\.zip::v\.txt; get it$"):
        parsers.vector_files(LANGUAGE)
    Path("v.zip").touch()
    assert parsers.vector_files(LANGUAGE) == ["v.zip"]
    without = with_parsers(vectors=None).parsers
    assert without.vector_options(LANGUAGE) == without.vector_files(LANGUAGE) == []


def test_teachers_have_seeds_of_their_own_and_annotate_what_the_network_learns_from(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    teachers = {"texts": ["t/*.txt"], "members": 2, "pretrained": "bert", "training": {"epochs": 3}, "where": "get it"}
    parsers = with_parsers(teachers=teachers, training={"epochs": 9, "rate": 1, "seed": 5}).parsers
    folders = [f"{ENGLISH}/teachers/{member}" for member in (0, 1)]
    assert parsers.teacher_folders(LANGUAGE) == folders
    assert parsers.teacher_weights(LANGUAGE) == [f"{folder}/joint.safetensors" for folder in folders]
    training = [json.loads(parsers.teacher_training(job(language="en", member=member))) for member in "01"]
    assert training == [{"epochs": 3, "rate": 1, "seed": seed} for seed in (5, 6)]
    assert parsers.silver(LANGUAGE) == [f"{ENGLISH}/teachers/annotated.conllu"]
    assert parsers.teacher_texts(LANGUAGE) == ["t/*.txt"]
    assert parsers.pretrained_option(LANGUAGE) == ["--pretrained=bert"]
    with pytest.raises(WorkflowError, match=r"^parsers\.en\.teachers: no file t/\*\.txt; get it$"):
        parsers.teacher_files(LANGUAGE)
    names = ["bert/config.json", "bert/model.safetensors", "bert/tokenizer.json", "t/a.txt"]
    for name in names:
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).touch()
    assert parsers.teacher_files(LANGUAGE) == names
    plain = with_parsers(teachers={**teachers, "pretrained": None}, training={}).parsers
    assert plain.pretrained_option(LANGUAGE) == []
    assert plain.teacher_files(LANGUAGE) == ["t/a.txt"]
    assert json.loads(plain.teacher_training(job(language="en", member="1")))["seed"] == 2
    assert with_parsers(teachers=None).parsers.silver(LANGUAGE) == []


def test_options_of_one_analyser() -> None:
    parsers = with_parsers(rst={"settings": {"width": 8}}).parsers
    assert json.loads(parsers.analyser_option("rst", "settings")(LANGUAGE)) == {"width": 8}
    assert json.loads(parsers.analyser_option("rst", "training")(LANGUAGE)) == {}


def test_a_resolver_of_a_language_without_words_is_refused_before_any_job() -> None:
    check_parsers(read(parsers={"de": {**SECTION, "coreference": {}}, "it": SECTION}))
    with pytest.raises(InputError, match="no words of the language it"):
        check_parsers(read(parsers={"it": {**SECTION, "coreference": {}}}))


def test_chains_are_projected_where_no_treebank_teaches_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    projected = {"parallel": ["texts"], "more": ["others"], "language": "de", "where": "write it"}
    parsers = with_parsers(folds=2, coreference={"projected": projected}, rst={}).parsers
    folder = f"{ENGLISH}/projected/coreference"
    assert parsers.folder_of_chains(LANGUAGE) == [folder]
    assert parsers.chains(LANGUAGE) == [f"{folder}/chains.conll"]
    assert parsers.syntax_of_chains(LANGUAGE) == [f"{folder}/syntax.conllu"]
    assert (
        parsers.more_syntax_of_chains(LANGUAGE) == parsers.annotated_chains(LANGUAGE) == []
        and len(parsers.annotated_trees(LANGUAGE)) == 2
    )
    assert parsers.projection_option("coreference", "more")(LANGUAGE) == ["others"]
    with pytest.raises(WorkflowError, match=r"^parsers\.en\.coreference\.projected: no file texts/\*\.de; write it$"):
        parsers.parallel_text("coreference")(LANGUAGE)
    names = [f"{place}/a.{side}" for place in ("others", "texts") for side in ("de", "en")]
    for name in names:
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).touch()
    assert parsers.parallel_text("coreference")(LANGUAGE) == names
    assert [Path(name).name for name in parsers.projecting_weights("coreference")(LANGUAGE)] == [
        "segmenter.safetensors",
        "joint.safetensors",
        "coreference.safetensors",
    ]


def test_chains_of_a_treebank() -> None:
    parsers = with_parsers(folds=2, coreference={}, rst={}).parsers
    assert parsers.folder_of_chains(LANGUAGE) == parsers.prepared("train")(LANGUAGE)
    assert parsers.chains(LANGUAGE) == [f"{ENGLISH}/treebanks/train/coref_conll/*.conll"]
    assert parsers.syntax_of_chains(LANGUAGE) == parsers.annotated_chains(LANGUAGE) == parsers.annotated_folds(LANGUAGE)
    plain = with_parsers(folds=0, coreference={}, rst={}).parsers
    assert plain.syntax_of_chains(LANGUAGE) == [f"{ENGLISH}/treebanks/train/conllu/*.conllu"]
    assert parsers.more_syntax_of_chains(LANGUAGE) == plain.syntax_of_chains(LANGUAGE)
    assert plain.more_syntax_of_chains(LANGUAGE) == []


def test_trees_are_projected_where_no_treebank_teaches_them() -> None:
    parsers = with_parsers(
        folds=2, rst={"projected": {"parallel": ["texts"], "language": "zh"}}, coreference=None
    ).parsers
    folder = f"{ENGLISH}/projected/rst"
    assert parsers.trees(LANGUAGE) == [f"{folder}/rs3/*.rs3"]
    assert parsers.unit_folder(LANGUAGE) == [folder] and parsers.unit_conllu(LANGUAGE) == [f"{folder}/units/*.conllu"]
    assert parsers.prepared_trees(LANGUAGE) == [folder] and parsers.annotated_trees(LANGUAGE) == []
    assert parsers.syntax_of_trees(LANGUAGE) == [f"{folder}/conllu/*.conllu"]


def test_the_other_language_of_a_projection_has_shipped_weights() -> None:
    def section(language: str) -> dict[str, Any]:
        projected = {"parallel": ["texts"], "language": language}
        return {**SECTION, "coreference": {"projected": projected}}

    check_parsers(read(parsers={"de": section("en")}))
    with pytest.raises(InputError, match=r"parsers\.de\.coreference\.projected\.language is de itself"):
        check_parsers(read(parsers={"de": section("de")}))
    with pytest.raises(InputError, match=r"no coreference weights ship for it.*choose from .*en"):
        check_parsers(read(parsers={"de": section("it")}))
