"""Chats to fine-tune with: the prompts of a run, answered by the references, in four forms."""

import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from discourse_nmt.discourse.records.json_lines import json_line
from discourse_nmt.language_models.chats import chats
from discourse_nmt.language_models.settings import FORMS
from discourse_nmt.workflow_scripts.external import write_chats
from tests.unit.language_models.test_prompts import SENTENCES, document

LANGUAGES = ("en", "de")
TARGET = [f"Satz {number}." for number in range(len(SENTENCES))]
RECORD = replace(document(), target=TARGET)


def parts(form: str, seed: int = 1) -> list[tuple[int, int, str, str]]:
    """First sentence, number of sentences, prompt and answer of each chat."""
    return [
        (chat["first_sentence"], chat["sentences"], chat["messages"][1]["content"], chat["messages"][2]["content"])
        for chat in chats([RECORD], form, LANGUAGES, seed)
    ]


@pytest.mark.parametrize("form", FORMS)
def test_answers_are_the_references_of_every_sentence_once(form: str) -> None:
    found = parts(form)
    assert "\n".join(answer for *_, answer in found).split("\n") == TARGET
    assert [first for first, *_ in found] == [
        sum(count for _, count, *_ in found[:place]) for place in range(len(found))
    ]
    for chat in chats([RECORD], form, LANGUAGES):
        assert [message["role"] for message in chat["messages"]] == ["system", "user", "assistant"]
        assert "English to German" in chat["messages"][0]["content"] and chat["doc_id"] == "d"


def test_forms_differ_in_what_they_show() -> None:
    [(_, count, whole, _)] = parts("documents")
    assert count == len(SENTENCES) and all(sentence in whole for sentence in SENTENCES)
    assert "<unit" not in whole and "<unit" in parts("tags")[0][2]
    tagged, shuffled = parts("tags"), parts("shuffled_tags")
    assert any(parts("shuffled_tags", seed) != tagged for seed in range(5)) and len(tagged) == len(shuffled)
    words = [sorted(word for *_, prompt, _ in found for word in prompt.split()) for found in (tagged, shuffled)]
    assert len(words[0]) == len(words[1])


def test_chunks_show_the_sentences_before_with_their_translations(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(FORMS, "chunks", replace(FORMS["chunks"], chunk_words=7))
    first, second, _ = parts("chunks")
    assert "=>" not in first[2]
    assert f"{SENTENCES[1]} => {TARGET[1]}" in second[2]


def test_a_unit_without_a_reference_is_left_out() -> None:
    records = [replace(RECORD, doc_id="none", target=[""] * len(SENTENCES)), RECORD]
    assert [chat["doc_id"] for chat in chats(records, "documents", LANGUAGES)] == ["d"]


def test_the_command_writes_files_and_a_card(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    about = {"corpus": "news", "split": "test", "source_language": "en", "target_language": "fr", "licence": "CC0"}
    (tmp_path / "test.jsonl").write_text(f"{json_line(RECORD, about)}\n", encoding="utf-8")
    words = ["--documents", tmp_path / "test.jsonl", "--analysis", "parsed", "--output", tmp_path / "chats"]
    monkeypatch.setattr(sys, "argv", ["write_chats", *map(str, words)])
    write_chats.main()
    card = (tmp_path / "chats" / "README.md").read_text(encoding="utf-8")
    for told in (
        "news, test",
        "6 sentence pairs of 1 documents, English to French",
        "CC0",
        "`parsed`",
        "shuffled_tags",
    ):
        assert told in card
    for form in FORMS:
        lines = (tmp_path / "chats" / f"{form}.jsonl").read_text(encoding="utf-8").splitlines()
        assert list(map(json.loads, lines)) == list(chats([RECORD], form, ("en", "fr")))
        assert f"`{form}.jsonl`" in card and f"| {len(lines)} |" in card
