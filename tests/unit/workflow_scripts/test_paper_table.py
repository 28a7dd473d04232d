"""The command that makes a table of a paper: numbers from files of runs, and faults in these."""

import json
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import save_file

from discourse_nmt.base.errors import InputError
from discourse_nmt.scoring.metrics.score import Score
from discourse_nmt.scoring.reports.page import Tables, page
from discourse_nmt.scoring.tables.scores import render, score_table
from discourse_nmt.workflow_scripts.report.report import page_templates, read_paper
from discourse_nmt.workflow_scripts.score.paper_table import agreement, main, numbers, parameters, speed


def test_parameters_are_counted_in_the_header_of_a_model(tmp_path: Path) -> None:
    file = tmp_path / "model.safetensors"
    save_file({"a": torch.zeros(3, 5), "b": torch.zeros(7)}, file, metadata={"model": "{}"})
    assert parameters(str(file)) == 22


def test_speed_is_the_median_rate_of_training(tmp_path: Path) -> None:
    file = tmp_path / "metrics.csv"
    file.write_text("update,tokens_per_second\n1,1000\n2,3000\n2,0\n3,2000\n", encoding="utf-8")
    assert speed(str(file)) == 2.0
    file.write_text("update,tokens_per_second\n1,0\n", encoding="utf-8")
    assert speed(str(file)) == 0.0


def test_a_figure_of_a_parser_is_found_by_its_name(tmp_path: Path) -> None:
    file = tmp_path / "test.tsv"
    file.write_text("task\tmetric\tvalue\tsetting\nrst_dependencies\tUAS\t71.5\tgold\n", encoding="utf-8")
    assert agreement(str(file), "UAS (rst_dependencies, gold)") == 71.5
    with pytest.raises(InputError, match="no figure LAS"):
        agreement(str(file), "LAS (rst_dependencies, gold)")


@pytest.mark.parametrize(("read", "content"), [(parameters, "no model at all"), (speed, "update\n1\n")])
def test_other_files_are_told(read: Any, content: str, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match=r"^no |: no "):
        read(str(file))


def test_parameters_are_those_beside_the_first_row_in_millions(tmp_path: Path) -> None:
    files = []
    for name, size in (("base", 1_000_000), ("larger", 3_500_000)):
        files.append(str(tmp_path / name))
        save_file({"a": torch.zeros(size, dtype=torch.int8)}, files[-1])
    assert numbers({"files": [files[1]], "beside": [files[0]], "metric": "added parameters"}) == [2.5]
    assert numbers({"files": [], "beside": [], "metric": "s-BLEU"}) is None


def test_the_command_writes_markdown_latex_and_cells(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scores = tmp_path / "scores.tsv"
    table = score_table(
        [Score("s-BLEU", 20.5, "x")], corpus="c", experiment="base", system="s", seed=1, test_set="test"
    )
    scores.write_text(render(table), encoding="utf-8")
    cell = {"published": "24.80", "corpus": "c", "experiment": "base", "test_set": "test", "metric": "s-BLEU"}
    described = {
        "paper": "paper",
        "source": "table 1",
        "title": "BLEU",
        "note": "One run.",
        "size": "small",
        "columns": ["TED"],
        "rows": [{"name": "Base", "cells": [{**cell, "mean_of": [], "files": [], "beside": []}]}],
    }
    outputs = {name: tmp_path / name for name in ("markdown", "latex", "cells")}
    words = [word for name, path in outputs.items() for word in (f"--{name}", str(path))]
    arguments = ["paper_table", "--table", json.dumps(described), "--scores", str(scores), *words]
    monkeypatch.setattr("sys.argv", arguments)
    main()
    assert "| Base     | 20.50 | 24.80" in outputs["markdown"].read_text(encoding="utf-8")
    assert "no results" in outputs["markdown"].read_text(encoding="utf-8")
    assert "Base & 20.50 & 24.80" in outputs["latex"].read_text(encoding="utf-8")
    content = json.loads(outputs["cells"].read_text(encoding="utf-8"))
    assert content["rows"] == [["Base", "20.50", "24.80"]] and "One run." in content["notes"]


def test_the_report_shows_the_table_and_its_notes(tmp_path: Path) -> None:
    file = tmp_path / "graph.json"
    content = {"title": "t <b>", "notes": ["n & m"], "columns": ["system", "TED"], "rows": [["Base", "20.50"]]}
    file.write_text(json.dumps(content), encoding="utf-8")
    scores = score_table(
        [Score("s-BLEU", 20.5, "x")], corpus="c", experiment="base", system="s", seed=1, test_set="test"
    )
    tables = Tables(scores=scores, papers=[read_paper(str(file))])
    html = page(page_templates(), [], [], "title", tables, [])
    assert "t &lt;b&gt;</h3>" in html and "n &amp; m" in html and ">20.50</td>" in html
    assert 'id="papers"' not in page(page_templates(), [], [], "title", Tables(scores=scores), [])
    file.write_text("[]", encoding="utf-8")
    with pytest.raises(InputError, match="no table of a paper"):
        read_paper(str(file))
