"""What can be chosen about the analysis of discourse: a set of analysers under ``analyses.NAME`` in the configuration.

Each stage names its backend; the other keys of the stage are the fields of that backend's class here.
"""

from dataclasses import dataclass
from typing import Literal, get_args

from discourse_nmt import PACKAGE
from discourse_nmt.base.programs import filled
from discourse_nmt.base.relations import RELATIONS, Relation
from discourse_nmt.base.settings import DISTINCT, required, setting
from discourse_nmt.discourse.themes.settings import ThemeSettings

BackendName = Literal["builtin", "stanza", "import", "command"]
Side = Literal["source", "target"]
PROGRAMS = PACKAGE / "discourse" / "backends" / "programs"


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
        "never", "models that Stanza may download: none (never), missing ones, or also newer ones (update)"
    )
    language: str | None = setting(
        None, "Stanza's code of the language, for example zh-hant; null for the language of the corpus"
    )
    package: str = setting("default", "Stanza's package of models, for example combined or gsd")
    use_gpu: bool = setting(False, "run the models on a GPU if there is one")
    options: dict[str, str | int | float | bool] = setting(
        {}, "further arguments of stanza.Pipeline, for example pos_model_path or depparse_batch_size"
    )


@dataclass(frozen=True)
class ImportSettings:
    """Files that a user has."""

    files: str = required(
        "path of the files, also inside an archive; {corpus}, {split}, {side}, {table} and {document} stand for names"
    )
    format: str = required("format of the files; docs/analysers/backends.md shows each")
    unattached: str | None = setting(
        None,
        "rs3, rs4: relation by which segments without a parent (titles) become satellites of the root; null refuses "
        "them",
    )

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
        "program and its arguments; {input} and {output} stand for folders, {language} for the language, {programs} "
        "for the folder of the project's own programs, which run parsers that you install",
        schema={"minItems": 1},
    )
    format: str = required("format of its output; docs/analysers/backends.md shows each")
    time_limit: int | None = setting(3600, "largest duration of one run in seconds; null for no limit", minimum=1)

    @property
    def located(self) -> list[str]:
        """``command`` with the folder of the project's programs filled in."""
        return [filled(argument, {"programs": str(PROGRAMS)}) for argument in self.command]


BackendSettings = BuiltinSettings | StanzaSettings | ImportSettings | CommandSettings
Table = Literal["syntax", "edus", "rst", "rst_dependencies", "coreference", "themes", "document_graph"]
TABLES: tuple[Table, ...] = get_args(Table)


@dataclass(frozen=True)
class RstSettings:
    """Further keys of the stage ``rst``: what is parsed for systems, and how trees become dependencies."""

    conversion: Literal["li14", "hirao13"] = setting(
        "li14", "conversion of trees to dependencies, of Li et al. 2014 or of Hirao et al. 2013"
    )
    debinarise: bool = setting(
        True,
        "first merge chains of one multinuclear relation, which binary parsers make; false for n-ary trees",
    )
    unit: Literal["instance", "document"] = setting(
        "instance",
        "unit that is parsed for systems: each instance or paragraph by itself, or the whole document",
    )


@dataclass(frozen=True)
class GraphSettings:
    """Which words of a document its graph relates (spec 03, section 4)."""

    relations: list[Relation] = setting(list(RELATIONS), "relations of words in the graph", schema=DISTINCT)
    lexical_filter: Literal["none", "stopwords"] | int = setting(
        "none",
        "words without lexical edges: none, function words by their tag (stopwords), or words with more occurrences in "
        "the document than this number",
        minimum=2,
    )
    coreference_links: Literal["chain", "all_pairs"] = setting(
        "chain", "edges from each mention of an entity to the next one (chain), or to all later ones (all_pairs)"
    )
