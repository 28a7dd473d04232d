"""Raw text to the whole analysis: what comes back fits together, and is written as others read it."""

import io
import json
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from lxml import etree

from discourse_nmt import PACKAGE
from discourse_nmt.base.errors import InputError
from discourse_nmt.base.sources import Source
from discourse_nmt.base.storage.tables import TABLES, read_table
from discourse_nmt.command_line import parser
from discourse_nmt.discourse.backends.builtin.joint import joint_network
from discourse_nmt.discourse.drawings.titles import TITLES
from discourse_nmt.discourse.export import files, tables
from discourse_nmt.discourse.formats.conllu import read_conllu
from discourse_nmt.discourse.formats.coreference import read_conll_coreference
from discourse_nmt.discourse.formats.corefud import read_corefud
from discourse_nmt.discourse.formats.rs3 import read_rs3
from discourse_nmt.discourse.formats.rs3_trees import tree_of_graph
from discourse_nmt.discourse.pages.sheets import Sheet, facts, section
from discourse_nmt.discourse.pipeline import Pipeline, TextAnalysis, count
from discourse_nmt.discourse.records.json_lines import read_records
from discourse_nmt.discourse.records.record import table_rows
from discourse_nmt.discourse.structures.conversions import debinarise, li14
from discourse_nmt.discourse.structures.mentions import Span, check_edus
from discourse_nmt.discourse.structures.rows import rows_to_chains, rows_to_edus, rows_to_tree
from discourse_nmt.discourse.structures.trees import StructureError
from discourse_nmt.scoring.reports.documents import spread_over
from discourse_nmt.scoring.reports.page import AnalysedDocuments, Tables, page
from discourse_nmt.workflow_scripts.report import report
from tests.conftest import ROOT
from tests.unit.scoring.reports.test_report import HOSTILE, read, scores, scripts, templates

TEXTS = [
    "Ann has a dog, and she loves it.\nBecause it barks, her neighbours do not.\n\nThey moved away.",
    "Stop!",
    "",
    "  \n\n ",
    'He said: "Don\'t\tgo!"\r\n\r\nShe went\u2028anyway, although it rained (as usual).',
]


@pytest.fixture(scope="module")
def analyses(pipeline: Pipeline) -> list[TextAnalysis]:
    return pipeline.analyse(TEXTS)


def test_everything_fits_together(analyses: list[TextAnalysis]) -> None:
    for text, analysis in zip(TEXTS, analyses, strict=True):
        assert "".join("".join(analysis.sentences).split()) == "".join(text.split())
        for sentence, words, syntax in zip(analysis.sentences, analysis.words, analysis.syntax, strict=True):
            assert len(sentence.splitlines()) == 1
            assert tuple(sentence[start:end] for start, end in words) == syntax.forms
        check_edus(analysis.edus, [len(words) for words in analysis.words])
        if analysis.edus:
            assert analysis.tree and analysis.structure and analysis.dependencies
            assert len(analysis.tree.leaves) == len(analysis.edus) == len(analysis.dependencies.heads)
            assert analysis.dependencies == li14(debinarise(analysis.tree))
            assert analysis.structure.texts == analysis.edu_texts
            assert "".join(" ".join(analysis.edu_texts).split()) == "".join(text.split())
        else:
            assert not text.strip() and analysis.tree is None and analysis.dependencies is None
        themed = sorted(word for theme in analysis.themes or () for word in _words(theme.span))
        assert themed == [(n, word) for n, words in enumerate(analysis.words) for word in range(len(words))]
    assert analyses[0].sentences[1] == "Because it barks, her neighbours do not."
    assert count(analyses[1]) == {"sentences": 1, "words": 2, "discourse units": 1, "coreference chains": 0}


def _words(span: Span) -> list[tuple[int, int]]:
    return [(span.sentence, word) for word in range(span.start, span.end)]


def test_texts_do_not_influence_one_another(pipeline: Pipeline, analyses: list[TextAnalysis]) -> None:
    alone = [pipeline.analyse([text])[0] for text in TEXTS]
    in_turn = list(pipeline.analyse_in_turn(iter(TEXTS)))
    for name in ("sentences", "words", "edus", "tree", "chains", "themes"):
        assert [getattr(one, name) for one in alone] == [getattr(one, name) for one in analyses]
        assert [getattr(one, name) for one in in_turn] == [getattr(one, name) for one in analyses]


def test_tables_say_what_the_analysis_says(analyses: list[TextAnalysis]) -> None:
    for analysis in analyses:
        found = tables("d", analysis)
        for name, rows in found.items():
            assert all(list(row) == list(TABLES[name]) for row in rows)
        edus = rows_to_edus(found["edus"])
        assert tuple(analysis.sentences[edu.sentence][edu.start : edu.end] for edu in edus) == analysis.edu_texts
        if analysis.tree:
            assert rows_to_tree(found["rst"]) == analysis.tree
        chains = rows_to_chains(found["coreference"])
        assert [len(chain.mentions) for chain in chains] == [len(chain.mentions) for chain in analysis.chains or ()]
        for row in found["coreference"]:
            text = analysis.sentences[row["sent_id"]]
            assert text[row["start"] : row["end"]] == text[row["head_start"] : row["head_end"]] != ""


def test_files_are_read_back(analyses: list[TextAnalysis]) -> None:
    for analysis in analyses:
        found = files("d", analysis)
        sentences = read_conllu(found["conllu"], "d.conllu")
        assert [tuple(row.form for row in sentence.rows) for sentence in sentences] == [
            s.forms for s in analysis.syntax
        ]
        for sentence, text in zip(sentences, analysis.sentences):
            assert f"# text = {text}" in sentence.comments
            spaces = ["" if "SpaceAfter=No" in row.misc else " " for row in sentence.rows]
            again = "".join(row.form + space for row, space in zip(sentence.rows, spaces))
            assert again.split() == text.split()
        [coreference] = read_conll_coreference(found["coreference.conll"], "d.conll")
        chains = coreference.chains([len(words) for words in analysis.words])
        assert sorted(one.span for chain in chains for one in chain.mentions) == sorted(
            one.span for chain in analysis.chains or () for one in chain.mentions
        )
        for corefud in read_corefud(found["conllu"], "d.conllu"):  # none without words
            assert [replace(one, head=-1) for one in corefud.mentions] == list(coreference.mentions)
        if analysis.structure:
            assert tree_of_graph(read_rs3(found["rs3"], "d.rs3"), "d.rs3") == analysis.structure
        drawings = {name for name in found if name.endswith(".svg")}
        assert len(drawings) == (4 if analysis.structure else 0)
        for name in drawings:
            etree.fromstring(found[name])


def analyse(*words: str | Path) -> None:
    arguments = parser().parse_args(["analyse", *map(str, words)])
    assert arguments.run(arguments) == 0


def test_json_lines_have_what_the_tables_have(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pipeline: Pipeline, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("discourse_nmt.discourse.pipeline.load_pipeline", lambda folder, language: pipeline)
    caplog.set_level("INFO")
    sources = []
    for name, text in {"one": TEXTS[0], "two": TEXTS[4]}.items():
        sources.append(tmp_path / f"{name}.txt")
        sources[-1].write_text(text, encoding="utf-8")
    analyse(*sources, "--format", "jsonl", "--output", tmp_path / "lines")
    assert [path.name for path in (tmp_path / "lines").iterdir()] == ["documents.jsonl"]
    assert f"written: {tmp_path}/lines/documents.jsonl" in caplog.messages
    path = tmp_path / "lines" / "documents.jsonl"
    read, about = zip(*read_records(Source(path.name, None, path)))
    assert {one["source_language"] for one in about} == {"en"}
    for record, text in zip(read, (TEXTS[0], TEXTS[4]), strict=True):
        [analysis] = pipeline.analyse([text])
        assert tuple(record.source) == analysis.sentences and not any(record.target)
        for name, rows in tables(record.doc_id, analysis).items():
            assert list(table_rows([record], name)) == rows, name


def test_the_command_writes_a_folder_that_the_report_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pipeline: Pipeline
) -> None:
    monkeypatch.setattr("discourse_nmt.discourse.pipeline.load_pipeline", lambda folder, language: pipeline)
    sources = []
    for name, text in {
        "one": TEXTS[0],
        "two": "\ufeff" + TEXTS[4],
        "tag": "<script>alert(1)</script> is & was.",
    }.items():
        sources.append(tmp_path / f"{name}.txt")
        sources[-1].write_text(text, encoding="utf-8")
    output = tmp_path / "out"
    analyse(*sources, "--output", output)
    assert [one["name"] for one in json.loads((output / "documents.json").read_text())] == ["one", "two", "tag"]
    for name in ("syntax", "edus", "rst", "rst_dependencies", "coreference", "themes"):
        table = read_table(output / "tables" / f"{name}.parquet", name)
        assert set(table["doc_id"]) <= {"one", "two", "tag"}
        assert list(table["doc_id"].drop_duplicates()) == [
            n for n in ("one", "two", "tag") if n in set(table["doc_id"])
        ]
    page = (output / "index.html").read_text(encoding="utf-8")
    assert page.count('class="discourse-drawing"') == 12 and page.count("<details") == 17
    assert page.count("<details open>") == 1 and page.count('<details class="sheet" open>') == 1
    assert page.count("<script") == 1 and "default-src 'none'" in page and "script-src &#39;sha256-" in page
    before = {path: path.read_bytes() for path in output.rglob("*.*")}
    analyse(*sources, "--output", output)
    assert before == {path: path.read_bytes() for path in output.rglob("*.*")}

    part = report.read_discourse(output, 2, tmp_path / "report.html")
    assert (part.shown, part.number, part.file) == (2, 3, "out/index.html")
    assert part.section.count("<svg") == 8 and "<script" not in part.section


def test_bad_input_is_one_line_before_any_output(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    good, twin, empty, latin = (tmp_path / name for name in ("good.txt", "a/good.txt", "empty.txt", "latin.txt"))
    good.write_text("Fine.")
    twin.write_text("Also fine.")
    empty.write_text(" \n")
    latin.write_bytes("schön".encode("latin-1"))
    names = ["two\nlines.txt", "bell\x07.txt", "end\u2028.txt", os.fsdecode(b"latin\xfc.txt"), f"{'ü' * 111}.txt"]
    *unwritable, long = (tmp_path / name for name in names)
    for path in (*unwritable, long):
        path.write_text("Fine.")
    output = tmp_path / "out"
    cases: list[tuple[list[str | Path], str]] = [
        ([good, twin], "two files are named good"),
        ([good, empty], "no text; leave it out"),
        ([good, long], "longer than 220 bytes, with endings too long; rename the file"),
        ([latin], "not UTF-8"),
        ([tmp_path / "none.txt"], "cannot be read"),
        ([tmp_path / "a"], rf"a: a folder; name its files, for example {tmp_path}/a/\*\.txt"),
        ([good, "--language", "it"], "^no analysers for the language it; there are de, en, fr, ru, zh;"),
        ([good, "--weights", tmp_path], "no analysers; correct --weights"),
        ([good, "--threads", "0"], "--threads is 0; it must be at least 1"),
    ]
    for path in unwritable:
        cases.append(([good, path], "its name is not UTF-8 or has a control character; rename it"))
    for wrong, message in cases:
        with pytest.raises(InputError, match=message):
            analyse(*wrong, "--output", output)
        assert not output.exists()


def test_a_folder_that_cannot_be_written_is_told_before_the_analysis(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("discourse_nmt.discourse.pipeline.load_pipeline", None)
    good = tmp_path / "good.txt"
    good.write_text("Fine.")
    for output in (good, good / "out", good / "out" / "deeper"):
        with pytest.raises(InputError, match=rf"{good}: no folder, .*; give another --output"):
            analyse(good, "--output", output)
    monkeypatch.setattr("os.access", lambda path, mode: Path(path) != tmp_path)
    with pytest.raises(InputError, match=f"{tmp_path}: a folder in which you may not write; give another --output"):
        analyse(good, "--output", tmp_path / "out")


def test_names_as_long_as_may_be_are_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pipeline: Pipeline
) -> None:
    monkeypatch.setattr("discourse_nmt.discourse.pipeline.load_pipeline", lambda folder, language: pipeline)
    for name in ("ü" * 110, "x" * 220):
        (tmp_path / f"{name}.txt").write_text("Fine.")
        analyse(tmp_path / f"{name}.txt", "--output", tmp_path / "out")
        assert (tmp_path / "out" / f"{name}.coreference.conll").is_file()


def test_one_of_a_kind_is_named_in_the_singular() -> None:
    assert facts({"name": "a", "sentences": 1, "words": 2, "discourse units": 1, "coreference chains": 0}) == (
        "1 sentence, 2 words, 1 discourse unit, 0 coreference chains"
    )


def test_a_document_that_fails_is_one_line_and_the_others_are_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pipeline: Pipeline, caplog: pytest.LogCaptureFixture
) -> None:
    """One fails in a group of documents, another one while its files are made."""

    class Failing(Pipeline):
        def analyse(self, texts: Sequence[str]) -> list[TextAnalysis]:
            if any("analysis" in text for text in texts):
                raise ValueError("no\nanalysis")
            return super().analyse(texts)

    def failing(name: str, analysis: TextAnalysis) -> dict[str, str]:
        if name == "export":
            raise StructureError("two mentions of 1 cross")
        return files(name, analysis)

    monkeypatch.setattr(
        "discourse_nmt.discourse.pipeline.load_pipeline",
        lambda folder, language: Failing(pipeline.segmenter, pipeline.analysers),
    )
    monkeypatch.setattr("discourse_nmt.discourse.export.files", failing)
    names = ["one", "analysis", "two", "export", "three"]
    for name in names:
        (tmp_path / f"{name}.txt").write_text(f"This is {name}.", encoding="utf-8")
    words = ["analyse", *(str(tmp_path / f"{name}.txt") for name in names), "--output", str(tmp_path / "out")]
    arguments = parser().parse_args(words)
    assert arguments.run(arguments) == 1
    errors = [record.getMessage() for record in caplog.records if record.levelname == "ERROR"]
    assert errors == [
        "analysis: not analysed (ValueError: no analysis); please report it with the text",
        "export: not analysed (StructureError: two mentions of 1 cross); please report it with the text",
        "2 of 5 documents failed",
    ]
    written = [one["name"] for one in json.loads((tmp_path / "out" / "documents.json").read_text())]
    assert written == ["one", "two", "three"] and not list((tmp_path / "out").glob("export*"))
    assert (tmp_path / "out" / "index.html").read_text(encoding="utf-8").count('class="discourse-drawing"') == 12

    arguments = parser().parse_args(["analyse", str(tmp_path / "export.txt"), "--output", str(tmp_path / "none")])
    assert arguments.run(arguments) == 1 and not (tmp_path / "none").exists()


def test_controls_and_invisible_characters_are_as_in_translate(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pipeline: Pipeline, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("discourse_nmt.discourse.pipeline.load_pipeline", lambda folder, language: pipeline)
    for name, text in {"nul": "a\nb\0", "bell": "It\x07 rained.", "blank": "\u00ad\u200b\n"}.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=rf"{tmp_path}/nul:2: NUL character; is this a text file\?"):
        analyse(tmp_path / "nul", "--output", tmp_path / "out")
    with pytest.raises(InputError, match=f"{tmp_path}/blank: no text"):
        analyse(tmp_path / "blank", "--output", tmp_path / "out")
    analyse(tmp_path / "bell", "--output", tmp_path / "out")
    assert f"{tmp_path}/bell: 1 control characters are read as blanks" in caplog.messages
    assert "# text = It  rained." in (tmp_path / "out" / "bell.conllu").read_text(encoding="utf-8")


def test_marks_of_blocks_are_no_words(pipeline: Pipeline) -> None:
    text = "# Steps\n\n- Click OK. Wait.\n2. Select it.\n\n| Name | Value |\n|---|---|\n| size | large |\n"
    [analysis] = pipeline.analyse([text])
    assert analysis.sentences == ("Steps", "Click OK.", "Wait.", "Select it.", "Name", "Value", "size", "large")


def test_a_text_comes_from_standard_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"It rained, so we left.")))
    analyse(Path("-"), "--output", tmp_path)
    assert [one["name"] for one in json.loads((tmp_path / "documents.json").read_text())] == ["stdin"]
    assert (tmp_path / "stdin.themes.svg").read_text(encoding="utf-8").count("theme-topical") >= 2
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"\xff")))
    with pytest.raises(InputError, match="-: byte 0 is not UTF-8"):
        analyse(Path("-"), "--output", tmp_path / "none")
    assert not (tmp_path / "none").exists()


def test_the_shipped_models_analyse_a_shipped_document(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO")
    analyse(ROOT / "resources" / "documents" / "news_harbour_bridge.txt", "--output", tmp_path)
    [counts] = json.loads((tmp_path / "documents.json").read_text())
    assert f"1 document: {counts['sentences']} sentences, {counts['words']} words" in caplog.text
    assert counts["words"] > 300 and counts["discourse units"] > 25 and counts["coreference chains"] > 3
    table = read_table(tmp_path / "tables" / "rst.parquet", "rst")
    assert table["last_edu"].max() + 1 == counts["discourse units"]


@pytest.mark.parametrize(
    ("language", "text", "lacking"),
    [
        ("de", "Obwohl wir unsere Schirme vergessen hatten, gingen wir hinaus. Wir lachten.", {"themes"}),
        ("zh", "虽然下雨了，她还是出去了。她笑了。", set()),
    ],
)
def test_what_a_language_has_no_analyser_for_is_left_out(
    language: str,
    text: str,
    lacking: set[str],
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level("INFO")
    joint_network.cache_clear()  # another test may have been told already
    (tmp_path / "d.txt").write_text(text, encoding="utf-8")
    analyse(tmp_path / "d.txt", "--language", language, "--output", tmp_path / "out")
    names = {"coreference", "edus", "rst", "rst_dependencies", "syntax", "themes"} - lacking
    assert {path.stem for path in (tmp_path / "out" / "tables").glob("*.parquet")} == names
    assert (tmp_path / "out" / "d.rs3").exists() and (tmp_path / "out" / "d.rst.svg").exists()
    assert list((tmp_path / "out").glob("d.coreference*"))
    [counts] = json.loads((tmp_path / "out" / "documents.json").read_text(encoding="utf-8"))
    assert counts["sentences"] == 2 and counts["discourse units"] >= 2
    assert "coreference chains" in counts
    told = [line for line in caplog.messages if line.endswith(f"for the language {language}: left out")]
    assert len(told) == len(lacking) and all(name in line for name, line in zip(lacking, told))
    assert any("not for commercial use" in line for line in caplog.messages) == (language == "de")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "Погода была холодная. Никого не было.",
            "d: this is not in the script of en; give its language",
        ),
        ("Obwohl wir unsere Schirme vergessen hatten, gingen wir hinaus. " * 3, "d: this looks like de, not en"),
        ("Although we had forgotten our umbrellas, we went out into the rain. " * 3, ""),
    ],
)
def test_another_language_is_a_warning_and_no_fault(
    text: str, message: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "d.txt").write_text(text, encoding="utf-8")
    analyse(tmp_path / "d.txt", "--output", tmp_path / "out")
    assert (tmp_path / "out" / "d.rs3").exists()
    warnings = [record.message for record in caplog.records if record.levelname == "WARNING"]
    assert [warning for warning in warnings if warning.startswith("d: ")] == [
        warning for warning in warnings if message and warning.startswith(message)
    ]
    assert bool(message) == any(message in warning for warning in warnings if message)


def test_the_shipped_documents_are_as_their_card_says() -> None:
    folder = ROOT / "resources" / "documents"
    names = sorted(path.stem for path in folder.glob("*.txt"))
    card = (folder / "README.md").read_text(encoding="utf-8")
    assert len(names) == 20 and all(f"`{name}`" in card for name in names)
    for genre in ("news", "howto", "story", "talk"):
        mine = [name for name in names if name.startswith(f"{genre}_")]
        words = sum(len((folder / f"{name}.txt").read_text(encoding="utf-8").split()) for name in mine)
        assert len(mine) == 5 and f"| {words} |" in card
    assert "CC0" in card


def test_the_report_shows_documents_folded_and_names_the_page_of_all(analyses: list[TextAnalysis]) -> None:
    drawings = {title: files("d", analyses[0])[f"{key}.svg"] for key, title in TITLES.items()}
    template = (PACKAGE / "discourse" / "pages" / "section.html").read_text(encoding="utf-8")
    part = section(template, [Sheet(HOSTILE, facts(count(analyses[0])), drawings)])
    tables = Tables(scores(), discourse=[AnalysedDocuments(part, 1, 2, "documents/index.html")])
    html = page(templates(), *scripts(), "t", tables, [])
    reader = read(html)
    assert not {"img", "iframe"} & set(reader.names)
    links = {value for _, name, value in reader.attributes if name == "href"}
    assert all(link.startswith("#") for link in links) and "documents/index.html" in reader.text
    assert "#discourse" in links and ("section", "id", "discourse") in reader.attributes
    assert not [name for _, name, _ in reader.attributes if name.startswith("on")]
    assert HOSTILE in reader.text and html.count('class="discourse-drawing"') == 4
    assert "open" not in {name for tag, name, _ in reader.attributes if tag == "details"}
    assert reader.names.count("details") - reader.names.count("summary") == 0
    keyboard = [value for tag, name, value in reader.attributes if tag == "div" and name == "tabindex"]
    assert keyboard.count("0") >= 3


def test_shown_documents_are_spread_over_all() -> None:
    assert spread_over(range(20), 4) == [0, 5, 10, 15]
    assert spread_over([1, 2], 4) == [1, 2]
