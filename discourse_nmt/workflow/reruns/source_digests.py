"""Digests of syntax trees, kept from run to run: parsing the modules of the project takes longer than most plans.

The file lies in __pycache__, as bytecode does; where it cannot be written, nothing is kept. An entry counts for one
source of a module and one version of Python only, so it is never out of date.
"""

import atexit
import platform
from collections.abc import Callable
from contextlib import suppress
from hashlib import sha256
from importlib.util import cache_from_source
from pathlib import Path

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.storage.files import checksum, read_json, write_json

Parsed = tuple[str, frozenset[str]]
"""Digest of a module's syntax tree, and the names it imports."""


class SourceDigests:
    """Digest and imports of modules, by name and source; computed by ``parse(source, name)`` where they are unknown.

    They are kept in ``path``. Entries that another version of the module ``maker`` or of Python computed do not count.
    """

    def __init__(self, parse: Callable[[bytes, str], Parsed], maker: Path, path: Path | None = None) -> None:
        self.parse = parse
        self.path = path or Path(cache_from_source(str(maker))).with_suffix(".json")
        self.made_by = f"Python {platform.python_version()}, {checksum(maker)}"
        self.entries = self._read()
        self.changed = False

    def _read(self) -> dict[str, tuple[str, str, list[str]]]:
        # A missing, damaged or foreign file is an empty one.
        with suppress(OSError, InputError, AttributeError, KeyError, TypeError, ValueError):
            kept = read_json(self.path)
            if kept["made_by"] == self.made_by:
                return {
                    name: (str(source), str(tree), list(map(str, names)))
                    for name, (source, tree, names) in kept["modules"].items()
                }
        return {}

    def __call__(self, source: bytes, name: str) -> Parsed:
        """Digest and imports of the module ``name``, whose file holds ``source``."""
        digest = sha256(source).hexdigest()
        entry = self.entries.get(name)
        if entry is None or entry[0] != digest:
            tree, names = self.parse(source, name)
            entry = self.entries[name] = (digest, tree, sorted(names))
            if not self.changed:
                atexit.register(self.write)
            self.changed = True
        return entry[1], frozenset(entry[2])

    def write(self) -> None:
        """Keep the entries, where the folder allows it."""
        with suppress(OSError):
            write_json({"made_by": self.made_by, "modules": self.entries}, self.path)
