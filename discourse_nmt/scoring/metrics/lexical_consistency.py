"""Lexical consistency: the share of repeated words of a document with the same translation.

It is the lexical translation consistency ratio (LTCR) of Lyu, Li, Gong and Zhang (2021): of all pairs of occurrences of
a word in a document, the share whose translations are the same.
"""

import pandas as pd

from discourse_nmt.scoring.metrics.score import Score
from discourse_nmt.scoring.metrics.stems import Stemmer
from discourse_nmt.word_alignment.model import SIGNATURE

# UPOS tags of content words (the open classes without interjections), and of the nouns among them.
KINDS = {"content words": ("ADJ", "ADV", "NOUN", "PROPN", "VERB"), "nouns": ("NOUN",)}
TERM = ["doc_id", "lemma"]


def repeated(words: pd.DataFrame) -> pd.DataFrame:
    """The rows of ``words`` whose lemma occurs in at least two sentences of its document."""
    chosen: pd.DataFrame = words[words.groupby(TERM, sort=False)["sent_id"].transform("nunique") > 1]
    return chosen


def alike(words: pd.DataFrame, columns: list[str]) -> int:
    """Number of pairs of occurrences of a lemma in a document with equal ``columns``, none of them empty."""
    filled = words[(words[columns] != "").all(axis=1)]
    counts = filled.groupby([*TERM, *columns], sort=False).size()
    return int((counts * (counts - 1) // 2).sum())


def consistency(words: pd.DataFrame, kind: str, signature: str) -> list[Score]:
    """Consistency of hypothesis and reference in per cent, and the number of pairs; empty without pairs.

    ``words`` are the occurrences to count, with the columns doc_id, sent_id, lemma, reference and hypothesis.
    Consistency ``as the reference`` is that of the pairs with the same translation in the reference.
    """
    terms = repeated(words)
    pairs, reference, hypothesis, both = (
        alike(terms, columns) for columns in ([], ["reference"], ["hypothesis"], ["reference", "hypothesis"])
    )
    counts = [
        (f"lexical consistency ({kind})", hypothesis, pairs),
        (f"lexical consistency of the reference ({kind})", reference, pairs),
        (f"lexical consistency as the reference ({kind})", both, reference),
    ]
    scores = [Score(name, 100 * same / of, signature) for name, same, of in counts if of]
    return [*scores, Score(f"repeated words, pairs ({kind})", pairs, "count")] if pairs else []


def consistency_scores(
    words: pd.DataFrame, source: Stemmer, target: Stemmer, stop_words: frozenset[str] | None
) -> list[Score]:
    """Consistency of content words and of nouns; for ``words`` without tags, of all words that are not stop words.

    ``words`` come from :func:`.translated_words`, or with tags and lemmas from :func:`.described`. Translations are
    compared by their stems. Without tags and ``stop_words`` there are no scores.
    """
    words = words.assign(**{side: words[side].map(target.stem) for side in ("reference", "hypothesis")})
    how = f"translations:{target.name}|{SIGNATURE}"
    if "upos" in words:
        return [
            score
            for kind, tags in KINDS.items()
            for score in consistency(
                words[words["upos"].isin(tags)], kind, f"words:{','.join(tags)}|lemmas:syntax|{how}"
            )
        ]
    if stop_words is None:
        return []
    chosen = [word not in stop_words and any(map(str.isalnum, word)) for word in words["word"]]
    terms = words[chosen].assign(lemma=words["word"][chosen].map(source.stem))
    return consistency(terms, "content words", f"words:no-stop-words|lemmas:{source.name}|{how}")
