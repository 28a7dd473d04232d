"""The trained labeller of themes that a theme-rheme cache holds: a :class:`.CompanionModule`."""

from pathlib import Path
from typing import cast

from torch import nn

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.storage.files import checksum
from discourse_nmt.base.vocabulary import Vocabulary
from discourse_nmt.models.switches.theme_labeller import LabellerSettings
from discourse_nmt.models.theme_cache.network import ThemeRhemeCache
from discourse_nmt.training.checkpoints.model_files import fill, tensors_of
from discourse_nmt.training.labellers.files import load_labeller


def sizes(path: Path) -> dict[str, int]:
    """The switches that hold the sizes of the labeller in a file, which must have a score head."""
    _, card = load_labeller(path)
    settings = LabellerSettings(**card.settings)
    return {
        "labels": len(card.labels),
        "lstm_dir_width": settings.direction_width,
        "lstm_layers": settings.layers,
    }


def give(network: nn.Module, path: Path, vocabulary: Vocabulary, model: Path) -> None:
    """Copy the labeller in the file ``path`` into ``network``, whose encoder is that of the file ``model``.

    ``vocabulary`` is that of the source side. Raises :class:`InputError` if the labeller was trained on an encoder of
    another width, vocabulary or model, with which its scores are meaningless.
    """
    cache = cast(ThemeRhemeCache, network)
    labeller, card = load_labeller(path)
    for property_name, of_file, own in (
        ("width", card.width, cache.settings.width),
        ("source vocabulary", card.source_vocabulary[:12], vocabulary.fingerprint[:12]),
        ("model", card.model[:12], checksum(model)[:12]),
    ):
        if of_file != own:
            raise InputError(
                f"it reads an encoder of {property_name} {of_file}, the network's is {own}",
                file=path,
                remedy="train it on the model that this one is initialised from",
            )
    assert cache.labeller is not None
    fill(cache.labeller, tensors_of(labeller), path)
