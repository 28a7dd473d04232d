"""Training of packed systems: batches of whole instances, removal of trees, and continuing after a kill."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
import torch

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.vocabulary import MASK, SPECIALS
from discourse_nmt.models.core.transformer import Transformer
from discourse_nmt.models.packed.instances import Instance
from discourse_nmt.models.packed.packing import PackedBatch
from discourse_nmt.models.packed.rst_transformer import RstTransformer
from discourse_nmt.models.switches.decoding import DecodingSettings
from discourse_nmt.models.switches.packed import RstTransformerSettings
from discourse_nmt.models.switches.transformer import TransformerSettings
from discourse_nmt.training.checkpoints.model_files import initialise_from, save_model
from discourse_nmt.training.checkpoints.work import TrainingState, WorkFolder
from discourse_nmt.training.data.arrow_files import write_rows
from discourse_nmt.training.data.dataset import ParallelDataset
from discourse_nmt.training.data.units import units_of
from discourse_nmt.training.run.evaluation import Development
from discourse_nmt.training.run.loop import Training
from discourse_nmt.training.run.optimiser import Optimiser, rates_of
from discourse_nmt.training.run.run import TrainingRun
from discourse_nmt.training.settings import TrainingSettings
from discourse_nmt.training.structures.dependencies import SCHEMA, DependencyFile
from discourse_nmt.training.tasks.feed import Feed, development_feed, training_feed
from discourse_nmt.training.tasks.instances import InstanceTask, removed_trees
from discourse_nmt.training.tasks.loss import Losses, Objective
from tests.unit.training.run.training_toy import SIZE, dataset, fabric, same, vocabulary

SIZES = {"encoder_layers": 2, "decoder_layers": 2, "width": 8, "feed_forward_width": 16, "heads": 2, "rst_layers": 1}


def structure(folder: Path, data: ParallelDataset, seed: int = 0) -> DependencyFile:
    """A random forest over random units of each sentence."""
    generator = np.random.default_rng(seed)
    edus: list[list[int]] = []
    heads: list[list[int]] = []
    for first, last in zip(data.documents[:-1].tolist(), data.documents[1:].tolist()):
        number = 0
        for length in data.source.lengths[first:last].tolist():
            borders = np.append(0, generator.random(length - 1) < 0.3).cumsum()
            edus.append((number + borders).tolist())
            count = int(borders[-1]) + 1
            heads.append([int(generator.integers(-1, unit)) for unit in range(number, number + count)])
            number += count
    keys = {name: data.table[name] for name in ("doc_id", "sent_id")}
    path = folder / f"{data.path.stem}-structure.arrow"
    write_rows(pa.table({**keys, "edus": edus, "edu_heads": heads}, schema=SCHEMA), path)
    return DependencyFile(path, data)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> tuple[DependencyFile, DependencyFile]:
    """Training and development documents with several instances each; sentences of up to 12 subwords."""
    folder = tmp_path_factory.mktemp("data")
    training = dataset(folder, [90, 120, 70, 30, 20])
    return structure(folder, training), structure(folder, dataset(folder, [60, 15], name="dev", seed=1))


def network(**switches: Any) -> RstTransformer:
    torch.manual_seed(1)
    return RstTransformer(RstTransformerSettings(**{**SIZES, "dropout": 0.0, **switches}), SIZE, SIZE, True)


def task(model: RstTransformer, trees: DependencyFile) -> InstanceTask:
    return InstanceTask(model, trees.dataset, trees)


def settings(**keys: Any) -> TrainingSettings:
    usual = {"batch_tokens": 1200, "max_updates": 8, "warmup_updates": 2, "learning_rate": 0.01, "evaluate_every": 4}
    return TrainingSettings(**{**usual, "checkpoint_minutes": 0.0, **keys})


def trained(
    folder: Path, model: RstTransformer, data: tuple[DependencyFile, DependencyFile], killed_at: int = -1, **keys: Any
) -> TrainingState:
    """A run like those of discourse_nmt.training.run.run, killed in the update ``killed_at``."""
    made, processes = settings(**keys), fabric()
    tasks = [task(model, trees) for trees in data]
    loop: list[Training] = []
    literal = tasks[0].objective(0.1)

    def objective(network: RstTransformer, batch: PackedBatch) -> Losses:
        if network.training and loop[0].state.update == killed_at:
            raise KeyboardInterrupt
        return literal(network, batch)

    chosen: Objective = objective
    loop.append(
        Training(
            processes,
            model,
            Optimiser(model, made, rates_of(made, set(), [])),
            chosen,
            made,
            precision="fp32",
            seed=5,
            width=8,
            training=training_feed(tasks[0], "instance", made, 5),
            development=Development(processes, development_feed(tasks[1], "instance", made)),
            work=WorkFolder(folder),
        )
    )
    return loop[0].run()


def feed(model: RstTransformer, trees: DependencyFile, tokens: int = 1200) -> Feed:
    return training_feed(task(model, trees), "instance", settings(batch_tokens=tokens), 5)


def test_a_batch_is_bounded_by_its_tokens(data: tuple[DependencyFile, DependencyFile]) -> None:
    model = network()
    made = feed(model, data[0])
    units = units_of(data[0].dataset, "instance")
    seen = []
    for place in range(made.order.batches_per_epoch):
        chosen = made.order.batch(0, place)
        seen += chosen.tolist()
        batch = made.collate(chosen, 0)
        assert isinstance(batch, PackedBatch)
        rows = units.rows(chosen)
        assert batch.source.ids.shape[1] == (data[0].dataset.source.lengths[rows] + 2).sum() <= 1200
        assert batch.target_tokens == (data[0].dataset.target.lengths[rows] + 1).sum()
        assert len(chosen) > 1 or place < len(units)
    assert sorted(seen) == list(range(len(units)))


def test_the_loss_of_a_batch_is_the_sum_over_its_instances(data: tuple[DependencyFile, DependencyFile]) -> None:
    model = network(drop_rst=0.5).eval()
    tokens = task(model, data[0])
    units = units_of(data[0].dataset, "instance")
    chosen = np.arange(len(units))
    lost = removed_trees(len(units), 0.5, False, 7)
    assert 0 < lost.sum() < len(units)
    objective = tokens.objective(0.1)
    together = objective(model, tokens.batch(units, chosen, 7))
    alone = [
        objective(model, model.pack([tokens.instance(start, stop, not without)]))
        for start, stop, without in zip(units.starts.tolist(), units.stops.tolist(), lost)
    ]
    torch.testing.assert_close(together.objective, torch.stack([one.objective for one in alone]).sum())
    torch.testing.assert_close(together.likelihood, torch.stack([one.likelihood for one in alone]).sum())


def test_trees_are_removed_with_the_set_probability() -> None:
    assert not removed_trees(1000, 0.0, False, 1).any()
    assert removed_trees(1000, 1.0, False, 1).all()
    assert removed_trees(10_000, 0.3, False, 1).mean() == pytest.approx(0.3, abs=0.02)
    assert (removed_trees(50, 0.5, False, 1) == removed_trees(50, 0.5, False, 1)).all()
    assert (removed_trees(50, 0.5, False, 1) != removed_trees(50, 0.5, False, 2)).any()
    batches = np.stack([removed_trees(20, 0.3, True, seed) for seed in range(1000)])
    assert (batches == batches[:, :1]).all()
    assert batches[:, 0].mean() == pytest.approx(0.3, abs=0.05)


@pytest.mark.parametrize(("probability", "tree"), [(0.0, True), (0.9, True), (1.0, False)])
def test_evaluation_keeps_trees_unless_none_is_trained(
    data: tuple[DependencyFile, DependencyFile], probability: float, tree: bool
) -> None:
    model = network(drop_rst=probability).eval()
    made = task(model, data[1])
    units = units_of(data[1].dataset, "instance")
    every = np.arange(len(units))
    wanted = model.pack([made.instance(a, b, tree) for a, b in zip(units.starts.tolist(), units.stops.tolist())])
    torch.testing.assert_close(model(made.batch(units, every, None)), model(wanted))


@pytest.mark.parametrize(("probability", "tree"), [(0.9, True), (1.0, False)])
def test_decoding_reads_trees_unless_none_is_trained(
    data: tuple[DependencyFile, DependencyFile], probability: float, tree: bool
) -> None:
    model = network(drop_rst=probability).eval()
    made, decoding = task(model, data[1]), DecodingSettings(beam=1, max_length_ratio=0.0, max_length_offset=2)
    with_trees, without = (
        {row: found[0].log_probability for row, found in made.hypotheses(model, replace(decoding, use_tree=use_tree))}
        for use_tree in (True, False)
    )
    assert (with_trees != without) is tree


def test_without_a_structure_there_is_no_tree(data: tuple[DependencyFile, DependencyFile]) -> None:
    model = network().eval()
    units, chosen = units_of(data[1].dataset, "instance"), np.arange(2)
    without = InstanceTask(model, data[1].dataset, None).batch(units, chosen, None)
    lost = task(model, data[1])
    wanted = model.pack([lost.instance(a, b, False) for a, b in zip(units.starts[:2], units.stops[:2])])
    torch.testing.assert_close(model(without), model(wanted))


def test_no_translation_depends_on_its_reference(tmp_path: Path) -> None:
    """References twice as long leave a test set's instances, and so its translations, as they are."""
    model = network().eval()
    decoding = DecodingSettings(beam=1, max_length_offset=2)
    translated = []
    for number in (1, 2):
        test_set = dataset(tmp_path, [60], f"test{number}", "source", number, seed=4)
        translated.append(dict(InstanceTask(model, test_set, None).hypotheses(model, decoding)))
    one, other = ({row: found[0].ids for row, found in rows.items()} for rows in translated)
    assert one == other
    by_both = dataset(tmp_path, [60], "both", "both", 2, seed=4)
    assert {row: found[0].ids for row, found in InstanceTask(model, by_both, None).hypotheses(model, decoding)} != one


@pytest.mark.parametrize(("unit", "mixed"), [("instance", True), ("batch", False)])
def test_trees_are_removed_by_instance_or_by_batch(
    data: tuple[DependencyFile, DependencyFile], unit: str, mixed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = network(drop_rst=0.5, drop_rst_unit=unit)
    trees: list[list[bool]] = []
    pack = model.pack

    def noted(found: list[Instance]) -> PackedBatch:
        trees.append([one.tree for one in found])
        return pack(found)

    monkeypatch.setattr(model, "pack", noted)
    made, units = task(model, data[0]), units_of(data[0].dataset, "instance")
    for seed in range(12):
        made.batch(units, np.arange(3), seed)
    assert {True, False} == {tree for of_batch in trees for tree in of_batch}
    assert any(len(set(of_batch)) == 2 for of_batch in trees) is mixed


@pytest.mark.parametrize("unit", ["instance", "batch"])
def test_a_killed_run_repeats_the_unbroken_one(
    tmp_path: Path, data: tuple[DependencyFile, DependencyFile], unit: str
) -> None:
    switches = {"dropout": 0.2, "drop_rst": 0.5, "drop_rst_unit": unit, "word_dropout": 0.1}
    unbroken, continued, other = network(**switches), network(**switches), network(**{**switches, "drop_rst": 0.0})
    expected = trained(tmp_path / "unbroken", unbroken, data)
    with pytest.raises(KeyboardInterrupt):
        trained(tmp_path / "work", continued, data, killed_at=5)
    continued = network(**switches)
    assert trained(tmp_path / "work", continued, data).evaluated == expected.evaluated
    assert same(continued, unbroken)
    trained(tmp_path / "other", other, data)
    assert not same(other, unbroken)


def test_word_dropout_hides_words_from_the_network_and_not_from_the_loss(
    data: tuple[DependencyFile, DependencyFile],
) -> None:
    """With all words hidden, predictions do not depend on the words."""
    model = network(word_dropout=0.9999999).train()
    made, units = task(model, data[0]), units_of(data[0].dataset, "instance")
    batch = made.batch(units, np.arange(1), 0)
    changed = made.batch(units, np.arange(1), 0)
    first = len(SPECIALS)
    words = changed.source.ids >= first
    changed.source.ids[words] = first + (changed.source.ids[words] - first + 1) % (SIZE - first)
    torch.testing.assert_close(model(batch), model(changed))
    assert MASK not in batch.target_output
    assert not torch.allclose(model.eval()(batch), model(changed))


def test_a_sentence_model_lends_its_parameters(tmp_path: Path) -> None:
    sizes: dict[str, Any] = {name: value for name, value in SIZES.items() if name != "rst_layers"}
    torch.manual_seed(2)
    sentence = Transformer(TransformerSettings(**sizes), SIZE, SIZE, True)
    symbols = vocabulary()
    save_model(tmp_path / "model.safetensors", sentence, "transformer", sizes, symbols, symbols)
    model = network()
    loaded, _ = initialise_from(model, tmp_path / "model.safetensors", symbols, symbols)
    names = dict(model.named_parameters())
    assert loaded == dict(sentence.named_parameters()).keys()
    assert {name.split(".")[3] for name in names.keys() - loaded} == {"related", "gate"}
    made = settings(initialised_rate=0.2)
    optimiser = Optimiser(model, made, rates_of(made, loaded, list(names)))
    factors = {id(p): group["factor"] for group in optimiser.adam.param_groups for p in group["params"]}
    assert all(factors[id(names[name])] == (0.2 if name in loaded else 1.0) for name in names)


def test_a_system_with_trees_needs_structure_files() -> None:
    made = TrainingSettings(max_updates=1)
    paths: dict[str, Any] = {"train": Path("train"), "dev": Path("dev")}
    with pytest.raises(InputError, match="system rst_transformer reads discourse structure; give the structure files"):
        TrainingRun(
            "rst_transformer", {}, made, 1, **paths, source_vocabulary=vocabulary(), target_vocabulary=vocabulary()
        )
