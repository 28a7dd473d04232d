from pathlib import Path

import pytest

from discourse_nmt.base.errors import InputError
from discourse_nmt.demo import german
from discourse_nmt.demo.entities import Noun, Person
from discourse_nmt.demo.lexicon import WRITER, Connective, load
from discourse_nmt.demo.templates import Frame, english, german_text, load_frames

LAMP = Noun("lamp", "Lampe", "f", "Lampe")
COAT = Noun("coat", "Mantel", "m", "Mantel")
BOOK = Noun("book", "Buch", "n", "Buch")
LETTER = Noun("letter", "Buchstabe", "m", "Buchstaben", "on the sign", "auf dem Schild")
ANNA = Person("Anna", "Anna", "Anna", female=True)
WEBER = Person("Mr Weber", "Herr Weber", "Herrn Weber", female=False, polite=True)


@pytest.mark.parametrize(
    ("form", "lamp", "coat", "book"),
    [
        ("der.nom alt", "die alte Lampe", "der alte Mantel", "das alte Buch"),
        ("der.akk alt", "die alte Lampe", "den alten Mantel", "das alte Buch"),
        ("der.dat alt", "der alten Lampe", "dem alten Mantel", "dem alten Buch"),
        ("ein.nom alt", "eine alte Lampe", "ein alter Mantel", "ein altes Buch"),
        ("ein.akk alt", "eine alte Lampe", "einen alten Mantel", "ein altes Buch"),
        ("ein.dat alt", "einer alten Lampe", "einem alten Mantel", "einem alten Buch"),
        ("er.nom", "sie", "er", "es"),
        ("er.akk", "sie", "ihn", "es"),
        ("sein.akk.f", "ihre", "seine", "seine"),
        ("sein.akk.m", "ihren", "seinen", "seinen"),
    ],
)
def test_noun_phrases_agree(form: str, lamp: str, coat: str, book: str) -> None:
    assert [noun.german(form) for noun in (LAMP, COAT, BOOK)] == [lamp, coat, book]


def test_weak_nouns_and_clues() -> None:
    assert LETTER.german("der.nom") == "der Buchstabe"
    assert german.finished(LETTER.german("der+.akk")) == "Den Buchstaben auf dem Schild"
    assert LETTER.english("the+").text == "the letter on the sign"
    assert LETTER.english("an old").text == "an old letter"


def test_people() -> None:
    assert [WRITER.german("'s.dat.f"), ANNA.german("'s.dat.f"), ANNA.as_pronoun().german("'s.dat.f")] == [
        "meiner",
        "Annas",
        "ihrer",
    ]
    assert [WEBER.german(form) for form in ("", "akk", "dat", "voc")] == [
        "Herr Weber",
        "Herrn Weber",
        "Herrn Weber",
        "Herr Weber",
    ]
    assert ANNA.as_pronoun().english("acc").text == "her"


def test_a_connective_moves_the_first_field() -> None:
    template = "am Abend ^ las ^ [A] @ ein Buch."
    assert german.clause(template) == "am Abend las [A] ein Buch."
    assert german.clause(template, "Übrigens") == "Übrigens las [A] am Abend ein Buch."
    assert german.clause(template, "Und", inverts=False) == "Und am Abend las [A] ein Buch."


def test_prepositions_contract() -> None:
    assert (
        german.finished("von dem Hafen zu dem Tor in dem Wald , an dem Strand .")
        == "Vom Hafen zum Tor im Wald, am Strand."
    )


def test_wording_marks_units_themes_and_mentions() -> None:
    frame = Frame(
        "key",
        ("theme-subject",),
        "causal",
        "NS",
        "for [K the old], / [A] came, | because ~ there / was time.",
        "für [K der.akk alt] ^ kam ^ [A] @, weil Zeit war.",
    )
    connective = Connective("digression", "By the way,", "Übrigens", inverts=True)
    wording = english(frame, {"K": LAMP, "A": ANNA}, connective)
    assert wording.text == "By the way, for the old lamp, Anna came, because there was time."
    assert [wording.text[start:end] for start, end in wording.units] == [
        "By the way, for the old lamp, Anna came,",
        "because there was time.",
    ]
    assert [(wording.text[start:end], label) for start, end, label in wording.themes] == [
        ("By the way,", "theme-textual"),
        ("for the old lamp,", "theme-topical"),
        ("Anna came,", "rheme"),
        ("because", "theme-textual"),
        ("there", "theme-topical"),
        ("was time.", "rheme"),
    ]
    assert [
        (wording.text[one.start : one.end], wording.text[one.head_start : one.head_end]) for one in wording.mentions
    ] == [("the old lamp", "lamp"), ("Anna", "Anna")]
    assert (
        german_text(frame, {"K": LAMP, "A": ANNA}, connective) == "Übrigens kam Anna für die alte Lampe, weil Zeit war."
    )


def test_politeness_chooses_the_form_of_address() -> None:
    frame = Frame("key", (), "", "", "[K you], [K voc], / can go.", "{du|Sie}, [K voc], ^ {kannst|können} ^ @ gehen.")
    assert german_text(frame, {"K": ANNA}) == "Du, Anna, kannst gehen."
    assert german_text(frame, {"K": WEBER}) == "Sie, Herr Weber, können gehen."


def test_the_lexicon_has_no_word_in_two_roles() -> None:
    lexicon = load()
    things = [choice.keys[0] for group in lexicon.things.values() for choice in group]
    senses = {choice.entity.identity for pair in lexicon.senses for choice in pair}
    clues = [choice.keys[0] for pair in lexicon.senses for choice in pair]
    activities = [key for choice in lexicon.activities for key in choice.keys]
    words = things + [name.removeprefix("noun ") for name in senses] + clues + activities
    assert len(words) == len(set(words))
    assert len({len(group) for group in lexicon.things.values()}) == 1


@pytest.mark.parametrize(
    ("english_side", "german_side", "fault"),
    [
        ("[K the] came.", "[K der.nom] ^ kam ^ @.", "not exactly one topical theme"),
        ("[K the] / came.", "[K der.nom] kam.", "not exactly three fields"),
        ("[K the] / saw [A].", "[K der.nom] ^ sah ^ niemand.", "different slots"),
        ("[K the] / came, | and [A] / left.", "[K der.nom] ^ kam ^ und [A] ging.", "2 units"),
    ],
)
def test_faulty_frames_are_named_with_their_line(
    tmp_path: Path, english_side: str, german_side: str, fault: str
) -> None:
    header = "use\troles\tclauses\tenglish\tgerman"
    (tmp_path / "faulty.tsv").write_text(f"{header}\nkey\t\t\t{english_side}\t{german_side}\n", encoding="utf-8")
    with pytest.raises(InputError, match=rf"faulty.tsv:2: .*{fault}"):
        load_frames("faulty.tsv", tmp_path)


def test_a_ragged_table_is_named_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "ragged.tsv").write_text("use\troles\nkey\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"ragged.tsv:2: 1 columns instead of 2"):
        load_frames("ragged.tsv", tmp_path)
