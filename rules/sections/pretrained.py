"""Files of the checkpoint of a pretrained model that a corpus takes its subwords from."""

from pathlib import Path

from discourse_nmt.corpus.errors import InputError
from discourse_nmt.text.settings import SubwordsName, TextSettings

SUBWORDS: dict[SubwordsName, list[str]] = {
    "bpe": [],
    "sentencepiece": ["sentencepiece.bpe.model"],
    "byte_bpe": ["vocab.json", "merges.txt"],
}
WEIGHTS = ["model.safetensors", "pytorch_model.bin"]
# What initialised_from says for the model of the checkpoint instead of an experiment's.
PRETRAINED = "pretrained"


def checkpoint_files(settings: TextSettings) -> dict[str, list[str]]:
    """Paths of the files of the checkpoint's subwords and of its network; none where subwords are learnt.

    Raises :class:`InputError` for a missing file.
    """
    side = settings.source
    if side.pretrained is None:
        return {"subwords": [], "network": []}
    directory = Path(side.pretrained)
    weights = next((name for name in WEIGHTS if (directory / name).exists()), WEIGHTS[0])
    names = {"subwords": SUBWORDS[side.subwords], "network": ["config.json", weights]}
    for name in (*names["subwords"], *names["network"]):
        if not (directory / name).exists():
            remedy = "put the checkpoint there, in Hugging Face's format, or correct text.pretrained"
            raise InputError(f"no file {name}", file=directory, remedy=remedy)
    return {part: [str(directory / name) for name in found] for part, found in names.items()}
