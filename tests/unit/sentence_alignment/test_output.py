"""Alignment of outputs: known cases, properties that hold for any text, and outputs that are no translation."""

import random

import numpy as np
import pytest

from discourse_nmt.corpus.test_sets import paragraph_lengths
from discourse_nmt.sentence_alignment import cuts
from discourse_nmt.sentence_alignment.cuts import cut
from discourse_nmt.sentence_alignment.lexicon import learn_lexicon
from discourse_nmt.sentence_alignment.output import align_output, align_outputs, alignment_table
from discourse_nmt.sentence_alignment.words import words_of

SOURCE = ["Hello Mr Smith.", "The train leaves at 10 in Berlin.", "What is that?", "Nothing of note"]
TARGET = ["Hallo Herr Smith.", "Der Zug fährt um 10 in Berlin ab.", "Was ist das?", "Nichts Besonderes"]
RETOLD = [
    "Der alte Hund von Anna schläft heute im Garten.",
    "Ein langer Zug fuhr am Morgen nach Berlin.",
    "Leider hatten wir für Kaffee keine Zeit.",
    "Peter lachte laut über seine Schwester.",
]
STORY = [
    "Anna's old dog sleeps in the garden today.",
    "A long train went to Berlin in the morning.",
    "Sadly we had no time for coffee.",
    "Peter laughed loudly at his sister.",
]
LETTERS = [*"abc .,!?\n“”\"'", "Zug ", "Smith", "10 ", "好", "。", "\u00ad", "ſ", "\u2028"]


def visible(text: str) -> str:
    return "".join(text.split())


@pytest.mark.parametrize("space", [" ", "\n", "\n\n"])
@pytest.mark.parametrize("reference", [None, TARGET])
def test_an_output_is_cut_where_its_sentences_end(space: str, reference: list[str] | None) -> None:
    aligned = align_output(SOURCE, space.join(TARGET), reference=reference)
    assert (aligned.lines, aligned.omitted, aligned.added, aligned.problem) == (TARGET, [], [], None)


def test_a_sentence_may_be_two_and_two_may_be_one() -> None:
    source = ["He came late, because the train stood still.", "She waited in Berlin.", "Nobody knew it."]
    reference = ["Er kam spät, weil der Zug stand.", "Sie wartete in Berlin.", "Niemand wusste es."]
    output = "Er kam spät. Denn der Zug stand. Sie wartete in Berlin, niemand wusste es."
    lines = ["Er kam spät. Denn der Zug stand.", "Sie wartete in Berlin,", "niemand wusste es."]
    assert align_output(source, output, reference=reference).lines == lines


def test_sentences_left_out_and_texts_added_are_told() -> None:
    added = [
        "Sehr gern übersetze ich diesen Text, und zwar sofort und ganz.",
        "Sag bitte, ob noch was fehlt, damit man helfen kann, egal wobei.",
    ]
    aligned = align_output(STORY, " ".join([added[0], *RETOLD[:2], RETOLD[3], added[1]]), reference=RETOLD)
    assert aligned.lines == [*RETOLD[:2], "", RETOLD[3]]
    assert aligned.omitted == [2] and aligned.added == [(0, added[0]), (4, added[1])]


def test_what_is_said_twice_is_added_unless_the_source_says_it_twice() -> None:
    aligned = align_output(SOURCE, " ".join([*TARGET[:2], *TARGET[1:]]), reference=TARGET)
    assert aligned.lines == TARGET and [text for _, text in aligned.added] == [TARGET[1]]
    twice, lines = [*SOURCE[:2], *SOURCE[1:]], [*TARGET[:2], *TARGET[1:]]
    aligned = align_output(twice, " ".join(lines), reference=lines)
    assert aligned.lines == lines and aligned.added == []


def test_translations_in_each_other_s_place_are_found() -> None:
    aligned = align_output(STORY, " ".join([RETOLD[0], RETOLD[2], RETOLD[1], RETOLD[3]]), reference=RETOLD)
    assert aligned.lines == RETOLD and aligned.omitted == [] and aligned.added == []


def test_paragraphs_are_anchors_where_there_are_as_many() -> None:
    output = "Ja. Nein.\n\nDoch."
    assert align_output(["Yes.", "No.", "Yes."], output, [1, 2]).lines[0] == "Ja. Nein."
    assert align_output(["Yes.", "No.", "Yes."], output, [2, 1]).lines == ["Ja.", "Nein.", "Doch."]
    assert align_output(["Yes.", "No.", "Yes."], "Ja.\nNein. Doch.", [1, 2]).lines == ["Ja.", "Nein.", "Doch."]
    assert align_output(["Yes.", "No.", "Yes."], output, [1, 1, 1]).lines == ["Ja.", "Nein.", "Doch."]


def test_paragraphs_end_where_a_gap_has_a_line_end() -> None:
    assert paragraph_lengths(["\n", " ", "\n\n", "\u2028", " \n"]) == [2, 2]
    assert paragraph_lengths(["", ""]) == [1]
    sources, outputs = {"a": ["Yes.", "No.", "Yes."]}, {"a": "Ja. Nein.\n\nDoch."}
    for references in (None, {"a": ["Ja.", "Nein.", "Doch."]}):
        assert align_outputs(sources, outputs, references, paragraphs={"a": [1, 2]})["a"].lines[0] == "Ja. Nein."


@pytest.mark.parametrize("seed", range(30))
def test_every_word_is_in_one_part_in_order(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    chance = random.Random(seed)

    def text(length: int) -> str:
        return "".join(chance.choices(LETTERS, k=chance.randrange(length)))

    source = [text(30) for _ in range(chance.randrange(40))]
    reference = [text(30) for _ in source] if seed % 2 else None
    words = words_of(text(1000))
    monkeypatch.setattr(cuts, "MARGIN", chance.choice([0, 200]))
    monkeypatch.setattr(cuts, "WIDEST", chance.choice([10, 20_000]))
    parts = cut(source, words, learn_lexicon(zip(source, reference or source)), reference)
    assert sorted(part.sentence for part in parts if part.sentence >= 0) == list(range(len(source)))
    borders = [0, *(part.stop for part in parts)]
    assert [part.start for part in parts] == borders[:-1] and borders[-1] == len(words.forms)


@pytest.mark.parametrize("seed", range(10))
def test_nothing_of_the_text_is_lost(seed: int) -> None:
    chance = random.Random(seed)
    output = " ".join(chance.choices(TARGET, k=chance.randrange(1, 9)))
    aligned = align_output(SOURCE, output, reference=TARGET)
    if aligned.problem is None:
        texts = [*aligned.lines, *(text for _, text in aligned.added)]
        assert sorted(visible("".join(texts))) == sorted(visible(output))
        assert aligned == align_output(SOURCE, output, reference=TARGET)


def test_a_long_text_is_cut_as_its_parts_are() -> None:
    numbers = np.random.default_rng(1).permutation(1000)[:400].tolist()
    source = [f"Number {number} is in house {number + 1}." for number in numbers]
    lines = [f"Nummer {number} steht im Haus {number + 1}." for number in numbers]
    assert align_output(source, " ".join(lines)).lines == lines
    gone = align_output(source, " ".join(lines[:100] + lines[200:]))
    assert gone.lines[:100] + gone.lines[200:] == lines[:100] + lines[200:]


@pytest.mark.parametrize(
    ("output", "problem"),
    [
        ("", "the output is empty"),
        (" \n\u2003", "the output is empty"),
        (" ".join(SOURCE), "100% of the output is copied from the source"),
        ("Ich weiß es nicht mehr. " * 8, "the output says the same again and again"),
        (
            "Ni chce mo żonach poisk wtor drugi sześć kotów ale psy oraz kury",
            "the output has hardly a word in common with",
        ),
    ],
)
def test_an_output_that_is_no_translation_is_told(output: str, problem: str) -> None:
    aligned = align_output(SOURCE, output, reference=TARGET)
    assert (aligned.problem or "").startswith(problem) and "\n" not in (aligned.problem or "")
    assert aligned.lines == [""] * 4 and aligned.omitted == [0, 1, 2, 3] and aligned.added == []


def test_another_language_is_told_by_its_judge() -> None:
    aligned = align_output(SOURCE, " ".join(TARGET), other_language=lambda _: "nl")
    assert aligned.problem == "the output is in another language (nl)"


def test_what_the_reference_keeps_is_no_copy() -> None:
    names = ["Anna Berta Carla Dora Emil Fritz Gustav", "Hans Ida Jakob Karl Lina Max Nora"]
    assert align_output(names, " ".join(names), reference=names).problem is None


def test_a_test_set_without_references_teaches_its_own_words() -> None:
    words = {"dog": "Hund", "cat": "Katze", "bird": "Vogel", "fish": "Fisch", "horse": "Pferd", "cow": "Kuh"}
    chance = random.Random(1)
    sources, lines = {}, {}
    for number in range(40):
        chosen = chance.sample(sorted(words), 4)
        sources[f"d{number}"] = [f"the {word} is here and I see a {word}." for word in chosen]
        lines[f"d{number}"] = [f"hier ist {words[word]} und ich sehe {words[word]}." for word in chosen]
    aligned = align_outputs(sources, {name: " ".join(texts) for name, texts in lines.items()})
    right = sum(one == other for name in lines for one, other in zip(aligned[name].lines, lines[name]))
    assert right >= 150


def test_the_table_has_a_row_for_each_document() -> None:
    aligned = align_outputs(
        {"a": SOURCE, "b": ["Yes."]}, {"a": " ".join(TARGET[:3]), "b": ""}, {"a": TARGET, "b": ["Ja."]}
    )
    table = alignment_table(aligned)
    assert table["doc_id"].tolist() == ["a", "b"] and table["omitted"].tolist() == [[3], [0]]
    assert table["problem"].isna().tolist() == [True, False]
    assert alignment_table({}).empty
