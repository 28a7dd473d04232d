"""Ways in which a file may be damaged."""

import random
from collections.abc import Callable
from pathlib import Path

from discourse_nmt.base.storage.files import seal

Damage = Callable[[Path, random.Random], None]


def flip_a_bit(path: Path, draw: random.Random) -> None:
    """Change one bit anywhere."""
    content = bytearray(path.read_bytes())
    content[draw.randrange(len(content))] ^= 1 << draw.randrange(8)
    replace(path, bytes(content))


def cut(path: Path, draw: random.Random) -> None:
    """Keep a part from the beginning."""
    content = path.read_bytes()
    replace(path, content[: draw.randrange(1, len(content))])


def empty(path: Path, draw: random.Random) -> None:
    """Keep nothing."""
    replace(path, b"")


def put_another_file_there(path: Path, draw: random.Random) -> None:
    """Put a file of another format in its place."""
    replace(path, b"GIF89a\x01\x00\x01\x00" if draw.random() < 0.5 else b'{"a": [1, 2]}\n')


def replace(path: Path, content: bytes) -> None:
    """A new file in the place of the old one: files that a process has mapped stay as they are."""
    path.unlink()
    path.write_bytes(content)


def take_seal_off(path: Path) -> None:
    """As a file that came here by other ways than through the workflow."""
    seal(path).unlink(missing_ok=True)


DAMAGES: dict[str, Damage] = {
    "with a flipped bit": flip_a_bit,
    "cut short": cut,
    "emptied": empty,
    "with another file in their place": put_another_file_there,
}
