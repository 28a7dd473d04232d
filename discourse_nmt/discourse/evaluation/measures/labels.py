"""Labelling accuracy: the share of words that have their gold label (themes and rhemes)."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.sources import Source
from discourse_nmt.base.storage.tables import read_table
from discourse_nmt.discourse.evaluation.measures.counts import Counts
from discourse_nmt.discourse.formats.conllu import Sentence
from discourse_nmt.discourse.structures.mentions import Span
from discourse_nmt.discourse.structures.trees import StructureError
from discourse_nmt.discourse.treebanks.examples import paragraphs_of

Labels = tuple[str | None, ...]
LabelledSpan = tuple[Span, str]


def label_counts(gold: Sequence[str | None], predicted: Sequence[str | None]) -> Counts:
    """Counts over the words with a gold label; recall is the accuracy, and an unlabelled word is wrong.

    Precision counts only words that also have a predicted label. Raises ValueError for different lengths.
    """
    pairs = [(label, other) for label, other in zip(gold, predicted, strict=True) if label is not None]
    right = sum(label == other for label, other in pairs)
    return Counts(right, len(pairs), right, sum(other is not None for _, other in pairs))


def labels_of_words(spans: Iterable[LabelledSpan], words: Sequence[Sequence[tuple[int, int]]]) -> Labels:
    """Label of each word of the document: that of the span with its first character, None without a span.

    ``words`` are the characters ``[start, end)`` of the words of each sentence; spans count characters, too. (Or both
    count words, and a word is ``(index, index + 1)``.) Raises :class:`StructureError` for a missing sentence and for a
    character with two labels.
    """
    labels: list[dict[int, str]] = [{} for _ in words]
    for span, label in spans:
        if span.sentence >= len(words):
            raise StructureError(f"a label for sentence {span.sentence} (from 0) of {len(words)}")
        for offset in range(span.start, span.end):
            if labels[span.sentence].setdefault(offset, label) != label:
                raise StructureError(f"sentence {span.sentence} (from 0): two labels at {offset}")
    return tuple(labels[number].get(start) for number, ranges in enumerate(words) for start, _ in ranges)


def characters_of_words(sentences: Iterable[Sentence]) -> list[tuple[tuple[int, int], ...]]:
    """Characters ``[start, end)`` of the words in the text of each sentence."""
    ranges: list[tuple[tuple[int, int], ...]] = []
    for sentence in sentences:
        [paragraphs] = paragraphs_of([sentence])
        ranges.append(paragraphs[0].sentences[0] if paragraphs else ())
    return ranges


def labelled_spans(rows: Iterable[Mapping[Any, Any]]) -> list[LabelledSpan]:
    """The spans, in characters, and labels of one document's ``themes`` rows."""
    return [(Span(int(row["sent_id"]), int(row["start"]), int(row["end"])), str(row["label"])) for row in rows]


def read_labels(source: Source) -> dict[str, list[LabelledSpan]]:
    """The labelled spans, in characters, of each document of a table ``themes``."""
    if source.data is not None:
        raise InputError("a table inside an archive", file=source.name, remedy="unpack the archive")
    documents = read_table(source.path, "themes").groupby("doc_id", sort=False)
    return {str(name): labelled_spans(rows.to_dict("records")) for name, rows in documents}
