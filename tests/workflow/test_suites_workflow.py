"""Test suites in the real DAG: from miniatures to accuracies of a trained system, and what a change runs again."""

from pathlib import Path

import pandas as pd
import pytest
import yaml

from discourse_nmt.base.storage.tables import read_table
from discourse_nmt.command_line import main
from discourse_nmt.scoring.tables.scores import parse
from tests.conftest import ROOT
from tests.unit.corpus.suites.suite_examples import GROUP, section
from tests.workflow.test_workflow import planned, snakemake

CONFIG = ROOT / "tests" / "workflow" / "configurations" / "tiny.yaml"
RUN = "results/tiny/demo/experiments/document/seed1"


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A working directory in which a system that reads documents is scored on a suite of each kind, another on one."""
    folder = tmp_path_factory.mktemp("suites")
    config = yaml.safe_load(CONFIG.read_text(encoding="utf-8"))
    config["demo"]["documents"] = 40
    config["experiments"] = {"document": {"system": "g_transformer", "settings": {"global_layers": 1}}}
    demo = config["corpora"]["demo"]
    demo["shards"] = 1
    mirrored = [GROUP, {**GROUP, "true_ind": 1}]
    files = {"deixis.json": mirrored, "cohesion.json": mirrored[:1]}
    demo["suites"] = {
        "consistency": section(folder / "a suite's $(files)", "voita", files=files),
        "auxiliary": section(folder / "a suite's $(files)", "ctxpro"),
    }
    demo["suites"]["consistency"]["generation"] = True
    right = [text.strip() for text in GROUP["dst"][0].split("_eos")]
    (folder / "human.txt").write_text("".join(f"{text}\n" for text in 3 * right), encoding="utf-8")
    demo["systems"] = {"human": {"hypotheses": {"consistency": str(folder / "human.txt")}}}
    (folder / "config.yaml").write_text(yaml.safe_dump(config), encoding="utf-8")
    targets = [f"{RUN}/suites/{suite}.tsv" for suite in demo["suites"]]
    targets += ["results/tiny/demo/experiments/human/seed0/suites/consistency.tsv"]
    result = snakemake(folder, "--configfile", "config.yaml", "--", *targets)
    assert result.returncode == 0, result.stdout
    return folder


def values(finished: Path, suite: str) -> dict[str, float]:
    scores = pd.read_csv(finished / f"{RUN}/suites/{suite}.tsv", sep="\t")
    assert set(scores["test_set"]) == {suite} and set(scores["system"]) == {"g_transformer"}
    return dict(zip(scores["metric"], scores["value"]))


def test_mirrored_items_split_the_accuracy_in_halves(finished: Path) -> None:
    found = values(finished, "consistency")
    assert found["contrastive items (all)"] == 3
    assert found["contrastive accuracy (deixis)"] == 50
    assert found["contrastive items (distance 2)"] == 3
    scores = read_table(finished / f"{RUN}/contrastive/consistency.parquet", "contrastive_scores").to_dict("records")
    assert scores[0]["right_score"] == pytest.approx(scores[1]["wrong_score"], abs=1e-4)
    assert scores[0]["wrong_score"] == pytest.approx(scores[1]["right_score"], abs=1e-4)
    assert scores[0]["right_score"] == pytest.approx(scores[2]["right_score"], abs=1e-4)
    assert all(row["right_score"] < 0 and row["wrong_score"] < 0 for row in scores)


def test_a_suite_of_given_translations_is_translated_where_asked(finished: Path) -> None:
    judged = read_table(finished / f"{RUN}/generation/consistency.parquet", "judged_translations")
    assert values(finished, "consistency")["generation items (all)"] == len(judged) == 3


def test_another_system_is_judged_by_its_translations_alone(finished: Path) -> None:
    path = finished / "results/tiny/demo/experiments/human/seed0/suites/consistency.tsv"
    scores = pd.read_csv(path, sep="\t").set_index("metric")
    assert set(scores["system"]) == {"external"} and not any(name.startswith("contrastive") for name in scores.index)
    found = scores["value"]
    assert (found["generation accuracy (deixis)"], found["generation items (all)"]) == (50, 3)
    assert found["generation items with a wrong form (all)"] == 1  # the mirrored item
    documents = read_table(finished / "results/tiny/demo/corpus/documents/consistency.parquet", "documents")
    assert documents[["doc_id", "sentences"]].values.tolist() == [[f"consistency-{number}", 3] for number in (1, 2, 3)]


@pytest.mark.parametrize("suite", ["consistency", "auxiliary"])
def test_the_command_scores_the_text_of_translations_as_the_workflow_does(suite: str, finished: Path) -> None:
    translations = read_table(finished / f"{RUN}/translations/{suite}.parquet", "translations")
    documents = read_table(finished / f"results/tiny/demo/corpus/documents/{suite}.parquet", "documents")
    best = translations[translations["rank"] == 0].set_index("doc_id")["hypothesis"]
    text = "".join(f"{line}\n" for document in documents["doc_id"] for line in best.loc[[document]])
    (finished / "own.txt").write_text(text, encoding="utf-8")
    command = ["suite", "score", suite, f"document={finished / 'own.txt'}", "--format", "tsv"]
    with pytest.raises(SystemExit) as ended:
        main([*command, "--configfile", str(finished / "config.yaml"), "--output", str(finished / "own.tsv")])
    assert ended.value.code == 0
    own = parse((finished / "own.tsv").read_text(encoding="utf-8"), file="own.tsv")
    scores = parse((finished / f"{RUN}/suites/{suite}.tsv").read_text(encoding="utf-8"), file="x")
    scores = scores[scores["task"] == "generation"]
    assert len(scores) and own[["metric", "value", "signature"]].values.tolist() == (
        scores[["metric", "value", "signature"]].values.tolist()
    )


def test_translations_are_searched_for_forms(finished: Path) -> None:
    found = values(finished, "auxiliary")
    assert found["generation items (DO.ELL)"] == 1
    translations = read_table(finished / f"{RUN}/translations/auxiliary.parquet", "translations")
    assert len(translations) == 3
    assert (found["generation accuracy (all)"] == 100) == (
        " glaube " in f" {translations['hypothesis'].iloc[2].lower()} "
    )


def test_the_table_of_scores_has_the_suites_and_a_new_one_runs_itself_alone(finished: Path) -> None:
    config = yaml.safe_load((finished / "config.yaml").read_text(encoding="utf-8"))
    config["corpora"]["demo"]["suites"]["discourse"] = section(finished, "discevalmt")
    (finished / "more.yaml").write_text(yaml.safe_dump(config), encoding="utf-8")
    result = snakemake(finished, "--dry-run", "--configfile", "more.yaml", "--", "score")
    assert result.returncode == 0, result.stdout
    rules = planned(result.stdout)
    assert "import_suite_demo_discourse" in rules and not {"train_model", "import_suite_demo_consistency"} & rules
    assert all(f"{RUN}/suites/{suite}.tsv" in result.stdout for suite in ("consistency", "auxiliary", "discourse"))


def test_a_missing_file_is_told_before_any_job(tmp_path: Path) -> None:
    config = yaml.safe_load(CONFIG.read_text(encoding="utf-8"))
    config["corpora"]["demo"]["suites"] = {"x": {"format": "voita", "files": ["a.json"], "where": "ask its authors"}}
    (tmp_path / "config.yaml").write_text(yaml.safe_dump(config), encoding="utf-8")
    result = snakemake(tmp_path, "--dry-run", "--configfile", "config.yaml", "--", "score")
    assert result.returncode != 0
    assert "suite x: no file a.json; ask its authors" in result.stdout and "Traceback" not in result.stdout
