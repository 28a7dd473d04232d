"""The table of benchmarks: rows of its own checkout and against another one, and faults of the command line."""

import json
import sys
from pathlib import Path
from typing import ClassVar

import pytest
import torch

from benchmarks import table
from benchmarks import workload as workload_module
from benchmarks.decoding import manual_sentences
from benchmarks.workload import WORKLOADS
from discourse_nmt import ROOT
from discourse_nmt.base.errors import InputError
from discourse_nmt.base.vocabulary import Vocabulary


def printed(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, *words: str) -> list[list[str]]:
    """The cells of the table that a command prints."""
    monkeypatch.setattr(sys, "argv", ["table", *words])
    table.main()
    lines = [line for line in capsys.readouterr().out.splitlines() if line.startswith("| ") and "---" not in line]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def test_rows_name_workloads() -> None:
    contenders = [one for row in table.ROWS.values() for one in (row.timed, row.reference) if one is not None]
    assert {one.workload for one in contenders} == set(WORKLOADS)


def test_a_checkout_translates_as_itself(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    header, cells = printed(capsys, monkeypatch, "8-sentences", "--quick", "--against", str(ROOT))
    row = dict(zip(header, cells, strict=True))
    assert row["results"] == "equal" and row["rounds"] == "2"
    assert row["against"] == f"{ROOT.name}, fp32" and row["what"] == "translation of 8 sentences"
    assert 0.1 < float(row["ratio"]) < 10 and row["units per CPU-second"].endswith(" sentences")


def test_ctranslate2_translates_the_same_sentences(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    header, cells = printed(capsys, monkeypatch, "8-of-manuals-beside-ctranslate2", "--quick")
    assert dict(zip(header, cells, strict=True))["results"] == "equal"


def test_another_checkout_computes_the_workload(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    class Recorded:
        checkouts: ClassVar[dict[str, Path]] = {}

        def __init__(self, contender: table.Contender, checkout: Path, *_: object) -> None:
            self.checkouts[contender.workload] = checkout

        def compute(self, _: int) -> dict[str, object]:
            return {"seconds": 1.0, "units": 1, "digest": ""}

        def end(self) -> None:
            pass

    (tmp_path / "discourse_nmt").mkdir()
    (tmp_path / "discourse_nmt" / "__init__.py").touch()
    monkeypatch.setattr(table, "Process", Recorded)
    _, cells = printed(capsys, monkeypatch, "8-of-manuals-beside-ctranslate2", "--of", str(tmp_path))
    assert Recorded.checkouts == {"8-of-manuals": tmp_path, "8-by-ctranslate2": ROOT}
    assert cells[-1] == "`python -m benchmarks.table 8-of-manuals-beside-ctranslate2 --of CHECKOUT`"


def test_sentences_of_manuals_are_joined_as_in_the_text(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", ["manual_sentences", "2"])
    manual_sentences.main()
    vocabulary = Vocabulary.load(ROOT / "resources/help_models/en-de/seed1/source/vocabulary.json")
    lines = [[vocabulary.symbols[index] for index in json.loads(line)] for line in capsys.readouterr().out.splitlines()]
    assert [len(line) for line in lines] == [14, 16]
    assert lines[0][-5:] == ["(￭", "IDE", "￭)", "for", "Python"]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["wave"], "no benchmark wave"),
        (["waves"], "no reference in this checkout"),
        (["8-sentences-by-eole"], "measured against eole; give --eole PYTHON"),
        (["waves", "--against", "/"], "not a checkout of the project"),
        (["waves", "--of", "/"], "not a checkout of the project"),
    ],
)
def test_faults_are_told(words: list[str], told: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["table", *words])
    with pytest.raises(InputError, match=told):
        table.main()


def test_workloads_have_the_environment_of_jobs() -> None:
    assert table.environment_of_jobs(ROOT)["GLIBC_TUNABLES"].startswith("glibc.malloc.hugetlb=1:")


def test_bf16_rounds_the_products_of_training() -> None:
    """The rows would compare two equal things otherwise."""
    for workload in ("sentence-training", "concat-training", "rst-training"):
        assert table.Contender(workload, "bf16") in [row.timed for row in table.ROWS.values()]
    with workload_module.forward_precision("bf16"):
        assert torch.is_autocast_enabled("cpu") and torch.get_autocast_dtype("cpu") == torch.bfloat16
    with workload_module.forward_precision("fp32"):
        assert not torch.is_autocast_enabled("cpu")


def test_a_process_that_ends_early_is_told(tmp_path: Path) -> None:
    (tmp_path / "discourse_nmt.py").write_text("")
    (tmp_path / "rules").mkdir()
    (tmp_path / "rules" / "common.smk").write_text("")
    with pytest.raises(InputError, match="ended early"):
        table.Process(table.Contender("waves"), tmp_path, 1)
