"""Files of other programs are refused with a way out, whatever format is configured."""

import json
from pathlib import Path

import pytest

from discourse_nmt.base.errors import InputError
from discourse_nmt.corpus.importing.importing import import_corpus
from discourse_nmt.corpus.importing.plan import plan
from tests.unit.corpus.importing.corpus_samples import put, settings

TMX = '<?xml version="1.0"?>\n<!DOCTYPE tmx SYSTEM "tmx14.dtd">\n<tmx version="1.4"><body><tu/></body></tmx>\n'
XLIFF = '<?xml version="1.0"?>\n<xliff version="1.2"><file/></xliff>\n'


@pytest.mark.parametrize(
    ("name", "text", "format", "message"),
    [
        ("mem.tmx", TMX, "table", r"mem.tmx: a translation memory \(TMX\) is read by the format tmx; set format: tmx"),
        ("MEM.TMX.gz", TMX, "wmt_xml", "a translation memory"),
        ("memory.xml", TMX, "wmt_xml", "a translation memory"),
        ("file.sdlxliff", XLIFF, "wmt_xml", "an XLIFF file is not read; export it as a table"),
        ("file.xml", XLIFF, "wmt_xml", "an XLIFF file is not read"),
        ("pairs.xlsx", "PK", "table", "a spreadsheet is not read; save it as CSV"),
    ],
)
def test_the_way_out_is_told(name: str, text: str, format: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=message):
        import_corpus(plan(settings(format, {"files": [put(tmp_path / name, text)]})))


@pytest.mark.parametrize(
    ("layout", "lines"),
    [
        ("csv", ["doc_id,source,target", '1,"""The"" cat, it sat.",Die Katze.']),
        ("jsonl", ['{"doc_id": "1", "source": "a", "target": "A"}', '{"doc_id": "1", "source": "b", "target": "B"}']),
    ],
)
def test_a_table_in_another_layout_is_told_which(layout: str, lines: list[str], tmp_path: Path) -> None:
    text = "\n".join(lines) + "\n"
    files = {"files": [put(tmp_path / "a.txt", text)]}
    with pytest.raises(InputError, match=rf"a.txt:2: no column doc_id.*, or set layout: {layout}$"):
        import_corpus(plan(settings("table", files)))
    assert import_corpus(plan(settings("table", files, options={"layout": layout}))).documents["train"]


@pytest.mark.parametrize("name", ["a.tsv", "a.tab", "a", "A.CSV", "a.csv.gz", "a.jsonl", "a.ndjson.xz"])
def test_a_table_has_the_layout_of_its_ending(name: str, tmp_path: Path) -> None:
    mark = "," if "csv" in name.lower() else "\t"
    rows = [("doc_id", "source", "target"), ("1", '"a"', "A")]
    text = "".join(f"{mark.join(row)}\n" for row in rows)
    text = json.dumps(dict(zip(*rows))) if "json" in name else text
    [document] = import_corpus(plan(settings("table", {"files": [put(tmp_path / name, text)]}))).documents["train"]
    assert document.target.sentences == ["A"]
    assert document.source.sentences == ["a" if mark == "," else '"a"']
    with pytest.raises(InputError):  # what is set goes before the ending
        other = {"layout": "tsv" if mark == "," or "json" in name else "csv", "quoted": False}
        import_corpus(plan(settings("table", {"files": [str(tmp_path / name)]}, options=other)))


@pytest.mark.parametrize("mark", [";", "|", "\t"])
def test_a_table_with_another_separator_is_told_which(mark: str, tmp_path: Path) -> None:
    text = mark.join(("doc_id", "source", "target")) + "\n" + mark.join(("1", "a", "A")) + "\n"
    files = {"files": [put(tmp_path / "a.csv", text)]}
    shown = r"\\t" if mark == "\t" else f"\\{mark}"
    with pytest.raises(InputError, match=rf'a.csv:2: no column doc_id.*, or set delimiter: "{shown}"'):
        import_corpus(plan(settings("table", files, options={"layout": "csv"})))
    values = settings("table", files, options={"layout": "csv", "delimiter": mark})
    assert len(import_corpus(plan(values)).documents["train"]) == 1
