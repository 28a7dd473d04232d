"""Theme-rheme labels of documents (Halliday and Matthiessen 2014, chapter 3), by the rules of their language."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from discourse_nmt.discourse.structures.mentions import Span, check_edus
from discourse_nmt.discourse.structures.syntax import Syntax
from discourse_nmt.discourse.themes.chinese import clauses as chinese
from discourse_nmt.discourse.themes.english import clauses as english
from discourse_nmt.discourse.themes.english.clauses import MoodedClause
from discourse_nmt.discourse.themes.pieces import Clause
from discourse_nmt.discourse.themes.sentence import SentenceTree

RULES: Mapping[str, Callable[[SentenceTree, Sequence[Span]], Sequence[Clause]]] = {
    "en": english.clauses_of_sentence,
    "zh": chinese.clauses_of_sentence,
}


@dataclass(frozen=True, slots=True)
class ThemeSpan:
    """A span of words with its label: theme-topical, theme-textual, theme-interpersonal or rheme."""

    span: Span
    label: str


def label_themes(sentences: Sequence[Syntax], edus: Sequence[Span] = (), language: str = "en") -> list[ThemeSpan]:
    """Themes and rhemes of a document in text order, as word spans that tile its sentences.

    ``edus`` are the document's discourse units as word spans. Each unit that is a clause has its own theme and rheme,
    and no span crosses the end of a unit. Without ``edus`` each sentence is divided once. ``language`` is a key of
    :data:`RULES`. Raises :class:`.StructureError` if units do not tile the sentences or words have no dependencies.
    """
    spans: list[ThemeSpan] = []
    for tree, units in _trees_and_units(sentences, edus):
        for clause in RULES[language](tree, units):
            labels = iter(clause.labels)
            for unit in clause.unit.spans:
                start = unit.start
                for label, words in groupby([next(labels) for _ in range(unit.start, unit.end)]):
                    end = start + sum(1 for _ in words)
                    spans.append(ThemeSpan(Span(unit.sentence, start, end), label))
                    start = end
    return sorted(spans, key=lambda theme: (theme.span.sentence, theme.span.start))


def clauses_of(sentences: Sequence[Syntax], edus: Sequence[Span] = ()) -> list[MoodedClause]:
    """The clauses of an English document with mood, labels and markedness, in order of their first words.

    Arguments and errors as for :func:`label_themes`.
    """
    return [
        clause
        for tree, units in _trees_and_units(sentences, edus)
        for clause in english.clauses_of_sentence(tree, units)
    ]


def _trees_and_units(sentences: Sequence[Syntax], edus: Sequence[Span]) -> Iterator[tuple[SentenceTree, list[Span]]]:
    lengths = [len(sentence.forms) for sentence in sentences]
    if edus:
        check_edus(edus, lengths)
    else:
        edus = [Span(number, 0, length) for number, length in enumerate(lengths) if length]
    for number, units in groupby(edus, key=lambda edu: edu.sentence):
        yield SentenceTree(number, sentences[number]), list(units)
