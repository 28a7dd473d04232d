"""Tags, features, lemmas and dependencies of words, with the definitions of the CoNLL 2018 shared task's scorer.

Of FEATS only universal features count, of relations only what stands before the colon (``nmod:poss`` is ``nmod``), and
where gold has no lemma (``_``) any is right. Both sides have the same words, so precision and recall are equal.
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

    Raises ValueError where the sentences do not have equally many words.
    """
    heads = zip(gold.heads, map(_universal_relation, gold.deprels))
    found = zip(predicted.heads, map(_universal_relation, predicted.deprels))
    lemmas = ["_" if lemma == "_" else other for lemma, other in zip(gold.lemmas, predicted.lemmas)]
    return {
        "UPOS": agreement(gold.upos, predicted.upos),
        "XPOS": agreement(gold.xpos, predicted.xpos),
        "features": agreement(
            [universal_features(one) for one in gold.features], [universal_features(one) for one in predicted.features]
        ),
        "lemma": agreement(gold.lemmas, lemmas),
        "UAS": agreement(gold.heads, predicted.heads),
        "LAS": agreement(list(heads), list(found)),
    }


def agreement(gold: Sequence[Hashable], predicted: Sequence[Hashable]) -> Counts:
    """Counts of labels of the same things, one each: precision, recall and F1 are the accuracy."""
    right = sum(left == found for left, found in zip(gold, predicted, strict=True))
    return Counts(right, len(gold), right, len(gold))


def universal_features(features: str) -> frozenset[str]:
    """The universal features of a FEATS value, as ``Name=Value``."""
    return frozenset(one for one in features.split("|") if one.partition("=")[0] in UNIVERSAL_FEATURES)


def _universal_relation(relation: str) -> str:
    return relation.partition(":")[0]
