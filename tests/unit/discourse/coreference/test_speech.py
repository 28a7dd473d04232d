"""Who speaks to whom: quotation marks, verbs of saying, named speakers, and what chains become of them."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from discourse_nmt.discourse.coreference.lexicons import lexicon_of
from discourse_nmt.discourse.coreference.lexicons.english import ENGLISH
from discourse_nmt.discourse.coreference.speech.quotations import LONGEST, quotations_of
from discourse_nmt.discourse.coreference.speech.turns import speech_of
from discourse_nmt.discourse.pipeline import Pipeline, load_pipeline
from discourse_nmt.discourse.structures.syntax import Syntax
from tests.conftest import ROOT
from tests.unit.discourse.test_coreference import syntax

PUNCTUATION = set("\"“”„‘’‚'«»‹›「」『』—–.,:!?")


def words_only(text: str) -> Syntax:
    """A sentence without dependencies; ``said`` is a verb."""
    forms = tuple(text.split())
    upos = tuple("PUNCT" if form in PUNCTUATION else "VERB" if form in ("said", "go") else "X" for form in forms)
    nothing = ("_",) * len(forms)
    lemmas = tuple({"said": "say"}.get(form, form) for form in forms)
    return Syntax(forms, upos, nothing, nothing, lemmas, (-1,) * len(forms), nothing)


def inside(*sentences: str) -> str:
    """The words in quotations, and the depth of those in inner ones."""
    quotations = quotations_of([words_only(sentence) for sentence in sentences], ENGLISH)
    found = []
    for sentence, numbers in zip(sentences, quotations.innermost):
        for form, number in zip(sentence.split(), numbers):
            depth = 0
            while number >= 0:
                number, depth = quotations.around[number], depth + 1
            if depth and form not in (*PUNCTUATION, "``"):
                found.append(form + "+" * (depth - 1))
    return " ".join(found)


@pytest.mark.parametrize(
    "text",
    [
        '" yes " no',
        "“ yes ” no",
        "„ yes “ no",
        "„ yes ” no",
        '„ yes " no',
        "« yes » no",
        "» yes « no",
        "‹ yes › no",
        "「 yes 」 no",
        "『 yes 』 no",
        "‘ yes ’ no",
        "‚ yes ‘ no",
        "' yes ' no",
        "`` yes '' no",
        '“ yes " no',
        "” no « yes » ”",
    ],
)
def test_quotation_marks_of_the_world(text: str) -> None:
    assert inside(text) == "yes"


def test_quotations_in_quotations() -> None:
    assert inside("“ one ‘ two ’ three ” four") == "one two+ three"
    assert inside("「 one 『 two 』 three 」 four") == "one two+ three"
    assert inside("« one “ two » three") == "one two+", "an outer mark closes the inner quotation, too"


def test_an_apostrophe_is_no_quotation_mark() -> None:
    sentence = words_only("the girls ' room is the boys ' room")
    assert quotations_of([replace(sentence, upos=("X",) * 9)], ENGLISH).innermost == ((-1,) * 9,)


def test_a_quotation_without_an_end_is_its_sentence() -> None:
    assert inside("“ one", "two", "three") == "one"
    assert inside("“ one “ two ”", "three") == "one two"
    assert inside("“ one", *["two"] * (LONGEST + 1), "” three") == "one"


def test_every_paragraph_of_a_quotation_may_begin_with_a_mark() -> None:
    assert inside("“ One two", "“ Three", "four ”", "five") == "One two Three four"
    assert inside('" One two', '" Three', 'four "', "five") == "One two Three four"
    assert inside("“ One two", "“ Three four", "five") == "One two Three four", (
        "without an end it ends with its last mark"
    )
    assert inside('" One two', '" he said') == "One two", "a closing mark that was torn from its sentence"


def test_a_dash_begins_speech_and_another_one_interrupts_it() -> None:
    assert inside("— go there , — she said , — now", "go") == "go there now"
    assert inside("go there ! – he said") == "go there", "the first dash may have been taken for a bullet"
    assert inside("go there — or here") == inside("— Winston Churchill") == ""


def test_a_verb_of_saying_and_a_colon_begin_speech() -> None:
    assert inside("he said to them : go there", "go") == "go there"
    assert inside("he said : “ go ” there") == "go", "marks tell where speech ends"
    assert inside("go there : he said") == inside("he said that they go there : now") == ""


@pytest.fixture(scope="module")
def pipelines() -> dict[str, Pipeline]:
    return {name: load_pipeline(ROOT / "resources" / "analysers" / name, name) for name in ("en", "de", "zh")}


def chains(pipeline: Pipeline, text: str, speakers: Sequence[str | None] | None = None) -> list[str]:
    """Each chain as its words, in text order."""
    [analysis] = pipeline.analyse([text])
    assert pipeline.analysers.resolver is not None
    [found] = pipeline.analysers.resolver.resolve([analysis.syntax], None if speakers is None else [speakers])
    return [
        " ".join(
            form
            for one in chain.mentions
            for form in analysis.syntax[one.span.sentence].forms[one.span.start : one.span.end]
        )
        for chain in found
    ]


TOLD = (
    "You, Mr Schulz, were my first choice, although I have known Anna for a long time. Your room has a view of the "
    'mountains.\n\n"I told you that you were wrong," she said to me. My brother called you yesterday, and I was angry.'
)


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("en", TOLD, ["You Mr Schulz Your you", "my I you you me My I", "Anna I she"]),
        ("en", '"I told you that you were wrong," she said to me.', ["I she", "you you me"]),
        ("en", "“I will help you,” the doctor said to my mother.", ["I the doctor", "you my mother"]),
        ("en", '"I trust you," I told Anna.', ["I I", "you Anna"]),
        ("en", 'I told myself, "You can do this." Then I opened my book.', ["I myself You I my"]),
        ("en", 'She asked me, "Do you know where I live?"', ["She I", "me you"]),
        (
            "en",
            "My father wrote: “I was young when I met your mother.\n\n“You were born in my house.” I never forgot it.",
            ["My your You I", "My father I I my"],
        ),
        ("en", "I hope you are well. My sister sends you her love.", ["I My", "you you", "My sister her"]),
        ("de", "„Ich habe dir gesagt, dass du dich irrst“, sagte sie zu mir.", ["Ich sie", "dir dich mir"]),
        ("de", "»Ich helfe Ihnen«, sagte Anna zu mir. Ich lachte.", ["Ich Anna", "Ihnen mir Ich"]),
        ("zh", "她对我说：“我告诉过你，你错了。”我没有回答她。", ["她 我 她", "我 你 你 我"]),
        ("zh", "彼得看見我，就說：我認識你的父親。", ["彼得 我", "我 你"]),
        ("zh", "「我告訴你，你錯了。」他對我說。我很生氣。", ["我 他", "你 你 我 我"]),
    ],
)
def test_quotations_change_who_speaks(
    pipelines: dict[str, Pipeline], language: str, text: str, expected: list[str]
) -> None:
    assert chains(pipelines[language], text) == expected


def test_words_in_quotation_marks_that_say_nothing_are_the_writers(pipelines: dict[str, Pipeline]) -> None:
    assert "I my me" in chains(pipelines["en"], 'I need my "me time" and you know it.')


def parts_of(rows: str) -> dict[str, frozenset[int]]:
    """The parts of the words of a sentence, from lines of form, lemma, tag, head (from 1), relation."""
    sentence = syntax(rows)
    parts = speech_of([sentence], ENGLISH).parts
    return {sentence.forms[word]: part for (_, word), part in parts.items()}


def test_someone_who_is_called_by_name_is_you() -> None:
    parts = parts_of("Ann Ann PROPN 3 vocative\nI I PRON 3 nsubj\nsaw see VERB 0 root\nyou you PRON 3 obj")
    assert parts["Ann"] == parts["you"] != parts["I"]


def test_who_speaks_to_herself_is_i_and_you() -> None:
    """*she told {}: " I trust you "*."""
    rows = """
        she she PRON 2 nsubj
        told tell VERB 0 root
        {0} {0} PRON 2 obj
        " " PUNCT 6 punct
        I I PRON 6 nsubj
        trust trust VERB 2 ccomp
        you you PRON 6 obj
        """
    alone, told = parts_of(rows.format("herself")), parts_of(rows.format("her"))
    assert alone["I"] == alone["you"] == alone["she"] == alone["herself"]
    assert told["I"] == told["she"] != told["you"] == told["her"]


def test_two_named_speakers_are_never_one() -> None:
    nothing = ("_",)
    one = Syntax(("I",), ("PRON",), nothing, nothing, ("I",), (-1,), ("root",))
    speech = speech_of([one] * 3, ENGLISH, ["A", "B", "C"])
    first, second, _ = (speech.parts[sentence, 0] for sentence in range(3))
    assert not speech.may_corefer(first, second) and speech.may_corefer(first, first)


TALK = "I saw you yesterday.\n\nYou saw me? I was at home.\n\nI am sure that it was you."


def test_one_speakers_i_is_the_next_ones_you(pipelines: dict[str, Pipeline]) -> None:
    english = pipelines["en"]
    named = chains(english, TALK, ["Ann", "Ben", "Ben", "Ann"])
    assert named == ["I You I", "you me I you"]
    assert chains(english, TALK, [" ann", "BEN", "Ben", "Ann "]) == named, "names are compared without case"
    assert chains(english, TALK) == chains(english, TALK, [None, "", " ", None]) == ["I me I I", "you You you"]


def test_speakers_of_quotations_leave_the_other_words_to_the_writer(pipelines: dict[str, Pipeline]) -> None:
    """Fiction of GUM names the speaker of a quotation beside the words of the one who tells the story."""
    text = '"I am tired," he told me.\n\nI laughed.\n\n"You never listen to me."'
    assert chains(pipelines["en"], text, ["Tom", None, "Tom"]) == ["I he me", "me I You"]


@pytest.mark.parametrize("language", ["en", "de", "fr", "ru", "zh"])
def test_first_and_second_person_of_a_turn_are_apart(language: str) -> None:
    lexicon = lexicon_of(language)
    form_of = {pronoun.lemma: form for form, pronoun in lexicon.pronouns.items()}
    first, second = form_of["i"], form_of["you"]
    nothing = ("_",) * 2
    sentence = Syntax((first, second), ("PRON",) * 2, nothing, nothing, (first, second), (-1, 0), ("root", "obj"))
    speech = speech_of([sentence, sentence], lexicon)
    i, you, later_i, later_you = (speech.parts[place] for place in ((0, 0), (0, 1), (1, 0), (1, 1)))
    assert not speech.may_corefer(i, later_you) and not speech.may_corefer(you, later_i)
    assert speech.may_corefer(i, later_i) and speech.may_corefer(you, later_you)
    speech = speech_of([sentence, sentence], lexicon, ["A", "B"])
    i, you, other_i, other_you = (speech.parts[place] for place in ((0, 0), (0, 1), (1, 0), (1, 1)))
    assert speech.may_corefer(i, other_you) and speech.may_corefer(you, other_i)
    assert not speech.may_corefer(i, other_i) and not speech.may_corefer(you, other_you)
    assert speech_of([sentence] * 3, lexicon, ["A", "B", "C"]).may_corefer(you, other_you), "both may speak to C"
