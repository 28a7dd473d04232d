"""The command ``discourse-nmt``: all its subcommands, help that loads nothing heavy, faults as one line."""

import argparse
import os
import re
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import pytest

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.settings import declared_fields
from discourse_nmt.command_line import COMMANDS, commands, main, parser
from discourse_nmt.models.systems import SYSTEMS
from discourse_nmt.workflow.sections.outside_systems import OUTSIDE_SYSTEMS
from discourse_nmt.workflow_scripts import command
from tests.conftest import ROOT

HEAVY = {"torch", "pandas", "numpy", "pyarrow", "snakemake", "stanza", "lxml"}
LOADED = f"""
import sys
from discourse_nmt.command_line import main
try:
    main(sys.argv[1:])
finally:
    print({HEAVY} & sys.modules.keys())
"""


def test_every_module_of_the_folder_is_a_subcommand() -> None:
    files = {path.stem.replace("_", "-") for path in (ROOT / "discourse_nmt" / "commands").glob("[a-z]*.py")}
    assert set(commands()) == files <= set(COMMANDS)


@pytest.mark.parametrize("words", [[], *([name] for name in commands())], ids=str)
def test_help_loads_nothing_heavy(words: list[str]) -> None:
    result = subprocess.run(
        [sys.executable, "-c", LOADED, *words, "--help"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert result.stdout.startswith("usage: discourse-nmt")
    assert result.stdout.splitlines()[-1] == "set()"


@pytest.mark.parametrize("name", commands())
def test_help_has_an_example_that_parses_and_says_what_each_option_is(name: str) -> None:
    module = commands()[name]
    examples = module.EXAMPLES.split("examples:\n")[1]
    lines = [line.strip() for line in examples.splitlines() if line.strip()]
    assert lines and module.SUMMARY[-1] == "." and "\n" not in module.SUMMARY
    for line in lines:
        command = line.rpartition("| ")[2].partition(" > ")[0].partition(" < ")[0].split()
        assert command[:2] == ["discourse-nmt", name]
        assert parser().parse_args(command[1:]).run == module.run
    assert max(map(len, module.EXAMPLES.splitlines())) <= 100


@pytest.mark.parametrize(
    ("word", "advice"),
    [
        ("anlyse", "did you mean analyse?"),
        ("evaluate_analysers", "did you mean evaluate-analysers?"),
        ("x", "choose from"),
    ],
)
def test_a_mistyped_command_is_one_line(word: str, advice: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main([word, "--help"])
    error = f"{ended.value.code}{capsys.readouterr().err}"
    assert f"discourse-nmt has no command {word}; {advice}" in error and error.count("\n") <= 1


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--versoin"], "discourse-nmt has no option --versoin; did you mean --version?"),
        (
            ["analyse", "a.txt", "--otput", "o"],
            "discourse-nmt analyse has no option --otput; did you mean --output?",
        ),
        (["new", "a.tsv", "--huors=2"], "discourse-nmt new has no option --huors; did you mean --hours?"),
        (["new", "a.tsv", "-output", "b"], "discourse-nmt new has no option -output; did you mean --output?"),
        (["systems", "--xyz"], "discourse-nmt systems has no option --xyz; choose from --help"),
    ],
)
def test_a_mistyped_option_is_one_line(words: list[str], told: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(words)
    assert (ended.value.code, capsys.readouterr().err) == (f"error: {told}", "")


def test_a_mistyped_option_of_a_rule_is_one_line() -> None:
    with pytest.raises(InputError, match=r"has no option --theads; did you mean --threads\?"):
        parsed_by_rule("--threads", "2", "--theads", "2")


@pytest.mark.parametrize("words", [["--thr", "3"], ["--threads=3"], ["--threads", "3", "--", "--theads"]])
def test_beginnings_of_options_and_words_after_two_dashes_are_no_mistakes(words: list[str]) -> None:
    assert parsed_by_rule(*words).threads == 3


def test_negative_numbers_are_values() -> None:
    assert parsed_by_rule("--threads", "-1").threads == -1


def parsed_by_rule(*words: str) -> argparse.Namespace:
    parser = command.arguments("A command of a rule.")
    parser.add_argument("--threads", type=int)
    parser.add_argument("names", nargs="*")
    return parser.parse_args(words)


def test_no_help_has_a_stray_character() -> None:
    """As of an escape of Python's that was not one."""
    for name, one in {"": parser(), **parsers_of_commands()}.items():
        for line in one.format_help().splitlines():
            assert line.strip() not in ("\\", "%", '"""'), f"{name}: {line}"
            assert not re.search(r"\\$|%%|%\(", line), f"{name}: {line}"


def test_helps_tell_defaults_in_words_and_point_to_where_the_text_is() -> None:
    """Switches that are off, empty lists and Python's marks say nothing; the text of a command follows its options."""
    for name, one in parsers_of_commands().items():
        told = " ".join(one.format_help().split())
        assert not re.search(r"\(default: ([\[{(]|False|True|None|\))", told), name
        assert "see above" not in told, name
    assert "targets of the workflow or files (default: score)" in " ".join(
        parsers_of_commands()["plan"].format_help().split()
    )


def parsers_of_commands() -> dict[str, argparse.ArgumentParser]:
    [places] = (action for action in parser()._actions if isinstance(action, argparse._SubParsersAction))
    return dict(places.choices)


@pytest.mark.parametrize(("given", "then"), [(None, "PASSIVE"), ("ACTIVE", "ACTIVE")])
def test_waiting_threads_sleep_unless_told_otherwise(
    given: str | None, then: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OMP_WAIT_POLICY", given or "")
    if given is None:
        monkeypatch.delenv("OMP_WAIT_POLICY")
    with pytest.raises(SystemExit):
        main(["--version"])
    assert os.environ["OMP_WAIT_POLICY"] == then


def test_a_fault_of_the_input_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["analyse", str(tmp_path / "absent.txt"), "--output", str(tmp_path / "out")])
    assert str(stopped.value).startswith(f"error: {tmp_path}/absent.txt: cannot be read")
    assert "\n" not in str(stopped.value)


@pytest.mark.parametrize(
    ("words", "advice"),
    [
        (["translate", "--model", "m", "a"], "lower --batch-tokens"),
        (["analyse", "a", "--output", "o"], "use a machine with more"),
    ],
)
def test_a_lack_of_memory_is_one_line(words: list[str], advice: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def without_memory(arguments: object) -> int:
        raise RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried to allocate 9 bytes.")

    monkeypatch.setattr(f"discourse_nmt.commands.{words[0]}.run", without_memory)
    with pytest.raises(SystemExit) as stopped:
        main(words)
    assert stopped.value.code == f"error: out of memory; {advice}"


def test_a_mistyped_configuration_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").touch()
    with pytest.raises(SystemExit) as stopped:
        main(["why", "--configfile", str(tmp_path / "mien.yaml")])
    expected = f"error: {tmp_path}/mien.yaml: no such file; did you mean {tmp_path}/mine.yaml?"
    assert stopped.value.code == expected


def test_the_status_of_a_subcommand_is_that_of_the_program(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("discourse_nmt.commands.systems.run", lambda arguments: 3)
    with pytest.raises(SystemExit) as stopped:
        main(["systems"])
    assert stopped.value.code == 3


def test_systems_lists_all_with_paper_and_annotation(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["systems"])
    entries = capsys.readouterr().out
    for system in SYSTEMS.values():
        assert f"\n{system.name} " in f"\n{entries}" and f"{system.paper}: {system.adds}\n" in f"{entries}\n"
    assert "rst_transformer    reads: instance; annotation: edus, rst_dependencies\n" in entries
    assert "han                reads: paragraph; annotation: none\n" in entries
    assert "theme_rheme_cache  reads: document; annotation: themes (for its labeller)\n" in entries
    for outside in OUTSIDE_SYSTEMS.values():
        assert f"\n{outside.name} " in entries and f" not trained: {outside.adds}\n" in entries


@pytest.mark.parametrize("name", OUTSIDE_SYSTEMS)
def test_a_system_that_is_not_trained_shows_its_keys_and_their_place(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main(["systems", name])
    shown, system = capsys.readouterr().out, OUTSIDE_SYSTEMS[name]
    assert (ROOT / system.page).is_file() and f"\nexplained in: {system.page}\nkeys ({system.place}):\n" in shown
    keys = [line.split(":")[0].strip() for line in shown.partition("keys (")[2].splitlines()[1:]]
    assert keys == list(declared_fields(system.settings))


@pytest.mark.parametrize("name", SYSTEMS)
def test_a_system_shows_its_own_switches(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["systems", name])
    shown = capsys.readouterr().out
    base = set() if name == "transformer" else {field.name for field in fields(SYSTEMS["transformer"].settings)}
    for field in fields(SYSTEMS[name].settings):
        assert (f"\n  {field.name}: " in shown) == (field.name not in base)


@pytest.mark.parametrize(
    ("name", "companion"),
    [
        ("transformer", None),
        (
            "theme_rheme_cache",
            "a labeller of themes for a cache that its scores guide; "
            "it reads the encoder of the model that training starts from",
        ),
        (
            "document_graph",
            "a draft of the target for its graph; it is translated by the model of the very first stage",
        ),
    ],
)
def test_a_system_shows_its_companion(name: str, companion: str | None, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["systems", name])
    shown = [line for line in capsys.readouterr().out.splitlines() if line.startswith("companion: ")]
    assert shown == ([f"companion: {companion}"] if companion else [])


@pytest.mark.parametrize(
    ("wrong", "meant"), [("rst_transfomer", "rst_transformer"), ("lm", "llm"), ("extern", "external")]
)
def test_an_unknown_system_is_told_with_the_nearest_name(wrong: str, meant: str) -> None:
    with pytest.raises(SystemExit, match=f"unknown system {wrong}; did you mean {meant}"):
        main(["systems", wrong])


def test_the_table_of_the_documentation_agrees_with_the_registry() -> None:
    page = (ROOT / "docs" / "systems" / "overview.md").read_text(encoding="utf-8")
    for system in SYSTEMS.values():
        row = next(line for line in page.splitlines() if f"`{system.name}`" in line and line.startswith("|"))
        assert [cell.strip() for cell in row.split("|")][2:5] == [system.paper, system.adds, system.unit]
