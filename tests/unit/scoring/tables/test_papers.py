"""Tables of papers: measured scores beside published ones, stars, means, and what LaTeX reads."""

import re
from collections.abc import Sequence

import pandas as pd
import pytest

from discourse_nmt.scoring.comparison.comparison import Comparison
from discourse_nmt.scoring.metrics.score import RANDOMISATION, Score
from discourse_nmt.scoring.tables.papers import (
    MeasuredCell,
    PaperComparison,
    comparison,
    escaped,
    latex_of_paper,
    markdown_of_paper,
    stars,
)
from discourse_nmt.scoring.tables.scores import score_table


def scored(experiment: str, values: Sequence[float], p: float | None = None, metric: str = "s-BLEU") -> pd.DataFrame:
    """Scores of an experiment, one for each seed, and a test against base."""
    names = {"corpus": "c", "experiment": experiment, "system": "s", "test_set": "test"}
    tables = []
    for seed, value in enumerate(values, start=1):
        scores = [Score(metric, value, "x")]
        if p is not None:
            compared = Comparison("base", [(1, 1)])
            scores += [compared.difference(metric, value - 20, "x")]
            scores += [compared.p(metric, RANDOMISATION, "documents", p, "x")]
        tables.append(score_table(scores, seed=seed, **names))
    return pd.concat(tables, ignore_index=True)


def cell(published: str, experiment: str = "", metric: str = "s-BLEU") -> MeasuredCell:
    return MeasuredCell(published, "c", experiment, "test", metric) if experiment else MeasuredCell(published)


SCORES = pd.concat([scored("base", [20.0]), scored("better", [21.234], 0.004), scored("worse", [19.0], 0.0001)])


def table() -> PaperComparison:
    rows = {
        "Base": [cell("24.80", "base"), cell("-"), MeasuredCell("24.8", mean_of=[0])],
        "Better": [cell("25.61↑", "better"), cell("27.84"), MeasuredCell("-", mean_of=[0])],
        "Worse": [cell("-", "worse"), cell("-"), cell("-")],
    }
    return comparison("paper, table 2: BLEU", ["a note"], ["TED s", "TED d", "Avg"], rows, SCORES)


def test_measured_numbers_stand_beside_published_ones() -> None:
    cells = table().cells()
    assert list(cells) == ["system", "TED s", "TED s, published", "TED d", "TED d, published", "Avg", "Avg, published"]
    assert cells.to_numpy().tolist() == [
        ["Base", "20.00", "24.80", "–", "–", "20.0", "24.8"],
        ["Better", "21.23 **", "25.61↑", "–", "27.84", "21.2", "–"],
        ["Worse", "19.00 ↓***", "–", "–", "–", "–", "–"],
    ]


@pytest.mark.parametrize(("p", "mark"), [(0.2, ""), (0.04, "*"), (0.009, "**"), (0.0009, "***")])
def test_stars_have_three_levels(p: float, mark: str) -> None:
    scores = pd.concat([scored("base", [20.0]), scored("one", [21.0], p)])
    assert stars(scores)["c", "test", "one", "s-BLEU"] == mark
    lower = pd.concat([scored("base", [20.0], metric="TER"), scored("one", [21.0], p, metric="TER")])
    assert stars(lower)["c", "test", "one", "TER"] == (mark and f"↓{mark}")


def test_seeds_are_averaged_before_their_spread() -> None:
    scores = pd.concat([scored("one", [10.0, 12.0]), scored("two", [20.0, 20.0])])
    rows = {"row": [cell("-", "one"), cell("-", "two"), MeasuredCell("-", mean_of=[0, 1])]}
    (_, texts), *_ = comparison("t", [], ["a", "b", "mean"], rows, scores).rows
    assert [text for text, _ in texts] == ["11.00 ± 1.41", "20.00 ± 0.00", "15.50 ± 0.71"]


def test_a_mean_lacks_what_a_column_lacks() -> None:
    rows = {"row": [cell("-", "base"), cell("-", "absent"), MeasuredCell("-", mean_of=[0, 1])]}
    (_, texts), *_ = comparison("t", [], ["a", "b", "mean"], rows, SCORES).rows
    assert texts[2] == ("–", "–")


def test_numbers_from_files_go_before_the_table_of_scores() -> None:
    rows = {"row": [MeasuredCell("7.36", "c", "base", "test", "added parameters", numbers=[7.3604])]}
    (_, texts), *_ = comparison("t", [], ["added"], rows, SCORES).rows
    assert texts == [("7.36", "7.36")]


def test_a_column_without_published_numbers_has_one_column() -> None:
    rows = {"row": [cell("-", "base")]}
    assert list(comparison("t", [], ["BLEU"], rows, SCORES).cells()) == ["system", "BLEU"]


def test_markdown_has_title_table_and_notes() -> None:
    text = markdown_of_paper(table())
    assert text.startswith("**paper, table 2: BLEU**\n\n| system")
    assert "a note" in text and "Compared: better, worse with base" in text
    assert "(p < 0.05, 0.01, 0.001)" in text


def test_latex_is_whole() -> None:
    text = latex_of_paper(table())
    assert text.count(r"\begin{") == text.count(r"\end{") == 2
    columns = re.search(r"\\begin\{tabular\}\{(l r*|l*r*)\}", text)
    assert columns and len(columns[1]) == 7
    assert all(line.count("&") == 6 for line in text.splitlines() if line.startswith(("Base", "Better", "Worse")))
    assert r"Better & 21.23 ** & 25.61$\uparrow$ & -- & 27.84 & 21.2 & -- \\" in text


def test_signs_of_latex_are_escaped() -> None:
    assert escaped("50 % of a_b & {c} \\ λ ±") == (r"50 \% of a\_b \& \{c\} \textbackslash{} $\lambda$ $\pm$")
