"""WMT's JSON lines: languages, references, paragraphs and domains; and the submission in the same form."""

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.storage.tables import write_table
from discourse_nmt.corpus.importing.importing import Imported, import_corpus
from discourse_nmt.corpus.importing.plan import plan
from discourse_nmt.corpus.importing.tables import documents_table
from discourse_nmt.sentence_alignment.unaligned import LearningAligner
from discourse_nmt.workflow_scripts.external import write_translations
from discourse_nmt.workflow_scripts.external.write_translations import submission
from tests.unit.corpus.importing.corpus_samples import put, settings

NEWS = {
    "doc_id": "en-de_DE_#_news_#_a.1",
    "domain": "news",
    "src_lang": "en",
    "tgt_lang": "de_DE",
    "src_text": "A cat came. It sat down.\n\nThe mat was red.\nIt was old.",
    "refs": {"refA": {"ref": "Eine Katze kam. Sie setzte sich.\n\nDie Matte war rot.\nSie war alt."}},
}
PARAGRAPH = {
    "lp": "en-de_DE",
    "domain": "social",
    "document_id": "s1",
    "segment_id": 1,
    "is_bad_source": False,
    "source": "Well, hello there!",
    "target": "Na, hallo!",
}


def written(folder: Path, *objects: dict[str, Any], options: dict[str, Any] | None = None) -> dict[str, Any]:
    text = "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in objects)
    return settings("wmt_jsonl", {"files": [put(folder / "test.jsonl", text)]}, options=options or {})


def imported(values: dict[str, Any]) -> Imported:
    return import_corpus(plan(values), aligner=LearningAligner())


def pairs(values: dict[str, Any]) -> list[list[tuple[str, str]]]:
    documents = imported(values).documents["train"]
    return [list(zip(document.source.sentences, document.target.sentences)) for document in documents]


def test_paragraphs_become_aligned_sentences(tmp_path: Path) -> None:
    values = written(tmp_path, NEWS)
    assert pairs(values) == [
        [
            ("A cat came.", "Eine Katze kam."),
            ("It sat down.", "Sie setzte sich."),
            ("The mat was red.", "Die Matte war rot."),
            ("It was old.", "Sie war alt."),
        ]
    ]
    [document] = imported(values).documents["train"]
    assert (document.doc_id, document.domain) == (NEWS["doc_id"], "news")
    assert document.gaps == ["", " ", "\n\n", "\n", ""]
    assert document.quality is not None and len(document.quality) == 4
    assert all(0 <= quality <= 1 for quality in document.quality)
    assert document.source.lines == [1] * 4


def test_lines_may_be_the_sentences(tmp_path: Path) -> None:
    values = written(tmp_path, NEWS, options={"split_sentences": False})
    [document] = import_corpus(plan(values)).documents["train"]
    assert document.source.sentences == ["A cat came. It sat down.", "The mat was red.", "It was old."]
    assert document.quality is None and document.gaps == ["", "\n\n", "\n", ""]


def test_objects_of_one_document_are_its_paragraphs(tmp_path: Path) -> None:
    second = PARAGRAPH | {"segment_id": 2, "source": "How are you? I am fine.", "target": "Wie geht es? Gut."}
    bad = PARAGRAPH | {"segment_id": 3, "is_bad_source": True, "source": "#x"}
    other = PARAGRAPH | {"document_id": "s2"}
    values = written(tmp_path, PARAGRAPH, second, bad, other)
    done = imported(values)
    first, last = done.documents["train"]
    assert (first.doc_id, first.domain, last.doc_id) == ("s1", "social", "s2")
    assert first.source.sentences == ["Well, hello there!", "How are you?", "I am fine."]
    assert first.source.lines == [1, 2, 2] and first.gaps == ["", "\n", " ", ""]
    assert [(drop.reason, drop.line, drop.text) for drop in done.drops["train"]] == [("bad source", 3, "#x")]
    values["options"] = {"bad_sources": "keep"}
    assert len(imported(values).documents["train"][0]) == 4


def test_all_of_the_source_is_kept_where_the_reference_is_cut_otherwise(tmp_path: Path) -> None:
    """A sentence of one side alone joins a neighbour; the numbers of lines differ."""
    text = "One two three four five. Six seven eight nine ten. Eleven twelve thirteen.\nFourteen fifteen sixteen."
    reference = "Eins zwei drei vier fünf. Elf zwölf dreizehn. Vierzehn fünfzehn sechzehn."
    values = written(tmp_path, NEWS | {"src_text": text, "refs": {"refA": {"ref": reference}}})
    done = imported(values)
    [document] = done.documents["train"]
    assert " ".join(document.source.sentences).split() == text.split()
    assert " ".join(document.target.sentences).split() == reference.split()
    assert not done.drops["train"]


def test_other_languages_are_passed_over(tmp_path: Path) -> None:
    czech = NEWS | {"doc_id": "cz", "tgt_lang": "cs_CZ"}
    scripted = NEWS | {"doc_id": "scripted", "src_lang": "eng_Latn", "tgt_lang": "deu_Latn"}
    values = written(tmp_path, czech, NEWS)
    assert len(pairs(values)) == 1
    assert len(pairs(written(tmp_path, czech, scripted))) == 1
    austrian = NEWS | {"doc_id": "at", "tgt_lang": "de_AT"}
    with pytest.raises(InputError, match=r"test.jsonl:2: has two target languages, de_DE and de_AT; choose one"):
        pairs(written(tmp_path, NEWS, austrian))
    chosen = imported(written(tmp_path, NEWS, austrian, options={"target_code": "de_AT"}))
    assert [document.doc_id for document in chosen.documents["train"]] == ["at"]


def test_a_reference_is_chosen(tmp_path: Path) -> None:
    several = NEWS | {"refs": {"refA": {"ref": "Eins."}, "refB": "Zwei."}, "src_text": "One."}
    with pytest.raises(InputError, match=r"test.jsonl:1: document .* does not have one reference .*refA, refB"):
        pairs(written(tmp_path, several))
    assert pairs(written(tmp_path, several, options={"reference": "refB"})) == [[("One.", "Zwei.")]]
    without = several | {"doc_id": "without", "refs": {}}
    options = {"reference": "refA", "without_reference": "drop"}
    done = imported(written(tmp_path, several, without, options=options))
    assert [(drop.doc_id, drop.reason) for drop in done.drops["train"]] == [("without", "no reference")]


def test_a_blind_test_set_has_sources_alone(tmp_path: Path) -> None:
    values = written(tmp_path / "train", NEWS)
    blind = written(tmp_path, {key: value for key, value in NEWS.items() if key != "refs"} | {"doc_id": "blind"})
    values["splits"]["blind"] = blind["splits"]["train"] | {"references": False}
    [document] = imported(values).documents["blind"]
    assert document.source.sentences == ["A cat came.", "It sat down.", "The mat was red.", "It was old."]
    assert set(document.target.sentences) == {""} and document.gaps == ["", " ", "\n\n", "\n", ""]


@pytest.mark.parametrize(
    "text",
    [
        "A cat came. It sat.\n\nIt slept.",
        "<p>A cat came. It sat.</p>\n<p>It slept.<br>Long.</p>",
        "```json\n{\n  A cat came.\n}\n```",
        "A cat came.\r\n\r\n***\r\n\r\nIt sat.\n💖\n",
    ],
)
def test_a_submission_has_the_form_of_its_source(text: str, tmp_path: Path) -> None:
    values = written(tmp_path / "train", NEWS)
    values["splits"]["test"] = written(tmp_path, NEWS | {"doc_id": "x", "src_text": text})["splits"]["train"]
    values["splits"]["test"]["references"] = False
    documents = imported(values).documents["test"]
    table = documents_table(documents)
    [line] = submission(
        table, (sentence.upper() for document in documents for sentence in document.source.sentences), "de"
    )
    written_text = text.replace("\r\n", "\n")
    assert json.loads(line) == {"doc_id": "x", "hypothesis": _with_capitals(written_text)}


def _with_capitals(text: str) -> str:
    """In capitals, but for markup."""
    for mark in ("<P>", "</P>", "<BR>", "```JSON"):
        text = text.upper() if mark == "<P>" else text
        text = text.replace(mark, mark.lower())
    return text


def test_a_submission_without_gaps_has_a_line_for_each_sentence() -> None:
    table = pd.DataFrame({"doc_id": ["a", "b"], "sentences": [2, 1], "gaps": [None, ["", ""]]})
    lines = [json.loads(line) for line in submission(table, ["x", "y", "z"], "zh")]
    assert lines == [{"doc_id": "a", "hypothesis": "x\ny"}, {"doc_id": "b", "hypothesis": "z"}]


def test_blanks_between_sentences_are_those_of_the_target_language() -> None:
    table = pd.DataFrame({"doc_id": ["a"], "sentences": [3], "gaps": [["", " ", "\n", ""]]})
    [line] = submission(table, ["甲。", "乙。", "丙。"], "zh")
    assert json.loads(line)["hypothesis"] == "甲。乙。\n丙。"


@pytest.mark.parametrize(("language", "first"), [("zh", "x1x2\n\nx3"), ("de", "x1 x2\n\nx3")])
def test_the_command_writes_paragraphs_in_the_form_of_the_language(
    language: str, first: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    counts = {"x": 3, "a": 1}
    rows = [(name, place) for name, count in counts.items() for place in range(count)]
    keys = pd.DataFrame(rows, columns=["doc_id", "sent_id"]).astype({"sent_id": "int32"})
    gaps = pd.Series([["", " ", "\n\n", ""], None])
    documents = pd.DataFrame({"doc_id": list(counts), "sentences": list(counts.values()), "gaps": gaps})
    write_table(documents.astype({"sentences": "int32"}), tmp_path / "documents", "documents")
    shards = [tmp_path / name for name in counts]
    for name, path in zip(counts, shards):
        own = keys[keys["doc_id"] == name].assign(source="source", target="target")
        write_table(own, path, "sentences")
    words = keys["doc_id"] + (keys["sent_id"] + 1).astype(str)
    ranked = [
        keys.assign(
            rank=rank, hypothesis=words + "!" * rank, tokens=pd.Series([list[str]()] * len(keys)), score=0.0
        ).astype({"rank": "int32"})
        for rank in (1, 0)
    ]
    write_table(pd.concat(ranked), tmp_path / "translations", "translations")
    output, lines = tmp_path / "output.txt", tmp_path / "output.jsonl"
    options = ["--translations", tmp_path / "translations", "--sentences", *reversed(shards), "--documents"]
    options += [tmp_path / "documents", "--language", language, "--output", output, "--submission", lines]
    monkeypatch.setattr("sys.argv", ["write_translations", *map(str, options)])
    write_translations.main()
    assert output.read_text(encoding="utf-8").split("\n") == ["x1", "x2", "x3", "a1", ""]
    written = [json.loads(line) for line in lines.read_text(encoding="utf-8").splitlines()]
    assert written == [{"doc_id": "x", "hypothesis": first}, {"doc_id": "a", "hypothesis": "a1"}]
