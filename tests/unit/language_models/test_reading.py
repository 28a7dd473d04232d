"""Answers as language models write them, and what is wrong with some."""

import pytest

from discourse_nmt.language_models.chat import Answer, UnreadableAnswerError, answer_of, spent_tokens
from discourse_nmt.language_models.reading import read_answer, repeats

SOURCE = ["The cat sat on the mat today.", "It was not at all happy."]
LINES = ["Die Katze saß heute auf der Matte.", "Sie war gar nicht froh."]
TEXT = "\n".join(LINES)


@pytest.mark.parametrize(
    "text",
    [
        TEXT,
        f"  {LINES[0]}\n\n{LINES[1]}\n",
        f"```\n{TEXT}\n```",
        f"```text\n{TEXT}\n```",
        f"<translation>\n{TEXT}\n</translation>",
        f"[1] {LINES[0]}\n[2] {LINES[1]}",
        f"[2] {LINES[1]}\n[1] {LINES[0]}",
        f"[1] {LINES[0]}\n[2] Sie war gar\nnicht froh.",
        " ".join(LINES),
        f"<think>\nThe cat, die Katze.\n</think>\n\n{TEXT}",
    ],
)
def test_lines_are_those_of_the_sentences(text: str) -> None:
    assert read_answer(Answer(text), SOURCE).lines == LINES


@pytest.mark.parametrize(
    ("answer", "fault"),
    [
        (Answer(TEXT), ""),
        (Answer(TEXT, "length"), "cut off"),
        (Answer("  "), "empty"),
        (Answer("<think>\nThe cat, die Katze.", "length"), "empty"),
        (Answer("", "content_filter"), "refusal"),
        (Answer("I'm sorry, but I can't help with that."), "refusal"),
        (Answer("Es tut mir leid, aber ich kann das nicht übersetzen."), "refusal"),
        (Answer("\n".join(SOURCE)), "copy"),
        (Answer(f"{LINES[0]}\n" + "Sie war gar " * 6), "loop"),
    ],
)
def test_a_fault_is_told(answer: Answer, fault: str) -> None:
    read = read_answer(answer, SOURCE)
    assert read.fault == fault and len(read.lines) == 2
    assert any(read.lines) == (fault not in ("empty", "refusal"))


def test_what_the_source_says_is_no_fault() -> None:
    assert not read_answer(Answer("Ich kann das leider nicht, sagte er."), ["I cannot, he said."]).fault
    assert not read_answer(Answer("I'm sorry!"), ["I'm sorry!"]).fault
    song = "la la la la la la la la"
    assert not read_answer(Answer(song), [song.upper() + "!"]).fault.startswith("loop")


def test_repeats() -> None:
    assert [repeats(text) for text in ("", "a", "a b a b", "a a a a", "x a b a b a b y")] == [1, 1, 2, 4, 3]


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        ([], "no JSON object"),
        ({}, "no choices"),
        ({"choices": []}, "no choices"),
        ({"choices": [{"message": None}]}, "no choices"),
        ({"choices": [{"message": {"content": 3}}]}, "no text"),
    ],
)
def test_a_response_of_another_protocol_is_told(body: object, problem: str) -> None:
    with pytest.raises(UnreadableAnswerError, match=problem):
        answer_of(body)


def test_a_response_may_lack_numbers() -> None:
    assert answer_of({"choices": [{"message": {"content": "x"}}]}) == Answer("x")
    assert answer_of({"choices": [{"message": {"content": None}, "finish_reason": "content_filter"}]}).text == ""
    usage = {"prompt_tokens": 3, "completion_tokens": 4}
    assert answer_of({"choices": [{"message": {"content": "x"}}], "usage": usage}) == Answer("x", "stop", 3, 4)


def test_tokens_are_those_of_the_server_or_counted() -> None:
    messages = [{"role": "user", "content": "Two words."}]
    assert spent_tokens(Answer("x", "stop", 30, 40), messages) == (30, 40)
    assert spent_tokens(Answer("Eins, zwei"), messages) == (3 + 4, 3)
