"""Training a labeller on the states of a frozen encoder or on characters: files, scores and errors."""

import hashlib
import json
import os
import re
import signal
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.storage.files import read_text, write_json
from discourse_nmt.base.storage.tables import write_table
from discourse_nmt.base.vocabulary import SPECIALS, Vocabulary
from discourse_nmt.models.core.transformer import Transformer
from discourse_nmt.models.switches.theme_labeller import LabellerSettings
from discourse_nmt.models.systems import build
from discourse_nmt.models.theme_cache.labeller import UNLABELLED, labelling_loss
from discourse_nmt.scoring.tables.scores import parse
from discourse_nmt.training.checkpoints.model_files import save_model, tensors_of
from discourse_nmt.training.checkpoints.work import WorkFolder
from discourse_nmt.training.labellers.files import LabellerCard, load_labeller, new_labeller, save_labeller
from discourse_nmt.training.labellers.labelling import development_loss, train_tagger
from discourse_nmt.training.labellers.settings import LabellerTrainingSettings
from discourse_nmt.training.labellers.taggers import EncoderTagger, TaggerSentence
from discourse_nmt.workflow_scripts.train import train_labeller
from tests.unit.models.context.learning_task import SIZES

WORDS = ["ab", "cd", "ef", "gh"]  # each has two subwords; the first two are topical themes at the beginning
SYMBOLS = Vocabulary((*SPECIALS, *(f"{letter}@@" for letter in "aceg"), *"bdfh"))
SETTINGS: dict[str, Any] = {"direction_width": 8, "layers": 1, "dropout": 0.0}


def drawn(count: int, seed: int) -> pd.DataFrame:
    """Sentences whose words before the first ``ef`` or ``gh`` are topical themes and the others rheme."""
    rng = np.random.default_rng(seed)
    rows: list[Any] = []
    for number in range(count):
        words = rng.choice(WORDS, rng.integers(1, 9)).tolist()
        first = next((place for place, word in enumerate(words) if word in "ef gh"), len(words))
        labels = ["theme-topical"] * first + ["rheme"] * (len(words) - first)
        starts = list(range(0, 3 * len(words), 3))
        rows.append((f"d{number:03d}", 0, words, starts, [start + 2 for start in starts], labels))
    return pd.DataFrame(rows, columns=["doc_id", "sent_id", "tokens", "starts", "ends", "labels"])


def test_a_new_labeller_has_the_sizes_and_the_rate_of_its_settings() -> None:
    made = new_labeller(LabellerSettings(direction_width=5, layers=3, dropout=0.4), 6, ["a", "b"])
    lstm = made.lstm
    assert (lstm.input_size, lstm.hidden_size, lstm.num_layers) == (6, 5, 3)
    assert (lstm.dropout, lstm.last_dropout.p) == (0.4, 0.4)


@pytest.fixture
def files(tmp_path: Path) -> dict[str, str]:
    """The options of the command except settings."""
    for seed, (split, count) in enumerate({"train": 200, "dev": 30, "test": 30}.items()):
        write_table(drawn(count, seed), tmp_path / f"{split}.parquet", "labelled_words")
    torch.manual_seed(1)
    model = build("transformer", SIZES, len(SYMBOLS), len(SYMBOLS), True)
    save_model(tmp_path / "model.safetensors", model, "transformer", SIZES, SYMBOLS, SYMBOLS)
    SYMBOLS.save(tmp_path / "vocabulary.json")
    write_json({}, tmp_path / "truecase.json")
    write_json({"codes": [], "known": None}, tmp_path / "bpe.json")
    names = {"train": "train.parquet", "dev": "dev.parquet", "test": "test.parquet", "model": "model.safetensors"}
    names |= {"source-vocabulary": "vocabulary.json", "target-vocabulary": "vocabulary.json"}
    names |= {"source-truecaser": "truecase.json", "source-codes": "bpe.json", "output": "out/labeller.safetensors"}
    names |= {
        "scores": "out/scores.tsv",
        "confusion": "out/confusion.tsv",
        "drawing": "out/confusion.svg",
        "work": "work",
    }
    text = json.dumps({"source_language": "zh", "target_language": "en", "truecase": False})
    return {**{name: str(tmp_path / file) for name, file in names.items()}, "text-settings": text, "device": "cpu"}


def train(
    files: dict[str, str], monkeypatch: pytest.MonkeyPatch, settings: dict[str, Any], **training: Any
) -> dict[str, float]:
    """Run the command; the scores by metric."""
    given = {**files, "settings": json.dumps({**SETTINGS, **settings}), "training": json.dumps(training)}
    monkeypatch.setattr("sys.argv", ["x", *(word for name, value in given.items() for word in (f"--{name}", value))])
    train_labeller.main()
    table = parse(read_text(files["scores"]), file=files["scores"])
    assert set(table["test_set"]) == {"test"}
    return dict(zip(table["metric"], table["value"]))


FAST = {"epochs": 6, "batch_sentences": 20, "learning_rate": 0.02}


def test_a_labeller_learns_and_leaves_the_encoder_alone(files: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    model = Path(files["model"]).read_bytes()
    scores = train(files, monkeypatch, {}, **FAST)
    assert scores["accuracy (labelling, words)"] > 95
    assert scores["F1 of theme-topical (labelling, words)"] > 90
    assert scores["F1 (scorer, words)"] > 90
    assert Path(files["model"]).read_bytes() == model
    first = Path(files["output"]).read_bytes()
    assert train(files, monkeypatch, {}, **FAST) == scores
    assert Path(files["output"]).read_bytes() == first  # the same seed, the same file
    network, card = load_labeller(files["output"])
    assert (card.labels, card.width, card.source_vocabulary) == (["rheme", "theme-topical"], 32, SYMBOLS.fingerprint)
    assert card.model == hashlib.sha256(model).hexdigest()
    assert LabellerSettings(**card.settings) == LabellerSettings(**SETTINGS)
    assert not network.training
    assert "<svg" in read_text(files["drawing"])
    numbers = pd.read_csv(files["confusion"], sep="\t")
    assert numbers["words"].sum() == scores["words (labelling, words)"]


def test_the_baseline_reads_words_and_has_no_scores(files: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    del files["model"]
    small = {"network": "characters", "word_width": 0, "character_width": 8, "filters": 16}
    scores = train(files, monkeypatch, small, **FAST)
    assert scores["accuracy (labelling, words)"] > 95
    assert "F1 (scorer, words)" not in scores
    with pytest.raises(InputError, match="a labeller that reads words has no scores"):
        load_labeller(files["output"])


def test_faults_come_before_training(files: dict[str, str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    told = "designated is theme-topic, which no word of the training sentences has; did you mean theme-topical"
    with pytest.raises(InputError, match=told):
        train(files, monkeypatch, {"designated": "theme-topic"})
    with pytest.raises(InputError, match=r"test\.parquet: holds no sentence"):
        write_table(drawn(0, 0), files["test"], "labelled_words")
        train(files, monkeypatch, {})
    write_table(drawn(5, 0), files["test"], "labelled_words")
    with pytest.raises(InputError, match="not a labeller of this project"):
        load_labeller(files["model"])
    with pytest.raises(InputError, match="network: encoder reads a model"):
        train({name: file for name, file in files.items() if name != "model"}, monkeypatch, {})
    with pytest.raises(InputError, match="epochs is 0; it must be at least 1"):
        train(files, monkeypatch, {}, epochs=0)
    save_model(files["model"], build("concat", SIZES, 20, 20, True), "concat", SIZES, SYMBOLS, SYMBOLS)
    with pytest.raises(InputError, match="a model of system concat does not encode sentences by themselves"):
        train(files, monkeypatch, {})
    assert not (tmp_path / "out").exists()


def sentences(count: int) -> list[TaggerSentence]:
    rng = np.random.default_rng(5)
    found = []
    for _ in range(count):
        of_word = tuple(np.sort(rng.integers(0, 4, rng.integers(1, 9))).tolist())
        ids = tuple(rng.integers(len(SPECIALS), len(SYMBOLS), len(of_word)).tolist())
        found.append(TaggerSentence(("w",) * 4, tuple(rng.integers(0, 3, 4).tolist()), ids, of_word))
    return found


def tagger() -> EncoderTagger:
    torch.manual_seed(2)
    model = build("transformer", SIZES, len(SYMBOLS), len(SYMBOLS), True)
    assert isinstance(model, Transformer)
    return EncoderTagger(model, new_labeller(LabellerSettings(**SETTINGS), 32, "abc").eval(), 1)


def test_words_and_their_subwords() -> None:
    one, rows = tagger(), sentences(12)
    for sentence, said in zip(rows, one.label(rows)):
        states = one.encoder.encode(torch.tensor([[1, *sentence.ids, 2]])).states
        logits, scores = one.network(states, torch.zeros(1, len(sentence.ids) + 2, dtype=torch.bool))
        for word in range(4):
            own = [1 + place for place, other in enumerate(sentence.of_word) if other == word]
            # A word without subwords is read from the next one, or from the last one of the sentence.
            after = [1 + place for place, other in enumerate(sentence.of_word) if other >= word]
            first = after[0] if after else len(sentence.ids)
            assert said.labels[word] == logits[0, first].argmax()
            assert said.scores is not None
            best = max(scores[0, place].item() for place in own or [first])
            assert said.scores[word] == pytest.approx(best, abs=1e-6)
    expected = []
    for sentence in rows:
        labels = [UNLABELLED, *(sentence.labels[word] for word in sentence.of_word), UNLABELLED]
        states = one.encoder.encode(torch.tensor([[1, *sentence.ids, 2]])).states
        padding = torch.zeros(1, len(labels), dtype=torch.bool)
        logits, scores = one.network(states, padding)
        loss = labelling_loss(logits, scores, torch.tensor([labels]), 1).item()
        expected.append((loss, len(sentence.ids)))
    total = sum(loss * count for loss, count in expected) / sum(count for _, count in expected)
    assert one.loss(rows).item() == pytest.approx(total, rel=1e-5)


def test_kept_states_equal_computed_ones() -> None:
    kept, forgetful = tagger(), tagger()
    forgetful.free_bytes = 3000  # bytes: the first sentences only
    rows = sentences(12)
    for batch in (rows[:5], rows[3:], rows):
        found, again = (one.states(batch) for one in (kept, forgetful))
        torch.testing.assert_close(found[0], again[0], rtol=0, atol=1e-6)
        assert torch.equal(found[1], again[1])
    assert len(kept.kept) == 12
    assert 0 < len(forgetful.kept) < 12


def test_the_best_epoch_is_kept(tmp_path: Path) -> None:
    one, rows, work = tagger(), sentences(12), WorkFolder(tmp_path / "4")
    train_tagger(one, rows, rows, LabellerTrainingSettings(0.5, epochs=4, batch_sentences=4), 1, work)
    losses = [development_loss(one, rows, 4)]
    for epochs in range(1, 5):
        other = tagger()
        work = WorkFolder(tmp_path / f"to {epochs}")
        train_tagger(other, rows, rows, LabellerTrainingSettings(0.5, epochs=epochs, batch_sentences=4), 1, work)
        losses.append(development_loss(other, rows, 4))
    assert losses[0] == losses[-1] == min(losses)
    assert losses[1:] == sorted(losses[1:], reverse=True)


def test_a_stopped_training_continues(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings, rows = LabellerTrainingSettings(0.05, epochs=4, batch_sentences=4), sentences(12)

    def trained(folder: str, stop_at: int | None = None) -> tuple[dict[str, torch.Tensor], int]:
        """The weights that training ends with, and its updates; a stop in the middle of a pass leaves none of it."""
        one, updates, loss = tagger(), 0, EncoderTagger.loss
        one.network.lstm.last_dropout.p = 0.5

        def counted(self: EncoderTagger, batch: Sequence[TaggerSentence]) -> torch.Tensor:
            nonlocal updates
            updates += self.network.training
            if updates == stop_at:
                raise KeyboardInterrupt
            return loss(self, batch)

        with monkeypatch.context() as patched:
            patched.setattr(EncoderTagger, "loss", counted)
            train_tagger(one, rows, rows, settings, 1, WorkFolder(tmp_path / folder))
        return tensors_of(one.network), updates

    whole, updates = trained("unbroken")
    assert updates == 12
    with pytest.raises(KeyboardInterrupt):
        trained("stopped", stop_at=8)  # in the third pass
    again, updates = trained("stopped")
    assert updates == 6
    assert all(torch.equal(tensor, again[name]) for name, tensor in whole.items())
    assert trained("stopped")[1] == 0  # nothing is left to do


def test_states_are_computed_in_batches_that_no_pass_changes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On some processors the last bits of a state depend on its batch, and a training that continues has kept none."""
    settings, rows = LabellerTrainingSettings(0.05, epochs=2, batch_sentences=4), sentences(12)

    def batches(epochs: int) -> list[list[list[int]]]:
        one, read, encode = tagger(), [], Transformer.encode

        def recorded(self: Transformer, ids: torch.Tensor, *others: Any) -> Any:
            read.append(ids.tolist())
            return encode(self, ids, *others)

        with monkeypatch.context() as patched:
            patched.setattr(Transformer, "encode", recorded)
            train_tagger(one, rows, rows, replace(settings, epochs=epochs), 1, WorkFolder(tmp_path))
        return read

    first, continued = batches(1), batches(2)
    assert len(first) == 3 and continued == first


def test_a_signal_or_the_time_limit_ends_a_training_that_continues(
    files: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    scores = train(files, monkeypatch, {}, **FAST)
    updates, loss = 0, EncoderTagger.loss

    def stopped(self: EncoderTagger, batch: Sequence[TaggerSentence]) -> torch.Tensor:
        nonlocal updates
        updates += self.network.training
        if updates == 25:  # in the third pass of ten updates
            os.kill(os.getpid(), signal.SIGALRM)
        return loss(self, batch)

    limited = {**files, "code": "other", "time-limit": "9"}
    with monkeypatch.context() as patched:
        patched.setattr(EncoderTagger, "loss", stopped)
        with pytest.raises(SystemExit) as caught:
            train(limited, monkeypatch, {}, **FAST)
    assert (caught.value.code, updates) == (142, 25)
    assert train(limited, monkeypatch, {}, **FAST) == scores
    with pytest.raises(InputError, match="--time-limit is -1; it must be at least 0"):
        train({**files, "time-limit": "-1"}, monkeypatch, {}, **FAST)


def test_a_signal_ends_a_training_that_has_only_begun_to_read(
    files: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    read, states = [], EncoderTagger.states

    def stopped(self: EncoderTagger, batch: Sequence[TaggerSentence]) -> Any:
        read.append(batch)
        if len(read) == 2:
            os.kill(os.getpid(), signal.SIGTERM)
        return states(self, batch)

    with monkeypatch.context() as patched:
        patched.setattr(EncoderTagger, "states", stopped)
        with pytest.raises(SystemExit) as caught:
            train({**files, "code": "read"}, monkeypatch, {}, **FAST)
    assert (caught.value.code, len(read)) == (143, 2)


def test_states_are_computed_with_little_padding(monkeypatch: pytest.MonkeyPatch) -> None:
    one, computed = tagger(), 0
    encode = one.encoder.encode

    def counted(ids: torch.Tensor, context: object = None) -> Any:
        nonlocal computed
        computed += ids.numel()
        return encode(ids, context)

    monkeypatch.setattr(one.encoder, "encode", counted)
    rows = [TaggerSentence((str(number),), (0,), (5,), (0,)) for number in range(50)]
    one.states([*rows, TaggerSentence(("a",) * 200, (0,) * 200, (5,) * 200, tuple(range(200)))])
    assert computed == 50 * 3 + 202


def test_each_epoch_reads_all_sentences_in_an_order_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one, rows, loss = tagger(), sentences(12), EncoderTagger.loss
    read: list[int] = []

    def noted(self: EncoderTagger, batch: Sequence[TaggerSentence]) -> torch.Tensor:
        read.extend(rows.index(sentence) for sentence in batch if self.network.training)
        return loss(self, batch)

    monkeypatch.setattr(EncoderTagger, "loss", noted)
    train_tagger(one, rows, rows, LabellerTrainingSettings(epochs=2, batch_sentences=5), 1, WorkFolder(tmp_path))
    first, second = read[:12], read[12:]
    assert sorted(first) == sorted(second) == list(range(12))
    assert first != second and sorted(first) != first


def test_the_development_loss_does_not_depend_on_the_batches() -> None:
    one, rows = tagger(), sentences(12)
    for size in (1, 5):
        assert development_loss(one, rows, size) == pytest.approx(development_loss(one, rows, 12), rel=1e-5)


def test_damaged_cards_are_errors(tmp_path: Path) -> None:
    network = new_labeller(LabellerSettings(**SETTINGS), 32, ["a", "b"])
    good = LabellerCard(SETTINGS, ["a", "b"], 32)
    for changes, told in (
        ({"labels": 3}, "its card is not that of a labeller; train it again"),
        ({"labels": []}, "its card is not that of a labeller"),
        ({"width": "a"}, "its card is not that of a labeller"),
        ({"settings": {**SETTINGS, "direction_width": "x"}}, "settings: direction_width is 'x'"),
        ({"settings": {**SETTINGS, "layers": 0}}, "settings: layers is 0; it must be at least 1"),
    ):
        save_labeller(tmp_path / "x", network, replace(good, **changes))
        with pytest.raises(InputError, match=re.escape(told)):
            load_labeller(tmp_path / "x")


def test_labels_and_words_of_different_numbers_are_told(files: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    table = drawn(5, 0)
    labels = [[], *table["labels"][1:]]
    write_table(table.assign(labels=labels), files["dev"], "labelled_words")
    with pytest.raises(InputError, match=r"dev\.parquet: a sentence has labels and tokens of different numbers"):
        train(files, monkeypatch, {})


def test_the_command_continues_only_with_the_same_settings(
    files: dict[str, str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    train(files, monkeypatch, {}, epochs=1)
    train(files, monkeypatch, {}, epochs=1)
    assert len(list((tmp_path / "work").iterdir())) == 1
    for changed in ({"seed": "2"}, {"code": "other"}):
        train({**files, **changed}, monkeypatch, {}, epochs=1)
    train(files, monkeypatch, {}, epochs=2)
    assert len(list((tmp_path / "work").iterdir())) == 4


def test_a_loss_that_is_not_finite_is_an_error(files: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match="training: the loss is nan in epoch 1; lower learning_rate"):
        train(files, monkeypatch, {}, learning_rate=1e38, epochs=2)
    assert not Path(files["output"]).exists()


def test_a_file_of_other_sizes_is_refused(tmp_path: Path) -> None:
    network = new_labeller(LabellerSettings(**SETTINGS), 32, ["a", "b"])
    card = LabellerCard({**SETTINGS, "layers": 2}, ["a", "b"], 32, "")
    save_labeller(tmp_path / "x", network, card)
    with pytest.raises(InputError, match="its parameters are not those of the network"):
        load_labeller(tmp_path / "x")
