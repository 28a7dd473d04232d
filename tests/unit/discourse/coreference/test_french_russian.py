"""French and Russian: words that are mentions, what they may refer to, and clear cases of the shipped resolvers."""

import pytest

from discourse_nmt.discourse.coreference.candidates import candidates_of
from discourse_nmt.discourse.coreference.inflection import gender_of, number_of, pronoun_of
from discourse_nmt.discourse.coreference.lexicons.french import FRENCH
from discourse_nmt.discourse.coreference.lexicons.russian import RUSSIAN
from discourse_nmt.discourse.coreference.lexicons.word_lists import (
    FEMININE,
    PLURAL,
    SINGULAR,
    ReferringWords,
)
from discourse_nmt.discourse.coreference.weights import load_resolver
from discourse_nmt.discourse.pipeline import Pipeline, load_pipeline
from discourse_nmt.discourse.structures.syntax import Syntax
from tests.conftest import ROOT
from tests.unit.discourse.coreference.test_lexicons import agree, syntax

SISTER = """
Cette ce DET Gender=Fem|Number=Sing 2 det
femme femme NOUN Gender=Masc|Number=Plur 3 nsubj
aime aimer VERB _ 0 root
sa son DET Gender=Fem|Number=Sing 5 det
sœur sœur NOUN _ 3 obj
"""
BOOK = """
Этот этот DET Gender=Masc|Number=Sing 2 det
человек человек NOUN Gender=Masc|Number=Sing 3 nsubj
читает читать VERB Number=Sing 0 root
свою свой DET Gender=Fem|Number=Sing 5 det
книгу книга NOUN Gender=Fem|Number=Sing 3 obj
"""


def texts(sentence: Syntax, lexicon: ReferringWords) -> set[str]:
    return {" ".join(sentence.forms[one.start : one.end]) for one in candidates_of(sentence, lexicon)}


def test_possessive_determiners_are_mentions_and_other_determiners_are_not() -> None:
    assert texts(syntax(SISTER), FRENCH) == {"Cette femme", "sa", "sa sœur"}
    assert texts(syntax(BOOK), RUSSIAN) == {"Этот человек", "свою", "свою книгу"}


def test_french_number_and_gender_are_those_of_the_determiner() -> None:
    sentence = syntax(SISTER)
    assert (number_of(sentence, 1, FRENCH), gender_of(sentence, 1, FRENCH)) == (SINGULAR, FEMININE)
    assert (number_of(syntax(BOOK), 4, RUSSIAN), gender_of(syntax(BOOK), 4, RUSSIAN)) == (SINGULAR, FEMININE)


@pytest.mark.parametrize("apostrophe", ["'", "’"])
def test_french_pronouns_stand_with_either_apostrophe(apostrophe: str) -> None:
    assert FRENCH.pronouns[f"j{apostrophe}"].lemma == "i" and FRENCH.pronouns[f"l{apostrophe}"].lemma == "their"
    for after_a_verb, alone in (("-t-il", "il"), ("-elle", "elle"), ("-vous", "vous")):
        assert FRENCH.pronouns[after_a_verb] == FRENCH.pronouns[alone]


@pytest.mark.parametrize(
    ("features", "group", "number"), [("Number=Sing", "he", SINGULAR), ("Number=Plur", "they", PLURAL)]
)
def test_a_russian_dative_is_told_by_its_number(features: str, group: str, number: int) -> None:
    pronoun = pronoun_of(syntax(f"Дай дать VERB _ 0 root\nим он PRON {features} 1 iobj"), 1, RUSSIAN)
    assert pronoun is not None and (pronoun.lemma, pronoun.number) == (group, number)


@pytest.mark.parametrize(
    ("lexicon", "man", "thing", "he", "she"),
    [
        (FRENCH, "père père NOUN", "table table NOUN", "Il il PRON", "Elle elle PRON"),
        (RUSSIAN, "отец отец NOUN", "стол стол NOUN", "Он он PRON", "Она она PRON"),
    ],
)
def test_pronouns_may_be_things_but_not_the_other_sex(
    lexicon: ReferringWords, man: str, thing: str, he: str, she: str
) -> None:
    document = [
        syntax(f"{word} Number=Sing 2 nsubj\nva aller VERB Number=Sing 0 root") for word in (man, thing, he, she)
    ]
    father, table = man.split()[0], thing.split()[0]
    assert agree(document, lexicon, father, he.split()[0]) and not agree(document, lexicon, father, she.split()[0])
    assert agree(document, lexicon, table, he.split()[0]) and agree(document, lexicon, table, she.split()[0])


def test_a_preposition_makes_a_place() -> None:
    document = [
        syntax("Il il PRON _ 2 nsubj\nvit vivre VERB _ 0 root\nà à ADP _ 4 case\nFoo Foo PROPN _ 2 obl"),
        syntax("Elle elle PRON Gender=Fem|Number=Sing 2 nsubj\nva aller VERB _ 0 root"),
        syntax("Lui lui PRON _ 2 nsubj\nva aller VERB _ 0 root\nMarie Marie PROPN _ 2 vocative"),
    ]
    assert not agree(document, FRENCH, "Foo", "Marie")
    assert agree(document, FRENCH, "Elle", "Marie")


@pytest.fixture(scope="module")
def pipelines() -> dict[str, Pipeline]:
    return {name: load_pipeline(ROOT / "resources" / "analysers" / name, name) for name in ("fr", "ru")}


@pytest.mark.parametrize(
    ("language", "text", "linked"),
    [
        ("fr", "Marie a rencontré Pierre hier. Il était en retard.", ("Pierre", "Il")),
        ("fr", "J'ai perdu mes clés.", ("J'", "mes")),
        ("fr", "La Commission examine la proposition. Elle changera son avis.", ("La Commission", "Elle")),
        ("fr", "Nous avons fait notre travail.", ("Nous", "notre")),
        ("ru", "Мария встретила Петра. Он опоздал.", ("Петра", "Он")),
        ("ru", "Я потерял свои ключи.", ("Я", "свои")),
        ("ru", "Комиссия рассмотрит предложение. Она изменит своё мнение.", ("Комиссия", "Она")),
        ("ru", "Дети играли в саду. Их мать читала книгу.", ("Дети", "Их")),
    ],
)
def test_clear_cases(pipelines: dict[str, Pipeline], language: str, text: str, linked: tuple[str, str]) -> None:
    [analysis] = pipelines[language].analyse([text])
    assert analysis.chains is not None
    names = [
        [" ".join(analysis.syntax[one.span.sentence].forms[one.span.start : one.span.end]) for one in chain.mentions]
        for chain in analysis.chains
    ]
    assert any(linked[0] in chain and linked[1] in chain for chain in names), names


@pytest.mark.parametrize("lexicon", [FRENCH, RUSSIAN], ids=["fr", "ru"])
def test_the_weights_tell_their_language(lexicon: ReferringWords) -> None:
    assert load_resolver(ROOT / "resources" / "analysers" / lexicon.language).lexicon is lexicon
