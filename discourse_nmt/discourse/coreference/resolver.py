"""Resolution: documents with syntax in, coreference chains out."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product

import numpy as np
import torch

from discourse_nmt.base.arrays import Integers
from discourse_nmt.base.settings import setting
from discourse_nmt.discourse.coreference.agreement import consistent, with_types
from discourse_nmt.discourse.coreference.attributes import Attributes, Codes, attributes_of
from discourse_nmt.discourse.coreference.candidates import Candidate
from discourse_nmt.discourse.coreference.features import Buckets, mention_features
from discourse_nmt.discourse.coreference.lexicons.word_lists import ReferringWords
from discourse_nmt.discourse.coreference.network import (
    CoreferenceNetworkSettings,
    DetectionNetwork,
    KnownCounts,
    RankingNetwork,
)
from discourse_nmt.discourse.coreference.pairs import Floats, Pairs, context_features, pair_features, pairs_of
from discourse_nmt.discourse.coreference.speech.turns import NOBODY, Speakers, Speech, speech_of
from discourse_nmt.discourse.structures.mentions import Chain, Mention, Span
from discourse_nmt.discourse.structures.syntax import Syntax

NOTHING: Mapping[int, str] = {}
PIECE = 100_000  # pairs that are scored at a time, to bound memory


@dataclass(frozen=True)
class ResolverSettings:
    """Thresholds of the resolver."""

    threshold: float = setting(
        0.2, "least probability of a candidate that is considered as a mention", minimum=0, below=1
    )
    margin: float = setting(-1.25, "least margin of the best antecedent over none, in score")


@dataclass(frozen=True)
class DetectedMentions:
    """Mentions of a document with their features [mentions, templates], the index of the most probable type [mentions],
    the features [mentions, templates] for new entities, the bits [mentions] of ``agreement.py``, and the probability
    [mentions] of being a mention."""

    mentions: Attributes
    features: Buckets
    types: Integers
    novelty: Buckets
    agreement: Codes
    certainty: Floats


@dataclass(frozen=True)
class ResolvedMention:
    """A mention, its entity, identified by the index of the entity's first mention in the document, its entity type and
    the probability of being a mention at all."""

    mention: Mention
    entity: int
    type: str
    certainty: float


class Resolver:
    """Trained networks and settings; ``types`` are the names of entity types, the first of which is empty (no
    mention). ``lexicon`` has the words of the language of the documents. Characters of ``simplified``, a table of
    :meth:`str.translate`, are read as what they stand for."""

    def __init__(
        self,
        detection: DetectionNetwork,
        ranking: RankingNetwork,
        types: Sequence[str],
        sizes: CoreferenceNetworkSettings,
        settings: ResolverSettings,
        lexicon: ReferringWords,
        simplified: Mapping[int, str] = NOTHING,
    ) -> None:
        self.detection = detection.eval()
        self.ranking = ranking.eval()
        self.types = tuple(types)
        self.sizes = sizes
        self.settings = settings
        self.lexicon = lexicon
        self.simplified = simplified

    @property
    def known(self) -> KnownCounts:
        """How many buckets of features the networks know."""
        return KnownCounts(self.detection.candidates.count, self.ranking.mentions.count, self.ranking.pairs.count)

    def resolve(
        self, documents: Sequence[Sequence[Syntax]], speakers: Sequence[Speakers] | None = None
    ) -> list[tuple[Chain, ...]]:
        """Chains of two or more mentions over word spans, in order of first mention.

        ``speakers`` has who says each sentence of each document, None where nobody is named. Documents do not affect
        each other's results. Sentences without dependencies have no mentions.
        """
        if speakers is None:
            return [_chains(self.mentions_of(document)) for document in documents]
        return [_chains(self.mentions_of(*one)) for one in zip(documents, speakers, strict=True)]

    def mentions_of(self, document: Sequence[Syntax], speakers: Speakers | None = None) -> list[ResolvedMention]:
        """All candidates of a document that may be mentions, those without a chain too, in text order; ``speakers`` has
        who says each sentence."""
        if self.simplified:
            document = [_translated(sentence, self.simplified) for sentence in document]
        attributes = attributes_of(document, self.lexicon)
        if not len(attributes):
            return []
        detected = detect(attributes, self.detection, self.types, self.settings.threshold, self.sizes)
        pairs = pairs_of(detected.mentions).agreeing(detected.agreement)
        better, scores = better_antecedents(detected, pairs, self.ranking, self.sizes, self.settings.margin)
        speech = speech_of(document, self.lexicon, speakers)
        entities = entities_of(detected, speech, better, scores)
        return [
            ResolvedMention(
                Mention(Span(sentence, one.start, one.end), Span(sentence, one.head, one.head + 1)),
                entity,
                self.types[kind],
                certainty,
            )
            for entity, (sentence, one), kind, certainty in zip(
                entities, detected.mentions.candidates, detected.types.tolist(), detected.certainty.tolist()
            )
        ]


def _translated(sentence: Syntax, table: Mapping[int, str]) -> Syntax:
    """The sentence with the characters of a table of :meth:`str.translate` replaced in its words and lemmas."""
    forms, lemmas = (tuple(word.translate(table) for word in words) for words in (sentence.forms, sentence.lemmas))
    return replace(sentence, forms=forms, lemmas=lemmas)


def _chains(mentions: Sequence[ResolvedMention]) -> tuple[Chain, ...]:
    chains: dict[int, list[Mention]] = {}
    for one in mentions:
        chains.setdefault(one.entity, []).append(one.mention)
    several = [Chain(tuple(sorted(mentions))) for mentions in chains.values() if len(mentions) > 1]
    return tuple(sorted(several, key=lambda chain: chain.mentions[0]))


@torch.inference_mode()
def detect(
    attributes: Attributes,
    network: DetectionNetwork,
    names: Sequence[str],
    threshold: float,
    sizes: CoreferenceNetworkSettings,
) -> DetectedMentions:
    """The candidates whose probability of being a mention is at least ``threshold``; ``names`` are the types' names."""
    features = mention_features(attributes, sizes.mention_buckets)
    probabilities = network(torch.from_numpy(features)).softmax(1).numpy()
    certainty: Floats = 1 - probabilities[:, 0]
    kept = np.flatnonzero(certainty >= threshold)
    mentions, features = attributes.chosen(kept), features[kept]
    types = probabilities[kept, 1:].argmax(1) + 1
    context = context_features(mentions, types, certainty[kept], sizes.mention_buckets)
    agreement = with_types(mentions["agreement"], types, names)
    return DetectedMentions(
        mentions, features, types, np.concatenate([features, context], 1), agreement, certainty[kept]
    )


@torch.inference_mode()
def better_antecedents(
    detected: DetectedMentions, pairs: Pairs, network: RankingNetwork, sizes: CoreferenceNetworkSettings, margin: float
) -> tuple[Pairs, Floats]:
    """The pairs whose score exceeds that of no antecedent by ``margin``, and their scores [pairs]."""
    later, earlier = network.vectors(torch.from_numpy(detected.features))
    new = network.unlinked(torch.from_numpy(detected.novelty)).numpy() + np.float32(margin)
    scores = np.empty(len(pairs.mention), np.float32)
    for first in range(0, len(scores), PIECE):
        piece = Pairs(pairs.mention[first : first + PIECE], pairs.antecedent[first : first + PIECE])
        features = torch.from_numpy(pair_features(detected.mentions, piece, detected.types, sizes.pair_buckets))
        linked = network.linked(later[piece.mention], earlier[piece.antecedent], features)
        scores[first : first + PIECE] = linked.numpy()
    kept = scores > new[pairs.mention]
    return Pairs(pairs.mention[kept], pairs.antecedent[kept]), scores[kept]


def entities_of(detected: DetectedMentions, speech: Speech, pairs: Pairs, scores: Floats) -> list[int]:
    """Entity of each mention, identified by the index of the entity's first mention.

    First, all mentions with a ``certain`` part in the ``speech`` are joined, of several spans around a head the one
    that is most probably a mention. Then, in text order, each mention joins the entity of its best antecedent (of equal
    ones the nearest) that :class:`Entities` allow.
    """
    candidates = detected.mentions.candidates
    entities = Entities(candidates, detected.agreement, speech)
    of_head = {}
    for mention in np.argsort(detected.certainty, kind="stable").tolist():
        sentence, one = candidates[mention]
        of_head[sentence, one.head] = mention
    last: dict[int, int] = {}  # mention with each certain part
    for word, mention in sorted(of_head.items()):
        for part in speech.parts.get(word, NOBODY) & speech.certain:
            entities.join(last.get(part, mention), mention)
            last[part] = mention
    order = np.lexsort((-pairs.antecedent, -scores, pairs.mention))
    joined = -1
    for mention, antecedent in zip(pairs.mention[order].tolist(), pairs.antecedent[order].tolist()):
        if mention != joined and entities.join(antecedent, mention):
            joined = mention
    return entities.of


class Entities:
    """Entities that grow: ``of`` has that of each mention, the index of the entity's first mention.

    Two entities may be one if all of their mentions have an ``agreement`` bit [mentions] in common, none crosses
    another (formats of chains cannot hold crossing ones), and they have no two parts of different people in the
    ``speech``. ``candidates`` have the index of their sentence.
    """

    def __init__(self, candidates: Sequence[tuple[int, Candidate]], agreement: Codes, speech: Speech) -> None:
        self.candidates, self.speech = candidates, speech
        self.of = list(range(len(candidates)))
        self._common = agreement.copy()
        self._members = [{sentence: [number]} for number, (sentence, _) in enumerate(candidates)]
        self._parts = [set(speech.parts.get((sentence, one.head), NOBODY)) for sentence, one in candidates]

    def join(self, one: int, other: int) -> bool:
        """Make the entities of two mentions one, if they may be; whether they are."""
        left, right = sorted((self.of[one], self.of[other]))
        if left == right:
            return True
        common = self._common[left] & self._common[right]
        if not consistent(common) or not self.speech.may_corefer(self._parts[left], self._parts[right]):
            return False
        members, others = self._members[left], self._members[right]
        for sentence in members.keys() & others.keys():
            pairs = product(members[sentence], others[sentence])
            if any(_cross(self.candidates[first], self.candidates[second]) for first, second in pairs):
                return False
        self._common[left] = common
        self._parts[left] |= self._parts[right]
        for sentence, numbers in others.items():
            members.setdefault(sentence, []).extend(numbers)
            for number in numbers:
                self.of[number] = left
        return True


def _cross(left: tuple[int, Candidate], right: tuple[int, Candidate]) -> bool:
    """Whether two mentions share words, but neither holds the other."""
    (left_sentence, one), (right_sentence, other) = left, right
    if left_sentence != right_sentence:
        return False
    return one.start < other.start < one.end < other.end or other.start < one.start < other.end < one.end
