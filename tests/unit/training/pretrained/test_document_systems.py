"""Systems for documents that start from checkpoints, before the first update; and the way back to transformers."""

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import transformers

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.vocabulary import BEGIN, END, PAD
from discourse_nmt.models.context.host import ContextTransformer
from discourse_nmt.models.context.inference import Paragraph, translate_paragraphs
from discourse_nmt.models.packed.decoding.sequence import decode_as_sequences
from discourse_nmt.models.packed.decoding.waves import decode_in_waves
from discourse_nmt.models.packed.host import PackedTransformer
from discourse_nmt.models.packed.instances import Instance
from discourse_nmt.models.systems import SYSTEMS
from discourse_nmt.training.checkpoints.export import export
from discourse_nmt.training.checkpoints.model_files import save_model
from tests.unit.training.pretrained.imported_checkpoints import PAIRS, SETTINGS, Start
from tests.unit.training.pretrained.reference_checkpoints import KINDS, make


@pytest.fixture(scope="module")
def start(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return cache(lambda kind, whole=False: Start(kind, tmp_path_factory.mktemp(kind), whole))


@pytest.mark.parametrize("kind", ["marian_multilingual", "nllb", "mbart50"])
@pytest.mark.parametrize("system", sorted(set(SYSTEMS) - {"transformer"}))
def test_every_system_takes_over_the_whole_checkpoint(start: Any, kind: str, system: str) -> None:
    switches = {"cache": "continuous"} if system == "theme_rheme_cache" else {}
    start(kind).network(system, **switches)


@pytest.mark.parametrize("kind", ["marian", "marian_separate", "m2m_100", "mbart50"])
def test_a_packed_system_of_sentences_by_themselves_is_the_checkpoint(start: Any, kind: str) -> None:
    begun = start(kind)
    network = begun.network("rst_transformer", rst_layers=0, position_reset=True)
    assert isinstance(network, PackedTransformer)
    instance = Instance(begun.source, begun.target, (), np.empty(0, np.int64), tree=False)
    with torch.no_grad():
        together, apart = network(network.pack([instance])), torch.cat(begun.logits())
    torch.testing.assert_close(together, apart, rtol=1e-4, atol=1e-4)
    [translations] = decode_in_waves(network, [instance], SETTINGS)
    assert [best[0].ids for best in translations] == begun.translations()


@pytest.mark.parametrize("kind", ["marian", "m2m_100"])
def test_the_search_of_whole_instances_begins_each_sentence_with_its_language(start: Any, kind: str) -> None:
    begun = start(kind)
    network = begun.network("rst_transformer", rst_layers=1)
    instance = Instance(begun.source, begun.target, (), np.empty(0, np.int64), tree=False)
    [sentences] = decode_as_sequences(network, [instance], SETTINGS)
    assert len(sentences) == len(PAIRS) and all(best[0].ids for best in sentences)
    language = begun.imported.network.language_symbol
    assert (language is None) == (kind == "marian")
    if language is not None:
        assert all(best[0].ids[0] == language and len(best[0].ids) > 1 for best in sentences)


@pytest.mark.parametrize("kind", ["marian", "m2m_100", "mbart50"])
@pytest.mark.parametrize("system", ["han", "doc_transformer", "hm_gdc", "selective", "document_graph", "multitask"])
def test_a_context_system_without_context_translates_as_the_checkpoint(start: Any, kind: str, system: str) -> None:
    begun = start(kind)
    network = begun.network(system, context="none")
    assert isinstance(network, ContextTransformer)
    paragraph = Paragraph([source.tolist() for source in begun.source])
    [(_, translations)] = translate_paragraphs(network, [paragraph], SETTINGS)
    assert [best[0].ids for best in translations] == begun.translations()


@pytest.mark.parametrize("kind", ["marian", "m2m_100"])
def test_no_state_of_the_first_mark_is_read(start: Any, kind: str) -> None:
    """``<s>`` of a source is in the batch, but the network gives the same results whatever its embedding is."""
    begun = start(kind)
    network = begun.network("doc_transformer", context="online")
    paragraph = Paragraph([source.tolist() for source in begun.source])
    [(_, before)] = translate_paragraphs(network, [paragraph], SETTINGS)
    hidden = network.hidden(torch.tensor([[BEGIN, 9, END, PAD]]))
    assert hidden.tolist() == [[True, False, False, True]]
    expected = begun.logits()
    with torch.no_grad():
        begun_network = begun.imported.network
        kept = begun_network.source_embedding.weight[BEGIN].clone()
        begun_network.source_embedding.weight[BEGIN] += 7.0
        found = begun.logits()
        begun_network.source_embedding.weight[BEGIN] = kept
    wanted = [index for index in range(expected[0].shape[-1]) if index != BEGIN]
    for ours, theirs in zip(found, expected):
        torch.testing.assert_close(ours[:, wanted], theirs[:, wanted], rtol=0, atol=0)
    assert all(best[0].ids for best in before)


@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize("kind", KINDS)
def test_a_trained_model_goes_back_to_transformers(start: Any, kind: str, whole: bool, tmp_path: Path) -> None:
    begun = start(kind, whole)
    imported, reference = begun.imported, begun.imported.reference
    trained = begun.network("transformer")
    with torch.no_grad():
        for parameter in trained.parameters():
            parameter += 0.1 * torch.randn_like(parameter)
    begun_path = tmp_path / "trained.safetensors"
    save_model(begun_path, trained, "transformer", trained.settings, *begun.vocabularies)
    export(begun_path, imported.settings, begun.vocabularies, reference.folder, tmp_path / "exported")
    theirs: Any = type(reference.model).from_pretrained(tmp_path / "exported").eval()
    source, target = begun.source[0].tolist(), begun.target[0].tolist()
    rows = torch.tensor(imported.rows["target"])
    with torch.no_grad():
        ours = trained(torch.tensor([[BEGIN, *source, END]]), torch.tensor([[BEGIN, *target]]))[0]
        expected = theirs(
            torch.tensor([imported.in_rows("source", [*source, END])]),
            decoder_input_ids=torch.tensor([[reference.begin[0], *imported.in_rows("target", target)]]),
        ).logits[0][:, rows]
    real = [END, *range(7, len(rows))]
    torch.testing.assert_close(ours[:, real], expected[:, real], rtol=1e-4, atol=1e-4)
    unused = sorted(set(range(len(theirs.get_output_embeddings().weight))) - set(imported.rows["target"]))
    if not imported.settings.joint:
        unused = []
    assert torch.equal(
        theirs.get_output_embeddings().weight[unused], reference.model.get_output_embeddings().weight[unused]
    )
    assert isinstance(theirs, transformers.PreTrainedModel) and {
        path.name for path in (tmp_path / "exported").iterdir()
    } == {path.name for path in reference.folder.iterdir()}


def test_what_cannot_be_exported_is_told_in_one_line(start: Any, tmp_path: Path) -> None:
    begun = start("marian")
    arguments = (begun.imported.settings, begun.vocabularies, begun.imported.reference.folder)
    (tmp_path / "there").mkdir()
    with pytest.raises(InputError, match="there already; name a new folder"):
        export(begun.path, *arguments, tmp_path / "there")
    network = begun.network("han")
    save_model(tmp_path / "han.safetensors", network, "han", network.settings, *begun.vocabularies)
    with pytest.raises(InputError, match="no room for the parameters of system han; export a sentence model"):
        export(tmp_path / "han.safetensors", *arguments, tmp_path / "new")
    other = make("marian", tmp_path / "other", scale_embedding=False)
    with pytest.raises(InputError, match="its embedding_scale is True, the network's is False"):
        export(begun.path, *arguments[:2], other.folder, tmp_path / "new")
    assert not (tmp_path / "new").exists()
