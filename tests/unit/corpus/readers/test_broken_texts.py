"""Broken files of WMT's JSON lines, texts of documents and translation memories: one line, with file and way."""

import json
from pathlib import Path
from typing import Any

import pytest

from discourse_nmt.base.errors import InputError
from discourse_nmt.corpus.importing.importing import import_corpus
from discourse_nmt.corpus.importing.plan import plan
from discourse_nmt.sentence_alignment.unaligned import LearningAligner
from tests.unit.corpus.importing.corpus_samples import put, settings

TEXT = {
    "doc_id": "a",
    "src_lang": "en",
    "tgt_lang": "de_DE",
    "src_text": "One.\nTwo.",
    "refs": {"refA": {"ref": "Eins.\nZwei."}},
}
WAY = "write doc_id, domain, src_lang, tgt_lang, src_text and refs, as WMT25 does, or lp"


def changed(**keys: Any) -> str:
    return json.dumps(TEXT | keys) + "\n"


def without(key: str) -> str:
    return json.dumps({name: value for name, value in TEXT.items() if name != key}) + "\n"


def unit(content: str, head: str = "") -> str:
    sides = '<tuv xml:lang="en"><seg>One.</seg></tuv><tuv xml:lang="de"><seg>Eins.</seg></tuv>'
    return f'<?xml version="1.0"?>\n{head}<tmx version="1.4"><body>\n<tu>{content}{sides}</tu></body></tmx>\n'


# options, content, message
WMT: list[tuple[dict[str, Any], str, str]] = [
    ({}, changed() + '{"doc_id": "b", \n', rf"a\.jsonl:2: not JSON \(.*\); {WAY}"),
    ({}, changed() + "[1]\n", rf"a\.jsonl:2: not a JSON object; {WAY}"),
    ({}, without("doc_id"), rf"a\.jsonl:1: no document id, or no languages; {WAY}"),
    ({}, without("tgt_lang"), rf"a\.jsonl:1: no document id, or no languages; {WAY}"),
    ({}, changed(doc_id=17), rf"a\.jsonl:1: no document id, or no languages; {WAY}"),
    ({}, without("src_text"), rf"a\.jsonl:1: no text under src_text; {WAY}"),
    ({}, changed(src_text=["One."]), rf"a\.jsonl:1: no text under src_text; {WAY}"),
    ({}, changed(src_text="\n \n"), rf"a\.jsonl:1: no text under src_text; {WAY}"),
    ({}, changed(src_text="...\n***"), r"a\.jsonl:1: document a has no word on one side; remove it"),
    ({}, without("refs"), rf"a\.jsonl:1: no text under target; {WAY}"),
    ({}, changed(refs={}), r"a\.jsonl:1: document a does not have one reference \(references: none\); choose .* drop"),
    ({}, changed(refs="Eins."), r"a\.jsonl:1: document a does not have one reference"),
    ({}, changed(refs={"refA": {"ref": ""}}), rf"a\.jsonl:1: no text under refA; {WAY}"),
    ({"reference": "refB"}, changed(), r"a\.jsonl:1: document a does not have reference refB \(references: refA\)"),
    ({}, changed(tgt_lang="cs_CZ"), r"a\.jsonl: no document in en-de; it has en-cs_CZ: correct .* set target_code"),
    ({"target_code": "de_CH"}, changed(), r"a\.jsonl: no document in en-de_CH; it has en-de_DE"),
    ({}, "\n", rf"a\.jsonl: no document in en-de; {WAY}"),
    ({}, changed() + changed(), r"a\.jsonl:2: document a is there twice, first at .*:1"),
    ({}, changed() + changed(doc_id="b") + changed(), r"a\.jsonl:3: document a is there twice, first at .*; .*unique"),
    (
        {"split_sentences": False},
        changed(src_text="One."),
        r"a\.jsonl:1: document a has 1 lines .*, 2 .*; set split_sen",
    ),
    ({}, changed(src_text="a\x00b"), r"a\.jsonl:1: control character U\+0000; is this a text file\?"),
]
TEXTS: list[tuple[str, str, str]] = [
    ("a.jsonl", '{"source": "One."}\n', r'a\.jsonl:1: no text of a source and a target; write \{"doc_id"'),
    ("a.jsonl", '{"source": ["One."], "target": "Eins."}\n', r"a\.jsonl:1: no text of a source and a target"),
    ("a.jsonl", '{"doc": [{"src": "One.", "tgt": ["Eins."]}]}\n', r"a\.jsonl:1: no text of a source and a target"),
    ("a.jsonl", '{"doc_id": 1, "source": "x", "target": "y"}\n', r"a\.jsonl:1: no text of a source and a target"),
    ("a.jsonl", "One.\n", r'a\.jsonl:1: not JSON \(.*\); write \{"doc_id"'),
    ("a.tsv", "x.en\n", r"a\.tsv:1: 1 paths, not 2; write on each line the path of a source file, a tab"),
    ("a.tsv", "\nx.en\tx.de\n", r"a\.tsv:2: .*x\.en: no such file; correct the path"),
    ("a.tsv", "*.tsv\tb.tsv\n", r"a\.tsv:1: .*b\.tsv: no such file"),
    ("a.parquet", "PAR1", r"a\.parquet: not a Parquet file \(.*\); get it again"),
]
MEMORIES: list[tuple[dict[str, Any], str, str]] = [
    ({}, unit(""), r"a\.tmx: no unit names its document: .* no order; get the documents that they come from"),
    (
        {},
        unit('<prop type="x-client">C</prop>'),
        r"a\.tmx: no unit names .*; set the option document to one of x-client",
    ),
    ({"document": "x"}, unit('<prop type="x-document">D</prop>'), r"a\.tmx: .* set the option .* one of x-document"),
    ({}, unit("")[:-12], r"a\.tmx:\d+: not XML \("),
    ({}, "<xliff/>", r"a\.tmx:1: the root is <xliff>, not <tmx>; give a translation memory"),
    ({}, unit("", '<!DOCTYPE tmx [<!ENTITY x "y">]>\n'), r"a\.tmx:2: <!ENTITY is not accepted; remove the declaration"),
]


def refusal(values: dict[str, Any]) -> str:
    with pytest.raises(InputError) as caught:
        import_corpus(plan(values), aligner=LearningAligner())
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize(("options", "content", "message"), WMT)
def test_a_broken_wmt_file_is_told(options: dict[str, Any], content: str, message: str, tmp_path: Path) -> None:
    values = settings("wmt_jsonl", {"files": [put(tmp_path / "a.jsonl", content)]}, options=options)
    with pytest.raises(InputError, match=message):
        import_corpus(plan(values), aligner=LearningAligner())
    refusal(values)


@pytest.mark.parametrize(("name", "content", "message"), TEXTS)
def test_broken_texts_are_told(name: str, content: str, message: str, tmp_path: Path) -> None:
    put(tmp_path / "b.tsv" if name == "a.tsv" and "*" not in content else tmp_path / "unused", "")
    values = settings("documents", {"files": [put(tmp_path / name, content)]})
    with pytest.raises(InputError, match=message):
        import_corpus(plan(values), aligner=LearningAligner())
    refusal(values)


@pytest.mark.parametrize(("options", "content", "message"), MEMORIES)
def test_a_broken_memory_is_told(options: dict[str, Any], content: str, message: str, tmp_path: Path) -> None:
    values = settings("tmx", {"files": [put(tmp_path / "a.tmx", content)]}, options=options)
    with pytest.raises(InputError, match=message):
        import_corpus(plan(values))
    refusal(values)


def test_folders_without_a_common_name_are_told(tmp_path: Path) -> None:
    split = {"source": [put(tmp_path / "en" / "a.txt", "x\n")], "target": [put(tmp_path / "de" / "b.txt", "y\n")]}
    message = refusal(
        settings("documents", {side: [str(Path(path).parent / "*.txt")] for side, (path,) in split.items()})
    )
    assert message.startswith(f"{tmp_path}/en/a.txt: no target file of this name; wildcards of source and target")
