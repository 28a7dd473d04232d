"""Checks of length: texts that are too short or too long, loops, and more or fewer sentences than the reference."""

import re
from collections.abc import Sequence

import pandas as pd

from discourse_nmt.scoring.metrics.score import Score

SHORT, LONG = 0.8, 1.25  # length ratios below and above which a document is an outlier
HALF, DOUBLE = 0.5, 2.0  # the same for a translation, if
WORDS = 5  # it is shorter or longer by at least this many words
LOOP, ORDER = 3, 4  # copies in a row that make a loop, and the most words of a copy
ENDS = re.compile(r"[.!?…。！？]+")


def has_loop(words: Sequence[str]) -> bool:
    """Whether up to :data:`ORDER` words are repeated :data:`LOOP` times in a row; punctuation alone is not a loop."""
    lower = [word.lower() for word in words]
    for order in range(1, ORDER + 1):
        same = 0
        for index in range(order, len(lower)):
            same = same + 1 if lower[index] == lower[index - order] else 0
            if same >= order * (LOOP - 1) and any(map(str.isalnum, "".join(lower[index - order : index]))):
                return True
    return False


def sentence_ends(words: Sequence[str]) -> int:
    """Number of words that are marks of the end of a sentence."""
    return sum(bool(ENDS.fullmatch(word)) for word in words)


def length_scores(pairs: pd.DataFrame) -> list[Score]:
    """Counts of differences in length from the reference; ``pairs`` comes from :func:`.pair`."""
    words = {side: pairs[f"{side}_tokens"] for side in ("hypothesis", "reference")}
    lengths = pd.DataFrame({side: tokens.map(len) for side, tokens in words.items()})
    lengths["reference"] = lengths["reference"].clip(lower=1)  # the tokeniser may drop all signs of a text
    totals = lengths.groupby(pairs["doc_id"], sort=False).sum()
    ratios = totals["hypothesis"] / totals["reference"]
    ratio, more = lengths["hypothesis"] / lengths["reference"], lengths["hypothesis"] - lengths["reference"]
    loops = {side: tokens.map(has_loop) for side, tokens in words.items()}
    ends = {side: tokens.map(sentence_ends) for side, tokens in words.items()}
    return [
        Score("length ratio of the shortest document", float(ratios.min()), "words:tokens"),
        Score("length ratio of the longest document", float(ratios.max()), "words:tokens"),
        Score("documents too short", int((ratios < SHORT).sum()), f"count|below:{SHORT:g}"),
        Score("documents too long", int((ratios > LONG).sum()), f"count|above:{LONG:g}"),
        Score("translations too short", int(((ratio < HALF) & (more <= -WORDS)).sum()), f"count|below:{HALF:g}"),
        Score("translations too long", int(((ratio > DOUBLE) & (more >= WORDS)).sum()), f"count|above:{DOUBLE:g}"),
        Score(
            "translations with a loop",
            int((loops["hypothesis"] & ~loops["reference"]).sum()),
            f"count|copies:{LOOP}|words:1-{ORDER}",
        ),
        Score("translations with more sentences", int((ends["hypothesis"] > ends["reference"]).sum()), "count|marks"),
        Score("translations with fewer sentences", int((ends["hypothesis"] < ends["reference"]).sum()), "count|marks"),
    ]
