"""What every command line shares: the option that holds a JSON object, and errors of one line."""

import sys
from pathlib import Path

import pytest

from discourse_nmt.base.storage.files import write_text
from discourse_nmt.workflow_scripts.command import JsonObject, arguments, run


def parse(given: list[str]) -> dict:
    parser = arguments("A command.")
    parser.add_argument("--settings", action=JsonObject, default={"a": 1}, help="settings, as JSON")
    return parser.parse_args(given).settings


def test_an_object_is_parsed_and_the_default_stands_in() -> None:
    assert parse([]) == {"a": 1}
    assert parse(["--settings", '{"b": [2, null]}']) == {"b": [2, None]}
    assert parse(["--settings={}"]) == {}


@pytest.mark.parametrize(
    ("text", "reason"), [("{", "(Expecting property name"), ("", "(Expecting value"), ("[1]", "([1])"), ("3", "(3)")]
)
def test_anything_else_is_told_in_one_line(text: str, reason: str) -> None:
    with pytest.raises(SystemExit) as stop:
        run(lambda: print(parse(["--settings", text])))
    assert str(stop.value).startswith(f"error: --settings is not a JSON object {reason}")
    assert "\n" not in str(stop.value)


def test_what_the_system_refuses_is_told_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(SystemExit) as stop:
        run(lambda: write_text("", tmp_path / "file" / "folder" / "result"))
    assert str(stop.value) == f"error: {tmp_path}/file/folder: Not a directory"


def test_help_shows_what_is_expected_and_the_default(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", ["command"])
    with pytest.raises(SystemExit):
        parse(["--help"])
    told = capsys.readouterr().out
    assert "--settings JSON" in told and "{'a': 1}" in told
