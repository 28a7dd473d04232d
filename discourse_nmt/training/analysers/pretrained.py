"""A joint network whose words a pretrained BERT reads, too: a teacher of the networks that ship, which are smaller.

A folder in the format of Hugging Face holds the BERT: ``config.json``, ``model.safetensors``, ``tokenizer.json``. It
reads the word pieces of a sentence; the mean of a word's last states is added to the word's own features. Training
changes its layers, not its embeddings.
"""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors import SafetensorError
from safetensors.torch import load_file
from tokenizers import Tokenizer
from torch import Tensor, nn
from torch.nn import functional

from discourse_nmt.base.arrays import Integers
from discourse_nmt.base.errors import InputError
from discourse_nmt.base.storage.files import read_json
from discourse_nmt.discourse.analysers.inventory import Inventory
from discourse_nmt.discourse.analysers.network import (
    AnalyserDropout,
    JointNetwork,
    NetworkSizes,
    SentenceBatch,
    WordEncoder,
)
from discourse_nmt.discourse.analysers.words import WordFeatures
from discourse_nmt.training.processes.devices import has_bf16

PIECES = 6  # word pieces of a word that are read
CONFIG, TOKENISER, WEIGHTS = "config.json", "tokenizer.json", "model.safetensors"
MARKS = ("[CLS]", "[SEP]", "[UNK]")


class PretrainedModel:
    """The description and the tokeniser of the BERT in ``folder``."""

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        self.config = read_json(self.folder / CONFIG)
        if not isinstance(self.config, dict) or self.config.get("model_type") != "bert":
            raise InputError("not the description of a BERT", file=self.folder / CONFIG, remedy="choose another folder")
        file = self.folder / TOKENISER
        try:
            self.tokeniser = Tokenizer.from_file(str(file))
        except Exception as error:  # the library raises nothing narrower
            raise InputError(f"cannot be read ({error})", file=file, remedy="choose another folder") from None
        self.tokeniser.no_truncation()
        self.tokeniser.no_padding()
        ids = [self.tokeniser.token_to_id(mark) for mark in MARKS]
        known = [number for number in ids if number is not None]
        if len(known) < len(MARKS):
            raise InputError(f"lacks one of {', '.join(MARKS)}", file=file, remedy="choose another folder")
        self.first, self.last, self.unknown = known

    @property
    def width(self) -> int:
        """Width of the states."""
        return int(self.config["hidden_size"])

    def pieces(self, form: str) -> list[int]:
        """Ids of the word pieces of a word, at most :data:`PIECES`, at least one."""
        return self.tokeniser.encode(form, add_special_tokens=False).ids[:PIECES] or [self.unknown]

    def network(self) -> nn.Module:
        """A new BERT without dropout, which is that of the joint network's layers."""
        try:
            from transformers import BertConfig, BertModel
        except ImportError:
            raise InputError(
                "teachers that read a pretrained model need transformers, which is not installed",
                remedy="install the extra teachers",
            ) from None
        config = BertConfig(**{**self.config, "hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0})
        config._attn_implementation = "eager"  # on CPUs faster in training than the fused one
        network: nn.Module = BertModel(config, add_pooling_layer=False)
        return network

    def weights(self) -> dict[str, Tensor]:
        """The pretrained weights of :meth:`network`."""
        file = self.folder / WEIGHTS
        try:
            tensors = load_file(file)
        except (OSError, SafetensorError) as error:
            raise InputError(f"cannot be read ({error})", file=file, remedy="choose another folder") from None
        return {name.removeprefix("bert."): tensor for name, tensor in tensors.items()}

    def copy_to(self, folder: str | Path) -> None:
        """Copy the description and the tokeniser, which a trained network needs beside its own files."""
        for name in (CONFIG, TOKENISER):
            shutil.copyfile(self.folder / name, Path(folder) / name)


class PieceFeatures(WordFeatures):
    """Features of a word, and behind them the ids of its pieces: [OWN + AFFIXES + width + PIECES], padded with 0."""

    def __init__(self, pieces: Callable[[str], list[int]], *arguments: Any) -> None:
        super().__init__(*arguments)
        self._pieces = pieces

    def _row(self, form: str) -> Integers:
        ids = self._pieces(form)
        return np.concatenate([super()._row(form), np.array(ids + [0] * (PIECES - len(ids)), np.int64)])


class ContextualEncoder(WordEncoder):
    """Vectors of words: features of the form, then the mean state of the word's pieces in the sentence."""

    def __init__(self, settings: NetworkSizes, model: PretrainedModel) -> None:
        super().__init__(settings)
        self.first, self.last, self.longest = model.first, model.last, int(model.config["max_position_embeddings"])
        self.pretrained = model.network()
        self.bf16 = has_bf16("cpu")

    def forward(self, batch: SentenceBatch, dropout: AnalyserDropout) -> Tensor:
        """Vectors [B, T, size]; of words behind the last position of the pretrained model the latter part is 0."""
        own = super().forward(batch._replace(types=batch.types[:, :-PIECES]), dropout)
        inside = torch.arange(batch.places.shape[1]) < batch.lengths[:, None]
        pieces = batch.types[:, -PIECES:][batch.places] * inside[..., None]  # [B, T, PIECES]
        counts = (pieces > 0).sum(-1)
        end = 1 + counts.cumsum(1)
        begin, total = end - counts, end[:, -1:]
        line = torch.zeros(len(pieces), int(total.max()) + 1, dtype=torch.long)
        line[:, 0] = self.first
        line.scatter_(1, total, self.last)
        known = pieces > 0
        rows = torch.arange(len(pieces))[:, None, None].expand_as(pieces)
        line[rows[known], (begin[..., None] + torch.arange(PIECES))[known]] = pieces[known]
        line = line[:, : self.longest]
        attended = (torch.arange(line.shape[1]) <= total).long()
        with torch.autocast("cpu", torch.bfloat16, enabled=self.bf16):
            states = self.pretrained(input_ids=line, attention_mask=attended).last_hidden_state.float()
        sums = functional.pad(states.cumsum(1), (0, 0, 1, 0))
        row, limit = torch.arange(len(line))[:, None], line.shape[1]
        mean = (sums[row, end.clamp(max=limit)] - sums[row, begin.clamp(max=limit)]) / counts.clamp(min=1)[..., None]
        return torch.cat([own, mean], -1)


class PretrainedNetwork(JointNetwork):
    """The joint network over words that a pretrained model reads, too."""

    encoder: ContextualEncoder

    def __init__(self, settings: NetworkSizes, model: PretrainedModel) -> None:
        self.model = model
        super().__init__(settings)

    def word_encoder(self) -> WordEncoder:
        """A new encoder of words."""
        return ContextualEncoder(self.settings, self.model)

    def word_features(self, inventory: Inventory) -> WordFeatures:
        """The features of words that the network reads, and their pieces."""
        own = super().word_features(inventory)
        return PieceFeatures(
            self.model.pieces, list(own.words), list(own.characters), own.buckets, own.width, list(own.vectors)
        )

    def take_pretrained_weights(self) -> None:
        """Fill the BERT, whose embeddings no training changes."""
        network = self.encoder.pretrained
        weights = self.model.weights()
        wanted = {name: value.shape for name, value in network.state_dict().items()}
        if any(name not in weights or weights[name].shape != shape for name, shape in wanted.items()):
            raise InputError(
                "not the weights of the BERT in config.json",
                file=self.model.folder / WEIGHTS,
                remedy="choose another folder",
            )
        network.load_state_dict({name: weights[name].float() for name in wanted})
        network.get_submodule("embeddings").requires_grad_(False)
