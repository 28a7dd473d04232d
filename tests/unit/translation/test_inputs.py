"""The texts that a command is given, by files or on the standard input."""

import io

import pytest

from discourse_nmt.translation.inputs import STANDARD_INPUT, read_inputs


class Terminal(io.BytesIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("source", [io.BytesIO, Terminal])
def test_only_a_terminal_is_told_how_its_text_ends(
    source: type[io.BytesIO], capsys: pytest.CaptureFixture[str]
) -> None:
    assert read_inputs([], source(b"It rained."), lambda name: None) == {STANDARD_INPUT: ("It rained.", "\n")}
    assert ("Ctrl-D" in capsys.readouterr().err) == (source is Terminal)


@pytest.mark.parametrize(
    ("text", "line_end"),
    [
        ("", "\n"),
        ("one", "\n"),
        ("one\r\ntwo\nthree\nfour", "\n"),
        ("one\r\ntwo\nthree\r\n", "\r\n"),
        ("one\rtwo\r", "\r"),
        ("one\rtwo\rthree\n", "\n"),
    ],
)
def test_the_line_end_of_a_text_is_its_commonest(text: str, line_end: str) -> None:
    (found,) = read_inputs([], io.BytesIO(text.encode()), lambda name: None).values()
    assert found.line_end == line_end
