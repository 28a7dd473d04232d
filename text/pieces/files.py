"""Files of a checkpoint in Hugging Face's format, by the kind that its ``config.json`` names."""

from pathlib import Path
from typing import Any

from discourse_nmt.corpus.errors import InputError
from discourse_nmt.corpus.settings import nearest
from discourse_nmt.corpus.storage.files import read_json

CONFIGURATION = "config.json"
PIECES = "sentencepiece.bpe.model"
VOCABULARY, TARGET_VOCABULARY, MERGES = "vocab.json", "target_vocab.json", "merges.txt"
MARIAN_PIECES = {"source": "source.spm", "target": "target.spm"}
KINDS = {"sentencepiece": ("marian", "m2m_100", "mbart"), "byte_bpe": ("bart",)}
"""The values of ``model_type`` that have each kind of subwords."""


def configuration(directory: Path) -> dict[str, Any]:
    """The content of ``config.json``; :class:`InputError` for anything but a mapping."""
    content = read_json(directory / CONFIGURATION)
    if not isinstance(content, dict):
        raise InputError("not a mapping", file=directory / CONFIGURATION, remedy="get it again")
    return content


def model_type(directory: Path, subwords: str) -> str:
    """The kind of the checkpoint in ``directory``, one that has the kind of ``subwords`` of the settings."""
    kind = str(configuration(directory).get("model_type"))
    if kind not in KINDS[subwords]:
        fitting = next((name for name, kinds in KINDS.items() if kind in kinds), None)
        kinds = [kind for kinds in KINDS.values() for kind in kinds]
        remedy = nearest(kind, kinds) if fitting is None else f"set text.subwords to {fitting}"
        raise InputError(f"model_type is {kind}", file=directory / CONFIGURATION, remedy=remedy)
    return kind


def separate_vocabularies(directory: Path) -> bool:
    """Whether a checkpoint of Marian has embeddings of its own for each side."""
    return configuration(directory).get("share_encoder_decoder_embeddings", True) is False


def subword_files(directory: Path, subwords: str) -> list[str]:
    """Names of the files that tell the subwords of the checkpoint in ``directory``, ``config.json`` first."""
    kind = model_type(directory, subwords)
    if kind == "bart":
        return [CONFIGURATION, VOCABULARY, MERGES]
    if kind == "marian":
        target = [TARGET_VOCABULARY] if separate_vocabularies(directory) else []
        return [CONFIGURATION, *MARIAN_PIECES.values(), VOCABULARY, *target]
    # Of model_type m2m_100, M2M-100 has a vocabulary and NLLB-200 none.
    vocabulary = [VOCABULARY] if kind == "m2m_100" and (directory / VOCABULARY).exists() else []
    return [CONFIGURATION, PIECES, *vocabulary]
