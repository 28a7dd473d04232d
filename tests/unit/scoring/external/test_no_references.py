"""Commands that need references refuse a test set of sources alone, before anything else."""

import ast
import importlib
import json
from pathlib import Path

import pytest

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.storage.tables import write_table
from tests.unit.project.wiring.code import modules
from tests.unit.scoring.external.test_external_commands import DOCUMENTS, SENTENCES, TEXT
from tests.unit.training.run.training_toy import vocabulary
from tests.unit.workflow_scripts.test_every_option import COMMANDS, PACKAGE, parser_of

READERS = [
    command
    for command in COMMANDS
    if any(
        isinstance(node, ast.Name) and node.id == "check_references"
        for node in ast.walk(modules()[f"workflow_scripts/{command.replace('.', '/')}.py"])
    )
]


def test_there_are_such_commands() -> None:
    assert len(READERS) >= 3


@pytest.mark.parametrize("command", READERS)
def test_a_test_set_without_references_is_refused(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_table(DOCUMENTS, tmp_path / "documents.parquet", "documents")
    write_table(SENTENCES.assign(target=""), tmp_path / "sentences.parquet", "sentences")
    vocabulary().save(tmp_path / "vocabulary.json")
    known = {
        "sentences": str(tmp_path / "sentences.parquet"),
        "documents": str(tmp_path / "documents.parquet"),
        "source_vocabulary": str(tmp_path / "vocabulary.json"),
        "target_vocabulary": str(tmp_path / "vocabulary.json"),
        "settings": json.dumps({"length_penalty": "tuned"}),
        "text_settings": TEXT,
    }
    words = []
    for action in parser_of(command)._actions:
        if action.option_strings and (action.required or action.dest in known):
            words += [action.option_strings[0], known.get(action.dest) or next(iter(action.choices or ["1"]))]
    monkeypatch.chdir(tmp_path)  # what is written although it should not be
    monkeypatch.setattr("sys.argv", [command, *words, *(["--", "true"] if command.endswith("run_metric") else [])])
    with pytest.raises(InputError, match="the test set has no references"):
        importlib.import_module(f"{PACKAGE}.{command}").main()
