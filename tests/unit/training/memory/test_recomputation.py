"""Layers that compute their states twice change no gradient, in any system."""

from dataclasses import replace
from pathlib import Path

import pytest
import torch
from torch import nn

from discourse_nmt.models.core.recomputation import LAYERS, layers_of, recompute_layers
from discourse_nmt.models.systems import system_named
from discourse_nmt.training.data.dataset import ParallelDataset
from discourse_nmt.training.operation.memory import measured
from discourse_nmt.training.run.run import TrainingRun, initial_network
from discourse_nmt.training.structures.opening import open_structure
from discourse_nmt.training.tasks.feed import training_feed
from discourse_nmt.training.tasks.protocol import task_for
from tests.learning.documents import LearntDocuments, learnt_documents
from tests.learning.test_learning import LEARNERS, Learner, run_of

SYSTEMS = {
    name: one for name, one in LEARNERS.items() if not name.endswith("unchanged") and name != "theme_rheme_cache"
}
SMALL = {"width": 16, "feed_forward_width": 16, "heads": 2, "dropout": 0.2, "attention_dropout": 0.1}


@pytest.fixture(scope="module")
def documents(tmp_path_factory: pytest.TempPathFactory) -> LearntDocuments:
    return learnt_documents(tmp_path_factory.mktemp("documents"))


def gradients(run: TrainingRun, recompute: bool) -> tuple[nn.Module, dict[str, torch.Tensor], int]:
    """The network, its gradients on the first batch, and how often layers have computed."""
    system, dataset = system_named(run.system), ParallelDataset(run.train)
    network, _ = initial_network(run)
    task = task_for(system.unit, network, dataset, open_structure(run.parsed.structure, run.train_structure, dataset))
    feed = training_feed(task, system.unit, run.settings, run.seed)
    objective = task.objective(0.1)
    plan = measured(network, feed, objective, "fp32", len(run.target_vocabulary), []).plan(
        device="cpu", processes=1, precision="fp32", recompute=recompute, shard=False, base=0
    )
    assert plan.activations > 0 and plan.gradients == 0
    calls: list[nn.Module] = []
    for layer in layers_of(network):
        layer.feed_forward.register_forward_pre_hook(lambda layer, _: calls.append(layer))  # type: ignore[union-attr]
    if recompute:
        recompute_layers(network)
    network.train()
    torch.manual_seed(3)
    objective(network, feed.collate(feed.order.update(0)[0], 3)).objective.backward()
    found = {name: one.grad for name, one in network.named_parameters() if one.grad is not None}
    return network, found, len(calls)


@pytest.mark.parametrize("learner", [Learner("transformer"), *SYSTEMS.values()], ids=["sentence", *SYSTEMS])
def test_gradients_are_the_same(learner: Learner, documents: LearntDocuments, tmp_path: Path) -> None:
    small = replace(learner, switches={**learner.switches, **SMALL}, training={"batch_tokens": 300})
    run = run_of(tmp_path, documents, small)
    _, expected, once = gradients(run, recompute=False)
    network, found, twice = gradients(run, recompute=True)
    kept = sum(isinstance(module, LAYERS) and not module.recomputable for module in network.modules())
    assert bool(kept) == (learner.system in ("hm_gdc", "document_graph"))
    assert twice == 2 * once and (once or kept)
    assert found.keys() == expected.keys()
    for name, gradient in expected.items():
        torch.testing.assert_close(found[name], gradient, rtol=1e-5, atol=1e-7, msg=name)
