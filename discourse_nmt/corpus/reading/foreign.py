"""Files of translators' and office programs, which no format reads: what to do instead."""

import re

from discourse_nmt.base.errors import InputError

COMPRESSED = re.compile(r"\.(gz|xz|bz2)$", re.IGNORECASE)
AS_TABLE = "export it as a table with the columns doc_id, source and target (format table)"
MEMORY = ("a translation memory (TMX) holds sentence pairs in no order and without documents", AS_TABLE)
PROJECT = ("an XLIFF file is not read", AS_TABLE)
SHEET = ("a spreadsheet is not read", "save it as CSV in UTF-8, with the columns doc_id, source and target")
FOREIGN = {".tmx": MEMORY}
FOREIGN |= dict.fromkeys((".xlf", ".xliff", ".sdlxliff", ".mxliff", ".mqxliff"), PROJECT)
FOREIGN |= dict.fromkeys((".xlsx", ".xls", ".ods"), SHEET)
ROOT = re.compile(r"<(tmx|xliff)[\s>]")


def check_known(name: str, beginning: str = "") -> None:
    """Raise :class:`InputError`, with the way out, for a file whose name or ``beginning`` is of such a program."""
    root = ROOT.search(beginning)
    suffix = re.search(r"\.[a-z]+$", COMPRESSED.sub("", name).lower())
    found = {"tmx": MEMORY, "xliff": PROJECT}[root[1]] if root else FOREIGN.get(suffix[0]) if suffix else None
    if found:
        raise InputError(found[0], file=name, remedy=found[1])
