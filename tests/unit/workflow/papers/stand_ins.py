"""Empty files in place of those that a preset reads: a plan needs their names alone."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from discourse_nmt.workflow.sections.files import MODEL_FILES

NAMES = {"source": "en", "target": "de"}  # of languages in paths


def stand_in(folder: Path, config: Any) -> None:
    """Make every file of ``data/`` that ``config`` names, in ``folder``."""
    for pattern in _texts(config):
        if pattern.startswith("data/"):
            name = pattern.partition("::")[0].replace("**", "0").replace("*", "0")
            place = folder / re.sub(r"\{(source|target)\}", lambda side: NAMES[side[1]], name)
            # A folder of parallel text has a file for each language, that of a pretrained model those of the model.
            inside = [f"0.{language}" for language in ("en", "de", "fr", "ru", "zh")] + [*MODEL_FILES]
            for file in [place] if place.suffix else [place / file for file in inside]:
                file.parent.mkdir(parents=True, exist_ok=True)
                file.touch()


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    if isinstance(value, dict):
        value = [part for key, part in value.items() if key != "data"]  # where files are fetched from
    for part in value if isinstance(value, list) else ():
        yield from _texts(part)
