"""Checkpoints of transformers, imported: the text stage's models, and the sentence Transformer."""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from discourse_nmt.base.vocabulary import BEGIN, END, Vocabulary
from discourse_nmt.models.core.beam_search import beam_search
from discourse_nmt.models.core.inference import padded
from discourse_nmt.models.core.transformer import Transformer
from discourse_nmt.models.switches.decoding import DecodingSettings
from discourse_nmt.models.systems import build
from discourse_nmt.text.pretrained import PretrainedEncoder, adopt, known_layout, rows_of, subwords_of
from discourse_nmt.text.settings import SIDES, Side, TextSettings
from discourse_nmt.text.tokenisers import Tokens, tokeniser
from discourse_nmt.training.checkpoints.model_files import initialise_from, save_model, tensors_of
from discourse_nmt.training.checkpoints.pretrained import read_pretrained, sentence_model
from tests.unit.training.pretrained.pretrained_checkpoints import demo_pairs
from tests.unit.training.pretrained.reference_checkpoints import Reference, make

LANGUAGES = {"source_language": "en", "target_language": "de"}


class Imported:
    """The import of a ``reference``, with its ``whole`` vocabulary or that of the demo's sentences."""

    def __init__(self, reference: Reference, whole: bool = True) -> None:
        self.reference = reference
        folder = reference.folder
        section = {**LANGUAGES, **self.reference.text, "whole_vocabulary": whole}
        self.settings = TextSettings.from_mapping(section)
        self.tokenise = tokeniser(self.settings.source).tokenise
        checkpoint = subwords_of(self.settings)
        adopted = adopt(self.training_rows(), self.settings)
        self.encoders = {side: PretrainedEncoder(*adopted[side]) for side in SIDES}
        self.vocabularies: dict[str, Vocabulary] = {side: adopted[side][1] for side in SIDES}
        self.rows = {side: rows_of(checkpoint[side], adopted[side][1]) for side in SIDES}
        pretrained = read_pretrained(folder, known_layout(checkpoint["target"]).marks)
        for side in SIDES:
            pretrained.check_symbols(known_layout(checkpoint[side]).rows, side)
        network = sentence_model(pretrained, self.rows["source"], self.rows["target"], self.settings.joint)
        assert isinstance(network, Transformer)
        self.network = network.eval()

    def training_rows(self) -> list[tuple[Any, Tokens]]:
        return [(side, self.tokenise(line)) for pair in demo_pairs() for side, line in zip(SIDES, pair)]

    def ids(self, side: Side, line: str) -> list[int]:
        return self.encoders[side].encode(self.tokenise(line))[0]

    def in_rows(self, side: Side, ids: list[int]) -> list[int]:
        return [self.rows[side][index] for index in ids]


PAIRS = demo_pairs()[:5]
SETTINGS = DecodingSettings(beam=2, max_length_ratio=0.0, max_length_offset=12)


class Start:
    """A checkpoint's import, as a model file."""

    def __init__(self, kind: str, folder: Path, whole: bool = False) -> None:
        self.imported = Imported(make(kind, folder / "checkpoint"), whole)
        self.path = folder / "model.safetensors"
        vocabularies = self.imported.vocabularies
        self.vocabularies = (vocabularies["source"], vocabularies["target"])
        self.save(self.imported.network)
        self.source, self.target = (
            [np.array(self.imported.ids(side, pair[index])) for pair in PAIRS] for index, side in enumerate(SIDES)
        )

    def save(self, network: Any) -> None:
        save_model(self.path, network, "transformer", self.imported.network.settings, *self.vocabularies)

    def network(self, system: str, *, seed: int = 1, **switches: Any) -> Any:
        """The network of another system that starts from the import."""
        source, target = self.vocabularies
        values = {**asdict(self.imported.network.settings), **switches}
        torch.manual_seed(seed)
        network = build(system, values, len(source), len(target), self.imported.settings.joint)
        loaded, unused = initialise_from(network, self.path, *self.vocabularies)
        assert not unused and loaded == tensors_of(self.imported.network).keys()
        return network.eval()

    def logits(self) -> list[Tensor]:
        """Of the sentence model, sentence by sentence."""
        return [
            self.imported.network(torch.tensor([[BEGIN, *source, END]]), torch.tensor([[BEGIN, *target]]))[0]
            for source, target in zip(self.source, self.target)
        ]

    def translations(self, settings: DecodingSettings = SETTINGS) -> list[Sequence[int]]:
        """Of the sentence model."""
        ids = padded([source.tolist() for source in self.source], self.imported.network)
        return [best[0].ids for best in beam_search(self.imported.network, ids, settings)]
