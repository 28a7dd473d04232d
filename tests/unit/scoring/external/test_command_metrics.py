"""Metrics that the user runs: their output, their tests of significance, their place in tables."""

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discourse_nmt.base.errors import InputError
from discourse_nmt.scoring.comparison.comparison import Comparison
from discourse_nmt.scoring.comparison.marks import marks
from discourse_nmt.scoring.external.command_metrics import metric_tests, parse_output, system_scores
from discourse_nmt.scoring.metrics.score import RANDOMISATION, MetricParts, Score, command_signature, with_baseline
from discourse_nmt.scoring.metrics.translation import translation_scores
from discourse_nmt.scoring.reports.tables import measure_tables
from discourse_nmt.scoring.tables.scores import score_table
from discourse_nmt.scoring.tables.summary import markdown, summarise

SENTENCES = pd.DataFrame({"doc_id": ["b", "b", "a"], "sent_id": [0, 1, 0]})
COMPARISON = Comparison("base", [(1, 1)])


def output(*segments: float, system: float = 0.5) -> pd.DataFrame:
    return parse_output("".join(f"segment\t{score}\n" for score in segments) + f"system\t{system}\n", SENTENCES, "x")


def test_scores_of_all_levels_are_read() -> None:
    text = "loading\nsegment\t1\nsegment\t2e-1\nINFO\tdone\nsegment\t-3\nsystem\t0.25\ndocument\ta\t4\ndocument\tb\t5\n"
    table = parse_output(text, SENTENCES, "x")
    assert table[["level", "doc_id", "score"]].fillna("").values.tolist() == [
        ["system", "", 0.25],
        ["document", "b", 5],
        ["document", "a", 4],
        ["segment", "b", 1],
        ["segment", "b", 0.2],
        ["segment", "a", -3],
    ]
    assert table["sent_id"].dropna().tolist() == [0, 1, 0]
    assert system_scores(table, "m", "s", "lower") == [Score("m", 0.25, "s", MetricParts(better="lower"))]


def test_a_program_need_not_score_everything() -> None:
    """As people judge some documents of some systems."""
    table = parse_output("segment\t-\nsegment\t2\nsegment\t-\nsystem\t-\n", SENTENCES, "x")
    assert table[table["level"] == "segment"]["score"].isna().tolist() == [True, False, True]
    assert system_scores(table, "m", "s", "higher") == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "comet printed 0 system scores"),
        ("system\t1\nsystem\t1\n", "comet printed 2 system scores"),
        ("segment\t1\nsystem\t1\n", "comet printed 1 segment scores of 3; print all or none"),
        ("document\ta\t1\nsystem\t1\n", "comet printed 1 document scores of 2; print all or none"),
        ("document\ta\t1\ndocument\ta\t1\n", "comet printed a score of document a a second time"),
        ("document\tz\t1\n", "comet printed a score of document z which is not in the test set"),
        ("document\ta\t-\n", r"comet printed 'document\\ta\\t-' in line 1"),
        ("system\tnan\n", r"comet printed 'system\\tnan' in line 1; print segment, document or system, a tab"),
        ("system\t1,5\n", "comet printed"),
        ("segment\t0\t1\n", "comet printed"),
    ],
)
def test_other_output_is_one_line(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        parse_output(text, SENTENCES, "comet")


def exact_p(own: pd.DataFrame, other: pd.DataFrame) -> float:
    """The share of all exchanges of documents whose difference of mean segment scores is at least the observed one."""
    sides = [frame[frame["level"] == "segment"]["score"].to_numpy() for frame in (own, other)]
    documents = own[own["level"] == "segment"]["doc_id"].to_numpy()
    names = list(dict.fromkeys(documents))
    observed = abs(sides[0].mean() - sides[1].mean())
    reached = 0
    for exchanged in itertools.product([False, True], repeat=len(names)):
        swap = np.isin(documents, [name for name, value in zip(names, exchanged) if value])
        first, second = np.where(swap, sides[1], sides[0]), np.where(swap, sides[0], sides[1])
        reached += abs(first.mean() - second.mean()) >= observed - 1e-9
    return reached / 2 ** len(names)


@settings(max_examples=20, deadline=None)
@given(st.lists(st.tuples(*[st.floats(-2, 2)] * 2), min_size=12, max_size=12))
def test_the_p_value_is_that_of_all_exchanges_of_documents(pairs: list[tuple[float, float]]) -> None:
    sentences = pd.DataFrame({"doc_id": np.repeat(list("abcde"), [1, 2, 3, 4, 2]), "sent_id": 0})
    own, other = (
        parse_output("".join(f"segment\t{pair[side]!r}\n" for pair in pairs) + "system\t0\n", sentences, "x")
        for side in (0, 1)
    )
    difference, p = metric_tests([own], [other], COMPARISON, "m", "s", "higher", trials=4000, seed=1)
    assert difference.metric == "difference (m)"
    assert difference.value == pytest.approx(np.mean([first - second for first, second in pairs]))
    assert p.metric == "p (m, approximate randomisation over documents)"
    assert p.value == pytest.approx(exact_p(own, other), abs=0.05)
    assert p.signature == "s|mean:segments|ar:4000|seed:1|baseline:base|seeds:1/1"


def test_groups_are_exchanged_as_a_whole() -> None:
    """Ten documents in which the system is better: ten fair coins, or two if they are in two groups."""
    sentences = pd.DataFrame({"doc_id": [f"{group}{number}" for group in "ab" for number in range(5)], "sent_id": 0})
    own, other = (parse_output(f"segment\t{score}\n" * 10 + "system\t0\n", sentences, "x") for score in (1, 0))
    apart, together = (
        metric_tests([own], [other], Comparison("base", [(1, 1)], groups), "m", "s", "higher", trials=4000, seed=1)[1]
        for groups in ("", "[ab]")
    )
    assert apart.value < 0.02 and apart.metric == "p (m, approximate randomisation over documents)"
    assert together.value == pytest.approx(0.5, abs=0.05)
    assert together.metric == "p (m, approximate randomisation over groups)"


def test_several_seeds_are_tested_together_and_equal_systems_do_not_differ() -> None:
    own, other = output(1, 2, 3), output(0, 1, 2)
    pooled = Comparison("base", [(1, 1), (2, 1)])
    difference, p = metric_tests([own, other], [other, other], pooled, "m", "s", "higher", trials=50, seed=1)
    assert difference == Score(
        "difference, all seeds (m)",
        0.5,
        with_baseline("s|mean:segments", "base", pooled.seeds),
        MetricParts(compared="m", pooled="yes", baseline="base", better="higher"),
    )
    assert p.metric == "p, all seeds (m, approximate randomisation over documents)"
    apart = Comparison("base", [(1, 1), (2, 2)])
    _, p = metric_tests([own, other], [other, output(0, 0, 1)], apart, "m", "s", "higher", trials=50, seed=1)
    assert p.metric == "p, all seeds (m, mixed model over documents and seeds)"
    assert p.signature.startswith("s|mean:segments|baseline") and p.parts.better == "higher" and 0 < p.value < 1
    assert metric_tests([own], [own], COMPARISON, "m", "s", "higher", trials=50, seed=1)[1].value == 1


def test_documents_are_compared_where_there_are_no_segments_and_nothing_without_either() -> None:
    own, other = (
        parse_output(f"document\ta\t{a}\ndocument\tb\t{b}\nsystem\t9\n", SENTENCES, "x") for a, b in [(1, 2), (0, 0)]
    )
    difference, p = metric_tests([own], [other], COMPARISON, "m", "s", "higher", trials=50, seed=1)
    assert difference.value == 1.5 and "|mean:documents|" in p.signature
    assert metric_tests([output()], [other], COMPARISON, "m", "s", "higher", trials=50, seed=1) == []


def test_segments_are_compared_where_there_are_documents_too() -> None:
    own, other = (
        parse_output(
            2 * f"segment\t{b}\n" + f"segment\t0\ndocument\ta\t0\ndocument\tb\t{b}\nsystem\t9\n", SENTENCES, "x"
        )
        for b in (3, 0)
    )
    difference, p = metric_tests([own], [other], COMPARISON, "m", "s", "higher", trials=50, seed=1)
    assert difference.value == 2 and "|mean:segments|" in p.signature


def test_other_documents_are_an_error() -> None:
    other = output(1, 2, 3)
    other.loc[other["doc_id"] == "a", "doc_id"] = "c"
    with pytest.raises(InputError, match="m: other documents than the baseline's"):
        metric_tests([output(1, 2, 3)], [other], COMPARISON, "m", "s", "higher", trials=50, seed=1)


def test_a_signature_tells_the_program_and_the_direction() -> None:
    higher = command_signature(["/opt/a|b/comet|x", "--gpu"], "higher")
    assert higher.startswith("program:cometx|command:") and higher.endswith("|better:higher")
    assert command_signature(["x", "a"], "lower") != command_signature(["x", "b"], "lower")


def table(better: str, value: float, difference: float, p: float) -> pd.DataFrame:
    """A system and its baseline, scored by a metric of the user."""
    signature = command_signature(["x"], better)
    alone = Score("comet", value, signature, MetricParts(better=better))
    own = [
        alone,
        COMPARISON.difference("comet", difference, f"{signature}|mean:segments", better),
        COMPARISON.p("comet", RANDOMISATION, "documents", p, f"{signature}|mean:segments", better),
    ]
    scores = {"base": [alone], "own": own}
    tables = [
        score_table(of_one, corpus="news", experiment=name, system="transformer", seed=1, test_set="test")
        for name, of_one in scores.items()
    ]
    return pd.concat(tables, ignore_index=True)


@pytest.mark.parametrize(
    ("better", "difference", "mark"),
    [("higher", 0.1, "⇑"), ("higher", -0.1, "⇓"), ("lower", 0.1, "⇓"), ("lower", -0.1, "⇑")],
)
def test_marks_follow_the_better_direction(better: str, difference: float, mark: str) -> None:
    scores = table(better, 0.81234, difference, 0.001)
    assert marks(scores) == {("news", "test", "own", "comet"): mark}
    assert summarise(scores)["comet"].tolist() == ["0.8123", f"0.8123 {mark}"]
    assert ("comet: lower is better" in " ".join(markdown(scores).split()).replace("TER, ", "")) == (better == "lower")
    [(_, _, cells)] = measure_tables(scores)
    assert cells.iloc[0].tolist() == ["comet", "0.8123", "0.8123"]


def test_scores_beyond_one_have_two_decimals() -> None:
    assert summarise(table("higher", 81.234, 1, 1))["comet"].tolist() == ["81.23", "81.23"]


def test_names_of_the_project_s_own_metrics_are_known() -> None:
    from discourse_nmt.workflow.checks.metrics import OWN_METRICS

    pairs = pd.DataFrame(
        {
            "doc_id": ["a"],
            "sent_id": [0],
            "hypothesis": ["x"],
            "reference": ["x"],
            "hypothesis_tokens": [["x"]],
            "reference_tokens": [["x"]],
            "instance": [0],
        }
    )
    names = {score.metric for score in translation_scores(pairs, language="de", lowercase=False)}
    assert {name for name in names if " " not in name} <= set(OWN_METRICS)


def test_segments_count_that_all_have_a_score_of() -> None:
    """What nobody judged of one of both is as if it were not there."""
    sentences = pd.DataFrame({"doc_id": np.repeat(list("abcdefgh"), 2), "sent_id": [0, 1] * 8})

    def judged(sentences: pd.DataFrame, values: list[str]) -> pd.DataFrame:
        return parse_output("".join(f"segment\t{value}\n" for value in values) + "system\t0\n", sentences, "x")

    own = judged(sentences, ["5", "-", *"6677889911", "9", "9", "-", "7"])
    other = judged(sentences, ["1", "9", *"3322441155", "-", "-", "-", "7"])
    both = [0, *range(2, 12), 15]
    alone = [
        judged(sentences.iloc[both], [list(text)[row] for row in both])
        for text in (["5", "-", *"6677889911", "9", "9", "-", "7"], ["1", "9", *"3322441155", "-", "-", "-", "7"])
    ]
    wanted = metric_tests([alone[0]], [alone[1]], COMPARISON, "m", "s", "higher", trials=500, seed=1)
    assert metric_tests([own], [other], COMPARISON, "m", "s", "higher", trials=500, seed=1) == wanted
    nothing = judged(sentences, ["-"] * 16)
    assert metric_tests([own], [nothing], COMPARISON, "m", "s", "higher", trials=500, seed=1) == []
