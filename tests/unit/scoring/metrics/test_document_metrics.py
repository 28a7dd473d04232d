"""Lexical consistency and pronouns: examples worked by hand, and properties; and all document metrics together."""

import itertools
import random

import numpy as np
import pandas as pd
import pytest

from discourse_nmt.base.errors import InputError
from discourse_nmt.scoring.alignment.translated_words import described, translated_words
from discourse_nmt.scoring.metrics.document_metrics import SourceAnnotation, document_scores
from discourse_nmt.scoring.metrics.lexical_consistency import consistency, consistency_scores
from discourse_nmt.scoring.metrics.pronouns import GROUPS, pronoun_scores, pronouns
from discourse_nmt.scoring.metrics.stems import STEMMERS, Stemmer
from discourse_nmt.word_alignment.model import Aligner, learn
from tests.unit.scoring.metrics.document_metric_examples import pairs_of, tokens_of, values

OCCURRENCES = ["doc_id", "sent_id", "lemma", "reference", "hypothesis"]


def occurrences(*rows: tuple[str, int, str, str, str]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=OCCURRENCES)


def test_consistency_of_a_worked_example() -> None:
    words = occurrences(
        ("a", 0, "bank", "ufer", "ufer"),
        ("a", 1, "bank", "ufer", "bank"),
        ("a", 2, "bank", "ufer", "bank"),
        ("a", 3, "bank", "", "bank"),
        ("a", 0, "house", "haus", "haus"),
        ("a", 0, "house", "haus", "haus"),  # in one sentence only: no repetition
        ("b", 0, "bank", "bank", "bank"),  # another document
        ("b", 0, "pipe", "rohr", ""),
        ("b", 1, "pipe", "rohr", ""),
    )
    # Pairs: 6 of bank and 1 of pipe. Alike in the reference 3 + 1, in the hypothesis 3 + 0, in both (bank, bank) once.
    assert values(consistency(words, "nouns", "s")) == {
        "lexical consistency (nouns)": pytest.approx(100 * 3 / 7),
        "lexical consistency of the reference (nouns)": pytest.approx(100 * 4 / 7),
        "lexical consistency as the reference (nouns)": pytest.approx(100 * 1 / 4),
        "repeated words, pairs (nouns)": 7,
    }


def test_consistency_is_that_of_all_pairs() -> None:
    draw = random.Random(1)
    for _ in range(20):
        rows = [
            (
                draw.choice("ab"),
                draw.randrange(4),
                draw.choice("xyz"),
                draw.choice(["", "p", "q"]),
                draw.choice(["", "p"]),
            )
            for _ in range(draw.randrange(30))
        ]
        pairs = same = both = reference = 0
        for (document, term), group in itertools.groupby(
            sorted(rows, key=lambda row: (row[0], row[2])), key=lambda row: (row[0], row[2])
        ):
            found = list(group)
            assert {(row[0], row[2]) for row in found} == {(document, term)}
            if len({row[1] for row in found}) < 2:
                continue
            for one, other in itertools.combinations(found, 2):
                pairs += 1
                hypotheses_alike, references_alike = (one[side] == other[side] != "" for side in (4, 3))
                same, reference = same + hypotheses_alike, reference + references_alike
                both += hypotheses_alike and references_alike
        scores = values(consistency(occurrences(*rows), "x", "s"))
        if not pairs:
            assert scores == {}
            continue
        assert scores["lexical consistency (x)"] == pytest.approx(100 * same / pairs)
        assert scores["lexical consistency of the reference (x)"] == pytest.approx(100 * reference / pairs)
        assert scores.get("lexical consistency as the reference (x)", -1) == pytest.approx(
            100 * both / reference if reference else -1
        )


WORDS = pd.DataFrame(
    [
        ("a", 0, "The", "das", "das"),
        ("a", 0, "houses", "häuser", "häuser"),
        ("a", 1, "house", "hauses", "gebäude"),
        ("a", 1, ".", ".", "."),
        ("a", 2, "the", "das", "das"),
        ("a", 2, ".", ".", "."),
    ],
    columns=["doc_id", "sent_id", "word", "reference", "hypothesis"],
).assign(word=lambda words: words["word"].str.lower())


def test_inflected_forms_are_one_word_and_one_translation() -> None:
    stemmers = Stemmer("en"), Stemmer("de-AT")
    scores = consistency_scores(WORDS, *stemmers, frozenset({"the"}))
    assert values(scores)["lexical consistency of the reference (content words)"] == 100
    assert values(scores)["lexical consistency (content words)"] == 0
    assert values(scores)["repeated words, pairs (content words)"] == 1
    assert scores[0].signature.startswith(
        "words:no-stop-words|lemmas:snowball[english,3.1.1]|translations:snowball[ger"
    )
    assert consistency_scores(WORDS, *stemmers, None) == []
    tagged = WORDS.assign(
        lemma=["the", "house", "house", ".", "the", "."], upos=["DET", "NOUN", "NOUN", "X", "DET", "X"]
    )
    found = values(consistency_scores(tagged, *stemmers, None))
    assert found["lexical consistency of the reference (nouns)"] == 100
    assert found["repeated words, pairs (content words)"] == found["repeated words, pairs (nouns)"] == 1


@pytest.mark.parametrize("tag", ["ADJ", "ADV", "NOUN", "PROPN", "VERB", "PRON"])
def test_tags_say_which_words_are_content_words(tag: str) -> None:
    words = pd.DataFrame(
        [("a", sentence, "x", "x", tag, "p", "p") for sentence in range(2)],
        columns=["doc_id", "sent_id", "word", "lemma", "upos", "reference", "hypothesis"],
    )
    found = values(consistency_scores(words, Stemmer("en"), Stemmer("de"), None))
    pairs = [found.get(f"repeated words, pairs ({kind})", 0) for kind in ("content words", "nouns")]
    assert pairs == [tag != "PRON", tag == "NOUN"]


def test_stems() -> None:
    assert Stemmer("zh").stem("銀行") == "銀行" and Stemmer("zh").name == "forms"
    assert {Stemmer("de").stem(word) for word in ("Ufer", "Ufers")} == {"ufer"}
    for language in STEMMERS:
        assert Stemmer(language).stem("") == ""


def test_pronouns_of_a_worked_example() -> None:
    rows = [("it", "er", "er"), ("its", "sein", "ihr"), ("it", "sie", ""), ("it", "", "es"), ("you", "sie", "sie")]
    words = pd.DataFrame([*rows, ("house", "haus", "haus")], columns=["word", "reference", "hypothesis"])
    assert values(pronoun_scores(words, "en")) == {
        "pronoun accuracy (all)": 50,
        "pronouns (all)": 4,
        "pronoun accuracy (it)": pytest.approx(100 / 3),
        "pronouns (it)": 3,
        "pronoun accuracy (you)": 100,
        "pronouns (you)": 1,
    }
    assert pronoun_scores(words, "sw") == [] == pronoun_scores(words[5:], "en")


@pytest.mark.parametrize("language", GROUPS)
def test_a_pronoun_is_in_one_group(language: str) -> None:
    forms = [form for group in GROUPS[language].values() for form in group.split()]
    assert len(set(forms)) == len(forms) == len(pronouns(language))
    assert all(form == form.lower() for form in forms)


def test_words_have_the_lemma_of_what_they_share_most_with() -> None:
    words = pd.DataFrame(
        [("a", 0, 0, 5, "don't"), ("a", 0, 6, 8, "go"), ("a", 1, 0, 2, "it"), ("a", 2, 0, 3, "men")],
        columns=["doc_id", "sent_id", "start", "end", "word"],
    )
    row = {"doc_id": "a", "sent_id": 0, "lemmas": ["do", "not", "Go"], "upos": ["AUX", "PART", "VERB"]}
    row |= {"starts": np.array([0, 2, 6], np.int32), "ends": np.array([2, 5, 8], np.int32)}
    third = {"doc_id": "a", "sent_id": 2, "lemmas": ["_"], "upos": ["NOUN"]}
    third |= {"starts": np.array([0], np.int32), "ends": np.array([3], np.int32)}
    found = described(words, pd.DataFrame([row, third]))
    assert found["lemma"].tolist() == ["not", "go", "it", "men"]
    assert found["upos"].tolist() == ["PART", "VERB", "", "NOUN"]


def test_words_beside_their_translations() -> None:
    aligner = Aligner(learn([["It"], ["rains"], ["now"]] * 3, [["Es"], ["regnet"], ["jetzt"]] * 3))
    pairs = pairs_of(("a", "Es regnet .", "regnet es jetzt"), ("a", "x", ""))
    tokens = tokens_of(pairs, ["It rains", ""])
    words = translated_words(pairs, tokens, aligner)
    assert words.to_dict("list") == {
        "doc_id": ["a", "a"],
        "sent_id": [0, 0],
        "start": [0, 3],
        "end": [2, 8],
        "word": ["it", "rains"],
        "reference": ["es", "regnet"],
        "hypothesis": ["es", "regnet"],
    }
    with pytest.raises(InputError, match="document a sentence 1 has no tokens"):
        translated_words(pairs, tokens[:1], aligner)


def test_a_reference_scores_as_itself_and_nothing_scores_as_nothing() -> None:
    rows = [("a", "die Bank ist alt"), ("a", "sie mag die Bank"), ("b", "es regnet")]
    sources = ["the bank is old", "she likes the bank", "it rains"]
    aligner = Aligner(learn([text.split() for text in sources] * 3, [text.split() for _, text in rows] * 3))
    same, none = (pairs_of(*[(name, text, text * kept) for name, text in rows]) for kept in (1, 0))
    source = SourceAnnotation("en", tokens_of(same, sources), stop_words=frozenset({"the", "is"}))
    found = document_scores(same, source, aligner, language="de", lowercase=False)
    how = next(score.signature for score in found if score.metric == "lexical consistency (content words)")
    assert "lemmas:snowball[english," in how and "translations:snowball[german," in how
    scores = values(found)
    assert (
        scores["lexical consistency (content words)"] == scores["lexical consistency of the reference (content words)"]
    )
    assert scores["lexical consistency as the reference (content words)"] == scores["pronoun accuracy (all)"] == 100
    assert scores["s-BLEU (documents of 2 sentences)"] == pytest.approx(100)
    assert not any("antecedent" in name for name in scores)
    empty = values(document_scores(none, source, aligner, language="de", lowercase=False))
    assert empty["lexical consistency (content words)"] == empty["pronoun accuracy (all)"] == 0
    assert empty["s-BLEU (documents of 2 sentences)"] == empty["length ratio of the longest document"] == 0
    assert scores.keys() == empty.keys()
    # Documents without a repeated word have no consistency.
    single = pairs_of(("a", "es regnet", "es regnet"))
    lonely = SourceAnnotation("en", tokens_of(single, ["it rains"]), stop_words=frozenset())
    assert not any(
        "consist" in name for name in values(document_scores(single, lonely, aligner, language="de", lowercase=False))
    )
