"""Scores of coreference chains: MUC, B3, entity-based CEAF, their mean (CoNLL F1), and mention detection.

Definitions as in the reference scorer of the CoNLL-2011 and 2012 shared tasks (Pradhan et al. 2014, "Scoring
coreference partitions of predicted mentions: a reference implementation"), version 8: a mention of one side
only is a singleton of the other side. A chain is a set of mentions; a mention is any value that is equal on both sides,
such as ``(document, start, end)``.
"""

from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Sequence

import networkx

from discourse_nmt.discourse.evaluation.measures.counts import Counts

Mention = Hashable
Mentions = Collection[Mention]
SHARED = ("MUC", "B3", "CEAFe")


def score_chains(gold: Iterable[Mentions], predicted: Iterable[Mentions]) -> dict[str, Counts]:
    """Counts for mentions, MUC, B3 and CEAFe of one document; callers remove singletons that should not count.

    A mention in several chains of one side belongs to the first of them.
    """
    key, response = _partition(gold), _partition(predicted)
    key_of, response_of = _chain_numbers(key), _chain_numbers(response)
    overlaps = Counter((key_of[mention], number) for mention, number in response_of.items() if mention in key_of)
    b3_recall, b3_precision = _b_cubed(key, response, overlaps)
    similarity = _entity_similarity(key, response, overlaps)
    return {
        "mention": Counts.of_sets(key_of.keys(), response_of.keys()),
        "MUC": Counts(*_links(key, response_of), *_links(response, key_of)),
        "B3": Counts(b3_recall, len(key_of), b3_precision, len(response_of)),
        "CEAFe": Counts(similarity, len(key), similarity, len(response)),
    }


def conll_f1(counts: dict[str, Counts]) -> float:
    """Mean of the F1 of MUC, B3 and CEAFe, in percent."""
    return sum(counts[name].f1 for name in SHARED) / len(SHARED)


def without_singletons(chains: Iterable[Mentions]) -> list[Mentions]:
    """The chains with two or more mentions."""
    return [chain for chain in chains if len(set(chain)) > 1]


def _partition(chains: Iterable[Mentions]) -> list[set[Mention]]:
    seen: set[Mention] = set()
    partition: list[set[Mention]] = []
    for chain in chains:
        if fresh := set(chain) - seen:
            partition.append(fresh)
            seen |= fresh
    return partition


def _chain_numbers(chains: Sequence[set[Mention]]) -> dict[Mention, int]:
    return {mention: number for number, chain in enumerate(chains) for mention in chain}


def _links(chains: Sequence[set[Mention]], other_of: dict[Mention, int]) -> tuple[int, int]:
    """MUC (Vilain et al. 1995): number of links of the chains that the other side has, too, and of all links.

    The other side divides a chain into parts; a mention that it lacks is a part. One link is missing between two parts.
    """
    right = total = 0
    for chain in chains:
        known = [other_of[mention] for mention in chain if mention in other_of]
        right += len(known) - len(set(known))
        total += len(chain) - 1
    return right, total


def _b_cubed(
    key: Sequence[set[Mention]], response: Sequence[set[Mention]], overlaps: Counter[tuple[int, int]]
) -> tuple[float, float]:
    """B3 (Bagga and Baldwin 1998): sum over mentions of the share of the chain that the other side has in common."""
    recall = sum(shared**2 / len(key[left]) for (left, _), shared in overlaps.items())
    precision = sum(shared**2 / len(response[right]) for (_, right), shared in overlaps.items())
    return recall, precision


def _entity_similarity(
    key: Sequence[set[Mention]], response: Sequence[set[Mention]], overlaps: Counter[tuple[int, int]]
) -> float:
    """CEAF (Luo 2005): similarity of the best one-to-one alignment of chains, with his phi 4 (entity-based).

    Only chains with a common mention can be aligned with profit, so that the alignment is a matching in a sparse graph,
    computed per component.
    """
    graph = networkx.Graph()
    for (left, right), shared in overlaps.items():
        similarity = 2 * shared / (len(key[left]) + len(response[right]))
        graph.add_edge(("key", left), ("response", right), weight=similarity)
    total = 0.0
    for component in networkx.connected_components(graph):
        part = graph.subgraph(component)
        total += sum(part.edges[pair]["weight"] for pair in networkx.max_weight_matching(part))
    return total
