"""The value of different kinds of knowledge for the ambiguous sentences: accuracies of oracles and of shallow rules.

Each scorer gives an item 1 for the right reading, 0 for the wrong one, and one half if it cannot decide. Document
scorers look for the English words that reveal a reading.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence

import pandas as pd

from discourse_nmt.demo.documents import DemoDocument, DemoItem
from discourse_nmt.demo.generation import Split
from discourse_nmt.discourse.structures.conversions import li14

Scorer = Callable[[DemoDocument, DemoItem], float]


def _occurrences(texts: Iterable[str], keys: Sequence[str]) -> list[int]:
    """Characters, counted over all ``texts``, where one of ``keys`` begins as a word of its own."""
    pattern = r"\b(?:" + "|".join(map(re.escape, keys)) + r")\b"
    return [match.start() for match in re.finditer(pattern, "\n".join(texts), flags=re.IGNORECASE)]


def _decision(right: float, wrong: float) -> float:
    return 0.5 if right == wrong else float(right > wrong)


def _preceding(document: DemoDocument, item: DemoItem) -> list[str]:
    return [sentence.source for sentence in document.sentences[: item.sentence]]


def nearest(document: DemoDocument, item: DemoItem) -> float:
    """The key word mentioned last before the ambiguous sentence."""
    texts = _preceding(document, item)
    return _decision(max(_occurrences(texts, item.right_keys)), max(_occurrences(texts, item.wrong_keys)))


def first(document: DemoDocument, item: DemoItem) -> float:
    """The key word mentioned first in the document."""
    texts = _preceding(document, item)
    return _decision(-min(_occurrences(texts, item.right_keys)), -min(_occurrences(texts, item.wrong_keys)))


def most_frequent(document: DemoDocument, item: DemoItem) -> float:
    """The key word mentioned most often in the document."""
    texts = [sentence.source for sentence in document.sentences]
    return _decision(len(_occurrences(texts, item.right_keys)), len(_occurrences(texts, item.wrong_keys)))


def subject(_: DemoDocument, item: DemoItem) -> float:
    """The reading whose key word is the subject of its sentence (an elided verb has no such role: one half)."""
    if item.phenomenon == "ellipsis":
        return 0.5
    return _decision(item.right_role.endswith("subject"), item.wrong_role.endswith("subject"))


def theme(_: DemoDocument, item: DemoItem) -> float:
    """The reading whose key word is in a topical theme (for an elided verb: whose subject is)."""
    return _decision(item.right_role.startswith("theme"), item.wrong_role.startswith("theme"))


def rst_neighbours(document: DemoDocument, item: DemoItem) -> float:
    """The key word in the head or a child of the ambiguous word's unit in the dependency tree."""
    texts, own = _units(document, item)
    heads = li14(document.tree).heads
    related = [text for number, text in enumerate(texts) if heads[own] == number or heads[number] == own]
    return _decision(len(_occurrences(related, item.right_keys)), len(_occurrences(related, item.wrong_keys)))


def coreference(document: DemoDocument, item: DemoItem) -> float:
    """The key word in the unit of the nearest earlier mention of the anchor whose unit has a key word."""
    for number in range(item.sentence - 1, -1, -1):
        wording = document.sentences[number].wording
        for start, end in reversed(wording.units):
            mentioned = any(
                mention.identity == item.anchor and start <= mention.start < end for mention in wording.mentions
            )
            text = [wording.text[start:end]]
            score = _decision(len(_occurrences(text, item.right_keys)), len(_occurrences(text, item.wrong_keys)))
            if mentioned and score != 0.5:
                return score
    return 0.5


def _units(document: DemoDocument, item: DemoItem) -> tuple[list[str], int]:
    """Texts of all units, and the number of the one with the ambiguous word."""
    texts: list[str] = []
    own = -1
    for number, sentence in enumerate(document.sentences):
        for start, end in sentence.wording.units:
            if number == item.sentence and start <= item.start < end:
                own = len(texts)
            texts.append(sentence.source[start:end])
    return texts, own


SCORERS: dict[str, Scorer] = {
    "dependency tree": rst_neighbours,
    "coreference": coreference,
    "theme": theme,
    "nearest": nearest,
    "first": first,
    "most frequent": most_frequent,
    "subject": subject,
}


def sentence_majority(train: Split) -> Scorer:
    """The most frequent translation of the same source sentence in ``train``: the upper bound of a sentence model."""
    seen: dict[str, Counter[str]] = defaultdict(Counter)
    for document in train.values():
        for sentence in document.sentences:
            seen[sentence.source][sentence.target] += 1

    def scorer(document: DemoDocument, item: DemoItem) -> float:
        sentence = document.sentences[item.sentence]
        counts = seen[sentence.source]
        return _decision(counts[sentence.target], counts[item.wrong])

    return scorer


def accuracies(train: Split, test: Split) -> pd.DataFrame:
    """Accuracy in percent of every scorer on ``test`` (rows) for each phenomenon and for all items (columns)."""
    table: dict[str, dict[str, float]] = {}
    for name, scorer in {"sentence": sentence_majority(train), **SCORERS}.items():
        scores: dict[str, list[float]] = defaultdict(list)
        for document in test.values():
            for item in document.items:
                scores[item.phenomenon].append(scorer(document, item))
        scores["all"] = [score for of_phenomenon in list(scores.values()) for score in of_phenomenon]
        table[name] = {phenomenon: 100 * sum(values) / len(values) for phenomenon, values in scores.items()}
    return pd.DataFrame(table).T
