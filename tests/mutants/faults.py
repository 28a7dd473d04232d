"""The list of faults, and how one is made."""

import tomllib
from dataclasses import dataclass
from pathlib import Path

LIST = Path(__file__).parent / "faults.toml"


@dataclass(frozen=True)
class Fault:
    """A change of one place of one file, and the tests that must fail with it."""

    name: str
    file: str
    old: str
    new: str
    tests: tuple[str, ...]

    def made_in(self, text: str) -> str:
        """The ``text`` of the file with the fault; raises :class:`ValueError` unless ``old`` occurs once."""
        if (count := text.count(self.old)) != 1:
            raise ValueError(f"{self.file}: {self.old!r} occurs {count} times; bring {LIST.name} up to date")
        return text.replace(self.old, self.new)


def faults() -> list[Fault]:
    """All faults of the list."""
    entries = tomllib.loads(LIST.read_text(encoding="utf-8"))["fault"]
    return [Fault(**{**entry, "tests": tuple(entry["tests"])}) for entry in entries]
