"""Files of the checkpoint of a pretrained model that a corpus takes its subwords from."""

from pathlib import Path

from discourse_nmt.base.errors import InputError
from discourse_nmt.text.pieces.files import CONFIGURATION, subword_files, weight_files
from discourse_nmt.text.settings import TextSettings

# The value of initialised_from that stands for the model of the checkpoint.
PRETRAINED = "pretrained"


def checkpoint_files(settings: TextSettings) -> dict[str, list[str]]:
    """Paths of the files of the checkpoint's subwords and of its network; none where subwords are learnt.

    Raises :class:`InputError` for a missing file, and for a checkpoint of another kind than those of the subwords.
    """
    side = settings.source
    if side.pretrained is None:
        return {"subwords": [], "network": []}
    directory = Path(side.pretrained)
    _check_files(directory, [CONFIGURATION])
    names = {"subwords": subword_files(directory, side.subwords)}
    _check_files(directory, names["subwords"])
    names["network"] = [CONFIGURATION, *weight_files(directory)[0]]
    return {use: [str(directory / name) for name in files] for use, files in names.items()}


def _check_files(directory: Path, names: list[str]) -> None:
    for name in names:
        if not (directory / name).exists():
            remedy = "put the checkpoint there, in Hugging Face's format, or correct text.pretrained"
            raise InputError(f"no file {name}", file=directory, remedy=remedy)
