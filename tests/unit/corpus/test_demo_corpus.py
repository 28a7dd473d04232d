"""The generated demo corpus at its default size: annotation, balance, and what can and cannot solve it."""

import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import sacrebleu

from discourse_nmt.base.errors import InputError
from discourse_nmt.corpus.groups import group_named
from discourse_nmt.demo.documents import DemoDocument
from discourse_nmt.demo.generation import PAIRS, Split, contrastive_table, generate, gold_tables, sentences, sizes
from discourse_nmt.demo.lexicon import load
from discourse_nmt.demo.oracles import accuracies
from discourse_nmt.discourse.structures.conversions import li14

PHENOMENA = {"pronoun", "noun", "formality", "ellipsis"}


@pytest.fixture(scope="module")
def corpus() -> dict[str, Split]:
    return generate(2000, seed=1)


@pytest.fixture(scope="module")
def gold(corpus: dict[str, Split]) -> dict[str, Any]:
    return gold_tables(corpus["test"])


def words(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())


def test_splits_have_their_sizes_and_share_no_text(corpus: dict[str, Split]) -> None:
    assert {split: len(documents) for split, documents in corpus.items()} == {"train": 1700, "dev": 100, "test": 200}
    texts = [document.text for documents in corpus.values() for document in documents.values()]
    assert len(texts) == len(set(texts))
    assert all(5 <= text.count("\n") + 1 <= 12 for text in texts)


def test_sentences_are_short_and_aligned_and_their_words_known(corpus: dict[str, Split]) -> None:
    known = {
        side: {word for text in sentences(corpus["train"])[side] for word in words(text)}
        for side in ("source", "target")
    }
    for side, vocabulary in known.items():
        assert 500 < len(vocabulary) < 1500
        for split in ("dev", "test"):
            for text in sentences(corpus[split])[side]:
                assert set(words(text)) <= vocabulary
                assert 3 <= len(text.split()) <= 30
                assert re.fullmatch(r"[A-ZÄÖÜ][^\t\n\"{}\[\]|^@~/=]*\.", text), text
                assert "  " not in text and " ," not in text and ",," not in text


def test_units_tile_the_words_of_every_sentence(corpus: dict[str, Split], gold: dict[str, Any]) -> None:
    for table in ("edus", "themes"):
        spans = gold[table].groupby(["doc_id", "sent_id"], sort=False)
        pieces = {key: [(row.start, row.end) for row in group.itertuples()] for key, group in spans}
        for doc_id, document in corpus["test"].items():
            for sent_id, sentence in enumerate(document.sentences):
                tiles = pieces[doc_id, sent_id]
                assert tiles[0][0] == 0 and tiles[-1][1] == len(sentence.source)
                assert all(left[1] + 1 == right[0] for left, right in pairwise(tiles))
                assert all(sentence.source[left[1]] == " " for left in tiles[:-1])


def test_units_are_numbered_and_trees_have_one_root(gold: dict[str, Any]) -> None:
    units = gold["edus"].groupby("doc_id").edu_id
    assert (units.max() + 1 == units.size()).all()
    roots = gold["rst_dependencies"][gold["rst_dependencies"]["head"] == -1]
    assert roots.doc_id.is_unique and set(roots.doc_id) == set(gold["edus"].doc_id)
    assert set(roots.relation) == {"ROOT"}
    top = gold["rst"][gold["rst"].parent == -1].set_index("doc_id")
    assert (top.last_edu == units.max()).all() and (top.node_id == 0).all()
    assert len(gold["rst"][gold["rst"].first_edu == gold["rst"].last_edu]) == len(gold["edus"])


def test_every_sentence_is_a_complete_subtree(corpus: dict[str, Split]) -> None:
    for document in corpus["dev"].values():
        spans = {(node.first_edu, node.last_edu) for node in document.tree.nodes}
        first = 0
        for sentence in document.sentences:
            assert (first, first + len(sentence.wording.units) - 1) in spans
            first += len(sentence.wording.units)


def test_mentions_lie_in_their_sentences_with_their_heads_inside(
    corpus: dict[str, Split], gold: dict[str, Any]
) -> None:
    table = gold["coreference"]
    assert (table.start <= table.head_start).all() and (table.head_end <= table.end).all()
    assert (table.head_start < table.head_end).all()
    for row in table.itertuples():
        source = corpus["test"][row.doc_id].sentences[row.sent_id].source
        assert row.end <= len(source)
        assert re.fullmatch(r"\w+", source[row.head_start : row.head_end])
    assert (table.groupby("doc_id").chain_id.agg(lambda chain: set(chain) == set(range(chain.max() + 1)))).all()


def test_items_are_balanced_over_phenomena(corpus: dict[str, Split]) -> None:
    items = contrastive_table(corpus["test"])
    assert items.item_id.is_unique and set(items.doc_id) <= set(corpus["test"])
    counts = items.phenomenon.value_counts()
    assert set(counts.index) == PHENOMENA and counts.min() > 50 and counts.max() < 1.25 * counts.min()
    assert items.distance.between(1, 4).all() and set(items.distance) == {1, 2, 3, 4}
    share = len(items) / len(sentences(corpus["test"]))
    assert 0.25 < share < 0.4


def test_mirror_images_exchange_right_and_wrong(corpus: dict[str, Split]) -> None:
    for documents in corpus.values():
        groups: dict[str | None, list[DemoDocument]] = {}
        for doc_id, document in documents.items():
            groups.setdefault(group_named(doc_id, PAIRS), []).append(document)
        assert None not in groups and list(documents) == sorted(documents)
        for one, other in groups.values():
            assert len(one.items) == len(other.items)
            for item, image in zip(one.items, other.items):
                sentence, reflected = one.sentences[item.sentence], other.sentences[image.sentence]
                assert sentence.source == reflected.source
                assert sentence.target == image.wrong and reflected.target == item.wrong
                assert item.wrong != sentence.target


def test_mirror_images_have_the_same_content_words(corpus: dict[str, Split]) -> None:
    clues = [words(choice.entity.english("the+").text) for pair in load().senses for choice in pair]
    ignored = {word for clue in clues for word in clue[2:-1]} | {"a", "an", "the"}
    ignored |= {choice.keys[1] for choice in load().activities}
    pairs = list(corpus["dev"].values())
    for one, other in zip(pairs[::2], pairs[1::2]):
        assert set(words(one.text)) - ignored == set(words(other.text)) - ignored


def test_ambiguous_words_occur_only_where_they_are_annotated(corpus: dict[str, Split]) -> None:
    for document in corpus["dev"].values():
        ambiguous = {item.sentence: item.phenomenon for item in document.items}
        for number, sentence in enumerate(document.sentences):
            found = set(words(sentence.source))
            assert not found & {"it", "its"} or ambiguous.get(number) == "pronoun"
            assert "did" not in found or ambiguous.get(number) == "ellipsis"
            if found & {"you", "your"} and ambiguous.get(number) != "formality":
                assert any(key.lower() in sentence.source.lower() for item in document.items for key in item.right_keys)


def test_only_the_deciding_sentence_is_adjacent_in_the_tree(corpus: dict[str, Split]) -> None:
    for document in corpus["dev"].values():
        heads = li14(document.tree).heads
        owners = [number for number, sentence in enumerate(document.sentences) for _ in sentence.wording.units]
        for item in document.items:
            first = owners.index(item.sentence)
            assert owners[heads[first]] == item.decided_by


def test_something_misleads_wherever_it_is_tested(corpus: dict[str, Split]) -> None:
    alone = {
        split: [item.wrong_role == "" for document in documents.values() for item in document.items]
        for split, documents in corpus.items()
    }
    assert not any(alone["dev"]) and not any(alone["test"])
    assert 0.35 < sum(alone["train"]) / len(alone["train"]) < 0.55


def test_what_solves_the_ambiguous_sentences(corpus: dict[str, Split]) -> None:
    table: Any = accuracies(corpus["train"], corpus["test"])
    assert table.loc["sentence"].between(45, 55).all()
    assert (table.loc[["dependency tree", "coreference"]] == 100).all(axis=None)
    assert (table.loc["theme"] > 55).all() and table.loc["theme", "all"] > 60
    for shallow in ("nearest", "first", "most frequent", "subject"):
        assert table.loc[shallow].between(38, 62).all(), shallow
        assert 45 < table.loc[shallow, "all"] < 55, shallow


def test_half_of_the_ambiguous_words_wrong_leaves_a_high_bleu(corpus: dict[str, Split]) -> None:
    hypotheses, references = [], []
    for place, document in enumerate(corpus["test"].values()):
        wrong = {item.sentence: item.wrong for item in document.items} if place % 2 else {}
        for number, sentence in enumerate(document.sentences):
            hypotheses.append(wrong.get(number, sentence.target))
            references.append(sentence.target)
    assert sacrebleu.corpus_bleu(hypotheses, [references]).score > 85


def test_the_seed_decides_everything() -> None:
    first, again, other = (generate(40, seed) for seed in (1, 1, 2))
    assert [document.text for document in first["train"].values()] == [
        document.text for document in again["train"].values()
    ]
    assert first["train"]["train-0001a"].text != other["train"]["train-0001a"].text


@pytest.mark.parametrize("documents", [0, 38, 101])
def test_impossible_sizes_are_refused(documents: int) -> None:
    with pytest.raises(InputError, match="mirrored pairs"):
        sizes(documents)


def test_the_command_writes_the_same_bytes_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from discourse_nmt.base.storage.tables import read_table
    from discourse_nmt.workflow_scripts.corpus.generate_demo import main

    for folder in ("one", "two"):
        monkeypatch.setattr(
            "sys.argv", ["generate_demo", "--documents", "60", "--seed", "3", "--output", str(tmp_path / folder)]
        )
        main()
    files = sorted(path.relative_to(tmp_path / "one") for path in (tmp_path / "one").rglob("[!.]*.*"))
    assert len(files) == 3 + 5 * 3 + 1
    for file in files:
        assert (tmp_path / "one" / file).read_bytes() == (tmp_path / "two" / file).read_bytes()
    header, *rows = (tmp_path / "one" / "train.tsv").read_text(encoding="utf-8").splitlines()
    assert header == "doc_id\tsource\ttarget" and all(row.count("\t") == 2 for row in rows)
    items = read_table(tmp_path / "one" / "contrastive" / "test.parquet", "contrastive")
    documents = {row.split("\t")[0] for row in (tmp_path / "one" / "test.tsv").read_text(encoding="utf-8").splitlines()}
    assert set(items.doc_id) <= documents
