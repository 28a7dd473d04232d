"""Requests to a stand-in that fails in every way: nothing lost, nothing asked for twice, nothing beyond the budget."""

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import requests

from discourse_nmt.base.errors import InputError
from discourse_nmt.discourse.records.record import DocumentRecord
from discourse_nmt.language_models import sender as sender_module
from discourse_nmt.language_models.answers import KeptAnswers
from discourse_nmt.language_models.chat import ChatRequest
from discourse_nmt.language_models.endpoints import endpoint_of
from discourse_nmt.language_models.prompts import Prompts
from discourse_nmt.language_models.sender import BudgetError, Sender
from discourse_nmt.language_models.settings import LanguageModelSettings
from discourse_nmt.language_models.translation import REFUSED_AT_FIRST, TranslatedDocument, Work, faults, translate
from discourse_nmt.workflow_scripts.external.stand_in import OF_THE_SERVER, StandIn

LANGUAGES = ("en", "de")
PAUSE = 3.0


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sender_module, "FIRST_PAUSE", 0.001)
    monkeypatch.setattr(sender_module, "LONGEST_PAUSE", 0.002)


def serving(faults: dict[str, float], pause: float = PAUSE) -> StandIn:
    server = StandIn(lambda lines: [f"<{line}>" for line in lines], faults, pause)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    return server


@pytest.fixture
def well() -> Iterator[StandIn]:
    server = serving({})
    yield server
    server.shutdown()


def documents(count: int, sentences: int) -> list[DocumentRecord]:
    return [
        DocumentRecord(
            f"d{number}", [f"Sentence {place} of text {number}." for place in range(sentences)], [""] * sentences
        )
        for number in range(count)
    ]


def settings_of(server: StandIn, **switches: object) -> LanguageModelSettings:
    return LanguageModelSettings(model="stand-in", address=server.address, **switches)  # type: ignore[arg-type]


def translated(
    server: StandIn, folder: Path, records: list[DocumentRecord], owner: str = "e", **switches: Any
) -> tuple[list[TranslatedDocument], Sender]:
    settings = settings_of(server, **switches)
    sender = Sender(endpoint_of(settings), KeptAnswers(folder, owner), settings)
    prompts = Prompts(settings, LANGUAGES, 1)
    return translate(Work(records, prompts, settings, 1), sender), sender


def test_a_thousand_faults_lose_nothing_and_no_kept_answer_is_asked_for(tmp_path: Path) -> None:
    chances = {"busy": 0.15, "fails": 0.15, "breaks off": 0.15, "nonsense": 0.15, "hangs": 0.01}
    server, records = serving(chances, pause=4), documents(60, 12)
    found, sender = translated(server, tmp_path, records, attempts=60, time_limit=2, parallel=8)
    assert sum(server.injected.values()) >= 1000 and set(server.injected) == set(OF_THE_SERVER)
    assert [one.lines for one in found] == [[f"<{line}>" for line in record.source] for record in records]
    assert len(server.answered) == sum(len(record.source) for record in records)
    assert max(server.answered.values()) == 1 and sender.spending.sent == sender.spending.requests == 720
    came = sum(server.came.values())
    again, second = translated(server, tmp_path, records, attempts=60, time_limit=2, parallel=8)
    assert again == found and second.spending.sent == 0 and sum(server.came.values()) == came
    server.shutdown()


def test_faults_of_the_stand_in_recur_with_its_seed() -> None:
    def drawn(seed: int) -> list[str]:
        with StandIn(lambda lines: lines, {"busy": 0.5}, seed=seed) as server:
            return [server.fault(f"request {number % 20}") for number in range(60)]

    assert drawn(1) == drawn(1) != drawn(2)


def test_equal_requests_at_the_same_time_are_sent_once(well: StandIn, tmp_path: Path) -> None:
    records = [DocumentRecord(f"d{number}", ["The same sentence."], [""]) for number in range(40)]
    found, sender = translated(well, tmp_path, records, parallel=16)
    assert sum(well.came.values()) == 1 and (sender.spending.requests, sender.spending.sent) == (40, 1)
    assert {one.lines[0] for one in found} == {"<The same sentence.>"}


def test_a_killed_run_goes_on_to_equal_files(well: StandIn, tmp_path: Path) -> None:
    script = f"""
import sys
sys.path.insert(0, {str(Path(__file__).parents[3])!r})
from pathlib import Path
from tests.unit.language_models.test_sending import documents, translated
class Server: address = {well.address!r}
translated(Server, Path({str(tmp_path / "killed")!r}), documents(30, 10), parallel=2)
"""
    process = subprocess.Popen([sys.executable, "-c", script], env={**os.environ}, stderr=subprocess.DEVNULL)
    while sum(well.came.values()) < 40 and process.poll() is None:
        pass
    process.kill()
    process.wait()
    before = sum(well.answered.values())
    assert 0 < before < 300
    found, sender = translated(well, tmp_path / "killed", documents(30, 10), parallel=2)
    whole, _ = translated(well, tmp_path / "whole", documents(30, 10))
    assert found == whole
    # Of the answers that the server gave, at most those under way when the process died were lost.
    assert 300 - sender.spending.sent >= before - 2
    names = {path.name for path in (tmp_path / "whole").glob("*/*")}
    assert {path.name for path in (tmp_path / "killed").glob("*/[!.]*")} == names


@pytest.mark.parametrize(("key", "limit"), [("budget_requests", 7), ("budget_tokens", 1500)])
def test_a_budget_is_never_exceeded_and_holds_for_later_runs(
    well: StandIn, tmp_path: Path, key: str, limit: int
) -> None:
    records = documents(3, 10)
    for _ in range(2):
        with pytest.raises(BudgetError, match=rf"the budget of {limit:,} .* raise {key} and run again"):
            translated(well, tmp_path, records, "e", **{key: limit})
    paid = KeptAnswers(tmp_path, "e").paid()
    assert 0 < (len(paid) if key == "budget_requests" else sum(paid)) <= limit
    assert sum(well.came.values()) == len(paid)
    _, sender = translated(well, tmp_path, records, "other", **{key: 10 * limit})
    assert sender.spending.requests == 30 and sender.spending.sent == 30 - len(paid), "kept answers cost nothing"
    assert KeptAnswers(tmp_path, "e").paid() == paid and len(KeptAnswers(tmp_path, "other").paid()) == 30 - len(paid)


def test_faults_that_stay_are_one_line(well: StandIn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    failing = serving({"fails": 1.0})
    with pytest.raises(InputError, match=r"no answer after 3 attempts: status 500; run again when the server is well"):
        translated(failing, tmp_path, documents(1, 1), attempts=3)
    failing.shutdown()
    with pytest.raises(InputError, match=r"status 401: .*check model, parameters and the key"):
        settings = replace(settings_of(well), address=well.address)
        monkeypatch.setattr("requests.post", lambda *_, **__: Refused())
        Sender(endpoint_of(settings), KeptAnswers(tmp_path, "e"), settings).ask(ChatRequest("m", (), {}), 1)


def test_a_request_that_is_refused_leaves_the_others(
    well: StandIn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    send = requests.post

    def post(address: str, **options: Any) -> Any:
        too_long = "Sentence 1 " in options["json"]["messages"][-1]["content"]
        return TooLong() if too_long else send(address, **options)

    monkeypatch.setattr("requests.post", post)
    # A refused request costs nothing of a budget.
    found, sender = translated(well, tmp_path, documents(2, 3), parallel=1, budget_requests=4)
    assert [one.lines[1] for one in found] == ["", ""] and all(one.lines[0] and one.lines[2] for one in found)
    assert faults(found)["refused by the server"] == 2 and sender.spending.sent == 4
    assert "2 requests were refused, their sentences have no translation: status 400: context of 64" in caplog.text
    # Nothing was kept of them: they are asked for again, by a run with a server that reads more.
    monkeypatch.setattr("requests.post", send)
    again, sender = translated(well, tmp_path, documents(2, 3))
    assert all(map(all, (one.lines for one in again))) and sender.spending.sent == 2


def test_a_server_that_refuses_everything_ends_the_run(
    well: StandIn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def post(address: str, **_: Any) -> Any:
        asked.append(address)
        return TooLong()

    monkeypatch.setattr("requests.post", post)
    for count, most in ((1, 1), (50, REFUSED_AT_FIRST)):
        asked.clear()
        with pytest.raises(InputError, match=r"every request is refused: status 400: .*; check model"):
            translated(well, tmp_path, documents(count, 1), parallel=1)
        assert len(asked) == most


def test_many_refusals_do_not_end_a_run_that_has_answers(
    well: StandIn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    send = requests.post

    def post(address: str, **options: Any) -> Any:
        return send(address, **options) if "Sentence 0 " in options["json"]["messages"][-1]["content"] else TooLong()

    monkeypatch.setattr("requests.post", post)
    [found], _ = translated(well, tmp_path, documents(1, 3 * REFUSED_AT_FIRST), parallel=1)
    assert [bool(line) for line in found.lines] == [True, *[False] * (3 * REFUSED_AT_FIRST - 1)]


class TooLong:
    """A response to a prompt that is too long."""

    status_code, text = 400, "context of 64\ntokens"


class Refused:
    """A response that no further attempt changes."""

    status_code, text = 401, "invalid key sk-secret"


def test_a_key_stands_in_no_file_and_no_message(well: StandIn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MY_KEY", raising=False)
    with pytest.raises(InputError, match=r"the environment variable MY_KEY is not set"):
        endpoint_of(settings_of(well, key_variable="MY_KEY"))
    monkeypatch.setenv("MY_KEY", "sk-secret")
    translated(well, tmp_path, documents(1, 2), key_variable="MY_KEY")
    assert all("sk-secret" not in path.read_text() for path in tmp_path.rglob("*") if path.is_file())
    monkeypatch.setattr("requests.post", lambda *_, **__: Refused())
    with pytest.raises(InputError, match=r"status 401: invalid key \*\*\*") as told:
        translated(well, tmp_path / "new", documents(1, 1), key_variable="MY_KEY")
    assert "secret" not in str(told.value)
    # Where the words of a server are cut within the key, no part of it is left.
    for before in range(180, 201):
        monkeypatch.setattr(Refused, "text", f"{'x' * before}sk-secret")
        with pytest.raises(InputError) as told:
            translated(well, tmp_path / "new", documents(1, 1), key_variable="MY_KEY")
        assert "sk-" not in str(told.value)
    with pytest.raises(InputError, match=r"no name of an environment variable.*write no key here"):
        settings_of(well, key_variable="sk-secret")


def test_a_program_answers_too(tmp_path: Path) -> None:
    program = tmp_path / "answer.py"
    program.write_text(
        "import json, sys\nbody = json.load(sys.stdin)\n"
        "print(body['messages'][-1]['content'].split('<source>\\n')[1].split('\\n</source>')[0].upper())\n"
    )
    settings = LanguageModelSettings(model="m", command=[sys.executable, str(program)])
    sender = Sender(endpoint_of(settings), KeptAnswers(tmp_path / "kept", "e"), settings)
    [found] = translate(Work(documents(1, 2), Prompts(settings, LANGUAGES, 1), settings, 1), sender)
    assert found.lines == ["SENTENCE 0 OF TEXT 0.", "SENTENCE 1 OF TEXT 0."]
    kept = json.loads(next((tmp_path / "kept").glob("*/*.json")).read_text())
    assert kept["owner"] == "e" and kept["request"]["model"] == "m"


def test_a_budget_of_tokens_holds_for_later_runs_of_a_program_that_counts_none(tmp_path: Path) -> None:
    settings = LanguageModelSettings(command=["cat"], budget_tokens=400)
    for _ in range(2):
        sender = Sender(endpoint_of(settings), KeptAnswers(tmp_path, "e"), settings)
        with pytest.raises(BudgetError):
            translate(Work(documents(1, 20), Prompts(settings, LANGUAGES, 1), settings, 1), sender)
    assert 0 < sum(KeptAnswers(tmp_path, "e").paid()) <= 400


def test_an_answer_is_found_again_whatever_the_order_of_the_parameters() -> None:
    one = ChatRequest("m", (), {"seed": 1, "temperature": 0.5})
    other = ChatRequest("m", (), {"temperature": 0.5, "seed": 1})
    assert one.digest == other.digest
    assert len({one.digest, *(ChatRequest(name, (), {"seed": 1}).digest for name in "mn")}) == 3
