"""Truecasing: the Moses algorithm, deterministic training, saving and loading."""

import json
import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sacremoses import MosesTruecaser

from discourse_nmt.base.errors import InputError
from discourse_nmt.text.settings import SideSettings
from discourse_nmt.text.truecasing import caser, detruecase, learn_casing, load_casing, save_casing

SENTENCES = [
    line.split()
    for line in [
        "The house is old .",
        "I saw the house with Will and the dog .",
        "He will see the house . The dog will bark .",
        '" The end , " said Will .',
        "We will go to the US .",
        "They told us : the dog saw us .",
        "NASA told us . nobody saw NASA here .",
    ]
]
MOSES = SideSettings("en", spacing="rules")
cut = str.split


def literal_casing(sentences: list[list[str]]) -> dict[str, dict[str, int]]:
    """train-truecaser.perl for tokens without XML: every word that does not start a sentence counts once."""
    counts: dict[str, dict[str, int]] = {}
    for tokens in sentences:
        start = True
        for token in tokens:
            if token in {"(", "[", '"', "'"}:
                continue
            if not start and token in {".", ":", "?", "!"}:
                start = True
                continue
            if any(character.isalpha() for character in token) and not start:
                forms = counts.setdefault(token.lower(), {})
                forms[token] = forms.get(token, 0) + 1
            start = False
    return counts


def test_casing_is_that_of_the_literal_reference() -> None:
    assert learn_casing(SENTENCES, MOSES) == literal_casing(SENTENCES)


def test_with_marks_words_that_start_a_sentence_tell_no_case() -> None:
    """A sentence starts at the first word and after ``.?!``, behind signs, too, but not after a colon."""
    sentences = [cut('" The Will " came . ( They told us : The end .'), cut("US won 3 ?"), cut("Nobody saw us")]
    inside = ["Will", "came", "told", "us", "The", "end", "won", "saw", "us"]
    expected = {form.lower(): {form: inside.count(form)} for form in sorted(inside, key=str.lower)}
    assert learn_casing(sentences, SideSettings("en")) == expected


def test_application_is_that_of_sacremoses_with_known_words_kept() -> None:
    reference = MosesTruecaser()
    reference.train(SENTENCES)
    ours = caser(MOSES, learn_casing(SENTENCES, MOSES))
    rows = [*SENTENCES, cut("Nasa WILL see US : The Dog , and nasa . Us ?")]
    for row in rows:
        assert ours(row) == reference.truecase(" ".join(row), use_known=True)


def test_words_at_a_sentence_start_take_their_usual_form_and_known_forms_stay() -> None:
    truecase = caser(MOSES, learn_casing(SENTENCES, MOSES))
    assert truecase(cut("The dog saw Will . Will will")) == cut("the dog saw Will . will will")
    assert truecase(cut("Nasa saw the Unheard")) == cut("NASA saw the Unheard")


def test_training_ignores_the_order_of_sentences() -> None:
    tied = [["x", "Apple"], ["x", "apple"], ["x", "APPLE"], *SENTENCES]
    first = learn_casing(tied, MOSES)
    assert list(first["apple"]) == ["APPLE", "Apple", "apple"]
    for seed in range(5):
        shuffled = random.Random(seed).sample(tied, len(tied))
        assert json.dumps(learn_casing(shuffled, MOSES)) == json.dumps(first)


words = st.lists(
    st.one_of(
        st.sampled_from(["<b>", "</b>", "|", "a|b", "|x", "a<b", "<", ">", ".", "İ", "ß", "&apos;"]),
        st.text(min_size=1, max_size=6).filter(lambda token: not any(map(str.isspace, token))),
    )
)


@settings(deadline=None)
@given(train=st.lists(words, max_size=4), tokens=words)
def test_the_number_of_tokens_and_their_letters_never_change(train: list[list[str]], tokens: list[str]) -> None:
    cased = caser(MOSES, learn_casing([*SENTENCES, *train, *train[::-1]], MOSES))(tokens)
    assert [token.lower() for token in cased] == [token.lower() for token in tokens]
    assert len(detruecase(tokens)) == len(tokens)
    for before, after in zip(tokens, detruecase(tokens)):
        assert after in (before, before[:1].upper() + before[1:])


def test_detruecasing_capitalises_sentence_starts() -> None:
    assert detruecase(cut('" the end . he said : now')) == cut('" The end . He said : Now')


def test_lowercasing_and_leaving_case_alone() -> None:
    tokens = cut("The US .")
    assert caser(SideSettings("en", lowercase=True), {})(tokens) == ["the", "us", "."]
    assert caser(SideSettings("en", truecase=False), {})(tokens) == tokens


def test_saved_and_loaded_is_equal(tmp_path: Path) -> None:
    casing = learn_casing([["x", '"Ü\\'], ["x", "ü"], *SENTENCES], MOSES)
    save_casing(casing, tmp_path / "truecase.json")
    assert json.dumps(load_casing(tmp_path / "truecase.json")) == json.dumps(casing)


@pytest.mark.parametrize("content", [[], {"a": []}, {"a": {}}, {"a": {"A": "1"}}, {"a": {"A": True}}])
def test_other_json_is_refused_by_name(tmp_path: Path, content: object) -> None:
    path = tmp_path / "truecase.json"
    path.write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(InputError, match=r"truecase\.json: not a truecasing model"):
        load_casing(path)
