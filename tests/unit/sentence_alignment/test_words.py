"""Words and the marks between them."""

import numpy as np
import pytest

from discourse_nmt.sentence_alignment.words import Gap, echoes, end_of, words_of

MARKS = {Gap.INSIDE: "", Gap.NOTHING: "_", Gap.CAPITAL: "^", Gap.CLAUSE: ",", Gap.END: "|", Gap.LINE: "/"}


@pytest.mark.parametrize(
    ("text", "marked"),
    [
        ("Er kam. Sie ging, dann Ruhe", "er_kam.|sie_ging,,dann^ruhe"),
        ("He said “Hi!” and left.", "he_said_“hi!”,and_left."),
        ("„Los.“ Dann z. B. 3.5 (U.S. Army)", "„los.“|dann_z.|b.|3.5_(u.,s.|army)"),
        ('He said "Hi!" Then', 'he_said_"hi!"|then'),
        ("他说:“我们好。”本周，在18.12发", "他_说:“我_们_好。”|本_周，,在_18.12_发"),
        ("One\nTwo three", "one/two_three"),
    ],
)
def test_gaps_tell_where_a_sentence_may_end(text: str, marked: str) -> None:
    words = words_of(text)
    found = [MARKS[Gap(gap)] + form for gap, form in zip(words.gaps, words.forms)]
    assert "".join([words.forms[0], *found[1:]]) == marked
    assert words.between(0, len(words.forms)) == " ".join(text.split())


@pytest.mark.parametrize(
    ("text", "end"),
    [
        ("Ja.", Gap.END),
        ("Ja!”) ", Gap.END),
        ("Ja,", Gap.CLAUSE),
        ("Ja", Gap.NOTHING),
        ("", Gap.NOTHING),
        ("”", Gap.NOTHING),
    ],
)
def test_the_end_of_a_text_is_that_of_its_last_mark(text: str, end: Gap) -> None:
    assert end_of(text) == end


def test_words_that_say_again_what_stands_before_them_are_echoes() -> None:
    assert echoes(np.array([1, 2, 3, 4, 1, 2, 3, 4, 5])).tolist() == [False] * 4 + [True] * 4 + [False]
    assert echoes(np.array([1, 2, 3, 4, 9, 1, 2, 3, 4])).tolist() == [False] * 5 + [True] * 4
    assert not echoes(np.array([1, 2, 3, 4, 7, 8, 9, 6, 1, 2, 3, 4])).any()
    assert not echoes(np.array([1, 2, 1, 2])).any() and echoes(np.array([], np.int64)).tolist() == []
