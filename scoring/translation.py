"""All scores of one translated test set."""

import pandas as pd

from scoring.bleu import Score, bleu, chrf, length_ratio, multi_bleu, ter
from scoring.documents import join


def translation_scores(pairs: pd.DataFrame, *, language: str, lowercase: bool) -> list[Score]:
    """Score a test set.

    ``pairs`` comes from :func:`scoring.alignment.pair`; ``language`` is the target language; ``lowercase``
    makes case not matter.
    """
    hypotheses, references = pairs["hypothesis"].tolist(), pairs["reference"].tolist()
    documents = pairs["doc_id"].tolist()
    instances = pairs["instance"].tolist()

    def joined(name: str, units: list[str] | list[int]) -> Score:
        return bleu(name, join(hypotheses, units), join(references, units), language, lowercase)

    return [
        bleu("s-BLEU", hypotheses, references, language, lowercase),
        joined("d-BLEU (document)", documents),
        joined("d-BLEU (instance)", instances),
        chrf(hypotheses, references, lowercase),
        ter(hypotheses, references, language),
        multi_bleu(pairs["hypothesis_tokens"].tolist(), pairs["reference_tokens"].tolist(), lowercase),
        length_ratio(hypotheses, references, language, lowercase),
        Score("sentences", len(pairs), "count"),
        Score("documents", len(join(references, documents)), "count"),
        Score("instances", len(join(references, instances)), "count"),
        Score("empty translations", sum(not text.strip() for text in hypotheses), "count"),
    ]
