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
