"""The plan of an import: the checked settings under ``corpora.NAME`` in the configuration."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, Literal

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.settings import FILES, NAME, another_name, nearest, parse_settings, required, setting
from discourse_nmt.corpus.importing.filters import Filters
from discourse_nmt.corpus.readers import FORMATS, SOURCE_ONLY, Format

OTHER_STAGES = ("text",)
# Loaded by name: only formats that divide text into sentences need analysers and the aligner.
SPLITTERS = "discourse_nmt.discourse.sentences"
ALIGNER = "discourse_nmt.sentence_alignment.unaligned"
LANGUAGE = {"pattern": "^[a-z]{2,3}$"}


@dataclass(frozen=True)
class SplitSettings:
    """The files of one split; format and options default to those of the corpus."""

    source: list[str] = setting([], "files of the source side", schema=FILES)
    target: list[str] = setting([], "files of the target side", schema=FILES)
    documents: list[str] = setting([], "files of document ids, for the format document_ids", schema=FILES)
    files: list[str] = setting([], "files that hold both sides", schema=FILES)
    corpora: list[str] = setting(
        [], "corpora of this configuration whose split of the same name is read, for the format joined", schema=FILES
    )
    format: str | None = setting(
        None, "format of these files; null for the format of the corpus", schema={"enum": [*FORMATS, None]}
    )
    options: dict[str, Any] | None = setting(
        None, "options of the format for this split; null for those of the corpus where the format is the same"
    )
    references: bool = setting(
        True, "the split has a target side; false for a test set of sources alone, which is translated and not scored"
    )

    def roles(self) -> dict[str, list[str]]:
        """The file patterns of each role that has any."""
        patterns_of_role = {
            "source": self.source,
            "target": self.target,
            "documents": self.documents,
            "files": self.files,
            "corpora": self.corpora,
        }
        return {role: patterns for role, patterns in patterns_of_role.items() if patterns}


@dataclass(frozen=True)
class CorpusSettings:
    """Where a corpus is, how it is written, and which parts of it are used."""

    source_language: str = required("ISO 639-1 code of the source language, for example en", schema=LANGUAGE)
    target_language: str = required("ISO 639-1 code of the target language, for example de", schema=LANGUAGE)
    format: str = required(
        "format of the files; docs/reference/corpus-formats.md shows each", schema={"enum": list(FORMATS)}
    )
    splits: dict[str, SplitSettings] = required(
        "files of each split: train, dev (selects the model), test, and any further test set",
        schema={"required": ["train"]},
    )
    shards: int = setting(
        2,
        "number of pieces into which a stable hash of the document id cuts a split; they lie in at most 16 files for "
        "train and 4 for other splits, which are processed in parallel, one piece in memory at a time",
        minimum=1,
    )
    options: dict[str, Any] = setting({}, "options of the format, see docs/reference/corpus-formats.md")
    held_out: dict[str, float] = setting(
        {},
        "splits taken from train by a stable hash of the document id: a share below 1 or a number of documents",
        schema={"additionalProperties": {"type": "number", "exclusiveMinimum": 0}},
    )
    documents: dict[str, int] = setting(
        {}, "largest number of documents by split, chosen by a stable hash of the document id; {} keeps all", minimum=1
    )
    groups: str = setting(
        "",
        "regular expression that matches the beginning of a document id and names the document's group, for example "
        "[^/]+ for the first folder of pages; empty: each document is a group",
    )
    held_out_by: Literal["document", "group"] = setting(
        "document", "what held_out takes as a whole and counts: documents, or groups"
    )
    held_out_groups: dict[str, list[str]] = setting(
        {}, "splits that take from train all documents of the named groups, for example {test_base: [sdatabase]}"
    )
    near_duplicates: float | None = setting(
        None,
        "documents that share this part of their distinct source sentences (Jaccard index; case, digits and "
        "punctuation ignored) stay on one side of a split: held out together, or left out of train; null: not compared",
        minimum=0.1,
        maximum=1,
    )
    filters: Filters = setting(
        Filters(), "sentence pairs and documents that are dropped; corpus/drops.tsv counts every drop"
    )
    empty_sentences: Literal["error", "drop"] = setting(
        "error", "treatment of a sentence that is empty on one side: an error, or drop the pair (counted)"
    )
    control_characters: Literal["error", "space"] = setting(
        "space",
        "treatment of a control character inside a sentence: an error, or a space in its place (a warning counts "
        "them); NUL is an error",
    )
    where: str = setting("", "source of the files, shown when one is missing")


@dataclass(frozen=True)
class SplitPlan:
    """A checked split: its reader with options, and the file patterns of each role."""

    name: str
    format: Format
    options: Any
    roles: dict[str, list[str]]
    references: bool = True


@dataclass(frozen=True)
class CorpusPlan:
    """Checked settings: the corpus and its splits."""

    corpus: CorpusSettings
    splits: list[SplitPlan]

    @property
    def languages(self) -> dict[str, str]:
        """The language of each side."""
        return {"source": self.corpus.source_language, "target": self.corpus.target_language}

    @property
    def splits_sentences(self) -> bool:
        """Whether the format of any split divides text into sentences, or aligns it."""
        return any(split.format.aligns or getattr(split.options, "split_sentences", False) for split in self.splits)


def plan(values: object, place: str = "corpus") -> CorpusPlan:
    """Check the settings of a corpus (a JSON object); raises :class:`InputError` naming the key at fault.

    ``place`` is the path of these settings in the configuration (``corpora.NAME``), for messages. Keys of later stages
    (``text``) are ignored.
    """
    if isinstance(values, dict):
        values = {key: value for key, value in values.items() if key not in OTHER_STAGES}
    corpus = parse_settings(CorpusSettings, values, place)
    splits = [_split(name, split, corpus, place) for name, split in corpus.splits.items()]
    names = [*corpus.splits, *corpus.held_out, *corpus.held_out_groups]
    for name in names:
        if not NAME.fullmatch(name):
            raise InputError(f"{place}: {name!r} is no name for a split", remedy=another_name(name))
    for name in corpus.documents:
        if name not in names:
            raise InputError(f"{place}.documents: there is no split {name}", remedy=nearest(name, names))
    for name in corpus.filters.splits:
        if name not in (*names, "train"):
            raise InputError(f"{place}.filters.splits: there is no split {name}", remedy=nearest(name, names))
        if name in corpus.splits and not corpus.splits[name].references:
            remedy = "leave it out: filters compare both sides"
            raise InputError(f"{place}.filters.splits: the split {name} has no references", remedy=remedy)
    _check_held_out(corpus, place)
    return CorpusPlan(corpus, splits)


def _split(name: str, split: SplitSettings, corpus: CorpusSettings, place: str) -> SplitPlan:
    own_place = f"{place}.splits.{name}"
    key = split.format or corpus.format
    if key not in FORMATS:
        raise InputError(f"{own_place if split.format else place}: unknown format {key}", remedy=nearest(key, FORMATS))
    chosen, roles = FORMATS[key], split.roles()
    if not split.references:
        roles = _mirrored(name, key, roles, own_place)
    if not any(set(accepted) == set(roles) for accepted in chosen.roles):
        wanted = " or ".join(", ".join(accepted) for accepted in chosen.roles)
        raise InputError(
            f"{own_place} gives {', '.join(roles) or 'no files'}, but the format {key} reads {wanted}",
            remedy=_to_change(set(roles), chosen),
        )
    own = split.format is None or split.format == corpus.format
    options = split.options if split.options is not None else corpus.options if own else {}
    place = f"{own_place}.options" if split.options else f"{place}.options"
    parsed: Any = parse_settings(chosen.options, options, place)
    if not split.references:
        parsed = _of_sources(parsed, place)
    elif corpus.source_language != corpus.target_language:  # with one language it may be there to be copied
        source, target = (getattr(parsed, side, None) for side in ("source", "target"))  # columns of a table
        if "files" in roles and source is not None and source == target:
            message = f"source and target are the same column, {source}"
            raise InputError(f"{place}: {message}", remedy="name that of each side")
        if source == target:
            check_two_files(roles, own_place)
    return SplitPlan(name, chosen, parsed, roles, split.references)


def check_two_files(roles: Mapping[str, list[str]], place: str) -> None:
    """Raise :class:`InputError` where a file of the source side is that of the target side, too."""
    for source, target in zip(roles.get("source", []), roles.get("target", [])):
        if Path(source) == Path(target):
            raise InputError(f"{place}: source and target are the same file, {source}", remedy="name that of each side")


def _mirrored(name: str, key: str, roles: dict[str, list[str]], place: str) -> dict[str, list[str]]:
    """The roles of a split without references: it is read as its own target, which the import then empties."""
    if name in ("train", "dev"):
        raise InputError(f"{place}: {name} needs a target side", remedy="remove references: false")
    if key not in SOURCE_ONLY:
        raise InputError(
            f"{place}: the format {key} does not read sources alone",
            remedy=f"write them in another format: {', '.join(SOURCE_ONLY)}",
        )
    if "target" in roles:
        raise InputError(f"{place} gives target, but references is false", remedy="leave out one of the two")
    return roles | {"target": roles["source"]} if "source" in roles else roles


def _of_sources(options: Any, place: str) -> Any:
    """The options with which a split without references is read as its own target."""
    if getattr(options, "direction", None) is not None:
        remedy = "give this split options of its own, without direction"
        raise InputError(f"{place}.direction: the split has no references", remedy=remedy)
    replaced = {"target": getattr(options, "source", None), "equal_sides": True, "reference": None}
    names = {entry.name for entry in fields(options)}
    return replace(options, **{key: value for key, value in replaced.items() if key in names})


def _to_change(given: set[str], chosen: Format) -> str:
    """The least change of the given keys that makes them a set of keys that the format reads."""
    wanted = min((set(accepted) for accepted in chosen.roles), key=lambda accepted: len(accepted ^ given))
    changes = {"leave out": sorted(given - wanted), "add": sorted(wanted - given)}
    return " and ".join(f"{verb} {', '.join(keys)}" for verb, keys in changes.items() if keys)


def _check_held_out(corpus: CorpusSettings, place: str) -> None:
    if (corpus.held_out or corpus.held_out_groups) and "train" not in corpus.splits:
        raise InputError(f"{place}.held_out needs a split train to hold documents out of", remedy="add splits.train")
    for key, splits in (("held_out", corpus.held_out), ("held_out_groups", corpus.held_out_groups)):
        for name in splits:
            if name in corpus.splits or (key == "held_out_groups" and name in corpus.held_out):
                owner = "files of its own" if name in corpus.splits else "documents under held_out"
                raise InputError(
                    f"{place}.{key}.{name}: the split {name} has {owner}", remedy="take one of the two away"
                )
    try:
        re.compile(corpus.groups)
    except re.error as error:
        raise InputError(f"{place}.groups: no regular expression ({error})") from None
    if not corpus.groups and (corpus.held_out_groups or corpus.held_out_by == "group"):
        raise InputError(f"{place}: groups of documents are not named", remedy="set groups, for example to [^/]+")
    groups = [group for groups in corpus.held_out_groups.values() for group in groups]
    if repeated := next((group for group in groups if groups.count(group) > 1), None):
        raise InputError(f"{place}.held_out_groups: group {repeated} is in two splits", remedy="name it once")
    for name, size in corpus.held_out.items():
        if size <= 0 or (size >= 1 and size != int(size)):
            raise InputError(f"{place}.held_out.{name}: {size} is neither a share below 1 nor a number of documents")
    if sum(size for size in corpus.held_out.values() if size < 1) >= 1:
        raise InputError(f"{place}.held_out: the shares leave nothing for train", remedy="make them smaller")
