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
# The value of initialised_from that stands for the model of the checkpoint.
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
    return {use: [str(directory / name) for name in files] for use, files in names.items()}
