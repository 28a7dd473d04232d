"""Sentences of raw text by the shipped analysers."""

import logging
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from discourse_nmt.discourse.analysers.weights import load_segmenter
from discourse_nmt.discourse.backends.builtin.models import SHIPPED, segmenter_files

INNER_MARK = re.compile(r"[.!?…。！？]\W*\w")  # a text without one is a single sentence, such as a heading
log = logging.getLogger(__name__)


def sentence_splitters(languages: Mapping[str, str]) -> dict[str, Callable[[Sequence[str]], list[list[str]]]]:
    """A function from texts to the sentences of each, for each side of ``languages`` that has a shipped segmenter."""
    splitters = {}
    for side, language in languages.items():
        if segmenter_files(language):
            splitters[side] = _splitter(SHIPPED / language)
        else:
            log.warning(
                "no shipped sentence splitter for %s: sentences end at their marks, or blocks stay whole", language
            )
    return splitters


def _splitter(folder: Path) -> Callable[[Sequence[str]], list[list[str]]]:
    segmenter = load_segmenter(folder)

    def split(texts: Sequence[str]) -> list[list[str]]:
        candidates = {text: [text] for text in texts if INNER_MARK.search(text)}
        for text, parts in zip(candidates, segmenter.segment(list(candidates))):
            candidates[text] = [text[part.start : part.end] for part in parts]
        return [candidates.get(text, [text]) for text in texts]

    return split
