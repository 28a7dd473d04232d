"""Twenty documents of the demo, ten mirrored pairs, as a dataset with structure files of all kinds.

A mirrored pair has the same ambiguous sentences with other translations, so that a sentence model, which learns them by
heart too, is right in half of the contrastive items. Every word is a subword.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from discourse_nmt.base.vocabulary import SPECIALS, Vocabulary
from discourse_nmt.demo.generation import Split, contrastive_table, generate, gold_tables, sentences
from discourse_nmt.discourse.backends.backend import Context, DocumentInput
from discourse_nmt.discourse.backends.registry import backend_for
from discourse_nmt.discourse.backends.shards import analyse_shard
from discourse_nmt.discourse.graph.building import document_graphs
from discourse_nmt.discourse.settings import GraphSettings
from discourse_nmt.discourse.structures.trees import ROOT_RELATION
from discourse_nmt.text.settings import SideSettings
from discourse_nmt.text.tokenisers import Tokeniser, tokeniser
from discourse_nmt.training.builders.options import Builder, BuilderOptions
from discourse_nmt.training.data.dataset import ParallelDataset
from discourse_nmt.training.data.dataset_tables import write_dataset
from discourse_nmt.training.kinds import STRUCTURES, loaded
from discourse_nmt.training.labellers.taggers import TaggerSentence

GENERATED = 200  # documents, of which a tenth is the test split, where a sentence of each passage misleads
KINDS = ("dependencies", "positions", "paragraph_dependencies", "cache_words", "graph")
THEMES = ("rheme", "theme-topical", "theme-textual", "theme-interpersonal")
TOPICAL = THEMES.index("theme-topical")


@dataclass(frozen=True)
class LearntDocuments:
    """The files of the documents, and what is known about them."""

    dataset: Path
    structures: dict[str, Path]
    vocabulary: Vocabulary
    rows: list[int]
    """The sentence of each contrastive item, a row of the dataset."""
    wrong: list[list[int]]
    """The wrong translation of each item."""
    themes: list[TaggerSentence]
    """The source sentences with the theme label of each word."""
    relations: list[str]
    """The classes of relations between discourse units."""


def learnt_documents(folder: Path) -> LearntDocuments:
    """Generate the documents and write their files into ``folder``."""
    split = generate(GENERATED, seed=1)["test"]
    tokenisers = {"source": tokeniser(SideSettings("en")), "target": tokeniser(SideSettings("de"))}
    tokens = _tokens(split, tokenisers)
    vocabulary = Vocabulary((*SPECIALS, *sorted({word for words in tokens["tokens"] for word in words})))
    id_of_word = {word: number for number, word in enumerate(vocabulary.symbols)}
    subwords = tokens[["doc_id", "sent_id", "side"]].copy()
    subwords["ids"] = tokens["tokens"].map(lambda words: [id_of_word[word] for word in words])
    subwords["word_of_subword"] = tokens["tokens"].map(lambda words: list(range(len(words))))
    path = folder / "documents.arrow"
    write_dataset([subwords], path)
    tables = {"tokens": tokens, "subwords": subwords, **gold_tables(split)}
    source = tokens[tokens["side"] == "source"]
    tables["document_graph"] = document_graphs(source, _syntax(split), tables["coreference"], GraphSettings())
    structures = dict(_structures(ParallelDataset(path), tables, folder))
    items = contrastive_table(split)
    keys = ParallelDataset(path).table.select(["doc_id", "sent_id"]).to_pydict()
    row_of_sentence = {key: row for row, key in enumerate(zip(keys["doc_id"], keys["sent_id"]))}
    wrong = [[id_of_word[word] for word in tokenisers["target"].tokenise(text).tokens] for text in items["wrong"]]
    rows = [row_of_sentence[key] for key in zip(items["doc_id"], items["sent_id"])]
    themes = list(_themes(source, tables["themes"], id_of_word))
    relations = _relations(structures["paragraph_dependencies"], ParallelDataset(path))
    return LearntDocuments(path, structures, vocabulary, rows, wrong, themes, relations)


def _tokens(split: Split, tokenisers: dict[str, Tokeniser]) -> pd.DataFrame:
    """The table ``tokens`` of both sides."""
    pairs = sentences(split)
    pairs["sent_id"] = pairs.groupby("doc_id").cumcount()
    rows = [
        {"doc_id": pair["doc_id"], "sent_id": pair["sent_id"], "side": side, **tokenise.tokenise(pair[side])._asdict()}
        for pair in pairs.to_dict("records")
        for side, tokenise in tokenisers.items()
    ]
    return pd.DataFrame(rows)


def _syntax(split: Split) -> pd.DataFrame:
    """The table ``syntax`` of the source side, by the shipped analyser; all other annotation is the demo's own."""
    backend = backend_for("syntax", {"backend": "builtin"}, Context("learning", "train", "source", "en"))
    documents = [
        DocumentInput(doc_id, tuple(sentence.source for sentence in document.sentences), {})
        for doc_id, document in split.items()
    ]
    return analyse_shard("syntax", documents, len(documents), backend, None, "")


def _structures(dataset: ParallelDataset, tables: dict[str, pd.DataFrame], folder: Path) -> Iterator[tuple[str, Path]]:
    """Write the structure file of each kind."""
    for name in KINDS:
        kind = STRUCTURES[name]
        path = folder / f"{name}.arrow"
        build: Builder = loaded(kind.builder)
        options = BuilderOptions(language="en") if "language" in kind.options else BuilderOptions()
        build(dataset, [{table: tables[table] for table in kind.inputs}], path, options)
        yield name, path


def _themes(source: pd.DataFrame, themes: pd.DataFrame, id_of_word: dict[str, int]) -> Iterator[TaggerSentence]:
    """The sentences with the label of each word, by its first character."""
    of_sentence = dict(list(themes.groupby(["doc_id", "sent_id"])))
    for row in source.to_dict("records"):
        spans = of_sentence[row["doc_id"], row["sent_id"]].to_dict("records")
        labels = [
            next((THEMES.index(span["label"]) for span in spans if span["start"] <= start < span["end"]), 0)
            for start in row["starts"]
        ]
        ids = tuple(id_of_word[word] for word in row["tokens"])
        yield TaggerSentence(tuple(row["tokens"]), tuple(labels), ids, tuple(range(len(ids))))


def _relations(path: Path, dataset: ParallelDataset) -> list[str]:
    """The relations in the file of paragraphs' dependencies."""
    structures = loaded(STRUCTURES["paragraph_dependencies"].reader)(path, dataset)
    borders = zip(dataset.documents[:-1].tolist(), dataset.documents[1:].tolist())
    found = {relation for start, stop in borders for relation in structures[start:stop].relations}
    return sorted(found - {ROOT_RELATION})
