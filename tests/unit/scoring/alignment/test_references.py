"""Joining into documents, and translations beside their references."""

import pandas as pd
import pytest

from discourse_nmt.base.errors import InputError
from discourse_nmt.scoring.alignment.references import pair
from discourse_nmt.scoring.metrics.documents import join
from discourse_nmt.scoring.metrics.translation import translation_scores

KEYS = [("b", 0), ("b", 1), ("a", 0), ("c", 0), ("c", 1)]
TEXTS = ["Er kam.", "Er sah es.", "Dann siegte er.", "Ja, so war das damals.", "Niemand weiß es."]


def frame(keys: list[tuple[str, int]], **columns: list[object]) -> pd.DataFrame:
    return pd.DataFrame({"doc_id": [key[0] for key in keys], "sent_id": [key[1] for key in keys], **columns})


def sentences() -> pd.DataFrame:
    return frame(KEYS, source=["x"] * len(KEYS), target=list(TEXTS))


def tokens() -> pd.DataFrame:
    words: list[object] = [text.replace(".", " .").split() for text in TEXTS]
    sides = [frame(KEYS, side=[side] * len(KEYS), tokens=words) for side in ("source", "target")]
    return pd.concat(sides, ignore_index=True)


def translations(keys: list[tuple[str, int]], texts: list[str]) -> pd.DataFrame:
    words: list[object] = [text.replace(".", " .").split() for text in texts]
    return frame(keys, rank=[0] * len(keys), hypothesis=list(texts), tokens=words, score=[0.0] * len(keys))


def instances(numbers: list[int]) -> pd.DataFrame:
    return frame(KEYS, instance=list(numbers))


def paired(texts: list[str], numbers: list[int]) -> pd.DataFrame:
    return pair(sentences(), tokens(), translations(KEYS, texts), instances(numbers), file="t.parquet")


def test_join_keeps_order_and_joins_by_a_space() -> None:
    assert join(TEXTS, [0, 0, 1, 2, 2]) == [
        "Er kam. Er sah es.",
        "Dann siegte er.",
        "Ja, so war das damals. Niemand weiß es.",
    ]
    assert join([], []) == []
    with pytest.raises(ValueError, match="longer"):
        join(TEXTS, [0])


def test_rows_keep_the_order_of_the_references_and_their_own_translations() -> None:
    shuffled = translations(KEYS, TEXTS).iloc[[3, 0, 4, 2, 1]]
    pairs = pair(sentences(), tokens().iloc[::-1], shuffled, instances([0, 0, 1, 2, 3]).iloc[::-1], file="t")
    assert list(zip(pairs["doc_id"], pairs["sent_id"])) == KEYS
    assert pairs["hypothesis"].tolist() == pairs["reference"].tolist() == TEXTS
    assert [list(words) for words in pairs["hypothesis_tokens"]] == [list(words) for words in pairs["reference_tokens"]]
    assert pairs["instance"].tolist() == [0, 0, 1, 2, 3]


def test_only_the_first_of_an_n_best_list_counts() -> None:
    best = translations(KEYS, TEXTS)
    second = translations(KEYS, ["falsch"] * len(KEYS)).assign(rank=1)
    pairs = pair(sentences(), tokens(), pd.concat([second, best]), instances([0] * 5), file="t")
    assert pairs["hypothesis"].tolist() == TEXTS


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        (KEYS[:-1], r"t\.parquet: document c sentence 1 is not translated"),
        (KEYS[1:3], r"document b sentence 0 \(and 2 more\) is not translated"),
        ([*KEYS, ("d", 0)], "document d sentence 0 is translated but not in the test set"),
        ([*KEYS, ("b", 1)], "document b sentence 1 occurs twice in the translations"),
    ],
)
def test_missing_extra_and_repeated_translations_are_input_errors(keys: list[tuple[str, int]], message: str) -> None:
    faulty = translations(keys, ["Text."] * len(keys))
    with pytest.raises(InputError, match=message):
        pair(sentences(), tokens(), faulty, instances([0] * 5), file="t.parquet")


def test_other_tables_must_hold_the_same_sentences() -> None:
    whole = translations(KEYS, TEXTS)
    with pytest.raises(InputError, match="document c sentence 1 has no tokens"):
        pair(sentences(), tokens().iloc[:-1], whole, instances([0] * 5), file="t")
    with pytest.raises(InputError, match="document b sentence 0 is not in the dataset"):
        pair(sentences(), tokens(), whole, instances([0] * 5).iloc[1:], file="t")
    with pytest.raises(InputError, match="occurs twice in the test set"):
        pair(pd.concat([sentences(), sentences()]), tokens(), whole, instances([0] * 5), file="t")
    with pytest.raises(InputError, match="no sentences"):
        pair(sentences().iloc[:0], tokens(), whole, instances([0] * 5), file="t")


def values(texts: list[str], numbers: list[int]) -> dict[str, float]:
    scores = translation_scores(paired(texts, numbers), language="de", lowercase=False)
    return {score.metric: score.value for score in scores}


def test_perfect_translation() -> None:
    found = values(TEXTS, [0, 0, 1, 2, 3])
    for metric in (
        "s-BLEU",
        "d-BLEU (document)",
        "d-BLEU (instance)",
        "BLEU (multi-bleu, tokenised)",
        "chrF2++",
    ):
        assert found[metric] == pytest.approx(100)
    assert found["TER"] == 0
    assert found["length ratio"] == 1
    assert (found["sentences"], found["documents"], found["instances"], found["empty translations"]) == (
        5,
        3,
        4,
        0,
    )


def test_a_shifted_sentence_boundary_costs_only_s_bleu() -> None:
    shifted = ["Er kam. Er", "sah es.", *TEXTS[2:]]
    found = values(shifted, [0, 0, 1, 2, 3])
    assert found["d-BLEU (document)"] == found["d-BLEU (instance)"] == pytest.approx(100)
    assert found["s-BLEU"] < 95


def test_units_of_one_sentence_give_s_bleu_and_units_of_a_document_document_bleu() -> None:
    texts = ["Er kam dann.", "", "Dann siegte sie.", "Ja, so war das.", "Niemand weiß das."]
    alone, together = values(texts, [0, 1, 2, 3, 4]), values(texts, [0, 0, 1, 2, 2])
    assert alone["d-BLEU (instance)"] == alone["s-BLEU"]
    assert together["d-BLEU (instance)"] == together["d-BLEU (document)"] != together["s-BLEU"]
    assert alone["empty translations"] == 1 and alone["distinct translations"] == 5
    assert values(["a", "a ", "", "b", "a"], [0, 0, 0, 1, 1])["distinct translations"] == 3


def test_a_test_set_of_sources_alone_is_not_scored() -> None:
    arguments = tokens(), translations(KEYS, TEXTS), instances([0, 0, 0, 1, 1])
    without = sentences().assign(target="")
    with pytest.raises(InputError, match="the test set has no references"):
        pair(without, *arguments, file="t.parquet")
    without.loc[0, "target"] = "Er kam."
    assert len(pair(without, *arguments, file="t.parquet")) == len(KEYS)
