"""The texts that a metric reads: a line for each sentence or chunk of a document, with a window of what stands before.

A window of references before a translation is that of Doc-COMET (Vernikos, Thompson, Mathur and Federico 2022); chunks
are the segments of WMT's metrics for paragraphs.
"""

from collections.abc import Callable, Sequence
from pathlib import Path

import pandas as pd

from discourse_nmt.base.errors import InputError
from discourse_nmt.scoring.external.settings import MetricTextSettings

SIDES = ("source", "hypotheses", "references")


def lines_of(sentences: pd.DataFrame, settings: MetricTextSettings) -> pd.DataFrame:
    """The lines of all documents: ``doc_id``, the ``sent_id`` of the first sentence, the texts of :data:`SIDES`.

    ``sentences`` has the same columns, a row for each sentence, documents in one piece. No line goes beyond a document.
    """
    before = {side: side for side in SIDES} | {"hypotheses": settings.before_translations}
    rows = []
    for document, group in sentences.groupby("doc_id", sort=False):
        texts = {side: group[side].tolist() for side in SIDES}
        numbers = group["sent_id"].tolist()
        for start in range(0, len(group), settings.chunk):
            first, end = max(0, start - settings.window), start + settings.chunk
            line = {
                side: settings.separator.join([*texts[before[side]][first:start], *texts[side][start:end]])
                for side in SIDES
            }
            rows.append({"doc_id": document, "sent_id": numbers[start], **line})
    return pd.DataFrame(rows, columns=["doc_id", "sent_id", *SIDES])


def too_long(texts: Sequence[Sequence[str]], settings: MetricTextSettings) -> int:
    """How many texts have more subwords than the metric reads; ``texts`` are the files that it is given, by line.

    Marks of begin and end count. If the metric reads the texts of a line together, lines are counted. The settings
    name ``reads`` and ``subwords``. Raises :class:`InputError`: the file has no subwords.
    """
    assert settings.reads is not None and settings.subwords is not None
    length = _length_by(settings.subwords)
    lengths = [[length(text) for text in line] for line in zip(*texts, strict=True)]
    if settings.reads_together:
        lengths = [[sum(of_line)] for of_line in lengths]
    return sum(value > settings.reads for of_line in lengths for value in of_line)


def _length_by(file: str) -> Callable[[str], int]:
    """The number of subwords of a text, with marks of begin and end."""
    if Path(file).suffix == ".json":
        from tokenizers import Tokenizer

        try:
            tokenizer = Tokenizer.from_file(file)
        except Exception as error:  # the library raises nothing narrower
            raise _no_subwords(file, error) from None
        tokenizer.no_truncation()
        tokenizer.no_padding()
        return lambda text: len(tokenizer.encode(text).ids)
    from sentencepiece import SentencePieceProcessor

    processor = SentencePieceProcessor()
    try:
        processor.LoadFromFile(file)
    except (OSError, RuntimeError) as error:
        raise _no_subwords(file, error) from None
    return lambda text: len(processor.EncodeAsIds(text)) + 2


def _no_subwords(file: str, error: Exception) -> InputError:
    reason = " ".join(str(error).split())[:100]
    return InputError(f"no subwords ({reason})", file=file, remedy="name a SentencePiece model or a tokenizer.json")
