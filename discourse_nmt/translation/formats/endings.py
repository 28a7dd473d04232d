"""The formats of files, and the endings of their names."""

from pathlib import PurePath

FORMATS = ("markdown", "html", "srt", "gettext", "xliff")
ENDINGS = {
    ".md": "markdown",
    ".markdown": "markdown",
    ".html": "html",
    ".htm": "html",
    ".xhtml": "html",
    ".srt": "srt",
    ".po": "gettext",
    ".pot": "gettext",
    ".xlf": "xliff",
    ".xliff": "xliff",
}


def format_of(name: str) -> str | None:
    """The format that the ending of a file's name tells; None for plain text."""
    return ENDINGS.get(PurePath(name).suffix.lower())
