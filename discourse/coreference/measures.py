"""Figures of a resolver on documents with gold chains: MUC, B3, CEAFe and CoNLL F1, without singletons."""

from collections.abc import Sequence

from discourse_nmt.discourse.analysers.examples import genre_of
from discourse_nmt.discourse.coreference.examples import CoreferenceExample
from discourse_nmt.discourse.evaluation.measures.coreference import conll_f1, score_chains, without_singletons
from discourse_nmt.discourse.evaluation.measures.counts import total
from discourse_nmt.discourse.structures.mentions import Chain


def measure_by_genre(
    examples: Sequence[CoreferenceExample], chains: Sequence[Sequence[Chain]]
) -> dict[str, dict[str, float]]:
    """Percentages over everything (``all``) and over each genre of GUM; only equal spans count as equal mentions."""
    scores = []
    for example, found in zip(examples, chains, strict=True):
        places = [{(one.span.sentence, one.span.start, one.span.end) for one in chain.mentions} for chain in found]
        counts = score_chains(without_singletons(example.chains), without_singletons(places))
        scores.append((genre_of(example.name), counts))
    figures: dict[str, dict[str, float]] = {}
    for genre in ("all", *sorted({own for own, _ in scores})):
        counts = total(found for own, found in scores if genre in ("all", own))
        figures[genre] = {}
        for name, count in counts.items():
            for measure, value in (("precision", count.precision), ("recall", count.recall), ("F1", count.f1)):
                figures[genre][f"{name} {measure}"] = round(value, 2)
        figures[genre]["CoNLL F1"] = round(conll_f1(counts), 2)
    return figures
