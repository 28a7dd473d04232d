"""The commands for systems and metrics from outside of the project, on a test set of two documents."""

import json
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from discourse_nmt.base.storage.tables import read_table, write_table
from discourse_nmt.scoring.external.sacrebleu_command import sacrebleu_command
from discourse_nmt.scoring.metrics.translation import alignment_counts, measured_segments
from discourse_nmt.scoring.tables.scores import parse
from tests.unit.scoring.external.test_texts import subwords
from tests.unit.scoring.test_commands import NAMES, call

# The documents are in this order in the corpus file, and in the other one in the shards.
SENTENCES = pd.DataFrame(
    {
        "doc_id": ["a", "b", "b"],
        "sent_id": [0, 0, 1],
        "source": ["Three.", "One.", "Two."],
        "target": ["Drei.", "Eins.", "Zwei."],
    }
)
DOCUMENTS = pd.DataFrame({"doc_id": ["b", "a"], "sentences": [2, 1]}).astype({"sentences": "int32"})
TEXT = json.dumps({"source_language": "en", "target_language": "de"})
# Scores are the lengths of hypotheses; the files that it is given end up in its folder.
METRIC = """
import shutil, sys
target, *files = sys.argv[1:]
for file in files[:4]:
    shutil.copy(file, target)
print("a library says hello")
lines = open(files[1], encoding="utf-8").read().split("\\n")[:-1]
for line in lines:
    print("segment", len(line), sep="\\t")
print("system", sum(map(len, lines)) / len(lines), sep="\\t")
print("languages", *files[4:], file=sys.stderr)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_table(DOCUMENTS, tmp_path / "documents.parquet", "documents")
    write_table(SENTENCES[:1], tmp_path / "0.parquet", "sentences")
    write_table(SENTENCES[1:], tmp_path / "1.parquet", "sentences")
    (tmp_path / "gpt.txt").write_text("Eins!\nZ „wei“.\n\n", encoding="utf-8")
    (tmp_path / "metric.py").write_text(METRIC, encoding="utf-8")
    return tmp_path


def import_hypotheses(folder: Path, file: Path) -> tuple[int, str]:
    done = call(
        "external.import_hypotheses",
        *("--hypotheses", file, "--documents", folder / "documents.parquet", "--corpus", "news", "--test-set", "test"),
        *("--sentences", folder / "0.parquet", folder / "1.parquet", "--alignment", folder / "alignment.parquet"),
        *("--text-settings", TEXT, "--output", folder / "translations.parquet"),
    )
    return done.returncode, done.stderr


def run_metric(folder: Path, *program: str | Path, texts: dict[str, Any] | None = None) -> tuple[int, str]:
    assert import_hypotheses(folder, folder / "gpt.txt")[0] == 0
    done = call(
        "external.run_metric",
        *("--metric", "length", "--better", "lower", "--translations", folder / "translations.parquet"),
        *("--sentences", folder / "0.parquet", folder / "1.parquet", "--documents", folder / "documents.parquet"),
        *("--source-language", "en", "--target-language", "de", *NAMES, "--seed", "1"),
        *("--texts", json.dumps(texts or {})),
        *("--scores", folder / "scores.parquet", "--output", folder / "scores.tsv", "--", *program),
    )
    return done.returncode, done.stderr


FILES = ["{source}", "{hypotheses}", "{references}", "{documents}"]


def test_lines_become_translations_as_they_are(folder: Path) -> None:
    status, errors = import_hypotheses(folder, folder / "gpt.txt")
    assert status == 0, errors
    table = read_table(folder / "translations.parquet", "translations")
    assert table[["doc_id", "sent_id", "hypothesis"]].values.tolist() == [
        ["b", 0, "Eins!"],
        ["b", 1, "Z „wei“."],
        ["a", 0, ""],
    ]
    assert [words.tolist() for words in table["tokens"]] == [["Eins", "!"], ["Z", "„", "wei", "“", "."], []]
    assert set(table["rank"]) == {0}
    assert read_table(folder / "alignment.parquet", "output_alignment").empty


def test_texts_are_aligned_and_what_they_leave_out_and_add_is_counted(folder: Path) -> None:
    texts = {"b": "Eins.", "a": "Drei. Und noch etwas, das niemand gefragt hat und das nirgends steht."}
    lines = [json.dumps({"doc_id": document, "hypothesis": text}) for document, text in texts.items()]
    (folder / "gpt.jsonl").write_text("\n".join(lines), encoding="utf-8")
    status, errors = import_hypotheses(folder, folder / "gpt.jsonl")
    assert status == 0, errors
    table = read_table(folder / "translations.parquet", "translations")
    assert table["hypothesis"].tolist() == ["Eins.", "", "Drei."]
    alignment = read_table(folder / "alignment.parquet", "output_alignment")
    assert alignment["omitted"].map(list).tolist() == [[1], []]
    assert alignment["added"].map(list).tolist() == [[], [texts["a"].partition(" ")[2]]]
    assert alignment["places"].map(list).tolist() == [[], [1]]
    counts = {score.metric: score.value for score in alignment_counts(alignment)}
    assert counts == {"omitted sentences": 1, "added texts": 1, "documents without a translation": 0}


@pytest.mark.parametrize(("gap", "lines"), [(" ", ["Eins.", "Zwei. Ja."]), ("\n\n", ["Eins. Zwei.", "Ja."])])
def test_paragraphs_of_the_source_are_those_of_the_output(gap: str, lines: list[str], folder: Path) -> None:
    write_table(DOCUMENTS.assign(gaps=pd.Series([["", gap, "\n"], None])), folder / "documents.parquet", "documents")
    objects = [{"doc_id": "b", "hypothesis": "Eins. Zwei.\n\nJa."}, {"doc_id": "a", "hypothesis": "Drei."}]
    (folder / "gpt.jsonl").write_text("\n".join(map(json.dumps, objects)), encoding="utf-8")
    status, errors = import_hypotheses(folder, folder / "gpt.jsonl")
    assert status == 0, errors
    assert read_table(folder / "translations.parquet", "translations")["hypothesis"].tolist() == [*lines, "Drei."]


def test_an_output_that_is_no_translation_is_told_with_its_document(folder: Path) -> None:
    (folder / "gpt.txt").write_text("Eins.\nEins und\n\n" + "Noch einmal von vorn. " * 9, encoding="utf-8")
    status, errors = import_hypotheses(folder, folder / "gpt.txt")
    assert status == 0
    [told] = [line for line in errors.splitlines() if "document a" in line]
    assert told.endswith("document a is not scored as a translation: the output says the same again and again")
    assert read_table(folder / "alignment.parquet", "output_alignment")["problem"].notna().tolist() == [False, True]


def test_documents_that_are_not_listed_are_not_translated(folder: Path) -> None:
    """As the wrong variants of a suite."""
    write_table(DOCUMENTS[:1], folder / "documents.parquet", "documents")
    (folder / "gpt.txt").write_text("Eins!\nZwei!\n", encoding="utf-8")
    status, errors = import_hypotheses(folder, folder / "gpt.txt")
    assert status == 0, errors
    assert read_table(folder / "translations.parquet", "translations")["doc_id"].tolist() == ["b", "b"]


def test_translations_that_do_not_fit_are_one_line(folder: Path) -> None:
    (folder / "gpt.txt").write_text("Eins!\n", encoding="utf-8")
    status, errors = import_hypotheses(folder, folder / "gpt.txt")
    expected = f"error: {folder}/gpt.txt: 1 lines, but test set test of corpus news has 3 sentences; "
    assert status == 1 and errors.startswith(expected) and errors.count("\n") == 1
    assert not (folder / "translations.parquet").exists()


def test_a_metric_reads_all_files_in_the_order_of_the_corpus(folder: Path) -> None:
    status, errors = run_metric(folder, sys.executable, folder / "metric.py", folder, *FILES, "{source_language}")
    assert status == 0, errors
    texts = {
        name: (folder / f"{name}.txt").read_text(encoding="utf-8") for name in ("source", "references", "documents")
    }
    assert texts == {
        "source": "One.\nTwo.\nThree.\n",
        "references": "Eins.\nZwei.\nDrei.\n",
        "documents": "b\nb\na\n",
    }
    assert (folder / "hypotheses.txt").read_text(encoding="utf-8") == "Eins!\nZ „wei“.\n\n"
    [row] = parse((folder / "scores.tsv").read_text(encoding="utf-8"), file="x").to_dict("records")
    assert (row["metric"], row["value"]) == ("length", pytest.approx(13 / 3))
    assert row["signature"].endswith("|better:lower")
    scores = read_table(folder / "scores.parquet", "metric_scores")
    assert scores.loc[scores["level"] == "segment", "score"].tolist() == [5, 8, 0]


def test_a_metric_reads_windows_and_its_scores_are_those_of_the_sentences(folder: Path) -> None:
    texts = {"window": 1, "separator": " </s> ", "before_translations": "references"}
    status, errors = run_metric(folder, sys.executable, folder / "metric.py", folder, *FILES, texts=texts)
    assert status == 0, errors
    assert (folder / "source.txt").read_text(encoding="utf-8") == "One.\nOne. </s> Two.\nThree.\n"
    assert (folder / "hypotheses.txt").read_text(encoding="utf-8") == "Eins!\nEins. </s> Z „wei“.\n\n"
    [row] = parse((folder / "scores.tsv").read_text(encoding="utf-8"), file="x").to_dict("records")
    assert row["signature"].endswith("|better:lower|window:1|separator:</s>|before-translations:references")
    scores = read_table(folder / "scores.parquet", "metric_scores")
    assert scores.loc[scores["level"] == "segment", "score"].tolist() == [5, len("Eins. </s> Z „wei“."), 0]


def test_a_metric_of_chunks_has_a_score_for_each_and_what_it_does_not_read_is_counted(folder: Path) -> None:
    texts = {"chunk": 2, "reads": 4, "subwords": str(subwords(folder / "tokenizer.json"))}
    status, errors = run_metric(folder, sys.executable, folder / "metric.py", folder, *FILES, texts=texts)
    assert status == 0, errors
    assert (folder / "documents.txt").read_text(encoding="utf-8") == "b\na\n"
    assert (folder / "references.txt").read_text(encoding="utf-8") == "Eins. Zwei.\nDrei.\n"
    scores = read_table(folder / "scores.parquet", "metric_scores")
    segments = scores[scores["level"] == "segment"]
    assert segments[["doc_id", "sent_id", "score"]].values.tolist() == [["b", 0, 14], ["a", 0, 0]]
    # Words are cut at marks: "One. Two." and "Eins. Zwei." have four, "Eins! Z „wei“." seven.
    found = parse((folder / "scores.tsv").read_text(encoding="utf-8"), file="x").set_index("metric")["value"]
    assert found["texts longer than length reads"] == 1 and "length reads 4 subwords: 1 texts are longer" in errors


def test_subwords_that_are_none_are_one_line(folder: Path) -> None:
    texts = {"reads": 4, "subwords": str(folder / "gpt.txt")}
    status, errors = run_metric(folder, sys.executable, folder / "metric.py", folder, *FILES, texts=texts)
    assert status == 1 and errors.startswith(f"error: {folder}/gpt.txt: no subwords (") and errors.count("\n") == 1


def test_a_program_is_told_whose_translations_they_are_and_may_have_no_score(folder: Path) -> None:
    """As human evaluation is: by name, of a part."""
    (folder / "judge.py").write_text(
        "import sys\nprint(*['segment\\t-', 'segment\\t' + sys.argv[1], 'segment\\t-', 'system\\t-'], sep='\\n')",
        encoding="utf-8",
    )
    status, errors = run_metric(folder, sys.executable, folder / "judge.py", "{seed}")
    assert status == 0, errors
    scores = read_table(folder / "scores.parquet", "metric_scores")
    assert scores[scores["level"] == "segment"]["score"].dropna().tolist() == [1]
    assert parse((folder / "scores.tsv").read_text(encoding="utf-8"), file="x").empty
    (folder / "judge.py").write_text("import sys\nassert sys.argv[1] == 'same'\nprint('system\\t1')", encoding="utf-8")
    status, errors = run_metric(folder, sys.executable, folder / "judge.py", "{experiment}")
    assert status == 0, errors


def test_a_metric_is_compared_with_that_of_the_baseline(folder: Path) -> None:
    program: list[str | Path] = [sys.executable, folder / "metric.py", folder, *FILES]
    assert run_metric(folder, *program)[0] == 0
    done = call(
        "external.compare_metric",
        *("--metric", "length", "--better", "lower", "--scores", folder / "scores.parquet"),
        *("--baseline-scores", folder / "scores.parquet", "--seeds", "2", "--baseline", "sentence"),
        *("--baseline-seeds", "1", *NAMES, "--texts", '{"chunk": 2}', "--output", folder / "test.tsv", "--", *program),
    )
    assert done.returncode == 0, done.stderr
    table = parse((folder / "test.tsv").read_text(encoding="utf-8"), file="x")
    assert table["metric"].tolist() == ["difference (length)", "p (length, approximate randomisation over documents)"]
    assert table["value"].tolist() == [0, 1]
    expected = "|better:lower|chunk:2|separator:space|mean:segments|"
    assert all(expected in signature for signature in table["signature"])


@pytest.mark.parametrize(
    ("program", "message"),
    [
        (["absent-program"], "the command absent-program cannot be started (No such file or directory)"),
        (
            [sys.executable, "-c", "import sys; sys.exit('no GPU $(date)')"],
            "ended with exit status 1; its last words: no GPU $(date)",
        ),
        ([sys.executable, "-c", "print(1)"], "printed 0 system scores"),
    ],
)
def test_a_metric_that_fails_is_one_line(program: list[str], message: str, folder: Path) -> None:
    status, errors = run_metric(folder, *program)
    assert status == 1 and message in errors and errors.count("\n") == 1
    assert not (folder / "scores.parquet").exists() and not (folder / "scores.tsv").exists()


@pytest.mark.parametrize(("language", "lowercase"), [("de", False), ("de", True), ("zh", False)])
def test_the_command_beside_translations_gives_their_scores(language: str, lowercase: bool, folder: Path) -> None:
    (folder / "gpt.txt").write_text("Eins und ZWEI.\nZwei bis drei, 四五六.\nDrei.\n", encoding="utf-8")
    assert import_hypotheses(folder, folder / "gpt.txt")[0] == 0
    shared = ("--sentences", folder / "1.parquet", folder / "0.parquet", "--documents", folder / "documents.parquet")
    texts = {name: folder / f"it's {name}.txt" for name in ("source", "references", "ids", "output")}
    files = [word for name in ("source", "references", "ids") for word in (f"--{name}", texts[name])]
    assert call("external.write_test_set", *shared, *files).returncode == 0
    assert texts["ids"].read_text(encoding="utf-8") == "b\nb\na\n"
    assert texts["source"].read_text(encoding="utf-8") == "One.\nTwo.\nThree.\n"
    done = call(
        "external.write_translations",
        *("--translations", folder / "translations.parquet", *shared, "--language", language),
        *("--output", texts["output"], "--submission", folder / "submission.jsonl"),
    )
    assert done.returncode == 0, done.stderr
    assert texts["output"].read_bytes() == (folder / "gpt.txt").read_bytes()
    command = sacrebleu_command(str(texts["references"]), str(texts["output"]), language=language, lowercase=lowercase)
    words = [sys.executable, *shlex.split(command)[1:], "-w", "12"]
    printed = json.loads(subprocess.run(words, capture_output=True, text=True, check=True).stdout)
    hypotheses, references = (texts[name].read_text(encoding="utf-8").splitlines() for name in ("output", "references"))
    pairs = pd.DataFrame({"doc_id": "d", "instance": 0, "hypothesis": hypotheses, "reference": references})
    words_of = {f"{side}_tokens": pairs[side].str.split() for side in ("hypothesis", "reference")}
    pairs = pairs.assign(**words_of)
    measured = measured_segments(pairs, language=language, lowercase=lowercase)
    expected = {one.measure.name: one.score() for one in measured}
    for own, name in (("s-BLEU", "BLEU"), ("chrF2++", "chrF2++"), ("TER", "TER")):
        [score] = [one for one in printed if one["name"] == name]
        assert score["score"] == pytest.approx(expected[own].value, abs=1e-9)
        assert score["signature"] == expected[own].signature
