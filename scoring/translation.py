"""All scores of one translated test set."""

from collections.abc import Hashable, Sequence

import pandas as pd

from scoring.bleu import Score, bleu, chrf, length_ratio, multi_bleu, ter
from scoring.documents import join


def translation_scores(
    pairs: pd.DataFrame, instances: Sequence[Hashable], *, language: str, lowercase: bool
) -> list[Score]:
    """Score a test set.

    ``pairs`` comes from :func:`scoring.alignment.pair`; ``instances`` names for each of its rows the 512-token instance
    the sentence is in; ``language`` is the target language; with ``lowercase`` case is ignored.
    """
    hypotheses, references = pairs["hypothesis"].tolist(), pairs["reference"].tolist()
    documents = pairs["doc_id"].tolist()
    # An instance never crosses the end of a document, however its author numbered them.
    inside = list(zip(documents, instances, strict=True))

    def joined(name: str, units: Sequence[Hashable]) -> Score:
        return bleu(name, join(hypotheses, units), join(references, units), language, lowercase)

    return [
        bleu("s-BLEU", hypotheses, references, language, lowercase),
        joined("d-BLEU (document)", documents),
        joined("d-BLEU (instance)", inside),
        chrf(hypotheses, references, lowercase),
        ter(hypotheses, references, language),
        multi_bleu(pairs["hypothesis_tokens"].tolist(), pairs["reference_tokens"].tolist(), lowercase),
        length_ratio(hypotheses, references, language, lowercase),
        Score("sentences", len(pairs), "count"),
        Score("documents", len(join(references, documents)), "count"),
        Score("instances", len(join(references, inside)), "count"),
        Score("empty translations", sum(not text.strip() for text in hypotheses), "count"),
    ]
