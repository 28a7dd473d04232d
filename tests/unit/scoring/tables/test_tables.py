"""The long table and the summary."""

import math
import statistics

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discourse_nmt.base.errors import InputError
from discourse_nmt.scoring.comparison.comparison import Comparison
from discourse_nmt.scoring.metrics.score import ItemSubset, Score, analyser_score, item_score
from discourse_nmt.scoring.tables.narrow import WIDTH
from discourse_nmt.scoring.tables.scores import COLUMNS, collect, parse, render, score_table
from discourse_nmt.scoring.tables.summary import (
    IN_REPORT,
    MAIN,
    alignment_table,
    markdown,
    signatures,
    spread,
    summarise,
)

HEADER = "\t".join(COLUMNS)
NO_PARTS = "\t" * 11
ROW = f"demo\tsentence\ttransformer\t1\ttest\ts-BLEU\t31.5\tnrefs:1{NO_PARTS}"


def run(seed: int, *scores: tuple[str, float], experiment: str = "sentence", signature: str = "v1") -> pd.DataFrame:
    found = [Score(metric, value, signature) for metric, value in scores]
    names = {"corpus": "demo", "experiment": experiment, "system": "transformer", "test_set": "test"}
    return score_table(found, seed=seed, **names)


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=5))
def test_numbers_are_read_back_to_the_last_digit(numbers: list[float]) -> None:
    table = run(1, *((f"m{index}", number) for index, number in enumerate(numbers)))
    again = parse(render(table), file="s.tsv")
    assert again["value"].tolist() == numbers
    assert again.to_dict("records") == table.to_dict("records")


def test_long_form() -> None:
    assert render(run(7, ("sentences", 12), ("s-BLEU", 100 / 3), signature="a|b")).split("\n") == [
        HEADER,
        f"demo\tsentence\ttransformer\t7\ttest\tsentences\t12\ta|b{NO_PARTS}",
        f"demo\tsentence\ttransformer\t7\ttest\ts-BLEU\t{100 / 3!r}\ta|b{NO_PARTS}",
        "",
    ]


def test_parts_of_names_are_read_back() -> None:
    comparison = Comparison("base", [(1, 1), (2, 1)])
    found = [
        item_score("contrastive", "accuracy", ItemSubset("distance", "2"), 50, "v"),
        analyser_score("edu", "EDU F1", "predicted", 50, "v"),
        comparison.difference("comet", 1, "v", "higher"),
        comparison.p("comet", "approximate randomisation", "groups", 0.5, "v", "higher"),
    ]
    table = score_table(found, corpus="c", experiment="own", system="s", seed=1, test_set="test")
    text = render(table)
    pd.testing.assert_frame_equal(parse(text, file="s.tsv"), table)
    assert [line.split("\t")[8:] for line in text.splitlines()] == [
        ["task", "figure", "setting", "by", "subset", "compared", "test", "units", "pooled", "baseline", "better"],
        ["contrastive", "accuracy", "", "distance", "2", *[""] * 6],
        ["edu", "EDU F1", "predicted", *[""] * 8],
        [*[""] * 5, "comet", "", "", "yes", "base", "higher"],
        [*[""] * 5, "comet", "approximate randomisation", "groups", "yes", "base", "higher"],
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "s.tsv:1: not a table of scores"),
        ("corpus\tvalue\n", "s.tsv:1: not a table of scores"),
        (f"{HEADER}\n{ROW}\nx\ty\n", "s.tsv:3: not 19 columns"),
        (f"{HEADER}\n{ROW.replace('31.5', 'many')}\n", "s.tsv:2: seed or value is not a number"),
        (f"{HEADER}\n{ROW}\n{ROW}\n", "s.tsv:3: s-BLEU is given twice"),
    ],
)
def test_other_files_are_input_errors(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        parse(text, file="s.tsv")


@pytest.mark.parametrize("name", ["a\tb", "a\nb", "a\rb"])
def test_names_that_would_break_the_table_are_input_errors(name: str) -> None:
    with pytest.raises(InputError, match="has a tab or a line break"):
        render(run(1, ("s-BLEU", 1.0), experiment=name))


def test_collecting_keeps_order_and_refuses_a_number_given_twice() -> None:
    tables = [(run(2, ("s-BLEU", 2.0)), "b.tsv"), (run(1, ("s-BLEU", 1.0)), "a.tsv")]
    assert collect(tables)["seed"].tolist() == [2, 1]
    with pytest.raises(InputError, match=r"a\.tsv: s-BLEU of sentence \(seed 1\) on demo test is also in another"):
        collect([*tables, tables[1]])


def test_spread() -> None:
    assert spread([]) == "–"
    assert spread([31.416]) == "31.42"
    assert spread([30.0, 31.0, 35.0]) == f"32.00 ± {statistics.stdev([30, 31, 35]):.2f}"
    assert spread([5.0, 5.0]) == "5.00 ± 0.00"


def test_summary_has_one_row_per_experiment_and_test_set() -> None:
    scores = collect(
        [
            (run(1, ("TER", 50.0), ("s-BLEU", 30.0), ("sentences", 9)), "a"),
            (run(2, ("TER", 52.0), ("s-BLEU", 32.0), ("sentences", 9)), "b"),
            (run(1, ("s-BLEU", 33.0), experiment="context"), "c"),
        ]
    )
    assert summarise(scores).to_dict("records") == [
        {
            "corpus": "demo",
            "test set": "test",
            "experiment": "sentence",
            "system": "transformer",
            "seeds": "2",
            "s-BLEU": f"31.00 ± {math.sqrt(2):.2f}",
            "TER": f"51.00 ± {math.sqrt(2):.2f}",
        },
        {
            "corpus": "demo",
            "test set": "test",
            "experiment": "context",
            "system": "transformer",
            "seeds": "1",
            "s-BLEU": "33.00",
            "TER": "–",
        },
    ]


def test_seeds_scored_in_different_ways_are_not_averaged() -> None:
    scores = collect([(run(1, ("s-BLEU", 1.0)), "a"), (run(2, ("s-BLEU", 2.0), signature="v2"), "b")])
    with pytest.raises(InputError, match="s-BLEU of experiment sentence on demo test was computed in different ways"):
        summarise(scores)


def rows_of_tables(text: str) -> list[list[list[str]]]:
    """The cells of every table of a Markdown text."""
    blocks = [block for block in text.strip().split("\n\n") if block.startswith("|")]
    return [[[cell.strip() for cell in row.strip("|").split("|")] for row in block.split("\n")] for block in blocks]


def test_markdown_shares_names_and_lists_signatures() -> None:
    text = markdown(run(1, ("s-BLEU", 31.4159), ("d-BLEU (document)", 33.0), signature="nrefs:1|tok:13a"))
    shared, table, _, how = text.strip().split("\n\n")
    assert shared == "Corpus demo, test set test, seeds 1:"
    assert rows_of_tables(table)[0][0] == ["experiment", "system", "s-BLEU", "d-BLEU (document)"]
    assert rows_of_tables(table)[0][2] == ["sentence", "transformer", "31.42", "33.00"]
    assert how.split("\n")[0] == "- s-BLEU (demo): nrefs:1|tok:13a"


def test_a_length_ratio_has_three_decimals_and_is_best_at_1() -> None:
    text = markdown(run(1, ("s-BLEU", 31.4159), ("length ratio", 0.91449)))
    assert rows_of_tables(text)[0][2] == ["sentence", "transformer", "31.42", "0.914"]
    assert "length ratio: 1 is as long as the references" in text.replace("\n", " ")


def test_markdown_fits_a_terminal_and_shows_each_metric_once() -> None:
    metrics = [metric for metric in MAIN if metric not in IN_REPORT]
    tables = [
        run(seed, *((metric, 10.0 * seed) for metric in MAIN), experiment=name, signature="a:1|" * 30)
        for name in ("sentence", "a long name")
        for seed in (1, 2)
    ]
    text = markdown(pd.concat(tables))
    assert max(map(len, text.split("\n"))) <= WIDTH
    assert "a:1|" * 30 in text.replace("\n  ", "").replace("\n- ", "\n")
    cells = rows_of_tables(text)
    assert len(cells) > 1
    assert [name for table in cells for name in table[0] if name in MAIN] == metrics
    assert all([row[0] for row in table[2:]] == ["sentence", "a long name"] for table in cells)
    values = {value for table in cells for row in table[2:] for value in row[1:] if "±" in value}
    assert values == {"15.00 ± 7.07", "15.000 ± 7.071"}  # the second of the length ratio


def test_only_the_first_table_has_rows_without_values() -> None:
    own = run(1, *((metric, 10.0) for metric in MAIN))
    rule = run(1, ("generation accuracy (all)", 60.0), experiment="last in the scene")
    tables = rows_of_tables(markdown(pd.concat([own, rule])))
    with_rule = [[row[0] for row in table[2:]] == ["sentence", "last in the scene"] for table in tables]
    assert with_rule == [number == 0 or "generation accuracy (all)" in table[0] for number, table in enumerate(tables)]
    assert 1 < sum(with_rule) < len(tables)


def test_what_texts_of_other_systems_leave_out_is_told_where_they_do() -> None:
    counts = ("omitted sentences", "added texts", "documents without a translation")
    own = [
        run(seed, ("s-BLEU", 30.0), *zip(counts, numbers), experiment=name)
        for name, seed, numbers in [("whole", 1, (0, 0, 0)), ("gpt", 1, (3, 0, 1)), ("gpt", 2, (5, 0, 1))]
    ]
    table = alignment_table(pd.concat(own))
    assert table["experiment"].tolist() == ["gpt"]
    assert table[list(counts)].values.tolist() == [["4 ± 1", "0 ± 0", "1 ± 0"]]
    shown = " ".join(markdown(pd.concat(own)).split())
    assert "| gpt | 4 ± 1 | 0 ± 0 | 1 ± 0 |" in shown and "a sentence left out is scored as empty" in shown
    assert "left out" not in markdown(own[0])


def test_names_that_differ_stay_columns() -> None:
    other = run(1, ("s-BLEU", 2.0)).assign(corpus="other")
    text = markdown(pd.concat([run(1, ("s-BLEU", 1.0)), other]))
    assert rows_of_tables(text)[0][0] == ["corpus", "experiment", "system", "s-BLEU"]
    assert text.startswith("Test set test, seeds 1:")


def test_signatures_of_metrics() -> None:
    assert signatures(run(1, ("s-BLEU", 1.0)))["signature"].tolist() == ["v1"]
