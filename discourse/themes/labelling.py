"""Theme-rheme labels of documents (Halliday and Matthiessen 2014, chapter 3), for English."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from discourse_nmt.discourse.structures.mentions import Span, check_edus
from discourse_nmt.discourse.structures.syntax import Syntax
from discourse_nmt.discourse.themes.clauses import Clause, analyse
from discourse_nmt.discourse.themes.division import divide
from discourse_nmt.discourse.themes.sentence import SentenceTree


@dataclass(frozen=True, slots=True)
class ThemeSpan:
    """A span of words with its label: theme-topical, theme-textual, theme-interpersonal or rheme."""

    span: Span
    label: str


def label_themes(sentences: Sequence[Syntax], edus: Sequence[Span] = ()) -> list[ThemeSpan]:
    """Themes and rhemes of a document in text order, as word spans that tile its sentences.

    ``edus`` are the document's discourse units as word spans. Each unit that is a clause has its own theme and rheme,
    and no span crosses the end of a unit. Without ``edus`` each sentence is divided once, by its main clause. Raises
    :class:`.StructureError` if units do not tile the sentences or words have no dependencies.
    """
    spans: list[ThemeSpan] = []
    for clause in clauses_of(sentences, edus):
        labels = iter(clause.labels)
        for unit in clause.unit.spans:
            start = unit.start
            for label, words in groupby([next(labels) for _ in range(unit.start, unit.end)]):
                end = start + sum(1 for _ in words)
                spans.append(ThemeSpan(Span(unit.sentence, start, end), label))
                start = end
    return sorted(spans, key=lambda theme: (theme.span.sentence, theme.span.start))


def clauses_of(sentences: Sequence[Syntax], edus: Sequence[Span] = ()) -> list[Clause]:
    """The clauses of a document with mood, labels and markedness, in order of their first words.

    Arguments and errors as for :func:`label_themes`.
    """
    lengths = [len(sentence.forms) for sentence in sentences]
    if edus:
        check_edus(edus, lengths)
    else:
        edus = [Span(number, 0, length) for number, length in enumerate(lengths) if length]
    clauses: list[Clause] = []
    for number, units in groupby(edus, key=lambda edu: edu.sentence):
        tree = SentenceTree(number, sentences[number])
        clauses += [analyse(tree, unit) for unit in divide(tree, list(units))]
    return clauses
