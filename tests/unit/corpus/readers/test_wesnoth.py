"""Campaigns of Wesnoth: texts of scripts in order, with speaker and scene; their translations; what is refused."""

import re
import struct
from collections import Counter
from pathlib import Path
from typing import Any

import polib
import pytest

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.sources import expand
from discourse_nmt.corpus.documents import Document
from discourse_nmt.corpus.importing.importing import Imported, import_corpus
from discourse_nmt.corpus.importing.plan import plan
from discourse_nmt.corpus.importing.tables import sentences_table
from discourse_nmt.corpus.readers.games import wesnoth
from discourse_nmt.corpus.reading.message_catalogues import translations_of
from discourse_nmt.corpus.reading.requests import Request
from tests.unit.corpus.importing.corpus_samples import put, settings

STRING = re.compile(r'_ ?"((?:[^"]|"")*)"')


def catalogue(path: Path, translations: dict[str, str]) -> str:
    entries = polib.POFile()
    for message, translation in translations.items():
        entries.append(polib.POEntry(msgid=message, msgstr=translation))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(entries.to_binary())
    return str(path)


def imported(
    folder: Path, scripts: dict[str, str], translations: dict[str, str] | None = None, **options: Any
) -> Imported:
    """The import of scripts; a text without a translation of its own is translated as itself in capitals."""
    for name, script in scripts.items():
        put(folder / "data" / f"{name}.cfg", script)
    texts = [text.replace('""', '"') for script in scripts.values() for text in STRING.findall(script)]
    known = {text: text.upper() for text in texts}
    catalogue(folder / "tale.mo", known | (translations or {}))
    split = {"source": [f"{folder}/data/**/*.cfg"], "target": [f"{folder}/tale.mo"]}
    return import_corpus(plan(settings("wesnoth", split, options=options)))


def read(folder: Path, script: str, translations: dict[str, str] | None = None, **options: Any) -> Document:
    """The document of one script."""
    (document,) = imported(folder, {"one": "#textdomain tale\n" + script}, translations, **options).documents["train"]
    return document


def say(text: str, speaker: str = "Ann") -> str:
    return f'[message]\nspeaker={speaker}\nmessage= _ "{text}"\n[/message]\n'


def told(document: Document) -> list[tuple[str, str | None, int]]:
    assert document.speakers is not None and document.scenes is not None
    return list(zip(document.source.sentences, document.speakers, document.scenes))


def test_messages_and_stories_are_sentences_in_file_order(tmp_path: Path) -> None:
    script = (
        '[scenario]\nname= _ "A title"\n[story]\n[part]\nstory= _ "Long ago"\n[/part]\n[/story]\n'
        f"[event]\nname=start\n{say('Hello')}{say('Who is there', 'Old Bob')}[/event]\n"
        f"[event]\nname=die\n{say('Farewell')}[/event]\n[/scenario]\n"
    )
    document = read(tmp_path, script)
    assert document.doc_id == "one"
    assert told(document) == [
        ("Long ago", None, 0),
        ("Hello", "Ann", 1),
        ("Who is there", "Old Bob", 1),
        ("Farewell", "Ann", 2),
    ]
    assert document.target.sentences == ["LONG AGO", "HELLO", "WHO IS THERE", "FAREWELL"]
    assert document.source.lines == [6, 13, 17, 24]


def test_an_event_in_an_event_is_a_scene_of_its_own(tmp_path: Path) -> None:
    script = f"[event]\n{say('a')}[event]\n{say('b')}[/event]\n{say('c')}[/event]\n"
    assert [scene for _, _, scene in told(read(tmp_path, script))] == [0, 1, 0]


@pytest.mark.parametrize(
    ("keys", "speaker"),
    [
        ("speaker=Ann", "Ann"),
        ('speaker="Ann of Ayr" # a comment', "Ann of Ayr"),
        ("id=Bob\nspeaker=unit", None),
        ("speaker=second_unit", None),
        ("role=advisor\nid=Bob", "Bob"),
        ("role=advisor", "advisor"),
        ("speaker={HERO}", None),
        ("image=a.png", None),
    ],
)
def test_the_speaker_may_stand_before_or_after_the_text(keys: str, speaker: str | None, tmp_path: Path) -> None:
    script = f'[message]\n{keys}\nmessage= _ "Yes"\n[/message]\n[message]\nmessage= _ "No"\n{keys}\n[/message]\n'
    assert [name for _, name, _ in told(read(tmp_path, script))] == [speaker, speaker]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ('_ "He said ""Go"" twice"', 'He said "Go" twice'),
        ('_"No blank"', "No blank"),
        ('_ "whisper^Hush"', "Hush"),
        ('_ "One" + _ " two" +\n    _ " three"', "One two three"),
        ('_ "A line\nand # another"', "A line and # another"),
        ('"<i>" + _ "Loud" + "</i>"', "Loud"),
        ("_ \"A <span color='red'>red</span> &lt;cap&gt;\"", "A red <cap>"),
        ('{WHISPER (_ "low")}', "low"),
        ('{CAPTION _ "Title"} + _ "Text"', "Text"),
        ('_ "array[0] = {x} [/message]"', "array[0] = {x} [/message]"),
        ('_ "x" # _ "not this"', "x"),
    ],
)
def test_the_text_of_a_value(value: str, text: str, tmp_path: Path) -> None:
    script = f"[message]\nmessage= {value}\nspeaker=Ann\n[/message]\n"
    strings = [string.replace('""', '"') for string in STRING.findall(value)]
    same = {string: string.removeprefix("whisper^") for string in strings}
    document = read(tmp_path, script, same, split_sentences=False)
    assert document.source.sentences == document.target.sentences == [text]


def test_other_texts_and_comments_are_not_read(tmp_path: Path) -> None:
    script = (
        '# [message]\n# message= _ "Never"\n# [/message]\n[objective]\ndescription= _ "Win"\n[/objective]\n'
        '[option]\nlabel= _ "Perhaps"\n[/option]\n[note]\nmessage= _ "A note"\n[/note]\n'
        '{NAMED_UNIT Elf 1 2 (_ "Elrian")}\n'
        f'[lua]\ncode=<< wml.message {{ message= _ "In Lua" [/x] >>\n[/lua]\n'
        f"[message]\nmessage=$text\n[/message]\n{say('Yes')}"
    )
    assert read(tmp_path, script).source.sentences == ["Yes"]


def test_arguments_of_macros_that_their_definitions_make_texts(tmp_path: Path) -> None:
    utilities = (
        "#textdomain tale\n#define TELL WHO TEXT\n"
        "[message]\nspeaker=teacher\nmessage=<b> + {TEXT} + </b>\n[/message]\n#enddef\n"
        '#define PART TEXT\n[part]\nstory={CAPTION _ "Bob"} + {TEXT}\n[/part]\n#enddef\n'
        "#define SAYS: TEXT\nmessage={TEXT}\n#enddef\n#define LABEL TEXT\n[label]\ntext={TEXT}\n[/label]\n#enddef\n"
    )
    script = (
        '#textdomain tale\n[story]\n{PART (_ "I am Bob.")}\n[/story]\n[event]\n{TELL {ANYBODY x y} _ "I teach."}\n'
        '{TELL _ "not this" (_ "I " + _ "teach you")}\n[message]\nspeaker=Ann\n{SAYS: _ "I am Ann."}\n[/message]\n'
        '{LABEL _ "A place"}\n[/event]\n'
    )
    found = imported(tmp_path, {"utils/u": utilities, "a": script}, split_sentences=False)
    (document,) = found.documents["train"]
    assert told(document) == [
        ("I am Bob.", "Bob", 0),
        ("I teach.", "teacher", 1),
        ("I teach you", "teacher", 1),
        ("I am Ann.", "Ann", 1),
    ]


def test_script_in_the_argument_of_a_macro_is_read(tmp_path: Path) -> None:
    script = f"[event]\n{{IF_ALIVE Ann (\n{say('Alive')}{say('And well')})}}\n{say('After')}[/event]\n"
    assert told(read(tmp_path, script)) == [("Alive", "Ann", 0), ("And well", "Ann", 0), ("After", "Ann", 0)]


def test_all_branches_and_definitions_are_read_where_they_stand(tmp_path: Path) -> None:
    script = (
        f"[event]\n[if]\n[then]\n{say('a')}[/then]\n[else]\n{say('b')}[/else]\n[/if]\n"
        f"#ifdef HARD\n{say('c')}#else\n{say('d')}#endif\n[/event]\n"
        f"#define LATER\n{say('e')}#enddef\n{{LATER}}\n{say('f')}"
    )
    assert [(text, scene) for text, _, scene in told(read(tmp_path, script))] == [
        *(("a", 0), ("b", 0), ("c", 0), ("d", 0)),
        *(("e", 1), ("f", 2)),
    ]


def test_texts_without_a_translation_are_left_out_and_counted(tmp_path: Path) -> None:
    script = (
        f"#textdomain tale\n{say('One')}{say('Two')}{say('Three')}#textdomain other\n{say('Four')}"
        '#textdomain tale\n[message]\nmessage= _ "Half" + _ "known"\n[/message]\n'
    )
    found = imported(tmp_path, {"one": script, "none": "[scenario]\n[/scenario]\n"}, {"Two": "", "known": ""})
    (document,) = found.documents["train"]
    assert document.source.sentences == ["One", "Three"]
    assert [(drop.text, drop.line, drop.reason, drop.between) for drop in found.drops["train"]] == [
        ("Two", 8, "untranslated", True),
        ("Four", 17, "untranslated", False),
        ("Halfknown", 21, "untranslated", False),
    ]


def test_texts_are_divided_where_both_sides_have_as_many_sentences(tmp_path: Path) -> None:
    translations = {"Go. Now! Or stay.": "Geht. Jetzt! Oder bleibt.", "Wait. I come.": "Wartet, ich komme."}
    script = f"[event]\n{say('Go. Now! Or stay.')}[/event]\n[event]\n{say('Wait. I come.', 'Bob')}[/event]\n"
    document = read(tmp_path, script, translations)
    assert told(document) == [
        ("Go.", "Ann", 0),
        ("Now!", "Ann", 0),
        ("Or stay.", "Ann", 0),
        ("Wait. I come.", "Bob", 1),
    ]
    assert document.target.sentences[1:] == ["Jetzt!", "Oder bleibt.", "Wartet, ich komme."]
    assert document.source.lines == [5, 5, 5, 11]
    assert told(read(tmp_path, script, translations, split_sentences=False)) == [
        ("Go. Now! Or stay.", "Ann", 0),
        ("Wait. I come.", "Bob", 1),
    ]


def test_speaker_and_scene_reach_the_table_and_survive_filters(tmp_path: Path) -> None:
    script = f"#textdomain tale\n[event]\n{say('a')}{say('b b b', 'Bob')}[/event]\n[event]\n{say('c', 'Cy')}[/event]\n"
    script += '[message]\nmessage= _ "d"\n[/message]\n'
    found = imported(tmp_path, {"one": script})
    table = sentences_table(found.documents["train"])
    assert list(table["speaker"].fillna("")) == ["Ann", "Bob", "Cy", ""] and list(table["scene"]) == [0, 0, 1, 2]
    (document,) = found.documents["train"]
    assert document.part("x", [1, 2]).speakers == ["Bob", "Cy"]
    document.keep([2])
    assert document.speakers == ["Cy"] and document.scenes == [1]


def test_a_format_without_speakers_leaves_the_columns_empty() -> None:
    document = Document.start("a", "f", "g")
    document.add("One", "Eins", 1)
    table = sentences_table([document])
    assert table["speaker"].isna().all() and table["scene"].isna().all()


@pytest.mark.parametrize(
    ("script", "fault"),
    [
        ('[message]\nmessage= _ "Hello\n[/message]\n', 'one.cfg:2: the string has no closing "'),
        ("[event]\n{MACRO (a\n[/event]\n", "one.cfg:2: {MACRO is not closed"),
        ("[event]\n}\n[/event]\n", "one.cfg:2: } without {"),
        ("a\n#define M\n[event]\n", "one.cfg:2: #define M has no #enddef"),
        ("#define M\n#define N\n#enddef\n", "one.cfg:2: #define in #define M"),
        ("\n#enddef\n", "one.cfg:2: #enddef without #define"),
        ("[event]\n[message]\n[/event]\n", "one.cfg:3: [/event] where [message] of line 2 is open"),
        ("\n[/event]\n", "one.cfg:2: [/event] where no tag is open"),
        ("\n[event]\n[message]\n[/message]\n", "one.cfg:2: [event] is not closed"),
        ("x=<< a\n>", "one.cfg:1: << has no closing >>"),
    ],
)
def test_a_broken_script_is_refused_with_its_line(script: str, fault: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        imported(tmp_path, {"one": script})
    assert fault in str(caught.value) and "\n" not in str(caught.value)


def test_a_macro_may_open_tags_that_another_closes(tmp_path: Path) -> None:
    script = (
        f"#define BEGIN\n[event]\n[if]\n#enddef\n#define END\n[/if]\n[/event]\n#enddef\n{{BEGIN}}\n{say('a')}{{END}}\n"
    )
    assert read(tmp_path, script).source.sentences == ["a"]


def damaged(number: int, value: int) -> bytes:
    """A catalogue of two messages with one of its 32-bit numbers changed."""
    entries = polib.POFile()
    entries.append(polib.POEntry(msgid="Hello", msgstr="Hallo"))
    data = bytearray(entries.to_binary())
    data[4 * number : 4 * number + 4] = struct.pack("I", value)
    return bytes(data)


@pytest.mark.parametrize(
    ("data", "fault"),
    [
        (b"", "not a compiled catalogue of gettext"),
        (b'msgid ""\nmsgstr ""\n', "not a compiled catalogue of gettext"),
        (damaged(0, 1), "not a compiled catalogue of gettext"),
        (damaged(2, 1 << 31), "its 2,147,483,648 messages do not fit into the file"),
        (damaged(4, 1 << 20), "messages do not fit"),
        (damaged(10, 1 << 20), "message 2 is not in the file"),
        (damaged(7, 1 << 30), "message 1 is not in the file"),
    ],
)
def test_a_damaged_catalogue_is_refused(data: bytes, fault: str, tmp_path: Path) -> None:
    put(tmp_path / "one.cfg", say("Hello"))
    (tmp_path / "tale.mo").write_bytes(data)
    with pytest.raises(InputError) as caught:
        import_corpus(plan(settings("wesnoth", {"source": [f"{tmp_path}/*.cfg"], "target": [f"{tmp_path}/*.mo"]})))
    assert "tale.mo: " in str(caught.value) and fault in str(caught.value)


def test_the_last_string_may_end_the_file(tmp_path: Path) -> None:
    """Without the zero after it."""
    file = Path(catalogue(tmp_path / "tale.mo", {"Hello": "Hallo"}))
    whole = file.read_bytes()
    assert whole.endswith(b"Hallo\0")
    file.write_bytes(whole[:-1])
    [source] = expand(str(file))
    assert translations_of(source)["Hello"] == "Hallo"


def test_strings_of_a_catalogue_may_not_lie_over_each_other(tmp_path: Path) -> None:
    """A small file would need much memory."""
    text = b"a" * 100 + b"\0"
    count = 50
    table = struct.pack("2I", 100, 28 + 16 * count) * count
    head = struct.pack("7I", 0x950412DE, 0, count, 28, 28 + 8 * count, 0, 0)
    (tmp_path / "tale.mo").write_bytes(head + table + table + text)
    put(tmp_path / "one.cfg", say("Hello"))
    with pytest.raises(InputError, match="message 5 is not in the file"):
        import_corpus(plan(settings("wesnoth", {"source": [f"{tmp_path}/*.cfg"], "target": [f"{tmp_path}/*.mo"]})))


def test_catalogues_of_the_other_byte_order_plurals_and_contexts(tmp_path: Path) -> None:
    strings = [("Hello", "Hallo"), ("menu\4Hello", "Menü"), ("One elf\0%d elves", "Ein Elf\0%d Elfen")]
    sides = [[pair[side].encode() for pair in strings] for side in (0, 1)]
    place, tables, text = 28 + 16 * len(strings), b"", b""
    for side in sides:
        for string in side:
            tables += struct.pack(">2I", len(string), place + len(text))
            text += string + b"\0"
    head = struct.pack(">7I", 0x950412DE, 0, len(strings), 28, 28 + 8 * len(strings), 0, 0)
    (tmp_path / "tale.mo").write_bytes(head + tables + text)
    put(tmp_path / "one.cfg", f"#textdomain tale\n{say('Hello')}{say('One elf')}")
    split = {"source": [f"{tmp_path}/*.cfg"], "target": [f"{tmp_path}/*.mo"]}
    (document,) = import_corpus(plan(settings("wesnoth", split))).documents["train"]
    assert document.target.sentences == ["Hallo", "Ein Elf"]


def test_two_catalogues_of_one_domain_are_refused(tmp_path: Path) -> None:
    put(tmp_path / "one.cfg", say("Hello"))
    paths = [catalogue(tmp_path / name / "tale.mo", {"Hello": "Hallo"}) for name in ("a", "b")]
    split = {"source": [f"{tmp_path}/*.cfg"], "target": paths}
    with pytest.raises(InputError, match="document tale is also in"):
        import_corpus(plan(settings("wesnoth", split)))


def test_what_is_said_in_numbers(tmp_path: Path) -> None:
    notes = Counter[str]()
    put(tmp_path / "one.cfg", f"#textdomain tale\n{say('Go. Now!')}{say('Wait. I come.')}")
    path = catalogue(tmp_path / "tale.mo", {"Go. Now!": "Geht. Jetzt!", "Wait. I come.": "Wartet"})
    request = Request(
        "train", {"source": expand(f"{tmp_path}/one.cfg"), "target": expand(path)}, "en", "de", notes=notes
    )
    assert len(list(wesnoth.read(request, wesnoth.Options()))) == 1
    assert notes == {
        "blocks divided into sentences": 1,
        "blocks left whole: the sides have different numbers of sentences": 1,
    }


@pytest.mark.parametrize(
    ("script", "speaker"),
    [
        (say("Go."), "Ann"),
        (say("Go.", '"Ann of Ayr"'), "Ann of Ayr"),
        (say("Go.", "unit"), None),
        ('[part]\nstory={CAPTION _ "The Old\nQueen"} + _ "Go."\n[/part]\n', "The Old Queen"),
    ],
)
def test_the_speaker_may_begin_the_source_and_is_one_line(tmp_path: Path, script: str, speaker: str | None) -> None:
    document = read(tmp_path, script, {"Go.": "Geh."}, speakers_in_source=True)
    assert document.speakers == [speaker]
    assert document.source.sentences == [f"{speaker}: Go." if speaker else "Go."]
