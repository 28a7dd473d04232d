"""Names of metrics are written and read back by one module."""

import itertools

import pytest

from discourse_nmt.scoring.metrics.score import (
    AnalyserFigure,
    Difference,
    ItemStatistic,
    PValue,
    baseline_of,
    with_baseline,
)

NAMES = {
    "difference (s-BLEU)": Difference("s-BLEU", pooled=False),
    "difference, all seeds (d-BLEU (document))": Difference("d-BLEU (document)", pooled=True),
    "p (TER, paired bootstrap over sentences)": PValue("TER", "paired bootstrap", "sentences", pooled=False),
    "p, all seeds (contrastive accuracy (over, there), exact randomisation over documents)": PValue(
        "contrastive accuracy (over, there)", "exact randomisation", "documents", pooled=True
    ),
    "contrastive accuracy (all)": ItemStatistic("contrastive", "accuracy", "all"),
    "generation accuracy, lower bound (gender (it))": ItemStatistic(
        "generation", "accuracy, lower bound", "gender (it)"
    ),
    "EDU F1 (edu, predicted)": AnalyserFigure("EDU F1", "edu", "predicted"),
}
KINDS = (Difference, PValue, ItemStatistic, AnalyserFigure)


@pytest.mark.parametrize(("text", "name"), NAMES.items())
def test_a_name_is_written_and_read_back(text: str, name: Difference | PValue | ItemStatistic | AnalyserFigure) -> None:
    assert str(name) == text
    assert [kind.parse(text) for kind in KINDS if kind.parse(text)] == [name]


@pytest.mark.parametrize("text", ["s-BLEU", "d-BLEU (document)", "BLEU (multi-bleu, tokenised)", "p (s-BLEU)"])
def test_other_names_have_no_parts(text: str) -> None:
    assert not any(kind.parse(text) for kind in KINDS)


def test_marks_go_by_two_sided_tests_over_documents() -> None:
    for test, pooled in itertools.product(("approximate randomisation", "exact randomisation"), (False, True)):
        assert all(PValue("TER", test, units, pooled).sets_mark for units in ("documents", "groups"))
        assert not any(PValue("TER", test, units, pooled).sets_mark for units in ("sentences", "items"))
    assert not PValue("TER", "paired bootstrap", "documents", pooled=False).sets_mark


def test_the_baseline_is_in_the_signature() -> None:
    signature = with_baseline("nrefs:1", "sentence", [(1, 1), (2, 1)])
    assert signature == "nrefs:1|baseline:sentence|seeds:1/1,2/1"
    assert baseline_of(signature) == "sentence"
    assert baseline_of("nrefs:1") is None
