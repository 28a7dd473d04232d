"""Scores that a program of the user prints, and tests of their differences.

A line is ``segment<TAB>SCORE``, in the order of the sentences, ``document<TAB>ID<TAB>SCORE``, or ``system<TAB>SCORE``.
``-`` stands for the score of a segment, or of the whole, that there is none of, as where people judge a part.
"""

import math
from collections.abc import Sequence

import numpy as np
import pandas as pd

from discourse_nmt.base.errors import InputError
from discourse_nmt.scoring.comparison.comparison import Comparison
from discourse_nmt.scoring.comparison.significance import (
    MeanScore,
    Statistics,
    approximate_randomisation,
    mean_difference,
    summed_by_unit,
)
from discourse_nmt.scoring.metrics.score import RANDOMISATION, MetricParts, Score

FIELDS = {"segment": 2, "document": 3, "system": 2}
UNSCORED = "-"
FORM = "print segment, document or system, a tab, the document's id for document and a tab, and a number"


def parse_output(text: str, sentences: pd.DataFrame, program: str) -> pd.DataFrame:
    """The table ``metric_scores`` of what a ``program`` printed for ``sentences``, which have doc_id and sent_id.

    Other lines are ignored; a score that there is none of is NaN. Raises :class:`InputError`: a score is no finite
    number, there is not one system score, or segments or documents are not complete.
    """
    segments: list[float] = []
    documents: dict[str, float] = {}
    systems: list[float] = []
    known = dict.fromkeys(sentences["doc_id"])
    for line, content in enumerate(text.splitlines(), start=1):
        level, *fields = content.split("\t")
        if level not in FIELDS or not fields:
            continue
        unscored = fields[-1] == UNSCORED and level != "document"
        if len(fields) + 1 != FIELDS[level] or not (unscored or _is_finite(fields[-1])):
            raise InputError(f"{program} printed {content[:80]!r} in line {line}", remedy=FORM)
        score = math.nan if unscored else float(fields[-1])
        if level == "segment":
            segments.append(score)
        elif level == "system":
            systems.append(score)
        elif fields[0] in documents or fields[0] not in known:
            fault = "a second time" if fields[0] in documents else "which is not in the test set"
            raise InputError(
                f"{program} printed a score of document {fields[0][:80]} {fault}", remedy="print each once"
            )
        else:
            documents[fields[0]] = score
    if len(systems) != 1:
        raise InputError(f"{program} printed {len(systems)} system scores", remedy="print system, a tab and the score")
    for level, found, expected in (("segment", segments, sentences), ("document", documents, known)):
        if found and len(found) != len(expected):
            raise InputError(
                f"{program} printed {len(found):,} {level} scores of {len(expected):,}", remedy="print all or none"
            )
    rows: list[tuple[str, str | None, int | None, float]] = [("system", None, None, systems[0])]
    rows += [("document", document, None, documents[document]) for document in known if documents]
    if segments:
        keys = zip(sentences["doc_id"], sentences["sent_id"], segments, strict=True)
        rows += [("segment", document, int(sentence), score) for document, sentence, score in keys]
    frame = pd.DataFrame(rows, columns=["level", "doc_id", "sent_id", "score"])
    return frame.astype({"sent_id": "Int32"})


def _is_finite(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


def system_scores(scores: pd.DataFrame, metric: str, signature: str, better: str) -> list[Score]:
    """The score of the whole test set, if there is one; ``better`` is the better direction, higher or lower."""
    value = float(scores.loc[scores["level"] == "system", "score"].iloc[0])
    return [] if math.isnan(value) else [Score(metric, value, signature, MetricParts(better=better))]


def metric_tests(
    system: Sequence[pd.DataFrame],
    baseline: Sequence[pd.DataFrame],
    comparison: Comparison,
    metric: str,
    signature: str,
    better: str,
    *,
    trials: int,
    seed: int,
) -> list[Score]:
    """The difference of mean segment scores and its p-value over documents.

    Without segments it is that of mean document scores; without either there is no test. Segments count that all have a
    score of. ``system`` and ``baseline`` hold one table ``metric_scores`` for each pair of seeds.

    Raises :class:`InputError`: they have scores of different documents or segments.
    """
    levels = [set(scores["level"]) for scores in [*system, *baseline]]
    level = next((name for name in ("segment", "document") if all(name in present for present in levels)), None)
    if level is None:
        return []
    whole = [[scores[scores["level"] == level] for scores in side] for side in (system, baseline)]
    if len({len(scores) for side in whole for scores in side}) > 1:
        raise _other_documents(metric)
    scored = np.logical_and.reduce([scores["score"].notna() for side in whole for scores in side])
    if not scored.any():
        return []
    sides = [[_statistics(scores[scored]) for scores in side] for side in whole]
    first = sides[0][0][0]
    if any(documents != first for side in sides for documents, _ in side):
        raise _other_documents(metric)
    own, other = ([rows for _, rows in side] for side in sides)
    units = comparison.units_of([document for document, _ in first])
    own, other = ([summed_by_unit(rows, units) for rows in side] for side in (own, other))
    totals = [[rows.sum(0) for rows in side] for side in (own, other)]
    computed = f"{signature}|mean:{level}s"
    difference = comparison.difference(metric, mean_difference(MeanScore(), *totals), computed, better)
    if comparison.random_trainings:
        return [difference, comparison.p_of_trainings(metric, MeanScore(), own, other, computed, better)]
    value = approximate_randomisation(MeanScore(), own, other, trials, seed)
    return [
        difference,
        comparison.p(metric, RANDOMISATION, comparison.units, value, f"{computed}|ar:{trials}|seed:{seed}", better),
    ]


def _other_documents(metric: str) -> InputError:
    return InputError(f"{metric}: other documents than the baseline's", remedy="delete both and run again")


def _statistics(scores: pd.DataFrame) -> tuple[list[tuple[str, int]], Statistics]:
    """Each document with its number of scores, and the sum and number of its scores as a matrix."""
    rows = np.stack([scores["score"].to_numpy(float), np.ones(len(scores))], axis=1)
    documents = scores["doc_id"].tolist()
    summed = summed_by_unit(rows, documents)
    return list(zip(dict.fromkeys(documents), summed[:, 1].astype(int).tolist())), summed
