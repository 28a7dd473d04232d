"""Faults in a corpus are told with file, line and remedy, whatever the format."""

from pathlib import Path
from typing import Any

import pytest

from discourse_nmt.base.errors import InputError
from discourse_nmt.corpus.importing.importing import Imported, import_corpus
from discourse_nmt.corpus.importing.plan import plan
from tests.unit.corpus.importing.corpus_samples import WRITERS, Corpus, put, settings

Marked = tuple[str, str]


def marked(folder: Path, source: str, target: str, format: str = "marked", **more: Any) -> dict[str, Any]:
    split = {"source": [put(folder / "a.en", source)], "target": [put(folder / "a.de", target)]}
    return settings(format, split, **more)


def load(values: dict[str, Any]) -> Imported:
    return import_corpus(plan(values))


def refusal(values: dict[str, Any]) -> str:
    with pytest.raises(InputError) as caught:
        load(values)
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize(
    ("source", "target", "message"),
    [
        ("<d>\na\nb\n", "<d>\nA\n", "a.en:3: line without a partner: {}/a.de ends after 2 lines"),
        ("<d>\na\n", "<d>\nA\nB\n", "a.de:3: line without a partner: {}/a.en ends after 2 lines"),
        ("<d>\na\n<d>\nb\n", "<d>\nA\nB\n<d>\n", "a.en:3: <d> here, but 'B' in {}/a.de"),
        ("<d>\na\nb\n<d>\nc\n", "<d>\nA\n<d>\nB\nC\n", "a.de:3: <d> here, but 'b' in {}/a.en"),
        ("a\n<d>\nb\n", "A\n<d>\nB\n", "a.en:1: text before the first document mark"),
        ("<d>\n<d>\nb\n", "<d>\n<d>\nB\n", "a.en:1: document train-1 has no sentence"),
        ("<d>\nb\n<d>\n", "<d>\nB\n<d>\n", "a.en:3: document train-2 has no sentence"),
        ("<d>\na\nb\n", "<d>\nA\n \u3000\n", "a.de:3: empty sentence on the target side"),
        ("<d>\n\nb\n", "<d>\nA\nB\n", "a.en:2: empty sentence on the source side"),
        ("<d>\na\x00\n", "<d>\nA\n", "a.en:2: control character U+0000; is this a text file?"),
        ("<d>\na\n", "<d>\nA\rB\n", "a.de:2: control character U+000D"),
        ("<d>\na\x1c\n", "<d>\nA\n", "a.en:2: control character U+001C"),
        ("<d>\na\n", "<d>\n" + "x" * 100_001 + "\n", "a.de:2: sentence of 100,001 characters"),
        ("", "", "a.en: the file is empty"),
    ],
)
def test_faults_of_marked_text(source: str, target: str, message: str, tmp_path: Path) -> None:
    assert message.format(tmp_path) in refusal(marked(tmp_path, source, target, control_characters="error"))


@pytest.mark.parametrize(
    ("source", "target", "message"),
    [
        ("a\n\nb\n", "A\nB\n\n", "a.en:2: blank here, but text in"),
        ("a\nb\n\nc\n", "A\n\nB\nC\n", "a.de:2: blank here, but text in"),
        ("a\n\n\nb\n", "A\n\n\nB\n", "a.en:3: document train-2 has no sentence"),
    ],
)
def test_faults_of_text_with_blank_lines(source: str, target: str, message: str, tmp_path: Path) -> None:
    assert message in refusal(marked(tmp_path, source, target, "blank_lines", empty_sentences="error"))
    if "blank here" in message:  # what would be a boundary on one side only is never taken for an empty sentence
        assert message in refusal(marked(tmp_path, source, target, "blank_lines", empty_sentences="drop"))


def test_a_long_file_without_blank_lines_is_no_document(tmp_path: Path) -> None:
    lines, fault = "a\n" * 2001, "a.en: 2,001 lines without a blank line, which would be one document; put blank"
    assert fault in refusal(marked(tmp_path, lines, lines, "blank_lines"))
    assert len(load(marked(tmp_path, f"a\n\n{lines}", f"a\n\n{lines}", "blank_lines")).documents["train"]) == 2


def test_a_blank_line_at_the_end_opens_no_document(tmp_path: Path) -> None:
    imported = load(marked(tmp_path, "a\n\nb\n\n", "A\n\nB\n\n", "blank_lines"))
    assert [len(document) for document in imported.documents["train"]] == [1, 1]


def test_empty_sentences_and_documents_can_be_dropped_and_are_counted(tmp_path: Path) -> None:
    source, target = "<d>\n\na\n\nb\n<d>\n<d>\n\n<d>\nc\n", "<d>\nX\nA\nY\nB\n<d>\n<d>\nZ\n<d>\nC\n"
    imported = load(marked(tmp_path, source, target, empty_sentences="drop"))
    found = [document.target.sentences for document in imported.documents["train"]]
    assert found == [["A", "B"], ["C"]]
    assert [(drop.doc_id, drop.line, drop.reason, drop.between) for drop in imported.drops["train"]] == [
        ("train-1", 2, "empty sentence", False),
        ("train-1", 4, "empty sentence", True),
        ("train-2", None, "empty document", False),
        ("train-3", 8, "empty sentence", False),
    ]


def test_control_characters_can_become_spaces_but_never_nul(tmp_path: Path) -> None:
    values = marked(tmp_path, "<d>\na\x0bb\tc\n", "<d>\nA\rB\n", control_characters="space")
    (document,) = load(values).documents["train"]
    assert (document.source.sentences, document.target.sentences) == (["a b\tc"], ["A B"])
    assert "U+0000" in refusal(marked(tmp_path, "<d>\na\x00\n", "<d>\nA\n", control_characters="space"))


def test_whitespace_inside_a_sentence_is_kept(tmp_path: Path) -> None:
    (document,) = load(marked(tmp_path, "<d>\n \u00a0a  b \u200bc\u3000\n", "<d>\n\tA\tB \n")).documents["train"]
    assert (document.source.sentences, document.target.sentences) == (["a  b \u200bc"], ["A\tB"])


@pytest.mark.parametrize("escape", ["\\u0000", "\\ud800", "\\u001f"])
def test_characters_written_as_escapes_are_checked_too(escape: str, tmp_path: Path) -> None:
    row = f'{{"doc_id": "1", "source": "a{escape}", "target": "A"}}\n'
    values = settings("table", {"files": [put(tmp_path / "a.jsonl", row)]}, options={"layout": "jsonl"})
    assert "a.jsonl:1: control character" in refusal(values | {"control_characters": "error"})


def test_faults_without_lines_name_the_turn(tmp_path: Path) -> None:
    text = (
        '{"7": [{"speaker": "agent", "source": "a", "target": "b"}, {"speaker": "agent", "source": "", "target": "b"}]}'
    )
    message = refusal(settings("dialogues", {"files": [put(tmp_path / "d.json", text)]}))
    assert "d.json: dialogue 7, turn 2: empty sentence on the source side" in message


CORPUS: Corpus = {"1": [("a", "A")], "2": [("b", "B")]}


@pytest.mark.parametrize(
    "name", ["tsv", "jsonl", "dialogues", "document_ids", "folder_of_pairs", "iwslt_xml", "wmt_xml"]
)
def test_document_ids_are_unique_across_splits(name: str, tmp_path: Path) -> None:
    values = WRITERS[name](tmp_path / "a", CORPUS)
    values["splits"]["test"] = WRITERS[name](tmp_path / "b", {"2": [("c", "C")]})["splits"]["train"]
    message = refusal(values)
    assert "document 2 is there twice, first at" in message and f"{tmp_path}/b" in message.partition("first at")[0]


def test_document_ids_are_unique_within_a_split(tmp_path: Path) -> None:
    split = {
        "source": [put(tmp_path / "a.en", "a\nb\nc\n")],
        "target": [put(tmp_path / "a.de", "A\nB\nC\n")],
        "documents": [put(tmp_path / "a.ids", "x\ny\nx\n")],
    }
    assert "a.en:3: document x is there twice" in refusal(settings("document_ids", split))


@pytest.mark.parametrize("doc_id", ["", "a\tb", "a\x01", "x" * 501])
def test_document_ids_must_be_usable(doc_id: str, tmp_path: Path) -> None:
    values = WRITERS["jsonl"](tmp_path, {doc_id: [("a", "A")]})
    assert "corpus.jsonl:1: document id" in refusal(values)


def test_files_of_two_sides_must_match(tmp_path: Path) -> None:
    values = WRITERS["folder_of_pairs"](tmp_path, CORPUS)
    put(tmp_path / "en" / "3.txt", "c\n")
    assert "3.txt: no target file for document 3" in refusal(values)
    assert "3 source, 2 target files" in refusal(values | {"format": "marked"})
    put(tmp_path / "de" / "4.txt", "D\n")
    assert "en/3.txt: has no partner of the same name" in refusal(values | {"format": "blank_lines"})


def test_missing_files_are_told_together_with_where_to_get_them(tmp_path: Path) -> None:
    values = settings(
        "marked",
        {"source": [f"{tmp_path}/a.en", f"{tmp_path}/b/*.en"], "target": [f"{tmp_path}/a.de", f"{tmp_path}/c.zip::x"]},
        where="download the talks from example.org and put them into talks/",
    )
    names = ", ".join(f"{tmp_path}/{name}" for name in ("a.en", "b/*.en", "a.de", "c.zip"))
    assert refusal(values) == f"missing: {names}; download the talks from example.org and put them into talks/"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"formt": "x"}, "corpus: unknown setting formt; did you mean format?"),
        ({"format": "markd"}, "corpus: unknown format markd; did you mean marked?"),
        (
            {"options": {"document_mark": ["<d>"]}},
            "options: unknown setting document_mark; did you mean document_marks?",
        ),
        ({"options": {"document_marks": "<d>"}}, "options: document_marks is '<d>'; it must be a list of text"),
        ({"format": "table", "options": {"layout": "xls"}}, "options: layout is 'xls'; choose from tsv, csv, jsonl"),
        (
            {"splits": {"train": {"source": ["b", "./a"], "target": ["c", "a"]}}},
            "corpus.splits.train: source and target are the same file, ./a; name that of each side",
        ),
        (
            {"format": "table", "splits": {"train": {"files": ["a"]}}, "options": {"source": "de", "target": "de"}},
            "corpus.options: source and target are the same column, de; name that of each side",
        ),
        (
            {
                "format": "table",
                "splits": {"train": {"source": ["a"], "target": ["a"]}},
                "options": {"target": "source"},
            },
            "corpus.splits.train: source and target are the same file, a; name",
        ),
        (
            {"format": "document_ids"},
            "corpus.splits.train gives source, target, but the format document_ids reads source, target, documents; "
            "add documents",
        ),
        ({"splits": {"train": {"source": ["a"], "files": ["b"]}}}, "; leave out files and add target"),
        ({"splits": {"train": {}}}, "splits.train gives no files, but the format marked reads source, target; add"),
        (
            {"splits": {"train": {"format": "markd"}}},
            "corpus.splits.train: unknown format markd; did you mean marked?",
        ),
        ({"shards": True}, "corpus: shards is True; it must be a whole number"),
        ({"shards": 0}, "corpus: shards is 0; it must be at least 1"),
        ({"held_out": {"dev": 1.5}}, "held_out.dev: 1.5 is neither a share"),
        ({"held_out": {"dev": float("inf")}}, "corpus: held_out.dev is inf; it must be finite"),
        ({"held_out": {"dev": 0.5, "test": 0.5}}, "the shares leave nothing"),
        ({"held_out": {"train": 2}}, "the split train has files of its own"),
        ({"held_out": {"../dev": 2}}, "corpus: '../dev' is no name for a split"),
        ({"filters": {"splits": ["trian"]}}, "filters.splits: there is no split trian; did you mean train?"),
        (
            {"filters": {"max_ratio": 0.5}},
            "corpus.filters: max_ratio is 0.5; it must be at least 1 or null",
        ),
        ({"empty_sentences": "ignore"}, "corpus: empty_sentences is 'ignore'; choose from error, drop"),
        ({"splits": {"train": ["a"]}}, "splits.train must be a mapping"),
    ],
)
def test_settings_are_checked(change: dict[str, Any], message: str, tmp_path: Path) -> None:
    values = marked(tmp_path, "<d>\na\n", "<d>\nA\n") | change
    with pytest.raises(InputError) as caught:
        plan(values)
    assert message in str(caught.value)
    with pytest.raises(InputError) as named:  # the same path in the configuration
        plan(values, "corpora.tiny")
    assert str(named.value) == str(caught.value).replace("corpus", "corpora.tiny", 1)


def test_a_corpus_of_one_language_and_two_columns_of_a_file_may_be_copied() -> None:
    same = {"source": ["a"], "target": ["a"]}
    plan(settings("marked", same) | {"target_language": "en"})
    plan(settings("table", {"files": ["a"]}, options={"target": "source"}) | {"target_language": "en"})
    plan(settings("table", same))


def test_settings_of_later_stages_are_passed_over(tmp_path: Path) -> None:
    assert plan(marked(tmp_path, "", "", text={"truecase": True})).corpus.format == "marked"


def test_a_corpus_may_be_a_test_set_alone(tmp_path: Path) -> None:
    values = marked(tmp_path, "<d>\na b\n", "<d>\nA\n", filters={"max_tokens": 1})
    values["splits"] = {"test": values["splits"]["train"]}
    assert list(load(values).documents) == ["test"]
