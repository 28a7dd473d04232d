"""The side constraint: which sentence keeps which form, in translation and in training."""

from typing import get_args, get_type_hints

import numpy as np
import pytest
import torch

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.vocabulary import SPECIALS, Vocabulary
from discourse_nmt.corpus.address.forms import FORMS
from discourse_nmt.models.context.inference import Paragraph, score_paragraphs, source_of, with_references
from discourse_nmt.models.context.side_constraint import SideConstraint, is_one_of
from discourse_nmt.models.core.preparation import prepare_for_inference
from discourse_nmt.models.switches.context import SideConstraintSettings
from discourse_nmt.models.switches.decoding import DecodingSettings
from discourse_nmt.models.systems import build_with
from tests.unit.models.context.context_examples import PARAGRAPHS, SMALL, batch, network, sentence_model

WORDS = Vocabulary((*SPECIALS, *["you", "are", "kind", "du", "bist", "ihr", "seid", "nett"]))
NONE, DU, IHR = range(3)


def sentences(text: str) -> list[list[int]]:
    return [[WORDS.ids[word] for word in sentence.split()] for sentence in text.split("|")]


TALK = Paragraph(
    sentences("you are kind | are kind | you are | you are | you are kind | you"),
    sentences("du bist nett | ihr seid | nett | ihr seid nett | du bist ihr seid | du bist"),
)


def talker(**switches: object) -> SideConstraint:
    torch.manual_seed(1)
    settings = {**SMALL, "dropout": 0.0, "target_language": "de", **switches}
    model = build_with("side_constraint", settings, WORDS, WORDS)
    assert isinstance(model, SideConstraint)
    return model.eval()


def kept(model: SideConstraint) -> list[int]:
    """The constraint of each sentence of the talk, whose references are known."""
    source = source_of(model, [TALK])
    memory = with_references(model, [TALK], source, model.encode_source(source))
    return model.constraints(memory).tolist()


def test_a_sentence_with_you_keeps_the_last_form() -> None:
    """The second sentence has no *you*, so its form neither is kept nor keeps one; the fifth has two forms, so none."""
    assert kept(talker()) == [NONE, NONE, DU, DU, IHR, IHR]


def test_a_form_is_forgotten_behind_the_last_sentences() -> None:
    assert kept(talker(sentences=1)) == [NONE, NONE, NONE, NONE, IHR, NONE]


def test_defaults_are_those_of_the_measured_rows() -> None:
    """Two nats each way; a form of twenty sentences before is kept, none of twenty-one before; no drafts."""
    model = talker()
    assert not model.reads_drafts
    assert model.lexicon[[WORDS.ids["du"], WORDS.ids["ihr"]]].tolist() == [[2, -2], [-2, 2]]
    for between, form in ((19, DU), (20, NONE)):
        talk = Paragraph(sentences("you" + " | kind" * between + " | you"), sentences("du" + " | nett" * (between + 1)))
        source = source_of(model, [talk])
        memory = with_references(model, [talk], source, model.encode_source(source))
        assert model.constraints(memory).tolist()[-1] == form


def test_a_constraint_of_no_strength_is_the_sentence_model() -> None:
    model = talker(reward=0.0, penalty=0.0)
    made = batch(model, [TALK])
    torch.testing.assert_close(model(made), sentence_model(model)(made.source.ids, made.target_input))


def test_scores_of_words_of_address_change() -> None:
    """By the form that a word is of, in a sentence that keeps one; others have no word changed."""
    model = talker(reward=0.5, penalty=1.5)
    made = batch(model, [TALK])
    changed = model(made) - sentence_model(model)(made.source.ids, made.target_input)
    changes = {NONE: (0, 0), DU: (0.5, -1.5), IHR: (-1.5, 0.5)}
    for scores, form in zip(changed, kept(model)):
        change_of = dict(zip(("du", "ihr"), changes[form]))
        for word in ("du", "bist", "ihr", "seid", "nett", "you"):
            wanted = torch.full(scores.shape[:1], float(change_of.get(word, 0)))
            torch.testing.assert_close(scores[:, WORDS.ids[word]], wanted, atol=1e-5, rtol=0)


@pytest.mark.parametrize(
    ("symbol", "counts"),
    [("du", True), ("Du", True), ("￭du", True), ("du￭", True), ("du@@", False), ("dus", False), ("du-ihr", False)],
)
def test_whole_words_are_constrained(symbol: str, counts: bool) -> None:
    assert is_one_of(symbol, {"du", "dich"}) == counts


def test_a_shortlist_has_the_constraint_too() -> None:
    model = talker()
    states = torch.randn(2, 18)
    whole = model.logits(states)
    prepare_for_inference(model, DecodingSettings(shortlist=1), np.zeros((len(WORDS), 1), np.int64))
    shortlist = model.shortlist([[7, 8], [9]])
    assert shortlist is not None
    wanted = whole[:, torch.from_numpy(shortlist.symbols)] + shortlist.added
    torch.testing.assert_close(shortlist.logits(states, torch.arange(2)), wanted)


def test_subwords_of_sentencepiece_are_refused() -> None:
    pieces = Vocabulary((*SPECIALS, "▁you", "▁du"))
    with pytest.raises(InputError, match="cannot see where a word ends in subwords of SentencePiece; set corpora"):
        build_with("side_constraint", {**SMALL, "target_language": "de"}, pieces, pieces)


def test_target_context_is_all_that_it_reads() -> None:
    model = network("side_constraint")
    stage_1 = sentence_model(model)
    items = [(number, place, ids) for number, one in enumerate(PARAGRAPHS) for place, ids in enumerate(one.target)]
    both, source, target = (
        [score for _, score in sorted(score_paragraphs(model, PARAGRAPHS, items, 100, context))]
        for context in ("both", "source", "target")
    )
    alone = [Paragraph([one.source[place]], [ids]) for one in PARAGRAPHS for place, ids in enumerate(one.target)]
    made = batch(model, alone)
    scores = stage_1(made.source.ids, made.target_input).log_softmax(-1).gather(2, made.target_output[..., None])
    assert source == pytest.approx(((made.target_output != 0) * scores[..., 0]).sum(1).tolist(), rel=1e-4)
    assert target == pytest.approx(both, rel=1e-5) and both != pytest.approx(source, rel=1e-3)


def test_a_vocabulary_that_splits_the_words_is_refused() -> None:
    """As that of a corpus without them."""
    parts = Vocabulary((*SPECIALS, "you", "du", "ih@@", "r"))
    with pytest.raises(InputError, match="can keep nothing: no subword of the target is ihr; learn subwords"):
        build_with("side_constraint", {**SMALL, "target_language": "de"}, WORDS, parts)


def test_the_language_must_be_given() -> None:
    with pytest.raises(InputError, match="no target_language; set it to one of de, es, fr, ru"):
        build_with("side_constraint", SMALL, WORDS, WORDS)
    languages = get_args(get_type_hints(SideConstraintSettings)["target_language"])
    assert set(languages) == {"", *FORMS}
