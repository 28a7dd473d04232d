"""Figures from counts, and tables of figures: task, metric, value, setting."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from discourse_nmt.discourse.evaluation.measures.coreference import SHARED, conll_f1
from discourse_nmt.discourse.evaluation.measures.counts import Counts, total
from discourse_nmt.discourse.evaluation.tasks import COREFERENCE, RST_DEPENDENCIES, SYNTAX, THEMES, Scores

COLUMNS = ("task", "metric", "value", "setting")


class Figure(NamedTuple):
    """One figure; ``value`` is in percent, ``setting`` is gold or predicted."""

    task: str
    metric: str
    value: float
    setting: str


def figures(scores: Sequence[Scores]) -> list[Figure]:
    """Figures over documents, by the sums of their counts (micro-average); empty counts give no figure."""
    keys = dict.fromkeys(key for document_scores in scores for key in document_scores)
    return [
        Figure(task, metric, value, setting)
        for task, setting in keys
        for metric, value in _values(task, total(of_document.get((task, setting), {}) for of_document in scores))
    ]


def figures_by_genre(genres: Sequence[str], scores: Sequence[Scores]) -> dict[str, list[Figure]]:
    """:func:`figures` of the documents of each genre; ``genres`` has one entry per document."""
    groups: dict[str, list[Scores]] = {}
    for genre, document_scores in sorted(zip(genres, scores, strict=True), key=lambda pair: pair[0]):
        groups.setdefault(genre, []).append(document_scores)
    return {genre: figures(group) for genre, group in groups.items()}


def _values(task: str, counts: Mapping[str, Counts]) -> Iterator[tuple[str, float]]:
    filled = {name: count for name, count in counts.items() if not count.empty}
    for name, count in filled.items():
        if task in (SYNTAX, RST_DEPENDENCIES):
            yield name, count.f1
        elif task == THEMES:
            yield name, count.recall
        else:
            yield f"{name} precision", count.precision
            yield f"{name} recall", count.recall
            yield f"{name} F1", count.f1
    if task == COREFERENCE and filled:
        yield "CoNLL F1", conll_f1({name: counts[name] for name in SHARED})


def write_figures(rows: Iterable[Figure]) -> str:
    """A tab-separated table with a header; values have four decimals."""
    lines = ["\t".join(COLUMNS), *map(_line, rows)]
    return "".join(f"{line}\n" for line in lines)


def write_figures_by_genre(groups: Mapping[str, Iterable[Figure]]) -> str:
    """The table of :func:`write_figures` with a first column ``genre``."""
    lines = ["\t".join(("genre", *COLUMNS))]
    lines += [f"{genre}\t{_line(row)}" for genre, rows in groups.items() for row in rows]
    return "".join(f"{line}\n" for line in lines)


def _line(row: Figure) -> str:
    return f"{row.task}\t{row.metric}\t{row.value:.4f}\t{row.setting}"
