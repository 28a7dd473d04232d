"""The commands score, collect_scores and report on a small run."""

import base64
import json
import math
import os
import re
import shlex
import subprocess
import sys
import zlib
from pathlib import Path

import pandas as pd
import pytest

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.storage.shard_files import write_shards
from discourse_nmt.base.storage.tables import read_table, schema, write_table
from discourse_nmt.scoring.tables.scores import parse
from discourse_nmt.training.checkpoints.tuned_decoding import Trial, TunedDecoding
from discourse_nmt.training.data.dataset_tables import write_dataset
from discourse_nmt.workflow_scripts.report.report import read_numbers
from tests.conftest import ROOT

# Costs 200, 150, 161, 100 and 600 with the two sentence marks, as (source, target) subwords.
LENGTHS = [(198, 10), (20, 148), (159, 159), (98, 1), (1, 598)]
REFERENCES = [
    "Eins zwei drei vier.",
    "Fünf sechs sieben.",
    "Acht neun zehn elf.",
    "Ende.",
    "Noch ein Satz <script>.",
]


def call(name: str, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", f"discourse_nmt.workflow_scripts.{name}", *map(str, arguments)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(command, capture_output=True, text=True, env=environment, check=False)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The results of a run with one document of five sentences, in the layout of the workflow."""
    results = tmp_path_factory.mktemp("results")
    demo, run = results / "demo", results / "demo/experiments/sentence/seed1"
    keys = {"doc_id": ["d"] * 5, "sent_id": list(range(5))}
    write_table(
        pd.DataFrame({**keys, "source": REFERENCES, "target": REFERENCES}),
        demo / "corpus/test/0.parquet",
        "sentences",
    )
    words = [text.replace(".", " .").split() for text in REFERENCES]
    offsets, gaps = [[0] * len(sentence) for sentence in words], [[""] * (len(sentence) + 1) for sentence in words]
    both = [
        pd.DataFrame({**keys, "side": side, "tokens": words, "starts": offsets, "ends": offsets, "gaps": gaps})
        for side in ("source", "target")
    ]
    write_table(pd.concat(both), demo / "text/tokens/test/0.parquet", "tokens")
    subwords = [
        {"doc_id": "d", "sent_id": number, "side": side, "ids": [7] * length, "word_of_subword": [0] * length}
        for number, lengths in enumerate(LENGTHS)
        for side, length in zip(("source", "target"), lengths)
    ]
    (demo / "dataset").mkdir()
    write_dataset([pd.DataFrame(subwords)], demo / "dataset/test.arrow")
    hypotheses = ["Eins zwei drei fünf.", *REFERENCES[1:]]
    written = {
        "rank": 0,
        "hypothesis": hypotheses,
        "tokens": [text.replace(".", " .").split() for text in hypotheses],
        "score": -1.0,
    }
    write_table(pd.DataFrame({**keys, **written}), run / "translations/test.parquet", "translations")
    items = [("i1", "pronoun", 1, -1.0, -2.0), ("i2", "pronoun", 2, -2.0, -1.0)]
    columns = ["item_id", "phenomenon", "distance", "right_score", "wrong_score"]
    write_table(pd.DataFrame(items, columns=columns), run / "contrastive/test.parquet", "contrastive_scores")
    drops = pd.DataFrame({"doc_id": ["x"], "line": [4], "reason": ["longer than 200 tokens"], "text": ["…"]})
    write_table(drops.astype({"line": "Int32"}), demo / "corpus/drops.parquet", "drops")
    (run / "metrics.csv").write_text("update,loss,dev_loss,dev_bleu\n1,5,,\n2,4,4.5,1.5\n4,3,3.5,\n", encoding="utf-8")
    benchmark = results / "benchmarks/demo/tokenise/test/0.tsv"
    benchmark.parent.mkdir(parents=True)
    benchmark.write_text("s\th:m:s\tmax_rss\tcpu_time\n1.25\t0:00:01\t-\t-\n", encoding="utf-8")
    return results


def score(folder: Path, output: Path, *options: str, **changed: Path) -> subprocess.CompletedProcess[str]:
    demo, run = folder / "demo", folder / "demo/experiments/sentence/seed1"
    files = {
        "translations": run / "translations/test.parquet",
        "sentences": demo / "corpus/test/0.parquet",
        "tokens": demo / "text/tokens/test/0.parquet",
        "dataset": demo / "dataset/test.arrow",
        "contrastive": run / "contrastive/test.parquet",
        **changed,
    }
    given = [argument for name, file in files.items() for argument in (f"--{name}", file)]
    names = "--corpus demo --experiment sentence --system transformer --seed 1 --test-set test --language de"
    command = ("--texts", "references.txt", "it's.txt", "--command", output.with_suffix(".sacrebleu.txt"))
    return call("score.score", *given, *names.split(), *command, *options, "--output", output)


def test_the_command_of_sacrebleu_knows_files_language_and_case(folder: Path, tmp_path: Path) -> None:
    for lowercase in (False, True):
        done = score(folder, tmp_path / "test.tsv", *(["--lowercase"] if lowercase else []))
        assert done.returncode == 0, done.stderr
        words = shlex.split((tmp_path / "test.sacrebleu.txt").read_text(encoding="utf-8"))
        assert words[:6] == ["python", "-m", "sacrebleu", "references.txt", "-i", "it's.txt"]
        assert words[words.index("--tokenize") + 1] == "13a" and ("--lowercase" in words) == lowercase


def test_signatures_tell_normalised_sides(folder: Path, tmp_path: Path) -> None:
    done = score(folder, tmp_path / "test.tsv", "--normalised", "source")
    assert done.returncode == 0, done.stderr
    table = parse((tmp_path / "test.tsv").read_text(encoding="utf-8"), file="test.tsv")
    told = table.set_index("metric")["signature"].str.endswith("|normalised:source")
    assert told["s-BLEU"] and told["TER"] and told["contrastive accuracy (pronoun)"] and not told["sentences"]


def test_signatures_tell_engine_and_precision_but_for_given_texts(folder: Path, tmp_path: Path) -> None:
    done = score(folder, tmp_path / "test.tsv", "--computed-by", "engine:ctranslate2", "precision:int8")
    assert done.returncode == 0, done.stderr
    table = parse((tmp_path / "test.tsv").read_text(encoding="utf-8"), file="test.tsv")
    told = table.set_index("metric")["signature"].str.endswith("|engine:ctranslate2|precision:int8")
    assert told["s-BLEU"] and told["TER"] and not told["contrastive accuracy (pronoun)"] and not told["sentences"]


def test_signatures_tell_what_was_chosen_on_dev_but_for_given_texts(folder: Path, tmp_path: Path) -> None:
    trials = [Trial({"length_penalty": value}, bleu, 1.0) for value, bleu in ((0.0, 1.0), (1.5, 2.0))]
    TunedDecoding("dev", "tok:13a", trials).save(tmp_path / "dev.json")
    done = score(folder, tmp_path / "scores.tsv", f"--tuned={tmp_path}/dev.json")
    assert done.returncode == 0, done.stderr
    found = parse((tmp_path / "scores.tsv").read_text(encoding="utf-8"), file="").set_index("metric")
    assert found["value"]["length penalty (tuned)"] == 1.5
    told = found.index[found["signature"].str.endswith("|tuned:length_penalty")]
    assert {"s-BLEU", "chrF2++", "TER", "length ratio"} <= set(told)
    assert not any(name.startswith("contrastive") for name in told)


def test_information_is_scored_without_translations(tmp_path: Path) -> None:
    documents = [f"{group}-{number}" for group in "abcdef" for number in range(5)]
    forced = pd.DataFrame({"doc_id": documents, "sent_id": 0, "words": 4, "score": -1.0, "without_context": -2.0})
    write_table(forced, tmp_path / "forced.parquet", "reference_scores")
    options = [f"--reference-scores={tmp_path}/forced.parquet", "--normalised", "source", "--groups=(.*)-"]
    done = call("train.score_information", *options, *NAMES, "--seed", "3", "--output", tmp_path / "scores.tsv")
    assert done.returncode == 0, done.stderr
    found = parse((tmp_path / "scores.tsv").read_text(encoding="utf-8"), file="").set_index("metric")
    bounds = [f"CXMI (without context), {bound} bound" for bound in ("lower", "upper")]
    assert list(found.index) == ["CXMI (without context)", *bounds]
    assert found["value"].tolist() == pytest.approx([0.25 / math.log(2)] * 3) and set(found["seed"]) == {3}
    assert found["signature"].str.endswith("|normalised:source").all()
    assert found["signature"][bounds].str.contains("groups").all()


def test_T00_1_instances_of_scores_and_the_report_of_them(folder: Path, tmp_path: Path) -> None:
    done = score(folder, tmp_path / "test.tsv")
    assert done.returncode == 0, done.stderr
    table = parse((tmp_path / "test.tsv").read_text(encoding="utf-8"), file="test.tsv")
    values = dict(zip(table["metric"], table["value"]))
    assert (values["sentences"], values["documents"], values["instances"]) == (5, 1, 3)
    assert values["contrastive accuracy (pronoun)"] == 50
    assert 50 < values["s-BLEU"] < 100
    assert set(table["experiment"]) == {"sentence"} and set(table["seed"]) == {1}

    done = call(
        "score.collect_scores",
        *(
            "--scores",
            tmp_path / "test.tsv",
            "--output",
            tmp_path / "scores.tsv",
            "--markdown",
            tmp_path / "scores.md",
        ),
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "scores.tsv").read_bytes() == (tmp_path / "test.tsv").read_bytes()
    assert done.stdout == (tmp_path / "scores.md").read_text(encoding="utf-8")
    assert f"{values['s-BLEU']:.2f}" in done.stdout

    run = folder / "demo/experiments/sentence/seed1"
    chains = tmp_path / "run/demo/discourse/mine/source/coreference/test/0.parquet"
    chains.parent.mkdir(parents=True)
    write_shards([schema("coreference").empty_table().to_pandas()], chains, "coreference")
    done = call(
        "report.report",
        *("--results", tmp_path / "run"),
        *("--scores", tmp_path / "scores.tsv", "--runs", f"demo/sentence/1={run}"),
        *("--sentences", f"demo/test={folder / 'demo/corpus/test/0.parquet'}"),
        *("--drops", f"demo={folder / 'demo/corpus/drops.parquet'}", "--benchmarks", folder / "benchmarks"),
        *("--output", tmp_path / "report.html"),
    )
    assert done.returncode == 0, done.stderr
    html = (tmp_path / "report.html").read_text(encoding="utf-8")
    for wanted in (
        "longer than 200 tokens",
        "tokenise",
        "<svg",
        "mine finds no chains in 1 of 1 shards of demo/test, source",
    ):
        assert wanted in html
    (packed,) = re.findall(r'<script type="text/plain" id="block-0">(.*?)</script>', html)
    (document,) = json.loads(zlib.decompress(base64.b64decode(packed)))
    assert document["systems"]["sentence"][0] == "Eins zwei drei fünf."
    assert document["reference"] == REFERENCES


NAMES = ["--corpus", "demo", "--experiment", "same", "--system", "transformer", "--test-set", "test"]


def compare(folder: Path, output: Path, *seeds: str) -> subprocess.CompletedProcess[str]:
    """Compare the translations of the run with themselves."""
    demo, run = folder / "demo", folder / "demo/experiments/sentence/seed1"
    files = {"sentences": demo / "corpus/test/0.parquet", "tokens": demo / "text/tokens/test/0.parquet"}
    given = [argument for name, file in files.items() for argument in (f"--{name}", file)]
    translations = run / "translations/test.parquet"
    return call(
        "score.compare_translations",
        *("--translations", translations, "--baseline-translations", translations, *NAMES, *given),
        *("--baseline", "sentence", *seeds),
        *(
            "--dataset",
            demo / "dataset/test.arrow",
            "--source-language",
            "en",
            "--language",
            "de",
            "--samples",
            "20",
            "--trials",
            "30",
        ),
        *("--output", output),
    )


def check_equal(path: Path) -> pd.DataFrame:
    """The table of a run beside itself: no differences, p-values of 1."""
    table = parse(path.read_text(encoding="utf-8"), file=path)
    assert set(table["experiment"]) == {"same"} and set(table["seed"]) == {2}
    differences = table["metric"].str.startswith("difference")
    assert set(table.loc[differences, "value"]) == {0} and set(table.loc[~differences, "value"]) == {1}
    assert table["signature"].str.endswith("|baseline:sentence|seeds:2/1").all()
    return table


def test_translations_beside_themselves(folder: Path, tmp_path: Path) -> None:
    done = compare(folder, tmp_path / "test.tsv", "--seeds", "2", "--baseline-seeds", "1")
    assert done.returncode == 0, done.stderr
    assert "sufficient statistics" not in done.stderr
    assert "p (chrF2++, approximate randomisation over documents)" in set(check_equal(tmp_path / "test.tsv")["metric"])
    done = compare(folder, tmp_path / "test.tsv", "--seeds", "2", "--baseline-seeds", "1", "--groups=d")
    assert done.returncode == 0, done.stderr
    assert "p (chrF2++, approximate randomisation over groups)" in set(check_equal(tmp_path / "test.tsv")["metric"])


def test_accuracy_beside_itself(folder: Path, tmp_path: Path) -> None:
    items = [(f"i{number}", "d", number, "pronoun", number, "Falsch.") for number in (1, 2)]
    columns = ["item_id", "doc_id", "sent_id", "phenomenon", "distance", "wrong"]
    write_table(pd.DataFrame(items, columns=columns), tmp_path / "items.parquet", "contrastive")
    scores = folder / "demo/experiments/sentence/seed1/contrastive/test.parquet"
    done = call(
        "score.compare_accuracy",
        *(
            "--task",
            "contrastive",
            "--items",
            tmp_path / "items.parquet",
            "--judged",
            scores,
            "--baseline-judged",
            scores,
        ),
        *("--seeds", "2", "--baseline", "sentence", "--baseline-seeds", "1", *NAMES),
        *("--output", tmp_path / "test.tsv"),
    )
    assert done.returncode == 0, done.stderr
    names = check_equal(tmp_path / "test.tsv")["metric"]
    assert names.str.contains("contrastive accuracy (pronoun)", regex=False).sum() == 3


def test_translations_are_judged_scored_and_compared(folder: Path, tmp_path: Path) -> None:
    demo, run = folder / "demo", folder / "demo/experiments/sentence/seed1"
    sentences = read_table(demo / "corpus/test/0.parquet", "sentences")
    translations = run / "translations/test.parquet"
    keys = sentences.head(3)[["doc_id", "sent_id"]]
    items = keys.assign(item_id=list("abc"), phenomenon="pronoun", distance=1, wrong="Xyz.")
    write_table(items, tmp_path / "items.parquet", "contrastive")
    judged = tmp_path / "judged.parquet"
    done = call(
        "score.judge_translations",
        *("--contrastive", tmp_path / "items.parquet", "--translations", translations),
        *("--sentences", demo / "corpus/test/0.parquet", "--output", judged),
    )
    assert done.returncode == 0, done.stderr
    assert read_table(judged, "judged_translations")["item_id"].tolist() == list("abc")
    done = score(folder, tmp_path / "scores.tsv", generation=judged)
    assert done.returncode == 0, done.stderr
    table = parse((tmp_path / "scores.tsv").read_text(encoding="utf-8"), file="scores.tsv").set_index("metric")["value"]
    assert table["generation items (all)"] == 3 and "contrastive accuracy (all)" in table
    done = call(
        "score.compare_accuracy",
        *("--task", "generation", "--items", tmp_path / "items.parquet", "--judged", judged),
        *("--baseline-judged", judged),
        *NAMES,
        *("--seeds", "2", "--baseline", "sentence", "--baseline-seeds", "1"),
        *("--output", tmp_path / "test.tsv"),
    )
    assert done.returncode == 0, done.stderr
    names = check_equal(tmp_path / "test.tsv")["metric"]
    assert names.str.contains("generation accuracy (pronoun)", regex=False).sum() == 3


def test_a_translation_that_is_the_reference_is_judged_right(folder: Path, tmp_path: Path) -> None:
    demo = folder / "demo"
    sentences = read_table(demo / "corpus/test/0.parquet", "sentences")
    translations = read_table(demo / "experiments/sentence/seed1/translations/test.parquet", "translations")
    target = translations.merge(sentences, on=["doc_id", "sent_id"])["target"]
    write_table(sentences.assign(source="Something else."), tmp_path / "sentences", "sentences")
    write_table(translations.assign(hypothesis=target, tokens=target.str.split()), tmp_path / "t", "translations")
    items = sentences.head(3)[["doc_id", "sent_id"]].assign(item_id=list("abc"), phenomenon="p", distance=1)
    write_table(items.assign(wrong="Xyz."), tmp_path / "items", "contrastive")
    done = call(
        "score.judge_translations",
        *("--contrastive", tmp_path / "items", "--translations", tmp_path / "t"),
        *("--sentences", tmp_path / "sentences", "--output", tmp_path / "judged"),
    )
    assert done.returncode == 0, done.stderr
    assert read_table(tmp_path / "judged", "judged_translations")["has_right"].all()


def test_items_to_judge_by_are_needed(tmp_path: Path) -> None:
    given = [f"--{name}={tmp_path / name}" for name in ("translations", "sentences", "output")]
    done = call("score.judge_translations", *given)
    assert done.returncode == 2
    assert "one of the arguments --contrastive --expected is required" in done.stderr


def test_a_run_without_a_partner_is_one_line(folder: Path, tmp_path: Path) -> None:
    done = compare(folder, tmp_path / "out.tsv", "--seeds", "2", "--baseline-seeds", "1", "2")
    assert done.returncode == 1 and not (tmp_path / "out.tsv").exists()
    assert done.stderr.startswith("error: not as many files or seeds of the baseline as of the system; give a file")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("name", ["translations", "sentences", "tokens", "dataset", "contrastive"])
def test_faulty_inputs_are_one_line_and_nothing_is_written(name: str, folder: Path, tmp_path: Path) -> None:
    faulty = tmp_path / "faulty"
    faulty.write_bytes(b"PAR1 not a table")
    done = score(folder, tmp_path / "out.tsv", **{name: faulty})
    assert done.returncode == 1
    assert done.stderr.startswith(f"error: {faulty}: ") and done.stderr.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["faulty"]


def test_missing_translations_are_one_line(folder: Path, tmp_path: Path) -> None:
    run = folder / "demo/experiments/sentence/seed1"
    table = pd.read_parquet(run / "translations/test.parquet").iloc[1:]
    write_table(table, tmp_path / "short.parquet", "translations")
    done = score(folder, tmp_path / "out.tsv", translations=tmp_path / "short.parquet")
    assert done.returncode == 1 and not (tmp_path / "out.tsv").exists()
    assert f"{tmp_path}/short.parquet: document d sentence 0 is not translated" in done.stderr


@pytest.mark.parametrize("content", ["update,loss\n1,2\n", "", "update,dev_loss,dev_bleu\n1,much,2\n"])
def test_other_metrics_are_input_errors(content: str, tmp_path: Path) -> None:
    path = tmp_path / "metrics.csv"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match=r"metrics\.csv: not metrics"):
        read_numbers(path, ",", ["update", "dev_loss", "dev_bleu"], "metrics")
