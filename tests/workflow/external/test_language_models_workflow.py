"""Language models in the real DAG, against a stand-in that fails: contexts, costs, report, what is asked for again."""

import json
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pytest
import yaml

from discourse_nmt.base.storage.tables import read_table
from discourse_nmt.language_models.settings import FORMS
from discourse_nmt.workflow.estimates.planning import plan_in_figures
from discourse_nmt.workflow_scripts.external.stand_in import StandIn
from tests.conftest import ROOT
from tests.workflow.test_workflow import NOTHING, planned, snakemake

CONTEXTS: dict[str, dict[str, object]] = {
    "alone": {},
    "whole": {"unit": "document", "template": "numbered"},
    "graph": {"context": "graph_neighbours"},
    "tree": {"context": "tree_neighbours", "order": "tree"},
    "shuffled": {"context": "shuffled_neighbours"},
    "chunk": {"unit": "chunk", "budget_requests": 500, "template": "tags"},
}
CALL = ("--configfile", "asked.yaml", "--")


@pytest.fixture(scope="module")
def server() -> Iterator[StandIn]:
    """Answers each sentence with itself after one more word; one request in ten fails at first."""
    server = StandIn(lambda lines: [f"Ja, {line}" for line in lines], {"busy": 0.05, "nonsense": 0.05})
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()


def write(folder: Path, server: StandIn, **changes: object) -> None:
    asked = {"model": "stand-in", "address": server.address, "context_sentences": 2}
    splits = {split: {"files": [f"play/{split}.tsv"]} for split in ("train", "dev", "test")}
    play = {"source_language": "en", "target_language": "de", "format": "table", "splits": splits}
    config = {
        "run": "asked",
        "corpora": {"play": {**play, "text": {"bpe": {"merges": 100}}, "licence": "CC0-1.0"}},
        "analyses": {"builtin": {"tables": ["edus", "rst", "rst_dependencies", "coreference", "document_graph"]}},
        "significance": {"baseline": "alone"},
        "experiments": {
            name: {"system": "llm", "settings": {**asked, **switches, **changes}} for name, switches in CONTEXTS.items()
        },
    }
    (folder / "asked.yaml").write_text(yaml.safe_dump(config), encoding="utf-8")


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory, server: StandIn) -> Path:
    folder = tmp_path_factory.mktemp("asked")
    generate = [sys.executable, "-m", "discourse_nmt.workflow_scripts.corpus.generate_demo"]
    subprocess.run([*generate, "--documents", "40", "--output", folder / "play"], cwd=ROOT, check=True)
    write(folder, server)
    result = snakemake(folder, *CALL, "score", "report", "chats")
    assert result.returncode == 0, result.stdout
    return folder


def test_every_context_is_a_row_with_its_cost(finished: Path, server: StandIn) -> None:
    scores = pd.read_csv(finished / "results/asked/scores.tsv", sep="\t")
    values = scores.set_index(["experiment", "metric"])["value"].to_dict()
    sentences = values["alone", "sentences"]
    assert set(scores["system"]) == {"llm"} and set(scores["experiment"]) == set(CONTEXTS)
    assert all(values[name, "requests"] == sentences for name in CONTEXTS if name not in ("whole", "chunk"))
    assert values["whole", "requests"] == values["whole", "documents"] <= values["chunk", "requests"] < sentences
    assert all(values[name, "tokens sent"] > values["alone", "tokens sent"] for name in ("graph", "tree"))
    ratio = values["shuffled", "tokens sent"] / values["tree", "tokens sent"]
    assert 0.8 < ratio < 1.2, "the control has about as many words"
    assert all(values[name, "faulty answers"] == 0 for name in CONTEXTS)
    summary = (finished / "results/asked/scores.md").read_text(encoding="utf-8")
    assert "tokens sent" in summary and "Language models" in summary
    report = (finished / "results/asked/report.html").read_text(encoding="utf-8")
    assert "Requests and tokens of language models" in report


def test_every_sentence_is_translated_and_no_answer_is_paid_for_twice(finished: Path, server: StandIn) -> None:
    folder = finished / "results/asked/play"
    source = read_table(folder / "corpus/test/0.parquet", "sentences").set_index(["doc_id", "sent_id"])["source"]
    for name in CONTEXTS:
        run = folder / f"experiments/{name}/seed1"
        table = read_table(run / "translations/test.parquet", "translations").set_index(["doc_id", "sent_id"])
        assert table["hypothesis"].to_dict() == {key: f"Ja, {text}" for key, text in source.items()}
        answers = read_table(run / "language_model/test.parquet", "language_model_answers")
        assert answers["sentences"].sum() == len(source)
        assert {path.stem for path in (finished / "work/language_models").glob("*/*.json")} >= set(answers["request"])
    assert set(server.answered.values()) == {1} and sum(server.injected.values()) > 5


def test_nothing_is_asked_for_again(finished: Path, server: StandIn) -> None:
    assert NOTHING in snakemake(finished, *CALL, "score", "report", "chats").stdout
    came = sum(server.came.values())
    shutil.rmtree(finished / "results/asked/play/experiments/graph/seed1/language_model")
    write(finished, server, parallel=2, attempts=9)
    told = snakemake(finished, "--dry-run", *CALL, "score").stdout
    assert planned(told) >= {"ask_language_model", "import_hypotheses"} and "train_model" not in planned(told)
    assert snakemake(finished, *CALL, "score", "report").returncode == 0
    assert sum(server.came.values()) == came
    write(finished, server)


def test_a_plan_says_what_will_be_sent(finished: Path, server: StandIn) -> None:
    """Requests exactly, tokens within 5 %; nothing is sent for it."""
    write(finished, server, parameters={"temperature": 0.5})
    before = len(server.answered)
    told = "\n".join(plan_in_figures([finished / "asked.yaml"], ["score"], 2, finished))
    assert len(server.answered) == before
    line = next(line for line in told.splitlines() if line.startswith("All language models: "))
    requests, sent, received = (int(word.replace(",", "")) for word in line.split() if word[0].isdigit())
    assert snakemake(finished, *CALL, "score").returncode == 0
    values = pd.read_csv(finished / "results/asked/scores.tsv", sep="\t").groupby("metric")["value"].sum()
    assert len(server.answered) - before == requests
    kept = [json.loads(path.read_text()) for path in (finished / "work/language_models").glob("*/*.json")]
    now = [one["answer"] for one in kept if one["request"]["temperature"] == 0.5]
    assert len(now) == requests and values["requests"] >= requests
    measured = sum(one["prompt_tokens"] + one["completion_tokens"] for one in now)
    assert sent + received == pytest.approx(measured, rel=0.05)
    write(finished, server)


def test_a_budget_ends_a_run_in_one_line(finished: Path, server: StandIn) -> None:
    write(finished, server, parameters={"temperature": 1}, budget_requests=3)
    result = snakemake(finished, "--keep-going", *CALL, "score")
    assert result.returncode == 1
    assert "the budget of 3 requests does not allow another request; raise budget_requests" in result.stdout
    kept = [json.loads(path.read_text()) for path in (finished / "work/language_models").glob("*/*.json")]
    owners = [one["owner"] for one in kept if one["request"]["temperature"] == 1]
    assert {owners.count(f"asked/play/{name}") for name in CONTEXTS} <= {0, 1, 2, 3}
    write(finished, server)


def test_documents_become_chats(finished: Path) -> None:
    folder = finished / "results/asked/play/chats/builtin/train"
    assert "CC0-1.0" in (folder / "README.md").read_text(encoding="utf-8")
    for form in FORMS:
        chats = [json.loads(line) for line in (folder / f"{form}.jsonl").read_text(encoding="utf-8").splitlines()]
        assert chats and all(len(chat["messages"]) == 3 for chat in chats)
