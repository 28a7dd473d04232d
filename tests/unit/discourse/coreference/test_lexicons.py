"""Words of each language: English as it was, German and Chinese by worked examples."""

import hashlib
import random
from pathlib import Path

import numpy as np
import pytest

from discourse_nmt.base.errors import InputError
from discourse_nmt.discourse.analysers.weights import load_analyser
from discourse_nmt.discourse.coreference.agreement import bits_of, consistent
from discourse_nmt.discourse.coreference.attributes import Attributes, attributes_of
from discourse_nmt.discourse.coreference.candidates import candidates_of
from discourse_nmt.discourse.coreference.inflection import gender_of, number_of, pronoun_of
from discourse_nmt.discourse.coreference.lexicons import LEXICONS, lexicon_of
from discourse_nmt.discourse.coreference.lexicons.chinese import CHINESE
from discourse_nmt.discourse.coreference.lexicons.english import ENGLISH
from discourse_nmt.discourse.coreference.lexicons.german import GERMAN
from discourse_nmt.discourse.coreference.lexicons.word_lists import (
    BODY,
    FEMININE,
    MAN,
    MASCULINE,
    PLURAL,
    SINGULAR,
    SPEAKING,
    TOLD,
    UNKNOWN,
    ReferringWords,
)
from discourse_nmt.discourse.coreference.weights import load_resolver
from discourse_nmt.discourse.formats.conllu import read_conllu
from discourse_nmt.discourse.structures.syntax import Syntax
from tests.conftest import ROOT

# Features of the code of commit bcc68c8, which knew English alone, and chains of the shipped English weights.
ENGLISH_FEATURES = "65494e11920f88620668b1de96faf05fe674604b2ae6136aeac58c4b50879084"
ENGLISH_CHAINS = "b27253c4c202bfc10c1a484a6824f2050dfe04c680d6b08e457bc015cf70b5fb"
WORDS = (
    "I we you he his her they this those which whose one several somebody here tomorrow herself 's The an her such "
    "Mr. queen Peter Mary Virginia teacher teachers company series dog London Monday Street St. in from go , . ( ) “ ” "
    "word"
)
UPOS = ("NOUN", "PROPN", "PRON", "DET", "ADV", "NUM", "VERB", "ADP", "PUNCT", "ADJ")
RELATION_NAMES = (
    "nsubj obj obl nmod nmod:poss det case appos vocative conj cc flat compound amod cop punct advmod acl:relcl csubj"
)
FORMS, RELATIONS = WORDS.split(), RELATION_NAMES.split()


def random_english(seed: int) -> list[Syntax]:
    """Sentences of words that the lists know, with any tags, features and trees."""
    pick = random.Random(seed)
    document = []
    for _ in range(12):
        count = pick.randrange(1, 20)
        order = pick.sample(range(count), count)
        heads = [-1] * count
        for place, word in enumerate(order[1:], 1):
            heads[word] = order[pick.randrange(place)]
        forms = tuple(pick.choice(FORMS) for _ in range(count))
        upos = tuple(pick.choice(UPOS) for _ in range(count))
        features = tuple(pick.choice(("_", "Number=Sing", "Case=Nom|Number=Plur", "Gender=Fem")) for _ in range(count))
        relations = tuple("root" if head < 0 else pick.choice(RELATIONS) for head in heads)
        lemmas = tuple(pick.choice((form, form.lower(), form.lower().rstrip("s"))) for form in forms)
        document.append(Syntax(forms, upos, ("NN",) * count, features, lemmas, tuple(heads), relations))
    return document


def digest(documents: list[Attributes]) -> str:
    total = hashlib.sha256()
    for attributes in documents:
        for name, column in attributes.columns.items():
            if name == "agreement":  # restricts chains, but is no feature
                continue
            total.update(name.encode() + column.astype("<u8").tobytes())
    return total.hexdigest()


def test_english_features_are_those_that_the_weights_learnt() -> None:
    assert digest([attributes_of(random_english(seed), ENGLISH) for seed in range(40)]) == ENGLISH_FEATURES


def test_english_chains_of_the_help_pages_are_those_before() -> None:
    """The digest holds for the shipped English weights; new weights need a new one."""
    folder = ROOT / "resources" / "analysers" / "en"
    pages = sorted((ROOT / "resources" / "help_trees" / "conllu").glob("*.conllu"))
    sentences = [read_conllu(page.read_text("utf-8"), page.name) for page in pages]
    analyses = load_analyser(folder, units=False).analyse(
        [[[word.form for word in sentence.words] for sentence in page] for page in sentences]
    )
    chains = load_resolver(folder).resolve(analyses)
    assert hashlib.sha256(repr(chains).encode()).hexdigest() == ENGLISH_CHAINS


def syntax(rows: str) -> Syntax:
    """A sentence from lines of form, lemma, tag, features, head (from 1), relation."""
    columns = list(zip(*(line.split() for line in rows.strip().splitlines())))
    forms, lemmas, upos, features, heads, relations = columns
    count = len(forms)
    return Syntax(forms, upos, ("_",) * count, features, lemmas, tuple(int(head) - 1 for head in heads), relations)


def agree(document: list[Syntax], lexicon: ReferringWords, one: str, other: str) -> bool:
    """Whether the candidates with these texts agree."""
    attributes = attributes_of(document, lexicon)
    bits = {
        " ".join(document[sentence].forms[found.start : found.end]): row
        for row, (sentence, found) in zip(attributes["agreement"], attributes.candidates)
    }
    return bool(consistent(bits[one] & bits[other]))


TALK = """
Der der DET Case=Nom|Gender=Masc|Number=Sing 2 det
Tisch Tisch NOUN Case=Nom|Gender=Fem|Number=Plur 3 nsubj
steht stehen VERB Number=Sing|VerbForm=Fin 0 root
bei bei ADP _ 6 case
seiner sein DET Gender=Fem|Number=Sing 6 det:poss
Tante Tante NOUN Case=Dat|Gender=Fem|Number=Sing 3 obl
"""
SIE = """
{0} sie PRON Gender=Fem|Number=Sing 2 nsubj
{1} kommen VERB Number={2}|VerbForm=Fin 0 root
"""


def test_mentions_corefer_by_their_kind_and_by_their_part_in_the_talk() -> None:
    """A man who speaks is no man who is told of, and a speaker may be anybody but not any thing."""
    common = [MAN | SPEAKING, MAN | TOLD, MAN, SPEAKING | TOLD, 0]
    assert consistent(np.array(common, np.uint64)).tolist() == [True, True, False, False, False]


def test_a_plural_of_groups_may_be_a_body_by_its_lemma() -> None:
    sentence = syntax("Teams team NOUN Number=Plur 2 nsubj\nwin win VERB _ 0 root")
    [teams] = [one for one in candidates_of(sentence, ENGLISH) if one.head == 0]
    assert bits_of(sentence, teams, "", False, ENGLISH) & BODY


def test_german_number_and_gender_are_those_of_the_article() -> None:
    sentence = syntax(TALK)
    assert (number_of(sentence, 1, GERMAN), gender_of(sentence, 1, GERMAN)) == (SINGULAR, MASCULINE)
    assert (number_of(sentence, 5, GERMAN), gender_of(sentence, 5, GERMAN)) == (SINGULAR, FEMININE)
    assert number_of(sentence, 1, ENGLISH) == PLURAL and gender_of(sentence, 1, ENGLISH) == UNKNOWN


def test_german_possessive_determiners_are_mentions() -> None:
    sentence = syntax(TALK)
    texts = {" ".join(sentence.forms[one.start : one.end]) for one in candidates_of(sentence, GERMAN)}
    assert texts == {"Der Tisch", "seiner", "seiner Tante"}
    assert "seiner" not in {sentence.forms[one.head] for one in candidates_of(sentence, ENGLISH)}


@pytest.mark.parametrize(("verb", "number", "group"), [("kommt", "Sing", "she"), ("kommen", "Plur", "they")])
def test_the_verb_tells_she_from_they_in_german(verb: str, number: str, group: str) -> None:
    pronoun = pronoun_of(syntax(SIE.format("sie", verb, number)), 0, GERMAN)
    assert pronoun is not None and pronoun.lemma == group


def test_polite_you_is_capitalised_inside_a_sentence_alone() -> None:
    rows = "Dann dann ADV _ 2 advmod\nkommen kommen VERB Number=Plur|VerbForm=Fin 0 root\n{} sie PRON _ 2 nsubj"
    inside, lower = (pronoun_of(syntax(rows.format(form)), 2, GERMAN) for form in ("Sie", "sie"))
    first = pronoun_of(syntax(SIE.format("Sie", "kommen", "Plur")), 0, GERMAN)
    assert [one and one.lemma for one in (inside, lower, first)] == ["you", "they", "they"]


def test_german_pronouns_agree_with_things_of_their_gender_and_never_with_the_other_sex() -> None:
    man = "Der der DET Gender=Masc|Number=Sing 2 det\nMann Mann NOUN _ 3 nsubj\nging gehen VERB _ 0 root"
    she = "Sie sie PRON Gender=Fem|Number=Sing 2 nsubj\nkam kommen VERB Number=Sing|VerbForm=Fin 0 root"
    he = "Er er PRON Gender=Masc|Number=Sing 2 nsubj\nkam kommen VERB Number=Sing|VerbForm=Fin 0 root"
    table = "Der der DET Gender=Masc|Number=Sing 2 det\nTisch Tisch NOUN _ 3 nsubj\nfiel fallen VERB _ 0 root"
    document = [syntax(rows) for rows in (man, she, he, table)]
    assert agree(document, GERMAN, "Der Mann", "Er") and agree(document, GERMAN, "Der Tisch", "Er")
    assert not agree(document, GERMAN, "Der Mann", "Sie")


@pytest.mark.parametrize("mark", ["们", "們"])
def test_chinese_plural_is_a_word_or_an_ending(mark: str) -> None:
    apart = syntax(f"孩子 孩子 NOUN _ 3 nsubj\n{mark} {mark} PART _ 1 mark\n来 来 VERB _ 0 root")
    ending = syntax(f"孩子{mark} 孩子 NOUN _ 2 nsubj\n来 来 VERB _ 0 root")
    bare = syntax("孩子 孩子 NOUN _ 2 nsubj\n来 来 VERB _ 0 root")
    assert [number_of(one, 0, CHINESE) for one in (apart, ending, bare)] == [PLURAL, PLURAL, UNKNOWN]


def test_chinese_pronouns_in_both_kinds_of_characters() -> None:
    for simplified, traditional in (("他们", "他們"), ("这", "這"), ("我们", "我們"), ("谁", "誰")):
        assert CHINESE.pronouns[simplified] == CHINESE.pronouns[traditional]
    document = [
        syntax(f"{word} {word} {tag} _ 0 root") for word, tag in (("她", "PRON"), ("他", "PRON"), ("王后", "NOUN"))
    ]
    assert agree(document, CHINESE, "她", "王后") and not agree(document, CHINESE, "他", "王后")


@pytest.mark.parametrize("lexicon", LEXICONS.values(), ids=LEXICONS)
def test_a_lexicon_is_in_order(lexicon: ReferringWords) -> None:
    assert lexicon_of(lexicon.language) is lexicon
    groups = {pronoun.lemma for pronoun in lexicon.pronouns.values()}
    assert lexicon.referents.keys() <= groups and lexicon.by_number.keys() <= lexicon.pronouns.keys()
    assert lexicon.reflexive <= lexicon.pronouns.keys() and lexicon.speaking <= lexicon.pronouns.keys()
    for names in (lexicon.pronouns, lexicon.determiners, lexicon.persons, lexicon.masculine, lexicon.feminine):
        assert all(name == name.lower() and name.strip() for name in names)
    assert not lexicon.masculine & lexicon.feminine
    assert all(form != form.lower() for form in lexicon.capitalised)


def test_a_language_without_words_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no words of the language it"):
        lexicon_of("it")
