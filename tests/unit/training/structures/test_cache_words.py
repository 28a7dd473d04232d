"""The file of words to cache, documents as units, the trained labeller in a new network, and a task to learn."""

import dataclasses
import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.storage.files import checksum
from discourse_nmt.base.vocabulary import BEGIN, END, SPECIALS, UNKNOWN
from discourse_nmt.models.context.paragraphs import ParagraphBatch, Paragraphs, ParagraphSource
from discourse_nmt.models.switches.theme_labeller import LabellerSettings
from discourse_nmt.models.switches.theme_rheme_cache import ThemeRhemeCacheSettings
from discourse_nmt.models.systems import build
from discourse_nmt.models.theme_cache.document_words import DocumentWords
from discourse_nmt.models.theme_cache.network import ThemeRhemeCache
from discourse_nmt.text.stop_words import is_stop_word, stop_words
from discourse_nmt.training.builders.cache_words import write_cache_words
from discourse_nmt.training.builders.options import BuilderOptions
from discourse_nmt.training.checkpoints.model_files import save_model, tensors_of
from discourse_nmt.training.data.dataset import ParallelDataset
from discourse_nmt.training.data.dataset_tables import write_dataset
from discourse_nmt.training.data.units import units_of
from discourse_nmt.training.labellers.files import LabellerCard, new_labeller, save_labeller
from discourse_nmt.training.run.run import TrainingRun, initial_network, train
from discourse_nmt.training.settings import TrainingSettings
from discourse_nmt.training.structures.cache_words import CacheWordFile
from discourse_nmt.training.tasks.documents import task
from discourse_nmt.training.tasks.feed import development_feed, training_feed
from tests.unit.models.context.learning_task import accuracy_after
from tests.unit.models.theme_cache.cache_examples import cache_network
from tests.unit.training.run.training_toy import dataset, subwords, vocabulary

ENGLISH = BuilderOptions(language="en")
TEXTS = {("a", 0): "The cat , the Cat", ("a", 1): "the dogs", ("b", 0): "unknown dogs ... cat"}
PIECES = {"The": [8], "the": [8], "cat": [9, 10], "Cat": [9, 10], "dogs": [9, 11], ",": [12], "...": [13]}


def side(name: str, lists: dict[str, list[Any]]) -> pd.DataFrame:
    keys = [(doc_id, sent_id, name) for doc_id, sent_id in TEXTS]
    return pd.DataFrame(keys, columns=["doc_id", "sent_id", "side"]).assign(
        **{key: pd.Series(values, dtype=object) for key, values in lists.items()}
    )


def tables() -> tuple[pd.DataFrame, pd.DataFrame]:
    """Tokens and subwords of :data:`TEXTS`."""
    words = [text.split() for text in TEXTS.values()]
    pieces = [[PIECES.get(word, [14, UNKNOWN]) for word in sentence] for sentence in words]
    ids = [np.array([piece for word in one for piece in word], np.int32) for one in pieces]
    of = [np.repeat(np.arange(len(one)), [len(word) for word in one]).astype(np.int32) for one in pieces]
    offsets = [np.arange(len(one), dtype=np.int32) for one in words]
    names = ("source", "target")
    tokens = pd.concat([side(name, {"tokens": words, "starts": offsets, "ends": offsets}) for name in names])
    return tokens, pd.concat([side(name, {"ids": ids, "word_of_subword": of}) for name in names])


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> ParallelDataset:
    path = tmp_path_factory.mktemp("words") / "data.arrow"
    write_dataset([tables()[1]], path)
    return ParallelDataset(path)


def opened(folder: Path, data: ParallelDataset) -> CacheWordFile:
    tokens = tables()[0]
    shards = [tokens[tokens.doc_id == name] for name in ("b", "a")]
    write_cache_words(data, [{"tokens": shard} for shard in shards], folder / "words.arrow", ENGLISH)
    return CacheWordFile(folder / "words.arrow", data)


def test_words_have_types_and_stop_words_are_known(tmp_path: Path, data: ParallelDataset) -> None:
    """Words with the same subwords are equal; punctuation and unknown words are never cached."""
    found = opened(tmp_path, data)[0:2]
    assert found.lengths.tolist() == [7, 3]
    assert found.words.tolist() == [0, 1, 1, 2, 3, 4, 4, 0, 1, 1]
    assert found.stops.tolist() == [True, False, False, True, True, False, False, True, False, False]
    the, cat, comma, dogs = (found.types[place] for place in (0, 1, 3, 8))
    assert found.types.tolist() == [the, cat, cat, comma, the, cat, cat, the, dogs, dogs]
    assert len({the, cat, comma, dogs}) == 4
    other = opened(tmp_path, data)[2:3]
    assert other.words.tolist() == [0, 0, 1, 1, 2, 3, 3]
    assert other.stops.tolist() == [True, True, False, False, True, False, False]
    assert other.types.tolist()[2:4] == [dogs] * 2 and other.types.tolist()[5:] == [cat] * 2


def test_a_file_of_another_dataset_is_refused(tmp_path: Path, data: ParallelDataset) -> None:
    opened(tmp_path, data)
    with pytest.raises(InputError, match="its rows are not those of"):
        CacheWordFile(tmp_path / "words.arrow", dataset(tmp_path, [3]))


def test_tokens_of_other_sentences_are_told(data: ParallelDataset, tmp_path: Path) -> None:
    tokens = tables()[0]
    for wrong in (tokens[tokens.doc_id == "a"], tokens.assign(sent_id=tokens.sent_id + 1)):
        with pytest.raises(InputError, match="its sentences are not those of the dataset"):
            write_cache_words(data, [{"tokens": wrong}], tmp_path / "words.arrow", ENGLISH)
    short = tokens.assign(tokens=tokens.tokens.map(lambda words: words[:2]))
    with pytest.raises(InputError, match="document a, sentence 0: a subword belongs to no word"):
        write_cache_words(data, [{"tokens": short}], tmp_path / "words.arrow", ENGLISH)


def test_a_language_without_stop_words_is_told() -> None:
    with pytest.raises(InputError, match="no stop words of the language xx; put a list at"):
        stop_words("xx")


@pytest.mark.parametrize(
    ("language", "known", "other"), [("en", "the", "house"), ("de", "und", "Haus"), ("zh", "的", "政府")]
)
def test_shipped_lists(language: str, known: str, other: str) -> None:
    words = stop_words(language)
    assert is_stop_word(known, words) and is_stop_word(known.upper(), words) and not is_stop_word(other, words)
    assert all(is_stop_word(mark, words) for mark in (",", "。", "...", "«"))


def test_documents_are_whole_or_as_large_as_a_batch(tmp_path: Path) -> None:
    """Sentences of 20 subwords and two marks: five of them fit into 110 tokens."""
    data = dataset(tmp_path, [12, 1, 5], length=20)
    whole = units_of(data, "document")
    assert list(zip(whole.starts.tolist(), whole.stops.tolist())) == [(0, 12), (12, 13), (13, 18)]
    network = cache_network()
    for feed in (
        training_feed(task(network, data, None), "document", TrainingSettings(batch_tokens=110), 1),
        development_feed(task(network, data, None), "document", TrainingSettings(batch_tokens=110)),
    ):
        parts = list(zip(feed.units.starts.tolist(), feed.units.stops.tolist()))
        assert parts == [(0, 5), (5, 10), (10, 12), (12, 13), (13, 18)]
        assert feed.order.sizes.max() == 110


SWITCHES = {"encoder_layers": 1, "decoder_layers": 1, "width": 16, "heads": 2, "feed_forward_width": 16}
CARD = LabellerCard(dataclasses.asdict(LabellerSettings(direction_width=3, layers=1)), ["a", "b"], 16)


def card_for(model: Path) -> LabellerCard:
    """The card of a labeller that reads the encoder of this model."""
    return dataclasses.replace(CARD, source_vocabulary=vocabulary().fingerprint, model=checksum(model))


@pytest.fixture
def request_(tmp_path: Path) -> TrainingRun:
    """A training with a labeller whose sizes are not the system's defaults."""
    splits = {}
    for name, seed in (("train", 1), ("dev", 2)):
        data = dataset(tmp_path, [3, 4], name, seed=seed)
        frame = subwords([3, 4], seed)
        tokens = frame[["doc_id", "sent_id", "side"]].assign(tokens=frame.ids.map(lambda ids: ["w"] * len(ids)))
        write_cache_words(data, [{"tokens": tokens}], tmp_path / f"{name}_words.arrow", ENGLISH)
        splits[name] = data.path
    first = tmp_path / "sentence.safetensors"
    made = build("transformer", SWITCHES, len(vocabulary()), len(vocabulary()), True)
    save_model(first, made, "transformer", SWITCHES, vocabulary(), vocabulary())
    labeller = new_labeller(LabellerSettings(**CARD.settings), 16, CARD.labels)
    save_labeller(tmp_path / "labeller.safetensors", labeller, card_for(first))
    return TrainingRun(
        "theme_rheme_cache",
        {**SWITCHES, "cache_size": 3},
        TrainingSettings(max_updates=2, batch_tokens=60, learning_rate=0.01, warmup_updates=1),
        1,
        splits["train"],
        splits["dev"],
        vocabulary(),
        vocabulary(),
        train_structure=tmp_path / "train_words.arrow",
        dev_structure=tmp_path / "dev_words.arrow",
        initialised_from=first,
        companions={"labeller": tmp_path / "labeller.safetensors"},
    )


def test_a_new_network_has_the_labeller_of_the_file_and_keeps_it(request_: TrainingRun, tmp_path: Path) -> None:
    parsed = request_.parsed
    assert isinstance(parsed, ThemeRhemeCacheSettings)
    assert (parsed.labels, parsed.lstm_dir_width, parsed.lstm_layers) == (2, 3, 1)
    network, loaded = initial_network(request_)
    assert isinstance(network, ThemeRhemeCache) and network.labeller is not None
    assert loaded == {name for name in tensors_of(network) if not name.startswith(("labeller.", "cache_block."))}
    before = {name: value.clone() for name, value in network.labeller.state_dict().items()}
    trained = train(request_, tmp_path / "work", device="cpu", devices=1, threads=1).network
    assert isinstance(trained, ThemeRhemeCache) and trained.labeller is not None
    for name, value in trained.labeller.state_dict().items():
        assert torch.equal(value, before[name])
    assert trained.cache_block is not None and network.cache_block is not None
    assert not torch.equal(trained.cache_block.gate.weight, network.cache_block.gate.weight)


def test_frozen_updates_keep_the_model_that_training_starts_from(request_: TrainingRun, tmp_path: Path) -> None:
    first, loaded = initial_network(request_)
    for updates, moves in ((2, False), (1, True)):
        settings = dataclasses.replace(request_.settings, frozen_updates=updates)
        run = dataclasses.replace(request_, settings=settings)
        trained = train(run, tmp_path / "work", device="cpu", devices=1, threads=1).network
        moved = {name for name, value in tensors_of(trained).items() if not torch.equal(value, tensors_of(first)[name])}
        assert any(name.startswith("cache_block.") for name in moved)
        assert bool(moved & loaded) == moves


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"width": 8}, "encoder of width 8, the network's is 16; train it on the model that"),
        ({"source_vocabulary": "0123"}, "encoder of source vocabulary 0123, the network's is"),
        ({"model": "4567"}, "encoder of model 4567, the network's is"),
    ],
    ids=json.dumps,
)
def test_a_labeller_that_does_not_fit_is_an_error(
    request_: TrainingRun, tmp_path: Path, changes: dict[str, Any], told: str
) -> None:
    assert request_.initialised_from is not None
    card = dataclasses.replace(card_for(request_.initialised_from), **changes)
    labeller = new_labeller(LabellerSettings(**CARD.settings), card.width, CARD.labels)
    save_labeller(tmp_path / "labeller.safetensors", labeller, card)
    with pytest.raises(InputError, match=told):
        initial_network(dataclasses.replace(request_))


def test_a_model_with_a_labeller_can_be_trained_on_with_another_one(request_: TrainingRun, tmp_path: Path) -> None:
    """All but the labeller, which may have other sizes, is initialised from the model."""
    network, _ = initial_network(request_)
    first = tmp_path / "cache.safetensors"
    save_model(first, network, request_.system, request_.complete_switches, vocabulary(), vocabulary())
    settings = LabellerSettings(direction_width=5, layers=2)
    card = dataclasses.replace(card_for(first), settings=dataclasses.asdict(settings), labels=["a", "b", "c"])
    labeller = new_labeller(settings, 16, card.labels)
    save_labeller(tmp_path / "labeller.safetensors", labeller, card)
    again, loaded = initial_network(dataclasses.replace(request_, initialised_from=first))
    assert loaded == {name for name in tensors_of(network) if not name.startswith("labeller.")}
    assert isinstance(again, ThemeRhemeCache) and again.labeller is not None
    for name, value in again.labeller.state_dict().items():
        assert torch.equal(value, labeller.state_dict()[name])


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"companions": {}}, "has a labeller of themes; give a trained one"),
        ({"switches": {**SWITCHES, "cache": "continuous"}}, "has no labeller of themes; leave it out"),
        ({"train_structure": None}, "give the structure files"),
        ({"initialised_from": None}, "reads the encoder of the model that training starts from; give that model"),
    ],
    ids=json.dumps,
)
def test_missing_and_superfluous_inputs_are_errors(request_: TrainingRun, changes: dict[str, Any], told: str) -> None:
    with pytest.raises(InputError, match=told):
        dataclasses.replace(request_, **changes)


WORDS, DOCUMENTS = 8, 32


def batch(model: ThemeRhemeCache, rng: np.random.Generator) -> ParagraphBatch:
    """Two sentences of one word each; the translation of the second is the word of the first."""
    words = rng.integers(0, WORDS, (DOCUMENTS, 2)) + len(SPECIALS)
    one = np.array([1, 1]), np.zeros(2, np.int64)
    structures = [DocumentWords(*one, pair, np.zeros(2, bool)) for pair in words]
    begins, ends = (torch.full((words.size, 1), mark) for mark in (BEGIN, END))
    source = torch.from_numpy(words.reshape(-1, 1))
    target = torch.from_numpy(words[:, [1, 0]].reshape(-1, 1)).clone()
    target[::2] = source[::2]
    ids = torch.cat((begins, source, ends), dim=1)
    context = ParagraphSource(
        ids, Paragraphs(torch.arange(DOCUMENTS).repeat_interleave(2)), model.arrange(structures, ids)
    )
    return ParagraphBatch(context, torch.cat((begins, target), 1), torch.cat((target, ends), 1))


@pytest.mark.parametrize("cache", ["theme_rheme", "continuous"])
def test_it_learns_what_only_the_cache_tells(cache: str) -> None:
    """Half of the words translate to themselves; the others can only be guessed without the cache."""
    switches = {"cache": cache, "labels": 2, "lstm_dir_width": 4, "lstm_layers": 1}
    assert accuracy_after(100, "theme_rheme_cache", switches, WORDS + len(SPECIALS), batch) > 0.9
