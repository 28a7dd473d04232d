"""Tags, features, lemmas and dependencies of words, with the definitions of the CoNLL 2018 shared task's scorer.

Only universal features count, relations are compared without subtypes (``nmod:poss`` is ``nmod``), and any lemma is
right if gold has none (``_``). Both sides have the same words, so that precision and recall are equal.
"""

from collections.abc import Hashable, Sequence

from discourse_nmt.discourse.evaluation.measures.counts import Counts
from discourse_nmt.discourse.structures.syntax import Syntax

# https://universaldependencies.org/u/feat/index.html, as of the scorer
UNIVERSAL_FEATURES = frozenset((
    "PronType", "NumType", "Poss", "Reflex", "Foreign", "Abbr", "Gender", "Animacy", "Number", "Case", "Definite",
    "Degree", "VerbForm", "Mood", "Tense", "Aspect", "Voice", "Evident", "Polarity", "Person", "Polite",
))  # fmt: skip


def syntax_counts(gold: Syntax, predicted: Syntax) -> dict[str, Counts]:
    """Counts of one sentence for UPOS, XPOS, features, lemma, UAS and LAS.

    Raises ValueError for sentences of different lengths.
    """
    heads = zip(gold.heads, map(_universal_relation, gold.deprels))
    predicted_heads = zip(predicted.heads, map(_universal_relation, predicted.deprels))
    lemmas = ["_" if lemma == "_" else other for lemma, other in zip(gold.lemmas, predicted.lemmas)]
    return {
        "UPOS": agreement(gold.upos, predicted.upos),
        "XPOS": agreement(gold.xpos, predicted.xpos),
        "features": agreement(
            list(map(universal_features, gold.features)), list(map(universal_features, predicted.features))
        ),
        "lemma": agreement(gold.lemmas, lemmas),
        "UAS": agreement(gold.heads, predicted.heads),
        "LAS": agreement(list(heads), list(predicted_heads)),
    }


def agreement(gold: Sequence[Hashable], predicted: Sequence[Hashable]) -> Counts:
    """Counts of two sequences of labels for the same items: precision, recall and F1 equal the accuracy."""
    right = sum(label == other for label, other in zip(gold, predicted, strict=True))
    return Counts(right, len(gold), right, len(gold))


def universal_features(features: str) -> frozenset[str]:
    """The universal features of a FEATS value, as ``Name=Value``."""
    return frozenset(feature for feature in features.split("|") if feature.partition("=")[0] in UNIVERSAL_FEATURES)


def _universal_relation(relation: str) -> str:
    return relation.partition(":")[0]
