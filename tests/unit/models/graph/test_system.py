"""The document graph: the sentence model without it, batches, translation, and the worked examples of spec 03."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.vocabulary import BEGIN, END, PAD
from discourse_nmt.models.context.inference import Paragraph, score_paragraphs, source_of, translate_paragraphs
from discourse_nmt.models.core.beam_search import beam_search, forbid_specials
from discourse_nmt.models.graph.network import DocumentGraph
from discourse_nmt.models.systems import SYSTEMS, build
from discourse_nmt.training.checkpoints.model_files import load_model, save_model
from tests.unit.models.context.context_examples import (
    BEAM,
    GREEDY,
    SIZE,
    SMALL,
    batch,
    check_scores,
    logits,
    sentence_model,
)
from tests.unit.models.graph.graph_paragraphs import PARAGRAPHS, SWITCHES, changed_word, close, graph_network, paragraph
from tests.unit.models.graph.network_reference import sentence_logits
from tests.unit.training.run.training_toy import vocabulary

EVERY = pytest.mark.parametrize("switches", SWITCHES, ids=lambda switches: "-".join(map(str, switches.values())))


@pytest.mark.parametrize("how", ["context", "no structure"])
def test_without_graphs_it_is_the_sentence_model_bit_for_bit(how: str) -> None:
    """Also with ``decoding.use_tree: false``, where a model that was trained with graphs gets none."""
    model = graph_network(context="none" if how == "context" else "offline")
    texts = [replace(one, structure=None) for one in PARAGRAPHS]
    made = batch(model, texts)
    stage_1 = sentence_model(model)
    if how == "context":
        assert torch.equal(model(made), stage_1(made.source.ids, made.target_input))
    real = made.target_output != PAD
    expected = stage_1(made.source.ids, made.target_input, real)
    torch.testing.assert_close(model(made, real), expected, atol=1e-5, rtol=1e-5)
    alone = replace(BEAM, batch_tokens=1)
    found = dict(translate_paragraphs(model, texts, alone))
    for number, one in enumerate(texts):
        for ids, hypotheses in zip(one.source, found[number], strict=True):
            wanted = beam_search(stage_1, torch.tensor([[BEGIN, *ids, END]]), alone)[0]
            if how == "context":
                assert hypotheses == wanted
            assert [h.ids for h in hypotheses] == [h.ids for h in wanted]


def test_words_of_the_draft_have_the_embeddings_of_the_target() -> None:
    """With vocabularies of their own, each side's nodes follow its own table."""
    torch.manual_seed(1)
    model = build("document_graph", SMALL, SIZE, SIZE, False).eval()
    assert isinstance(model, DocumentGraph)
    graphs = batch(model, PARAGRAPHS).source.structure
    before = model.encode_graphs(graphs)
    for changed, other in (("source", "target"), ("target", "source")):
        table = getattr(model, f"{changed}_embedding").weight
        kept = table.detach().clone()
        table.data.add_(torch.randn(table.shape))
        found = model.encode_graphs(graphs)
        assert not torch.allclose(found[changed].states, before[changed].states)
        torch.testing.assert_close(found[other].states, before[other].states)
        table.data.copy_(kept)


@EVERY
def test_a_paragraph_does_not_depend_on_the_batch(switches: dict[str, Any]) -> None:
    """Nor on padding, of sentences and of what they see."""
    model = graph_network(**switches).double()
    others = [paragraph(7, [30, 2]), *PARAGRAPHS, paragraph(8, [2])]
    together = logits(model, others)
    for one, sentences in zip(others, together, strict=True):
        for found, wanted in zip(sentences, logits(model, [one])[0], strict=True):
            torch.testing.assert_close(found, wanted, atol=1e-9, rtol=1e-9)


@EVERY
def test_it_is_the_literal_definition(switches: dict[str, Any]) -> None:
    """Encoder layers, decoder layers and nodes as the specification prints them, one sentence at a time."""
    model = graph_network(**{**switches, "norm": "post"}).double()
    for one, sentences in zip(PARAGRAPHS, logits(model, PARAGRAPHS), strict=True):
        for place, found in enumerate(sentences):
            torch.testing.assert_close(found, sentence_logits(model, one, place), atol=1e-6, rtol=1e-6)


@pytest.mark.parametrize("norm", ["rowcol", "literal", "row"])
def test_the_norm_of_graphs_is_the_switch_s(norm: str) -> None:
    """Paragraphs of networks with the same weights: the literal definition of each norm, and no other one."""
    model = graph_network(graph_norm=norm).double()
    found = logits(model, PARAGRAPHS[:1])[0]
    for other in ("rowcol", "literal", "row"):
        literal = graph_network(graph_norm=other).double()
        same = [close(each, sentence_logits(literal, PARAGRAPHS[0], place)) for place, each in enumerate(found)]
        assert all(same) if other == norm else not any(same)


@EVERY
def test_greedy_translations_are_those_of_forward(switches: dict[str, Any]) -> None:
    model = graph_network(**switches)
    found = dict(translate_paragraphs(model, PARAGRAPHS, GREEDY))
    for number, one in enumerate(PARAGRAPHS):
        best = [list(hypotheses[0].ids) for hypotheses in found[number]]
        outputs = logits(model, [Paragraph(one.source, best, one.structure)])[0]
        for source, ids, each in zip(one.source, best, outputs, strict=True):
            output = each.clone()
            forbid_specials(output)
            output[0, END] = -torch.inf
            full = len(source) + GREEDY.max_length_offset
            assert output.argmax(dim=1)[:full].tolist() == [*ids, END][:full]


@EVERY
def test_beam_search_and_scores_agree_with_forward(switches: dict[str, Any]) -> None:
    model = graph_network(**switches)
    found = dict(translate_paragraphs(model, PARAGRAPHS, replace(BEAM, batch_tokens=30)))
    best = [replace(one, target=[h[0].ids for h in found[number]]) for number, one in enumerate(PARAGRAPHS)]
    items = [(number, place, ids) for number, one in enumerate(best) for place, ids in enumerate(one.target)]
    scores = dict(score_paragraphs(model, best, items, 30))
    outputs = [logits(model, [one])[0] for one in best]
    check_scores(items, scores, found, outputs)


@EVERY
def test_every_new_parameter_gets_a_gradient(switches: dict[str, Any]) -> None:
    model = graph_network(**switches).train()
    made = batch(model, PARAGRAPHS)
    model(made, made.target_output != PAD).square().sum().backward()
    for name, value in model.named_parameters():
        assert value.grad is not None and value.grad.isfinite().all(), name
        assert value.grad.abs().sum() > 0, name


@pytest.mark.parametrize("weights", ["dot", "multi_head", "gates"])
def test_mixed_precision(weights: str) -> None:
    model = graph_network(direction_weights=weights)
    made = batch(model, PARAGRAPHS)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        found = model(made)
    found.float().square().sum().backward()
    gradient = model.graph_encoder.layers[0].projection.weight.grad  # type: ignore[union-attr]
    assert gradient is not None and gradient.isfinite().all() and gradient.abs().sum() > 0  # type: ignore[operator]
    torch.testing.assert_close(found.float(), model(made), atol=0.5, rtol=0.1)


def test_the_loss_reaches_the_embeddings_of_nodes_on_request() -> None:
    gradients: list[torch.Tensor] = []
    for wanted in (False, True):
        model = graph_network(context_gradient=wanted)
        made = batch(model, PARAGRAPHS)
        model(made).square().sum().backward()
        assert model.source_embedding.weight.grad is not None
        gradients.append(model.source_embedding.weight.grad)
    assert not torch.allclose(gradients[0], gradients[1])


def test_two_paragraphs_of_a_document_share_its_graph() -> None:
    model = graph_network()
    paragraphs = [paragraph(3, [5, 3, 1, 7, 3, 8], first, 3) for first in (0, 3)]
    alone, both = (batch(model, texts).source.structure.sides for texts in (paragraphs[:1], paragraphs))
    words = len(paragraphs[0].structure.sides["source"].words)
    assert len(alone["source"].starts) <= words and len(both["source"].starts) == words


def test_a_draft_of_earlier_sentences() -> None:
    """The first sentence goes without it, the others depend on the sentences just before them and on no later ones."""
    model = graph_network(draft="earlier", earlier_sentences=1, graph_layers=1).double()
    one = paragraph(1, [3, 5, 2, 4, 6, 3], 0, 4)
    words = one.structure.sides["target"].words
    wanted = logits(model, [one])[0]
    for word in range(len(words)):
        found = logits(model, [changed_word(one, "target", word)])[0]
        same = [close(first, second) for first, second in zip(found, wanted, strict=True)]
        assert all(same[: words.sentences[word] + 1])
        if words.sentences[word] < 3:
            assert not same[words.sentences[word] + 1]
    source_only = {**vars(model.settings), "target_graph": "none"}
    other = build("document_graph", source_only, SIZE, SIZE, True).eval().double()
    other.load_state_dict(model.state_dict())
    torch.testing.assert_close(logits(other, [one])[0][0], wanted[0], atol=1e-9, rtol=1e-9)  # type: ignore[arg-type]


def test_a_draft_sentence_without_words() -> None:
    """The decoder goes without it, whoever else is in the batch."""
    model = graph_network().double()
    one = paragraph(1, [3, 5, 2])
    graphs = one.structure
    draft = graphs.sides["target"]
    first = draft.words.sentences == 0
    emptied = replace(
        draft.before(1), words=replace(draft.words.part(first), sentences=draft.words.sentences[first] + 1)
    )
    texts = [replace(one, structure=replace(graphs, sides={**graphs.sides, "target": emptied})), PARAGRAPHS[1]]
    found = logits(model, texts)
    assert all(each.isfinite().all() for sentences in found for each in sentences)
    torch.testing.assert_close(found[1][0], logits(model, [PARAGRAPHS[1]])[0][0], atol=1e-9, rtol=1e-9)


def test_a_model_comes_back_as_it_was(tmp_path: Path) -> None:
    model = graph_network(share_decoder_gate=False, relations=["adjacency", "lexical"])
    path = tmp_path / "model.safetensors"
    settings = {**SMALL, "share_decoder_gate": False, "relations": ["adjacency", "lexical"]}
    save_model(path, model, "document_graph", settings, vocabulary(SIZE), vocabulary(SIZE))
    loaded = load_model(path, vocabulary(SIZE), vocabulary(SIZE), system="document_graph")
    made = batch(model, PARAGRAPHS)
    assert torch.equal(loaded(made), model(made))


def test_which_structure_it_reads() -> None:
    switches = SYSTEMS["document_graph"].switches
    assert switches({}).structure == "graphs"
    assert switches({"target_graph": "none"}).structure == "graph"
    assert switches({"context": "none"}).structure == ""
    with pytest.raises(InputError, match="name each once"):
        switches({"relations": ["lexical", "lexical"]})


def test_structure_moves_to_a_device() -> None:
    model = graph_network(scope="related")
    source = source_of(model, PARAGRAPHS)
    assert source.to(torch.device("meta")).structure.sides["source"].related.device.type == "meta"
