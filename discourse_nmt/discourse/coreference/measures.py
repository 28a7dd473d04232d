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
    for example, predicted in zip(examples, chains, strict=True):
        mentions = [
            {(mention.span.sentence, mention.span.start, mention.span.end) for mention in chain.mentions}
            for chain in predicted
        ]
        counts = score_chains(without_singletons(example.chains), without_singletons(mentions))
        scores.append((genre_of(example.name), counts))
    figures: dict[str, dict[str, float]] = {}
    for genre in ("all", *sorted({document_genre for document_genre, _ in scores})):
        counts = total(counts for document_genre, counts in scores if genre in ("all", document_genre))
        figures[genre] = {}
        for name, count in counts.items():
            for measure, value in (("precision", count.precision), ("recall", count.recall), ("F1", count.f1)):
                figures[genre][f"{name} {measure}"] = round(value, 2)
        figures[genre]["CoNLL F1"] = round(conll_f1(counts), 2)
    return figures
