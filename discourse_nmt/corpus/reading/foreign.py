"""Files of translators' and office programs, which no format, or one alone, reads: what to do instead."""

import re
from collections.abc import Collection

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.sources import uncompressed

AS_TABLE = "export it as a table with the columns doc_id, source and target (format table)"
MEMORY = ("a translation memory (TMX) is read by the format tmx", "set format: tmx, if its units name their documents")
PROJECT = ("an XLIFF file is not read", AS_TABLE)
SHEET = ("a spreadsheet is not read", "save it as CSV in UTF-8, with the columns doc_id, source and target")
FOREIGN = {".tmx": MEMORY}
FOREIGN |= dict.fromkeys((".xlf", ".xliff", ".sdlxliff", ".mxliff", ".mqxliff"), PROJECT)
FOREIGN |= dict.fromkeys((".xlsx", ".xls", ".ods"), SHEET)
ROOT = re.compile(r"<(tmx|xliff)[\s>]")


def check_known(name: str, beginning: str = "", accepted: Collection[str] = ()) -> None:
    """Raise :class:`InputError`, with the way out, for a file whose name or ``beginning`` is of such a program.

    Those with the endings ``accepted`` are for the format that reads them.
    """
    root = ROOT.search(beginning)
    suffix = re.search(r"\.[a-z]+$", uncompressed(name))
    found = {"tmx": MEMORY, "xliff": PROJECT}[root[1]] if root else FOREIGN.get(suffix[0]) if suffix else None
    if found and not (suffix and suffix[0] in accepted):
        raise InputError(found[0], file=name, remedy=found[1])
