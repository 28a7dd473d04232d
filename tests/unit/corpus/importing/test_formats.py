"""Every format gives the same documents; the particulars of each format."""

import json
import re
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
import yaml

from discourse_nmt.base.errors import InputError
from discourse_nmt.corpus.documents import Document
from discourse_nmt.corpus.importing.importing import import_corpus
from discourse_nmt.corpus.importing.plan import plan
from discourse_nmt.corpus.readers import FORMATS
from tests.conftest import ROOT
from tests.unit.corpus.importing.corpus_samples import WRITERS, Corpus, iwslt_train, put, settings, wmt_sgm

CORPUS: Corpus = {
    "2": [
        ("He said: \u201cR&D costs 3 < 4\u201d.", "Er sagte: \u201eR&D kostet 3 < 4\u201c."),
        ("A line\u2028separator and\x85next line stay.", "Ein Trenner\u2029und\x85noch einer bleiben."),
        ("Two  spaces, \u00a0 no-break.", "Zwei  Leerzeichen, \ufeff Marke."),
    ],
    "10": [('She "quoted", then left.', 'Sie "zitierte", dann ging sie.')],
    "11": [("One.", "Eins."), ("Two.", "Zwei.")],
}
WITHOUT_SEPARATORS = {
    doc_id: [(a.replace("\u2028", " "), b.replace("\u2029", " ")) for a, b in pairs] for doc_id, pairs in CORPUS.items()
}


def documents_of(values: dict[str, Any], split: str = "train") -> list[Document]:
    return list(import_corpus(plan(values)).documents[split])


def pairs_of(document: Document) -> list[tuple[str, str]]:
    return list(zip(document.source.sentences, document.target.sentences))


def refusal(values: dict[str, Any]) -> str:
    with pytest.raises(InputError) as caught:
        import_corpus(plan(values))
    return str(caught.value)


@pytest.mark.parametrize("name", WRITERS)
def test_every_format_gives_the_same_documents(name: str, tmp_path: Path) -> None:
    corpus = CORPUS
    if name == "gettext":  # a catalogue is refused that has such separators in it
        corpus = {
            doc_id: [(a.replace("\x85", " "), b.replace("\x85", " ")) for a, b in pairs]
            for doc_id, pairs in WITHOUT_SEPARATORS.items()
        }
    if name == "html_pages":  # a block is one line without double spaces
        corpus = {
            doc_id: [(" ".join(a.split()), " ".join(b.split())) for a, b in pairs] for doc_id, pairs in CORPUS.items()
        }
    documents = documents_of(WRITERS[name](tmp_path, corpus))
    found = {tuple(pairs_of(document)) for document in documents}
    assert found == {tuple(pairs) for pairs in corpus.values()}
    if name not in ("gettext",):
        assert [pairs_of(document) for document in documents] == list(corpus.values())


@pytest.mark.parametrize(
    "name", sorted(set(WRITERS) - {"marked", "turns", "blank_lines", "tsv_of_blank_lines", "gettext"})
)
def test_formats_with_ids_keep_them(name: str, tmp_path: Path) -> None:
    assert [document.doc_id for document in documents_of(WRITERS[name](tmp_path, CORPUS))] == list(CORPUS)


@pytest.mark.parametrize("name", ("marked", "blank_lines", "tsv_of_blank_lines"))
def test_formats_without_ids_number_the_documents_of_the_split(name: str, tmp_path: Path) -> None:
    found = [document.doc_id for document in documents_of(WRITERS[name](tmp_path, CORPUS))]
    assert found[1:] == ["train-2", "train-3"]


def test_a_list_of_files_is_one_split(tmp_path: Path) -> None:
    split: dict[str, list[str]] = {"source": [], "target": []}
    for name in "ab":
        for side in split:
            split[side].append(put(tmp_path / f"{name}.{side}", f"<d>\n{name} {side}\n"))
    documents = documents_of(settings("marked", split))
    assert [pairs_of(document) for document in documents] == [[("a source", "a target")], [("b source", "b target")]]


def test_a_split_may_have_a_format_of_its_own(tmp_path: Path) -> None:
    values = WRITERS["marked"](tmp_path / "m", CORPUS)
    other = WRITERS["wmt_sgm"](tmp_path / "s", CORPUS)
    values["splits"]["test"] = other["splits"]["train"] | {"format": "wmt_sgm", "options": other["options"]}
    imported = import_corpus(plan(values))
    assert [len(documents) for documents in imported.documents.values()] == [3, 3]


@pytest.mark.parametrize("own", [{}, {"format": "table"}])
def test_options_of_a_corpus_are_those_of_its_splits_in_that_format(tmp_path: Path, own: dict[str, str]) -> None:
    rows = '{"doc_id": "d", "source": "a", "target": "b"}\n'
    values = settings("table", {"files": [put(tmp_path / "t", rows)]} | own, options={"layout": "jsonl"})
    values["splits"]["test"] = {"format": "marked"} | WRITERS["marked"](tmp_path, CORPUS)["splits"]["train"]
    imported = import_corpus(plan(values))
    assert [len(documents) for documents in imported.documents.values()] == [1, 3]


def test_repeated_titles_are_documents_of_their_own(tmp_path: Path) -> None:
    text = "A\ts1\tt1\nB\ts2\tt2\nA\ts3\tt3\n"
    options = {"header": False, "document": 1, "source": 2, "target": 3, "documents": "runs"}
    values = settings("table", {"files": [put(tmp_path / "t.tsv", text)]}, options=options)
    assert [document.doc_id for document in documents_of(values)] == ["A", "B", "A-2"]
    values["options"]["documents"] = "ids"
    assert "t.tsv:3: document A is there twice, first at" in refusal(values)


def test_rows_of_an_unknown_direction_are_refused(tmp_path: Path) -> None:
    text = "doc_id,from,source,target\n1,en,a,b\n1,fr,c,d\n"
    options = {"layout": "csv", "direction": "from"}
    values = settings("table", {"files": [put(tmp_path / "t.csv", text)]}, options=options)
    assert "t.csv:3: direction 'fr' is none of en, de" in refusal(values)
    values["options"] |= {"forward": ["fr"], "reversed": ["en"]}
    assert [pairs_of(document) for document in documents_of(values)] == [[("b", "a"), ("c", "d")]]


def test_two_tables_are_joined_by_their_key(tmp_path: Path) -> None:
    files = {
        "source": [put(tmp_path / "a.tsv", "doc_id\tverse\ttext\n1\t1\ta\n1\t2\tb\n1\t3\tc\n")],
        "target": [put(tmp_path / "b.tsv", "doc_id\tverse\ttext\n1\t1\tA\n1\t3\tC\n")],
    }
    options = {"source": "text", "target": "text", "key": "verse"}
    assert "a.tsv:3: row 2 of document 1 has no partner" in refusal(settings("table", files, options=options))
    imported = import_corpus(plan(settings("table", files, options=options | {"unpaired": "drop"})))
    assert pairs_of(imported.documents["train"][0]) == [("a", "A"), ("c", "C")]
    assert [(drop.line, drop.reason) for drop in imported.drops["train"]] == [(3, "unpaired")]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("doc_id\tsource\ttarget\n1\ta\n", "t:2: 2 columns, 3 in the first line"),
        ("doc_id\tsource\tother\n1\ta\tb\n", "t:2: no column target; columns are doc_id, source, other"),
        ("doc_id\tsource\tsource\n1\ta\tb\n", "t:1: two columns have the same name"),
    ],
)
def test_broken_tables_are_refused(text: str, message: str, tmp_path: Path) -> None:
    assert message in refusal(settings("table", {"files": [put(tmp_path / "t", text)]}))


def test_a_csv_field_over_two_lines_is_refused(tmp_path: Path) -> None:
    text = 'doc_id,source,target\n1,a,b\n1,"c\nd",e\n'
    values = settings("table", {"files": [put(tmp_path / "t.csv", text)]}, options={"layout": "csv"})
    assert "t.csv:3: a field goes on to the next line" in refusal(values)


@pytest.mark.parametrize("delimiter", [";;", '"', "\n"])
def test_a_delimiter_that_csv_does_not_know_is_refused(delimiter: str, tmp_path: Path) -> None:
    options = {"layout": "csv", "delimiter": delimiter}
    values = settings("table", {"files": [put(tmp_path / "t.csv", "doc_id,source,target\n1,a,b\n")]}, options=options)
    assert "options.delimiter is " in refusal(values)


@pytest.mark.parametrize(
    ("value", "message"), [("null", "t:1: empty sentence on the source side"), ('{"a": "b"}', "t:1: no column source")]
)
def test_what_is_no_text_in_json_is_no_sentence(value: str, message: str, tmp_path: Path) -> None:
    row = f'{{"doc_id": "1", "source": {value}, "target": "b"}}\n'
    values = settings("table", {"files": [put(tmp_path / "t", row)]}, options={"layout": "jsonl"})
    assert message in refusal(values)


def test_a_blank_row_is_called_so(tmp_path: Path) -> None:
    values = settings("table", {"files": [put(tmp_path / "t", "doc_id\tsource\ttarget\n1\ta\tb\n\n")]})
    assert "t:3: blank row; remove it" in refusal(values)


def test_unknown_speakers_and_repeated_dialogues_are_refused(tmp_path: Path) -> None:
    turn = {"speaker": "bot", "source": "a", "target": "b"}
    values = settings("dialogues", {"files": [put(tmp_path / "d.json", json.dumps({"7": [turn]}))]})
    assert "dialogue 7, turn 1: unknown speaker 'bot'" in refusal(values)
    values = settings("dialogues", {"files": [put(tmp_path / "d.json", '{"7": [], "7": []}')]})
    assert "'7' is there twice" in refusal(values)


def test_iwslt_titles_can_be_kept_and_talks_must_agree(tmp_path: Path) -> None:
    values = iwslt_train(tmp_path, CORPUS)
    assert len(documents_of(values | {"options": {"keep": ["title"]}})[0]) == 4
    path = Path(values["splits"]["train"]["target"][0])
    path.write_text(path.read_text().replace("<talkid>10<", "<talkid>12<"))
    assert "corpus.en.txt:9: talk 10 here, talk 12" in refusal(values)


def test_older_train_tags_without_doc_open_a_talk_at_its_url(tmp_path: Path) -> None:
    text = "<url>u1</url>\n<talkid>1</talkid>\none\ntwo\n<url>u2</url>\n<title>T</title>\n<talkid>2</talkid>\nthree\n"
    split = {"source": [put(tmp_path / "a", text)], "target": [put(tmp_path / "b", text)]}
    assert [(document.doc_id, len(document)) for document in documents_of(settings("iwslt", split))] == [
        ("1", 2),
        ("2", 1),
    ]


def test_sgm_asks_for_one_of_several_references(tmp_path: Path) -> None:
    values = wmt_sgm(tmp_path, CORPUS)
    assert "several references (A, B)" in refusal(values | {"options": {}})
    assert pairs_of(documents_of(values | {"options": {"reference": "B"}})[1])[0][1].endswith(" other")
    assert "no reference C; choose one of A, B" in refusal(values | {"options": {"reference": "C"}})


def test_sgm_segments_must_have_the_same_ids(tmp_path: Path) -> None:
    values = wmt_sgm(tmp_path, CORPUS)
    path = Path(values["splits"]["train"]["source"][0])
    text = path.read_text()
    path.write_text(text.replace('<seg id="2">', '<seg id="4">', 1))
    assert "corpus.en.sgm:4: segment 4 of 2, but segment 2 at" in refusal(values)
    path.write_text(text.replace("</seg>", "", 1))
    assert "corpus.en.sgm:4: <seg> inside segment 1" in refusal(values)


def test_wmt_xml_documents_without_a_reference(tmp_path: Path) -> None:
    text = '<dataset><doc id="1"><src><seg id="1">a</seg></src></doc><doc id="2"><src><seg id="1">b</seg></src>'
    text += '<ref lang="de" translator="A"><seg id="1">B</seg></ref><ref lang="cs"><seg id="1">C</seg></ref></doc>'
    text += "</dataset>"
    values = settings("wmt_xml", {"files": [put(tmp_path / "t.xml", text)]})
    assert "document 1 does not have one reference (translators: none)" in refusal(values)
    imported = import_corpus(plan(values | {"options": {"without_reference": "drop"}}))
    assert [pairs_of(document) for document in imported.documents["train"]] == [[("b", "B")]]
    assert [(drop.doc_id, drop.reason) for drop in imported.drops["train"]] == [("1", "no reference")]


@pytest.mark.parametrize(
    "declaration",
    [
        '<!DOCTYPE dataset [<!ENTITY a "aa"><!ENTITY b "&a;&a;">]>',
        '<!DOCTYPE dataset [<!ENTITY x SYSTEM "file:///etc/hostname">]>',
        '<!DOCTYPE dataset SYSTEM "http://example.org/x.dtd">',
    ],
)
def test_xml_entities_are_refused(declaration: str, tmp_path: Path) -> None:
    text = f'{declaration}\n<dataset><doc id="1"><src><seg id="1">&x;</seg></src></doc></dataset>'
    assert "t.xml:1: <!DOCTYPE is not accepted" in refusal(
        settings("wmt_xml", {"files": [put(tmp_path / "t.xml", text)]})
    )
    undeclared = text.removeprefix(declaration)
    assert "t.xml:2: not XML" in refusal(settings("wmt_xml", {"files": [put(tmp_path / "t.xml", undeclared)]}))


def test_gettext_leaves_out_what_is_not_translated_text(tmp_path: Path) -> None:
    text = """
msgid ""
msgstr "Language: de\\n"

#: C/b.page:20 C/a.page:7
msgid "second"
msgstr "zweitens"

#: C/a.page:3
msgid ""
"first "
"of all"
msgstr "erstens"

#, fuzzy
#: C/a.page:9
msgid "not sure"
msgstr "unsicher"

#: C/a.page:10
msgid "not done"
msgstr ""

#: C/a.page:11
msgctxt "_"
msgid "external ref"
msgstr "x"

msgid "nowhere"
msgstr "nirgends"

#~ msgid "old"
#~ msgstr "alt"
"""
    imported = import_corpus(plan(settings("gettext", {"files": [put(tmp_path / "help.de.po", text)]})))
    found = {document.doc_id: pairs_of(document) for document in imported.documents["train"]}
    second = ("second", "zweitens")
    assert found == {"help/C/a.page": [("first of all", "erstens"), second], "help/C/b.page": [second]}
    reasons = [drop.reason for drop in imported.drops["train"]]
    assert reasons == ["fuzzy", "untranslated", "skipped context", "no reference"]


def test_a_gettext_string_that_is_not_closed_is_refused(tmp_path: Path) -> None:
    text = '#: C/a.page:3\nmsgid "first\nmsgstr "erstens"\n'
    assert "h.po:2: not a line of a gettext" in refusal(settings("gettext", {"files": [put(tmp_path / "h.po", text)]}))


def test_catalogues_of_one_name_are_told_apart_by_the_wildcard(tmp_path: Path) -> None:
    for name in ("guide", "help"):
        put(tmp_path / name / "de" / "de.po", f'#: C/index.page:1\nmsgid "{name}"\nmsgstr "x"\n')
    documents = documents_of(settings("gettext", {"files": [f"{tmp_path}/*/de/de.po"]}))
    assert [document.doc_id for document in documents] == ["guide/C/index.page", "help/C/index.page"]


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_and_option_is_documented(name: str) -> None:
    text = (ROOT / "docs" / "reference" / "corpus-formats.md").read_text(encoding="utf-8")
    section = text.partition(f"\n## {name}\n")[2].partition("\n## ")[0]
    options = {field.name for field in fields(FORMATS[name].options)}
    assert (f"(settings/formats.md#format-{name})" in section) == bool(options)
    assert options <= set(re.findall(r"`(\w+)(?:: \w+)?`", section))
    examples = [yaml.safe_load(example) for example in re.findall(r"```yaml\n(.*?)```", section, re.DOTALL)]
    assert examples
    for example in examples:
        splits = example.get("splits", {}).values()
        assert example.get("format", name) == name and all(split.get("format", name) == name for split in splits)
        shown = example.get("options", {}).keys() | {key for split in splits for key in split.get("options", {})}
        assert shown <= options
