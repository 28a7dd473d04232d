"""Cuts of a text, each decided by one kind of evidence."""

import pandas as pd
import pytest

from discourse_nmt.base.arrays import Reals
from discourse_nmt.sentence_alignment import cuts
from discourse_nmt.sentence_alignment.cuts import cut
from discourse_nmt.sentence_alignment.evidence import Evidence
from discourse_nmt.sentence_alignment.lexicon import Lexicon
from discourse_nmt.sentence_alignment.reordering import TextPart
from discourse_nmt.sentence_alignment.words import words_of


def lines(source: list[str], text: str, lexicon: Lexicon | None = None, reference: list[str] | None = None) -> list:
    """The sentence and the text of each part; -1 for added text."""
    words = words_of(text)
    return [(part.sentence, words.between(*part[1:])) for part in cut(source, words, lexicon, reference)]


def test_one_side_may_have_nothing() -> None:
    assert cut([], words_of("a b"), None) == [TextPart(-1, 0, 2)]
    assert cut(["a", "b"], words_of(" "), None) == [TextPart(0, 0, 0), TextPart(1, 0, 0)]
    assert cut([], words_of(""), None) == []


@pytest.mark.parametrize(("words", "expected"), [(5, 1), (40, 40)])
def test_a_translation_may_be_longer_than_its_reference_and_long(words: int, expected: int) -> None:
    texts = [f"w{number}" for number in range(words)]
    text = " ".join(texts)
    assert lines([text], text, None, [" ".join(texts[:expected])]) == [(0, text)]


@pytest.mark.parametrize(("ratio", "added"), [(7.0, []), (1.0, [(-1, "x y z x y z")]), (None, [])])
def test_a_lexicon_knows_how_long_translations_are(ratio: float | None, added: list) -> None:
    table = pd.DataFrame({"source": ["q"], "target": ["r"], "forward": [1.0]})
    found = lines(["aa"], "aa x y z x y z", Lexicon.of_table(table, ratio))
    assert found == ([(0, "aa"), *added] if added else [(0, "aa x y z x y z")])


def test_the_reference_tells_how_a_sentence_ends() -> None:
    reference = ["Er sagte,", "ja. Komm mit"]
    assert lines(["He said.", "yes come on"], " ".join(reference), None, reference) == [*enumerate(reference)]


def test_the_last_word_of_a_translation_is_one_of_the_last_words_of_its_sentence() -> None:
    texts = ["a5 a6 a1 a2 a3 a4 q", "b1 b2 b3 b4 b5 b6"]
    assert lines(["a1 a2 a3 a4 a5 a6 q", "b1 q b2 b3 b4 b5 b6 z"], " ".join(texts)) == [*enumerate(texts)]


def test_the_first_word_of_a_translation_is_one_of_the_first_words_of_its_sentence() -> None:
    texts = ["b1 b2 b3 b4 b5 b6", "q a1 a2 a3 a4 a5 a6"]
    assert lines(["z b1 b2 b3 b4 b5 q b6", "q a6 a5 a4 a3 a2 a1"], " ".join(texts)) == [*enumerate(texts)]


def test_words_that_stand_together_elsewhere_are_not_divided() -> None:
    texts = ["a1 a2 a3 new york b1 b2", "c1 c2 new york d1 d2", "e1 e2"]
    source = ["a1 a2 a3 b1 b2", "c1 c2 york", "york d1 d2 e1 e2"]
    assert lines(source, " ".join(texts))


def test_a_source_may_say_a_long_sentence_twice() -> None:
    said = " ".join(f"w{number}" for number in range(20)) + "."
    assert lines(["Yes.", said, said, "No."], f"Ja. {said} {said} Nein.") == [*enumerate(["Ja.", said, said, "Nein."])]
    assert [number for number, _ in lines(["Yes.", said, "No."], f"Ja. {said} {said} Nein.")] == [0, 1, -1, 2]


def test_no_more_than_the_widest_stretch_of_a_text_is_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[int] = []
    ratios = Evidence.ratios

    def widths(self: Evidence, *places: int) -> Reals:
        tried.append(places[3] - places[2])
        return ratios(self, *places)

    monkeypatch.setattr(cuts, "WIDEST", 100)
    monkeypatch.setattr(cuts, "MARGIN", 10)
    monkeypatch.setattr(Evidence, "ratios", widths)
    cut(["x y z."] * 200, words_of("a b c. " * 200), None)
    assert max(tried) < 250
