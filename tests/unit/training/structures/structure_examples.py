"""Random splits with the tables of their analysis, for the tests of structure files."""

import random
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd

from discourse_nmt.base.vocabulary import SPECIALS, Vocabulary
from discourse_nmt.corpus.address.forms import FORMS
from discourse_nmt.discourse.structures.rows import Row, tree_to_rows
from discourse_nmt.training.data.dataset import ParallelDataset
from discourse_nmt.training.data.dataset_tables import write_dataset
from tests.unit.discourse.structures.discourse_examples import random_tree

Tables = dict[str, pd.DataFrame]
TEXT = 24  # characters of each sentence


# Every sentence that is generated has the first word, some have the eleventh; translations have others, too.
ADDRESSING = Vocabulary((*SPECIALS, "you", *"abcdefghi", "du", "ihr", *map(str, range(12)), *FORMS["de"]["du"][1:]))


def generated(seed: int, documents: int = 4, sentences: int = 4) -> tuple[pd.DataFrame, Tables]:
    """Random sentences: words of 1 to 4 characters, units with borders also inside words, a tree, a forest."""
    generator, source = np.random.default_rng(seed), random.Random(seed)
    frames: dict[str, list[Row]] = {name: [] for name in ("subwords", "tokens", "edus", "rst", "rst_dependencies")}
    for number in range(documents):
        doc_id, edus = f"doc{number}", []
        for sent_id in range(generator.integers(1, sentences + 1)):
            spans = spans_of(generator, 0.4)
            edus += [(sent_id, start, end) for start, end in spans_of(generator, 0.15)]
            words = np.sort(np.append(np.arange(len(spans)), generator.integers(0, len(spans), 3))).astype(np.int32)
            for side in ("source", "target"):
                key = {"doc_id": doc_id, "sent_id": sent_id, "side": side}
                starts, ends = (np.array(column, np.int32) for column in zip(*spans))
                frames["tokens"].append({**key, "tokens": ["w"] * len(spans), "starts": starts, "ends": ends})
                frames["tokens"][-1]["gaps"] = [""] * (len(spans) + 1)
                frames["subwords"].append({**key, "ids": words + 6, "word_of_subword": words})
        order = generator.permutation(len(edus))
        heads = np.full(len(edus), -1)
        for place in range(1, len(edus)):
            heads[order[place]] = order[generator.integers(place)] if generator.random() < 0.9 else -1
        for edu_id, (sent_id, start, end) in enumerate(edus):
            edu = {"doc_id": doc_id, "edu_id": edu_id}
            frames["edus"].append({**edu, "sent_id": sent_id, "start": start, "end": end})
            frames["rst_dependencies"].append({**edu, "head": heads[edu_id], "relation": "x"})
        frames["rst"] += tree_to_rows(doc_id, random_tree(source, len(edus)))
    tables = {name: pd.DataFrame(rows) for name, rows in frames.items()}
    return tables.pop("subwords"), tables


def spans_of(generator: np.random.Generator, chance: float) -> list[tuple[int, int]]:
    """Neighbouring spans that fill a sentence."""
    borders = [0, *(np.flatnonzero(generator.random(TEXT - 1) < chance) + 1).tolist(), TEXT]
    return list(pairwise(borders))


def written(folder: Path, frame: pd.DataFrame) -> ParallelDataset:
    """The dataset of a subwords table."""
    write_dataset([frame], folder / "data.arrow")
    return ParallelDataset(folder / "data.arrow")


def units_of_subwords(frame: pd.DataFrame, tables: Tables, doc_id: str) -> list[list[int]]:
    """The unit of each source subword of each sentence of a document, by loops over characters."""
    units = []
    edus, words = (tables[name][tables[name].doc_id == doc_id] for name in ("edus", "tokens"))
    tokens = {row["sent_id"]: row for row in words.query("side == 'source'").to_dict("records")}
    for row in frame[(frame.doc_id == doc_id) & (frame.side == "source")].to_dict("records"):
        sentence, found = tokens[row["sent_id"]], []
        for word in row["word_of_subword"]:
            characters = set(range(sentence["starts"][word], sentence["ends"][word]))
            shared = {
                int(edu["edu_id"]): len(characters & set(range(edu["start"], edu["end"])))
                for edu in edus[edus.sent_id == row["sent_id"]].to_dict("records")
            }
            found.append(max(shared, key=lambda edu: (shared[edu], -edu)))
        units.append(found)
    return units


def sharded(tables: Tables, documents: Sequence[Sequence[str]] = (("doc1", "doc2"),)) -> list[Tables]:
    """The tables of each group of ``documents`` and, last, of all other documents."""
    groups: dict[str, int] = {name: number for number, group in enumerate(documents) for name in group}
    shards = {name: table["doc_id"].map(lambda doc_id: groups.get(doc_id, -1)) for name, table in tables.items()}
    return [
        {name: table[shards[name] == number] for name, table in tables.items()}
        for number in [*range(len(documents)), -1]
    ]
