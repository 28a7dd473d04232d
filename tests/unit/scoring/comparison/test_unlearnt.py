"""Runs in which nothing was learnt are named at the head of tables and get no verdict."""

import pandas as pd
import pytest

from discourse_nmt.scoring.comparison import marks
from discourse_nmt.scoring.comparison.comparison import Comparison
from discourse_nmt.scoring.comparison.gains import COLUMNS, WHOLE
from discourse_nmt.scoring.comparison.unlearnt import unlearnt_note, unlearnt_runs
from discourse_nmt.scoring.metrics.score import RANDOMISATION, Score
from discourse_nmt.scoring.reports.overview.headline import headlines
from discourse_nmt.scoring.reports.overview.pictures import galleries
from discourse_nmt.scoring.reports.page import Tables, page
from discourse_nmt.scoring.reports.tables import significance_table
from discourse_nmt.scoring.tables.papers import MeasuredCell, comparison
from discourse_nmt.scoring.tables.scores import score_table
from discourse_nmt.scoring.tables.summary import markdown
from discourse_nmt.workflow_scripts.report.report import page_templates


def run(
    name: str, bleu: float, distinct: int | None = 90, *, seed: int = 1, baseline: str = "", test_set: str = "test"
) -> pd.DataFrame:
    """Scores of 100 sentences; one with a ``baseline`` is 2 points better, p = 0.001."""
    scores = [Score("s-BLEU", bleu, "v"), Score("sentences", 100, "count")]
    scores += [] if distinct is None else [Score("distinct translations", distinct, "count")]
    if baseline:
        compared = Comparison(baseline, [(seed, 1)])
        scores.append(compared.difference("s-BLEU", 2.0, "v"))
        scores.append(compared.p("s-BLEU", RANDOMISATION, "documents", 0.001, "v"))
    return score_table(scores, corpus="c", experiment=name, system="s", seed=seed, test_set=test_set)


def table(*parts: pd.DataFrame) -> pd.DataFrame:
    return pd.concat(parts, ignore_index=True)


@pytest.mark.parametrize(
    ("bleu", "distinct", "unlearnt"),
    [(0.9, 90, True), (1.0, 90, False), (0.9, None, True), (5.0, 10, True), (5.0, 11, False), (10.0, 1, False)],
)
def test_bleu_near_zero_or_translations_alike_tell_that_nothing_was_learnt(
    bleu: float, distinct: int | None, unlearnt: bool
) -> None:
    assert unlearnt_runs(run("one", bleu, distinct)) == ([("c", "one", 1)] if unlearnt else [])


def test_one_test_set_that_was_translated_shows_that_something_was_learnt() -> None:
    assert unlearnt_runs(table(run("one", 0.1), run("one", 20.0, test_set="other"))) == []
    assert unlearnt_runs(table(run("one", 0.1), run("one", 20.0, seed=2))) == [("c", "one", 1)]


@pytest.mark.parametrize("broken", ["base", "one"])
def test_no_verdict_is_drawn_beside_a_run_that_learnt_nothing(broken: str) -> None:
    bleu = {"base": 20.0, "one": 22.0, "good": 22.0, "other": 20.0} | {broken: 0.2}
    scores = table(
        run("base", bleu["base"]),
        run("one", bleu["one"], baseline="base"),
        run("other", bleu["other"]),
        run("good", bleu["good"], baseline="other"),
    )
    assert [names[2] for names in marks.tested_differences(scores)] == ["good"]
    assert marks.marks(scores) == {("c", "test", "good", "s-BLEU"): "⇑"}
    assert marks.legend(scores).startswith("Compared: good with other. ")
    assert significance_table(scores)["experiment"].tolist() == ["good"]
    (found,) = headlines(scores, {}, {})
    assert [outcome.experiment for outcome in found.outcomes] == ["good"]
    gains = pd.DataFrame([[WHOLE, WHOLE, 9, 2.0, 1.0, 3.0]] * 3, columns=COLUMNS)
    gains = gains.assign(experiment=["one", "good", "good"], baseline="base")
    (gallery,) = galleries(scores, {("c", "test"): gains}, {})
    assert ">one<" not in gallery.pictures[0].drawing and ">good<" in gallery.pictures[0].drawing


def test_the_heads_of_table_and_report_name_the_run_and_the_remedy() -> None:
    scores = table(run("base", 20.0), run("one", 0.2, baseline="base"))
    note = unlearnt_note(scores)
    assert (
        note.startswith("Nothing was learnt: one (seed 1) on c. Their s-BLEU is near zero") and "train longer" in note
    )
    assert " ".join(markdown(scores).split()).startswith(note)
    html = page(page_templates(), [], [], "report", Tables(scores), [])
    assert note in html.partition("<h2")[0]
    of_paper = comparison("t", ["a note"], ["x"], {"row": [MeasuredCell("1", "c", "one", "test", "s-BLEU")]}, scores)
    assert of_paper.notes == [note, "a note"]
    learnt = table(run("base", 20.0), run("one", 22.0, baseline="base"))
    assert unlearnt_note(learnt) == "" and markdown(learnt).startswith("Corpus c")
    assert "Nothing was learnt" not in page(page_templates(), [], [], "report", Tables(learnt), [])
