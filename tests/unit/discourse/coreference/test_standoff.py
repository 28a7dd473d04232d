"""Chains apart from their text: what is written is read back over the text, and every fault is named."""

import re
import sys
from pathlib import Path

import pytest

from discourse_nmt.base.errors import InputError
from discourse_nmt.discourse.formats.conllu import read_conllu
from discourse_nmt.discourse.formats.coreference import CoreferenceDocument, EntityMention, read_gum_coreference
from discourse_nmt.discourse.treebanks.standoff import place_on_text, write_standoff
from discourse_nmt.workflow_scripts.parsers import place_chains

DOCUMENT = CoreferenceDocument(
    "king",
    (("国王", "的", "仆人"), ("他", "来", "了")),
    (EntityMention(0, 1, "2", "entity"), EntityMention(0, 3, "1", "entity"), EntityMention(3, 4, "1", "entity")),
)
TABLE = "line\tcharacters_of_words\tmentions\n1\t2 1 2\t2:0-1 1:0-3\n2\t1 1 1\t1:0-1\n"
LINES = ["国王的 仆人", "他来了"]


def test_a_table_has_no_words_and_gives_the_document_back() -> None:
    assert write_standoff(DOCUMENT) == TABLE
    assert place_on_text(TABLE, LINES, "folder/king.tsv", "king.zh") == DOCUMENT


@pytest.mark.parametrize(
    ("table", "lines", "message"),
    [
        (
            TABLE.replace("mentions", "chains"),
            LINES,
            "king.tsv:1: the columns are not line, characters_of_words, mentions",
        ),
        (TABLE, LINES[:1], "king.zh: 1 lines of text, 2 in king.tsv"),
        (TABLE, [LINES[0], "他来"], "king.zh:2: 2 characters, 3 in king.tsv"),
        (TABLE.replace("\n2\t", "\n3\t"), LINES, "king.tsv:3: not a row of line 2"),
        (TABLE.replace("1 1 1", "1 0 2"), LINES, "king.tsv:3: not a row of line 2"),
        (TABLE.replace("1:0-3", "1:0-4"), LINES, "king.tsv:2: mention '1:0-4' is not in the line"),
        (TABLE.replace("1:0-3", "1:2-2"), LINES, "king.tsv:2: mention '1:2-2' is not in the line"),
        (TABLE.replace("1:0-3", "1:0"), LINES, "king.tsv:2: mention '1:0' is not in the line"),
    ],
)
def test_faults_are_named(table: str, lines: list[str], message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        place_on_text(table, lines, "king.tsv", "king.zh")


def test_the_command_writes_a_treebank(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, content in {"chains/king.tsv": TABLE, "text/king.zh": "\n".join(LINES)}.items():
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text(content, encoding="utf-8")
    folders = [word for name in ("chains", "text", "output") for word in (f"--{name}", str(tmp_path / name))]
    monkeypatch.setattr(sys, "argv", ["place_chains", *folders, "--language", "zh"])
    place_chains.main()
    output = tmp_path / "output"
    [first, second] = read_conllu((output / "conllu" / "king.conllu").read_text(encoding="utf-8"), "king")
    assert tuple(word.form for word in first.words + second.words) == sum(DOCUMENT.sentences, ())
    [chains] = read_gum_coreference((output / "coref_conll" / "king.conll").read_text(encoding="utf-8"), "king")
    assert chains.mentions == DOCUMENT.mentions
    assert (output / "text" / "king.zh").read_text(encoding="utf-8") == "国王 的 仆人\n他 来 了\n"
    (tmp_path / "text" / "king.zh").unlink()
    with pytest.raises(InputError, match=re.escape("king.zh")):
        place_chains.main()
