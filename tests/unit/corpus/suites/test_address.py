"""Items of address: which sentences are items, their forms, scenes and distances; the files that a suite reads."""

import json
from pathlib import Path

import pandas as pd
import pytest

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.storage.tables import write_table
from discourse_nmt.command_line import main
from discourse_nmt.corpus.suites.address import FORMS, address_items, form_of_address
from discourse_nmt.corpus.suites.importing import import_suite
from discourse_nmt.corpus.suites.plan import plan


@pytest.mark.parametrize(
    ("language", "source", "target", "form"),
    [
        ("de", "Where are you?", "Wo bist du?", "du"),
        ("de", "Your sword!", "Dein Schwert!", "du"),
        ("de", "Where are you?", "Wo seid Ihr?", "ihr"),
        ("de", "Where are you?", "Wo seid ihr?", "ihr"),
        ("de", "Thy time has come", "Eure Zeit ist gekommen", "ihr"),
        ("de", "You gave her the sword.", "Du gabst ihr das Schwert.", None),
        ("de", "You all saw her.", "Habt ihr sie gesehen?", None),
        ("de", "You gave it.", "Man nahm ihr Schwert.", None),
        ("de", "You see.", "Wie ihr seht.", "ihr"),
        ("de", "If they come, you win.", "Kommen sie, so siegt ihr.", None),
        ("de", "You see what they gave her.", "Du siehst, was ihr gegeben wurde.", None),
        ("de", "You and you!", "Du dort und euch beide!", None),
        ("de", "Where is he?", "Wo bist du?", None),
        ("de", "If you say so.", "Wenn Sie meinen.", None),
        ("es", "I told you.", "Os lo dije.", "vos"),
        ("es", "Your army", "Tu ejército", "tú"),
        ("es", "Are you well?", "¿Está usted bien?", "usted"),
        ("es", "Where do you go?", "¿Adónde vas?", None),
        ("fr", "I see you.", "Je te vois.", "tu"),
        ("fr", "I see you.", "Je vous vois.", "vous"),
        ("ru", "I see you.", "Я тебя вижу.", "ты"),
        ("ru", "Your land", "Ваша земля", "вы"),
    ],
)
def test_the_form_of_a_sentence(language: str, source: str, target: str, form: str | None) -> None:
    assert form_of_address(source, target, language) == form


def test_forms_of_a_language_share_no_word() -> None:
    for forms in FORMS.values():
        words = [word for of_form in forms.values() for word in of_form]
        assert len(words) == len(set(words)) and all(word == word.lower() for word in words)


def table(*rows: tuple[str, str, str, str | None, int | None]) -> pd.DataFrame:
    """Rows of document, source, target, speaker and scene."""
    frame = pd.DataFrame(rows, columns=["doc_id", "source", "target", "speaker", "scene"])
    frame["sent_id"] = frame.groupby("doc_id").cumcount()
    return frame.astype({"scene": "Int32", "sent_id": "int32"}).assign(quality=None)


SCENE = table(
    ("a", "Who are you?", "Wer bist du?", "Ann", 0),
    ("a", "A king.", "Ein König.", "Bob", 0),
    ("a", "You came late.", "Du kommst spät.", "Ann", 0),
    ("a", "You all came late.", "Ihr kommt spät.", "Ann", 1),
    ("a", "You know it.", "Du weißt es.", "Bob", 0),
    ("b", "You there!", "Ihr dort!", None, None),
    ("b", "Your time has come.", "Eure Zeit ist gekommen.", None, None),
)


def test_an_item_has_its_scene_up_to_it_and_the_speakers_last_form() -> None:
    items = list(address_items(SCENE, "de"))
    assert [(item.doc_id, item.sent_id, item.rule, item.distance, len(item.scene)) for item in items] == [
        ("a", 0, "address/du", None, 1),
        ("a", 2, "address/du", 2, 3),
        ("a", 4, "address/du", None, 4),
        ("a", 3, "address/ihr", None, 1),
        ("b", 0, "address/ihr", None, 1),
        ("b", 1, "address/ihr", None, 2),
    ]
    assert items[1].as_line() == "Who are you? <eos> A king. <eos> You came late."


def test_what_is_said_twice_in_a_scene_is_one_item() -> None:
    row = ("a", "Are you well?", "Geht es dir gut?", "Ann", 0)
    assert len(list(address_items(table(row, row), "de"))) == 1
    assert len(list(address_items(table(row, (*row[:4], 1)), "de"))) == 2


def test_a_language_without_forms_is_refused() -> None:
    with pytest.raises(InputError, match="forms of address of en are not known; choose from de, es, fr, ru"):
        list(address_items(SCENE, "en"))


def made_of(sentences: pd.DataFrame, folder: Path) -> SystemExit:
    """How the command ends that makes ``suite`` in ``folder`` from a table."""
    write_table(sentences, folder / "test.parquet", "sentences")
    with pytest.raises(SystemExit) as ended:
        main(["items", "address", f"{folder}/test.parquet", "--language", "de", "--output", f"{folder}/suite"])
    return ended.value


def test_the_command_writes_a_suite_with_the_translations_of_the_context(tmp_path: Path) -> None:
    ended = made_of(SCENE, tmp_path)
    assert ended.code == 0
    files = {"files": [f"{tmp_path}/suite/address.json"], "source": [f"{tmp_path}/suite/address.txt"]}
    suite = import_suite("address", plan({"format": "ctxpro", **files}))
    assert list(suite.items["phenomenon"]) == ["address/du"] * 3 + ["address/ihr"] * 3
    assert list(suite.items["forms"].iloc[0]) == FORMS["de"]["du"]
    assert suite.documents[1].target.sentences == ["Wer bist du?", "Ein König.", "Du kommst spät."]
    first = json.loads((tmp_path / "suite/address.json").read_text(encoding="utf-8"))[0]
    assert (first["document"], first["sentence"], first["speaker"]) == ("a", 0, "Ann")


def test_a_table_without_items_is_refused(tmp_path: Path) -> None:
    ended = made_of(SCENE.iloc[1:2], tmp_path)
    assert "no sentence is an item of address" in str(ended)
    assert not (tmp_path / "suite").exists()


@pytest.mark.parametrize("context", [[], ["one", "two"], "one", [1]])
def test_translations_of_the_context_must_be_as_many(context: object, tmp_path: Path) -> None:
    group = {"src segment": "b", "ref segment": "B", "ref context": context, "expected": "B", "rule": "x"}
    (tmp_path / "a.json").write_text(json.dumps([group]))
    (tmp_path / "a.txt").write_text("a <eos> b\n")
    files = {"files": [f"{tmp_path}/a.json"], "source": [f"{tmp_path}/a.txt"]}
    with pytest.raises(InputError, match=r"a\.json: group 1: 'ref context' is no list of 1 sentences"):
        import_suite("address", plan({"format": "ctxpro", **files}))
