"""Systems and metrics from outside of the project in the real DAG: scores, significance, report; what runs again."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
import yaml

from discourse_nmt.base.storage.tables import read_table
from discourse_nmt.command_line import main
from tests.conftest import ROOT
from tests.workflow.test_workflow import NOTHING, planned, snakemake

CALL = ("--configfile", "others.yaml")

PAGE = (ROOT / "docs" / "how-to" / "other-systems.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    """The blocks of code of the example of docs/how-to/other-systems.md."""
    section = PAGE.partition("## An example to run\n")[2].partition("\n## ")[0]
    return re.findall(rf"^```{language}\n(.*?)^```$", section, re.DOTALL | re.MULTILINE)


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A working directory with the page's example: a model, the references and two damaged copies of them, a metric."""
    folder = tmp_path_factory.mktemp("external")
    prepare, _ = blocks("sh")
    [metric], [config] = blocks("python"), blocks("yaml")
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    subprocess.run(["bash", "-euc", prepare], cwd=folder, env=environment, check=True)
    (folder / "overlap.py").write_text(metric, encoding="utf-8")
    (folder / "others.yaml").write_text(config, encoding="utf-8")
    result = snakemake(folder, *CALL, "--", "score", "report")
    assert result.returncode == 0, result.stdout
    return folder


def test_systems_are_in_every_table(finished: Path) -> None:
    scores = pd.read_csv(finished / "results/others/scores.tsv", sep="\t")
    of_run = scores.set_index(["experiment", "seed", "metric"])["value"].to_dict()
    values = scores.groupby(["experiment", "metric"])["value"].mean()
    assert values["human", "s-BLEU"] == values["human", "d-BLEU (document)"] == pytest.approx(100)
    assert values["human", "overlap"] == 1 > values["gpt", "overlap"] > values["sentence", "overlap"]
    assert values["human", "pronoun accuracy (all)"] == 100
    assert set(scores.loc[scores["system"] == "external", "experiment"]) == {"human", "gpt"}
    for metric in ("overlap", "s-BLEU"):
        for system, baseline in {"human": "sentence", "gpt": "human"}.items():
            difference = values[system, metric] - values[baseline, metric]
            assert values[system, f"difference ({metric})"] == pytest.approx(difference)
            tests = scores[scores["experiment"] == system].set_index("metric")["value"]
            for over in ("", ", all seeds") if system == "gpt" else ("",):
                assert tests[[f"p{over} ({metric}, approximate randomisation over documents)"]].between(0, 0.01).all()
    for metric in ("overlap", "s-BLEU"):
        runs = {seed: of_run["gpt", seed, metric] for seed in (1, 2)}
        assert runs[1] != runs[2]
        for seed, value in runs.items():
            difference = value - of_run["human", 0, metric]
            assert of_run["gpt", seed, f"difference ({metric})"] == pytest.approx(difference)
    report = (finished / "results/others/report.html").read_text(encoding="utf-8")
    assert "human" in report and "overlap" in report


def test_the_summary_is_that_of_the_page(finished: Path) -> None:
    """The foreign systems with marks of significance, also on the user's metric; those of a model vary by machine."""
    blocks_shown = (finished / "results/others/scores.md").read_text(encoding="utf-8").split("\n\n")
    tables = [block.splitlines() for block in blocks_shown if "| chrF2++ " in block or "| overlap " in block]
    assert [len(table) for table in tables] == [5, 5]
    assert [row for table in tables for row in table if not row.startswith("| sentence ") and row not in PAGE] == []
    rows = {row.strip("|").split()[0]: row for row in tables[1]}
    assert rows["human"].split(" | ")[-1].split()[:2] == ["1.0000", "⇑"] and "± " in rows["gpt"] and "⇓" in rows["gpt"]
    assert [block for block in blocks_shown if block.startswith("Compared: human with sentence; gpt with human.")]


def test_the_command_scores_texts_as_documents_like_the_workflow(finished: Path) -> None:
    corpus = finished / "results/others/play"
    texts = {name: str(corpus / f"texts/test.{name}.txt") for name in ("source", "references", "documents")}
    words = ["score", str(finished / "gpt.1.txt"), "--language", "de", "--source-language", "en", "--format", "tsv"]
    words += [word for name, path in texts.items() for word in (f"--{name}", path)]
    words += ["--alignment", str(corpus / "text/word_translations.parquet"), "--output", str(finished / "own.tsv")]
    with pytest.raises(SystemExit) as ended:
        main(words)
    assert ended.value.code == 0
    own, scores = (
        pd.read_csv(path, sep="\t").set_index("metric")["value"]
        for path in (finished / "own.tsv", corpus / "experiments/gpt/seed1/document_scores/test.tsv")
    )
    assert {"lexical consistency (content words)", "pronoun accuracy (all)", "documents too short"} <= {*scores.index}
    assert own[scores.index].to_dict() == pytest.approx(scores.to_dict())


def test_only_what_depends_on_a_changed_file_runs_again(finished: Path) -> None:
    arguments = ("--dry-run", *CALL, "--", "score")
    assert NOTHING in snakemake(finished, *arguments).stdout
    text = (finished / "gpt.2.txt").read_text(encoding="utf-8")
    (finished / "gpt.2.txt").write_text(text.replace("a", "o"), encoding="utf-8")
    rules = {"import_hypotheses", "score_run", "score_document", "compare_translations", "run_metric", "compare_metric"}
    over_seeds = {"compare_translations_over_seeds", "compare_metric_over_seeds"}
    again = {*rules, *over_seeds, "write_translations", "collect_scores"}
    assert planned(snakemake(finished, *arguments).stdout) == again
    (finished / "gpt.2.txt").write_text(text.partition("\n")[2], encoding="utf-8")
    result = snakemake(finished, *arguments)
    assert result.returncode != 0 and "Traceback" not in result.stdout
    lines = len(text.splitlines())
    assert f"gpt.2.txt: {lines - 1} lines, but test set test of corpus play has {lines} sentences; " in result.stdout


def test_texts_of_documents_are_aligned_and_scored(finished: Path) -> None:
    """The references as a text for each document, one of which lacks a sentence and one of which is English."""
    corpus = finished / "results/others/play"
    names, lines, source = (
        (corpus / f"texts/test.{name}.txt").read_text(encoding="utf-8").splitlines()
        for name in ("documents", "references", "source")
    )
    texts: dict[str, list[str]] = {}
    for name, line in zip(names, lines):
        texts.setdefault(name, []).append(line)
    first, second = list(texts)[:2]
    del texts[first][1]
    texts[second] = [line for name, line in zip(names, source) if name == second]
    objects = [json.dumps({"doc_id": name, "hypothesis": " ".join(part)}) for name, part in texts.items()]
    (finished / "whole.jsonl").write_text("\n".join(objects), encoding="utf-8")
    config = yaml.safe_load((finished / "others.yaml").read_text(encoding="utf-8"))
    config["corpora"]["play"]["systems"] = {"whole": {"hypotheses": {"test": "whole.jsonl"}}}
    (finished / "whole.yaml").write_text(yaml.safe_dump(config), encoding="utf-8")
    result = snakemake(finished, "--configfile", "whole.yaml", "--", "score")
    assert result.returncode == 0, result.stdout
    folder = corpus / "experiments/whole/seed0"
    log = (finished / "results/others/logs/play/import_hypotheses/whole/seed0/test.log").read_text(encoding="utf-8")
    assert f"document {second} is not scored as a translation: " in log
    alignment = read_table(folder / "output_alignment/test.parquet", "output_alignment").set_index("doc_id")
    assert list(alignment["omitted"][first]) == [1] and alignment["problem"].notna().sum() == 1
    written = (folder / "translations/test.txt").read_text(encoding="utf-8").split("\n")[:-1]
    expected = ["" if name == second else line for name, line in zip(names, lines)]
    expected[1] = ""
    same = sum(own == other for own, other in zip(written, expected, strict=True))
    assert same >= 0.98 * len(lines), f"{same} of {len(lines)} lines"
    scores = pd.read_csv(finished / "results/others/scores.tsv", sep="\t")
    own = scores[scores["experiment"] == "whole"].set_index("metric")["value"]
    assert own["documents without a translation"] == 1 and own["omitted sentences"] >= 1
    summary = (finished / "results/others/scores.md").read_text(encoding="utf-8")
    assert f"| whole | {own['omitted sentences']:.0f} |" in re.sub(" +", " ", summary)
