"""Tables of the report: contrastive accuracy, ablations, costs, drops, curves, and names of files."""

import re
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from discourse_nmt.base.errors import InputError
from discourse_nmt.scoring.charts.learning_curves import learning_curve
from discourse_nmt.scoring.comparison.comparison import Comparison
from discourse_nmt.scoring.metrics.score import BOOTSTRAP, EXACT, Score
from discourse_nmt.scoring.reports.costs import cost_chart, stage_costs, training_minutes
from discourse_nmt.scoring.reports.runs import ReportRun
from discourse_nmt.scoring.reports.tables import (
    contrastive_tables,
    corpus_statistics,
    drop_counts,
    measure_tables,
    significance_table,
)
from discourse_nmt.scoring.tables.ablations import ablations
from discourse_nmt.scoring.tables.scores import collect, score_table
from discourse_nmt.scoring.tables.summary import summarise
from discourse_nmt.workflow_scripts.report.report import experiment_of, stage_of
from discourse_nmt.workflow_scripts.report.report_documents import files_by_names, run_folders
from tests.unit.scoring.reports.test_report import metrics, scores

JOBS = [
    ("demo", "tokenise", "", 2.0, 1.5, 50.0),
    ("demo", "tokenise", "", 3.0, None, 70.0),
    ("", "collect", "", 0.1, None, None),
]
BENCHMARKS = pd.DataFrame(JOBS, columns=["corpus", "stage", "experiment", "seconds", "cpu", "memory"])


def summary(*experiments: tuple[str, str]) -> pd.DataFrame:
    """The summary of experiments given with their systems."""
    tables = [
        score_table([Score("s-BLEU", 30 + n, "v")], corpus="c", experiment=name, system=system, seed=1, test_set="test")
        for n, (name, system) in enumerate(experiments)
    ]
    return summarise(pd.concat(tables, ignore_index=True))


def test_ablations_show_what_differs_from_the_first_experiment_of_a_system() -> None:
    switches: dict[str, dict[str, Any]] = {
        "sentence": {"system": "transformer", "training.max_updates": 1500},
        "mix": {"system": "trees", "analysis": "builtin", "settings.drop_rst": 0.0, "decoding.use_tree": True},
        "gold": {"system": "trees", "analysis": "gold", "settings.drop_rst": 0.0, "decoding.use_tree": True},
        "free": {"system": "trees", "analysis": "builtin", "settings.drop_rst": 0.5, "decoding.use_tree": False},
    }
    ((corpus, test_set, system, cells),) = ablations(
        switches, summary(*((n, s["system"]) for n, s in switches.items()))
    )
    assert (corpus, test_set, system) == ("c", "test", "trees")
    assert list(cells.columns)[:4] == ["experiment", "analysis", "settings.drop_rst", "decoding.use_tree"]
    assert cells.iloc[:, :4].to_numpy().tolist() == [
        ["mix (base)", "builtin", "0.0", "true"],
        ["gold", "gold", "", ""],
        ["free", "", "0.5", "false"],
    ]
    assert [value.split()[0] for value in cells["s-BLEU"]] == ["31.00", "32.00", "33.00"]


def test_experiments_that_do_not_differ_are_no_ablation() -> None:
    switches = {"one": {"system": "trees"}, "two": {"system": "trees"}}
    assert ablations(switches, summary(("one", "trees"), ("two", "trees"))) == []


def test_a_switch_that_only_one_experiment_has_counts() -> None:
    switches: dict[str, dict[str, Any]] = {
        "one": {"system": "trees"},
        "two": {"system": "trees", "settings.x": None, "settings.y": 2},
    }
    ((*_, cells),) = ablations(switches, summary(("one", "trees"), ("two", "trees")))
    assert cells["settings.y"].tolist() == ["–", "2"]
    assert "settings.x" not in cells


def test_contrastive_table_has_a_column_per_experiment() -> None:
    both = collect([(scores(), "a"), (scores("context").assign(seed=1), "b"), (scores("context").assign(seed=2), "c")])
    ((corpus, test_set, cells),) = contrastive_tables(both)
    assert (corpus, test_set) == ("demo", "test")
    assert list(cells.columns) == ["items tested", "number", "sentence", "context"]
    assert cells.iloc[0].tolist() == ["all", "400", "62.5 [58.1, 66.7]", "62.50 ± 0.00"]
    assert cells["items tested"].tolist() == ["all", "pronoun", "distance 2"]


def test_own_translations_have_a_table_of_their_own() -> None:
    own = scores().replace({"task": {"contrastive": "generation"}})
    own = own.assign(metric=own["metric"].str.replace("contrastive", "generation"))
    table = pd.concat([scores(), own], ignore_index=True)
    given, written = contrastive_tables(table)
    assert (given[:2], written[:2]) == (("demo", "test"), ("demo", "test, own translations"))
    assert given[2].iloc[0].tolist() == written[2].iloc[0].tolist() == ["all", "400", "62.5 [58.1, 66.7]"]
    assert not any("accuracy" in measure for *_, cells in measure_tables(table) for measure in cells["measure"])


def test_all_measures_have_a_row_and_tests_are_elsewhere() -> None:
    compared = Comparison("two", [(1, 1)])
    found = [Score("s-BLEU", 30.0, "v"), compared.p("s-BLEU", EXACT, "documents", 0.03125, "seed:1")]
    names: dict[str, Any] = {"corpus": "c", "system": "s", "seed": 1, "test_set": "test"}
    table = pd.concat(
        [
            score_table([*found, compared.difference("s-BLEU", 1.0, "d")], experiment="one", **names),
            score_table([Score("s-BLEU", 29.0, "v"), Score("lexical", 0.5, "w")], experiment="two", **names),
        ],
        ignore_index=True,
    )
    ((corpus, test_set, cells),) = measure_tables(table)
    assert (corpus, test_set) == ("c", "test")
    assert list(cells.columns) == ["measure", "one", "two"]
    assert cells.to_numpy().tolist() == [["s-BLEU", "30.00", "29.00"], ["lexical", "–", "0.50"]]
    (row,) = significance_table(table).to_numpy().tolist()
    assert row == [
        "c",
        "test",
        "one",
        "s-BLEU",
        "exact randomisation",
        "documents",
        "0.0312",
        "seed:1|baseline:two|seeds:1/1",
    ]


def test_of_several_seeds_the_tests_over_all_of_them_are_shown() -> None:
    found = [
        Comparison("base", seeds).p("s-BLEU", BOOTSTRAP, "sentences", value, "v")
        for seeds, value in (([(1, 1)], 0.5), ([(1, 1), (2, 2)], 0.25))
    ]
    table = score_table(found, corpus="c", experiment="e", system="s", seed=1, test_set="test")
    assert significance_table(table)["p"].tolist() == ["0.2500"]
    assert significance_table(table.head(1))["p"].tolist() == ["0.5000"]


def test_an_accuracy_without_its_interval_is_refused() -> None:
    table = scores()
    with pytest.raises(InputError, match="lacks an interval"):
        contrastive_tables(table[~table["metric"].str.startswith("contrastive accuracy, upper bound")])


def test_stage_costs_add_up_jobs() -> None:
    assert stage_costs(BENCHMARKS).to_numpy().tolist() == [
        ["demo", "tokenise", "2", "5.0", "3.0", "1.5", "70"],
        ["", "collect", "1", "0.1", "0.1", "–", "–"],
    ]


def test_cost_chart_has_a_bar_per_stage() -> None:
    drawing = cost_chart(BENCHMARKS)
    assert drawing.startswith("<svg") and drawing.count('aria-roledescription="bar"') == 2
    assert cost_chart(BENCHMARKS.head(0)) == ""


def test_drops_are_counted_by_reason() -> None:
    frame = pd.DataFrame(
        {
            "doc_id": ["a", "b", "c"],
            "line": [1, 2, None],
            "reason": ["long", "long", "short"],
            "text": list("xyz"),
        }
    )
    assert drop_counts({"demo": frame}).to_numpy().tolist() == [
        ["demo", "long", "2", "a", "x"],
        ["demo", "short", "1", "c", "z"],
    ]


def test_curve_has_a_point_per_measurement_and_none_gives_no_curve() -> None:
    frame = metrics().assign(experiment="sentence", seed=1)
    drawing = learning_curve(frame, "dev_loss")
    assert drawing.startswith("<svg") and drawing.count('aria-roledescription="point"') == 2
    assert "currentColor" in drawing
    assert learning_curve(frame.assign(dev_bleu=None), "dev_bleu") == ""


def test_experiments_of_one_colour_have_other_dashes() -> None:
    frames = [metrics().assign(experiment=f"experiment {number}", seed=1) for number in range(8)]
    drawing = learning_curve(pd.concat(frames), "dev_loss")
    lines = re.findall(r"<path[^>]*aria-roledescription=\"line mark\"[^>]*>", drawing)
    looks = [tuple(re.findall(r'stroke(?:-dasharray)?="([^"]*)"', line)) for line in lines]
    assert len(set(looks)) == 8


def test_stages_are_read_off_paths_of_benchmark_files() -> None:
    assert stage_of(Path("demo/tokenise/train/0.tsv")) == ("demo", "tokenise")
    assert stage_of(Path("demo/learn_bpe.tsv")) == ("demo", "learn_bpe")
    assert stage_of(Path("collect_scores.tsv")) == ("", "collect_scores")


def test_minutes_of_trainings_are_those_of_their_experiment() -> None:
    jobs = [
        ("c", "train", "mix", 60.0, 1.0, 1.0),
        ("c", "train", "mix", 180.0, 1.0, 1.0),
        ("c", "score", "mix", 9.0, 1.0, 1.0),
    ]
    assert training_minutes(pd.DataFrame(jobs, columns=BENCHMARKS.columns)) == {("c", "mix"): 2.0}
    assert experiment_of(Path("c/train/mix/seed1.tsv")) == "mix"
    assert experiment_of(Path("c/translate/mix/seed1/test.tsv")) == "mix"
    assert experiment_of(Path("c/tokenise/train/0.tsv")) == experiment_of(Path("collect_scores.tsv")) == ""


def test_files_are_given_with_their_names() -> None:
    shards = files_by_names(["demo/test=a=0.parquet", "demo/dev=b", "demo/test=c"], "--tokens", "CORPUS/SPLIT=FILE")
    assert shards == {("demo", "test"): ["a=0.parquet", "c"], ("demo", "dev"): ["b"]}
    for argument in ("demo=a", "demo/test/0=a", "demo/=a", "demo/test=", "demo/test", "results/demo/test.parquet"):
        with pytest.raises(InputError, match=f"--tokens {argument} is not CORPUS/SPLIT=FILE"):
            files_by_names([argument], "--tokens", "CORPUS/SPLIT=FILE")


def test_runs_are_given_with_their_names() -> None:
    assert run_folders(["demo/base/12=r/seed12"], "--runs") == {ReportRun("demo", "base", 12): Path("r/seed12")}
    with pytest.raises(InputError, match="the seed is not a whole number"):
        run_folders(["demo/base/first=r/seed12"], "--runs")
    with pytest.raises(InputError, match="is not CORPUS/EXPERIMENT/SEED=FOLDER"):
        run_folders(["r/seed12"], "--runs")


def test_statistics_of_all_corpora_are_one_table() -> None:
    frames = {name: pd.DataFrame({"split": ["test"], "pairs_in_train": [number]}) for number, name in enumerate("ab")}
    table = corpus_statistics(frames)
    assert table.columns.tolist() == ["corpus", "split", "pairs in train"]
    assert table.values.tolist() == [["a", "test", "0"], ["b", "test", "1"]]
    assert corpus_statistics({}).empty


def test_the_legend_of_curves_shows_each_line_as_it_is_drawn() -> None:
    frames = [metrics().assign(experiment=f"experiment {number}", seed=1) for number in range(8)]
    drawing = learning_curve(pd.concat(frames), "dev_loss")
    look = re.compile(r'stroke="([^"]*)"[^>]*stroke-dasharray="([^"]*)"')
    lines = [look.search(path) for path in re.findall(r'<path[^>]*aria-roledescription="line mark"[^>]*>', drawing)]
    legend = drawing.partition('aria-roledescription="legend"')[2]
    symbols = re.findall(r'<path[^>]*d="M-[\d.]+,0L[\d.]+,0"[^>]*>', legend)
    assert [look.search(path)[0] for path in symbols] == [line[0] for line in lines if line]  # type: ignore[index]
    assert re.findall(r">(experiment \d)<", legend) == [f"experiment {number}" for number in range(8)]
