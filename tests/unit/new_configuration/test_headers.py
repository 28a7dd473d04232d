"""Names of columns in the first row of a table: recognised, refused with a remedy, or text."""

from pathlib import Path
from typing import Any

import pytest

from discourse_nmt.base.errors import InputError
from discourse_nmt.new_configuration.headers import language_named, roles_of
from discourse_nmt.new_configuration.recognition import Recognised, recognise

PAIRS = [(f"It rains for day {n}.", f"Es regnet am Tag {n}.") for n in range(12)]


def table(folder: Path, header: str, *, ids: bool, name: str = "a.tsv", mark: str = "\t") -> Path:
    """A table of four documents of three rows, with a first row ``header``, and ids or blank rows between documents."""
    rows = [header]
    for number, (source, target) in enumerate(PAIRS):
        if ids:
            rows.append(mark.join((f"d{number // 3}", source, target)))
        else:
            rows += [mark] * (number > 0 and number % 3 == 0) + [mark.join((source, target))]
    path = folder / name
    path.write_text("\n".join(row.replace("\t", mark) for row in rows) + "\n", encoding="utf-8")
    return path


def recognised(path: Path) -> Recognised:
    return recognise([str(path)])


@pytest.mark.parametrize(
    ("header", "options", "languages"),
    [
        ("Document\tEnglish\tGerman", {"document": "Document", "source": "English", "target": "German"}, ("en", "de")),
        ("file name\tdeu\teng", {"document": "file name", "source": "deu", "target": "eng"}, ("de", "en")),
        ("doc\ten-GB\tde_AT", {"document": "doc", "source": "en-GB", "target": "de_AT"}, ("en", "de")),
        ("Datei\tQuelltext\tZieltext", {"document": "Datei", "source": "Quelltext", "target": "Zieltext"}, None),
        ("doc_id\tsource_text\ttarget_text", {"source": "source_text", "target": "target_text"}, None),
        ("doc_id\ttext_en\ttext_de", {"source": "text_en", "target": "text_de"}, ("en", "de")),
        ("doc_id\tOriginal sentence\tTranslation", {"source": "Original sentence", "target": "Translation"}, None),
        ("doc_id\tTranslation\tGerman text", {"source": "German text", "target": "Translation"}, None),
    ],
)  # fmt: skip
def test_names_of_columns_are_recognised(
    header: str, options: dict[str, Any], languages: tuple[str, str] | None, tmp_path: Path
) -> None:
    found = recognised(table(tmp_path, header, ids=True))
    assert (found.options, found.languages) == (options, languages)


@pytest.mark.parametrize("header", ["English\tDeutsch", "français\tanglais", "Russian\tукраїнська", "Chinese\t日本語"])
def test_languages_name_columns_of_a_table_with_blank_rows(header: str, tmp_path: Path) -> None:
    source, target = header.split("\t")
    found = recognised(table(tmp_path, header, ids=False))
    assert found.options == {"source": source, "target": target, "documents": "blank_lines"}
    assert found.languages == (language_named(source), language_named(target))


@pytest.mark.parametrize(
    "title",
    [
        *("Introduction\tEinleitung", "How rain falls\tWie Regen fällt", "German\tDeutsch", "Source\tQuelle"),
        *("Document\tDokument", "E-mail\tE-Mail", "Rain\tRegen", "Chapter 1\tKapitel 1", "Reference\tReferenz"),
        *("The German rain\tDer deutsche Regen", "Source text\tQuelltext", "rain falls\tRegen fällt"),
    ],
)
def test_a_title_that_is_a_pair_stays_one(title: str, tmp_path: Path) -> None:
    found = recognised(table(tmp_path, title, ids=False))
    assert found.options == {"header": False, "source": 1, "target": 2, "documents": "blank_lines"}


@pytest.mark.parametrize(
    ("header", "ids"),
    [
        *(("col_a\tcol_b", False), ("L1\tL2", False), ("srcText\ttgtText", False), ("German\tUpper Sorbian", False)),
        *(("input\toutput", False), ("thing\tText A\tText B", True), ("thread\tAnfang\tEnde", True)),
    ],
)
def test_an_unknown_header_is_refused_with_a_remedy(header: str, ids: bool, tmp_path: Path) -> None:
    message = f"a.tsv:1: the first row is {header.replace(chr(9), ', ')}; if it names the columns, call them source"
    with pytest.raises(InputError, match=message):
        recognised(table(tmp_path, header, ids=ids))


def test_a_word_above_numbers_is_a_header(tmp_path: Path) -> None:
    path = tmp_path / "a.tsv"
    rows = [f"It rains {n}.\tEs regnet {n}.\t0.{n}" for n in range(5)]
    path.write_text("\n".join(["Left side\tRight side\tquality", *rows]) + "\n", encoding="utf-8")
    with pytest.raises(InputError, match="the first row is Left side, Right side, quality"):
        recognised(path)


@pytest.mark.parametrize(
    ("name", "mark", "options"),
    [
        ("a.csv", ";", {"delimiter": ";"}),
        ("a.csv", "\t", {"delimiter": "\t"}),
        ("a.csv", ",", {}),
        ("a.tsv", ";", {"layout": "csv", "delimiter": ";"}),
        ("a.txt", "|", {"layout": "csv", "delimiter": "|"}),
        ("a.tsv", "\t", {}),
    ],
)
def test_the_separator_of_columns_is_told_from_the_rows(
    name: str, mark: str, options: dict[str, Any], tmp_path: Path
) -> None:
    found = recognised(table(tmp_path, "doc_id\tsource\ttarget", ids=True, name=name, mark=mark))
    assert found.options == options


def test_names_of_languages_and_no_others() -> None:
    names = {"German": "de", "deutsch": "de", "ger": "de", "zh-Hans": "zh", "Français": "fr", "pt_BR": "pt"}
    assert {name: language_named(name) for name in names} == names
    assert not any(map(language_named, ["id", "doc", "src", "url", "Rain", "Text", "no name", ""]))


def test_columns_of_one_language_or_side_are_no_header() -> None:
    assert roles_of(["English", "Englisch"]) == ({}, None)
    assert roles_of(["source", "quelle"]) == ({}, None)
    assert roles_of(["source_lang", "target_lang"]) == ({}, None)
