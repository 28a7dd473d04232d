"""Pairs of a mention and an earlier one that may be its antecedent, and their features."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from discourse_nmt.base.arrays import Integers
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
        agree = consistent(bits[self.mention] & bits[self.antecedent])
        return Pairs(self.mention[agree], self.antecedent[agree])


def pairs_of(mentions: Attributes) -> Pairs:
    """Every mention with the mentions shortly before it, and with farther ones with the same head or text.

    Two spans around one head are never a pair. The number of pairs is linear in the number of mentions.
    """
    count = len(mentions)
    widest = max(NEAR_PRONOUN, NEAR_ALIKE)
    steps = np.tile(np.arange(1, widest + 1), count)
    later = np.repeat(np.arange(count), widest)
    exists = later >= steps
    later, steps = later[exists], steps[exists]
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
        for index, (value, kind) in enumerate(zip(mentions[name].tolist(), mentions["kind"].tolist())):
            if kind < NAME or not value:
                continue
            before = seen.setdefault(value, [])
            far = [
                earlier_index for earlier_index in before[-NEAR_ALIKE - SAME :] if earlier_index < index - NEAR_ALIKE
            ][-SAME:]
            far_later += [index] * len(far)
            far_earlier += far
            before.append(index)
    later = np.concatenate([later, np.array(far_later, np.int64)])
    earlier = np.concatenate([earlier, np.array(far_earlier, np.int64)])
    keys = np.unique(later * (count + 1) + count - earlier)  # sorted: by mention, then nearest first
    later, earlier = keys // (count + 1), count - keys % (count + 1)
    head = mentions["head"]
    kept = head[later] != head[earlier]
    return Pairs(later[kept], earlier[kept])


def pair_features(mentions: Attributes, pairs: Pairs, types: Integers, buckets: int) -> Buckets:
    """Buckets [pairs, templates]; ``types`` [mentions] are the mentions' predicted entity types."""
    mention = {name: column[pairs.mention] for name, column in mentions.columns.items()}
    antecedent = {name: column[pairs.antecedent] for name, column in mentions.columns.items()}
    mention_type = types[pairs.mention].astype(np.uint64)
    antecedent_type = types[pairs.antecedent].astype(np.uint64)
    sentences = _bucketed(mention["sentence"] - antecedent["sentence"], (0, 1, 2, 3, 5, 8, 15, 30))
    between = _bucketed((pairs.mention - pairs.antecedent).astype(np.uint64), (1, 2, 3, 5, 8, 13, 20, 40, 80))
    match = _match(mention, antecedent)
    shape = _configuration(mention, antecedent)
    common = np.minimum(np.bitwise_count(mention["words"] & antecedent["words"]), 3).astype(np.uint64)
    extra = np.minimum(np.bitwise_count(mention["words"] & ~antecedent["words"]), 3).astype(np.uint64)
    lacking = np.minimum(np.bitwise_count(antecedent["words"] & ~mention["words"]), 3).astype(np.uint64)
    repeated = _bucketed(_repetitions(mentions)[pairs.antecedent], (0, 1, 2, 4, 8))
    same_sentence = np.minimum(sentences, 2)
    agreement = [mention["number"], antecedent["number"], mention["gender"], antecedent["gender"]]
    pronoun = np.where(mention["kind"] <= DEMONSTRATIVE, mention["group"], 0)
    antecedent_pronoun = np.where(antecedent["kind"] <= DEMONSTRATIVE, antecedent["group"], 0)
    same_governor = (mention["governor_lemma"] == antecedent["governor_lemma"]).astype(np.uint64)
    columns = [
        [mention["group"], antecedent["group"], sentences],
        [mention["group"], antecedent["kind"], between],
        [match, mention["kind"], antecedent["kind"], sentences],
        [match, mention["group"], antecedent["group"]],
        [match, mention["definite"], antecedent["definite"], repeated],
        [mention["lemma"], antecedent["lemma"]],
        [mention["group"], antecedent["lemma"]],
        [*agreement, mention["kind"], antecedent["kind"]],
        [pronoun, antecedent_pronoun, antecedent["number"], antecedent["gender"], antecedent_type],
        [shape, mention["group"], antecedent["group"]],
        [shape, mention["full_relation"], antecedent["full_relation"]],
        [shape, mention["before"], mention["kind"], antecedent["kind"]],
        [mention["relation"], antecedent["relation"], mention["kind"], antecedent["kind"], same_sentence],
        [common, extra, lacking, mention["kind"], antecedent["kind"], match],
        [repeated, mention["kind"], antecedent["kind"], sentences],
        [mention_type, antecedent_type, match],
        [mention_type, antecedent_type, pronoun, antecedent_pronoun],
        [same_governor, mention["relation"], antecedent["relation"], match],
        [mention["governor_lemma"], antecedent["lemma"], pronoun],
        [match, mention["lemma"]],
        [match, mention["length"], antecedent["length"], mention["kind"], antecedent["kind"]],
        [mention["reflexive"], shape, mention["relation"], antecedent["relation"]],
        [between, shape, mention["kind"], antecedent["kind"]],
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
    position = _bucketed(np.arange(len(mentions)).astype(np.uint64), (0, 1, 2, 4, 8, 16, 40))
    later_heads = _bucketed(_seen(mentions["lemma"][::-1])[::-1], (0, 1, 2))
    entity_types: Codes = types.astype(np.uint64)
    columns: list[list[Codes]] = [
        [heads, contents, kinds, mentions["definite"]],
        [heads, mentions["lemma"]],
        [position, kinds, entity_types],
        [later_heads, heads, kinds],
        [entity_types, mentions["group"], heads],
        [np.minimum(certainty * 10, 9).astype(np.uint64)],
    ]
    return np.stack([hashed(FIRST_CONTEXT + number, values, buckets) for number, values in enumerate(columns)], 1)


def _seen(values: Codes) -> Codes:
    """Number of earlier mentions with the same value, for each mention."""
    counts: dict[int, int] = {}
    earlier = []
    for value in values.tolist():
        earlier.append(counts.get(value, 0))
        counts[value] = earlier[-1] + 1
    return np.array(earlier, np.uint64)


def _repetitions(mentions: Attributes) -> Codes:
    """Number of mentions with the same text, up to and including each mention."""
    return _seen(mentions["text"])


def _bucketed(values: Codes, limits: tuple[int, ...]) -> Codes:
    return np.searchsorted(np.array(limits, np.uint64), values, side="right").astype(np.uint64)


def _match(mention: dict[str, Codes], antecedent: dict[str, Codes]) -> Codes:
    """Degree of agreement of the words: from 0 for none to 7 for equal texts."""
    named = (mention["kind"] >= NAME) & (antecedent["kind"] >= NAME)
    rest = mention["words"] & ~antecedent["words"]
    head = mention["lemma"] == antecedent["lemma"]
    level = np.zeros(len(head), np.uint64)
    level[named & ((mention["words"] & antecedent["words"]) != 0)] = 1
    level[named & (rest == 0) & (mention["words"] != 0)] = 2
    level[head] = 3
    level[head & (rest == 0)] = 4
    level[named & (mention["initials"] == antecedent["initials"]) & (mention["initials"] != 0) & ~head] = 5
    level[(mention["content"] == antecedent["content"]) & (mention["content"] != 0)] = 6
    level[mention["text"] == antecedent["text"]] = 7
    return level


def _configuration(mention: dict[str, Codes], antecedent: dict[str, Codes]) -> Codes:
    """Syntactic relation of the two mentions; 0 for different sentences."""
    together = mention["sentence"] == antecedent["sentence"]
    shape = together.astype(np.uint64)
    inside = together & (antecedent["start"] <= mention["start"]) & (mention["end"] <= antecedent["end"])
    around = together & (mention["start"] <= antecedent["start"]) & (antecedent["end"] <= mention["end"])
    shape[together & (mention["governor"] == antecedent["governor"])] = 2
    shape[inside] = 3
    shape[around] = 4
    depends = together & (mention["governor"] == antecedent["head"])
    shape[depends] = 5
    shape[depends & inside] = 6
    governs = together & (antecedent["governor"] == mention["head"])
    shape[governs] = 7
    shape[governs & around] = 8
    next_to = together & (mention["start"] == antecedent["end"])
    shape[next_to] = 9
    shape[together & (mention["start"] == antecedent["end"] + np.uint64(1)) & depends] = 10
    return shape
