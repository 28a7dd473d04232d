"""The keys of ``metrics.NAME.texts:`` in the configuration."""

from dataclasses import dataclass
from typing import Literal

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.settings import setting


@dataclass(frozen=True)
class MetricTextSettings:
    """What stands in a line of the files that a metric reads, and how much of it the metric reads."""

    window: int = setting(0, "sentences of the document before, which stand in a line before its own", minimum=0)
    before_translations: Literal["hypotheses", "references"] = setting(
        "hypotheses", "of what the window of a translation is: of translations, or of references, as in Doc-COMET"
    )
    chunk: int = setting(
        1, "consecutive sentences of a document that are a line together, fewer at its end", minimum=1, maximum=4
    )
    separator: str = setting(" ", "text between the sentences of a line")
    reads: int | None = setting(
        None, "most subwords that the metric reads; longer texts are counted, and told; null: not known", minimum=1
    )
    subwords: str | None = setting(
        None, "file of these subwords: a SentencePiece model, or the tokenizer.json of a checkpoint"
    )
    reads_together: bool = setting(False, "whether it reads the texts of a line as one, or each by itself")

    def __post_init__(self) -> None:
        if (self.reads is None) != (self.subwords is None):
            raise InputError("reads and subwords need each other", remedy="give both or none")
        if "\n" in self.separator:
            raise InputError("separator has a line break", remedy="a line is a text")

    @property
    def signature(self) -> str:
        """What the signature of a score tells of them: nothing for lines of one sentence each."""
        parts = {"window": self.window, "chunk": self.chunk if self.chunk > 1 else 0}
        told = [f"|{name}:{value}" for name, value in parts.items() if value]
        if told:
            told.append(f"|separator:{self.separator.replace('|', '').strip() or 'space'}")
        return "".join(told) + ("|before-translations:references" if self.before_translations == "references" else "")
