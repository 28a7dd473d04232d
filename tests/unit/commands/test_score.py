"""The subcommand score: the same numbers as sacrebleu, tests over documents, faults in one line."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from discourse_nmt.base.storage.files import read_text
from discourse_nmt.command_line import main

REFERENCES = [
    "Das ist ein kleines Haus.",
    "Es steht am Fluss.",
    "Niemand wohnt dort seit Jahren.",
    "Ende der Geschichte.",
]
OTHER = ["Das ist ein Haus.", "Er steht am Fluss.", "Niemand lebt dort seit so vielen Jahren.", "Ende der Geschichte."]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, lines in {
        "ref.de": REFERENCES,
        "own.txt": REFERENCES,
        "other.txt": OTHER,
        "ids": ["b", "b", "a", "c"],
    }.items():
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return tmp_path


def score(folder: Path, *words: str, capsys: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as ended:
        main(["score", "--language", "de", "--references", str(folder / "ref.de"), *words])
    printed = capsys.readouterr()
    return (
        int(not isinstance(ended.value.code, int) or ended.value.code),
        printed.out,
        str(ended.value.code or printed.err),
    )


def rows(text: str) -> dict[tuple[str, str], float]:
    return {(row["experiment"], row["metric"]): row["value"] for row in json.loads(text)}


def test_scores_are_those_of_sacrebleu(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = score(folder, str(folder / "other.txt"), "--format", "json", capsys=capsys)
    assert status == 0
    command: list[str | Path] = [
        sys.executable,
        "-m",
        "sacrebleu",
        folder / "ref.de",
        "-i",
        folder / "other.txt",
        "-w",
        "12",
    ]
    done = subprocess.run(
        [*command, "-m", "bleu", "chrf", "ter", "--chrf-word-order", "2"], capture_output=True, text=True, check=True
    )
    found = json.loads(done.stdout)
    expected = {one["name"].replace("BLEU", "s-BLEU"): one["score"] for one in found}
    # Sacrebleu rounds the ratio to three decimals.
    told = re.search(r"ratio = ([0-9.]+) ", next(one["verbose_score"] for one in found if one["name"] == "BLEU"))
    assert told is not None
    ratio = rows(out).pop(("other", "length ratio"))
    assert f"{ratio:.3f}" == told[1] != "1.000"
    expected["length ratio"] = ratio
    expected |= {"sentences": 4, "empty translations": 0, "distinct translations": 4}
    assert {metric: value for (_, metric), value in rows(out).items()} == pytest.approx(expected, abs=1e-9)


def test_documents_give_joined_scores_and_tests(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = [f"good={folder}/own.txt", str(folder / "other.txt"), "--baseline", "other"]
    words += ["--documents", str(folder / "ids"), "--trials", "500", "--samples", "20"]
    status, out, _ = score(folder, *words, "--format", "json", capsys=capsys)
    values = rows(out)
    assert status == 0 and values["good", "d-BLEU (document)"] == pytest.approx(100)
    assert values["other", "d-BLEU (document)"] != values["other", "s-BLEU"]
    assert values["good", "difference (TER)"] == -values["other", "TER"]
    # Two of three documents differ: a quarter of all exchanges of both, and their mirror images, reach the difference.
    assert values["good", "p (s-BLEU, approximate randomisation over documents)"] == pytest.approx(0.5, abs=0.07)
    assert not any(name == "other" and metric.startswith("p (") for name, metric in values)
    signatures = " ".join(row["signature"] for row in json.loads(out) if row["metric"].startswith("p (s-BLEU"))
    assert set(re.findall(r"(?:bs|ar):\d+", signatures)) == {"bs:20", "ar:500"}
    _, table, _ = score(folder, *words, capsys=capsys)
    assert "| good " in table and "Compared: good with other." in table and "length ratio" in table


def test_without_documents_tests_are_over_lines(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = [f"good={folder}/own.txt", str(folder / "other.txt"), "--baseline", "other", "--trials", "500"]
    _, out, _ = score(folder, *words, "--samples", "20", "--format", "json", capsys=capsys)
    values = rows(out)
    assert not any("over documents" in metric for _, metric in values)
    # Three of four lines differ.
    assert values["good", "p (s-BLEU, approximate randomisation over lines)"] == pytest.approx(0.25, abs=0.07)
    _, table, _ = score(folder, *words, "--samples", "20", capsys=capsys)
    assert "randomisation\nover lines" in table or "randomisation over lines" in table


def test_a_table_is_written(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = score(
        folder, str(folder / "own.txt"), "--format", "tsv", "--output", str(folder / "s.tsv"), capsys=capsys
    )
    assert (status, out) == (0, "")
    assert "\ts-BLEU\t100" in (folder / "s.tsv").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["own.txt", "--language", "deu"], "error: --language: 'deu' is no code of a language; write de (German)"),
        (["own.txt", "own.txt"], "error: two systems are named own; name them: NAME=FILE"),
        (["own.txt", "--baseline", "x"], "error: --baseline: no system x; there are own"),
        (["short.txt"], "short.txt: 1 lines, but "),
        (["absent.txt"], "absent.txt: no such file"),
        (["own.txt", "--documents", "short.txt"], "short.txt: 1 lines, but "),
        (["own.txt", "--documents", "mixed"], "mixed:3: document a goes on after another one"),
        (["own.txt", "--trials", "0"], "error: --trials is 0; give at least 1"),
    ],
)
def test_faults_are_one_line(
    words: list[str], message: str, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(folder)
    Path("short.txt").write_text("x\n", encoding="utf-8")
    Path("mixed").write_text("a\nb\na\na\n", encoding="utf-8")
    status, out, error = score(folder, *words, capsys=capsys)
    assert (status, out) == (1, "") and message in error and "\n" not in error.strip()


ANIMALS = {"dog": "Hund", "cat": "Kater", "bird": "Vogel", "wolf": "Wolf"}
VERBS = {"sleeps": "schläft", "runs": "rennt", "waits": "wartet", "sings": "singt"}


@pytest.fixture
def stories(tmp_path: Path) -> list[str]:
    """Options of a test set of four documents of four sentences, each about one animal, with a pronoun in the third."""
    texts: dict[str, list[str]] = {"source": [], "ref": [], "ids": [], "worse": []}
    for animal, tier in ANIMALS.items():
        for number, (verb, tut) in enumerate(VERBS.items()):
            texts["source"].append(f"It {verb}." if number == 2 else f"The {animal} {verb}.")
            texts["ref"].append(f"Er {tut}." if number == 2 else f"Der {tier} {tut}.")
            # One of the three names of the dog is another word, and the dog is an es; a bird's verb is before it.
            faults = {"Hund schläft": "Dackel schläft", "Er wartet": "Es wartet"} if animal == "dog" else {}
            faults |= {"Der Vogel rennt": "Rennt der Vogel"}
            line = texts["ref"][-1]
            for right, wrong in faults.items():
                line = line.replace(right, wrong)
            texts["worse"].append(line)
            texts["ids"].append(animal)
    for name, lines in texts.items():
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    words = [
        f"{tmp_path}/worse",
        "--language",
        "de",
        "--references",
        f"{tmp_path}/ref",
        "--documents",
        f"{tmp_path}/ids",
    ]
    return ["score", *words, "--source", f"{tmp_path}/source", "--source-language", "en"]


def test_documents_with_a_source_have_consistency_and_pronouns(
    stories: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main([*stories, "--format", "json"])
    values = rows(capsys.readouterr().out)
    # Each of four documents has three pairs of equal names; two of the dog's have other words.
    assert values["worse", "repeated words, pairs (content words)"] == 12
    assert values["worse", "lexical consistency (content words)"] == pytest.approx(100 * 10 / 12)
    assert (values["worse", "pronouns (it)"], values["worse", "pronoun accuracy (all)"]) == (4, 75)
    assert values["worse", "documents too short"] == 0
    with pytest.raises(SystemExit):
        main(stories)
    shown = capsys.readouterr().out
    assert "lexical consistency (content words)" in shown and "83.33" in shown and "75.00" in shown


@pytest.mark.parametrize("source", [True, False])
def test_texts_of_documents_are_aligned_and_what_they_leave_out_and_add_is_counted(
    source: bool,
    stories: list[str],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    lines = (tmp_path / "ref").read_text(encoding="utf-8").splitlines()
    texts = {animal: lines[4 * place : 4 * place + 4] for place, animal in enumerate(ANIMALS)}
    texts["cat"][1] = ""
    texts["bird"].insert(2, "Niemand fragt, warum und wozu das alles so kommt, wie es kommt.")
    texts["wolf"] = [
        "When the wolf sleeps, nobody knows where the wolf is. If the wolf runs away, they worry about it.",
        "And then the people of the village wait for the wolf until he comes back again from the woods.",
    ]
    objects = [{"doc_id": animal, "hypothesis": " ".join(text)} for animal, text in reversed(texts.items())]
    (tmp_path / "whole.jsonl").write_text("\n".join(map(json.dumps, objects)), encoding="utf-8")
    options = stories if source else stories[: stories.index("--source")]
    with pytest.raises(SystemExit):
        main(["score", f"{tmp_path}/whole.jsonl", *options[1:], "--format", "json"])
    assert "document wolf is not scored as a translation: the output is in another language (en)" in caplog.messages
    values = rows(capsys.readouterr().out)
    counts = ["omitted sentences", "added texts", "documents without a translation", "sentences", "empty translations"]
    assert [values["whole", name] for name in counts] == [5, 1, 1, 16, 5]
    assert ("worse", "omitted sentences") not in values


@pytest.mark.parametrize(
    ("without", "message"),
    [
        ("--documents", "error: --source-language needs --documents; give both"),
        ("--source", "error: --source-language needs --source; give both"),
        ("3", "source: 3 lines, but "),
    ],
)
def test_faulty_sources_are_one_line(without: str, message: str, stories: list[str], tmp_path: Path) -> None:
    if without in stories:
        del stories[stories.index(without) : stories.index(without) + 2]
    else:
        (tmp_path / "source").write_text("x\n" * int(without), encoding="utf-8")
    with pytest.raises(SystemExit) as ended:
        main(stories)
    assert message in str(ended.value.code) and "\n" not in str(ended.value.code)


@pytest.mark.parametrize("name", ["ref.de", "ids", "own.txt"])
def test_no_file_that_is_read_is_overwritten(name: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = (folder / name).read_bytes()
    words = [f"{folder}/o*.txt", "--documents", str(folder / "ids"), "--output", f"{folder}/../{folder.name}/{name}"]
    status, _, error = score(folder, *words, capsys=capsys)
    assert status == 1 and f"{name}: is read and would be overwritten; give another --output" in error
    assert (folder / name).read_bytes() == before


def test_a_table_that_is_written_may_be_edited(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, _, _ = score(folder, f"{folder}/own.txt", "--output", f"{folder}/table.md", capsys=capsys)
    (folder / "table.md").write_text("changed\n", encoding="utf-8")
    assert status == 0 and read_text(folder / "table.md") == "changed\n"
