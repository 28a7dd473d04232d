"""With which options a command opens its model."""

from typing import Any

import pytest

from discourse_nmt.command_line import main
from discourse_nmt.translation.translator import Translator


def options_of_translator(words: list[str], monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The options that the command ``words`` gives to its :class:`.Translator`, at which it ends."""

    class ReachedError(Exception):
        pass

    given: dict[str, Any] = {}

    def reached(*_: object, **options: object) -> None:
        given.update(options)
        raise ReachedError

    monkeypatch.setattr(Translator, "__init__", reached)
    with pytest.raises(ReachedError):
        main(words)
    return given
