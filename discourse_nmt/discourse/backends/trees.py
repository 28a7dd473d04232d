"""The table ``rst_dependencies`` from the table ``rst``."""

from collections.abc import Callable
from typing import Any

import pandas as pd

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.progress import progress
from discourse_nmt.base.storage.tables import TABLES
from discourse_nmt.discourse.structures.conversions import debinarise, hirao13, li14
from discourse_nmt.discourse.structures.dependencies import Dependencies
from discourse_nmt.discourse.structures.rows import Row, Rows, dependencies_to_rows, rows_to_tree
from discourse_nmt.discourse.structures.trees import RstTree, StructureError

CONVERSIONS: dict[str, Callable[[RstTree], Dependencies]] = {"li14": li14, "hirao13": hirao13}


def dependencies_table(rst: pd.DataFrame, conversion: str, binary: bool) -> pd.DataFrame:
    """The table ``rst_dependencies`` of a table ``rst``; see :func:`dependency_rows`."""
    documents = rst.groupby("doc_id", sort=False)
    rows: list[Row] = []
    for doc_id, nodes in progress(documents, "convert", "documents", total=documents.ngroups):
        records: list[Any] = nodes.to_dict("records")
        rows += dependency_rows(str(doc_id), records, conversion, binary)
    return pd.DataFrame(rows, columns=list(TABLES["rst_dependencies"]))


def dependency_rows(doc_id: str, rows: Rows, conversion: str, binary: bool) -> list[Row]:
    """Rows of ``rst_dependencies`` for one document's rows of ``rst``.

    With ``binary``, the binarisation of a parser is undone first: otherwise Li's rule gives a chain for a multinuclear
    node instead of a star. Raises :class:`InputError` for rows that do not form a tree.
    """
    try:
        tree = rows_to_tree(rows)
    except StructureError as error:
        raise InputError(f"document {doc_id}: table rst: {error}") from None
    return dependencies_to_rows(doc_id, CONVERSIONS[conversion](debinarise(tree) if binary else tree))
