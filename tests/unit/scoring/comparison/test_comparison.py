"""What is said of a system beside its baseline, and the marks that tables make of it."""

import itertools
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from discourse_nmt.base.errors import InputError
from discourse_nmt.scoring.comparison.comparison import (
    Comparison,
    Resampling,
    accuracy_tests,
    measure_tests,
    translation_tests,
)
from discourse_nmt.scoring.comparison.marks import holm, legend, mark, marks, trainings_note
from discourse_nmt.scoring.comparison.significance import MeanScore, mixed_model, statistics, summed_by_unit
from discourse_nmt.scoring.metrics.contrastive import judge
from discourse_nmt.scoring.metrics.score import BOOTSTRAP, MIXED, RANDOMISATION, Score
from discourse_nmt.scoring.metrics.translation import measured_segments, translation_scores
from discourse_nmt.scoring.reports.page import Tables, page
from discourse_nmt.scoring.tables.scores import collect, score_table
from discourse_nmt.scoring.tables.summary import markdown, summarise
from discourse_nmt.workflow_scripts.report.report import page_templates
from tests.unit.scoring.metrics.test_bleu import GERMAN, worsen

DOCUMENTS = [f"d{number // 4}" for number in range(40)]
REFERENCES = GERMAN * 8
PAIRED = Comparison("sentence", [(1, 1), (2, 2)])
ONE = Comparison("sentence", [(1, 1)])
TWO = Comparison("sentence", [(1, 1), (2, 1)])
FEW = Resampling(samples=30, trials=60, seed=12345)


def pairs(hypotheses: list[str]) -> pd.DataFrame:
    """What :func:`.pair` gives, in instances of two sentences."""
    return pd.DataFrame(
        {
            "doc_id": DOCUMENTS,
            "reference": REFERENCES,
            "hypothesis": hypotheses,
            "reference_tokens": [text.split() for text in REFERENCES],
            "hypothesis_tokens": [text.split() for text in hypotheses],
            "instance": [number // 2 for number in range(40)],
        }
    )


def compared(system: list[list[str]], baseline: list[list[str]], comparison: Comparison) -> list[Score]:
    own, other = ([pairs(texts) for texts in side] for side in (system, baseline))
    return translation_tests(own, other, comparison, FEW, language="de", lowercase=False)


def test_every_measure_is_tested_over_its_units() -> None:
    scores = compared([REFERENCES], [worsen(REFERENCES, 1)], ONE)
    names = [score.metric for score in scores]
    assert len(set(names)) == len(names)
    over_sentences = {name.split("(", 1)[1].rsplit(",", 1)[0] for name in names if "over sentences" in name}
    assert over_sentences == {"s-BLEU", "chrF2++", "TER", "BLEU (multi-bleu, tokenised)"}
    values = {score.metric: score.value for score in scores}
    sides = (
        translation_scores(pairs(texts), language="de", lowercase=False)
        for texts in (REFERENCES, worsen(REFERENCES, 1))
    )
    for own, other in list(zip(*sides))[:6]:
        assert values[f"difference ({own.metric})"] == pytest.approx(own.value - other.value, abs=1e-9)
    assert values["difference (s-BLEU)"] > 0 > values["difference (TER)"]
    for metric in ("s-BLEU", "d-BLEU (document)", "d-BLEU (instance)", "TER"):
        for test in ("paired bootstrap", "approximate randomisation"):
            assert 0 < values[f"p ({metric}, {test} over documents)"] < 0.1
    signature = next(score.signature for score in scores if score.metric == "p (TER, paired bootstrap over sentences)")
    assert signature.startswith("nrefs:1|bs:30|seed:12345|case:lc") and signature.endswith(
        "|baseline:sentence|seeds:1/1"
    )


def test_groups_are_units_where_the_corpus_names_them() -> None:
    """The documents d0 … d9 are one group: tests over documents become tests over groups, all others stay."""
    sides = [REFERENCES], [worsen(REFERENCES, 1)]
    of_documents = {score.metric: score.value for score in compared(*sides, ONE)}
    grouped = {score.metric: score.value for score in compared(*sides, Comparison("sentence", [(1, 1)], "(?!x)d"))}
    assert {name.replace("groups", "documents") for name in grouped} == set(of_documents)
    assert all(grouped[name] == value for name, value in of_documents.items() if "documents" not in name)
    # One group in all: no trial is better than the observed outcome or its mirror image.
    assert grouped["p (s-BLEU, approximate randomisation over groups)"] == 1
    other = Comparison("sentence", [(1, 1)], "d[0-3]")
    assert other.units_of(["d1", "d1b", "d2", "e7"]) == ["d1", "d1", "d2", "e7"]
    assert other.units == "groups" and ONE.units == "documents" and ONE.units_of(["d1"]) == ["d1"]


def test_a_system_is_as_good_as_itself_and_differences_change_their_sign() -> None:
    worse = worsen(REFERENCES, 1)
    for score in compared([worse], [worse], ONE):
        assert score.value == (0 if score.metric.startswith("difference") else 1)
    there, back = compared([REFERENCES], [worse], ONE), compared([worse], [REFERENCES], ONE)
    for one, other in zip(there, back):
        assert one.value == pytest.approx(-other.value if one.metric.startswith("difference") else other.value)


def test_several_seeds_are_tested_together_by_their_mean() -> None:
    first, second, other = (worsen(REFERENCES, seed) for seed in (1, 2, 3))
    together = {score.metric: score.value for score in compared([first, second], [other, other], TWO)}
    assert not any("sentences" in name or "bootstrap" in name for name in together)
    assert "p, all seeds (TER, approximate randomisation over documents)" in together
    alone = [{score.metric: score.value for score in compared([texts], [other], ONE)} for texts in (first, second)]
    for metric in ("s-BLEU", "TER"):
        mean = sum(one[f"difference ({metric})"] for one in alone) / 2
        assert together[f"difference, all seeds ({metric})"] == pytest.approx(mean)


def test_seeds_with_a_seed_of_the_baseline_each_are_a_random_factor() -> None:
    texts = [worsen(REFERENCES, seed) for seed in (1, 2, 3, 4)]
    found = compared(texts[:2], texts[2:], PAIRED)
    tests = {score.metric: score for score in found if score.parts.test}
    assert {score.parts.test for score in tests.values()} == {MIXED}
    p = tests["p, all seeds (s-BLEU, mixed model over documents and seeds)"]
    assert 0 < p.value < 1 and p.signature.endswith("|baseline:sentence|seeds:1/1,2/2") and "bs:" not in p.signature
    segments = [measured_segments(pairs(side), language="de", lowercase=False)[0] for side in texts]
    rows = [statistics(one.measure, one.hypotheses, one.references) for one in segments]
    by_document = [summed_by_unit(of_text, DOCUMENTS) for of_text in rows]
    assert p.value == mixed_model(segments[0].measure.metric, by_document[:2], by_document[2:])
    grouped = compared(texts[:2], texts[2:], replace(PAIRED, groups="d[0-4]"))
    assert "p, all seeds (TER, mixed model over groups and seeds)" in {score.metric for score in grouped}


def test_trainings_are_fixed_on_demand_and_where_seeds_share_one_of_the_baseline() -> None:
    assert PAIRED.random_trainings
    for fixed in (replace(PAIRED, trainings="fixed"), TWO, ONE):
        assert not fixed.random_trainings


def test_accuracy_of_several_trainings_is_tested_over_documents_and_seeds() -> None:
    own = [items(*[True] * 6), items(True, True, True, True, False, True)]
    other = [items(*[False] * 6), items(False, True, False, False, False, False)]
    found = accuracy(own, other, PAIRED)
    name = "p, all seeds (contrastive accuracy (all), mixed model over documents and seeds)"
    assert not any("randomisation" in metric for metric in found)
    # The items a, b and f are of document x, c and d of y, e of z: right items, and their number.
    right = [[300, 200, 100], [300, 200, 0]], [[0, 0, 0], [100, 0, 0]]
    first, second = ([np.stack([of_seed, [3.0, 2.0, 1.0]], axis=1) for of_seed in side] for side in right)
    assert found[name] == mixed_model(MeanScore(), first, second) < 1


def test_tables_say_which_factors_are_random() -> None:
    def tables(name: str, comparison: Comparison, *scores: Score) -> list[pd.DataFrame]:
        of_seeds = [rows(name, seed, ter(60.0 + seed)) for seed, _ in comparison.seeds]
        return [*of_seeds, rows(name, 1, *scores)]

    of_mix = PAIRED.p("TER", MIXED, "documents and seeds", 0.001, "v"), PAIRED.difference("TER", -2.0, "v")
    mix, concat = tables("mix", PAIRED, *of_mix), tables("concat", ONE, *compared_ter(ONE, -2.0, randomised=0.004))
    alone = pd.concat([rows("sentence", 1, ter(60.0)), *mix], ignore_index=True)
    assert marks(alone) == {("demo", "test", "mix", "TER"): "⇑"}
    told = "Seeds are a random factor: verdicts are about other trainings, too."
    assert legend(alone).endswith(f"by a mixed model over documents and seeds of the mean over seeds. {told}")
    both = pd.concat([alone, *concat], ignore_index=True)
    assert "by a mixed model over documents and seeds or randomisation over documents of the mean" in legend(both)
    note = trainings_note(both)
    assert note == f"{told} For concat, verdicts hold for these trainings only: others may differ."
    only = pd.concat([rows("sentence", 1, ter(60.0)), *concat], ignore_index=True)
    assert trainings_note(only) == "For concat, verdicts hold for these trainings only: others may differ."
    assert trainings_note(rows("sentence", 1, ter(60.0))) == ""
    html = page(page_templates(), [], [], "report", Tables(both), [])
    assert note in html.partition('id="scores"')[0]


def test_the_draws_of_every_test_follow_the_seed() -> None:
    first, second = worsen(REFERENCES, 1), worsen(REFERENCES, 2)
    mixed = [pair[number % 3 > 0] for number, pair in enumerate(zip(first, second))]
    own, other = (measured_segments(pairs(texts), language="de", lowercase=False)[0] for texts in (mixed, first))
    by_seed = [measure_tests([own], [other], ONE, Resampling(30, 60, seed)) for seed in range(4)]
    tests = [scores for scores in zip(*by_seed) if scores[0].metric.startswith("p ")]
    assert len(tests) == 4
    for scores in tests:
        assert len({score.value for score in scores}) > 1, scores[0].metric


def items(*right: bool) -> pd.DataFrame:
    """Scores of items a, b, c, ...; a, b and c are pronouns, later ones are of another phenomenon."""
    return pd.DataFrame(
        {
            "item_id": list("abcdefghij")[: len(right)],
            "phenomenon": [("pronoun" if number < 3 else "noun") for number in range(len(right))],
            "distance": 1,
            "block": None,
            "right_score": -1.0,
            "wrong_score": [-2.0 if one else -0.5 for one in right],
        }
    )


def accuracy(system: list[pd.DataFrame], baseline: list[pd.DataFrame], comparison: Comparison) -> dict[str, float]:
    documents = dict(zip("abcdefghij", itertools.cycle("xxyyz")))
    own, other = ([judge(scores, file="c.parquet") for scores in side] for side in (system, baseline))
    scores = accuracy_tests("contrastive", own, other, documents, comparison, file="c.parquet")
    return {score.metric: score.value for score in scores}


def test_accuracy_of_the_same_items_is_compared_exactly() -> None:
    right, wrong = items(*[True] * 6), items(*[False] * 6)
    found = accuracy([right], [wrong], ONE)
    assert found["difference (contrastive accuracy (all))"] == 100
    assert found["p (contrastive accuracy (all), exact randomisation over items)"] == 2 / 2**6
    # The items a, b and f are of document x, c and d of y, e of z: three signs.
    assert found["p (contrastive accuracy (all), exact randomisation over documents)"] == 2 / 2**3
    assert found["p (contrastive accuracy (pronoun), exact randomisation over items)"] == 2 / 2**3
    grouped = accuracy([right], [wrong], Comparison("sentence", [(1, 1)], "[xy]"))
    assert grouped["p (contrastive accuracy (all), exact randomisation over groups)"] == 2 / 2**3
    one_group = accuracy([right], [wrong], Comparison("sentence", [(1, 1)], "(?=.)[xyz]{0}"))
    assert one_group["p (contrastive accuracy (all), exact randomisation over groups)"] == 2 / 2**3  # empty: no group
    mixed = accuracy([items(True, True, False)], [items(True, False, True)], ONE)
    assert mixed["difference (contrastive accuracy (all))"] == 0
    assert mixed["p (contrastive accuracy (all), exact randomisation over items)"] == 1


def test_accuracy_of_several_seeds_is_compared_by_its_mean() -> None:
    right, wrong, half = items(*[True] * 4), items(*[False] * 4), items(True, True, False, False)
    found = accuracy([right, half], [wrong, half], TWO)
    assert found["difference, all seeds (contrastive accuracy (all))"] == 50
    assert found["p, all seeds (contrastive accuracy (all), exact randomisation over documents)"] == 2 / 2**2
    assert not any("over items" in name for name in found)


def test_other_items_cannot_be_compared() -> None:
    with pytest.raises(InputError, match=r"c\.parquet: other items than the baseline's"):
        accuracy([items(True, True)], [items(True)], ONE)


@pytest.mark.parametrize(
    ("metric", "difference", "p", "expected"),
    [
        ("s-BLEU", 1.0, 0.049, "↑"),
        ("s-BLEU", 1.0, 0.05, ""),
        ("s-BLEU", 1.0, 0.0099, "⇑"),
        ("s-BLEU", -1.0, 0.02, "↓"),
        ("TER", -1.0, 0.02, "↑"),
        ("TER", 1.0, 0.001, "⇓"),
    ],
)
def test_marks_say_better_or_worse(metric: str, difference: float, p: float, expected: str) -> None:
    assert mark(metric, difference, p) == expected


def rows(experiment: str, seed: int, *scores: Score) -> pd.DataFrame:
    names = {"corpus": "demo", "system": "transformer", "test_set": "test"}
    return score_table(scores, experiment=experiment, seed=seed, **names)


def ter(value: float) -> Score:
    return Score("TER", value, "v")


def compared_ter(comparison: Comparison, difference: float, **p_values: float) -> list[Score]:
    """The difference in TER and the p-values of tests over documents."""
    tests = {"randomised": RANDOMISATION, "bootstrapped": BOOTSTRAP}
    return [
        comparison.difference("TER", difference, "nrefs:1"),
        *(comparison.p("TER", tests[name], "documents", p, "nrefs:1") for name, p in p_values.items()),
    ]


def test_tables_show_the_mark_of_the_mean_over_seeds() -> None:
    tables = [
        rows("sentence", 1, ter(60.0)),
        rows("concat", 1, ter(58.0)),
        rows("concat", 1, *compared_ter(ONE, -2.0, randomised=0.004, bootstrapped=0.9)),
        *(rows("mix", seed, ter(60.0 + seed)) for seed in (1, 2)),
        *(rows("mix", seed, *compared_ter(ONE, -2.0, randomised=0.2)) for seed in (1, 2)),
        rows("mix", 1, *compared_ter(TWO, 1.0, randomised=0.03)),
    ]
    scores = collect([(table, str(number)) for number, table in enumerate(tables)])
    assert marks(scores) == {("demo", "test", "concat", "TER"): "⇑", ("demo", "test", "mix", "TER"): "↓"}
    shown = summarise(scores).set_index("experiment")
    assert shown["TER"].tolist() == ["60.00", "58.00 ⇑", "61.50 ± 0.71 ↓"]
    assert shown["seeds"].tolist() == ["1", "1", "2"]
    assert legend(scores).startswith("Compared: concat, mix with sentence. ↑ better, ↓ worse (p < 0.05)")
    assert legend(scores) in " ".join(markdown(scores).split())
    in_groups = scores.replace({"units": {"documents": "groups"}})
    assert marks(in_groups) == marks(scores) and "randomisation over groups of the mean" in legend(in_groups)
    alone = scores[scores["pooled"] == ""]
    assert ("demo", "test", "mix", "TER") not in marks(alone)
    assert legend(tables[0]) == ""
    with pytest.raises(InputError, match="lacks the difference of TER of experiment concat; make it again"):
        marks(scores[scores["metric"] != "difference (TER)"])


def test_p_values_of_many_systems_are_corrected() -> None:
    """Worked by hand after Holm (1979): 0.01 * 4, 0.02 * 3, max(0.06, 0.025 * 2), 0.6."""
    assert holm({"c": 0.025, "a": 0.01, "d": 0.6, "b": 0.02}) == pytest.approx(
        {"a": 0.04, "b": 0.06, "c": 0.06, "d": 0.6}
    )
    assert holm({"a": 0.5, "b": 0.7}) == {"a": 1.0, "b": 1.0}
    assert holm({}) == {}


def test_marks_count_the_systems_beside_the_same_baseline() -> None:
    def compared(experiment: str, p: float, baseline: str, test_set: str = "test") -> pd.DataFrame:
        comparison = Comparison(baseline, [(1, 1)])
        table = rows(experiment, 1, ter(58.0), *compared_ter(comparison, -2.0, randomised=p))
        return table.assign(test_set=test_set)

    tables = [
        compared("concat", 0.02, "sentence"),
        compared("mix", 0.03, "sentence"),
        compared("graph", 0.03, "concat"),
        compared("mix", 0.03, "sentence", "other"),
    ]
    scores = collect([(table, str(number)) for number, table in enumerate(tables)])
    assert marks(scores) == {
        ("demo", "test", "concat", "TER"): "↑",
        ("demo", "test", "mix", "TER"): "↑",
        ("demo", "test", "graph", "TER"): "↑",
        ("demo", "other", "mix", "TER"): "↑",
    }
    third = collect([(scores, "all"), (compared("cache", 0.02, "sentence"), "third")])
    assert {name[2] for name, shown in marks(third).items() if shown and name[1] == "test"} == {"graph"}
    assert "corrected for the number of systems (Holm)" in legend(scores)
    assert "corrected" not in legend(tables[2])
