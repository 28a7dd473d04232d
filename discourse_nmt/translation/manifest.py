"""The description of a model folder, ``model.json``: what the model reads, how it decodes, and where it comes from."""

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.settings import parse_settings, required, setting
from discourse_nmt.discourse.backends.backend import Stage
from discourse_nmt.discourse.backends.registry import STAGES
from discourse_nmt.discourse.settings import GraphSettings, RstSettings, Side
from discourse_nmt.models.switches.decoding import DecodingSettings
from discourse_nmt.text.settings import BEFORE_MARKS

VERSION = 1
"""Version of the format; a program reads folders of its own version only."""
REMEDY = "make the folder again, or get it again"


@dataclass(frozen=True)
class AnalysisRecipe:
    """The analysis of discourse that a model reads: analysers by side and stage, in the order of the stages."""

    name: str = setting("", "name of the analysis in the configuration; empty where the model reads none")
    source: dict[str, dict[str, Any]] = setting(
        {}, "by stage, the analyser of the source side: its backend and settings"
    )
    target: dict[str, dict[str, Any]] = setting({}, "by stage, the analyser of drafts of the target side")
    rst: RstSettings = setting(RstSettings(), "what is parsed, and how trees become dependencies")
    graph: GraphSettings = setting(GraphSettings(), "which words a graph links")
    weights: dict[str, str] = setting({}, "SHA-256 of the files of builtin analysers, as LANGUAGE/FILE")

    def of(self, side: Side) -> dict[Stage, dict[str, Any]]:
        """The analysers of a side by stage, in the order in which they run."""
        sections = self.source if side == "source" else self.target
        return {stage: sections[stage] for stage in STAGES if stage in sections}


@dataclass(frozen=True)
class Origin:
    """How a model was made."""

    corpus: str = required("name of the corpus")
    experiment: str = required("name of the experiment")
    seed: int = required("seed of the training")
    code: str = required("version of the program, with the commit where the checkout is a Git repository")
    date: str = required("day on which the folder was made, YYYY-MM-DD")
    data: dict[str, str | None] = setting({}, "SHA-256 of the files of the corpus by name; null for a missing one")
    training: dict[str, Any] = setting({}, "the row of metrics.csv with the best score on dev")
    scores: list[dict[str, Any]] = setting([], "rows of scores.tsv: test_set, metric, value, signature")


@dataclass(frozen=True)
class Manifest:
    """The content of ``model.json``."""

    format: int = required("version of the format of the folder")
    system: str = required("name of the system")
    text: dict[str, Any] = required("section text of the corpus, with languages")
    decoding: DecodingSettings = required("how the model translates")
    analysis: AnalysisRecipe = required("the analysis of discourse that it reads")
    origin: Origin = required("how it was made")
    licence: str = required("licence of the weights")
    drafted: bool = required("whether it reads drafts, which the model in the folder draft translates")
    files: dict[str, str] = required("SHA-256 of every other file, by path within the folder")

    @property
    def languages(self) -> tuple[str, str]:
        """Source and target language."""
        return self.text["source_language"], self.text["target_language"]

    def to_json(self) -> dict[str, object]:
        """The content of the file."""
        return dataclasses.asdict(self)

    @classmethod
    def of_json(cls, content: object, file: str) -> "Manifest":
        """The manifest in a file's ``content``; raises :class:`InputError` for another version or other content."""
        if not isinstance(content, Mapping) or not isinstance(content.get("format"), int):
            raise InputError("not the description of a model folder", file=file, remedy=REMEDY)
        if content["format"] != VERSION:
            raise InputError(
                f"the folder has format version {content['format']}, this program reads version {VERSION}",
                file=file,
                remedy=f"use the program it was made with ({_code(content)}), or make the folder again",
            )
        manifest = parse_settings(cls, content, file)
        manifest = replace(manifest, text={**BEFORE_MARKS, **manifest.text})
        for side in ("source", "target"):
            if not isinstance(manifest.text.get(f"{side}_language"), str):
                raise InputError(f"text has no {side}_language", file=file, remedy=REMEDY)
        return manifest


def _code(content: Mapping[str, object]) -> str:
    """The program that made a folder, as far as a folder of another version tells."""
    origin = content.get("origin")
    return str(origin.get("code", "unknown")) if isinstance(origin, Mapping) else "unknown"
