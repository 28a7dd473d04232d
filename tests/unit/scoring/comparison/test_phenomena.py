"""Sentences by the words that take up an earlier sentence."""

import numpy as np
import pandas as pd

from discourse_nmt.scoring.comparison.phenomena import ADDRESS, NONE, NOUN, PRONOUN, phenomena

UNKNOWN = "en", "zh"
"""Languages whose forms of address are not known."""
# Words with tags and lemmas.
WORDS = [
    ("a", 0, "The/DET/the Cell/NOUN/cell has/VERB/have a/DET/a name/NOUN/_"),
    ("a", 1, "Click/VERB/click it/PRON/it"),
    ("a", 2, "Cells/NOUN/cell show/VERB/show the/DET/the Name/NOUN/_"),
    ("a", 3, "Save/VERB/save a/DET/a file/NOUN/file with/ADP/with its/PRON/its path/NOUN/path"),
    ("b", 0, "The/DET/the table/NOUN/table of/ADP/of a/DET/a table/NOUN/table name/NOUN/_"),
    ("b", 1, "Calc/PROPN/Calc has/VERB/have cells/NOUN/cell and/CCONJ/and rows/NOUN/_"),
]


def syntax() -> pd.DataFrame:
    rows = []
    for document, number, text in WORDS:
        forms, tags, lemmas = zip(*(word.split("/") for word in text.split()))
        ends = np.cumsum([len(form) + 1 for form in forms]) - 1
        starts = ends - [len(form) for form in forms]
        rows.append((document, number, "source", forms, lemmas, tags, starts, ends))
    return pd.DataFrame(rows, columns=["doc_id", "sent_id", "side", "forms", "lemmas", "upos", "starts", "ends"])


def mentions(*rows: tuple[str, int, int, int, int]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=["doc_id", "chain_id", "sent_id", "start", "end"])


def test_pronouns_and_nouns_that_take_up_an_earlier_sentence() -> None:
    chains = mentions(
        ("a", 0, 0, 0, 8),
        ("a", 0, 1, 6, 8),
        ("a", 1, 3, 5, 11),
        ("a", 1, 3, 17, 20),
        ("b", 0, 0, 0, 9),
        ("b", 0, 1, 0, 4),
    )
    sentences = syntax()[["doc_id", "sent_id"]]
    found = phenomena(sentences, [{"rst": chains}, {"syntax": syntax(), "coreference": chains}], UNKNOWN)
    # The antecedent of "its" lies in its own sentence, and "Calc" is no pronoun. The tables of document b lie in one
    # sentence, its cells come in no earlier one, and its rows share nothing but the missing lemma with a name.
    assert found[PRONOUN].tolist() == [False, True, False, False, False, False]
    assert found[NOUN].tolist() == [False, False, True, False, False, False]
    assert found[NONE].tolist() == [True, False, False, True, True, True]
    turned = phenomena(sentences.iloc[::-1], [{"syntax": syntax(), "coreference": chains}], UNKNOWN)
    assert {name: mask.tolist()[::-1] for name, mask in turned.items()} == {
        name: mask.tolist() for name, mask in found.items()
    }


def test_a_noun_without_a_lemma_is_compared_by_its_form() -> None:
    lemmas = pd.Series([("the", "cell", "have", "a", "_"), ("other", "show", "the", "_")], index=[0, 2])
    chosen = syntax().iloc[[0, 2]].assign(lemmas=lemmas)
    found = phenomena(chosen[["doc_id", "sent_id"]], [{"syntax": chosen, "coreference": mentions()}], UNKNOWN)
    assert found[NOUN].tolist() == [False, True] and not found[PRONOUN].any()


def test_an_analysis_without_syntax_or_coreference_tells_nothing() -> None:
    assert phenomena(syntax(), [{"syntax": syntax()}, {"coreference": mentions()}], UNKNOWN) == {}
    assert phenomena(syntax(), [], UNKNOWN) == {}


def test_forms_of_address_need_languages_and_no_analysis() -> None:
    pairs = [("Who are you?", "Wer bist du?"), ("A king.", "Ein König."), ("You two!", "Du und ihr!")]
    sentences = pd.DataFrame(pairs, columns=["source", "target"]).assign(doc_id="a", sent_id=range(3))
    found = phenomena(sentences, [], ("en", "de"))
    assert {name: mask.tolist() for name, mask in found.items()} == {
        ADDRESS: [True, False, False],
        NONE: [False, True, True],
    }
    words = pd.DataFrame([("a", 1, "source", ("It",), ("it",), ("PRON",), (0,), (2,))], columns=syntax().columns)
    chains = mentions(("a", 0, 0, 0, 3), ("a", 0, 1, 0, 2))
    found = phenomena(sentences, [{"syntax": words, "coreference": chains}], ("en", "de"))
    assert {name: mask.tolist() for name, mask in found.items()} == {
        PRONOUN: [False, True, False],
        NOUN: [False, False, False],
        ADDRESS: [True, False, False],
        NONE: [False, False, True],
    }
