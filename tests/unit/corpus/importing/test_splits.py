"""Splits, shards and filters."""

import random
from pathlib import Path
from typing import Any

import pytest

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.shards import shard_of, shards
from discourse_nmt.corpus.documents import Document
from discourse_nmt.corpus.importing.filters import Filters, filtered, length
from discourse_nmt.corpus.importing.importing import drops_summary, import_corpus, statistics
from discourse_nmt.corpus.importing.plan import plan
from discourse_nmt.corpus.importing.repeats import repeats
from discourse_nmt.corpus.importing.splits import HoldOutUnits, hold_out, some_of
from tests.unit.corpus.importing.corpus_samples import WRITERS


def documents(names: range | list[str]) -> list[Document]:
    made = []
    for name in names:
        document = Document.start(str(name), "a", "b")
        document.add("one", "eins", 1)
        made.append(document)
    return made


def ids(found: list[Document]) -> list[str]:
    return [document.doc_id for document in found]


def test_held_out_splits_are_disjoint_complete_and_in_order() -> None:
    every = documents(range(1000))
    splits = hold_out(every, {"dev": 0.1, "test": 0.2, "extra": 7, "more": 3})
    assert sorted(splits) == ["dev", "extra", "more", "test", "train"]
    assert sorted(doc_id for found in splits.values() for doc_id in ids(found)) == sorted(ids(every))
    for found in splits.values():
        assert ids(found) == sorted(ids(found), key=int)
    assert (len(splits["extra"]), len(splits["more"])) == (7, 3)
    assert 70 < len(splits["dev"]) < 130 and 160 < len(splits["test"]) < 240


def test_shares_do_not_move_documents_when_others_come_or_go() -> None:
    sizes = {"dev": 0.1, "test": 0.15}
    before = {doc_id: name for name, found in hold_out(documents(range(300)), sizes).items() for doc_id in ids(found)}
    after = {doc_id: name for name, found in hold_out(documents(range(900)), sizes).items() for doc_id in ids(found)}
    assert all(after[doc_id] == name for doc_id, name in before.items())


def test_the_choice_is_that_of_every_version() -> None:
    """Published scores are of these documents: another hash would silently hold out others."""
    found = hold_out(documents(range(30)), {"dev": 0.1, "test": 4})
    assert ids(found["dev"]) == ["20", "28", "29"] and ids(found["test"]) == ["3", "5", "7", "25"]
    assert ids(some_of(documents(range(30)), 4)) == ["18", "20", "27", "28"]
    units = HoldOutUnits("", [("0", "7"), ("0", "9")])  # 7 has the smallest hash of the three
    assert ids(hold_out(documents(range(30)), {"test": 7}, units)["test"]) == ["0", "5", "7", "9", "20", "28", "29"]


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("size", [2, 5, 40])
def test_linked_documents_are_held_out_with_the_share_that_is_asked(seed: int, size: int) -> None:
    """Half of the documents lie in clusters; today's bias would be 1 - 0.9 ** size for them."""
    dice = random.Random(seed)
    clusters = [[f"{seed}-{number}-{dice.random()}" for _ in range(size)] for number in range(2000)]
    singles = [f"s{dice.random()}" for _ in range(2000 * size)]
    links = [pair for cluster in clusters for pair in zip(cluster, dice.sample(cluster, len(cluster)))]
    links += [(cluster[0], other) for cluster in clusters for other in cluster[1:]]
    every = documents([*singles, *(doc_id for cluster in clusters for doc_id in cluster)])
    found = hold_out(every, {"dev": 0.2, "test": 0.1}, HoldOutUnits("", links))
    test = set(ids(found["test"]))
    assert len(test) / len(every) == pytest.approx(0.1, abs=0.015)
    assert len(found["dev"]) / len(every) == pytest.approx(0.2, abs=0.02)
    assert sum(cluster[0] in test for cluster in clusters) / 2000 == pytest.approx(0.1, abs=0.02)
    assert all(len(test.intersection(cluster)) in (0, size) for cluster in clusters)


def test_a_number_that_no_cluster_fits_is_told() -> None:
    links = [("0", "1"), ("1", "2")]
    with pytest.raises(InputError, match="too, or raise near_duplicates: documents that it links stay together"):
        hold_out(documents(range(3)), {"test": 1}, HoldOutUnits("", links))


def test_links_move_no_single_document() -> None:
    sizes = {"dev": 0.1, "test": 0.2}
    alone = hold_out(documents(range(400)), sizes)
    linked = hold_out(documents(range(400)), sizes, HoldOutUnits("", [("0", "7"), ("7", "9")]))
    for name, found in alone.items():
        assert set(ids(found)) - {"0", "7", "9"} == set(ids(linked[name])) - {"0", "7", "9"}


def test_the_share_that_is_reached_is_told(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    corpus = {str(number): [("a", "A")] * (1 + number % 3) for number in range(50)}
    values = WRITERS["tsv"](tmp_path, corpus) | {"held_out": {"dev": 0.2, "test": 5}}
    with caplog.at_level("INFO"):
        imported = import_corpus(plan(values))
    held = {name: imported.documents[name] for name in ("dev", "test")}
    total = sum(map(len, corpus.values()))
    for name, asked in (("dev", "a share of 0.2"), ("test", "5")):
        share, sentences = len(held[name]) / 50, held[name].sentences / total
        told = f"held_out.{name} asks for {asked}: {len(held[name])} of 50 documents ({share:.1%}), {sentences:.1%} of"
        assert any(message.startswith(told) for message in caplog.messages), caplog.messages


@pytest.mark.parametrize("more", [{}, {"near_duplicates": 0.5}])
def test_a_corpus_may_have_no_train(more: dict[str, Any], tmp_path: Path) -> None:
    values = WRITERS["tsv"](tmp_path, {"1": [("a", "A")], "2": [("b", "B")]}) | more
    values["splits"] = {"test": values["splits"]["train"]}
    imported = import_corpus(plan(values))
    repeated = repeats(imported.documents)
    assert {name: len(found) for name, found in imported.documents.items()} == {"test": 2}
    assert statistics(imported.documents, plan(values).corpus, repeated)["sources_in_train"].tolist() == [0]


def test_splits_depend_neither_on_the_order_of_documents_nor_of_settings() -> None:
    every = documents(range(200))
    first = hold_out(every, {"dev": 0.1, "test": 5, "zest": 0.2})
    shuffled = random.Random(3).sample(every, len(every))
    second = hold_out(shuffled, {"zest": 0.2, "test": 5, "dev": 0.1})
    assert {name: set(ids(found)) for name, found in first.items()} == {
        name: set(ids(found)) for name, found in second.items()
    }


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        ({"dev": 3}, "no document of 3 is left for the split train"),
        ({"dev": 2, "test": 2}, "held_out.test asks for 2 documents and has 1 document to choose from; make held_out"),
        ({"dev": 3, "test": 1}, "held_out.test asks for 1 document and has 0 documents to choose from; make held_out"),
        ({"dev": 0.000001}, "no document of 3 is left for the split dev"),
    ],
)
def test_a_split_without_documents_is_refused(sizes: dict[str, int | float], message: str) -> None:
    with pytest.raises(InputError, match=message):
        hold_out(documents(range(3)), sizes)


def test_shards_are_stable_complete_and_even() -> None:
    dealt = shards(documents(range(2000)), 8)
    assert len(dealt) == 8 and sum(map(len, dealt)) == 2000
    assert all(200 < len(part) < 300 for part in dealt)
    assert all(shard_of(document.doc_id, 8) == shard for shard, part in enumerate(dealt) for document in part)
    assert [len(part) for part in shards(documents(["x"]), 3)].count(0) == 2


def test_shards_cut_a_held_out_split_evenly_too() -> None:
    dev = hold_out(documents(range(4000)), {"dev": 0.1})["dev"]
    assert all(60 < len(part) < 140 for part in shards(dev, 4))


def test_length_counts_words_or_characters() -> None:
    assert length("  two\u00a0words ", "en") == 2
    assert length("起 初 ， 神", "zh") == length("起初，神", "zh-CN") == 4
    assert length("はじめ", "ja_JP") == 3


def with_gaps() -> Document:
    document = Document.start("d", "a", "b")
    for line, (source, target) in enumerate(
        [("a b", "A"), ("a b c d", "A B C D"), ("a", "A B C"), ("z", "Z")], start=5
    ):
        document.add(source, target, line)
    return document


def test_each_pair_is_dropped_for_its_first_reason() -> None:
    parts, drops = filtered(with_gaps(), Filters(max_tokens=3, max_ratio=2, gaps="close"), ("en", "de"))
    assert [(drop.line, drop.reason, drop.text, drop.between) for drop in drops] == [
        (6, "max_tokens", "a b c d", True),
        (7, "max_ratio", "a", True),
    ]
    assert [(part.doc_id, part.source.sentences, part.target.lines) for part in parts] == [("d", ["a b", "z"], [5, 8])]


def test_a_document_is_cut_where_filters_leave_a_gap() -> None:
    """No sentences become neighbours that were none: by default a gap ends a document, and the next one begins."""
    parts, _ = filtered(with_gaps(), Filters(max_tokens=3, max_ratio=2), ("en", "de"))
    assert [(part.doc_id, part.source.sentences) for part in parts] == [("d", ["a b"]), ("d+3", ["z"])]
    assert [part.source.lines for part in parts] == [[5], [8]]
    # A pair at an edge leaves no gap, and the whole document counts for min_sentences.
    whole, _ = filtered(with_gaps(), Filters(max_tokens=3, max_ratio=None, min_sentences=3), ("en", "de"))
    assert [part.source.sentences for part in whole] == [["a b"], ["a", "z"]]
    (edge,), drops = filtered(parts[0].part("e", [0]), Filters(max_tokens=3), ("en", "de"))
    assert (edge.doc_id, drops) == ("e", [])
    assert filtered(with_gaps(), Filters(max_tokens=3, min_sentences=4), ("en", "de"))[0] == []


def test_limits_are_inclusive_and_none_switches_off() -> None:
    document = Document.start("d", "a", "b")
    document.add("a b c", "A", 1)
    assert filtered(document, Filters(max_tokens=3, max_ratio=3), ("en", "de")) == ([document], [])
    assert filtered(document, Filters(max_tokens=None, max_ratio=None), ("en", "de")) == ([document], [])
    assert filtered(document, Filters(max_ratio=2.9), ("en", "de"))[1][0].reason == "max_ratio"


def test_filters_count_every_drop_and_touch_only_their_splits(tmp_path: Path) -> None:
    corpus = {
        "1": [("a b c d", "A"), ("x", "X"), ("y", "Y")],
        "2": [("b", "B")],
        "3": [("c", "C"), ("d", "D")],
    }
    values: dict[str, Any] = WRITERS["tsv"](tmp_path / "a", corpus)
    values["splits"]["test"] = WRITERS["tsv"](tmp_path / "b", {"9": [("a b c d", "A")]})["splits"]["train"]
    values["filters"] = {"max_tokens": 3, "min_sentences": 2}
    imported = import_corpus(plan(values))
    assert ids(list(imported.documents["train"])) == ["1", "3"] and len(imported.documents["test"]) == 1
    before = sum(map(len, corpus.values()))
    lost = sum(drop.sentences for drop in imported.drops["train"])
    assert sum(map(len, imported.documents["train"])) == before - lost
    assert drops_summary(imported.drops).values.tolist() == [
        ["train", "max_tokens", 1, 1, "a b c d"],
        ["train", "min_sentences", 1, 1, "b"],
    ]
