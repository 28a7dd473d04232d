"""The files of the page: its template, its script and its styles, which it shares with the viewer of the report."""

from dataclasses import dataclass

from discourse_nmt import PACKAGE
from discourse_nmt.base.storage.files import read_text

REPORTS, SERVING = PACKAGE / "scoring" / "reports", PACKAGE / "serving"
SCRIPTS = [
    *(REPORTS / "viewer" / f"{name}.js" for name in ("elements", "differences", "source", "drawings")),
    SERVING / "page.js",
]
STYLES = [REPORTS / "templates" / "style.css", REPORTS / "viewer" / "viewer.css", SERVING / "page.css"]


@dataclass(frozen=True)
class Assets:
    """Texts of the page."""

    template: str
    script: str
    style: str

    @classmethod
    def read(cls) -> "Assets":
        """Those that ship with the project."""
        script = "'use strict';\n" + "\n".join(map(read_text, SCRIPTS))
        return cls(read_text(SERVING / "page.html"), script, "\n".join(map(read_text, STYLES)))
