"""What can be chosen about the analysis of discourse: a set of analysers under ``analyses.NAME`` in the configuration.

Each stage names its backend; the other keys of the stage are the fields of that backend's class here.
"""

from dataclasses import dataclass
from typing import Any, Literal, get_args

from discourse_nmt.corpus.settings import DISTINCT, SOME_DISTINCT, required, setting
from discourse_nmt.corpus.storage.tables import RELATIONS, Relation
from discourse_nmt.discourse.themes.settings import ThemeSettings

BackendName = Literal["builtin", "stanza", "import", "command"]
Side = Literal["source", "target"]


@dataclass(frozen=True)
class BuiltinSettings:
    """The project's own analysers."""

    weights: str | None = setting(
        None, "folder of builtin models, with one folder per language; null for those of the project"
    )


@dataclass(frozen=True)
class BuiltinThemeSettings(ThemeSettings, BuiltinSettings):
    """The project's own rules for themes."""


@dataclass(frozen=True)
class StanzaSettings:
    """Stanza's pipelines."""

    folder: str = required("folder of Stanza's models, with its resources.json")
    download: Literal["never", "missing", "update"] = setting(
        "never", "whether Stanza may download models: never, missing (those not there), update (newer ones too)"
    )
    language: str | None = setting(
        None, "Stanza's code of the language, for example zh-hant; null for the language of the corpus"
    )
    package: str = setting("default", "Stanza's package of models, for example combined or gsd")
    use_gpu: bool = setting(False, "whether the models run on a GPU; without one they run on the CPU")
    options: dict[str, str | int | float | bool] = setting(
        {}, "further arguments of stanza.Pipeline, for example pos_model_path or depparse_batch_size"
    )


@dataclass(frozen=True)
class ImportSettings:
    """Files that a user has."""

    files: str = required(
        "path of the files, also inside an archive; {corpus}, {split}, {side}, {table} and {document} stand for names"
    )
    format: str = required("how the files are written; docs/analyser-backends.md shows each format")

    def pattern(self, corpus: str, split: str, side: Side, table: str) -> str:
        """``files`` with all names filled in but that of the document."""
        pattern = self.files
        for name, value in {"corpus": corpus, "split": split, "side": side, "table": table}.items():
            pattern = pattern.replace(f"{{{name}}}", value)
        return pattern


@dataclass(frozen=True)
class CommandSettings:
    """A command that a user runs."""

    command: list[str] = required(
        "program and its arguments; {input} and {output} stand for folders, {language} for the language",
        schema={"minItems": 1},
    )
    format: str = required("how its output is written; docs/analyser-backends.md shows each format")
    time_limit: int | None = setting(3600, "seconds that one run may take; null for no limit", minimum=1)


BackendSettings = BuiltinSettings | StanzaSettings | ImportSettings | CommandSettings
Table = Literal["syntax", "edus", "rst", "rst_dependencies", "coreference", "themes", "document_graph"]
TABLES: tuple[Table, ...] = get_args(Table)


@dataclass(frozen=True)
class RstSettings:
    """Further keys of the stage ``rst``: what is parsed for systems, and how trees become dependencies."""

    conversion: Literal["li14", "hirao13"] = setting(
        "li14", "rule that makes dependencies of a tree: of Li et al. 2014 or Hirao et al. 2013"
    )
    debinarise: bool = setting(
        True,
        "first merge chains of one multinuclear relation, which binary parsers make of one node; false for n-ary trees",
    )
    unit: Literal["instance", "document"] = setting(
        "instance",
        "what systems see the tree of: each instance or paragraph by itself, or their part of the document's tree",
    )


@dataclass(frozen=True)
class GraphSettings:
    """Which words of a document its graph relates (spec 03, section 4)."""

    relations: list[Relation] = setting(list(RELATIONS), "relations of words in the graph", schema=DISTINCT)
    lexical_filter: Literal["none", "stopwords"] | int = setting(
        "none",
        "words that repetition leaves out: none, stopwords (function words by their tag), or a number: those that are "
        "there more often in the document",
        minimum=2,
    )
    coreference_links: Literal["chain", "all_pairs"] = setting(
        "chain", "from each mention of an entity to the next one, or to all later ones"
    )


@dataclass(frozen=True)
class AnalysisSettings:
    """A set of analysers. The stages are checked by :func:`.stage_settings`."""

    corpora: list[str] | None = setting(
        None, "corpora that the target analyse annotates; null for all", schema=SOME_DISTINCT
    )
    sides: list[Side] = setting(["source"], "sides that are annotated", schema=SOME_DISTINCT)
    tables: list[Table] = setting(
        [table for table in TABLES if table != "document_graph"], "tables that the target analyse makes", schema=DISTINCT
    )
    weights: str | None = setting(
        None, "folder of builtin models, with one folder per language; null for those of the project"
    )
    compared_with: str | None = setting(
        None, "analysis, for example of gold annotation, that it is scored against on test sets; null for none"
    )
    syntax: dict[str, Any] = setting({}, "words, tags, lemmas and dependencies")
    edus: dict[str, Any] = setting({}, "elementary discourse units")
    rst: dict[str, Any] = setting({}, "rhetorical structure trees and their dependencies")
    coreference: dict[str, Any] = setting({}, "coreference chains")
    themes: dict[str, Any] = setting({}, "themes and rhemes")
    graph: dict[str, Any] = setting({}, "word graphs of documents")
    target: dict[str, Any] = setting({}, "stages that differ on the target side")
