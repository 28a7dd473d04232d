"""Every switch of a language model changes what is asked, how, or how often."""

import threading
import time
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
import requests

from discourse_nmt.base.errors import InputError
from discourse_nmt.language_models import sender as sender_module
from discourse_nmt.language_models.answers import KeptAnswers
from discourse_nmt.language_models.chat import Answer, ChatRequest
from discourse_nmt.language_models.endpoints import BusyError, Program, Server, endpoint_of
from discourse_nmt.language_models.prompt_files import read_glossary
from discourse_nmt.language_models.prompts import Prompts
from discourse_nmt.language_models.sender import Sender
from discourse_nmt.language_models.settings import LanguageModelSettings
from discourse_nmt.language_models.translation import Work, translate
from tests.unit.language_models.test_prompts import document

LANGUAGES = ("en", "de")
# Second values of switches that change requests, and what must be set beside them.
OF_REQUESTS: dict[str, dict[str, Any]] = {
    "model": {"model": "other"},
    "unit": {"unit": "document"},
    "chunk_words": {"chunk_words": 7},
    "context": {"context": "previous"},
    "context_sentences": {"context": "previous", "context_sentences": 1},
    "shuffled": {"context": "shuffled_neighbours", "shuffled": "graph_neighbours", "context_sentences": 1},
    "order": {"order": "tree"},
    "template": {"template": "numbered"},
    "parameters": {"parameters": {"temperature": 1, "max_tokens": 9}},
}
BESIDE: dict[str, dict[str, Any]] = {
    "chunk_words": {"unit": "chunk"},
    "context_sentences": {"context": "previous"},
    "shuffled": {"context": "shuffled_neighbours", "context_sentences": 1},
    "order": {"context": "previous"},
}
OTHERS = {
    *("address", "command", "key_variable", "glossary", "parallel", "requests_per_minute", "time_limit", "attempts"),
    *("budget_requests", "budget_tokens"),
}


def settings_of(**switches: Any) -> LanguageModelSettings:
    return LanguageModelSettings(**{"command": ["model"], **switches})


class Recorder:
    """Answers every request, the first of each ``failures`` times not, and remembers what came and how."""

    def __init__(self, failures: int = 0, seconds: float = 0) -> None:
        self.came: list[dict[str, Any]] = []
        self.times: list[float] = []
        self.most = self._now = 0
        self._failures, self._seconds, self._lock = failures, seconds, threading.Lock()

    def answer(self, request: ChatRequest) -> Answer:
        with self._lock:
            self.came.append(request.body)
            self.times.append(time.monotonic())
            self._now += 1
            self.most = max(self.most, self._now)
        time.sleep(self._seconds)
        with self._lock:
            self._now -= 1
            self._failures -= 1
            if self._failures >= 0:
                raise BusyError("busy", 0)
        return Answer(
            "\n".join(f"line {number}" for number in range(request.body["messages"][-1]["content"].count("\n")))
        )


def asked(folder: Path, settings: LanguageModelSettings, recorder: Recorder | None = None) -> Recorder:
    recorder = recorder or Recorder()
    prompts = Prompts(settings, LANGUAGES, 1, read_glossary(settings.glossary))
    work = Work([document()], prompts, settings, 1)
    translate(work, Sender(recorder, KeptAnswers(folder, "e"), settings))
    return recorder


def test_every_switch_is_tried() -> None:
    assert {*OF_REQUESTS, *OTHERS} == {entry.name for entry in fields(LanguageModelSettings)}


@pytest.mark.parametrize("switch", OF_REQUESTS)
def test_a_switch_changes_requests(switch: str, tmp_path: Path) -> None:
    first = asked(tmp_path / "first", settings_of(parallel=1, **BESIDE.get(switch, {}))).came
    both = {**BESIDE.get(switch, {}), **OF_REQUESTS[switch]}
    assert asked(tmp_path / "second", settings_of(parallel=1, **both)).came != first


def test_a_parameter_that_is_null_is_left_out(tmp_path: Path) -> None:
    [first, second] = [
        asked(tmp_path / name, settings_of(parameters=parameters)).came[0]
        for name, parameters in (("a", {"temperature": 0}), ("b", {"seed": None, "top_p": 0.9}))
    ]
    assert first.keys() - second.keys() == {"seed", "temperature"} and second["top_p"] == 0.9


def test_a_glossary_shows_the_terms_of_the_unit(tmp_path: Path) -> None:
    word = document().source[0].split()[0]
    terms = tmp_path / "terms.tsv"
    terms.write_text(f"{word}\tBegriff\n\nabsent\tfehlt\n", encoding="utf-8")
    came = asked(tmp_path, settings_of(glossary=str(terms), parallel=1)).came
    assert f"{word} = Begriff" in came[0]["messages"][-1]["content"]
    assert not any("absent" in body["messages"][-1]["content"] for body in came)
    terms.write_text("no tab\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"terms.tsv:1: no pair of terms; write source, tab, target"):
        read_glossary(str(terms))


def test_an_address_or_a_command_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", "secret")
    posted: list[Any] = []

    def post(address: str, **options: Any) -> Any:
        posted.append((address, options))
        raise requests.Timeout

    monkeypatch.setattr("requests.post", post)
    assert isinstance(endpoint_of(settings_of()), Program)
    for limit, expected in ((7, 7), (0, None)):
        settings = LanguageModelSettings(address="http://h/v1/", key_variable="MY_KEY", time_limit=limit)
        server = endpoint_of(settings)
        assert isinstance(server, Server)
        with pytest.raises(BusyError):
            server.answer(ChatRequest("m", (), {}))
        [(address, options)] = posted
        assert address == "http://h/v1/chat/completions" and options["timeout"][1] == expected
        assert options["headers"] == {"Authorization": "Bearer secret"} and options["allow_redirects"] is False
        posted.clear()


@pytest.mark.parametrize("parallel", [1, 3])
def test_no_more_requests_are_under_way_than_allowed(parallel: int, tmp_path: Path) -> None:
    assert asked(tmp_path, settings_of(parallel=parallel), Recorder(seconds=0.02)).most == parallel


def test_requests_keep_their_distance(tmp_path: Path) -> None:
    times = asked(tmp_path, settings_of(requests_per_minute=1200)).times
    assert len(times) == 6 and max(times) - min(times) >= 5 * 60 / 1200 - 0.01


def test_a_request_is_tried_as_often_as_allowed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sender_module, "FIRST_PAUSE", 0.001)
    with pytest.raises(InputError, match="no answer after 2 attempts: busy"):
        asked(tmp_path / "a", settings_of(attempts=2, parallel=1), Recorder(failures=2))
    assert len(asked(tmp_path / "b", settings_of(attempts=3, parallel=1), Recorder(failures=2)).came) == 8


@pytest.mark.parametrize("budget", ["budget_requests", "budget_tokens"])
def test_a_budget_ends_it(budget: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=f"raise {budget}"):
        asked(tmp_path, settings_of(**{budget: 0}))
    asked(tmp_path, settings_of(**{budget: 100_000}))
