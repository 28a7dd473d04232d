"""Translation memories that name documents: their order, what is left out, and markup."""

from pathlib import Path

from discourse_nmt.corpus.importing.importing import import_corpus
from discourse_nmt.corpus.importing.plan import plan
from tests.unit.corpus.importing.corpus_samples import put, settings

MEMORY = """<?xml version="1.0" encoding="UTF-8"?>
<tmx version="1.4"><header srclang="en"/><body>
<tu><prop type="file">b.txt</prop><note>n</note>
 <tuv xml:lang="EN-US"><seg>See <bpt i="1">&lt;b&gt;</bpt>the <hi>house</hi><ept i="1">&lt;/b&gt;</ept>.</seg></tuv>
 <tuv xml:lang="de-AT"><seg>Das
Haus.</seg></tuv><tuv xml:lang="de-DE"><seg>Anders.</seg></tuv></tu>
<tu><prop type="file">a.txt</prop><tuv lang="en"><seg>One.</seg></tuv><tuv lang="de"><seg>Eins.</seg></tuv></tu>
<tu><tuv xml:lang="en"><seg>Nowhere.</seg></tuv><tuv xml:lang="de"><seg>Nirgends.</seg></tuv></tu>
<tu><prop type="file">a.txt</prop><tuv xml:lang="en"><seg>French.</seg></tuv><tuv xml:lang="fr"><seg>F.</seg></tuv></tu>
<tu><tuv xml:lang="en"><prop type="file">b.txt</prop><seg>T<!-- 2 -->wo.</seg></tuv><tuv xml:lang="de"/>
 <tuv xml:lang="de"><seg>Zwei.</seg></tuv></tu>
</body></tmx>
"""


def test_units_of_one_document_come_together_in_order(tmp_path: Path) -> None:
    values = settings("tmx", {"files": [put(tmp_path / "a.tmx", MEMORY)]})
    done = import_corpus(plan(values))
    found = {
        document.doc_id: list(zip(document.source.sentences, document.target.sentences))
        for document in done.documents["train"]
    }
    assert found == {"b.txt": [("See the house.", "Das Haus."), ("Two.", "Zwei.")], "a.txt": [("One.", "Eins.")]}
    assert [(drop.doc_id, drop.line, drop.reason, drop.text) for drop in done.drops["train"]] == [
        ("", 8, "unit without a document", "Nowhere."),
        ("a.txt", 9, "unit without both languages", "French."),
    ]


def test_a_note_may_name_the_document(tmp_path: Path) -> None:
    values = settings("tmx", {"files": [put(tmp_path / "a.tmx", MEMORY)]}, options={"document": "note"})
    assert [document.doc_id for document in import_corpus(plan(values)).documents["train"]] == ["n"]
