"""Figures of the segmentation of raw text into words and sentences."""

from collections.abc import Sequence

from discourse_nmt.discourse.analysers.segmentation import SegmentedSentence
from discourse_nmt.discourse.evaluation.measures.counts import Counts
from discourse_nmt.discourse.treebanks.examples import Segmented


def measure_segmentation(
    texts: Sequence[Segmented], segmented: Sequence[Sequence[SegmentedSentence]]
) -> dict[str, float]:
    """F1, in percent, of words and of sentences (both ends right), as spans of characters."""
    gold_words: set[tuple[int, int, int]] = set()
    gold_sentences: set[tuple[int, int, int]] = set()
    words: set[tuple[int, int, int]] = set()
    sentences: set[tuple[int, int, int]] = set()
    for number, (text, predicted) in enumerate(zip(texts, segmented, strict=True)):
        for spans in text.sentences:
            gold_sentences.add((number, spans[0][0], spans[-1][1]))
            gold_words |= {(number, *span) for span in spans}
        for sentence in predicted:
            sentences.add((number, sentence.start, sentence.end))
            words |= {(number, *span) for span in sentence.words}
    return {
        "word F1": Counts.of_sets(gold_words, words).f1,
        "sentence F1": Counts.of_sets(gold_sentences, sentences).f1,
    }
