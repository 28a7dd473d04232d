"""A run planned and then measured: requests exactly, tokens within 5 %."""

import json
from pathlib import Path
from typing import Any

import pytest

from discourse_nmt.discourse.records.record import DocumentRecord
from discourse_nmt.language_models.answers import KeptAnswers
from discourse_nmt.language_models.chat import Answer, ChatRequest, message_tokens, token_count
from discourse_nmt.language_models.forecast import Forecast, forecast, stand_in, token_ratio
from discourse_nmt.language_models.prompts import Prompts
from discourse_nmt.language_models.sender import Sender
from discourse_nmt.language_models.settings import LanguageModelSettings
from discourse_nmt.language_models.translation import Work, translate

LANGUAGES = ("en", "de")
RATIO = 1.4  # target words for each source word


class Model:
    """Answers with longer texts, and counts tokens in another way than the rule: 1.25 times as many."""

    def answer(self, request: ChatRequest) -> Answer:
        source = request.messages[-1]["content"].partition("<source>\n")[2].partition("\n</source>")[0]
        text = "\n".join(stand_in(line, RATIO).upper() for line in source.split("\n"))
        return Answer(text, "stop", round(1.25 * message_tokens(request.messages)), round(1.25 * token_count(text)))


def documents(first: int, stop: int) -> list[DocumentRecord]:
    """Documents of which the first sentence is the same."""
    return [
        DocumentRecord(
            f"d{number}",
            ["This is the same.", *(f"Sentence {place} of the long text {number}." for place in range(1, 9))],
            [""] * 9,
        )
        for number in range(first, stop)
    ]


def paid(folder: Path) -> tuple[int, int, int]:
    """Answers, tokens sent and tokens received."""
    files = [json.loads(file.read_text(encoding="utf-8"))["answer"] for file in folder.glob("*/*.json")]
    sent, received = (sum(answer[f"{kind}_tokens"] for answer in files) for kind in ("prompt", "completion"))
    return len(files), sent, received


@pytest.mark.parametrize("switches", [{}, {"context": "previous"}, {"unit": "document"}, {"context": "document"}])
def test_requests_are_exact_and_tokens_nearly(switches: dict[str, Any], tmp_path: Path) -> None:
    settings = LanguageModelSettings(command=["model"], **switches)
    kept, prompts = KeptAnswers(tmp_path, "e"), Prompts(settings, LANGUAGES, 1)
    # Some answers are kept: they tell how the server counts.
    translate(Work(documents(0, 4), prompts, settings, 1), Sender(Model(), kept, settings))
    before = paid(tmp_path)
    work = Work(documents(0, 40), prompts, settings, 1)
    planned = forecast(work, kept, token_ratio([("a b c d e", "A B C D E F G")] * 20), set())
    sender = Sender(Model(), kept, settings)
    translate(work, sender)
    requests, sent, received = (now - then for now, then in zip(paid(tmp_path), before))
    assert planned.requests == requests == sender.spending.sent >= 36
    assert planned.tokens_sent == pytest.approx(sent, rel=0.05)
    assert planned.tokens_received == pytest.approx(received, rel=0.05)
    assert forecast(work, kept, 1.0, set()) == Forecast(0, 0, 0, sender.spending.requests)


def test_equal_requests_of_several_works_count_once(tmp_path: Path) -> None:
    settings = LanguageModelSettings(command=["model"])
    work = Work(documents(0, 2), Prompts(settings, LANGUAGES, 1), settings, 1)
    seen: set[str] = set()
    first, second = (forecast(work, KeptAnswers(tmp_path, "e"), 1.0, seen) for _ in range(2))
    assert (first.requests, second.requests, second.tokens_sent) == (17, 0, 0)


@pytest.mark.parametrize("ratio", [0.5, 1.0, 2.0])
def test_a_stand_in_has_the_tokens_that_are_wanted(ratio: float) -> None:
    for sentence in ["This is a somewhat longer sentence of words.", "词语在这里。", "", "x"]:
        assert abs(token_count(stand_in(sentence, ratio)) - ratio * token_count(sentence)) <= 6


def test_the_ratio_of_no_text_is_one() -> None:
    assert token_ratio([]) == token_ratio([("", "")]) == token_ratio([("a", "")]) == 1
    assert token_ratio([("a b", "a"), ("c d", "b")]) == 0.5
