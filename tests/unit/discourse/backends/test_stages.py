"""The analysis of a shard: what is reused, what is computed, what is refused."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.storage.store import DocumentStore
from discourse_nmt.base.storage.tables import TABLES, schema, write_table
from discourse_nmt.discourse.backends.backend import Context, DocumentInput
from discourse_nmt.discourse.backends.builtin.syntax import BuiltinSyntax
from discourse_nmt.discourse.backends.checks import check_rows
from discourse_nmt.discourse.backends.offsets import in_words, words_and_edus
from discourse_nmt.discourse.backends.registry import backend_for
from discourse_nmt.discourse.backends.shards import analyse_shard, documents_of, key_of
from discourse_nmt.discourse.backends.trees import dependency_rows
from discourse_nmt.discourse.structures.conversions import binarise, hirao13, li14
from discourse_nmt.discourse.structures.mentions import Chain, Mention, Span, check_edus
from discourse_nmt.discourse.structures.rows import Row, chains_to_rows, edus_to_rows, tree_to_rows
from discourse_nmt.discourse.structures.trees import StructureError
from tests.unit.discourse.structures.discourse_examples import random_tree

ENGLISH = Context("corpus", "train", "source", "en")


def sentences(documents: Mapping[str, Sequence[str]]) -> pd.DataFrame:
    rows = [
        (doc_id, number, text, text.upper()) for doc_id, texts in documents.items() for number, text in enumerate(texts)
    ]
    return pd.DataFrame(rows, columns=list(TABLES["sentences"])[:4])


class WholeSentences:
    """A backend for tests: one EDU per sentence, and a record of what it was asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.calls = 0

    def analyse(self, documents: Sequence[DocumentInput]) -> list[list[Row]]:
        self.calls += 1
        self.asked += [document.doc_id for document in documents]
        return [
            edus_to_rows(
                document.doc_id,
                [Span(number, 0, len(text)) for number, text in enumerate(document.sentences) if text.strip()],
            )
            for document in documents
        ]


TEXTS = {f"d{number}": [f"Sentence {number}.", "Another one."] for number in range(10)}


def analysed(
    backend: Any,
    texts: Mapping[str, Sequence[str]],
    store: DocumentStore | None,
    version: str = "1",
    window: int | None = 60,
) -> pd.DataFrame:
    documents = documents_of(sentences(texts), "source", {})
    return analyse_shard("edus", documents, len(texts), backend, store, version, window)


class FailsOn(WholeSentences):
    """Fails on any group that holds one of some documents."""

    def __init__(self, *failing: str) -> None:
        super().__init__()
        self.failing = failing

    def analyse(self, documents: Sequence[DocumentInput]) -> list[list[Row]]:
        if wrong := [document.doc_id for document in documents if document.doc_id in self.failing]:
            raise IndexError(f"list index\nof {wrong[0]}")
        return super().analyse(documents)


@pytest.mark.parametrize("window", [60, None])
def test_documents_that_fail_are_named_and_the_others_are_stored(tmp_path: Path, window: int | None) -> None:
    with DocumentStore(tmp_path / "store") as store:
        with pytest.raises(InputError) as fault:
            analysed(FailsOn("d3", "d7"), TEXTS, store, window=window)
        assert str(fault.value) == (
            "edus fails on 2 of 10 documents: d3 (IndexError: list index of d3); d7 (IndexError: list index of d7); "
            "report it; until then leave these documents out, or choose another backend"
        )
        again = WholeSentences()
        analysed(again, TEXTS, store, window=window)
        assert again.asked == ["d3", "d7"]


@pytest.mark.parametrize("error", [InputError("no program"), OSError("disk"), MemoryError()])
def test_an_error_that_concerns_all_documents_is_raised(error: Exception) -> None:
    class Broken(WholeSentences):
        def analyse(self, documents: Sequence[DocumentInput]) -> list[list[Row]]:
            super().analyse(documents)
            raise error

    backend = Broken()
    with pytest.raises(type(error)):
        analysed(backend, TEXTS, None, window=None)
    assert backend.calls == 1


def test_only_what_changed_is_computed(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO")
    first, second = WholeSentences(), WholeSentences()
    with DocumentStore(tmp_path / "store") as store:
        analysed(first, TEXTS, store)
    assert first.asked == list(TEXTS)
    assert "edus: reused 0, computed 10" in caplog.text
    changed = {**TEXTS, "d3": ["Something else."], "new": ["Hello."]}
    with DocumentStore(tmp_path / "store") as store:
        table = analysed(second, changed, store)
    assert second.asked == ["d3", "new"]
    assert "edus: reused 9, computed 2" in caplog.text
    pd.testing.assert_frame_equal(table, analysed(WholeSentences(), changed, None))


def test_another_version_is_computed_anew_and_the_old_one_forgotten(tmp_path: Path) -> None:
    backends = [WholeSentences() for _ in range(3)]
    for backend, version in zip(backends, ("1", "2", "1")):
        with DocumentStore(tmp_path / "store") as store:
            analysed(backend, TEXTS, store, version)
            store.prune()
    assert [len(backend.asked) for backend in backends] == [10, 10, 10]


def test_a_result_depends_on_text_and_earlier_tables_and_nothing_else() -> None:
    document = DocumentInput("d", ("A b.",), {"syntax": [{"forms": ["A", "b", "."]}]})
    same = DocumentInput("d", ("A b.",), {"syntax": [{"forms": ["A", "b", "."]}]})
    assert key_of(document, "1") == key_of(same, "1")
    others = [
        key_of(document, "2"),
        key_of(DocumentInput("d", ("A c.",), document.tables), "1"),
        key_of(DocumentInput("e", document.sentences, document.tables), "1"),
        key_of(replace(document, speakers=("Ann",)), "1"),
        key_of(DocumentInput("d", document.sentences, {"syntax": [{"forms": ["A", "b."]}]}), "1"),
    ]
    assert len({key_of(document, "1"), *others}) == 6


class Failing(WholeSentences):
    """Works for some calls and then fails, as if killed."""

    def analyse(self, documents: Sequence[DocumentInput]) -> list[list[Row]]:
        if self.calls == 3:
            raise KeyboardInterrupt
        return super().analyse(documents)


def test_an_interrupted_job_continues(tmp_path: Path) -> None:
    failing, second = Failing(), WholeSentences()
    with pytest.raises(KeyboardInterrupt), DocumentStore(tmp_path / "store") as store:
        analysed(failing, TEXTS, store)
    assert 0 < len(failing.asked) < 10
    with DocumentStore(tmp_path / "store") as store:
        table = analysed(second, TEXTS, store)
    assert failing.asked + second.asked == list(TEXTS)
    pd.testing.assert_frame_equal(table, analysed(WholeSentences(), TEXTS, None))


@pytest.mark.parametrize(("window", "calls"), [(None, 1), (1, 10), (10_000, 1)])
def test_windows(window: int | None, calls: int) -> None:
    backend = WholeSentences()
    analysed(backend, TEXTS, None, window=window)
    assert backend.calls == calls


@pytest.mark.parametrize("stage", ["syntax", "edus", "rst", "coreference", "themes"])
def test_an_empty_shard_gives_an_empty_table(stage: Any, tmp_path: Path) -> None:
    table = analyse_shard(stage, [], 0, WholeSentences(), None, "1")
    write_table(table, tmp_path / "table", stage)
    assert list(table) == schema(stage).names
    assert len(table) == 0


class NoChains:
    """A resolver that finds nothing but in some documents."""

    def __init__(self, *found: str) -> None:
        self.found = found

    def analyse(self, documents: Sequence[DocumentInput]) -> list[list[Row]]:
        mention = Mention(Span(0, 0, 8), Span(0, 0, 8))
        chain = Chain((mention, Mention(Span(1, 0, 7), Span(1, 0, 7))))
        return [
            chains_to_rows(document.doc_id, [chain] if document.doc_id in self.found else []) for document in documents
        ]


@pytest.mark.parametrize(("found", "warnings"), [((), 1), (("d3",), 0)])
def test_a_shard_in_which_nothing_is_found_is_a_warning(
    found: tuple[str, ...], warnings: int, caplog: pytest.LogCaptureFixture, tmp_path: Path
) -> None:
    documents = documents_of(sentences(TEXTS), "source", {})
    with DocumentStore(tmp_path / "store") as store:
        analyse_shard("coreference", documents, len(TEXTS), NoChains(*found), store, "1")
        told = "coreference: the backend finds nothing in any of the 10 documents of a shard"
        assert caplog.messages.count(told) == warnings
        # Results from the store are no less empty.
        documents = documents_of(sentences(TEXTS), "source", {})
        analyse_shard("coreference", documents, len(TEXTS), NoChains("d1"), store, "1")
        assert caplog.messages.count(told) == 2 * warnings
    caplog.clear()
    analyse_shard("coreference", [], 0, NoChains(), None, "1")
    assert "finds nothing" not in caplog.text


def test_broken_results_are_told_with_their_document(tmp_path: Path) -> None:
    class Short(WholeSentences):
        def analyse(self, documents: Sequence[DocumentInput]) -> list[list[Row]]:
            return [rows[:-1] for rows in super().analyse(documents)]

    with DocumentStore(tmp_path / "store") as store:
        with pytest.raises(InputError, match=r"document d0: table edus: .*tile sentence 1: 'Another one.' is in none"):
            analysed(Short(), TEXTS, store)
        analysed(backend := WholeSentences(), TEXTS, store)
    assert len(backend.asked) == 10  # what was refused was not kept


def test_earlier_tables_must_be_about_these_documents() -> None:
    texts = {"a": ["One two."], "b": ["Three."]}
    edus = pd.DataFrame(
        [*edus_to_rows("a", [Span(0, 0, 8)]), *edus_to_rows("b", [Span(0, 0, 6)])], columns=list(TABLES["edus"])
    )
    assert [len(one.tables["edus"]) for one in documents_of(sentences(texts), "source", {"edus": edus})] == [1, 1]
    with pytest.raises(InputError, match="table edus: document b is not in the corpus"):
        list(documents_of(sentences({"a": texts["a"]}), "source", {"edus": edus}))
    with pytest.raises(InputError, match=r"document a: table edus: the EDUs do not tile sentence 0: 'two.' is in none"):
        list(documents_of(sentences(texts), "source", {"edus": edus.assign(end=[3, 6])}))
    mixed = pd.concat([edus, edus.iloc[:1].assign(edu_id=1)])
    with pytest.raises(InputError, match="the rows of a document are not together"):
        list(documents_of(sentences(texts), "source", {"edus": mixed}))


def test_the_target_side_is_read_where_asked() -> None:
    [document] = documents_of(sentences({"a": ["one"]}), "target", {})
    assert document.sentences == ("ONE",)


def syntax_row(text: str, **changes: Any) -> Row:
    words = text.split()
    starts = [text.index(word) for word in words]
    row = {
        "doc_id": "d",
        "sent_id": 0,
        "side": "source",
        "forms": words,
        "heads": [number - 1 for number in range(len(words))],
        "starts": starts,
        "ends": [start + len(word) for start, word in zip(starts, words)],
    }
    tags = {column: ["_"] * len(words) for column in ("lemmas", "upos", "xpos", "feats", "deprels")}
    return {**row, **tags, **changes}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"sent_id": 1}, "its rows are not the document's 1 sentences in order"),
        ({"lemmas": ["_"]}, "sentence 0 has 3 words but 1 lemmas"),
        ({"starts": [0, 2, 4]}, "word 1 of sentence 0, 'bc', is not at characters 2-6"),
        ({"heads": [1, 0, 0]}, "sentence 0: no word is a root"),
        ({"heads": [-1, 2, 1]}, "sentence 0: word 1 is its own ancestor"),
        ({"doc_id": "e"}, "a row belongs to another document"),
    ],
)
def test_faults_of_syntax(changes: dict[str, Any], message: str) -> None:
    document = DocumentInput("d", ("a   bc def",), {})
    check_rows("syntax", document, [syntax_row("a   bc def")])
    with pytest.raises(InputError, match=f"^document d: table syntax: {message}$"):
        check_rows("syntax", document, [syntax_row("a   bc def", **changes)])


TREE = tree_to_rows("d", random_tree(random.Random(1), 3))


@pytest.mark.parametrize(
    ("stage", "rows", "message"),
    [
        ("edus", edus_to_rows("d", [Span(0, 0, 9), Span(0, 5, 12)]), "EDU 1 .from 0. begins before EDU 0 ends"),
        ("edus", edus_to_rows("d", [Span(1, 0, 3)]), "EDU 0 .from 0. is in sentence 1 of 1"),
        ("edus", edus_to_rows("d", [Span(0, 0, 13)]), "EDU 0 .* the characters 0 to 13 of the 12 of sentence 0"),
        ("rst", TREE, "the tree has 3 EDUs, the table edus 1"),
        ("rst", [], "0 nodes have no parent: a tree has one root"),
        (
            "coreference",
            [{"doc_id": "d", "chain_id": 0, "sent_id": 0, "start": 0, "end": 13, "head_start": 0, "head_end": 1}],
            "a mention has the characters 0 to 13 of the 12 of sentence 0",
        ),
        ("themes", [{"doc_id": "d", "sent_id": 0, "start": 0, "end": 1, "label": "theme"}], "'theme' is none of the"),
        (
            "themes",
            [{"doc_id": "d", "sent_id": 0, "start": 0, "end": end, "label": "rheme"} for end in (2, 3)],
            "the spans of sentence 0 overlap",
        ),
    ],
)
def test_faults_of_structures(stage: Any, rows: list[Row], message: str) -> None:
    document = DocumentInput("d", ("One two one.",), {"edus": edus_to_rows("d", [Span(0, 0, 12)])})
    with pytest.raises(InputError, match=f"^document d: table {stage}: .*{message}"):
        check_rows(stage, document, rows)


def test_a_sentence_without_words_has_no_edu() -> None:
    document = DocumentInput("d", ("One.", " \x00", "Two."), {})
    check_rows("edus", document, edus_to_rows("d", [Span(0, 0, 4), Span(2, 0, 4)]))


def test_a_word_belongs_to_the_edu_in_which_it_begins() -> None:
    offsets = [[(0, 2), (2, 5), (6, 9)], [], [(0, 4)]]
    edus = [Span(0, 0, 3), Span(0, 3, 9), Span(2, 0, 4)]
    assert in_words(edus, offsets) == (Span(0, 0, 2), Span(0, 2, 3), Span(2, 0, 1))
    with pytest.raises(StructureError, match="no word of the syntax begins in EDU 1"):
        in_words([Span(0, 0, 3), Span(0, 3, 5), Span(0, 6, 9), Span(2, 0, 4)], offsets)
    document = DocumentInput("d", ("ab",), {"syntax": [syntax_row("ab")], "edus": edus_to_rows("d", [Span(0, 1, 2)])})
    assert words_and_edus(document)[1] == (Span(0, 0, 1),)


@given(st.lists(st.lists(st.integers(1, 4), min_size=1, max_size=4), min_size=1, max_size=4))
def test_edus_of_whole_words_tile_the_words(sizes: list[list[int]]) -> None:
    offsets, edus = [], []
    for sentence, lengths in enumerate(sizes):
        words = [(number * 3, number * 3 + 2) for number in range(sum(lengths))]
        offsets.append(words)
        first = 0
        for length in lengths:
            edus.append(Span(sentence, words[first][0], words[first + length - 1][1]))
            first += length
    found = in_words(edus, offsets)
    check_edus(found, [len(words) for words in offsets])
    assert [edu.end - edu.start for edu in found] == [length for lengths in sizes for length in lengths]


@given(st.integers(1, 12), st.integers(0, 1000))
def test_dependencies_of_trees(size: int, seed: int) -> None:
    tree = random_tree(random.Random(seed), size)
    rows = tree_to_rows("d", tree)
    for name, convert in (("li14", li14), ("hirao13", hirao13)):
        given_heads = [(row["head"], row["relation"]) for row in dependency_rows("d", rows, name, binary=False)]
        assert given_heads == list(zip(convert(tree).heads, convert(tree).relations))
    merged = dependency_rows("d", rows, "li14", binary=True)
    assert merged == dependency_rows("d", tree_to_rows("d", binarise(tree)), "li14", binary=True)


def test_rows_that_are_no_tree_are_told_with_their_document() -> None:
    with pytest.raises(InputError, match="document d: table rst: 2 nodes have no parent"):
        dependency_rows("d", [{**TREE[0]}, {**TREE[0], "node_id": 1}], "li14", binary=True)


@pytest.mark.parametrize(("language", "text"), [("fr", "L'été, c'est  fini."), ("zh", "我们明天去学校。")])
def test_a_language_without_models_gets_words_and_is_told_once(
    language: str, text: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    backend = BuiltinSyntax(tmp_path, Context("corpus", "train", "source", language))
    documents = [DocumentInput("a", (text, " "), {}), DocumentInput("b", (), {}), DocumentInput("c", (text,), {})]
    found = [row for document in documents for row in backend.analyse([document])]
    assert [len(rows) for rows in found] == [2, 0, 1]
    for document, rows in zip(documents, found):
        check_rows("syntax", document, rows)
    row = found[0][0]
    assert len(row["forms"]) > 2
    assert set(row["heads"]) == {-1}
    assert {*row["upos"], *row["xpos"], *row["feats"], *row["deprels"]} == {"_"}
    assert found[0][1]["forms"] == []
    assert caplog.text.count(f"no builtin syntax for the language {language}: words only") == 1


def test_builtin_words_and_edus_of_english() -> None:
    texts = {"a": ["Although it rained, the children didn't go home.", "   "], "b": ["Fine!"]}
    section = {"backend": "builtin"}
    frame = sentences(texts)
    words = analyse_shard(
        "syntax", documents_of(frame, "source", {}), 2, backend_for("syntax", section, ENGLISH), None, "1"
    )
    assert list(words.iloc[0].forms[-5:]) == ["did", "n't", "go", "home", "."]
    documents = list(documents_of(frame, "source", {"syntax": words}))
    units = analyse_shard("edus", documents, 2, backend_for("edus", section, ENGLISH), None, "1")
    assert [(row.doc_id, row.sent_id, row.start) for row in units.itertuples()] == [
        ("a", 0, 0),
        ("a", 0, 20),
        ("b", 0, 0),
    ]
    assert units.iloc[0].end == 19


def test_the_resolver_reads_the_speakers_of_a_corpus() -> None:
    texts = {"a": ["I saw you yesterday.", "You saw me?"], "b": ["I saw you yesterday.", "You saw me?"]}
    frame = sentences(texts)
    frame["speaker"] = pd.Series(["Ann", "Ben", None, None], dtype=object)
    section = {"backend": "builtin"}
    words = analyse_shard(
        "syntax", documents_of(frame, "source", {}), 2, backend_for("syntax", section, ENGLISH), None, "1"
    )
    documents = list(documents_of(frame, "source", {"syntax": words}))
    assert [document.speakers for document in documents] == [("Ann", "Ben"), ()]
    resolver = backend_for("coreference", section, ENGLISH)
    rows = analyse_shard("coreference", documents, 2, resolver, None, "1")
    found = {name: list(zip(one.chain_id, one.sent_id, one.start)) for name, one in rows.groupby("doc_id")}
    assert found["a"] == [(0, 0, 6), (0, 1, 8)], "Ann says you, and Ben says me"
    assert found["b"] == [(0, 0, 0), (0, 1, 8), (1, 0, 6), (1, 1, 0)]
