"""The headline, the tables and the pictures say what the table of scores holds, and nothing more."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from discourse_nmt.base.storage.tables import write_table
from discourse_nmt.scoring.comparison import marks
from discourse_nmt.scoring.comparison.comparison import Comparison
from discourse_nmt.scoring.comparison.gains import (
    LENGTH,
    PHENOMENON,
    POSITION,
    SAMPLES,
    SEED,
    WHOLE,
    gains,
    groups_in,
    length_groups,
    position_groups,
    whole,
)
from discourse_nmt.scoring.comparison.phenomena import ADDRESS, NONE, NOUN
from discourse_nmt.scoring.comparison.significance import statistics
from discourse_nmt.scoring.metrics.bleu import bleu
from discourse_nmt.scoring.metrics.score import RANDOMISATION, MetricParts, Score, command_signature
from discourse_nmt.scoring.reports.documents import SplitTables
from discourse_nmt.scoring.reports.overview.headline import Headline, headlines
from discourse_nmt.scoring.reports.overview.measured import aligned, measured
from discourse_nmt.scoring.reports.overview.pictures import MOST, differences_of, galleries, shown_experiments
from discourse_nmt.scoring.reports.overview.score_grids import caption, score_grids
from discourse_nmt.scoring.reports.runs import ReportRun
from discourse_nmt.scoring.tables.scores import score_table
from discourse_nmt.workflow_scripts.report.report import informed_split, measured_split
from tests.unit.scoring.reports.test_report import scores as accuracy_scores

OWN = command_signature(["errors"], "lower")


def rows(
    name: str, values: dict[str, float], seed: int = 1, signature: str = "v", test_set: str = "test"
) -> pd.DataFrame:
    own = Score("errors", values.get("errors", 0), OWN, MetricParts(better="lower"))
    found = [own if metric == "errors" else Score(metric, value, signature) for metric, value in values.items()]
    return score_table(found, corpus="c", experiment=name, system="s", seed=seed, test_set=test_set)


def compared(
    name: str, metric: str, difference: float, p: float, seeds: list[tuple[int, int]] | None = None
) -> pd.DataFrame:
    comparison = Comparison("base", seeds or [(1, 1)])
    how = (OWN, "lower") if metric == "errors" else ("v", "")
    tests = [
        comparison.difference(metric, difference, *how),
        comparison.p(metric, RANDOMISATION, "documents", p, *how),
    ]
    return score_table(tests, corpus="c", experiment=name, system="s", seed=1, test_set="test")


def table(*parts: pd.DataFrame) -> pd.DataFrame:
    return pd.concat(parts, ignore_index=True)


def headline(*parts: pd.DataFrame) -> Headline:
    (found,) = headlines(table(*parts), {"c": "English → German"}, {("c", "test"): "2 documents"})
    return found


def test_the_headline_has_the_difference_its_uncertainty_and_the_number_of_seeds() -> None:
    seeds = [(1, 1), (2, 2), (3, 3)]
    base = [rows("base", {"s-BLEU": value}, seed) for seed, value in enumerate((30.0, 31.0, 32.0), 1)]
    own = [rows("mix", {"s-BLEU": value}, seed) for seed, value in enumerate((33.0, 34.0, 38.0), 1)]
    found = headline(*base, *own, compared("mix", "s-BLEU", 4.0, 0.0004, seeds))
    assert found.languages == "English → German" and found.size == "2 documents"
    assert found.verdict == "mix against base: better by s-BLEU."
    (outcome,) = found.outcomes
    assert (outcome.baseline, outcome.seeds_text) == ("base", "3 seeds")
    (change,) = outcome.changes
    assert (change.before, change.after) == ("31.00 ± 1.00", "35.00 ± 2.65")
    assert (change.difference, change.p, change.verdict) == ("+4.00", "p < 0.001", "better")


def test_nothing_significant_is_said_so() -> None:
    parts = [rows(name, {"s-BLEU": 30.0}) for name in ("base", "one", "two")]
    found = headline(*parts, compared("one", "s-BLEU", 2.0, 0.05), compared("two", "s-BLEU", 5.0, 0.6))
    assert found.verdict == "2 systems against base: by s-BLEU none differs significantly (p < 0.05)."
    assert {change.verdict for outcome in found.outcomes for change in outcome.changes} == {""}
    assert [outcome.changes[0].p for outcome in found.outcomes] == ["p = 0.60", "p = 0.10"]
    single = headline(*parts[:2], compared("one", "s-BLEU", 2.0, 0.3))
    assert single.verdict == "one against base: no significant difference by s-BLEU."


def test_many_systems_need_more_evidence_than_one() -> None:
    parts = [rows(name, {"s-BLEU": 30.0}) for name in ("base", "one", "two")]
    found = headline(*parts, compared("one", "s-BLEU", 2.0, 0.03), compared("two", "s-BLEU", 2.0, 0.9))
    assert {outcome.experiment: outcome.changes[0].p for outcome in found.outcomes}["one"] == "p = 0.060"
    assert "none differs significantly" in found.verdict and found.compares_several
    alone = headline(*parts[:2], compared("one", "s-BLEU", 2.0, 0.03))
    assert alone.outcomes[0].changes[0].verdict == "better" and not alone.compares_several


def test_losses_are_in_the_headline_and_measures_are_not_chosen_by_their_outcome() -> None:
    parts = [rows(name, {"s-BLEU": 30.0, "errors": 5.0}) for name in ("base", "one", "two", "three")]
    tests = [compared("one", "s-BLEU", -3.0, 0.001), compared("two", "s-BLEU", 3.0, 0.001)]
    tests += [
        compared("three", "s-BLEU", 0.1, 0.9),
        compared("one", "errors", 2.0, 0.001),
        compared("two", "errors", -2.0, 0.04),
    ]
    found = headline(*parts, *tests)
    assert found.verdict == (
        "3 systems against base: by s-BLEU 1 better and 1 worse; by errors 1 better and 1 worse (p < 0.05)."
    )
    assert [outcome.experiment for outcome in found.outcomes] == ["two", "three", "one"]
    worst = found.outcomes[-1].changes
    assert [(change.difference, change.verdict) for change in worst] == [("−3.00", "worse"), ("+2.00", "worse")]


def test_without_a_comparison_the_headline_lists_scores_and_claims_nothing() -> None:
    found = headline(rows("low", {"s-BLEU": 20.0}), rows("high", {"s-BLEU": 40.0}))
    assert found.verdict == "No verdict beside a baseline." and not found.outcomes
    assert found.scores == [("high", "s-BLEU 40.00"), ("low", "s-BLEU 20.00")]


def test_an_accuracy_of_one_seed_has_its_interval() -> None:
    found = headline(
        accuracy_scores("base", "c"),
        accuracy_scores("mix", "c"),
        compared("mix", "contrastive accuracy (all)", 21.0, 0.002),
    )
    (change,) = found.outcomes[0].changes
    assert change.after == "62.5 [58.1, 66.7]" and change.difference == "+21.0 points"


def test_a_table_says_once_what_repeats_and_hides_what_matters_less() -> None:
    values = {"d-BLEU (document)": 31.0, "d-BLEU (instance)": 31.0, "TER": 50.0, "s-BLEU": 30.0, "errors": 3.5}
    (grid,) = score_grids(table(rows("base", values), rows("mix", {**values, "s-BLEU": 29.0})))
    assert [column.title for column in grid.columns] == ["s-BLEU", "errors", "TER", "d-BLEU (document)"]
    assert [column.first for column in grid.columns] == [True, True, True, False]
    assert grid.shared == ["Seeds: 1.", "System: s.", "The same as d-BLEU (document): d-BLEU (instance)."]
    assert {column.title: column.note for column in grid.columns}["TER"] == "lower is better"
    assert {column.title: column.note for column in grid.columns}["errors"] == "lower is better"


def test_the_length_ratio_stands_beside_bleu() -> None:
    (grid,) = score_grids(table(rows("base", {"s-BLEU": 30.0, "length ratio": 0.9145})))
    assert [(column.title, column.note, column.first) for column in grid.columns][1] == (
        "length ratio",
        "1: as references",
        True,
    )
    assert dict(grid.rows)["base"][1].text == "0.914"


def test_lower_is_better_is_a_word_in_the_cell() -> None:
    parts = [rows(name, {"s-BLEU": 30.0, "TER": 50.0}) for name in ("base", "mix")]
    tests = [compared("mix", "TER", -4.0, 0.001), compared("mix", "s-BLEU", -4.0, 0.03)]
    (grid,) = score_grids(table(*parts, *tests))
    cells = dict(zip((column.title for column in grid.columns), dict(grid.rows)["mix"]))
    assert (cells["TER"].verdict, cells["TER"].stars) == ("better", "**")
    assert (cells["s-BLEU"].verdict, cells["s-BLEU"].stars) == ("worse", "*")
    assert caption(table(*parts, *tests)).startswith("Compared: mix with base. * p < 0.05, ** p < 0.01")
    assert caption(table(*parts)) == ""


def test_each_test_set_has_a_table_of_its_own() -> None:
    both = table(rows("one", {"s-BLEU": 30.0}), rows("one", {"TER": 3.0}, test_set="other"))
    assert [(grid.test_set, [column.title for column in grid.columns]) for grid in score_grids(both)] == [
        ("test", ["s-BLEU"]),
        ("other", ["TER"]),
    ]


def test_groups_of_documents_by_length_and_position() -> None:
    documents = [name for name, length in (("a", 2), ("b", 4), ("c", 6), ("d", 8)) for _ in range(length)]
    assert dict(zip(documents, length_groups(documents))) == {"a": "2–3", "b": "4–5", "c": "6", "d": "7–8"}
    assert position_groups(["a"] * 8) == ["1", "2–3", "2–3", "4–7", "4–7", "4–7", "4–7", "8–15"]
    assert length_groups(["a", "b"]) == ["1", "1"]


def test_gains_are_differences_of_bleu_within_each_group() -> None:
    measure = bleu("BLEU", "en", False)
    documents = [f"d{number}" for number in range(6) for _ in range(3)]
    references = [f"the sentence number {place} of a document with words" for place in range(18)]
    broken = [text if place % 3 else text.replace("sentence", "x") for place, text in enumerate(references)]
    own, other = (statistics(measure, texts, references) for texts in (references, broken))
    later = np.array([place % 3 > 0 for place in range(18)])
    phenomena = {"later": later, "first": ~later, "of few": np.arange(18) < 12}
    found = gains(measure.metric, [own], [other], documents, groups_in(documents, phenomena))
    by_phenomenon = found[found["by"] == PHENOMENON].set_index("group")
    assert list(by_phenomenon.index) == ["later", "first"]
    by_position = found[found["by"] == POSITION].set_index("group")
    assert list(by_position.index) == ["1", "2–3"]
    first = [place for place in range(18) if place % 3 == 0]
    expected = 100 - measure.score([broken[place] for place in first], [references[place] for place in first]).value
    assert by_position.loc["1", "gain"] == pytest.approx(expected) and by_position.loc["2–3", "gain"] == 0
    assert by_phenomenon["gain"].tolist() == by_position["gain"].tolist()[::-1]
    # All documents are alike, so that every sample has the same gain.
    assert np.allclose(by_position["low"], by_position["gain"]) and np.allclose(
        by_position["high"], by_position["gain"]
    )
    assert found[found["by"] == LENGTH]["units"].tolist() == [6]
    assert gains(measure.metric, [own[:6]], [other[:6]], documents[:6], groups_in(documents[:6], {})).empty
    everything = gains(measure.metric, [own], [other], documents, whole(documents))
    assert everything["by"].tolist() == [WHOLE]
    assert everything["gain"].tolist() == pytest.approx([100 - measure.score(broken, references).value])


def test_an_interval_holds_the_middle_95_per_cent_of_the_draws() -> None:
    measure = bleu("BLEU", "en", False)
    references = [f"line {place} of this report is long enough for every reader" for place in range(8)]
    worse = [text.rsplit(" ", place)[0] for place, text in enumerate(references)]
    documents = [f"d{number}" for number in range(8)]
    own, other = (statistics(measure, texts, references) for texts in (references, worse))
    found = gains(measure.metric, [own], [other], documents, whole(documents), seed=3)
    draws = np.random.default_rng(3).multinomial(8, np.full(8, 1 / 8), size=SAMPLES)
    drawn = [
        100 - measure.score(list(np.repeat(worse, draw)), list(np.repeat(references, draw))).value for draw in draws
    ]
    (edges,) = found[["low", "high"]].to_numpy()
    assert edges == pytest.approx(np.percentile(drawn, [2.5, 97.5]))
    assert edges != pytest.approx(np.percentile(drawn, [5, 95]))


def test_a_gain_is_the_mean_over_seeds_paired_by_their_numbers() -> None:
    places = pd.DataFrame({"doc_id": [f"d{number}" for number in range(5)], "sent_id": [0] * 5})
    target = [f"word {place} of the text goes on and on" for place in range(5)]
    texts = {
        (name, seed): [text if place < right else f"{text} again" for place, text in enumerate(target)]
        for (name, seed), right in {("base", 1): 0, ("base", 2): 3, ("own", 1): 4, ("own", 2): 5, ("own", 3): 2}.items()
    }
    given = {ReportRun("c", *key): places.assign(rank=0, hypothesis=lines) for key, lines in texts.items()}
    found = measured(places.assign(source="", target=target), given, language="en", lowercase=False)
    assert found is not None
    scores = table(rows("base", {"s-BLEU": 1.0}), rows("own", {"s-BLEU": 2.0}), compared("own", "s-BLEU", 1.0, 0.5))
    gains_found = found.gains(scores, {})
    gained = gains_found.set_index("by").loc[WHOLE, "gain"]
    bleu_of = {key: found.measure.score(lines, target).value for key, lines in texts.items()}
    pairs = [(1, 1), (2, 2), (3, 1)]  # the baseline has no third seed
    expected = [bleu_of["own", own] - bleu_of["base", base] for own, base in pairs]
    assert gained == pytest.approx(np.mean(expected))
    of_seeds = gains_found[gains_found["by"] == SEED]
    assert of_seeds["group"].tolist() == ["1", "2", "3"] and of_seeds["gain"].tolist() == pytest.approx(expected)
    assert set(of_seeds["experiment"]) == {"own"} and set(of_seeds["baseline"]) == {"base"}


def test_the_report_has_gains_by_phenomena_of_its_analysis() -> None:
    places = pd.DataFrame({"doc_id": np.repeat([f"d{number}" for number in range(5)], 2), "sent_id": [0, 1] * 5})
    target = [f"word {place} of the text goes on" for place in range(10)]
    given = {
        ReportRun("c", "base", 1): places.assign(rank=0, hypothesis=["nothing"] * 10),
        ReportRun("c", "own", 1): places.assign(rank=0, hypothesis=target),
    }
    word, tag, start, end = (pd.Series([[value]] * 10) for value in ("cell", "NOUN", 0, 4))
    syntax = places.assign(forms=word, lemmas=word, upos=tag, starts=start, ends=end)
    mentions = pd.DataFrame(columns=["doc_id", "chain_id", "sent_id", "start", "end"])
    split = SplitTables(
        "c",
        "test",
        places.assign(source="cell", target=target),
        given,
        analyses={"builtin": {"syntax": syntax, "coreference": mentions}},
    )
    scores = table(rows("base", {"s-BLEU": 1.0}), rows("own", {"s-BLEU": 2.0}), compared("own", "s-BLEU", 1.0, 0.5))
    _, found = measured_split(split, scores, ("de", "en"), False)
    own = found[found["by"] == PHENOMENON].set_index("group")
    assert own["units"].to_dict() == {NOUN: 5, NONE: 5} and (own["gain"] > 0).all()
    (gallery,) = galleries(scores, {("c", "test"): found}, {})
    captions = {picture.title: picture.caption for picture in gallery.pictures}
    assert captions["Gain by phenomenon"].endswith("intervals over documents.")


def test_the_report_has_gains_and_information_by_forms_of_address(tmp_path: Path) -> None:
    """Of the languages of the corpus, without an analysis."""
    places = pd.DataFrame({"doc_id": np.repeat([f"d{number}" for number in range(5)], 2), "sent_id": [0, 1] * 5})
    target = ["Wo bist du?", "Es regnet hier sehr oft."] * 5
    given = {ReportRun("c", name, 1): places.assign(rank=0, hypothesis=target) for name in ("base", "own")}
    split = SplitTables("c", "test", places.assign(source=["Where are you?", "It rains."] * 5, target=target), given)
    scores = table(rows("base", {"s-BLEU": 1.0}), rows("own", {"s-BLEU": 2.0}), compared("own", "s-BLEU", 1.0, 0.5))
    forced = places.assign(words=4, score=-8.0, without_context=[-16.0, -8.0] * 5)
    write_table(forced.astype({"words": "int32"}), tmp_path / "forced.parquet", "reference_scores")
    files: dict[tuple[str, ...], list[str]] = {("c", "own", "1", "test"): [str(tmp_path / "forced.parquet")]}
    for pair, groups in ((("en", "de"), {ADDRESS, NONE}), (("de", "en"), set())):
        gains = measured_split(split, scores, pair, False)[1]
        information = informed_split(split, files, pair)
        for found in (gains, information):
            assert {*found.loc[found["by"] == PHENOMENON, "group"]} == groups
    told = informed_split(split, files, ("en", "de")).set_index(["by", "group"])["gain"]
    assert told[PHENOMENON, ADDRESS] == pytest.approx(2 / np.log(2)) and told[PHENOMENON, NONE] == 0


def test_the_picture_of_differences_has_every_system_with_the_verdict_of_its_test() -> None:
    places = pd.DataFrame({"doc_id": [f"d{number}" for number in range(5)], "sent_id": [0] * 5})
    target = [f"word {place} of the text goes on and on" for place in range(5)]
    half = [text if place % 2 else f"{text} again" for place, text in enumerate(target)]
    names = [f"e{number}" for number in range(1, 9)]
    seeds = [(1, 1), (2, 2)]
    given = {
        ReportRun("c", name, seed): places.assign(rank=0, hypothesis=text)
        for name, texts in {"base": (half, half), **dict.fromkeys(names, (half, target)), "e2": ([""] * 5,) * 2}.items()
        for seed, text in enumerate(texts, 1)
    }
    split = SplitTables("c", "test", places.assign(source="", target=target), given, analyses={})
    p_values = dict.fromkeys(names, 0.4) | {"e1": 0.001, "e2": 0.001, "e3": 0.02}  # times 6 for the third of eight
    scores = table(
        *(rows(name, {"s-BLEU": value}, seed) for seed in (1, 2) for value, name in enumerate(["base", *names], 1)),
        *(compared(name, "s-BLEU", -1.0 if name == "e2" else 1.0, p, seeds) for name, p in p_values.items()),
    )
    _, found = measured_split(split, scores, ("de", "en"), False)
    overall = found[found["by"] == WHOLE].set_index("experiment")
    assert overall.index.tolist() == names and set(overall["baseline"]) == {"base"}
    assert len(set(found.loc[found["by"] == LENGTH, "experiment"])) == MOST - 1  # and the baseline
    measure = bleu("BLEU", "en", False)
    difference = measure.score(target, target).value - measure.score(half, target).value
    assert overall.loc["e1", "gain"] == pytest.approx(difference / 2)  # the mean over seeds: one is as the baseline
    verdicts = differences_of(found, "c", "test", marks.tested_differences(scores))
    assert dict(zip(verdicts["experiment"], verdicts["verdict"])) == {
        **dict.fromkeys(names, "not significant"),
        "e1": "better",
        "e2": "worse",
    }
    (gallery,) = galleries(scores, {("c", "test"): found}, {})
    picture = gallery.pictures[0]
    assert picture.title == "Differences from the baseline"
    assert picture.drawing.count('aria-roledescription="point"') == len(names)
    of_seeds = picture.drawing.partition("layer_2_marks")[2].partition("</g>")[0]
    assert of_seeds.count("<path") == 2 * len(names)  # both seeds


def test_intervals_draw_the_units_of_the_test() -> None:
    """Two documents of each of five groups: the pairs are drawn together, and the captions say so."""
    places = pd.DataFrame({"doc_id": [f"g{number // 2}-{number}" for number in range(10)], "sent_id": [0] * 10})
    target = [f"word {place} of the text goes on and on" for place in range(10)]
    half = [text if place % 4 < 2 else f"{text} again" for place, text in enumerate(target)]
    given = {
        ReportRun("c", name, 1): places.assign(rank=0, hypothesis=texts)
        for name, texts in {"base": half, "one": target, "two": target}.items()
    }
    split = SplitTables("c", "test", places.assign(source="", target=target), given, analyses={})
    scores = table(
        *(rows(name, {"s-BLEU": 1.0}) for name in ("base", "one", "two")),
        *(compared(name, "s-BLEU", 1.0, 0.5) for name in ("one", "two")),
    )

    def interval(gains: pd.DataFrame) -> list[float]:
        chosen = gains[(gains["by"] == WHOLE) & (gains["experiment"] == "one")]
        return chosen[["units", "gain", "low", "high"]].to_numpy().tolist()[0]

    of_documents = interval(measured_split(split, scores, ("de", "en"), False)[1])
    grouped = measured_split(split, scores, ("de", "en"), False, "g[0-9]")[1]
    paired = places.assign(doc_id=places["doc_id"].str[:2], sent_id=[0, 1] * 5)
    joined = replace(
        split,
        sentences=paired.assign(source="", target=target),
        translations={run: paired.assign(rank=0, hypothesis=own["hypothesis"]) for run, own in given.items()},
    )
    assert interval(grouped) == interval(measured_split(joined, scores, ("de", "en"), False)[1])
    assert of_documents[:2] == [10, interval(grouped)[1]] and interval(grouped)[0] == 5
    assert of_documents[2] != interval(grouped)[2]
    for units in ("documents", "groups"):
        (gallery,) = galleries(scores.replace({"units": {"documents": units}}), {("c", "test"): grouped}, {})
        assert f"intervals over {units}, for the models" in gallery.pictures[0].caption


def test_documents_are_scored_against_the_reference_or_the_first_system() -> None:
    places = pd.DataFrame({"doc_id": ["a", "a", "b"], "sent_id": [0, 1, 0]})
    target = ["one two three four five", "six seven eight nine ten", "a b c d e f"]
    given = {
        ReportRun("c", "base", 1): places.assign(rank=0, hypothesis=target),
        ReportRun("c", "other", 0): places.iloc[::-1].assign(rank=0, hypothesis=["a b c d x y", *target[1::-1]]),
    }
    sentences = places.assign(source=target, target=target)
    found = measured(sentences, given, language="en", lowercase=False)
    assert found is not None and found.against == "the reference"
    scored = found.document_scores()
    assert scored["base"] == {"a": 100.0, "b": 100.0} and scored["other"]["a"] == 100.0 and scored["other"]["b"] < 70
    alone = measured(sentences.assign(target=""), given, language="en", lowercase=False)
    assert alone is not None and alone.against == "base" and alone.document_scores() == scored
    assert measured(sentences, {}, language="en", lowercase=False) is None


def test_the_best_translation_of_each_sentence_counts() -> None:
    table = pd.DataFrame(
        [("a", 1, 1, "worse"), ("a", 1, 0, "best"), ("a", 0, 0, "first"), ("a", 0, 1, "second")],
        columns=["doc_id", "sent_id", "rank", "hypothesis"],
    )
    keys = pd.MultiIndex.from_tuples([("a", 0), ("a", 1), ("b", 0)], names=["doc_id", "sent_id"])
    assert aligned(table, keys) == ["first", "best", ""]


def test_pictures_have_an_interval_and_a_point_for_each_experiment_and_subset() -> None:
    both = table(
        accuracy_scores("base", "c"),
        accuracy_scores("mix", "c"),
        rows("base", {"s-BLEU": 1.0}),
        rows("mix", {"s-BLEU": 2.0}),
    )
    (gallery,) = galleries(both.drop_duplicates(["experiment", "metric"]), {}, {("c", "base"): 1.0, ("c", "mix"): 2.0})
    titles = [picture.title for picture in gallery.pictures]
    assert titles == ["Contrastive accuracy by phenomenon", "Score and cost"]  # one distance is no picture
    first, cost = gallery.pictures
    assert first.drawing.count('aria-roledescription="point"') == 4  # all and pronoun, of two experiments
    assert cost.drawing.count('aria-roledescription="point"') == 2
    assert not galleries(rows("one", {"s-BLEU": 1.0}), {}, {})


def test_pictures_show_the_baseline_and_the_best_of_many() -> None:
    parts = [rows(f"e{number}", {"s-BLEU": float(number)}) for number in range(1, 10)]
    chosen = shown_experiments(table(rows("base", {"s-BLEU": 0.0}), *parts, compared("e1", "s-BLEU", 1.0, 0.5)))
    assert chosen == ["base", "e5", "e6", "e7", "e8", "e9"]
