"""The inputs of a run: configuration, code, data, models and packages."""

import json
from collections.abc import Mapping
from dataclasses import dataclass

import pandas as pd

from discourse_nmt.base.errors import InputError
from discourse_nmt.scoring.tables.ablations import Switches

KEYS = {"configuration", "switches", "code", "data", "models", "precisions", "packages"}


@dataclass(frozen=True)
class Provenance:
    """The record of a run's inputs."""

    configuration: Mapping[str, object]
    """The checked configuration, with every default."""
    switches: Mapping[str, Switches]
    """Each experiment's switches by their dotted names, without those that all share."""
    code: Mapping[str, str]
    """Fingerprints by stage."""
    data: Mapping[str, str | None]
    """SHA-256 of files, None for missing ones."""
    models: Mapping[str, str | None]
    """The same of models."""
    precisions: Mapping[str, str]
    """Arithmetic of trainings (fp32, bf16, fp16), by their files of metrics."""
    packages: Mapping[str, str]
    """Versions."""

    @classmethod
    def from_mapping(cls, values: object, file: str) -> "Provenance":
        """Read the record of ``record_provenance``; anything else is an :class:`InputError`."""
        if not isinstance(values, dict) or set(values) != KEYS:
            raise InputError("no record of provenance", file=file, remedy="delete it and run again")
        return cls(**values)

    @property
    def configuration_text(self) -> str:
        """The configuration as indented JSON, which is YAML too."""
        return json.dumps(self.configuration, ensure_ascii=False, indent=2)

    @property
    def tables(self) -> list[tuple[str, pd.DataFrame]]:
        """Title and cells of each table that is not empty."""
        files = {**self.data, **self.models}
        sections = [
            ("Data and models", ["file", "SHA-256"], [[file, digest or "absent"] for file, digest in files.items()]),
            ("Arithmetic of trainings", ["metrics", "precision"], [list(pair) for pair in self.precisions.items()]),
            ("Code", ["stage", "fingerprint"], [list(pair) for pair in self.code.items()]),
            ("Packages", ["package", "version"], [list(pair) for pair in self.packages.items()]),
        ]
        return [(title, pd.DataFrame(rows, columns=columns)) for title, columns, rows in sections if rows]
