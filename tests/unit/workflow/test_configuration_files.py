"""Faults of configuration files: encoding, YAML, keys that are there twice."""

from pathlib import Path

import pytest

from discourse_nmt.base.errors import InputError
from discourse_nmt.command_line import main
from discourse_nmt.workflow.configuration_files import parsed_configuration, read_configuration

REPEATED = """
run: x # a comment
common: &common {a: 1, b: 2}
experiments:
  one: {<<: *common, a: 3, <<: *common}
  two: &two
    - {a: 1}
    - {a: 2}
  three: *two
"""


JSON = '{\n\t"run": "x",\n\t"rate": 1e-3\n}'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (REPEATED + "run: y\n", ":10: run is there already, in line 2; rename or remove one of them"),
        (REPEATED + "  'two': {}\n", ":10: experiments.two is there already, in line 6"),
        (REPEATED.replace("- {a: 2}", "- a: 2\n      a: 2"), ":9: experiments.two.a is there already, in line 8"),
        ("a: {b: 1, b: 2}", ":1: a.b is there already, in line 1"),
        (JSON.replace("rate", "run"), ":3: run is there already, in line 2"),
        ("run: x\ncorpora:\n\ttalks: {}\n", ":3: no YAML: found character .* indent by blanks, not by tabs"),
        ("run: x\na: [1, 2\nb: 3\n", ":3: no YAML: .* close the bracket of line 2"),
        ("run: x\na: [1, 2\n", ":2: no YAML: .* close the bracket of line 2"),
        ("run: x\na: 'it\nb: 3\n", ":2: no YAML: .* close the quotes"),
        ("run: x\nwhere: see: there\n", ":2: no YAML: mapping values .* a text with a colon in quotes"),
        ("run: x\na:\n  b: 1\n c: 2\n", ":4: no YAML: .* put the keys of a section in one column"),
        ("run: x\nexperiments\nb: 1\n", ":2: no YAML: .* write KEY: VALUE"),
        ("run: x\nfile: *.txt\n", ":2: no YAML: .* put the text in quotes"),
        ('run: x\nfile: "C:\\data"\n', ":2: no YAML: .* write / for"),
        ("run: x\n---\nrun: y\n", ":2: no YAML: found another document; remove the line ---"),
        ("run: x\na: \x01\n", ":2: no YAML: control character U\\+0001; remove it"),
        ("run: x\na: 2026-06-31\n", ": no YAML: day .* put dates"),
        ("run: " + "[" * 5000, ": no YAML: thousands of brackets"),
        ("- run: x\n", ": no keys at the top level; write for example run: NAME"),
        ("# run: x\n", ": no keys at the top level"),
    ],
)
def test_a_fault_is_told_with_its_line_and_a_remedy(text: str, message: str) -> None:
    with pytest.raises(InputError, match=f"^my.yaml{message}"):
        parsed_configuration(text, "my.yaml")


def test_what_is_no_fault_is_read() -> None:
    assert parsed_configuration(REPEATED, "my.yaml")["experiments"]["one"] == {"a": 3, "b": 2}
    assert parsed_configuration("a: &a [*a]", "my.yaml").keys() == {"a"}
    assert parsed_configuration(JSON, "my.yaml") == {"run": "x", "rate": 0.001}  # tabs, and no point in the number


def test_a_file_of_another_encoding_and_one_that_is_not_there_are_told(tmp_path: Path) -> None:
    path = tmp_path / "my.yaml"
    path.write_bytes("run: x  # Größe\n".encode("latin-1"))
    with pytest.raises(InputError, match=r"my\.yaml: byte 12 is not UTF-8; convert the file to UTF-8"):
        read_configuration(path)
    with pytest.raises(InputError, match=r"mi\.yaml: no such file; did you mean .*my.yaml"):
        read_configuration(tmp_path / "mi.yaml")


@pytest.mark.parametrize("words", [["why"], ["plan"], ["plan", "--pairs", "x=1"], ["suite", "write", "a"]])
def test_every_command_that_reads_a_configuration_tells_the_line(words: list[str], tmp_path: Path) -> None:
    path = tmp_path / "my.yaml"
    path.write_text("run: x\na: [1, 2\nb: 3\n")
    with pytest.raises(SystemExit, match=f"{path}:3: no YAML"):
        main([*words, "--configfile", str(path)])
