"""The requests of the page: what is translated, what is refused, and what a page of another site cannot do."""

import json
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from discourse_nmt.base.errors import InputError
from discourse_nmt.command_line import main
from discourse_nmt.serving.application import application
from discourse_nmt.serving.source_analysis import SourceAnalysis
from discourse_nmt.translation import load
from discourse_nmt.translation.translator import Translator
from tests.unit.translation.folders import TEXT, make_folder
from tests.unit.translation.translator_options import options_of_translator

ENGLISH = "The cat sat on the mat because it was tired.\n\nAnna saw the dog. She liked it.\n"


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Translator]:
    folder = tmp_path_factory.mktemp("models")
    return {
        "first": load(make_folder(folder / "first"), device="cpu"),
        "second": load(make_folder(folder / "second", "concat"), device="cpu"),
    }


@pytest.fixture(scope="module")
def client(models: dict[str, Translator]) -> FlaskClient:
    return application(models, ["localhost", "127.0.0.1"], characters=200).test_client()


def answer(response: TestResponse) -> Any:
    return json.loads(response.text)


def test_a_text_is_translated_by_all_models_and_analysed(client: FlaskClient, models: dict[str, Translator]) -> None:
    content = answer(client.post("/translate", json={"text": ENGLISH}))
    assert content["source"] == ["The cat sat on the mat because it was tired.", "Anna saw the dog.", "She liked it."]
    for name, model in models.items():
        assert content["systems"][name] == model.translate(ENGLISH).lines
        assert content["texts"][name] == model.translate(ENGLISH).text
    analysis = content["analysis"]
    assert len(analysis["edus"]) >= 3 and analysis["themes"] and analysis["chains"]
    assert "RST tree" in analysis["drawings"] and all(svg.startswith("<svg") for svg in analysis["drawings"].values())
    assert content["warnings"] == []


def test_a_request_says_nothing_of_the_stages_of_its_analysis(
    client: FlaskClient, caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level("INFO")
    assert answer(client.post("/translate", json={"text": ENGLISH}))["analysis"]["edus"]
    assert ("reused" in caplog.text, capsys.readouterr().err) == (False, "")


def test_a_file_comes_back_in_its_format(client: FlaskClient, models: dict[str, Translator]) -> None:
    page = "<!-- x -->\r\n<p>The <b>cat</b> sat.\r\n"
    content = answer(client.post("/translate", json={"text": page, "name": "a.html"}))
    assert content["source"] == ["The cat sat."]
    for name, model in models.items():
        assert content["systems"][name] == model.translate(["The cat sat."]).lines
        text = content["texts"][name]
        assert text.startswith("<!-- x -->\r\n<p>") and text.endswith("\r\n") and "</b>" in text
    assert answer(client.post("/translate", json={"text": page, "name": "a.txt"}))["source"] != content["source"]
    fault = client.post("/translate", json={"text": "no cue", "name": "a.srt"})
    assert fault.status_code == 400 and "a.srt:1: neither number nor times" in answer(fault)["error"]
    page = client.get("/").text
    assert ".txt,.md," in page and "<b>second</b>: en to de" in page


def test_another_language_is_a_warning(client: FlaskClient) -> None:
    german = "Der Hund des Nachbarn lief gestern durch den Garten, weil er die Katze gesehen hatte, und kam nicht mehr."
    assert answer(client.post("/translate", json={"text": german}))["warnings"] == [
        "This looks like de; the models read en."
    ]


@pytest.mark.parametrize("text", ["", " \n\n"])
def test_a_text_without_sentences_is_no_fault(client: FlaskClient, text: str) -> None:
    content = answer(client.post("/translate", json={"text": text}))
    assert content["source"] == [] and content["texts"] == {"first": text, "second": text}


@pytest.mark.parametrize(
    ("content", "status", "message"),
    [
        (b"{", 400, "no JSON object"),
        (b"\xff\xfe", 400, "no JSON object"),
        (b"[" * 3000, 400, "no JSON object"),
        (b'{"text":' * 400, 400, "no JSON object"),
        (b"[1]", 400, "no JSON object"),
        (b'{"text": 1}', 400, "no JSON object"),
        (b'{"text": "a", "name": 1}', 400, "no JSON object"),
        (b'{"text": "\\ud800"}', 400, "half of a character"),
        (b'{"text": "a\\u0000"}', 400, "NUL character"),
        (json.dumps({"text": "x" * 201}).encode(), 400, "201 characters, at most 200"),
        (json.dumps({"text": "x" * 5000}).encode(), 413, "exceeds the capacity limit"),
    ],
)
def test_bad_requests_are_one_line(client: FlaskClient, content: bytes, status: int, message: str) -> None:
    response = client.post("/translate", data=content, content_type="application/json")
    assert response.status_code == status
    assert message in answer(response)["error"]


def test_the_longest_text_fits_as_json_of_any_form(client: FlaskClient) -> None:
    """Every character as two escapes."""
    response = client.post("/translate", json={"text": "\U0001f600" * 200})
    assert response.status_code == 200


def test_a_form_of_another_site_is_refused(client: FlaskClient) -> None:
    """Without a preflight request, a browser sends other sites' requests only as forms or plain text."""
    for kind in ("text/plain", "application/x-www-form-urlencoded"):
        assert client.post("/translate", data=b'{"text": "a"}', content_type=kind).status_code == 415
    assert client.options("/translate").headers.get("Access-Control-Allow-Origin") is None


@pytest.mark.parametrize(
    ("host", "status"),
    [("localhost:8000", 200), ("127.0.0.1", 200), ("evil.example", 400), ("localhost.evil", 400)],
)
def test_only_known_hosts_are_answered(client: FlaskClient, host: str, status: int) -> None:
    assert client.get("/", headers={"Host": host}).status_code == status


@pytest.mark.parametrize("path", ["/", "/page.js", "/page.css", "/absent", "/translate"])
def test_every_answer_has_the_policy(client: FlaskClient, path: str) -> None:
    headers = client.get(path).headers
    policy = headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy and "script-src 'self';" in policy and "frame-ancestors 'none'" in policy
    assert headers["X-Content-Type-Options"] == "nosniff"


def test_the_page_loads_nothing_from_elsewhere(client: FlaskClient) -> None:
    for path in ("/", "/page.js", "/page.css"):
        text = client.get(path).text.replace("http://www.w3.org/", "")
        assert "http:" not in text and "https:" not in text and "//cdn" not in text


def test_models_stand_in_the_given_order(models: dict[str, Translator]) -> None:
    client = application({"b": models["first"], "a": models["second"]}, ["localhost"]).test_client()
    assert list(answer(client.post("/translate", json={"text": "The cat sat."}))["systems"]) == ["b", "a"]


def test_names_of_models_are_escaped(models: dict[str, Translator]) -> None:
    page = application({"<script>": models["first"]}, ["localhost"]).test_client().get("/").text
    assert "<b>&lt;script&gt;</b>" in page


def test_models_of_different_languages_are_one_line(models: dict[str, Translator], tmp_path: Path) -> None:
    german = load(make_folder(tmp_path / "de", text={**TEXT, "source_language": "de", "target_language": "en"}))
    with pytest.raises(InputError, match="first reads en, other reads de; serve them one by one"):
        application({"first": models["first"], "other": german}, ["localhost"])


def test_a_language_without_analysers_has_no_drawings() -> None:
    assert SourceAnalysis("it").of(["Un gatto."]) == {}
    assert set(SourceAnalysis("de").of(["Die Katze schläft."])) == {"edus", "chains", "drawings"}  # no themes


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--port", "0"], "--port is 0"),
        (["--characters", "0"], "--characters is 0"),
        (["--threads", "0"], "--threads is 0"),
        ([], "not a model folder"),
    ],
)
def test_faults_of_the_command_are_one_line(tmp_path: Path, words: list[str], message: str) -> None:
    with pytest.raises(SystemExit, match=message) as stopped:
        main(["serve", "--model", str(tmp_path), *words])
    assert "\n" not in str(stopped.value)


@pytest.mark.parametrize("host", ["nowhere.invalid", "300.1.1.1", "http://localhost"])
def test_a_host_without_address_is_one_line(host: str, tmp_path: Path) -> None:
    folder = make_folder(tmp_path / "model")
    with pytest.raises(SystemExit, match=f"--host: {host} has no address; give one of this machine"):
        main(["serve", "--model", str(folder), "--device", "cpu", "--host", host])


@pytest.mark.parametrize(("words", "wanted"), [(["--engine", "ctranslate2"], {"engine": "ctranslate2"}), ([], {})])
def test_the_engine_is_passed_on(
    words: list[str], wanted: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = ["serve", "--model", str(tmp_path), "--device", "cpu", *words]
    assert options_of_translator(command, monkeypatch) == {"device": "cpu", **wanted}
