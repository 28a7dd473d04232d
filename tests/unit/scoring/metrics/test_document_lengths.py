"""Checks of length, and BLEU by document length and by distance: examples worked by hand, and properties."""

import numpy as np
import pandas as pd
import pytest

from discourse_nmt.scoring.metrics.distances import bleu_of, by_antecedent, by_document_length
from discourse_nmt.scoring.metrics.lengths import has_loop, length_scores
from discourse_nmt.scoring.metrics.pronouns import pronouns
from tests.unit.scoring.metrics.document_metric_examples import pairs_of, values


@pytest.mark.parametrize(
    ("text", "loop"),
    [
        ("", False),
        ("a a b a", False),
        ("no no no", True),
        ("der Mann Der mann der Mann", True),
        ("x a b c d a b c d a b c d", True),
        ("a b c d e a b c d e a b c d e", False),
        (". . . .", False),
        ("a , a , a ,", True),
    ],
)
def test_loops(text: str, loop: bool) -> None:
    assert has_loop(text.split()) == loop


def test_lengths_of_a_worked_example() -> None:
    long = " ".join(f"w{number}" for number in range(12))
    pairs = pairs_of(
        ("a", f"{long} .", ""),  # too short, and a sentence less
        ("a", "eins zwei .", "eins zwei . drei ."),  # a sentence more
        ("b", "eins zwei drei vier .", long),  # more than double and at least 5 more; no mark
        ("c", "eins", "eins zwei drei"),  # more than double, but only 2 more
        ("d", "ja ja ja", "ja ja ja"),  # a loop that the reference has
        ("d", "eins zwei", "eins eins eins"),
    )
    assert values(length_scores(pairs)) == {
        "length ratio of the shortest document": pytest.approx(5 / 16),
        "length ratio of the longest document": 3,
        "documents too short": 1,
        "documents too long": 2,
        "translations too short": 1,
        "translations too long": 1,
        "translations with a loop": 1,
        "translations with more sentences": 1,
        "translations with fewer sentences": 2,
    }


@pytest.mark.parametrize(
    ("reference", "hypothesis", "outlier"),
    [(9, 4, "short"), (7, 3, ""), (10, 5, ""), (4, 9, "long"), (3, 7, ""), (5, 10, "")],
)
def test_an_outlier_differs_by_five_words_and_more_than_by_half(reference: int, hypothesis: int, outlier: str) -> None:
    texts = [" ".join(f"w{number}" for number in range(count)) for count in (reference, hypothesis)]
    found = values(length_scores(pairs_of(("a", texts[0], texts[1]))))
    assert [found[f"translations too {kind}"] for kind in ("short", "long")] == [outlier == "short", outlier == "long"]


def test_every_sentence_is_in_one_range_of_document_lengths() -> None:
    counts = {"a": 1, "b": 2, "c": 3, "d": 4, "e": 5, "f": 17}
    pairs = pairs_of(*[(name, "x", "x") for name, count in counts.items() for _ in range(count)])
    parts = by_document_length(pairs)
    assert {name: sorted(set(pairs["doc_id"][chosen])) for name, chosen in parts.items()} == {
        "documents of 1 sentence": ["a"],
        "documents of 2 sentences": ["b"],
        "documents of 3-4 sentences": ["c", "d"],
        "documents of 5-8 sentences": ["e"],
        "documents of 9-16 sentences": [],
        "documents of 17-32 sentences": ["f"],
    }
    assert (np.sum(list(parts.values()), axis=0) == 1).all()
    found = values(bleu_of(parts, pairs, language="de", lowercase=False))
    assert "s-BLEU (documents of 9-16 sentences)" not in found
    assert sum(value for name, value in found.items() if name.startswith("sentences")) == len(pairs)


def test_antecedents_of_a_worked_example() -> None:
    pairs = pairs_of(*[("a", "x", "x")] * 6)
    # A house. It. It and a dog. It. Him, the first of his chain. His.
    words = pd.DataFrame(
        [
            ("a", 1, 0, 2, "it"),
            ("a", 2, 0, 2, "it"),
            ("a", 3, 0, 2, "it"),
            ("a", 4, 0, 3, "him"),
            ("a", 5, 0, 3, "his"),
        ],
        columns=["doc_id", "sent_id", "start", "end", "word"],
    )
    mentions = pd.DataFrame(
        [(0, 0, 0, 7), (0, 1, 0, 2), (0, 2, 0, 2), (1, 2, 7, 12), (1, 3, 0, 2), (2, 4, 0, 3), (2, 5, 0, 3)],
        columns=["chain_id", "sent_id", "start", "end"],
    ).assign(doc_id="a")
    shuffled = mentions.sample(frac=1, random_state=1)
    parts = by_antecedent(pairs, shuffled, words, pronouns("en"))
    assert {name: np.flatnonzero(chosen).tolist() for name, chosen in parts.items()} == {
        "antecedent 0 sentences back": [],
        "antecedent 1 sentence back": [1, 3],
        "antecedent 2 sentences back": [2],
        "antecedent 3 or more sentences back": [],
    }
    # "A dog saw it": the pronoun with the farthest antecedent counts.
    more = pd.concat([mentions, mentions[:1].assign(sent_id=3, start=9, end=11)])
    both = pd.concat([words, words[:1].assign(sent_id=3, start=9, end=11)])
    parts = by_antecedent(pairs, more, both, pronouns("en"))
    assert np.flatnonzero(parts["antecedent 3 or more sentences back"]).tolist() == [3]
    assert not any(chosen.any() for chosen in by_antecedent(pairs, mentions[:0], words, pronouns("en")).values())
