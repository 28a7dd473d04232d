"""The parts of a metric's name are columns beside the name."""

import itertools
from dataclasses import asdict

import pandas as pd
import pytest

from discourse_nmt.scoring.comparison.comparison import Comparison
from discourse_nmt.scoring.comparison.marks import marking
from discourse_nmt.scoring.metrics.score import (
    ALL_ITEMS,
    BLOCKS,
    DISTANCE,
    FARTHER,
    PHENOMENON,
    ItemSubset,
    Score,
    analyser_score,
    item_score,
    of_translations,
    with_baseline,
    with_normalised,
    with_tuned,
)
from discourse_nmt.scoring.metrics.translation import answer_counts
from discourse_nmt.scoring.tables.scores import score_table

ONE, ALL = Comparison("base", [(1, 1)]), Comparison("base", [(1, 1), (2, 1)])
OVER = "contrastive accuracy (over, there)"
NAMES = {
    "difference (s-BLEU)": (ONE.difference("s-BLEU", 0, "v"), {"compared": "s-BLEU", "baseline": "base"}),
    "difference, all seeds (d-BLEU (document))": (
        ALL.difference("d-BLEU (document)", 0, "v"),
        {"compared": "d-BLEU (document)", "pooled": "yes", "baseline": "base"},
    ),
    "p (TER, paired bootstrap over sentences)": (
        ONE.p("TER", "paired bootstrap", "sentences", 0, "v"),
        {"compared": "TER", "test": "paired bootstrap", "units": "sentences", "baseline": "base"},
    ),
    "p, all seeds (contrastive accuracy (over, there), exact randomisation over documents)": (
        ALL.p(OVER, "exact randomisation", "documents", 0, "v", "lower"),
        {
            "compared": OVER,
            "test": "exact randomisation",
            "units": "documents",
            "pooled": "yes",
            "baseline": "base",
            "better": "lower",
        },
    ),
    "contrastive accuracy (all)": (
        item_score("contrastive", "accuracy", ALL_ITEMS, 0, "v"),
        {"task": "contrastive", "figure": "accuracy", "by": "all"},
    ),
    "generation accuracy, lower bound (gender (it))": (
        item_score("generation", "accuracy, lower bound", ItemSubset(PHENOMENON, "gender (it)"), 0, "v"),
        {"task": "generation", "figure": "accuracy, lower bound", "by": "phenomenon", "subset": "gender (it)"},
    ),
    "EDU F1 (edu, predicted)": (
        analyser_score("edu", "EDU F1", "predicted", 0, "v"),
        {"task": "edu", "figure": "EDU F1", "setting": "predicted"},
    ),
    "d-BLEU (document)": (Score("d-BLEU (document)", 0, "v"), {}),
}


@pytest.mark.parametrize(("name", "found"), NAMES.items())
def test_a_score_has_the_name_and_its_parts(name: str, found: tuple[Score, dict[str, str]]) -> None:
    score, parts = found
    assert score.metric == name
    assert {column: part for column, part in asdict(score.parts).items() if part} == parts


def test_subsets_of_items_have_the_names_of_tables() -> None:
    subsets = [
        ItemSubset(DISTANCE, "2"),
        ItemSubset(FARTHER, "3"),
        ItemSubset(BLOCKS),
        ItemSubset(PHENOMENON, "all/it"),
    ]
    assert [str(subset) for subset in subsets] == ["distance 2", "distance above 3", "whole blocks", "all/it"]


def test_marks_go_by_two_sided_tests_over_documents() -> None:
    tests = ("approximate randomisation", "exact randomisation", "paired bootstrap")
    places = list(itertools.product(tests, ("documents", "groups", "sentences", "items"), (ONE, ALL)))
    scores = [comparison.p("TER", test, units, 0.5, "v") for test, units, comparison in places]
    table = score_table(scores, corpus="c", experiment="e", system="s", seed=1, test_set="test")
    found = marking(table)
    assert list(zip(found["test"], found["units"], found["pooled"])) == list(
        itertools.product(tests[:2], ("documents", "groups"), ("", "yes"))
    )
    assert set(marking(table, of_all_seeds=True)["pooled"]) == {""}
    seeds = pd.concat([table, table.assign(seed=2)])
    assert set(marking(seeds, of_all_seeds=True)["pooled"]) == {"yes"}


def test_the_baseline_is_in_the_signature() -> None:
    signature = with_baseline("nrefs:1", "sentence", [(1, 1), (2, 1)])
    assert signature == "nrefs:1|baseline:sentence|seeds:1/1,2/1"
    assert ALL.difference("TER", 0, "nrefs:1").signature == "nrefs:1|baseline:base|seeds:1/1,2/1"


def test_normalised_sides_are_in_the_signature() -> None:
    scores = [Score("s-BLEU", 1, "nrefs:1"), Score("sentences", 2, "count")]
    assert [with_normalised(score, ["source"]).signature for score in scores] == ["nrefs:1|normalised:source", "count"]
    assert with_normalised(scores[0], ["source", "target"]).signature == "nrefs:1|normalised:source+target"
    assert [with_normalised(score, []) for score in scores] == scores


def test_engine_and_precision_are_in_the_signature() -> None:
    given, own = (item_score(task, "accuracy", ALL_ITEMS, 1, "v") for task in ("contrastive", "generation"))
    found = of_translations([Score("s-BLEU", 30, "tok:13a"), Score("words", 3, "count"), given, own], "precision:int8")
    assert [score.signature for score in found] == ["tok:13a|precision:int8", "count", "v", "v|precision:int8"]


def test_scores_say_what_was_chosen_on_dev_and_which_value() -> None:
    trials = [{"values": {"length_penalty": value}, "bleu": 1.0, "length_ratio": 1.0} for value in (0.0, 0.6, 2.5)]
    tuned = {"chosen": {"length_penalty": 2.5}, "split": "dev", "signature": "tok:13a", "trials": trials}
    given, own = (item_score(task, "accuracy", ALL_ITEMS, 1, "v") for task in ("contrastive", "generation"))
    found = with_tuned([Score("s-BLEU", 30, "tok:13a"), Score("sentences", 3, "count"), given, own], tuned)
    assert [score.signature for score in found[:4]] == [
        "tok:13a|tuned:length_penalty",
        "count",
        "v",
        "v|tuned:length_penalty",
    ]
    assert found[4:] == [Score("length penalty (tuned)", 2.5, "tuned:dev|of:0,0.6,2.5|by:s-BLEU|tok:13a")]


def test_answers_of_a_language_model_are_counted() -> None:
    answers = pd.DataFrame({"tokens_sent": [5, 7], "tokens_received": [2, 1], "fault": [None, "copy"]})
    counts = {score.metric: score.value for score in answer_counts(answers)}
    assert counts == {"requests": 2, "tokens sent": 12, "tokens received": 3, "faulty answers": 1}
