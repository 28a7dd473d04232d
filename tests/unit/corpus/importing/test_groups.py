"""Splits by groups of documents, and near-duplicates on one side of a split."""

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from discourse_nmt.base.errors import InputError
from discourse_nmt.corpus.groups import group_named
from discourse_nmt.corpus.importing.importing import import_corpus
from discourse_nmt.corpus.importing.near_duplicates import near_duplicates, sentence_hashes
from discourse_nmt.corpus.importing.plan import plan
from discourse_nmt.corpus.importing.splits import HoldOutUnits, hold_out
from tests.unit.corpus.importing.corpus_samples import WRITERS, Corpus
from tests.unit.corpus.importing.test_splits import documents, ids

MODULES = [f"{module}/{page}" for module in ("base", "calc", "draw", "writer") for page in range(10)]


def corpus_of(names: list[str]) -> Corpus:
    return {name: [(f"{name} {number}", f"de {name} {number}") for number in range(4)] for name in names}


def split(folder: Path, corpus: Corpus, **more: Any) -> dict[str, list[str]]:
    imported = import_corpus(plan(WRITERS["tsv"](folder, corpus) | more))
    return {name: [document.doc_id for document in found] for name, found in imported.documents.items()}


def jaccard(one: set[Any], other: set[Any]) -> float:
    return len(one & other) / len(one | other) if one | other else 0


@pytest.mark.parametrize("threshold", [0.1, 0.3, 0.5, 0.8, 1.0])
def test_links_join_exactly_the_documents_that_reach_the_threshold(threshold: float) -> None:
    draw = random.Random(int(threshold * 10))
    texts = [{draw.choice("abcdefghij") * 3 for _ in range(draw.randrange(7))} for _ in range(60)]
    alike = near_duplicates({str(number): sentence_hashes(text) for number, text in enumerate(texts)}, threshold)
    # Of equal documents, the first stands for all; those without sentences have no equals.
    first = [texts.index(text) if text else number for number, text in enumerate(texts)]
    assert alike.representative == {str(number): str(equal) for number, equal in enumerate(first)}
    distinct = [number for number in range(60) if texts[number] and first[number] == number]
    assert set(alike.pairs) == {
        (str(earlier), str(later))
        for earlier in distinct
        for later in distinct
        if earlier < later and jaccard(texts[earlier], texts[later]) >= threshold
    }


def test_case_digits_and_marks_do_not_count() -> None:
    assert np.array_equal(sentence_hashes(["Step 1: Save!", "42"]), sentence_hashes(["step 2 save", "step: SAVE"]))
    assert len(sentence_hashes(["1.", "…"])) == 0


def test_groups_are_held_out_whole_and_by_number() -> None:
    found = hold_out(documents(MODULES), {"dev": 1, "test": 2}, HoldOutUnits("[^/]+"))
    assert {name: len(part) for name, part in found.items()} == {"dev": 10, "test": 20, "train": 10}
    assert all(len({doc_id.split("/")[0] for doc_id in ids(part)}) == len(part) / 10 for part in found.values())


def test_linked_documents_are_held_out_together_and_counts_stay_exact() -> None:
    names = [str(number) for number in range(40)]
    links = [(str(number), str(number + 20)) for number in range(15)]
    for size in (5, 6, 0.3):
        found = hold_out(documents(names), {"dev": size, "test": 7}, HoldOutUnits("", links))
        assert len(found["test"]) == 7 and (size < 1 or len(found["dev"]) == size)
        split_of = {doc_id: name for name, part in found.items() for doc_id in ids(part)}
        assert len(split_of) == 40 and all(split_of[one] == split_of[other] for one, other in links)


def test_links_move_no_document_without_a_link() -> None:
    plain = hold_out(documents(range(200)), {"dev": 0.2})
    linked = hold_out(documents(range(200)), {"dev": 0.2}, HoldOutUnits("", [("3", "4"), ("4", "5")]))
    for name in plain:
        assert set(ids(plain[name])) - {"3", "4", "5"} == set(ids(linked[name])) - {"3", "4", "5"}


def test_a_group_is_named_by_the_beginning_of_an_id() -> None:
    assert group_named("swriter/text", "s[a-z]+") == "swriter"
    assert group_named("text/swriter", "s[a-z]+") is None


def test_named_groups_become_splits(tmp_path: Path) -> None:
    found = split(
        tmp_path, corpus_of(MODULES), groups="[^/]+", held_out={"dev": 5}, held_out_groups={"other": ["base", "draw"]}
    )
    assert {doc_id.split("/")[0] for doc_id in found["other"]} == {"base", "draw"} and len(found["other"]) == 20
    assert len(found["dev"]) == 5 and len(found["train"]) == 15
    assert {doc_id.split("/")[0] for doc_id in found["train"] + found["dev"]} == {"calc", "writer"}


def test_near_duplicates_of_named_groups_are_left_out_of_train_and_counted(tmp_path: Path) -> None:
    corpus = corpus_of(MODULES)
    corpus["base/1"] = [(letter * 3, letter) for letter in "abcd"]
    corpus["calc/0"] = [*corpus["base/1"][:3], ("own", "eigen")]
    values = WRITERS["tsv"](tmp_path, corpus) | {"groups": "[^/]+", "held_out_groups": {"other": ["base"]}}
    alike = import_corpus(plan(values | {"near_duplicates": 0.6}))
    assert [(drop.doc_id, drop.sentences) for drop in alike.drops["train"]] == [("calc/0", 4)]
    assert "calc/0" not in [document.doc_id for document in alike.documents["train"]]
    assert not import_corpus(plan(values)).drops["train"]


def test_near_duplicates_of_a_test_set_with_files_of_its_own_are_left_out(tmp_path: Path) -> None:
    letters = {name: [(f"{name}{letter}", letter) for letter in "abcd"] for name in ("x", "y", "z")}
    values = WRITERS["tsv"](tmp_path / "train", letters) | {"near_duplicates": 0.9}
    values["splits"]["test"] = WRITERS["tsv"](tmp_path / "test", {"t": letters["y"]})["splits"]["train"]
    imported = import_corpus(plan(values))
    assert [document.doc_id for document in imported.documents["train"]] == ["x", "z"]
    assert [drop.reason for drop in imported.drops["train"]] == ["near-duplicate of a document in another split"]


def test_every_copy_of_a_page_that_is_held_out_is_left_out_of_train(tmp_path: Path) -> None:
    """Two equal pages of train lead to the held-out one, as equals of it or as its near-duplicates."""
    page = [(letters, letters) for letters in ("xa", "xb", "xc", "xd", "xe")]
    for folder, held_out in (("equal", page), ("near", [*page[:4], ("other", "o")])):
        corpus = {"calc/0": page, "calc/1": page, "calc/2": [("own", "e")], "base/0": held_out}
        found = split(
            tmp_path / folder, corpus, groups="[^/]+", held_out_groups={"other": ["base"]}, near_duplicates=0.6
        )
        assert found["train"] == ["calc/2"]


def test_pages_that_are_alike_are_held_out_together(tmp_path: Path) -> None:
    """Of 13 pairs of pages, each with most of its sentences in common, none is divided between splits."""
    corpus = {
        f"p{number}": [(f"{chr(97 + number // 2)} {word}", "x") for word in "klm"] + [(f"own {chr(97 + number)}", "x")]
        for number in range(26)
    }
    found = split(tmp_path, corpus, held_out={"dev": 6, "test": 6}, near_duplicates=0.5)
    split_of = {doc_id: name for name, part in found.items() for doc_id in part}
    assert all(split_of[f"p{number}"] == split_of[f"p{number + 1}"] for number in range(0, 26, 2))


def test_three_equal_pages_are_held_out_together(tmp_path: Path) -> None:
    corpus = {f"p{number}": [(chr(97 + number // 3) * 3, "x")] for number in range(30)}
    found = split(tmp_path, corpus, held_out={"dev": 6, "test": 6}, near_duplicates=1.0)
    split_of = {doc_id: name for name, part in found.items() for doc_id in part}
    assert all(len({split_of[f"p{first + step}"] for step in range(3)}) == 1 for first in range(0, 30, 3))


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"groups": "(", "held_out": {"dev": 1}}, r"corpus\.groups: no regular expression"),
        ({"held_out_groups": {"dev": ["base"]}}, r"groups of documents are not named; set groups"),
        ({"groups": "[^/]+", "held_out_groups": {"dev": ["bas"]}}, r"no document of group bas; there are base, calc"),
        ({"groups": "[^/]+", "held_out_groups": {"dev": ["base"], "test": ["base"]}}, r"group base is in two splits"),
        ({"groups": "x", "held_out_by": "group", "held_out": {"dev": 1}}, r"document base/0 has no group x"),
        ({"groups": "[^/]+", "held_out_by": "group", "held_out": {"dev": 9}}, r"asks for 9 groups and has 4 groups"),
        ({"groups": "x", "held_out": {"dev": 1}, "held_out_groups": {"dev": ["x"]}}, r"has documents under held_out"),
    ],
)
def test_faulty_settings_of_groups_are_told(more: dict[str, Any], message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=message):
        split(tmp_path, corpus_of(MODULES), **more)


def test_a_number_of_documents_is_kept_of_a_split_after_others_are_held_out(tmp_path: Path) -> None:
    corpus = corpus_of(MODULES)
    held_out = {"dev": 5, "test": 6}
    whole = split(tmp_path, corpus, held_out=held_out)
    some = split(tmp_path, corpus, held_out=held_out, documents={"train": 7, "test": 4, "dev": 100})
    assert {name: len(found) for name, found in some.items()} == {"train": 7, "dev": 5, "test": 4}
    for name, found in some.items():  # in order, and a part of the same split
        assert [one for one in whole[name] if one in found] == found
    with pytest.raises(InputError, match="documents: there is no split tests; did you mean test"):
        plan(WRITERS["tsv"](tmp_path, corpus) | {"held_out": held_out, "documents": {"tests": 4}})


def test_the_documents_that_are_kept_depend_on_their_ids_alone(tmp_path: Path) -> None:
    first = split(tmp_path, corpus_of(MODULES), documents={"train": 9})["train"]
    other = split(tmp_path, corpus_of(MODULES[::-1]), documents={"train": 9})["train"]
    assert first == other[::-1]
