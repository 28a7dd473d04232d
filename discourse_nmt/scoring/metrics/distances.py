"""BLEU by document length, and by distance of a pronoun's antecedent."""

from collections.abc import Iterable

import numpy as np
import pandas as pd

from discourse_nmt.scoring.alignment.references import KEY
from discourse_nmt.scoring.metrics.bleu import bleu
from discourse_nmt.scoring.metrics.score import Score

Subsets = dict[str, np.ndarray]
"""Masks of the sentences of subsets of a test set, by name of the subset."""

FAR = 3  # sentences; greater distances belong to the same subset


def bleu_of(subsets: Subsets, pairs: pd.DataFrame, *, language: str, lowercase: bool) -> list[Score]:
    """s-BLEU and number of sentences of each subset that is not empty; ``pairs`` comes from :func:`.pair`."""
    scores: list[Score] = []
    for name, mask in subsets.items():
        rows = pairs[mask]
        if len(rows):
            measure = bleu(f"s-BLEU ({name})", language, lowercase)
            scores += [
                measure.score(rows["hypothesis"].tolist(), rows["reference"].tolist()),
                Score(f"sentences ({name})", len(rows), "count"),
            ]
    return scores


def by_document_length(pairs: pd.DataFrame) -> Subsets:
    """The sentences of documents of 1, 2, 3-4, 5-8, 9-16 … sentences."""
    lengths = pairs.groupby("doc_id", sort=False)["sent_id"].transform("size").to_numpy(np.int64)
    subsets, low, high = {}, 1, 1
    while low <= lengths.max():
        name = f"{low}-{high} sentences" if low < high else f"{low} sentence{'s' * (low > 1)}"
        subsets[f"documents of {name}"] = (low <= lengths) & (lengths <= high)
        low, high = high + 1, 2 * high
    return subsets


def by_antecedent(pairs: pd.DataFrame, mentions: pd.DataFrame, words: pd.DataFrame, forms: Iterable[str]) -> Subsets:
    """The sentences with a pronoun whose antecedent is 0, 1, 2, and 3 or more sentences back.

    ``mentions`` is a table ``coreference``; ``words`` come from :func:`.translated_words`; ``forms`` are the pronouns.
    The antecedent is the nearest earlier mention of the chain that is not a pronoun. Of several pronouns of a sentence
    the one with the farthest antecedent counts.
    """
    single = words[words["word"].isin(list(forms))][[*KEY, "start", "end"]].assign(pronoun=True)
    ordered = mentions.merge(single, on=[*KEY, "start", "end"], how="left").sort_values([*KEY, "start", "end"])
    pronoun = ordered["pronoun"].notna()
    nearest = ordered["sent_id"].where(~pronoun).groupby([ordered["doc_id"], ordered["chain_id"]]).ffill()
    distances = (ordered["sent_id"] - nearest)[pronoun].groupby([ordered["doc_id"], ordered["sent_id"]]).max()
    farthest = distances.reindex(pd.MultiIndex.from_frame(pairs[KEY])).to_numpy(float)
    near = {f"antecedent {back} sentence{'s' * (back != 1)} back": farthest == back for back in range(FAR)}
    return {**near, f"antecedent {FAR} or more sentences back": farthest >= FAR}
