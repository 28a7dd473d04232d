"""Lines that show nothing have no text, whatever they hold."""

import pytest

from discourse_nmt.base.characters import has_text


@pytest.mark.parametrize(
    "line",
    [
        "",
        " \t\u00a0\u3000\u2028",
        "\u00ad\u200b\u200e",  # soft hyphen, zero-width space, direction mark
        "\ufeff",
        "\u3164\u2800",  # Hangul filler, empty Braille pattern
        "\u200d\ufe0f",  # what is left of an emoji
        "\x00\x07\x1f\x7f\x85",
        "\ufff9",
    ],
)
def test_nothing_can_be_seen(line: str) -> None:
    assert not has_text(line)


@pytest.mark.parametrize("line", ["a", ".", " \u200b中", "👍", "\u0301", "\ue000", "\u0600"])
def test_something_can_be_seen(line: str) -> None:
    assert has_text(line)
    assert has_text(f"\u200e{line}\u00ad")
