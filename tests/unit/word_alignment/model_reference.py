"""Word alignment as it is written down: one sentence, one word, one link at a time."""

import math
from collections import Counter, defaultdict

from discourse_nmt.word_alignment.model import ALONE, ITERATIONS, LINKED, TENSION, UNSEEN
from discourse_nmt.word_alignment.sentence_pairs import Words

Table = dict[tuple[str, str], float]


def near(source: list[str], target: list[str], place: int, other: int) -> float:
    return math.exp(-TENSION * abs((place + 1) / len(source) - (other + 1) / len(target)))


def link(source: list[str], target: list[str], place: int, other: int, model: dict) -> float:
    """The product of both posterior probabilities that a source word and a target word are linked."""
    forward = [
        (1 - ALONE)
        * near(source, target, i, other)
        / sum(near(source, target, k, other) for k in range(len(source)))
        * model["forward"].get((source[i], target[other]), UNSEEN)
        for i in range(len(source))
    ]
    backward = [
        (1 - ALONE)
        * near(source, target, place, j)
        / sum(near(source, target, place, k) for k in range(len(target)))
        * model["backward"].get((source[place], target[j]), UNSEEN)
        for j in range(len(target))
    ]
    no_source = ALONE * model["targets"].get(target[other], UNSEEN)
    no_target = ALONE * model["sources"].get(source[place], UNSEEN)
    return forward[place] / (sum(forward) + no_source) * backward[other] / (sum(backward) + no_target)


def shares(sentences: Words) -> dict[str, float]:
    counts = Counter(word for sentence in sentences for word in sentence)
    return {word: count / counts.total() for word, count in counts.items()}


def learn(sources: Words, targets: Words) -> dict:
    sources, targets = ([[word.lower() for word in words] for words in side] for side in (sources, targets))
    together = {(a, b) for source, target in zip(sources, targets) for a in source for b in target}
    ones = dict.fromkeys(together, 1.0)
    model = {"forward": ones, "backward": ones, "sources": shares(sources), "targets": shares(targets)}
    for _ in range(ITERATIONS):
        links: Table = defaultdict(float)
        for source, target in zip(sources, targets):
            for i in range(len(source)):
                for j in range(len(target)):
                    links[source[i], target[j]] += link(source, target, i, j, model)
        of_source: dict[str, float] = defaultdict(float)
        of_target: dict[str, float] = defaultdict(float)
        for (a, b), count in links.items():
            of_source[a] += count
            of_target[b] += count
        model["forward"] = {(a, b): count / of_source[a] for (a, b), count in links.items()}
        model["backward"] = {(a, b): count / of_target[b] for (a, b), count in links.items()}
    return model


def align(source: list[str], target: list[str], model: dict) -> list[int]:
    source, target = ([word.lower() for word in words] for words in (source, target))
    found = []
    for place in range(len(source)):
        scores = [link(source, target, place, other, model) for other in range(len(target))]
        best = max(range(len(target)), key=scores.__getitem__, default=-1)
        found.append(best if best >= 0 and scores[best] >= LINKED else -1)
    return found
