"""Checkpoints of transformers, imported: the text stage's models, and the sentence Transformer."""

from typing import Any

from discourse_nmt.corpus.vocabulary import Vocabulary
from discourse_nmt.models.core.transformer import Transformer
from discourse_nmt.text.pretrained import PretrainedEncoder, adopt, known_layout, rows_of, subwords_of
from discourse_nmt.text.settings import SIDES, Side, TextSettings
from discourse_nmt.text.tokenisers import Tokens, tokeniser
from discourse_nmt.training.checkpoints.pretrained import read_pretrained, sentence_model
from tests.unit.training.pretrained.pretrained_checkpoints import demo_pairs
from tests.unit.training.pretrained.reference_checkpoints import Reference

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
