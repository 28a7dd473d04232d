"""Pairs of a mention and an earlier one that may be its antecedent, and their features."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from discourse_nmt.corpus.spans import Integers
from discourse_nmt.discourse.coreference.agreement import consistent
from discourse_nmt.discourse.coreference.attributes import DEMONSTRATIVE, NAME, Attributes, Codes
from discourse_nmt.discourse.coreference.features import Buckets, hashed

Floats = npt.NDArray[np.float32]

NEAR_PRONOUN = 30  # earlier mentions that a pronoun is compared with
NEAR_OTHER = 10  # and any other mention
NEAR_ALIKE = 40  # earlier mentions that share a word with it, for any other mention
SAME = 8  # nearest ones among still earlier mentions with the same head or text
FIRST_PAIR, FIRST_CONTEXT = 100, 200  # ids of templates, distinct from those of mentions


@dataclass(frozen=True)
class Pairs:
    """Pairs in order of their mentions, nearest antecedent first: indices [pairs] of both."""

    mention: Integers
    antecedent: Integers

    def agreeing(self, bits: Codes) -> "Pairs":
        """The pairs of mentions that agree by their ``bits`` [mentions] (``agreement.py``)."""
        kept = consistent(bits[self.mention] & bits[self.antecedent])
        return Pairs(self.mention[kept], self.antecedent[kept])


def pairs_of(mentions: Attributes) -> Pairs:
    """Every mention with the mentions shortly before it, and with farther ones with the same head or text.

    Two spans around one head are never a pair. The number of pairs is linear in the number of mentions.
    """
    count = len(mentions)
    widest = max(NEAR_PRONOUN, NEAR_ALIKE)
    steps = np.tile(np.arange(1, widest + 1), count)
    later = np.repeat(np.arange(count), widest)
    there = later >= steps
    later, steps = later[there], steps[there]
    earlier = later - steps
    pronoun = mentions["kind"][later] <= DEMONSTRATIVE
    alike = (mentions["words"][later] & mentions["words"][earlier]) != 0
    near = np.where(pronoun, NEAR_PRONOUN, np.where(alike, NEAR_ALIKE, NEAR_OTHER))
    kept = steps <= near
    later, earlier = later[kept], earlier[kept]
    far_later: list[int] = []
    far_earlier: list[int] = []
    for name in ("lemma", "content"):
        seen: dict[int, list[int]] = {}
        for number, (value, kind) in enumerate(zip(mentions[name].tolist(), mentions["kind"].tolist())):
            if kind < NAME or not value:
                continue
            before = seen.setdefault(value, [])
            far = [one for one in before[-NEAR_ALIKE - SAME :] if one < number - NEAR_ALIKE][-SAME:]
            far_later += [number] * len(far)
            far_earlier += far
            before.append(number)
    later = np.concatenate([later, np.array(far_later, np.int64)])
    earlier = np.concatenate([earlier, np.array(far_earlier, np.int64)])
    keys = np.unique(later * (count + 1) + count - earlier)  # sorted: by mention, then nearest first
    later, earlier = keys // (count + 1), count - keys % (count + 1)
    head = mentions["head"]
    kept = head[later] != head[earlier]
    return Pairs(later[kept], earlier[kept])


def pair_features(mentions: Attributes, pairs: Pairs, types: Integers, buckets: int) -> Buckets:
    """Buckets [pairs, templates]; ``types`` [mentions] are the mentions' predicted entity types."""
    one = {name: column[pairs.mention] for name, column in mentions.columns.items()}
    other = {name: column[pairs.antecedent] for name, column in mentions.columns.items()}
    type_one = types[pairs.mention].astype(np.uint64)
    type_other = types[pairs.antecedent].astype(np.uint64)
    sentences = _bucketed(one["sentence"] - other["sentence"], (0, 1, 2, 3, 5, 8, 15, 30))
    between = _bucketed((pairs.mention - pairs.antecedent).astype(np.uint64), (1, 2, 3, 5, 8, 13, 20, 40, 80))
    match = _match(one, other)
    shape = _configuration(one, other)
    common = np.minimum(np.bitwise_count(one["words"] & other["words"]), 3).astype(np.uint64)
    extra = np.minimum(np.bitwise_count(one["words"] & ~other["words"]), 3).astype(np.uint64)
    lacking = np.minimum(np.bitwise_count(other["words"] & ~one["words"]), 3).astype(np.uint64)
    repeated = _bucketed(_repetitions(mentions)[pairs.antecedent], (0, 1, 2, 4, 8))
    same_sentence = np.minimum(sentences, 2)
    agreement = [one["number"], other["number"], one["gender"], other["gender"]]
    pronoun = np.where(one["kind"] <= DEMONSTRATIVE, one["group"], 0)
    antecedent_pronoun = np.where(other["kind"] <= DEMONSTRATIVE, other["group"], 0)
    same_governor = (one["governor_lemma"] == other["governor_lemma"]).astype(np.uint64)
    columns = [
        [one["group"], other["group"], sentences],
        [one["group"], other["kind"], between],
        [match, one["kind"], other["kind"], sentences],
        [match, one["group"], other["group"]],
        [match, one["definite"], other["definite"], repeated],
        [one["lemma"], other["lemma"]],
        [one["group"], other["lemma"]],
        [*agreement, one["kind"], other["kind"]],
        [pronoun, antecedent_pronoun, other["number"], other["gender"], type_other],
        [shape, one["group"], other["group"]],
        [shape, one["full_relation"], other["full_relation"]],
        [shape, one["before"], one["kind"], other["kind"]],
        [one["relation"], other["relation"], one["kind"], other["kind"], same_sentence],
        [common, extra, lacking, one["kind"], other["kind"], match],
        [repeated, one["kind"], other["kind"], sentences],
        [type_one, type_other, match],
        [type_one, type_other, pronoun, antecedent_pronoun],
        [same_governor, one["relation"], other["relation"], match],
        [one["governor_lemma"], other["lemma"], pronoun],
        [match, one["lemma"]],
        [match, one["length"], other["length"], one["kind"], other["kind"]],
        [one["reflexive"], shape, one["relation"], other["relation"]],
        [between, shape, one["kind"], other["kind"]],
    ]
    return np.stack([hashed(FIRST_PAIR + number, values, buckets) for number, values in enumerate(columns)], 1)


def context_features(mentions: Attributes, types: Integers, certainty: Floats, buckets: int) -> Buckets:
    """Buckets [mentions, 6] of the context before each mention and of its certainty, which separate new entities from
    old.

    ``certainty`` [mentions] is the probability of being a mention.
    """
    kinds = mentions["kind"]
    heads = _bucketed(_seen(mentions["lemma"]), (0, 1, 2, 4))
    contents = _bucketed(_seen(mentions["content"]), (0, 1, 2, 4))
    place = _bucketed(np.arange(len(mentions)).astype(np.uint64), (0, 1, 2, 4, 8, 16, 40))
    later_heads = _bucketed(_seen(mentions["lemma"][::-1])[::-1], (0, 1, 2))
    kind_of_entity: Codes = types.astype(np.uint64)
    columns: list[list[Codes]] = [
        [heads, contents, kinds, mentions["definite"]],
        [heads, mentions["lemma"]],
        [place, kinds, kind_of_entity],
        [later_heads, heads, kinds],
        [kind_of_entity, mentions["group"], heads],
        [np.minimum(certainty * 10, 9).astype(np.uint64)],
    ]
    return np.stack([hashed(FIRST_CONTEXT + number, values, buckets) for number, values in enumerate(columns)], 1)


def _seen(values: Codes) -> Codes:
    """Number of earlier mentions with the same value, for each mention."""
    counts: dict[int, int] = {}
    found = []
    for value in values.tolist():
        found.append(counts.get(value, 0))
        counts[value] = found[-1] + 1
    return np.array(found, np.uint64)


def _repetitions(mentions: Attributes) -> Codes:
    """Number of mentions with the same text, up to and including each mention."""
    return _seen(mentions["text"])


def _bucketed(values: Codes, limits: tuple[int, ...]) -> Codes:
    return np.searchsorted(np.array(limits, np.uint64), values, side="right").astype(np.uint64)


def _match(one: dict[str, Codes], other: dict[str, Codes]) -> Codes:
    """Degree of agreement of the words: from 0 for none to 7 for equal texts."""
    named = (one["kind"] >= NAME) & (other["kind"] >= NAME)
    rest = one["words"] & ~other["words"]
    head = one["lemma"] == other["lemma"]
    level = np.zeros(len(head), np.uint64)
    level[named & ((one["words"] & other["words"]) != 0)] = 1
    level[named & (rest == 0) & (one["words"] != 0)] = 2
    level[head] = 3
    level[head & (rest == 0)] = 4
    level[named & (one["initials"] == other["initials"]) & (one["initials"] != 0) & ~head] = 5
    level[(one["content"] == other["content"]) & (one["content"] != 0)] = 6
    level[one["text"] == other["text"]] = 7
    return level


def _configuration(one: dict[str, Codes], other: dict[str, Codes]) -> Codes:
    """Syntactic relation of the two mentions; 0 for different sentences."""
    together = one["sentence"] == other["sentence"]
    shape = together.astype(np.uint64)
    inside = together & (other["start"] <= one["start"]) & (one["end"] <= other["end"])
    around = together & (one["start"] <= other["start"]) & (other["end"] <= one["end"])
    shape[together & (one["governor"] == other["governor"])] = 2
    shape[inside] = 3
    shape[around] = 4
    depends = together & (one["governor"] == other["head"])
    shape[depends] = 5
    shape[depends & inside] = 6
    governs = together & (other["governor"] == one["head"])
    shape[governs] = 7
    shape[governs & around] = 8
    next_to = together & (one["start"] == other["end"])
    shape[next_to] = 9
    shape[together & (one["start"] == other["end"] + np.uint64(1)) & depends] = 10
    return shape
