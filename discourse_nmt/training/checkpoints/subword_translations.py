"""The file of the most probable translations of each subword, ``subword_translations.safetensors``.

It holds a matrix of target ids, int32 [source symbols, n], and the fingerprints of both vocabularies.
"""

from pathlib import Path

import numpy as np
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from discourse_nmt.base.arrays import Integers
from discourse_nmt.base.errors import InputError
from discourse_nmt.base.storage.files import replacing, verified
from discourse_nmt.base.vocabulary import Vocabulary

TENSOR, VOCABULARIES = "translations", "vocabularies"
REMEDY = "delete it and run again"


def save_translations(path: str | Path, translations: Integers, vocabularies: tuple[Vocabulary, Vocabulary]) -> None:
    """Write the ``translations`` [source symbols, n] between the source and the target vocabulary, atomically."""
    with replacing(path) as temporary:
        temporary.write_bytes(
            save({TENSOR: translations.astype(np.int32)}, {VOCABULARIES: _fingerprints(vocabularies)})
        )


def load_translations(path: str | Path, vocabularies: tuple[Vocabulary, Vocabulary]) -> Integers:
    """The lists that :func:`save_translations` wrote; another file, or other vocabularies: :class:`InputError`."""
    try:
        with safe_open(verified(path), framework="numpy") as file:
            metadata, translations = file.metadata() or {}, file.get_tensor(TENSOR)
    except (OSError, SafetensorError) as error:
        reason = str(error).splitlines()[0]
        raise InputError(f"not readable translations of subwords ({reason})", file=path, remedy=REMEDY) from None
    if metadata.get(VOCABULARIES) != _fingerprints(vocabularies):
        raise InputError("translations of subwords between other vocabularies", file=path, remedy=REMEDY)
    found: Integers = translations.astype(np.int64)
    return found


def _fingerprints(vocabularies: tuple[Vocabulary, Vocabulary]) -> str:
    return " ".join(vocabulary.fingerprint for vocabulary in vocabularies)
