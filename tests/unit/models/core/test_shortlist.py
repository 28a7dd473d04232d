"""Shortlists of the target vocabulary, in all decoders."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pytest
import torch

from discourse_nmt.base.arrays import Integers
from discourse_nmt.base.errors import InputError
from discourse_nmt.base.vocabulary import BEGIN, END, PAD, SPECIALS
from discourse_nmt.models.context.inference import translate_paragraphs
from discourse_nmt.models.core import shortlist as shortlist_module
from discourse_nmt.models.core.beam_search import CachedSteps, Hypothesis
from discourse_nmt.models.core.inference import padded, score, translate
from discourse_nmt.models.core.preparation import prepare_for_inference
from discourse_nmt.models.core.shortlist import Shortlist, Shortlists, SubwordIds
from discourse_nmt.models.core.transformer import Transformer
from discourse_nmt.models.packed.decoding.inference import translate_instances
from discourse_nmt.models.switches.decoding import DecodingSettings
from tests.conftest import ROOT
from tests.unit.models.context import context_examples
from tests.unit.models.core.test_beam_search import SIZE, make, sources
from tests.unit.models.packed import packed_examples

USUALLY_FREQUENT, FREQUENT = shortlist_module.FREQUENT, 2
BEAM = DecodingSettings(beam=3, n_best=2, max_length_ratio=1.0, max_length_offset=2)
SENTENCES = sources([9, 2, 12, 5, 1])
PARAGRAPHS = [context_examples.paragraph(lengths, seed) for seed, lengths in enumerate([[3, 5, 2], [4], [1, 7]])]
INSTANCES = [packed_examples.instance(lengths, seed) for seed, lengths in enumerate([[4, 1, 6], [7], [2, 2, 3]])]

Found = list[tuple[SubwordIds, list[Hypothesis]]]
"""The ids of each source sentence, and its n-best translations."""
Decoder = tuple[Callable[[], Transformer], Callable[[Any, Sequence[Any], DecodingSettings], Found], Sequence[Any]]


def sentence_by_sentence(model: Transformer, items: Sequence[Any], settings: DecodingSettings) -> Found:
    found = dict(translate(model, items, settings))
    return [(ids, found[number]) for number, ids in enumerate(items)]


def of_documents(decode: Any, model: Any, items: Sequence[Any], settings: DecodingSettings) -> Found:
    found = dict(decode(model, items, settings))
    return [(ids, one) for number, item in enumerate(items) for ids, one in zip(item.source, found[number])]


def as_sequences(model: Any, items: Sequence[Any], settings: DecodingSettings) -> Found:
    return of_documents(translate_instances, model, items, replace(settings, search="sequence"))


PARAGRAPHWISE = partial(of_documents, translate_paragraphs)
DECODERS: dict[str, Decoder] = {
    "sentences": (partial(make, end=3.0), sentence_by_sentence, SENTENCES),
    "language": (partial(make, end=3.0, marks="language"), sentence_by_sentence, SENTENCES),
    "together": (partial(context_examples.network, "doc_transformer"), PARAGRAPHWISE, PARAGRAPHS),
    "streams": (partial(context_examples.network, "han"), PARAGRAPHWISE, PARAGRAPHS),
    "waves": (packed_examples.network, partial(of_documents, translate_instances), INSTANCES),
    "sequence": (packed_examples.network, as_sequences, INSTANCES),
    "sequence-language": (partial(packed_examples.network, marks="language"), as_sequences, INSTANCES),
}
EVERY = pytest.mark.parametrize("decoder", DECODERS.values(), ids=DECODERS)


@pytest.fixture(autouse=True)
def few_are_frequent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shortlist_module, "FREQUENT", FREQUENT)
    monkeypatch.setattr(shortlist_module, "BLOCK", 1)


def translations(count: int, seed: int = 1) -> Integers:
    """``count`` different random subwords for each source symbol."""
    every = np.tile(np.arange(len(SPECIALS), SIZE), (SIZE, 1))
    return np.random.default_rng(seed).permuted(every, axis=1)[:, :count]


def decoded(decoder: Decoder, table: Integers | None, items: Sequence[Any] = (), **changes: Any) -> Found:
    """What a prepared network translates with all translations of a ``table``; None: without a shortlist."""
    make_model, decode, all_items = decoder
    settings = replace(BEAM, **{"shortlist": 0 if table is None else table.shape[1], **changes})
    model = make_model()
    prepare_for_inference(model, settings, table)
    return decode(model, items or all_items, settings)


def ids_of(found: Found) -> list[list[tuple[int, ...]]]:
    return [[hypothesis.ids for hypothesis in hypotheses] for _, hypotheses in found]


def scores_of(found: Found) -> list[float]:
    return [hypothesis.score for _, hypotheses in found for hypothesis in hypotheses]


@EVERY
@pytest.mark.parametrize("precision", ["fp32", "int8"])
def test_a_list_of_all_symbols_changes_nothing(decoder: Decoder, precision: str) -> None:
    whole = decoded(decoder, None, precision=precision)
    listed = decoded(decoder, translations(SIZE - len(SPECIALS)), precision=precision)
    assert ids_of(listed) == ids_of(whole) and scores_of(listed) == scores_of(whole)


@EVERY
def test_a_translation_has_only_what_its_sentence_is_allowed(decoder: Decoder) -> None:
    table = translations(2)
    found = decoded(decoder, table)
    assert ids_of(found) != ids_of(decoded(decoder, None))
    frequent = set(range(len(SPECIALS), len(SPECIALS) + FREQUENT))
    used = set()
    for ids, hypotheses in found:
        allowed = frequent | set(table[np.asarray(ids, np.int64)].ravel().tolist())
        assert all(set(hypothesis.ids) <= allowed for hypothesis in hypotheses)
        used |= set().union(*(hypothesis.ids for hypothesis in hypotheses)) - frequent
    assert used and len(allowed) < SIZE - len(SPECIALS)


@EVERY
def test_a_sentence_is_translated_alike_in_every_batch(decoder: Decoder) -> None:
    table, items = translations(2), decoder[2]
    together = decoded(decoder, table)
    alone = [one for item in items for one in decoded(decoder, table, [item], batch_tokens=1)]
    assert ids_of(alone) == ids_of(together)
    assert scores_of(alone) == pytest.approx(scores_of(together), rel=1e-5)


def test_a_row_that_moves_keeps_the_list_of_its_sentence() -> None:
    model = make()
    prepare_for_inference(model, DecodingSettings(shortlist=2), translations(2))
    listed = model.shortlist(SENTENCES[:3])
    assert listed is not None and not torch.equal(listed.added[0], listed.added[2])
    with torch.inference_mode():
        steps = CachedSteps(model, model.encode(padded(SENTENCES[:3], model)), listed)
        assert torch.equal(steps.logits(torch.full((3,), BEGIN)).isinf(), listed.added.isinf())
        steps.select(torch.tensor([2, 1]), torch.tensor([[0, 0], [0, 0]]))
        logits = steps.logits(torch.tensor([8, 9, 8, 9]))
    assert torch.equal(logits.isinf(), listed.added[[2, 2, 1, 1]].isinf())


class WholeVocabulary(Shortlists):
    """The literal shortlist: all symbols are scored, and those that a sentence is not allowed are forbidden."""

    def of(self, sources: Sequence[SubwordIds]) -> Shortlist:
        """See :class:`.Shortlists`."""
        forbidden = torch.ones(len(sources), len(self.output), dtype=torch.bool)
        for row, ids in zip(forbidden, sources):
            row[: len(SPECIALS) + FREQUENT] = False
            for source_id in ids:
                row[self.translations[source_id].tolist()] = False
        bias = torch.zeros(len(self.output)) if self.bias is None else self.bias
        added = torch.where(forbidden, -torch.inf, bias)
        return Shortlist(np.arange(len(self.output)), added, self.prepare(self.output))


@EVERY
def test_the_search_is_that_of_the_whole_vocabulary_without_what_is_forbidden(
    decoder: Decoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = decoded(decoder, translations(2))
    monkeypatch.setattr(Shortlists, "of", WholeVocabulary.of)
    literal = decoded(decoder, translations(2))
    assert ids_of(found) == ids_of(literal)
    assert scores_of(found) == pytest.approx(scores_of(literal), rel=1e-5)


def test_the_guide_tells_how_many_subwords_every_sentence_is_allowed() -> None:
    guide = (ROOT / "docs" / "how-to" / "training.md").read_text(encoding="utf-8")
    assert f"and the {USUALLY_FREQUENT} most frequent ones" in guide


def test_symbols_of_a_search() -> None:
    table = np.full((SIZE, 2), END)
    table[10], table[11], table[12] = (20, 15), (15, 9), (22, END)
    output = torch.arange(2.0 * SIZE).reshape(SIZE, 2)
    made = Shortlists(table, output, torch.arange(float(SIZE)), lambda matrix: lambda states: states @ matrix.T)
    found = made.of([[BEGIN, 10, END, PAD], np.array([11, 10]), [], [12]])
    assert found.symbols.tolist() == [*range(len(SPECIALS) + FREQUENT), 9, 15, 20, 22]
    places = {symbol: place for place, symbol in enumerate(found.symbols.tolist())}
    allowed = [{found.symbols[place] for place in row.logical_not().nonzero()[:, 0]} for row in found.added.isinf()]
    frequent = set(range(len(SPECIALS) + FREQUENT))
    assert allowed == [frequent | {20, 15}, frequent | {20, 15, 9}, frequent, frequent | {22}]
    states = torch.tensor([[1.0, 2.0]] * 4)
    logits = found.logits(states, torch.tensor([3, 0]))
    assert logits[0, places[15]] == -torch.inf
    assert logits[2, places[20]] == 40 + 2 * 41 + 20 and logits[1, places[22]] == 44 + 2 * 45 + 22


@pytest.mark.parametrize(("block", "count"), [(1, 12), (5, 15), (6, 12), (7, 14), (256, SIZE)])
def test_sizes_are_those_of_few_kernels(block: int, count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The spare symbols are forbidden to all sentences."""
    monkeypatch.setattr(shortlist_module, "BLOCK", block)
    table = np.full((SIZE, 3), END)
    table[10] = (20, 15, 22)
    made = Shortlists(table, torch.zeros(SIZE, 2), None, lambda matrix: lambda states: states @ matrix.T).of([[10]])
    assert len(made.symbols) == count and sorted(set(made.symbols.tolist())) == made.symbols.tolist()
    allowed = made.symbols[~made.added[0].isinf().numpy()].tolist()
    assert allowed == [*range(len(SPECIALS) + FREQUENT), 15, 20, 22]


def test_scores_after_symbols_have_their_bias() -> None:
    def make_model() -> Transformer:
        model = make(end=3.0, output_bias=True)
        assert model.output_bias is not None
        model.output_bias.copy_(torch.linspace(-3, 3, SIZE))
        return model

    decoder: Decoder = (make_model, sentence_by_sentence, SENTENCES)
    assert scores_of(decoded(decoder, translations(16))) == scores_of(decoded(decoder, None))
    assert scores_of(decoded(decoder, None)) != scores_of(decoded(DECODERS["sentences"], None))


def test_rows_are_quantised_as_in_the_whole_matrix() -> None:
    model = make()
    prepare_for_inference(model, DecodingSettings(precision="int8", shortlist=2), translations(2))
    listed = model.shortlist(SENTENCES[:1])
    assert listed is not None and model.project is not None and FREQUENT < len(listed.symbols) < SIZE
    states = torch.randn(5, 16)
    with torch.inference_mode():
        assert torch.equal(listed.product(states), model.project(states)[:, torch.from_numpy(listed.symbols)])


def test_the_first_translations_are_taken_and_scores_stay_exact() -> None:
    table, targets = translations(4), sources([3, 4, 2, 6, 1], seed=2)
    model = make()
    exact = dict(score(model, SENTENCES, targets, 1000))
    prepare_for_inference(model, DecodingSettings(shortlist=3), table)
    assert model.shortlists is not None
    assert model.shortlists.translations[END + 1 :].tolist() == table[END + 1 :, :3].tolist()
    assert dict(score(model, SENTENCES, targets, 1000)) == pytest.approx(exact, rel=1e-5)
    prepare_for_inference(model, DecodingSettings(), table)
    assert model.shortlists is None and model.shortlist(SENTENCES) is None


def test_a_shortlist_without_translations_is_one_line() -> None:
    with pytest.raises(InputError, match=r"shortlist is 5, but there are no translations.*shortlist to 0"):
        prepare_for_inference(make(), DecodingSettings(shortlist=5))
