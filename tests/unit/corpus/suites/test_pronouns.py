"""Items of pronouns: which sentences are items, their forms and distances; the files that a suite reads."""

from pathlib import Path

import pandas as pd
import pytest

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.storage.tables import write_table
from discourse_nmt.command_line import main
from discourse_nmt.corpus.suites.importing import import_suite
from discourse_nmt.corpus.suites.plan import plan
from discourse_nmt.corpus.suites.pronouns import FORMS, gender, pronoun_items


@pytest.mark.parametrize(
    ("language", "source", "target", "form"),
    [
        ("de", "It broke.", "Er zerbrach.", "er"),
        ("de", "I saw it.", "Ich sah ihn.", "er"),
        ("de", "I saw it.", "Ich sah sie.", "sie"),
        ("de", "It's broken.", "Sie ist kaputt.", "sie"),
        ("de", "It is late.", "Es ist spät.", None),
        ("de", "The lamp is yours, take it.", "Die Lampe ist dein, nimm sie.", None),
        ("de", "Take it from the table.", "Nimm sie vom Tisch.", "sie"),
        ("de", "It hit it.", "Er traf ihn.", None),
        ("de", "It broke.", "Sie zerbrach, wie er auch.", None),
        ("de", "He saw it.", "Er sah es.", None),
        ("de", "They saw it.", "Sie sahen es.", None),
        ("de", "You saw it.", "Sie sahen das.", None),
        ("de", "You saw it.", "Du sahst sie.", "sie"),
        ("de", "Its leg broke.", "Er brach.", None),
        ("de", "It broke.", "Das zerbrach.", None),
        ("fr", "It is old.", "Elle est vieille.", "elle"),
        ("ru", "It is old.", "Он старый.", "он"),
        ("ru", "I see it.", "Я вижу её.", "она"),
    ],
)
def test_the_gender_of_a_translation(language: str, source: str, target: str, form: str | None) -> None:
    assert gender(source, target, language) == form


def test_forms_of_a_language_share_no_word() -> None:
    for forms in FORMS.values():
        words = [word for of_form in forms.values() for word in of_form]
        assert len(words) == len(set(words)) and all(word == word.lower() for word in words)


TEXT = [
    ("The lamp fell.", "Die Lampe fiel.", 0),
    ("Nobody moved.", "Keiner rührte sich.", 0),
    ("It broke.", "Sie zerbrach.", 0),
    ("It shone again.", "Sie leuchtete wieder.", 0),
    ("It shone again.", "Sie leuchtete wieder.", 0),
    ("Ann’s lamp broke when it fell.", "Anns Lampe zerbrach, als sie fiel.", 0),
    ("It is late.", "Sie ist spät.", 0),
    ("It broke.", "Sie zerbrach.", 1),
]
MENTIONS = [(0, 0, 8), (2, 0, 2), (3, 0, 2), (4, 0, 2), (5, 2, 10), (5, 22, 24), (7, 0, 2)]


def sentences() -> pd.DataFrame:
    frame = pd.DataFrame(TEXT, columns=["source", "target", "scene"]).astype({"scene": "Int32"})
    frame["sent_id"] = pd.Series(range(len(frame)), dtype="int32")
    return frame.assign(doc_id="a", speaker=pd.Series([None] * len(frame), dtype="string"), quality=None)


def chains() -> pd.DataFrame:
    """One chain; the head of *the lamp* is *lamp*."""
    frame = pd.DataFrame(MENTIONS, columns=["sent_id", "start", "end"], dtype="int32")
    frame["head_start"] = frame["start"].where(frame["end"] - frame["start"] < 8, frame["start"] + 4)
    return frame.assign(doc_id="a", chain_id=pd.Series([0] * len(frame), dtype="int32"), head_end=frame["end"])


def test_an_earlier_noun_of_the_scene_decides() -> None:
    """No item: a noun in the sentence itself, a pronoun of no chain, one whose nouns are in another scene, a repeat."""
    items = list(pronoun_items(sentences(), chains(), "de"))
    assert [(item.scene[-1]["sent_id"], item.distance, len(item.scene)) for item in items] == [(2, 2, 3), (3, 3, 4)]
    assert {item.form for item in items} == {"sie"} and items[0].expected == ["sie"]


def test_a_pronoun_is_no_noun() -> None:
    mentions = chains()
    assert not list(pronoun_items(sentences(), mentions[mentions["sent_id"] > 1], "de"))


def test_a_language_without_forms_is_refused() -> None:
    with pytest.raises(InputError, match="pronouns of es are not known; choose from de, fr, ru"):
        list(pronoun_items(sentences(), chains(), "es"))


def test_the_command_writes_a_suite(tmp_path: Path) -> None:
    write_table(sentences(), tmp_path / "test.parquet", "sentences")
    write_table(chains(), tmp_path / "chains.parquet", "coreference")
    command = ["items", f"{tmp_path}/test.parquet", "--language", "de", "--output", f"{tmp_path}/suite"]
    with pytest.raises(SystemExit) as ended:
        main([*command, "--coreference", f"{tmp_path}/chains.parquet"])
    assert ended.value.code == 0
    files = {"files": [f"{tmp_path}/suite/pronouns.json"], "source": [f"{tmp_path}/suite/pronouns.txt"]}
    suite = import_suite("pronouns", plan({"format": "ctxpro", **files}, ("en", "de")))
    assert list(suite.items["phenomenon"]) == ["pronoun/sie"] * 2 and list(suite.items["distance"]) == [2, 3]


def test_tables_without_items_are_refused(tmp_path: Path) -> None:
    write_table(sentences().iloc[:1], tmp_path / "test.parquet", "sentences")
    write_table(chains().iloc[:1], tmp_path / "chains.parquet", "coreference")
    command = ["items", f"{tmp_path}/test.parquet", "--language", "de", "--output", f"{tmp_path}/suite"]
    with pytest.raises(SystemExit) as ended:
        main([*command, "--coreference", f"{tmp_path}/chains.parquet"])
    assert "no sentence is an item" in str(ended.value)
    assert not (tmp_path / "suite").exists()
