"""Given translations of sentences, as further sentences of the target of their instance.

All candidates of an instance share its encoded source and the earlier sentences of its target. Each one attends to
itself and to the sentences that its own sentence would attend to, and nothing attends to it.

One side of the context may be left out; positions stay. Without the target's, a candidate attends to itself alone.
Without the source's, every source sentence is encoded alone, a candidate attends to its own one, and the earlier target
sentences to none, as their states would tell of their source: of their attention to it the bias remains.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from discourse_nmt.base.arrays import Booleans, Integers
from discourse_nmt.base.vocabulary import BEGIN, END
from discourse_nmt.models.attention.neighbourhood import Neighbourhood, neighbourhood
from discourse_nmt.models.packed.host import PackedTransformer
from discourse_nmt.models.packed.instances import Instance
from discourse_nmt.models.packed.packing import (
    PackedText,
    Plans,
    layout,
    source_layout,
    source_plans,
    source_text,
    target_layout,
)
from discourse_nmt.models.packed.relations import sentence_relation
from discourse_nmt.models.switches.decoding import ContextRead

Candidate = tuple[int, Sequence[int]]
"""The index of a sentence in its instance, and the subword ids of a translation without marks."""


@dataclass(frozen=True)
class CandidateBatch:
    """Instances, whose target ends before the last sentence that has a candidate, and their candidates."""

    source: PackedText
    target: PackedText
    wanted: Tensor
    """[T] bool, true at the tokens of candidates."""
    output: Tensor
    """[n] the token that follows each token of a candidate."""
    counts: Integers
    """[candidates] tokens of each candidate, ``</s>`` included."""
    plans: Plans


def pack_candidates(
    model: PackedTransformer,
    instances: Sequence[Instance],
    candidates: Sequence[Sequence[Candidate]],
    context: ContextRead = "both",
) -> CandidateBatch:
    """The batch of ``instances``, each with at least one of the ``candidates`` [instances][n]; see the module.

    Where the ``context`` is that of the target alone, the instances have no trees.
    """
    settings, marks = model.settings, model.source_marks
    source = source_layout(instances, settings.position_reset, marks)
    usual = target_layout(instances, source, settings.position_reset, settings.target_positions)
    first_sentence, sentence_of_row, texts, is_candidate = 0, [], [], []
    for instance, own in zip(instances, candidates):
        earlier = 0 if context == "source" else max(sentence for sentence, _ in own)
        rows = [*enumerate(instance.target[:earlier]), *own]
        sentence_of_row += [first_sentence + sentence for sentence, _ in rows]
        texts += [np.asarray(ids, np.int64) for _, ids in rows]
        is_candidate += [False] * earlier + [True] * len(own)
        first_sentence += len(instance.source)
    sentences, candidate_rows = np.array(sentence_of_row), np.array(is_candidate)
    counts = np.array([len(ids) + 1 for ids in texts])
    placed = layout([counts.tolist()], False, usual.firsts[sentences])

    read = ~candidate_rows & (sentences < sentences[:, None]) | np.eye(len(sentences), dtype=bool)
    plans = Plans(source_plans(instances, source, model.relations, marks), {}, {})
    own_source = sentence_relation(instances, "sentence", model.target_tree)
    for relation in model.relations:
        related = sentence_relation(instances, relation, model.target_tree).matrix[sentences]
        plans.target[relation] = plan(related[:, sentences] & read, placed.sentences, placed.sentences, causal=True)
        if context == "target":
            plans.source[relation] = own_source.plan(source.sentences, source.sentences)
            related = own_source.matrix[sentences] & candidate_rows[:, None]
        plans.across[relation] = plan(related, placed.sentences, source.sentences)
    begin, end = np.array([BEGIN]), np.array([END])
    ids = np.concatenate([part for text in texts for part in (begin, text)])
    output = np.concatenate([part for text, chosen in zip(texts, is_candidate) if chosen for part in (text, end)])
    return CandidateBatch(
        source=source_text(instances, source, marks),
        target=PackedText(torch.from_numpy(ids)[None], torch.from_numpy(placed.positions)[None]),
        wanted=torch.from_numpy(candidate_rows[placed.sentences]),
        output=torch.from_numpy(output),
        counts=counts[candidate_rows],
        plans=plans,
    )


def plan(related: Booleans, queries: Integers, keys: Integers, causal: bool = False) -> Neighbourhood:
    """Which tokens attend to which.

    ``related`` [n, m] says so of rows of text, ``queries`` and ``keys`` are the row of each token.
    """
    return neighbourhood(queries[None], keys[None], [np.argwhere(related)], causal)
