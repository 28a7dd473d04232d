"""Links and images by their text, ``[label]`` and ``[label][]``: once it is translated, the label stands behind it."""

import re
from dataclasses import dataclass, field

from discourse_nmt.translation.formats.blocks import Span
from discourse_nmt.translation.formats.markdown.content import Content


@dataclass
class LinksByText:
    """The links by their text in the content of a block."""

    content: Content
    _short: dict[str, str] = field(default_factory=dict)  # by their forms with a label those without one

    def changed(self, label: Span, end: int) -> str:
        """What stands behind the translated text of a link with these characters as label, which ends at ``end``."""
        text, name = _label(self.content, label)
        closing = f"][{name}]"
        if (form := f"[{text}{closing}") not in self.content.source:
            self._short[form] = f"[{text}{self.content.form(label[1], end)}"
        return closing

    def shortened(self, form: str) -> str:
        """The form of the block: links with the text of the source have no label, if they do not become others."""
        for long, short in self._short.items():
            form = re.sub(re.escape(long) + r"(?![\[(:])", short.replace("\\", r"\\"), form)
        return form


@dataclass(frozen=True)
class ImageByText:
    """An image whose alternative text, these characters, is its label; ``end`` is before its last ``]``."""

    content: Content
    label: Span
    end: int

    @property
    def kept(self) -> str:
        """The form of text and label in the file."""
        return self.content.form(self.label[0], self.end)

    def filled(self, form: str) -> str:
        """The form of text and label with the text ``form``."""
        text, name = _label(self.content, self.label)
        return self.kept if form == text else f"{form}][{name}"


def _label(content: Content, span: Span) -> tuple[str, str]:
    """The text of a link that is its label, and the label on one line: a quotation has its signs between lines."""
    text, label = content.form(*span), content.text[slice(*span)]
    return text, " ".join(label.split()) if "\n" in label else text
