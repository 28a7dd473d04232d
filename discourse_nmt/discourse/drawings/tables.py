"""Drawings of one document from its rows in the tables of annotation."""

from collections.abc import Mapping, Sequence

from discourse_nmt.base.errors import InputError
from discourse_nmt.discourse.drawings.dependency_views import dependency_view
from discourse_nmt.discourse.drawings.rst_trees import rst_tree
from discourse_nmt.discourse.drawings.titles import TITLES
from discourse_nmt.discourse.structures.rows import Rows, rows_to_dependencies, rows_to_tree
from discourse_nmt.discourse.structures.trees import StructureError


def tree_drawings(document: str, texts: Sequence[str], tables: Mapping[str, Rows]) -> dict[str, str]:
    """SVG by title for the tables ``rst`` and ``rst_dependencies``, if present; ``texts`` has one text per EDU.

    Raises :class:`InputError` for rows that do not form a tree over these EDUs.
    """
    drawn = {}
    try:
        if "rst" in tables:
            drawn[TITLES["rst"]] = rst_tree(rows_to_tree(tables["rst"], texts), texts, f"RST tree of {document}")
        if "rst_dependencies" in tables:
            dependencies = rows_to_dependencies(tables["rst_dependencies"])
            if len(dependencies.heads) != len(texts):
                raise StructureError(f"dependencies of {len(dependencies.heads)} EDUs, and {len(texts)} EDUs")
            title = f"Discourse dependencies of {document}"
            drawn[TITLES["dependencies"]] = dependency_view(dependencies, texts, title)
    except StructureError as error:
        raise InputError(f"document {document}: {error}", remedy="make its analysis again") from None
    return drawn
