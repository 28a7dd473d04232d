"""The reader of each format."""

from collections.abc import Callable

from discourse_nmt.translation.formats.blocks import FormattedText
from discourse_nmt.translation.formats.catalogues import read_catalogue
from discourse_nmt.translation.formats.html_pages import read_html
from discourse_nmt.translation.formats.markdown.reading import read_markdown
from discourse_nmt.translation.formats.subtitles import read_subtitles
from discourse_nmt.translation.formats.xliff import read_xliff

READERS: dict[str, Callable[[str, str], FormattedText]] = {
    "markdown": read_markdown,
    "html": read_html,
    "srt": read_subtitles,
    "gettext": read_catalogue,
}


def read_formatted(text: str, name: str, format_name: str, language: str) -> FormattedText:
    """The blocks of the ``text`` of a file; ``language`` is that of the translation, which XLIFF tells.

    Raises :class:`InputError`, naming the line, for a text that is not in this format.
    """
    if format_name == "xliff":
        return read_xliff(text, name, language)
    return READERS[format_name](text, name)
