"""Items of address: which sentences are items, their forms, scenes and distances; the suite of a corpus's own split."""

import json
from pathlib import Path

import pandas as pd
import pytest

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.storage.tables import write_table
from discourse_nmt.corpus.address.addressed import addressed
from discourse_nmt.corpus.address.forms import FORMS, TU, VOS, form_in, form_of_address
from discourse_nmt.corpus.address.scenes import rows_of
from discourse_nmt.corpus.groups import text_of_item
from discourse_nmt.corpus.suites.importing import ImportedSuite
from discourse_nmt.corpus.suites.plan import plan
from tests.unit.corpus.suites.suite_examples import imported


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
        ("es", "Where do you go?", "¿Adónde vas?", "tú"),
        ("es", "Where do you go?", "¿ADÓNDE VAIS?", "vos"),
        ("es", "You see, I told you.", "Ves, os lo dije.", "vos"),
        ("es", "You know that you may go.", "Sabes que podéis ir.", None),
        ("es", "Where does he go?", "¿Adónde vas?", None),
        ("es", "Look out for yourself!", "¡Mira!", None),
        ("fr", "I see you.", "Je te vois.", "tu"),
        ("fr", "I see you.", "Je vous vois.", "vous"),
        ("fr", "Oh, you know knights.", "Tiens, vous connaissez des chevaliers.", "vous"),
        ("fr", "My my, you hold on.", "Mais tiens tiens, on tient bon.", None),
        ("fr", "I care for you.", "Je tiens à vous.", "vous"),
        ("fr", "My hand and yours.", "Ma main et la tienne.", "tu"),
        ("ru", "Look what you found!", "Ишь ты, что вы нашли!", "вы"),
        ("ru", "Wow, are you new here?", "Ух ты, вы здесь новые?", "вы"),
        ("ru", "Wow, that is yours?", "Ух ты, надо же!", None),
        ("ru", "Are you new here?", "Ты здесь новый?", "ты"),
        ("ru", "I see you.", "Я тебя вижу.", "ты"),
        ("ru", "Your land", "Ваша земля", "вы"),
    ],
)
def test_the_form_of_a_sentence(language: str, source: str, target: str, form: str | None) -> None:
    assert form_of_address(source, target, language) == form


@pytest.mark.parametrize(
    ("target", "of_others", "form"),
    [
        ("Wo bist du?", True, "du"),
        ("Wie ihr seht.", False, "ihr"),
        ("Wie ihr seht.", True, None),
        ("Du gabst ihr das Schwert.", False, None),
    ],
)
def test_the_form_of_a_translation_alone(target: str, of_others: bool, form: str | None) -> None:
    """An unsure word is that of somebody else where the source has others."""
    assert form_in(target, "de", of_others) == form


def test_forms_of_a_language_share_no_word() -> None:
    for forms in FORMS.values():
        words = [word for of_form in forms.values() for word in of_form]
        assert len(words) == len(set(words)) and all(word == word.lower() for word in words)


def test_spanish_verbs_are_pairs_of_singular_and_plural() -> None:
    """So neither form is found more easily than the other one."""
    for singular, plural in zip(TU, VOS, strict=True):
        assert singular.endswith(("s", "ste")), singular
        assert plural.endswith(("áis", "éis", "ais", "eis", "ís", "sois")), plural


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


def suite_of(folder: Path, *tables: pd.DataFrame, **more: object) -> ImportedSuite:
    """The suite ``address`` of tables of one split."""
    for number, sentences in enumerate(tables):
        write_table(sentences, folder / f"{number}.parquet", "sentences")
    return imported("address", {"splits": [f"{folder}/*.parquet"]}, **more)


def test_an_item_has_its_scene_up_to_it_and_the_speakers_last_form(tmp_path: Path) -> None:
    suite = suite_of(tmp_path, SCENE)
    items = zip(suite.items["phenomenon"], suite.items["distance"].fillna(0), suite.documents)
    assert [(phenomenon, distance, document.source.sentences[-1]) for phenomenon, distance, document in items] == [
        ("address/du", 0, "Who are you?"),
        ("address/du", 2, "You came late."),
        ("address/du", 0, "You know it."),
        ("address/ihr", 0, "You all came late."),
        ("address/ihr", 0, "You there!"),
        ("address/ihr", 0, "Your time has come."),
    ]
    second = suite.documents[1]
    assert second.source.sentences == ["Who are you?", "A king.", "You came late."]
    assert second.target.sentences == ["Wer bist du?", "Ein König.", "Du kommst spät."]
    assert second.speakers == ["Ann", "Bob", "Ann"] and suite.documents[5].speakers == [None, None]
    assert suite.items["sent_id"].tolist() == [0, 2, 3, 0, 0, 1]
    ids = suite.items["doc_id"].tolist()
    assert ids == [document.doc_id for document in suite.documents] and len(set(ids)) == 6
    assert [text_of_item(doc_id, "address") for doc_id in ids] == ["a", "a", "a", "a", "b", "b"]
    for column, form in (("forms", "du"), ("other_forms", "ihr")):
        assert list(suite.items[column].iloc[0]) == FORMS["de"][form]


def test_all_tables_of_a_split_are_read_and_their_context_is_cut(tmp_path: Path) -> None:
    suite = suite_of(tmp_path, SCENE.iloc[:5], SCENE.iloc[5:], context=1)
    assert [len(document) for document in suite.documents] == [1, 2, 2, 1, 1, 2]
    assert suite.documents[1].speakers == ["Bob", "Ann"]


def test_as_a_control_the_context_is_that_of_another_scene(tmp_path: Path) -> None:
    """As many sentences as an item's own context has, where there is an item with as many in another scene."""
    longer = table(
        *(("c", f"Line {number}.", f"Zeile {number}.", "Cid", 4) for number in range(3)),
        ("c", "You see?", "Siehst du?", "Dan", 4),
    )
    own = suite_of(tmp_path, pd.concat([SCENE, longer]))
    other = suite_of(tmp_path, pd.concat([SCENE, longer]), options={"scene": "another"})
    same = ["item_id", "doc_id", "phenomenon", "forms", "other_forms"]
    pd.testing.assert_frame_equal(own.items[same], other.items[same])
    assert other.items["distance"].isna().all() and not own.items["distance"].isna().all()
    contexts = [[one.source.sentences[:-1] for one in suite.documents] for suite in (own, other)]
    lasts = [[one.source.sentences[-1] for one in suite.documents] for suite in (own, other)]
    assert lasts[0] == lasts[1]
    assert contexts[1] == [
        [],
        ["Line 1.", "Line 2."],  # of the next longer context, as the others of its own length stand in its scene
        ["Line 0.", "Line 1.", "Line 2."],
        [],
        [],
        ["A king."],
        contexts[0][2],
    ]
    assert other.documents[1].target.sentences == ["Zeile 1.", "Zeile 2.", "Du kommst spät."]
    assert other.documents[1].speakers == ["Cid", "Cid", "Ann"]
    assert own.items["sent_id"].tolist() == other.items["sent_id"].tolist() == [0, 2, 3, 0, 0, 1, 3]
    short = suite_of(tmp_path, pd.concat([SCENE.iloc[5:], longer]), options={"scene": "another"})
    assert short.documents[-1].source.sentences == ["You there!", "You see?"]  # no other context is as long
    with pytest.raises(InputError, match="scene is another, but all items stand in one; set it to own"):
        suite_of(tmp_path, longer, options={"scene": "another"})


def test_what_is_said_twice_in_a_scene_is_one_item(tmp_path: Path) -> None:
    row = ("a", "Are you well?", "Geht es dir gut?", "Ann", 0)
    assert len(suite_of(tmp_path, table(row, row)).items) == 1
    assert len(suite_of(tmp_path, table(row, (*row[:4], 1))).items) == 2
    [scene] = addressed(rows_of(table(row, row)), "de")
    assert [sentence.repeated for sentence in scene] == [False, True]


@pytest.mark.parametrize(
    ("languages", "message"),
    [
        (("en", "it"), "forms of address of it are not known; choose from de, es, fr, ru"),
        (("de", "fr"), "words for you of de are not known; the source must be en"),
    ],
)
def test_languages_without_forms_are_refused(languages: tuple[str, str], message: str) -> None:
    with pytest.raises(InputError, match=message):
        plan({"format": "address", "splits": ["test"]}, languages)


def test_a_split_without_items_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="the suite address has no items"):
        suite_of(tmp_path, SCENE.iloc[1:2])


def test_tables_that_are_not_there_are_those_of_the_target_corpus() -> None:
    with pytest.raises(InputError, match=r"no file results/x/\*.parquet; make the target corpus"):
        imported("address", {"splits": ["results/x/*.parquet"]})


@pytest.mark.parametrize("context", [[], ["one", "two"], "one", [1]])
def test_translations_of_the_context_must_be_as_many(context: object, tmp_path: Path) -> None:
    group = {"src segment": "b", "ref segment": "B", "ref context": context, "expected": "B", "rule": "x"}
    (tmp_path / "a.json").write_text(json.dumps([group]))
    (tmp_path / "a.txt").write_text("a <eos> b\n")
    files = {"files": [f"{tmp_path}/a.json"], "source": [f"{tmp_path}/a.txt"]}
    with pytest.raises(InputError, match=r"a\.json: group 1: 'ref context' is no list of 1 sentences"):
        imported("ctxpro", files)
