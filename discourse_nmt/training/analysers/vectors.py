"""Vectors of words that others learnt from raw text, in the text format of word2vec, GloVe and fastText.

A line has a word and its components, separated by spaces; the first line may have two counts instead. Words are sorted
by falling frequency.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.sources import expand

Table = npt.NDArray[np.float32]


def read_vectors(pattern: str, count: int) -> tuple[list[str], Table]:
    """The first ``count`` different lower-cased words of a file and their vectors [words, width].

    Components have mean 0 and standard deviation 0.5 over these words, so that none outweighs the learnt features of a
    word. Raises :class:`InputError` for a line that is no word with a vector.
    """
    sources = expand(pattern)
    if len(sources) > 1:
        raise InputError(f"{len(sources)} files match", file=pattern, remedy="name one file of vectors")
    name = sources[0].name
    rows: dict[str, Table] = {}
    width = 0
    for line, text in enumerate(sources[0].lines(), 1):
        if line == 1 and len(text.split()) == 2:
            continue
        width = width or len(text.split()) - 1
        word, *components = text.rstrip().rsplit(" ", width)
        vector = _numbers(components)
        if len(vector) != max(width, 1):
            message = f"not a word and {width} finite numbers" if width else "not a word and its components"
            raise InputError(
                message, file=name, line=line, remedy="give vectors in the text format of word2vec or GloVe"
            )
        rows.setdefault(word.lower(), vector)
        if len(rows) == count:
            break
    if len(rows) < 2:
        raise InputError("fewer than two words", file=name, remedy="give lines of a word and its components")
    table = np.stack(list(rows.values()))
    deviation = table.std(0)
    return list(rows), (table - table.mean(0)) * (0.5 / np.where(deviation > 0, deviation, 1))


def _numbers(components: Sequence[str]) -> Table:
    """The components as numbers; an empty array if one is no finite number."""
    try:
        vector = np.array(components, np.float32)
    except ValueError:
        vector = np.zeros(0, np.float32)
    return vector if np.isfinite(vector).all() else vector[:0]
