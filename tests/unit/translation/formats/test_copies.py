"""What a translator does not change comes out byte for byte, in every format."""

import random
import re

import polib
import pytest
from lxml import etree

from discourse_nmt.base.errors import InputError
from tests.unit.translation.formats.nasty_files import FILES, PIECES
from tests.unit.translation.formats.translators import sentences, translated

IN_PLACE = [name for name in FILES if name.split(".")[1] in ("md", "html", "srt")]
BESIDE = [name for name in FILES if name not in IN_PLACE]


def variants(text: str) -> list[str]:
    return [text, text.replace("\n", "\r\n"), "\ufeff" + text, text.rstrip("\n"), text + "\n\n"]


@pytest.mark.parametrize("name", IN_PLACE)
def test_a_copy_is_the_file(name: str) -> None:
    for text in variants(FILES[name]):
        assert translated(text, name) == text


@pytest.mark.parametrize(("name", "piece"), [(name, piece) for name, pieces in PIECES.items() for piece in pieces])
def test_a_copy_of_a_short_text_is_the_text(name: str, piece: str) -> None:
    for text in variants(piece):
        assert translated(text, name) == text


@pytest.mark.parametrize("name", BESIDE)
def test_a_catalogue_that_is_filled_stays(name: str) -> None:
    for text in variants(FILES[name]):
        filled = translated(text, name)
        assert filled != text
        assert translated(filled, name, str.upper) == filled


def test_only_empty_messages_of_a_catalogue_change() -> None:
    text = FILES["nasty.po"]
    before, after = text.splitlines(), translated(text, "nasty.po").splitlines()
    assert [line for line in before if line not in after] == ['msgstr[0] ""', 'msgstr[1]   ""', '""']
    for entry in polib.pofile(translated(text, "nasty.po")):
        if not (entry.obsolete or entry.fuzzy or entry.msgid in ("translator-credits", "Filled message.")):
            assert entry.msgstr == entry.msgid or entry.msgstr_plural == {0: entry.msgid, 1: entry.msgid_plural}


@pytest.mark.parametrize("name", BESIDE[1:])
def test_a_target_of_xliff_has_what_its_source_has(name: str) -> None:
    """Of a unit that is segmented, what its segments have."""
    root = etree.fromstring(translated(FILES[name], name).encode())
    targets = root.findall(".//{*}target")
    assert len(targets) == {"nasty1.xlf": 6, "nasty2.xliff": 2}[name]
    for target in targets:
        before = target.getprevious()
        assert before.tag.endswith("source")
        if before.text not in ("Filled.", "Done.") and (len(before) or before.text):
            assert [etree.tostring(one) for one in before] == [etree.tostring(one) for one in target]
            assert before.text == target.text
    assert root.get("trgLang", root[0].get("target-language")) == "de"


@pytest.mark.parametrize("name", IN_PLACE)
def test_markup_of_changed_sentences_stays_in_order(name: str) -> None:
    """Letters change, words stay: so does all else, but for folded lines, labels, references and blanks at tags."""

    def plain(text: str) -> str:
        text = text.lower().replace("\\*", "*").replace("&amp;", "&").replace("&lt;", "<")
        for reference, letter in {"eacute": "é", "#8211": "–", "#x2014": "—", "nbsp": " ", "copy": "©"}.items():
            text = text.replace(f"&{reference};", letter)
        text = re.sub(r"(?<=\[collapsed\]\[)collapsed|(?<=\[shortcut\])\[shortcut\]", "", text)
        return re.sub(r"\s|(?m:^\s*>)", "", text).replace("**boldnext**", "**bold**next")

    assert plain(translated(FILES[name], name, str.swapcase)) == plain(FILES[name])


@pytest.mark.parametrize("name", FILES)
def test_a_copy_is_the_file_whatever_it_holds(name: str) -> None:
    """Lines of the file, shuffled, doubled, cut and joined; a file that is refused is refused by one line."""
    dice = random.Random(len(name))
    lines = FILES[name].splitlines(keepends=True)
    for _ in range(60):
        chosen = [dice.choice(lines) for _ in range(dice.randint(1, 12))]
        text = "".join(line if dice.random() < 0.8 else line[dice.randrange(len(line)) :] for line in chosen)
        if name in IN_PLACE and not name.endswith(".srt"):
            assert translated(text, name) == text
            translated(text, name, lambda sentence: " ".join(reversed(sentence.split())))
        else:
            try:
                filled = translated(text, name)
            except InputError as error:
                assert "\n" not in str(error)
            else:
                assert filled == text or name in BESIDE


@pytest.mark.parametrize("name", FILES)
def test_code_and_comments_are_not_read(name: str) -> None:
    read = [
        sentence for sentence in sentences(FILES[name], name) if not re.search(r"(Name|title \}\}) stays", sentence)
    ]
    for kept in ("Not text", "stays", "comment", "Kept", "translator-credits", "Fuzzy", "Old message", "Filled"):
        assert not any(kept in sentence for sentence in read), kept
