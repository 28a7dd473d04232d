"""Every switch of every system at a second value, and all that one can see of a system with given switches."""

import hashlib
from collections.abc import Mapping
from dataclasses import fields, replace
from functools import cached_property
from pathlib import Path
from typing import Any, get_type_hints

import numpy as np
import pandas as pd
import torch
from torch import nn

from discourse_nmt.base.vocabulary import SPECIALS, Vocabulary
from discourse_nmt.corpus.address.forms import FORMS
from discourse_nmt.models.switches.decoding import DecodingSettings
from discourse_nmt.models.switches.multitask import RELATIONS
from discourse_nmt.models.systems import SYSTEMS, build_with
from discourse_nmt.training.builders.options import BuilderOptions
from discourse_nmt.training.data.dataset import ParallelDataset
from discourse_nmt.training.data.units import units_of
from discourse_nmt.training.kinds import STRUCTURES, companions_of, loaded
from discourse_nmt.training.structures.opening import open_structure
from discourse_nmt.training.tasks.protocol import SystemTask, task_for
from tests.unit.second_values import other_than
from tests.unit.training.structures.structure_examples import Tables, generated, sharded, written

# Sides of unequal size, so that a number of one side in the other's place is seen.
SMALL = {"encoder_layers": 3, "decoder_layers": 2, "width": 16, "feed_forward_width": 40, "heads": 2, "dropout": 0.0}
# Every sentence of the dataset has the first word, every third one the eleventh; translations have others.
SOURCE, TARGET = (
    Vocabulary((*SPECIALS, *words, *map(str, range(size - len(words)))))
    for words, size in (
        (["you", *"abcdefghijklmno", "du", "ihr"], 33),
        ([*"abcdefghij", *FORMS["de"]["du"], "ihr", "tu", "vous"], 45),
    )
)
DECODING = DecodingSettings(beam=2, n_best=2, max_length_ratio=0.0, max_length_offset=4)
SIZES = len(SOURCE), len(TARGET)

OF_TREES = [*RELATIONS, "joint_r", "cause_r"]

# By system, what it needs beside these.
FIRST: dict[str, dict[str, Any]] = {
    "rst_transformer": {"rst_layers": 1},
    "g_transformer": {"global_layers": 1},
    "multitask": {"relations": OF_TREES},
    "theme_rheme_cache": {"cache_size": 5, "lstm_dir_width": 8},
    "continuous_cache": {"size": 5},
    "side_constraint": {"target_language": "de"},
}

# By switch, or system and switch, the second value where that by the type is not valid, or changes nothing.
SECOND: dict[str, object] = {
    "width": 24,
    "heads": 4,
    "marks": "end",
    "max_positions": 512,
    "dropout": 0.5,
    "attention_dropout": 0.5,
    "activation_dropout": 0.5,
    "word_dropout": 0.5,
    "drop_rst": 0.5,
    "dsp": ["abs_edu", "path"],
    "half_life": 1.0,
    "w_n": 0.6,
    "segmentation_threshold": 0.01,
    "cache_size": 3,
    "size": 1,
    "earlier_sentences": 1,
    "prune_hops": 0,
    "unit_reach": 1,
    "paragraph_len": 3,
    "farthest_sentence": 1,
    "sentences": 1,
    "drawn_sentences": [1, 2],
    "target_language": "fr",
    "document_graph.relations": ["lexical"],
    "multitask.relations": [*OF_TREES, "x_r"],
}

# By switch, or system and switch, other switches beside which it counts.
BESIDE: dict[str, dict[str, Any]] = {
    "max_positions": {"positions": "learned"},
    "rst_transformer.beginning": {"position_reset": True},
    "g_transformer.beginning": {"position_reset": True},
    "shared_projections": {"fusion": "parallel"},
    "drop_rst_unit": {"drop_rst": 0.5},
    "flat_transformer.target_positions": {"position_reset": False},
    "edu_index_base": {"dsp": ["abs_edu"]},
    "depth_base": {"dsp": ["abs_depth"]},
    "unit_reach": {"unit_order": "relative"},
    "earlier_sentences": {"draft": "earlier"},
    "prune_hops": {"scope": "all"},
    "pruning": {"scope": "all", "prune_hops": 1},
    "stop_filter": {"cache": "continuous", "cache_size": 40},
    "dedup_when_not_full": {"cache_size": 40},
    "half_life": {"ageing": "fixed"},
    "mixed_runs": {"sentences": 2},
}


def entry_of(table: Mapping[str, Any], system: str, switch: str, default: Any) -> Any:
    """The entry of a switch of a system in one of these tables."""
    return table.get(f"{system}.{switch}", table.get(switch, default))


def written_structures(folder: Path) -> None:
    """A dataset ``data.arrow`` in ``folder``, with files of all kinds of structure by their names."""
    frame, tables = generated(5, documents=3, sentences=7)
    dataset = written(folder, frame)
    # The first word of each sentence is a stop word.
    tables["tokens"]["tokens"] = [["the", *words[1:]] for words in tables["tokens"]["tokens"]]
    tables |= {"subwords": frame, "document_graph": edges_of(tables)}
    for name, kind in STRUCTURES.items():
        if kind.builder:
            options = BuilderOptions(language="en") if "language" in kind.options else BuilderOptions()
            inputs = [{key: shard[table] for key, table in kind.inputs.items()} for shard in sharded(tables)]
            loaded(kind.builder)(dataset, inputs, folder / f"{name}.arrow", options)


def edges_of(tables: Tables) -> pd.DataFrame:
    """Edges of two relations: of neighbouring words, and of words of a sentence and of the next one but one."""
    rows = []
    for doc_id, sentences in tables["tokens"].query("side == 'source'").groupby("doc_id", sort=False):
        lengths = [len(words) for words in sentences["tokens"]]
        for sentence, length in enumerate(lengths):
            rows += [(doc_id, "adjacency", sentence, word, sentence, word + 1) for word in range(length - 1)]
            if sentence + 2 < len(lengths):
                rows += [(doc_id, "lexical", sentence, word, sentence + 2, 0) for word in range(0, length, 2)]
    columns = ["doc_id", "relation", "from_sent", "from_token", "to_sent", "to_token"]
    return pd.DataFrame(rows, columns=columns).astype({"doc_id": str, "relation": str})


def pairs() -> list[tuple[str, str]]:
    """Every system with each of its switches."""
    return [(name, entry.name) for name, system in SYSTEMS.items() for entry in fields(system.settings)]


def second_value(system: str, switch: str) -> object:
    """A value that is not the first one."""
    kind = SYSTEMS[system].settings
    first = getattr(SYSTEMS[system].switches(first_values(system, switch)), switch)
    return entry_of(SECOND, system, switch, None) or other_than(first, get_type_hints(kind)[switch])


def first_values(system: str, switch: str) -> dict[str, Any]:
    """The switches of a system beside which ``switch`` counts."""
    return {**SMALL, **FIRST.get(system, {}), **entry_of(BESIDE, system, switch, {})}


def fill(network: nn.Module) -> None:
    """Give parameters weights that follow from their names and shapes alone, so that networks can be compared."""
    for name, parameter in network.named_parameters():
        generator = torch.Generator().manual_seed(int(hashlib.sha256(name.encode()).hexdigest()[:8], 16))
        # The scales of layer normalisation are about 1, so that all blocks count.
        parameter.data = 0.3 * torch.randn(parameter.shape, generator=generator) + name.endswith("norm.weight")


class Seen:
    """All that one can see of a system with the switches ``values``; structure files lie in ``folder``."""

    def __init__(self, folder: Path, system: str, values: Mapping[str, object]) -> None:
        self.folder, self.system, self.values = folder, SYSTEMS[system], values
        self.switches = self.system.switches(values)
        torch.manual_seed(1)
        # Both sides have one vocabulary only where it shows that they share it.
        self.network = build_with(system, values, SOURCE, SOURCE if "tie_source_target" in values else TARGET)
        self.initial = {name: value.clone() for name, value in self.network.state_dict().items()}
        fill(self.network)

    @property
    def files(self) -> list[str]:
        """The kinds of structure in training and in decoding with and without trees, and companions."""
        kinds = self.switches.structure, *map(self.switches.decoding_structure, (True, False))
        return [*kinds, *(companion.name for companion in companions_of(self.switches))]

    @property
    def shapes(self) -> dict[str, torch.Size]:
        """Those of its weights."""
        return {name: value.shape for name, value in self.initial.items()}

    def task(self, kind: str) -> SystemTask:
        """Its task on the dataset, with structures of this ``kind``."""
        dataset = ParallelDataset(self.folder / "data.arrow")
        path = self.folder / f"{kind}.arrow" if STRUCTURES[kind].builder else None
        return task_for(self.system.unit, self.network, dataset, open_structure(kind, path, dataset))

    @property
    def units(self) -> list[int]:
        """The first rows of the units that training shuffles."""
        task = self.task(self.switches.structure)
        firsts: list[int] = task.training_units(units_of(task.dataset, self.system.unit, 60)).starts.tolist()
        return firsts

    def loss(self, training: bool) -> torch.Tensor:
        """The loss of all units in training or evaluation; documents are cut."""
        task = self.task(self.switches.structure)
        units = units_of(task.dataset, self.system.unit, 60)
        batch = task.batch(units, np.arange(len(units)), 1 if training else None)
        torch.manual_seed(2)
        objective: torch.Tensor = task.objective(0.1)(self.network.train(training), batch).objective
        return objective

    @cached_property
    def evaluated(self) -> list[float]:
        """The loss in evaluation."""
        with torch.no_grad():
            return [self.loss(False).item()]

    @cached_property
    def trained(self) -> list[float]:
        """The loss in training."""
        with torch.no_grad():
            return [self.loss(True).item()]

    @cached_property
    def gradients(self) -> list[float]:
        """The size of each parameter's gradient in training."""
        self.network.zero_grad()
        self.loss(True).backward()
        slopes = [parameter.grad for parameter in self.network.parameters()]
        return [0.0 if slope is None else slope.norm().item() for slope in slopes]

    @cached_property
    def translations(self) -> list[float]:
        """The translations as numbers: their subwords and their scores."""
        return self.translated(DECODING)

    @cached_property
    def after_references(self) -> list[float]:
        """The same where the references stand in the place of earlier translations."""
        return self.translated(replace(DECODING, target_context="references"))

    def translated(self, decoding: DecodingSettings) -> list[float]:
        """Translations as numbers."""
        with torch.inference_mode():
            found = dict(self.task(self.files[1]).hypotheses(self.network.eval(), decoding))
        return [number for row in sorted(found) for one in found[row] for number in (*one.ids, one.score)]


NUMBERS = ("evaluated", "trained", "gradients", "translations")


def difference(one: Seen, other: Seen) -> str:
    """What differs first of two systems: files, shapes, units, initial weights or one of NUMBERS; empty for nothing."""
    for name in ("files", "shapes", "units"):
        if getattr(one, name) != getattr(other, name):
            return name
    if any(not torch.equal(value, other.initial[name]) for name, value in one.initial.items()):
        return "initial"
    return next((name for name in NUMBERS if differs(one, other, name)), "")


def differs(one: Seen, other: Seen, name: str) -> bool:
    """Whether one of NUMBERS differs between two systems."""
    first, second = getattr(one, name), getattr(other, name)
    return len(first) != len(second) or not np.allclose(first, second, rtol=1e-5, atol=1e-6)


def layers_of(network: nn.Module) -> dict[str, nn.Module]:
    """The layers of encoder and decoder, by their places in the network."""
    lists = {side: network.get_submodule(f"{side}_layers") for side in ("encoder", "decoder")}
    return {
        f"{side}_layers.{place}": layer for side, layers in lists.items() for place, layer in layers.named_children()
    }


def layers_that_differ(one: Seen, other: Seen) -> set[str]:
    """The layers of which one in the place of the other changes the loss in training, or has other shapes."""
    found, whole = set(), one.trained
    for place, layer in layers_of(other.network).items():
        own = one.network.get_submodule(place)
        if {name: value.shape for name, value in own.state_dict().items()} != {
            name: value.shape for name, value in layer.state_dict().items()
        }:
            found.add(place)
            continue
        one.network.set_submodule(place, layer)
        with torch.no_grad():
            if not np.allclose(one.loss(True).item(), whole, rtol=1e-6):
                found.add(place)
        one.network.set_submodule(place, own)
    return found
