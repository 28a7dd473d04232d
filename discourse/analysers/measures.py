"""How well the builtin analysers do on gold annotation: the figures of the cards and of the training log."""

from collections.abc import Iterable, Sequence
from typing import TypeVar

from discourse.analysers.analyser import SentenceAnalysis
from discourse.analysers.examples import Example, genre_of
from discourse.analysers.segmentation import SegmentedSentence
from discourse.analysers.treebank import Segmented

Item = TypeVar("Item")


def precision_recall(gold: set[Item], predicted: set[Item]) -> tuple[float, float, float]:
    """Precision, recall and F1 of a set of things, in percent; 100 where there is nothing to find or found."""
    right = len(gold & predicted)
    precision = 100 * right / len(predicted) if predicted else 100.0
    recall = 100 * right / len(gold) if gold else 100.0
    return precision, recall, 200 * right / (len(gold) + len(predicted)) if gold or predicted else 100.0


def measure(examples: Sequence[Example], analyses: Iterable[SentenceAnalysis]) -> dict[str, float]:
    """Percentages over words (UPOS, features, lemma, UAS, LAS) and precision, recall, F1 of the words that begin a
    discourse unit, first words of sentences included (as in the DISRPT shared tasks) and without them (inner).

    What the examples are not annotated with has no figure.
    """
    right = dict.fromkeys(("UPOS", "XPOS", "features", "lemma", "UAS", "LAS"), 0)
    words = featured = 0
    gold: set[tuple[int, int]] = set()
    found: set[tuple[int, int]] = set()
    for number, (example, analysis) in enumerate(zip(examples, analyses)):
        words += len(example.forms)
        right["UPOS"] += _agreeing(example.upos, analysis.upos)
        right["XPOS"] += _agreeing(example.xpos, analysis.xpos)
        right["lemma"] += _agreeing(example.lemmas, analysis.lemmas)
        right["UAS"] += _agreeing(example.heads, analysis.heads)
        right["LAS"] += _agreeing(
            list(zip(example.heads, example.deprels)), list(zip(analysis.heads, analysis.deprels))
        )
        if example.features is not None:
            featured += len(example.forms)
            right["features"] += _agreeing(example.features, analysis.features)
        if example.edu_starts is not None:
            gold |= {(number, word) for word, start in enumerate(example.edu_starts) if start}
            found |= {(number, word) for word, start in enumerate(analysis.edu_starts) if start}
    totals = {name: featured if name == "features" else words for name in right}
    figures = {name: 100 * count / totals[name] for name, count in right.items() if totals[name]}
    if gold:
        figures["EDU precision"], figures["EDU recall"], figures["EDU F1"] = precision_recall(gold, found)
        inner = [{place for place in places if place[1] > 0} for places in (gold, found)]
        figures["inner EDU F1"] = precision_recall(*inner)[2]
    return figures


def measure_by_genre(examples: Sequence[Example], analyses: Sequence[SentenceAnalysis]) -> dict[str, dict[str, float]]:
    """:func:`measure` over everything (``all``) and over each genre, rounded to hundredths."""
    pairs = list(zip(examples, analyses, strict=True))
    groups = {"all": pairs}
    for genre in sorted({genre_of(example.document) for example in examples}):
        groups[genre] = [pair for pair in pairs if genre_of(pair[0].document) == genre]
    return {
        name: {key: round(value, 2) for key, value in measure(*zip(*group)).items()} for name, group in groups.items()
    }


def _agreeing(gold: Sequence[object], predicted: Sequence[object]) -> int:
    return sum(left == right for left, right in zip(gold, predicted, strict=True))


def measure_segmentation(
    texts: Sequence[Segmented], segmented: Sequence[Sequence[SegmentedSentence]]
) -> dict[str, float]:
    """F1, in percent, of words and of sentences (both ends right), as spans of characters."""
    gold_words, gold_sentences = set(), set()
    words, sentences = set(), set()
    for number, (text, found) in enumerate(zip(texts, segmented)):
        for spans in text.sentences:
            gold_sentences.add((number, spans[0][0], spans[-1][1]))
            gold_words |= {(number, *span) for span in spans}
        for sentence in found:
            sentences.add((number, sentence.start, sentence.end))
            words |= {(number, *span) for span in sentence.words}
    return {
        "word F1": precision_recall(gold_words, words)[2],
        "sentence F1": precision_recall(gold_sentences, sentences)[2],
    }
