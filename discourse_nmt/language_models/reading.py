"""From an answer to the translation of each sentence, and what is wrong with an answer."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from discourse_nmt.base.characters import has_text
from discourse_nmt.language_models.chat import Answer
from discourse_nmt.sentence_alignment.output import align_output

NUMBERED = re.compile(r"\[(\d+)\]\s*(.*)")
THOUGHTS = re.compile(r"\A\s*<think>.*?(</think>|\Z)", re.DOTALL)  # of models that reason before they answer
FENCE = re.compile(r"\A```\w*\n(.*?)\n?```\Z", re.DOTALL)
WRAPPED = re.compile(r"\A<(source|translation|target)>\s*(.*?)\s*</\1>\Z", re.DOTALL)
# How models begin when they do not translate; counted only where the source does not begin like this.
REFUSAL = re.compile(
    r"(I['’]m sorry|I am sorry|I cannot|I can['’]t|I['’]m unable|I am unable|As an AI|Sorry, (but )?I|"
    r"Es tut mir leid, (aber )?ich kann|Ich kann (diese|dabei|das) .{0,40}nicht|Je suis désolé|Je ne peux pas|"
    r"К сожалению, я|Я не могу|抱歉，我|很抱歉|我无法)",
    re.IGNORECASE,
)
CUT_OFF, FILTERED = "length", "content_filter"
LOOP = 4  # repetitions, one after the other, of a part of an answer that its source does not repeat


@dataclass(frozen=True)
class ReadAnswer:
    """The translations in an answer, one for each sentence; ``fault`` says what is wrong: "" for nothing."""

    lines: list[str]
    fault: str = ""


def read_answer(answer: Answer, source: Sequence[str]) -> ReadAnswer:
    """The translations of the ``source`` sentences in an ``answer``.

    Lines count if there are as many as sentences, or if all are numbered; else the text is aligned. The fault is one
    of: cut off, refusal, copy, loop, empty, or why the text cannot be aligned.
    """
    text = THOUGHTS.sub("", answer.text).strip()
    for pattern in (FENCE, WRAPPED):
        if found := pattern.match(text):
            text = found.groups()[-1].strip()
    fault = fault_of(answer, text, source)
    if fault in ("refusal", "empty"):
        return ReadAnswer([""] * len(source), fault)
    lines = [" ".join(line.split()) for line in text.splitlines() if has_text(line)]
    if (numbered := in_numbered_order(lines, len(source))) is not None:
        return ReadAnswer(numbered, fault)
    if len(source) == 1:
        return ReadAnswer([" ".join(lines)], fault)
    if len(lines) == len(source):
        return ReadAnswer(lines, fault)
    aligned = align_output(source, text)
    return ReadAnswer(aligned.lines, fault or aligned.problem or "")


def in_numbered_order(lines: Sequence[str], count: int) -> list[str] | None:
    """The texts of ``lines`` that begin with numbers in brackets, by number; None if not each of ``count`` is there.

    A line without a number goes on the line before it.
    """
    texts: dict[int, str] = {}
    last = 0
    for line in lines:
        if found := NUMBERED.match(line):
            last = int(found[1])
            if last in texts:
                return None
            texts[last] = found[2]
        elif last:
            texts[last] = f"{texts[last]} {line}"
        else:
            return None
    return [texts[number] for number in range(1, count + 1)] if texts.keys() == set(range(1, count + 1)) else None


def fault_of(answer: Answer, text: str, source: Sequence[str]) -> str:
    """What is wrong with the ``text`` of an ``answer`` to a request for ``source``; empty for nothing."""
    said = " ".join(source)
    if not has_text(text):
        return "refusal" if answer.finish_reason == FILTERED else "empty"
    if answer.finish_reason == FILTERED or (REFUSAL.match(text) and not REFUSAL.match(said)):
        return "refusal"
    if repeats(text) >= LOOP > repeats(said):
        return "loop"
    if answer.finish_reason == CUT_OFF:
        return "cut off"
    if len(said.split()) > 3 and folded(text) == folded(said):
        return "copy"
    return ""


def folded(text: str) -> str:
    """A ``text`` without case, marks and spaces."""
    return "".join(filter(str.isalnum, text.casefold()))


def repeats(text: str) -> int:
    """How often some part of a ``text``, one to eight words, stands at most one after the other."""
    words = text.casefold().split()
    most = 1
    for length in range(1, 9):
        run = 0
        for place in range(length, len(words)):
            run = run + 1 if words[place] == words[place - length] else 0
            most = max(most, 1 + run // length)
    return most
