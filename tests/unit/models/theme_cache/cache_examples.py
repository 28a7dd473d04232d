"""Random documents with words for the tests of the theme-rheme cache."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from discourse_nmt.models.context.inference import Paragraph
from discourse_nmt.models.theme_cache.document_words import DocumentWords
from discourse_nmt.models.theme_cache.network import ThemeRhemeCache
from tests.unit.models.context.context_examples import network, paragraph

LABELLER = {"labels": 3, "lstm_dir_width": 4, "lstm_layers": 1}


def cache_network(**switches: Any) -> ThemeRhemeCache:
    model = network("theme_rheme_cache", **{**LABELLER, **switches})
    assert isinstance(model, ThemeRhemeCache)
    if model.labeller is not None:
        model.labeller.score_head.weight.data.mul_(5)  # scores that are far apart
    return model


def with_words(one: Paragraph, seed: int, stop_share: float = 0.3, types: int = 6) -> Paragraph:
    """The document with words of one to three subwords, of which few types occur and some are stop words."""
    rng = np.random.default_rng(seed)
    lengths = np.array([len(ids) for ids in one.source])
    words, kinds, stops = [], [], []
    for length in lengths.tolist():
        of = np.cumsum(np.concatenate([[0], rng.random(length - 1) < 0.6]))
        drawn = rng.integers(0, types, of[-1] + 1)
        words.append(of)
        kinds.append(drawn[of])
        stops.append(drawn[of] < stop_share * types)
    structure = DocumentWords(lengths, *map(np.concatenate, (words, kinds, stops)))
    return replace(one, structure=structure)


def cut(one: Paragraph, sentences: Sequence[int]) -> Paragraph:
    """The document of these sentences of ``one``."""
    words: DocumentWords = one.structure
    borders = np.concatenate([[0], np.cumsum(words.lengths)])
    kept = np.concatenate([np.arange(borders[number], borders[number + 1]) for number in sentences])
    of = [getattr(words, name)[kept] for name in ("words", "types", "stops")]
    structure = DocumentWords(words.lengths[list(sentences)], *of)
    source, target = ([side[number] for number in sentences] for side in (one.source, one.target))
    return Paragraph(source, target, structure)


DOCUMENTS = [
    with_words(paragraph([3, 5, 2, 4, 6, 7, 3], 1), 1),
    with_words(paragraph([4], 2), 2),
    with_words(paragraph([1, 7, 3, 8], 3), 3),
]
