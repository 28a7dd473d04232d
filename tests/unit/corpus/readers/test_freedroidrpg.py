"""Dialogues of FreedroidRPG: who says what in which node; comments, escapes and faults."""

from pathlib import Path
from typing import Any

import polib
import pytest

from discourse_nmt.base.errors import InputError
from discourse_nmt.corpus.importing.importing import Imported, import_corpus
from discourse_nmt.corpus.importing.plan import plan
from tests.unit.corpus.importing.corpus_samples import put, settings

SCRIPT = r"""--[[ A comment: Npc:says(_"Never")
]]
local Npc = FDrpg.get_npc() -- Npc:says(_"Never")
return {
    EveryTime = function()
        Npc:says(_"Who -- are you?")
        Npc:says(Npc:get_name()) show("node0")
    end,
    {
        id = "node0",
        text = _"I said \"Stop\".",
        code = function()
            Tux:says(_"I said \"Stop\".")
            Npc:says_random(_"Line\none.", _"Another one.")
            Npc:set_name(_"Francis - Doctor")
            Npc:says("not translated")
        end,
    },
    { id = "node1", text=_"[b]%s[/b] lies." },
}
"""
TRANSLATIONS = {
    "Who -- are you?": "Wer bist du?",
    'I said "Stop".': "Ich sagte: Halt.",
    "Line\none.": "Zeile\neins.",
    "Another one.": "Noch eine.",
    "[b]%s[/b] lies.": "[b]%s[/b] lügt.",
    "Never": "Nie",
    "Francis - Doctor": "Francis - Arzt",
    "not translated": "nicht übersetzt",
}


def imported(folder: Path, script: str, translations: dict[str, str] = TRANSLATIONS, **options: Any) -> Imported:
    catalogue = polib.POFile()
    for message, translation in translations.items():
        catalogue.append(polib.POEntry(msgid=message, msgstr=translation))
    (folder / "dialogs.mo").write_bytes(catalogue.to_binary())
    split = {"source": [put(folder / "Francis.lua", script)], "target": [f"{folder}/dialogs.mo"]}
    return import_corpus(plan(settings("freedroidrpg", split, options=options)))


def test_lines_have_speaker_and_node(tmp_path: Path) -> None:
    (document,) = imported(tmp_path, SCRIPT).documents["train"]
    assert document.speakers is not None and document.scenes is not None
    assert document.doc_id == "Francis"
    assert list(zip(document.speakers, document.scenes, document.source.lines, document.source.sentences)) == [
        ("Npc", 0, 6, "Who -- are you?"),
        ("Tux", 1, 11, 'I said "Stop".'),
        ("Npc", 1, 14, "Line one."),
        ("Tux", 2, 19, "%s lies."),
    ]
    assert document.target.sentences == ["Wer bist du?", "Ich sagte: Halt.", "Zeile eins.", "%s lügt."]


def test_lines_are_divided_and_untranslated_ones_counted(tmp_path: Path) -> None:
    script = 'Npc:says(_"Go. Now.")\nNpc:says(_"New")\nTux:says(_"Yes")\n'
    translations = {"Go. Now.": "Geh. Jetzt.", "Yes": "Ja"}
    found = imported(tmp_path, script, translations)
    assert next(iter(found.documents["train"])).target.sentences == ["Geh.", "Jetzt.", "Ja"]
    assert [(drop.text, drop.line, drop.between) for drop in found.drops["train"]] == [("New", 2, True)]
    found = imported(tmp_path, script, translations, split_sentences=False)
    assert next(iter(found.documents["train"])).target.sentences == ["Geh. Jetzt.", "Ja"]


@pytest.mark.parametrize("split_sentences", [True, False])
def test_the_source_may_begin_with_the_speaker(tmp_path: Path, split_sentences: bool) -> None:
    script = 'Npc:says(_"Go. Now.")\nTux:says(_"Yes")\n'
    translations = {"Go. Now.": "Geh. Jetzt.", "Yes": "Ja"}
    options = {"split_sentences": split_sentences, "speakers_in_source": True}
    (document,) = imported(tmp_path, script, translations, **options).documents["train"]
    said = ["Npc: Go.", "Npc: Now."] if split_sentences else ["Npc: Go. Now."]
    assert document.source.sentences == [*said, "Tux: Yes"]
    assert " ".join(document.target.sentences) == "Geh. Jetzt. Ja"


def test_a_string_without_its_end_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r'Francis\.lua:2: the string has no closing "'):
        imported(tmp_path, '\nNpc:says(_"Hello)\nTux:says(_"Yes")\n')
