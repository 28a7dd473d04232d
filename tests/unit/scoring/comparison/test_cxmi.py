"""CXMI by hand: bits per word, intervals over units, groups of sentences, pictures."""

import math

import numpy as np
import pandas as pd
import pytest

from discourse_nmt.scoring.comparison.cxmi import cxmi_scores, information, information_table
from discourse_nmt.scoring.comparison.gains import LEAST, PHENOMENON, POSITION
from discourse_nmt.scoring.comparison.phenomena import NONE, PRONOUN
from discourse_nmt.scoring.metrics.score import CXMI, Score
from discourse_nmt.scoring.reports.overview.pictures import galleries
from discourse_nmt.scoring.tables.scores import score_table
from discourse_nmt.scoring.tables.summary import markdown

LN2 = math.log(2)
DOCUMENTS = 8


def table(gained: list[float], words: list[int], control: str = "without_context") -> pd.DataFrame:
    """Scored references, two sentences a document, each with so many bits more than beside the control."""
    rows = range(len(gained))
    frame = pd.DataFrame({"doc_id": [f"g{row // 4}-{row // 2}" for row in rows], "sent_id": [row % 2 for row in rows]})
    frame = frame.assign(words=words, score=-10.0, **dict.fromkeys(CXMI))
    frame[control] = [-10.0 - bits * LN2 for bits in gained]
    return frame


def varied() -> pd.DataFrame:
    """The first sentence of a document gains nothing, the second one 1 to 8 bits; sentences have 2 and 6 words."""
    return table([bits for document in range(DOCUMENTS) for bits in (0.0, document + 1.0)], [2, 6] * DOCUMENTS)


def test_it_is_in_bits_per_word() -> None:
    scored = table([3.0, -1.0, 0.0, 2.0], [2, 3, 4, 1])
    assert information(scored, "without_context") == pytest.approx(np.array([[3, 2], [-1, 3], [0, 4], [2, 1]]))
    (score,) = cxmi_scores(scored)  # too few documents for an interval
    assert score.metric == "CXMI (without context)" and score.signature == "unit:bits/word"
    assert score.value == pytest.approx(4 / 10)
    (other,) = cxmi_scores(table([4.0, 0.0], [2, 2], "shuffled_trees"))
    assert (other.metric, other.value) == ("CXMI (shuffled trees)", pytest.approx(1))
    assert cxmi_scores(table([], [])) == []


def test_its_interval_draws_the_units_of_the_tests() -> None:
    value, low, high = cxmi_scores(varied())
    assert value.value == pytest.approx(36 / 64)
    assert low.metric == "CXMI (without context), lower bound" and high.metric.endswith("upper bound")
    # The mean of 8 draws from 1 to 8, over 8 words: 1.96 standard errors around 4.5 / 8.
    error = math.sqrt(63 / 12 / DOCUMENTS) / 8
    assert low.value == pytest.approx(value.value - 1.96 * error, abs=0.04)
    assert high.value == pytest.approx(value.value + 1.96 * error, abs=0.04)
    assert low.signature == high.signature == "unit:bits/word|interval:bootstrap[95%,300,documents]"
    assert len(cxmi_scores(varied(), r"g\d+")) == 1  # four groups are too few
    assert LEAST == 5
    many = pd.concat([varied().assign(doc_id=name + varied()["doc_id"]) for name in "ab"], ignore_index=True)
    grouped = cxmi_scores(many, r"^\wg\d+")
    assert grouped[1].signature.endswith("groups]") and grouped[1].value < grouped[0].value < grouped[2].value


def test_pictures_tell_where_it_is_taken_from_context() -> None:
    scored = varied()
    backwards = scored.iloc[::-1].reset_index(drop=True)  # tables are in the order of their dataset
    second = (scored["sent_id"] == 1).to_numpy()
    found = information_table({"doc": [backwards, scored]}, scored, {PRONOUN: second, NONE: ~second})
    value = found.set_index(["by", "group"])["gain"]
    assert value[PHENOMENON, PRONOUN] == pytest.approx(36 / 48) and value[PHENOMENON, NONE] == 0
    assert value[POSITION, "1"] == 0 and value[POSITION, "2–3"] == pytest.approx(36 / 48)
    assert set(found["control"]) == {"without_context"} and set(found["experiment"]) == {"doc"}
    rows = score_table(cxmi_scores(scored), corpus="c", experiment="doc", system="s", seed=1, test_set="test")
    (gallery,) = galleries(rows, {}, {}, {("c", "test"): found})
    drawn = {picture.title: picture.drawing for picture in gallery.pictures}
    assert list(drawn) == [f"CXMI (without context) by {kind}" for kind in (POSITION, PHENOMENON)]
    assert all("bits per word" in drawing and "BLEU" not in drawing for drawing in drawn.values())


def test_the_summary_has_it_with_three_decimals() -> None:
    scores = [Score("s-BLEU", 30.0, "v"), *cxmi_scores(varied())]
    text = markdown(score_table(scores, corpus="c", experiment="doc", system="s", seed=1, test_set="test"))
    assert "CXMI (without context)" in text and "0.562" in text and "bound" not in text
