"""Filters for sentence pairs that are too long or too unequal, and for documents that are too short."""

from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from discourse_nmt.base.settings import setting
from discourse_nmt.corpus.documents import Document, Drop

WITHOUT_SPACES = ("zh", "ja")


@dataclass(frozen=True)
class Filters:
    """Limits; ``None`` switches a limit off. Lengths count words (whitespace tokens), or characters in Chinese and
    Japanese.
    """

    max_tokens: int | None = setting(
        200,
        "longest sentence on either side in words (characters for Chinese and Japanese); null for any",
        minimum=1,
    )
    max_ratio: float | None = setting(9, "largest ratio of the two lengths; null for any", minimum=1)
    min_sentences: int = setting(1, "shortest document in sentences", minimum=1)
    splits: list[str] = setting(["train"], "splits that are filtered")
    gaps: Literal["cut", "close"] = setting(
        "cut",
        "a document that loses pairs out of its middle: cut there into several documents, so that no sentences become "
        "neighbours that were none; or closed up",
    )


def length(sentence: str, language: str) -> int:
    """Number of words of ``sentence``: whitespace tokens, or non-blank characters in Chinese and Japanese."""
    words = sentence.split()
    return sum(map(len, words)) if language.replace("_", "-").split("-")[0] in WITHOUT_SPACES else len(words)


def filtered(document: Document, filters: Filters, languages: tuple[str, str]) -> tuple[list[Document], list[Drop]]:
    """The documents that ``filters`` leave of ``document``, and the excluded pairs, each with its first reason.

    With ``gaps: cut`` each run of sentences between two gaps is a document: ``ID``, then ``ID+N`` with ``N`` the number
    of its first sentence in the whole document, from 0. Nothing is left of a document with fewer than
    ``min_sentences``, and its last :class:`Drop` stands for the whole document.
    """
    drops: list[Drop] = []
    kept: list[int] = []
    reasons: dict[int, str] = {}
    for index, pair in enumerate(zip(document.source.sentences, document.target.sentences)):
        shorter, longer = sorted(length(sentence, language) for sentence, language in zip(pair, languages))
        if filters.max_tokens is not None and longer > filters.max_tokens:
            reasons[index] = "max_tokens"
        elif filters.max_ratio is not None and longer > filters.max_ratio * shorter:
            reasons[index] = "max_ratio"
        else:
            kept.append(index)
    for index, reason in reasons.items():
        between = bool(kept) and kept[0] < index < kept[-1]
        text, line = document.source.sentences[index], document.source.lines[index]
        drops.append(Drop(document.doc_id, line, reason, text, 1, between))
    if len(kept) < max(1, filters.min_sentences):
        text = document.source.sentences[kept[0]] if kept else ""
        drops.append(Drop(document.doc_id, None, "min_sentences", text, len(kept)))
        return [], drops
    after_gaps = [position for before, position in pairwise(kept) if position > before + 1]
    if filters.gaps == "close" or not after_gaps:
        return [document if len(kept) == len(document) else document.part(document.doc_id, kept)], drops
    borders = [kept.index(position) for position in after_gaps]
    runs = [kept[first:stop] for first, stop in pairwise([0, *borders, len(kept)])]
    names = [document.doc_id, *(f"{document.doc_id}+{run[0]}" for run in runs[1:])]
    return [document.part(name, run) for name, run in zip(names, runs)], drops
