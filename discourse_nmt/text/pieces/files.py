"""Files of a checkpoint in Hugging Face's format, by the kind that its ``config.json`` names."""

from pathlib import Path

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.settings import nearest
from discourse_nmt.base.storage.files import read_json

CONFIGURATION = "config.json"
PIECES = "sentencepiece.bpe.model"
VOCABULARY, TARGET_VOCABULARY, MERGES = "vocab.json", "target_vocab.json", "merges.txt"
MARIAN_PIECES = {"source": "source.spm", "target": "target.spm"}
WEIGHTS = ("model.safetensors", "pytorch_model.bin")
INDEX_ENDING = ".index.json"
KINDS = {"sentencepiece": ("marian", "m2m_100", "mbart"), "byte_bpe": ("bart",)}
"""The values of ``model_type`` that have each kind of subwords."""


def configuration(directory: Path) -> dict[str, object]:
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


def weight_files(directory: Path) -> tuple[list[str], dict[str, str]]:
    """Names of the files that hold the weights of the checkpoint in ``directory``, and the file of each tensor.

    Weights are one file, and the mapping is then empty, or several with an index, which is the first name. Raises
    :class:`InputError` if there are neither, and for an index that names other things than files beside it.
    """
    for name in WEIGHTS:
        if (directory / name).exists():
            return [name], {}
        index = directory / f"{name}{INDEX_ENDING}"
        if index.exists():
            file_of_tensor = _file_of_tensor(index)
            return [index.name, *sorted(set(file_of_tensor.values()))], file_of_tensor
    raise InputError(
        f"no file {' or '.join(WEIGHTS)}, in one piece or with an {INDEX_ENDING}",
        file=directory,
        remedy="put the checkpoint there, in Hugging Face's format, or correct text.pretrained",
    )


def _file_of_tensor(index: Path) -> dict[str, str]:
    content = read_json(index)
    names = content.get("weight_map") if isinstance(content, dict) else None
    if not isinstance(names, dict) or not names or not all(isinstance(name, str) for name in names.values()):
        raise InputError("no weight_map of tensors and their files", file=index, remedy="get it again")
    for name in sorted(set(names.values())):
        # A name such as ../other would read elsewhere.
        if Path(name).name != name or not name.endswith(tuple(Path(whole).suffix for whole in WEIGHTS)):
            raise InputError(f"{name} is no file of weights beside it", file=index, remedy="get it again")
        if not (index.parent / name).exists():
            raise InputError(f"no file {name}, which {index.name} names", file=index.parent, remedy="get it too")
    return names


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
