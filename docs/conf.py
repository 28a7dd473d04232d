"""The site of the documentation: `make docs`. Pages are Markdown (MyST), as they are read in the repository, too."""

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sphinx.application import Sphinx

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from discourse_nmt import __version__

project = "discourse-nmt"
release = version = __version__
copyright = "The authors of discourse-nmt"

extensions = ["myst_parser", "sphinx.ext.autodoc"]
exclude_patterns = ["_build"]
html_theme = "furo"
html_title = f"discourse-nmt {version}"
html_copy_source = False

myst_heading_anchors = 4
# Docstrings name shapes and errors in sentences; signatures tell types.
autodoc_typehints = "signature"
autodoc_member_order = "bysource"

SECTION = re.compile(r"^## (.+)\n((?:(?!^## ).*\n?)*)", re.MULTILINE)
PAGE = re.compile(r"\]\(([\w/-]+)\.md\)")
EXAMPLE = re.compile(r"`(examples/[\w/.-]+)`")
OUTSIDE = re.compile(r"\[([^]]*)\]\((?:\.\./)+((?:resources/[\w/]+/)?README\.md)(?:#[\w-]*)?\)")


def adapt(app: "Sphinx", docname: str, source: list[str]) -> None:
    """Pages outside docs/ are named by their path in the checkout, as the site does not hold them.

    Examples, which the site alone holds, are links to its pages.

    Sections of the index become parts of the navigation, with the pages that they link. A page that has the name of a
    folder leads to the pages of the folder.
    """
    source[0] = OUTSIDE.sub(r"\1 (`\2`)", source[0])
    up = "../" * docname.count("/")
    source[0] = EXAMPLE.sub(lambda found: f'<a href="{up}{found[1]}">{found[1]}</a>', source[0])
    if (Path(app.srcdir) / docname).is_dir():
        source[0] += f"\n```{{toctree}}\n:hidden:\n:glob:\n\n{Path(docname).name}/*\n```\n"
    if docname != "index":
        return
    seen: set[str] = set()
    for title, text in SECTION.findall(source[0]):
        pages = [page for page in dict.fromkeys(PAGE.findall(text)) if page not in seen]
        seen.update(pages)
        if pages:
            source[0] += f"\n```{{toctree}}\n:hidden:\n:caption: {title}\n\n" + "\n".join(pages) + "\n```\n"


def setup(app: "Sphinx") -> None:
    """Adapt pages when they are read."""
    app.connect("source-read", adapt)
