"""Scores of a test set without the sentences whose source stands in train."""

import pandas as pd
import pytest
import sacrebleu

from discourse_nmt.scoring.metrics.score import Score
from discourse_nmt.scoring.metrics.translation import new_sentence_scores, translation_scores

REFERENCES = ["Eins zwei drei vier fünf.", "Die Katze sitzt auf der Matte.", "Es regnet seit drei Tagen.", "Ende."]
HYPOTHESES = ["Eins zwei drei vier sechs.", "Die Katze sitzt unter der Matte.", "Es regnet seit zwei Tagen.", "Ende."]


def pairs() -> pd.DataFrame:
    words = [text.split() for text in REFERENCES]
    return pd.DataFrame(
        {
            "doc_id": ["a", "a", "b", "b"],
            "sent_id": [0, 1, 0, 1],
            "instance": [0, 0, 1, 1],
            "hypothesis": HYPOTHESES,
            "reference": REFERENCES,
            "hypothesis_tokens": words,
            "reference_tokens": words,
        }
    )


def repeats(*keys: tuple[str, int]) -> pd.DataFrame:
    return pd.DataFrame([(*key, False) for key in keys], columns=["doc_id", "sent_id", "pair"])


def scores(*keys: tuple[str, int]) -> list[Score]:
    return new_sentence_scores(pairs(), repeats(*keys), language="de", lowercase=False)


def test_scores_are_those_of_the_other_sentences_alone() -> None:
    bleu, chrf, count = scores(("a", 0), ("b", 1))
    hypotheses, references = HYPOTHESES[1:3], REFERENCES[1:3]
    assert bleu.metric == "s-BLEU (source not in train)"
    assert bleu.value == pytest.approx(sacrebleu.corpus_bleu(hypotheses, [references]).score)
    assert chrf.metric == "chrF2++ (source not in train)"
    assert chrf.value == pytest.approx(sacrebleu.corpus_chrf(hypotheses, [references], word_order=2).score)
    assert (count.metric, count.value) == ("sentences (source not in train)", 2)
    whole = {score.metric: score for score in translation_scores(pairs(), language="de", lowercase=False)}
    assert bleu.signature == whole["s-BLEU"].signature and bleu.value != whole["s-BLEU"].value


def test_case_counts_only_where_it_is_told_to() -> None:
    upper = pairs().assign(hypothesis=[text.upper() for text in HYPOTHESES])
    known = repeats(("b", 1))

    def values(table: pd.DataFrame, lowercase: bool) -> list[float]:
        found = new_sentence_scores(table, known, language="de", lowercase=lowercase)
        return [score.value for score in found if score.metric != "sentences (source not in train)"]

    assert values(upper, True) == values(pairs(), True)
    assert all(own < other for own, other in zip(values(upper, False), values(pairs(), False), strict=True))


def test_a_test_set_of_new_sentences_has_no_further_scores() -> None:
    assert scores() == [] == scores(("c", 0))


def test_of_a_test_set_that_stands_in_train_only_the_number_is_told() -> None:
    assert scores(("a", 0), ("a", 1), ("b", 0), ("b", 1)) == [Score("sentences (source not in train)", 0, "count")]
