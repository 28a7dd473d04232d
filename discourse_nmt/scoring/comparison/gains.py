"""Gain in BLEU over a baseline in all sentences, of each seed, and in groups of sentences.

The statistics of all sentences of a group are summed, as corpus BLEU does; a gain is the difference of two such BLEUs,
the mean over pairs of seeds. The interval is the percentile bootstrap (Koehn 2004) over the units of the tests that
have sentences in the group: documents, or groups of documents where the corpus names them.
"""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from discourse_nmt.scoring.comparison.significance import Aggregate, Statistics, mean_difference, summed_by_unit
from discourse_nmt.scoring.metrics.distances import Subsets

WHOLE, SEED = "all sentences", "seed"
LENGTH, POSITION, PHENOMENON = "length of the document", "position in the document", "phenomenon"
QUARTERS = 4
SAMPLES = 300  # of the bootstrap
LEAST = 5  # units of a group; fewer say nothing
CONFIDENCE = 0.95
COLUMNS = ["by", "group", "units", "gain", "low", "high"]


def gains(
    metric: Aggregate,
    system: Sequence[Statistics],
    baseline: Sequence[Statistics],
    units: Sequence[str],
    groups: Mapping[str, Subsets],
    seed: int = 1,
) -> pd.DataFrame:
    """Gains in points of BLEU in each group of each kind of ``groups``; columns as in :data:`COLUMNS`.

    ``system`` and ``baseline`` have a matrix of sentence statistics for each pair of seeds, with the sentences in the
    order of their documents; ``units`` has the unit of each, ``groups`` the masks of sentences, by kind and name.
    Groups of few units are left out.
    """
    rows = []
    for kind, subsets in groups.items():
        for name, mask in subsets.items():
            drawn = [unit for unit, chosen in zip(units, mask) if chosen]
            if len(set(drawn)) < LEAST:
                continue
            own, other = ([summed_by_unit(rows[mask], drawn) for rows in side] for side in (system, baseline))
            count = len(own[0])
            draws = np.random.default_rng(seed).multinomial(count, np.full(count, 1 / count), size=SAMPLES)
            gained = [gain(metric, own, other, draw) for draw in (np.ones(count), *draws)]
            edges = np.percentile(gained[1:], [50 * (1 - CONFIDENCE), 50 * (1 + CONFIDENCE)])
            rows.append([kind, name, count, gained[0], *edges.tolist()])
    return pd.DataFrame(rows, columns=COLUMNS)


def whole(documents: Sequence[str]) -> dict[str, Subsets]:
    """The one group of :data:`WHOLE`; ``documents`` has the document of each sentence."""
    return {WHOLE: {WHOLE: np.ones(len(documents), dtype=bool)}}


def gains_of_seeds(
    metric: Aggregate, system: Mapping[int, Statistics], baseline: Mapping[int, Statistics]
) -> pd.DataFrame:
    """The gain of each seed of ``system`` in all sentences, without intervals; columns ``by``, ``group`` and ``gain``.

    ``baseline`` has the statistics that each seed is paired with.
    """
    rows = [
        (SEED, str(seed), mean_difference(metric, [own.sum(axis=0)], [baseline[seed].sum(axis=0)]))
        for seed, own in system.items()
    ]
    return pd.DataFrame(rows, columns=["by", "group", "gain"])


def groups_in(documents: Sequence[str], phenomena: Subsets) -> dict[str, Subsets]:
    """The groups by :data:`LENGTH`, :data:`POSITION` and :data:`PHENOMENON`.

    ``documents`` has the document of each sentence, ``phenomena`` the mask of the sentences that have each.
    """
    return {
        LENGTH: masks(length_groups(documents)),
        POSITION: masks(position_groups(documents)),
        PHENOMENON: phenomena,
    }


def masks(names: Sequence[str]) -> Subsets:
    """The mask of the sentences of each interval that ``names`` has for them, in the order of the intervals."""
    of_sentences = np.array(names)
    return {name: of_sentences == name for name in sorted(set(names), key=first_number)}


def gain(metric: Aggregate, system: Sequence[Statistics], baseline: Sequence[Statistics], draw: NDArray) -> float:
    """The difference with each unit counted as often as ``draw`` says."""
    return mean_difference(metric, [draw @ rows for rows in system], [draw @ rows for rows in baseline])


def length_groups(documents: Sequence[str]) -> list[str]:
    """For each sentence the range of lengths that its document belongs to; ranges hold a quarter of the documents."""
    lengths = pd.Series(documents).value_counts()
    edges = sorted({int(np.quantile(lengths, part / QUARTERS)) for part in range(1, QUARTERS + 1)})
    starts = [int(lengths.min()), *(edge + 1 for edge in edges[:-1])]
    name_of_length = {
        length: interval(start, end) for start, end in zip(starts, edges) for length in range(start, end + 1)
    }
    return [name_of_length[int(lengths[document])] for document in documents]


def position_groups(documents: Sequence[str]) -> list[str]:
    """For each sentence the range of its position, from 1: 1, 2 to 3, 4 to 7, and so on by powers of two."""
    seen: dict[str, int] = {}
    names = []
    for document in documents:
        seen[document] = position = seen.get(document, 0) + 1
        first = 1 << (position.bit_length() - 1)
        names.append(interval(first, 2 * first - 1))
    return names


def interval(first: int, last: int) -> str:
    """``3``, or ``3–8``."""
    return str(first) if first == last else f"{first}–{last}"


def first_number(name: str) -> int:
    """The number that an interval begins with."""
    return int(name.split("–")[0])
