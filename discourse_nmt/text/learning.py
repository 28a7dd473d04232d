"""BPE models and vocabularies of both sides, learnt from the words of the training split."""

from collections import Counter
from collections.abc import Mapping

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.vocabulary import Vocabulary
from discourse_nmt.text.settings import SIDES, Side, SideSettings, TextSettings
from discourse_nmt.text.subwords import Segmentation, count_subwords, learn_codes


def learn_segmentations(
    counts: Mapping[Side, Counter[str]], settings: TextSettings
) -> dict[Side, tuple[Segmentation, Vocabulary]]:
    """BPE model and vocabulary of each side from its words and their counts.

    With ``joint``, merges and vocabulary are learnt on both sides together, so that both sides have the same ones. The
    vocabulary threshold applies to each side by itself, as subword-nmt recommends. Without merges, symbols are words.
    """
    if settings.joint:
        codes = dict.fromkeys(SIDES, learn_codes(counts["source"] + counts["target"], settings.source.bpe.merges))
    else:
        codes = {side: learn_codes(counts[side], settings.of(side).bpe.merges) for side in SIDES}
    segmentations = {side: restricted(codes[side], counts[side], settings.of(side)) for side in SIDES}
    subwords = {side: count_subwords(counts[side], segmentations[side]) for side in SIDES}
    if settings.joint:
        subwords = dict.fromkeys(SIDES, subwords["source"] + subwords["target"])
    sizes = {side: settings.of(side).bpe.vocabulary_size for side in SIDES}
    return {side: (segmentations[side], Vocabulary.from_counts(subwords[side], sizes[side])) for side in SIDES}


def restricted(codes: tuple[str, ...] | None, counts: Mapping[str, int], settings: SideSettings) -> Segmentation:
    """Segmentation by ``codes`` without merges into subwords below the side's vocabulary threshold."""
    threshold = settings.bpe.vocabulary_threshold
    if not threshold:
        return Segmentation(codes)
    frequent = count_subwords(counts, Segmentation(codes))
    known = frozenset(subword for subword, count in frequent.items() if count >= threshold)
    if not known:
        raise InputError(
            f"text.bpe.vocabulary_threshold {threshold} leaves no subword of {settings.language}",
            remedy="lower it or add training text",
        )
    return Segmentation(codes, known)
