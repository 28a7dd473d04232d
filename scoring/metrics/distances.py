"""BLEU by document length, and by how far back the antecedent of a pronoun is."""

from collections.abc import Iterable

import numpy as np
import pandas as pd

from discourse_nmt.scoring.alignment.references import KEY
from discourse_nmt.scoring.metrics.bleu import bleu
from discourse_nmt.scoring.metrics.score import Score

Parts = dict[str, np.ndarray]  # names of parts of a test set, and for each sentence whether it is in it

FAR = 3  # distances from this on are one


def bleu_of(parts: Parts, pairs: pd.DataFrame, *, language: str, lowercase: bool) -> list[Score]:
    """s-BLEU and number of the sentences of each part that has any; ``pairs`` comes from :func:`.pair`."""
    scores: list[Score] = []
    for name, chosen in parts.items():
        rows = pairs[chosen]
        if len(rows):
            measure = bleu(f"s-BLEU ({name})", language, lowercase)
            scores += [
                measure.score(rows["hypothesis"].tolist(), rows["reference"].tolist()),
                Score(f"sentences ({name})", len(rows), "count"),
            ]
    return scores


def by_document_length(pairs: pd.DataFrame) -> Parts:
    """The sentences of documents of 1, 2, 3-4, 5-8, 9-16 … sentences."""
    lengths = pairs.groupby("doc_id", sort=False)["sent_id"].transform("size").to_numpy(np.int64)
    parts, low, high = {}, 1, 1
    while low <= lengths.max():
        name = f"{low}-{high} sentences" if low < high else f"{low} sentence{'s' * (low > 1)}"
        parts[f"documents of {name}"] = (low <= lengths) & (lengths <= high)
        low, high = high + 1, 2 * high
    return parts


def by_antecedent(pairs: pd.DataFrame, mentions: pd.DataFrame, words: pd.DataFrame, forms: Iterable[str]) -> Parts:
    """The sentences with a pronoun whose antecedent is 0, 1, 2, and 3 or more sentences back.

    ``mentions`` is a table ``coreference``; ``words`` come from :func:`.translated_words`;
    ``forms`` are the pronouns. The antecedent is the nearest earlier mention of the chain that is no pronoun; of
    several pronouns of a sentence the one with the farthest antecedent counts.
    """
    single = words[words["word"].isin(list(forms))][[*KEY, "start", "end"]].assign(pronoun=True)
    found = mentions.merge(single, on=[*KEY, "start", "end"], how="left").sort_values([*KEY, "start", "end"])
    pronoun = found["pronoun"].notna()
    nearest = found["sent_id"].where(~pronoun).groupby([found["doc_id"], found["chain_id"]]).ffill()
    distances = (found["sent_id"] - nearest)[pronoun].groupby([found["doc_id"], found["sent_id"]]).max()
    farthest = distances.reindex(pd.MultiIndex.from_frame(pairs[KEY])).to_numpy(float)
    near = {f"antecedent {back} sentence{'s' * (back != 1)} back": farthest == back for back in range(FAR)}
    return {**near, f"antecedent {FAR} or more sentences back": farthest >= FAR}
