"""``discourse-nmt new``: formats and languages are recognised, sizes fit, and the workflow accepts what is written."""

import gzip
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
import yaml

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.storage.files import read_text
from discourse_nmt.command_line import parser
from discourse_nmt.new_configuration import machine, recognition
from discourse_nmt.new_configuration.facts import word_count
from discourse_nmt.new_configuration.languages import known_codes, language_of, named_languages
from discourse_nmt.new_configuration.machine import Machine, Network
from discourse_nmt.new_configuration.recognition import recognise
from discourse_nmt.text.stop_words import stop_words
from tests.workflow.test_workflow import snakemake

ENGLISH = ["The ship is in the harbour and it was late.", "She said that they had not seen it.", "He was there, too."]
GERMAN = [
    "Das Schiff ist in dem Hafen und es war spät.",
    "Sie sagte, dass sie es nicht gesehen haben.",
    "Er war auch da.",
]
DOCUMENTS = 6
SMALL = Machine(2, 8.0, 0.0)
LARGE = Machine(16, 128.0, 80.0)


@pytest.fixture(autouse=True)
def not_timed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Other tests time the machine."""
    monkeypatch.setattr(machine, "measured_network", lambda *_: Network(10**6, 2000.0))
    monkeypatch.setattr(machine, "measured_analysis", lambda *_: 1000.0)
    monkeypatch.setattr(machine, "this_machine", lambda: SMALL)


def rows() -> list[tuple[str, str, str]]:
    """Document, source, target of each sentence pair."""
    return [(f"d{number}", en, de) for number in range(DOCUMENTS) for en, de in zip(ENGLISH, GERMAN)]


def marked(side: int, mark: str) -> str:
    return "".join(
        f"{mark}\n" + "".join(f"{row[side]}\n" for row in rows() if row[0] == f"d{n}") for n in range(DOCUMENTS)
    )


def tsv(header: str, columns: tuple[int, ...] = (0, 1, 2)) -> str:
    return header + "".join("\t".join(row[column] for column in columns) + "\n" for row in rows())


def jsonl(names: tuple[str, str, str]) -> str:
    return "".join(json.dumps(dict(zip(names, row))) + "\n" for row in rows())


def dialogues() -> str:
    turns = [{"speaker": "agent", "source": en, "target": de} for _, en, de in rows()[:3]]
    return json.dumps({f"d{number}": turns for number in range(DOCUMENTS)})


def po() -> str:
    entries = [
        f'#: C/page{number}.page:{line}\nmsgctxt "{number}"\nmsgid "{en}"\nmsgstr "{de}"\n'
        for number in range(DOCUMENTS)
        for line, (en, de) in enumerate(zip(ENGLISH, GERMAN), start=1)
    ]
    return 'msgid ""\nmsgstr "Content-Type: text/plain; charset=UTF-8\\n"\n\n' + "\n".join(entries)


def wmt_documents() -> str:
    return "".join(
        json.dumps(
            {
                "doc_id": name,
                "src_lang": "en",
                "tgt_lang": "de_DE",
                "src_text": source,
                "refs": {"refA": {"ref": target}},
            }
        )
        + "\n"
        for name, source, target in whole_texts()
    )


def wmt_paragraphs() -> str:
    names = ("document_id", "source", "target")
    return "".join(json.dumps({"lp": "en-de_DE"} | dict(zip(names, row))) + "\n" for row in rows())


def texts() -> str:
    names = ("doc_id", "source", "target")
    return "".join(json.dumps(dict(zip(names, row))) + "\n" for row in whole_texts())


def dochplt() -> str:
    pairs = [{"src": [en], "tgt": [de]} for en, de in zip(ENGLISH, GERMAN)]
    return "".join(json.dumps({"alignments": pairs}) + "\n" for _ in range(DOCUMENTS))


def memory() -> str:
    units = "".join(
        f'<tu><prop type="x-document">{name}</prop><tuv xml:lang="en"><seg>{en}</seg></tuv>'
        f'<tuv xml:lang="de"><seg>{de}</seg></tuv></tu>\n'
        for name, en, de in rows()
    )
    return f'<tmx version="1.4"><body>{units}</body></tmx>\n'


def whole_texts() -> list[tuple[str, str, str]]:
    """Document, source and target text."""
    return [(f"d{number}", "\n\n".join(ENGLISH), "\n\n".join(GERMAN)) for number in range(DOCUMENTS)]


FORMATS: dict[str, tuple[dict[str, str], str, dict[str, Any]]] = {
    "header": ({"talks.tsv": tsv("doc_id\tsource\ttarget\n")}, "table", {}),
    "languages as names": (
        {"talks.tsv": tsv("document\ten\tde\n")},
        "table",
        {"source": "en", "target": "de", "document": "document"},
    ),
    "no header": ({"talks.tsv": tsv("")}, "table", {"header": False, "source": 2, "target": 3, "document": 1}),
    "csv": (
        {"talks.csv": "doc_id,src,tgt\n" + "".join(f'{d},"{e}","{g}"\n' for d, e, g in rows())},
        "table",
        {"source": "src", "target": "tgt"},
    ),
    "jsonl": ({"talks.jsonl": jsonl(("doc_id", "source", "target"))}, "table", {}),
    "blank rows": (
        {"talks.tsv": "source\ttarget\n" + "\t\n".join(tsv("", (1, 2)) for _ in range(DOCUMENTS))},
        "table",
        {"documents": "blank_lines"},
    ),
    "titles that come back": (
        {"talks.tsv": tsv("title\tsource\ttarget\n") + tsv("")},
        "table",
        {"document": "title", "documents": "runs"},
    ),
    "marked": ({"talks.en": marked(1, "<d>"), "talks.de": marked(2, "<d>")}, "marked", {}),
    "other marks": (
        {"talks.en": marked(1, "<chp>"), "talks.de": marked(2, "<chp>")},
        "marked",
        {"document_marks": ["<chp>"]},
    ),
    "blank lines": (
        {"talks.en": marked(1, "").removeprefix("\n"), "talks.de": marked(2, "").removeprefix("\n")},
        "blank_lines",
        {},
    ),
    "ids": (
        {"a.en": tsv("", (1,)), "a.de": tsv("", (2,)), "a.ids": tsv("", (0,))},
        "document_ids",
        {},
    ),
    "dialogues": ({"chat.en-de.json": dialogues()}, "dialogues", {}),
    "gettext": ({"manual.en-de.po": po()}, "gettext", {}),
    "documents of WMT": ({"test.jsonl": wmt_documents()}, "wmt_jsonl", {}),
    "paragraphs of WMT": ({"test.jsonl": wmt_paragraphs()}, "wmt_jsonl", {}),
    "texts": ({"texts.jsonl": texts()}, "documents", {}),
    "rows of DocHPLT": ({"rows.jsonl": dochplt()}, "documents", {}),
    "memory": ({"memory.en-de.tmx": memory()}, "tmx", {}),
}


def write(folder: Path, files: dict[str, str]) -> list[Path]:
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    return [folder / name for name in files]


def new(*words: str | Path) -> int:
    arguments = parser().parse_args(["new", *map(str, words)])
    status: int = arguments.run(arguments)
    return status


@pytest.mark.parametrize(("files", "name", "options"), FORMATS.values(), ids=FORMATS.keys())
def test_a_corpus_of_each_format_gets_a_configuration(
    files: dict[str, str], name: str, options: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert new(*write(tmp_path, files), "--output", "my.yaml") == 0
    config = yaml.safe_load((tmp_path / "my.yaml").read_text(encoding="utf-8"))
    [corpus] = config["corpora"].values()
    assert (corpus["format"], corpus["options"]) == (name, options)
    assert (corpus["source_language"], corpus["target_language"]) == ("en", "de")
    assert {path for paths in corpus["splits"]["train"].values() for path in paths} == {
        str(tmp_path / f) for f in files
    }


@pytest.mark.parametrize("kind", ["no header", "marked"])
def test_snakemake_plans_what_is_written(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    new(*write(tmp_path, FORMATS[kind][0]), "--output", "my.yaml")
    result = snakemake(tmp_path, "--configfile", "my.yaml", "--dry-run", "--", "score", "report")
    assert result.returncode == 0, result.stdout
    assert "import_corpus" in result.stdout and "train_model" in result.stdout


def head_of(path: Path) -> str:
    """The comments before the configuration."""
    return path.read_text(encoding="utf-8").partition("\nrun: ")[0]


def test_the_page_tells_what_the_text_is_like(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    longer = "".join(f"{document}\t{en} {en}\t{de} {de}\n" for document, en, de in rows())
    files = write(tmp_path, {"talks.tsv": f"doc_id\tsource\ttarget\n{longer}"})
    new(*files)
    told, head = capsys.readouterr().out, head_of(tmp_path / "talks.yaml")
    for line in (r"# equal sides \(% of pairs\) +0.0", r"# documents with a near-duplicate \(%\) +100.0"):
        assert re.search(line, head)
    assert "# passages in another language" in head
    assert all(line.removeprefix("# ") in told for line in head.splitlines())
    assert "warning: passages" not in head
    new(*files, "--source-language", "de", "--target-language", "en", "--output", "swapped.yaml")
    assert "the sides are swapped: swap the files, or source_language and target_language" in head_of(
        tmp_path / "swapped.yaml"
    )


def test_warnings_are_told_before_the_machine_is_timed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(machine, "measured_network", Mock(side_effect=KeyboardInterrupt))
    equal = "".join(f"{document}\t{en}\t{en}\n" for document, en, _ in rows())
    escaped = json.dumps({"doc_id": "d9", "source": "He\x02 was.", "target": "Er war."}) + "\n"
    for name, text in (
        ("equal.tsv", f"doc_id\tsource\ttarget\n{equal}"),
        ("escaped.jsonl", jsonl(("doc_id", "source", "target")) + escaped),
    ):
        with pytest.raises(KeyboardInterrupt):
            new(*write(tmp_path, {name: text}), "--source-language", "en", "--target-language", "de")
    told = capsys.readouterr().out
    assert "warning: equal sides (% of pairs): is each file in its language? leave pairs without translation" in told
    assert "warning: 6 documents give 1 to test on: significance will be impossible" in told
    assert told.count("warning: 1 control characters are read as blanks") == 1
    assert not list(tmp_path.glob("*.yaml"))


def test_ids_that_come_back_are_told_with_their_remedy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(recognition, "HEAD", 10)  # an id that is repeated early shows that rows have titles
    lines = tsv("doc_id\tsource\ttarget\n").splitlines(keepends=True)
    for name, order in (("once", lines), ("again", [*lines, lines[1]])):
        new(*write(tmp_path, {f"{name}.tsv": "".join(order)}))
        told = "an import refuses them, the first is d0: rename them, or for rows of a table set options: "
        assert (f"{told}{{documents: runs}}" in head_of(tmp_path / f"{name}.yaml")) == (name == "again")


def test_sentences_that_the_import_would_refuse_are_treated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = tsv("doc_id\tsource\ttarget\n")
    new(*write(tmp_path, {"clean.tsv": text}))
    new(*write(tmp_path, {"other.tsv": text.replace("He was", "He\x02 was") + "d9\tThe end.\t\n"}))
    clean, other = ((yaml.safe_load((tmp_path / f"{name}.yaml").read_text())) for name in ("clean", "other"))
    assert not {"empty_sentences", "control_characters"} & clean["corpora"]["clean"].keys()
    assert other["corpora"]["other"]["empty_sentences"] == "drop"
    assert "control_characters" not in other["corpora"]["other"]  # the import reads them as blanks


@pytest.mark.parametrize(
    ("files", "words", "message"),
    [
        (
            {"a.en": "one\ntwo\n", "a.de": "eins\nzwei\n"},
            [],
            "no boundary of documents in the first 2 lines; put a line <d>",
        ),
        ({"a.tsv": "source\ttarget\nA\tB\n"}, [], "no column of document ids; add a column doc_id"),
        ({"a.tsv": "text\n"}, [], "no table with two columns"),
        (
            {"a.tsv": "doc_id\tsource\ttarget\nd\tA\tB\n"},
            [],
            "language of the source side not recognised; give it with",
        ),
        ({"a.tsv": "doc_id\ten\tde\nd\tA\tB\n"}, [], "1 documents with text"),
        ({"a.jsonl": '{"x": "A", "y": "B"}\n'}, [], "a.jsonl:1: keys are x, y; name the keys"),
        ({"a.tsv": tsv("doc_id\tsource\ttarget\n")}, ["--target-language", "en"], "both sides seem to be en"),
        ({"a.tsv": tsv("doc_id\tsource\ttarget\n")}, ["--hours", "0"], "--hours is 0.0; give a number above 0"),
        ({"a.tsv": tsv("doc_id\txx\tqq\n")}, [], "language of the source side: 'xx' is no code of a language"),
        ({"a{b}.tsv": tsv("doc_id\tsource\ttarget\n")}, [], "a{b}.tsv: Snakemake takes braces for wildcards; rename"),
        ({"a.tsv": tsv("doc_id\tsource\ttarget\n") + "d9\tonly\n"}, [], "a.tsv:20: 2 columns, 3 in the first line"),
    ],
)
def test_a_fault_is_one_line_and_nothing_is_written(
    files: dict[str, str], words: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError) as raised:
        new(*write(tmp_path, files), *words)
    assert message in str(raised.value)
    assert not list(tmp_path.glob("*.yaml"))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--hours", "nan"], "--hours is nan; give a number above 0"),
        (["--hours", "inf"], "--hours is inf; give"),
        (["--hours", "-1"], "--hours is -1.0; give"),
        (["--name", "my run"], "--name is 'my run'; use letters from A to Z.* for example my_run"),
        (["--name", ""], "--name is ''; use letters"),
        (["--name", "logs"], "--name is logs, a folder of every run; give another"),
        (["--source-language", "English"], r"--source-language: 'English' is no code .* write en \(English\)"),
        (["--target-language", "xx"], "--target-language: 'xx' is no code of a language"),
        (["--source-language", "de", "--target-language", "de"], "both sides are de; give two languages"),
    ],
)
def test_faults_of_options_are_told_before_the_corpus_is_read(words: list[str], message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=message):
        new(tmp_path / "absent.tsv", *words)


@pytest.mark.parametrize(
    ("order", "words", "message"),
    [
        (
            "ids en de",
            [],
            "ids: seems to hold the document ids, and .*de text; give the files as .*en .*de .*ids",
        ),
        (
            "de ids en",
            [],
            "ids: seems to hold the document ids, and .*en text; give the files as .*de .*en .*ids",
        ),
        (
            "de en ids",
            ["--source-language", "en", "--target-language", "de"],
            "by their names the source file is in de, the target file in en; exchange",
        ),
        ("en de ids", ["--target-language", "en"], "by their names the source file is in en"),
    ],
)
def test_files_in_another_order_are_told(order: str, words: list[str], message: str, tmp_path: Path) -> None:
    files = {f"a.{ending}": FORMATS["ids"][0][f"a.{ending}"] for ending in order.split()}
    with pytest.raises(InputError, match=message):
        new(*write(tmp_path, files), *words, "--output", tmp_path / "my.yaml")


def test_ids_of_documents_of_one_sentence_are_no_text(tmp_path: Path) -> None:
    sides = {ending: "".join(f"{word} {n}\n" for n in range(9)) for ending, word in {"en": "Yes", "de": "Ja"}.items()}
    texts = {"a.en": sides["en"], "a.de": sides["de"], "a.ids": "".join(f"{n}\n" for n in range(9))}
    assert recognise([str(file) for file in write(tmp_path, texts)]).format == "document_ids"


@pytest.mark.parametrize("words", [["--source-language", "de"], ["--target-language", "en"]])
def test_columns_named_by_languages_are_exchanged_on_demand(words: list[str], tmp_path: Path) -> None:
    new(*write(tmp_path, {"a.tsv": tsv("doc_id\ten\tde\n")}), *words, "--output", tmp_path / "my.yaml")
    [corpus] = yaml.safe_load((tmp_path / "my.yaml").read_text())["corpora"].values()
    assert (corpus["source_language"], corpus["options"]) == ("de", {"source": "de", "target": "en"})


@pytest.mark.parametrize(
    ("file", "name"), [("2024", "2024"), ("null", "null"), ("logs", "logs_corpus"), ("ä b", "a_b")]
)
def test_a_name_is_made_that_the_workflow_accepts(file: str, name: str, tmp_path: Path) -> None:
    new(*write(tmp_path, {f"{file}.tsv": tsv("doc_id\ten\tde\n")}), "--output", tmp_path / "my.yaml")
    config = yaml.safe_load((tmp_path / "my.yaml").read_text())
    assert config["run"] == name and [*config["corpora"]] == [name]


def test_no_file_is_overwritten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    files = write(tmp_path, FORMATS["header"][0])
    new(*files)
    with pytest.raises(InputError, match=r"talks\.yaml: is there already"):
        new(*files)


def test_what_is_written_may_be_edited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    new(*write(tmp_path, FORMATS["header"][0]))
    with Path("talks.yaml").open("a", encoding="utf-8") as file:
        file.write("# a note\n")
    assert read_text("talks.yaml").endswith("# a note\n")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["talks.tsv", "talks.yaml"]


def test_compressed_files_and_wildcards(tmp_path: Path) -> None:
    (tmp_path / "talks.tsv.gz").write_bytes(gzip.compress(tsv("doc_id\tsource\ttarget\n").encode()))
    assert recognise([str(tmp_path / "talks.tsv.gz")]).format == "table"
    write(tmp_path, {"1.en": "A\n", "1.de": "B\n"})
    assert recognise([str(tmp_path / "*.en"), str(tmp_path / "*.de")]).format == "file_pairs"
    write(tmp_path, {"1.de": "B\nC\n"})
    assert recognise([str(tmp_path / "*.en"), str(tmp_path / "*.de")]).format == "documents"
    write(tmp_path, {"pairs.tsv": "1.en\t1.de\n"})
    assert recognise([str(tmp_path / "pairs.tsv")]).format == "documents"
    page = "<html><body><p{}>A page.</p></body></html>"
    write(tmp_path, {"1.en.html": page.format(""), "1.de.html": page.format("")})
    pages = [str(tmp_path / "*.en.html"), str(tmp_path / "*.de.html")]
    assert recognise(pages).format == "documents"
    write(tmp_path, {"1.en.html": page.format(' id="a"')})
    assert recognise(pages).format == "html_pages"


@pytest.mark.parametrize(
    ("names", "languages"),
    [
        (["talks.en", "talks.de"], ("en", "de")),
        (["train.en-de.en.gz", "train.en-de.de.gz"], None),
        (["corpus_en.txt", "corpus_de.txt"], ("en", "de")),
        (["talks.zh-en.tsv"], ("zh", "en")),
        (["talks.tsv"], None),
    ],
)
def test_languages_in_names(names: list[str], languages: tuple[str, str] | None) -> None:
    assert named_languages(names) == languages


@pytest.mark.parametrize(
    ("text", "language"),
    [
        (" ".join(ENGLISH), "en"),
        (" ".join(GERMAN), "de"),
        ("虽然下雨了，她还是出去了。", "zh"),
        ("雨が降っていたので、彼女は出かけなかった。", "ja"),
        ("Elle n'est pas venue parce qu'il y avait de la pluie et que les rues sont dans un état.", "fr"),
        ("qwx zzyx 12", None),
        ("", None),
    ],
)
def test_languages_of_text(text: str, language: str | None) -> None:
    assert language_of([text]) == language


def test_each_list_of_stop_words_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A list is a file; a corpus has thousands of words."""
    read: list[str] = []

    def counted(code: str) -> frozenset[str]:
        read.append(code)
        return stop_words(code)

    monkeypatch.setattr("discourse_nmt.new_configuration.languages.stop_words", counted)
    assert language_of(GERMAN) == "de"
    assert sorted(read) == sorted(known_codes())


def test_an_update_is_divided_between_the_processes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    [file] = write(tmp_path, {"a.tsv": tsv("doc_id\tsource\ttarget\n")})
    monkeypatch.setattr(machine, "this_machine", lambda: replace(SMALL, cores=4))
    timed = Mock(return_value=Network(10**6, 2000.0))
    monkeypatch.setattr(machine, "measured_network", timed)
    new(file, "--output", tmp_path / "my.yaml")
    config = yaml.safe_load((tmp_path / "my.yaml").read_text("utf-8"))
    assert config["hardware"] == {"processes": 2, "threads": 2}
    assert (config["training"]["batch_tokens"], config["training"]["accumulation"]) == (1_250, 2)
    assert timed.call_args.args[2:] == (1_250, 2)
    assert "4,000 target subwords per second" in (tmp_path / "my.yaml").read_text("utf-8")


@pytest.mark.parametrize(("hours", "told"), [("0.001", True), ("8", False)])
def test_hours_that_are_too_few_are_told(
    hours: str, told: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    [file] = write(tmp_path, {"a.tsv": tsv("doc_id\tsource\ttarget\n")})
    new(file, "--output", tmp_path / "my.yaml", "--hours", hours)
    line = f"This is more than --hours {hours}: 200 updates are the fewest that teach."
    assert (line in capsys.readouterr().out) == (f"# {line}" in (tmp_path / "my.yaml").read_text("utf-8")) == told


@pytest.mark.parametrize(("hours", "told"), [("8", True), ("0.001", False)])
def test_hours_that_the_corpus_does_not_need_are_told(
    hours: str, told: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    [file] = write(tmp_path, {"a.tsv": tsv("doc_id\tsource\ttarget\n")})
    new(file, "--output", tmp_path / "my.yaml", "--hours", hours)
    line = f"--hours {hours} allows more: 200 updates are enough for this corpus."
    assert (line in capsys.readouterr().out) == (f"# {line}" in (tmp_path / "my.yaml").read_text("utf-8")) == told


def test_words_are_counted_without_spaces_too() -> None:
    assert word_count("It was late.") == 3
    assert word_count("虽然下雨了她还是出去") == 5
