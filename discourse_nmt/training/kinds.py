"""The kinds of structure and companions that systems read beside the dataset, and the modules that train each system.

Modules are loaded by name, so that a change of one kind re-runs no other. Free of torch, as the rules read it.
"""

import importlib
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from discourse_nmt.models.switches.transformer import TransformerSettings

# By the unit that a system reads at a time.
TASKS = {
    "sentence": "discourse_nmt.training.tasks.sentences",
    "instance": "discourse_nmt.training.tasks.instances",
    "paragraph": "discourse_nmt.training.tasks.paragraphs",
    "document": "discourse_nmt.training.tasks.documents",
}

TEXT_TABLES = ("tokens", "subwords")
"""Tables of text; every other one is annotation, which the analysers make."""
TREE_TABLES = {"instance": "instance_dependencies", "paragraph": "paragraph_rst"}
"""With ``rst.unit: instance``: the table of the trees of each unit that is parsed by itself."""
DRAFT = "draft_"
"""What the names of tables of a draft translation begin with."""


@dataclass(frozen=True)
class Companion:
    """One kind of companion: what an earlier stage of training makes for a system, which is not trained without it.

    A companion with a module is held by the network, so that its model files have it, too. A draft is not: the file of
    a kind of structure is built from it, for training and for every text to translate.
    """

    name: str
    """Its name in switches and kinds of structure; where a network holds it, also its option and the network's part."""
    title: str
    """Its name for people, without an article."""
    use: str
    """The purpose that it has for the system, such as *for its graph*."""
    origin: str
    """Its relation to the earlier stage, a predicate of the title."""
    module: str = ""
    """The module of a :class:`.CompanionModule`, which gives it to a network; empty if no network holds it."""
    tables: tuple[str, ...] = ()
    """Tables of annotation that it learns from."""


COMPANIONS = {
    companion.name: companion
    for companion in [
        Companion(
            "labeller",
            "labeller of themes",
            "for a cache that its scores guide",
            "reads the encoder of the model that training starts from",
            "discourse_nmt.training.labellers.theme_cache",
            ("themes",),
        ),
        Companion(
            "draft",
            "draft of the target",
            "for its graph",
            "is translated by the model of the very first stage",
        ),
    ]
}
HELD = [companion for companion in COMPANIONS.values() if companion.module]
"""The companions that networks hold."""


@dataclass(frozen=True)
class StructureKind:
    """One kind of structure: what a system reads beside the text of the dataset."""

    name: str
    reader: str = ""
    """``module:class``, called with (file, dataset); see :class:`.Structures`."""
    builder: str = ""
    """``module:function``, a :class:`.Builder`; empty where the dataset holds all that is read, so there is no file."""
    tables: tuple[str, ...] = ()
    """Tables of the source side that the file is built from, those of text first; the last one holds trees if any."""
    companions: tuple[str, ...] = ()
    """Names of the companions that the file is also built from."""
    tree: Literal["", "instance", "paragraph"] = ""
    """Unit that is parsed by itself with ``rst.unit: instance``; empty for a kind without trees."""
    options: tuple[str, ...] = ()
    """Fields of :class:`.BuilderOptions` that the builder reads."""

    @property
    def annotation(self) -> tuple[str, ...]:
        """Those of the tables that the analysers make."""
        return tuple(table for table in self.tables if table not in TEXT_TABLES)

    @property
    def drafted(self) -> bool:
        """Whether it is also built from the same tables of a draft translation, named ``draft_tokens`` and so on."""
        return "draft" in self.companions

    @property
    def inputs(self) -> dict[str, str]:
        """The table that each input of the builder is, by the input's name."""
        prefixes = ("", DRAFT) if self.drafted else ("",)
        return {prefix + table: table for prefix in prefixes for table in self.tables}


_READERS = "discourse_nmt.training.structures"
_BUILDERS = "discourse_nmt.training.builders"
STRUCTURES = {
    kind.name: kind
    for kind in [
        StructureKind(""),  # of systems that read the text alone
        StructureKind(
            "dependencies",
            f"{_READERS}.dependencies:DependencyFile",
            f"{_BUILDERS}.dependencies:write_dependencies",
            ("tokens", "edus", "rst_dependencies"),
            tree="instance",
        ),
        StructureKind(
            "positions",
            f"{_READERS}.positions:PositionFile",
            f"{_BUILDERS}.positions:write_positions",
            ("tokens", "edus", "rst"),
            tree="paragraph",
        ),
        StructureKind(
            "paragraph_dependencies",
            f"{_READERS}.paragraph_dependencies:ParagraphDependencyFile",
            f"{_BUILDERS}.paragraph_dependencies:write_paragraph_dependencies",
            ("tokens", "edus", "rst"),
            tree="paragraph",
            options=("conversion", "debinarise"),
        ),
        StructureKind("words", f"{_READERS}.paragraph_dependencies:DatasetWords"),
        StructureKind(
            "cache_words",
            f"{_READERS}.cache_words:CacheWordFile",
            f"{_BUILDERS}.cache_words:write_cache_words",
            ("tokens",),
            options=("language",),
        ),
        StructureKind(
            "graph",
            f"{_READERS}.graphs:SourceGraphFile",
            f"{_BUILDERS}.graphs:write_graphs",
            ("tokens", "subwords", "document_graph"),
        ),
        StructureKind(
            "graphs",
            f"{_READERS}.graphs:SourceAndDraftGraphFile",
            f"{_BUILDERS}.graphs:write_drafted_graphs",
            ("tokens", "subwords", "document_graph"),
            companions=("draft",),
        ),
    ]
}
# Controls: the same files, whose readers turn every tree over its units.
for _kind in (STRUCTURES["dependencies"], STRUCTURES["paragraph_dependencies"]):
    _name = f"shuffled_{_kind.name}"
    STRUCTURES[_name] = replace(_kind, name=_name, reader=_kind.reader.replace(":", ":Shuffled"))


def companions_of(switches: "TransformerSettings") -> list[Companion]:
    """The companions of a system with these switches in training: those of its network and of its kind of structure."""
    return [COMPANIONS[name] for name in (*switches.companions, *STRUCTURES[switches.structure].companions)]


def loaded(reference: str) -> Any:
    """The object that ``module:symbol`` names."""
    module, _, symbol = reference.partition(":")
    return getattr(importlib.import_module(module), symbol)
