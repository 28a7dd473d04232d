"""All document-level scores of one translated test set; docs/reference/document-metrics.md explains them."""

from dataclasses import dataclass

import pandas as pd

from discourse_nmt.scoring.alignment.translated_words import described, translated_words
from discourse_nmt.scoring.metrics.address.address_consistency import address_scores
from discourse_nmt.scoring.metrics.distances import bleu_of, by_antecedent, by_document_length
from discourse_nmt.scoring.metrics.lengths import length_scores
from discourse_nmt.scoring.metrics.lexical_consistency import consistency_scores
from discourse_nmt.scoring.metrics.pronouns import pronoun_scores, pronouns
from discourse_nmt.scoring.metrics.score import Score
from discourse_nmt.scoring.metrics.stems import Stemmer
from discourse_nmt.word_alignment.model import Aligner


@dataclass(frozen=True)
class SourceAnnotation:
    """The source side of a test set and its annotation."""

    language: str
    tokens: pd.DataFrame
    """The table ``tokens`` of both sides."""
    sentences: pd.DataFrame | None = None
    """The table ``sentences``; None where no speakers and scenes are told."""
    syntax: pd.DataFrame | None = None
    """The table of the source side; None without an analysis."""
    mentions: pd.DataFrame | None = None
    """The table ``coreference`` of the source side; None without an analysis."""
    stop_words: frozenset[str] | None = None
    """Stop words of the language in lower case; None without a list."""


def document_scores(
    pairs: pd.DataFrame, source: SourceAnnotation, aligner: Aligner, *, language: str, lowercase: bool
) -> list[Score]:
    """Score a test set; ``pairs`` comes from :func:`.pair`, ``language`` is the target language.

    With ``lowercase``, BLEU ignores case. Scores with nothing to count are left out.
    """
    words = translated_words(pairs, source.tokens, aligner)
    terms = words if source.syntax is None else described(words, source.syntax)
    subsets = by_document_length(pairs)
    if source.mentions is not None:
        subsets |= by_antecedent(pairs, source.mentions, words, pronouns(source.language))
    return [
        *([] if source.sentences is None else address_scores(source.sentences, pairs, (source.language, language))),
        *consistency_scores(terms, Stemmer(source.language), Stemmer(language), source.stop_words),
        *pronoun_scores(words, source.language),
        *bleu_of(subsets, pairs, language=language, lowercase=lowercase),
        *length_scores(pairs),
    ]
