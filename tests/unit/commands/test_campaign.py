"""The subcommand campaign: what Pearmut reads and writes, literally; scores by hand, tests over documents."""

import json
from pathlib import Path
from typing import Any

import pytest

from discourse_nmt.command_line import main

SOURCE = {"b": ["One.", "Two."], "a": ["Three."], "c": ["Four.", "Five."]}
SYSTEMS = {"gpt": ["E.", "Z.", "D.", "V.", "F."], "engine": ["e.", "z.", "", "v.", "f."]}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    lines = [line for sentences in SOURCE.values() for line in sentences]
    ids = [document for document, sentences in SOURCE.items() for _ in sentences]
    for name, content in {"source": lines, "ids": ids, **{f"{name}.txt": SYSTEMS[name] for name in SYSTEMS}}.items():
        Path(name).write_text("".join(f"{line}\n" for line in content), encoding="utf-8")
    return tmp_path


def campaign(*words: str, capsys: pytest.CaptureFixture[str]) -> str:
    with pytest.raises(SystemExit) as ended:
        main(["campaign", *words])
    assert ended.value.code == 0, ended.value.code
    return capsys.readouterr().out


def written(*words: str, capsys: pytest.CaptureFixture[str]) -> Any:
    files = ("--source", "source", "--documents", "ids", "gpt.txt", "engine.txt")
    return json.loads(campaign("write", *files, *words, capsys=capsys))


def shown(task: list[Any]) -> list[tuple[str, str]]:
    """The document and the system of each document of a task."""
    return [(document[0]["doc_id"], *document[0]["tgt"]) for document in task]


def test_a_campaign_is_as_pearmut_reads_it(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The form of examples/esa.json of Pearmut: tasks of documents of items with ``src`` and ``tgt``."""
    whole = written("--name", "news", capsys=capsys)
    assert whole["campaign_id"] == "news" and whole["info"] == {"assignment": "task-based", "protocol": "ESA"}
    [task] = whole["data"]
    assert sorted(shown(task)) == [(document, system) for document in "abc" for system in ("engine", "gpt")]
    [document] = [document for document in task if document[0]["item_id"] == "b 0" and "gpt" in document[0]["tgt"]]
    assert document == [
        {"item_id": "b 0", "doc_id": "b", "sent_id": 0, "src": "One.", "tgt": {"gpt": "E."}},
        {"item_id": "b 1", "doc_id": "b", "sent_id": 1, "src": "Two.", "tgt": {"gpt": "Z."}},
    ]


def test_an_annotator_sees_all_systems_of_a_document(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tasks = [shown(task) for task in written("--annotators", "2", capsys=capsys)["data"]]
    assert [len(task) for task in tasks] == [4, 2]
    documents = [{document for document, _ in task} for task in tasks]
    assert not documents[0] & documents[1] and documents[0] | documents[1] == {*"abc"}
    assert all(len(task) == 2 * len(seen) for task, seen in zip(tasks, documents))


def test_documents_and_their_order_are_drawn(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    orders = [tuple(shown(written("--random-seed", str(seed), capsys=capsys)["data"][0])) for seed in range(1, 9)]
    assert len({*orders}) > 4 and written(capsys=capsys) == written(capsys=capsys)
    # Neither document by document nor system by system.
    assert any(order[0][0] != order[1][0] for order in orders)
    assert any(len({system for _, system in order[:3]}) == 2 for order in orders)
    drawn = [
        shown(written("--sample", "1", "--random-seed", str(seed), capsys=capsys)["data"][0]) for seed in range(1, 9)
    ]
    assert all(len(task) == 2 for task in drawn) and len({task[0][0] for task in drawn}) > 1


def entry(
    document: str, system: str, *scores: float | None, user: str = "alice", place: Any = 0, errors: str = ""
) -> Any:
    """An entry of Pearmut's log; ``errors`` are severities of the last sentence: n for minor, j for major."""
    spans = [
        {"start_i": 0, "end_i": 1, "category": None, "severity": {"n": "minor", "j": "major"}[one]} for one in errors
    ]
    items = [
        {"item_id": f"{document} {number}", "doc_id": document, "sent_id": number, "src": "x", "tgt": {system: "y"}}
        for number in range(len(scores))
    ]
    annotation: list[dict[str, dict[str, Any]]] = [
        {system: {"score": score, "error_spans": [], "textfield": None}} for score in scores
    ]
    annotation[-1][system]["error_spans"] = spans
    actions = [{"time": 1771315361.894, "action": "load"}, {"time": 1771315367.041, "action": "submit"}]
    return {"annotation": annotation, "actions": actions, "item": items, "user_id": user, "item_i": place}


def scores(entries: list[Any], *words: str, capsys: pytest.CaptureFixture[str]) -> dict[str, list[str]]:
    """The row of each system, without its name and that of its kind."""
    Path("log.jsonl").write_text("".join(f"{json.dumps(one)}\n" for one in entries), encoding="utf-8")
    text = campaign("score", "log.jsonl", *words, capsys=capsys)
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in text.splitlines() if line.startswith("| ")]
    return {row[0]: row[2:] for row in rows[1:]}


def test_scores_are_means_of_sentences(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    entries = [
        entry("b", "gpt", 90, 70, errors="nj"),
        entry("a", "gpt", 50, place=1),
        entry("b", "engine", 40, 60, place=2, errors="jj"),
    ]
    assert scores(entries, capsys=capsys) == {
        "gpt": ["70.00", "1.00", "1.00", "3.00", "2.00"],
        "engine": ["50.00", "0.00", "2.00", "2.00", "1.00"],
    }


@pytest.mark.parametrize(
    ("more", "mean"),
    [
        ([entry("b", "gpt", 10, 20)], "15.00"),  # an annotator's last word counts
        ([entry("b", "gpt", 10, 20, user="bob")], "47.50"),  # and two annotators each
        (
            [entry("a", "gpt", 9, place=1), {"annotation": "__RESET__", "user_id": "alice"}, entry("b", "gpt", 1, 2)],
            "1.50",
        ),
        ([{"annotation": "__RESET__", "user_id": "bob"}], "80.00"),
        ([entry("b", "gpt", 0, 0, user="bob", place="welcome_0")], "80.00"),
        ([entry("b", "gpt", None, None, user="bob")], "80.00"),
    ],
)
def test_what_counts_of_several_annotations(
    more: list[Any], mean: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert scores([entry("b", "gpt", 90, 70), *more], capsys=capsys)["gpt"][0] == mean


BASE = ["--baseline", "engine"]


def test_tests_are_over_documents_that_both_have(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Nine documents in which a system is better than another, each of two sentences: nine fair coins, not eighteen."""
    better = [entry(f"d{number}", "gpt", 80, 90, place=number) for number in range(9)]
    worse = [entry(f"d{number}", "engine", 60, 70, place=9 + number) for number in range(9)]
    found = scores([*better, entry("alone", "gpt", 0, place=99), *worse], *BASE, capsys=capsys)
    assert found["gpt"][0] == "80.53 ⇑" and found["engine"][0] == "65.00"
    assert "randomisation over documents" in " ".join(campaign("score", "log.jsonl", *BASE, capsys=capsys).split())
    few = scores([*better[:3], *worse[:3]], *BASE, capsys=capsys)
    assert few["gpt"][0] == "85.00"


def test_the_download_of_the_dashboard_is_read(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("annotations.json").write_text(json.dumps({"news": [entry("b", "gpt", 90, 70)]}), encoding="utf-8")
    assert "80.00" in campaign("score", "annotations.json", capsys=capsys)


def test_a_line_of_the_log_ends_at_a_line_feed_alone(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one = entry("b", "gpt", 90, 70)
    one["item"][0]["src"] = "One.\u2028Two.\x85"
    Path("log.jsonl").write_text(json.dumps(one, ensure_ascii=False) + "\n\n", encoding="utf-8")
    assert "80.00" in campaign("score", "log.jsonl", capsys=capsys)


def test_a_system_is_printed_as_a_metric_prints_it(
    folder: Path, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    """Each sentence in order, ``-`` where nobody judged; a system that nobody judged has no score."""
    entries = [entry("c", "gpt", 30, 60), entry("b", "gpt", 90, None, place=1), entry("b", "engine", 1, 2, place=2)]
    Path("log.jsonl").write_text("".join(f"{json.dumps(one)}\n" for one in entries), encoding="utf-8")
    words = ("print", "log.jsonl", "--documents", "ids", "--system")
    lines = campaign(*words, "gpt", capsys=capsys).splitlines()
    assert [line.split("\t")[1] for line in lines] == ["90.0", "-", "-", "30.0", "60.0", "60.0"]
    assert [line.split("\t")[0] for line in lines] == ["segment"] * 5 + ["system"]
    assert {line.split("\t")[1] for line in campaign(*words, "other", capsys=capsys).splitlines()} == {"-"}
    assert "nothing of other in these documents is annotated; there are gpt, engine" in caplog.text
    assert "nothing of gpt" not in caplog.text


def test_the_systems_of_a_run_are_shown_with_their_first_seed(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    of_run = folder / "results/news"
    (of_run / "texts").mkdir(parents=True)
    for name, file in {"source": "source", "documents": "ids"}.items():
        (of_run / f"texts/best.{name}.txt").write_text(Path(file).read_text(encoding="utf-8"), encoding="utf-8")
    for name, seed, own in [("mix", 10, "gpt"), ("mix", 9, "engine"), ("other", 0, "gpt"), ("mix.alone", 9, "gpt")]:
        place = of_run / f"experiments/{name}/seed{seed}/translations/best.txt"
        place.parent.mkdir(parents=True)
        place.write_text(Path(f"{own}.txt").read_text(encoding="utf-8"), encoding="utf-8")
    words = ("write", str(of_run), "--test-set", "best")
    [task] = json.loads(campaign(*words, capsys=capsys))["data"]
    texts = {
        system: document[0]["tgt"][system]
        for document in task
        for system in document[0]["tgt"]
        if document[0]["doc_id"] == "b"
    }
    assert texts == {"mix.9": "e.", "other.0": "E.", "mix.alone.9": "E."}
    [task] = json.loads(campaign(words[0], words[1], "other", *words[2:], capsys=capsys))["data"]
    assert {system for _, system in shown(task)} == {"other.0"}
    for more, message in {
        ("absent", *words[2:]): "results/news: no translations of best by absent; there are mix, mix.alone, other",
        (*words[2:], "--source", "source"): "results/news: a run has its own --source and --documents; leave them out",
        ("--test-set", "dev"): "results/news: no test set dev; give a folder results/RUN/CORPUS",
    }.items():
        with pytest.raises(SystemExit, match=message):
            main(["campaign", *words[:2], *more])


WRITE = ["write", "gpt.txt", "--source", "source", "--documents", "ids"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["write", "gpt.txt", "--documents", "ids"], "a campaign needs --source; give a file with a line for each"),
        (["write", "gpt.txt", "--source", "source"], "a campaign needs --documents; give a file"),
        ([*WRITE, "--annotators", "4"], "3 documents for 4 annotators; give each at least one"),
        ([*WRITE, "--sample", "0"], "--sample is 0; give at least 1"),
        (["write", "7=gpt.txt", *WRITE[2:]], "Pearmut reads no system named 7; name it: NAME=FILE"),
        (["print", "good.jsonl", "--system", "gpt"], "print needs --documents; give it"),
        (["print", "good.jsonl", "--documents", "ids"], "print needs --system; give it"),
        (["score", "absent.json"], "absent.json: no such file"),
        (["score", "a.jsonl", "b.jsonl"], "2 files of annotations; name one"),
        (["score", "good.jsonl", "--baseline", "x"], "--baseline: no system x; there are gpt"),
        (["score", "text.jsonl"], "text.jsonl:1: not JSON (Expecting value); download them again"),
        (["score", "list.json"], "list.json: not the annotations of campaigns; download them again"),
        (["score", "empty.jsonl"], "empty.jsonl: holds no scores; download the annotations again"),
        (["score", "number.jsonl"], "number.jsonl:1: not a JSON object; download them again"),
        (["score", "number.json"], "number.json: entry 1 is no object; download the annotations again"),
        (["score", "texts.jsonl"], "texts.jsonl: entry 1 has an annotation that is no object"),
        (["score", "bare.jsonl"], "bare.jsonl: entry 1 has an annotation that is no object"),
        (["score", "score.jsonl"], "score.jsonl: entry 1 has the score 'high'"),
        (["score", "true.jsonl"], "true.jsonl: entry 1 has the score True"),
        (["score", "log.json"], "log.json:1: not JSON (Extra data)"),
        ([*WRITE, "--output", "gpt.txt"], "gpt.txt: is read and would be overwritten; give another --output"),
        ([*WRITE, "--output", "./source"], "source: is read and would be overwritten"),
        ([*WRITE, "--output", "ids"], "ids: is read and would be overwritten"),
        (["score", "good.jsonl", "--output", "good.jsonl"], "good.jsonl: is read and would be overwritten"),
        (["score", "short.jsonl"], "short.jsonl: entry 1 has no annotation for each item"),
        (["score", "foreign.jsonl"], "foreign.jsonl: entry 1 has an item without doc_id and sent_id"),
        (["score", "high.jsonl"], "high.jsonl: entry 1 has the score 101"),
    ],
)
def test_faults_are_one_line(words: list[str], message: str, folder: Path) -> None:
    good = entry("b", "gpt", 90, 70)
    foreign = {**good, "item": [{"item_id": "x", "src": "x", "tgt": {"gpt": "y"}}] * 2}
    files = {
        "good": json.dumps(good),
        "text": "x",
        "empty": "",
        "number": "1",
        "short": json.dumps({**good, "annotation": []}),
        "foreign": json.dumps(foreign),
        "high": json.dumps(entry("b", "gpt", 101)),
        "true": json.dumps(entry("b", "gpt", True)),
        "texts": json.dumps({**good, "annotation": ["gpt", "gpt"]}),
        "bare": json.dumps({**good, "annotation": [{"gpt": 90}, {"gpt": 70}]}),
        "score": json.dumps(entry("b", "gpt", "high")),  # type: ignore[arg-type]
    }
    for name, text in files.items():
        Path(f"{name}.jsonl").write_text(text, encoding="utf-8")
    for name, text in {"list": "[]", "number": '{"news": [1]}', "log": "{} {}"}.items():
        Path(f"{name}.json").write_text(text, encoding="utf-8")
    with pytest.raises(SystemExit) as ended:
        main(["campaign", *words])
    assert str(ended.value.code).startswith("error: ") and message in str(ended.value.code)
    assert "\n" not in str(ended.value.code)
