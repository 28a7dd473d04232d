"""Systems for documents that begin ``unchanged``: at update 0 each translates as the checkpoint, and it can learn."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np
import pytest
import torch
import yaml
from torch import Tensor
from torch.nn.functional import cross_entropy

from discourse_nmt import ROOT
from discourse_nmt.base.errors import InputError
from discourse_nmt.base.vocabulary import END
from discourse_nmt.discourse.structures.positions import PositionTables
from discourse_nmt.models.context.inference import Paragraph, translate_paragraphs
from discourse_nmt.models.graph.word_graphs import ParagraphGraphs
from discourse_nmt.models.packed.decoding.sequence import decode_as_sequences
from discourse_nmt.models.packed.decoding.waves import decode_in_waves
from discourse_nmt.models.packed.instances import Instance
from discourse_nmt.models.selective.paragraph_positions import ParagraphPositions
from discourse_nmt.models.switches.decoding import DecodingSettings
from discourse_nmt.models.systems import SYSTEMS, system_named
from tests.unit.models.context.context_examples import logits
from tests.unit.models.graph.graph_paragraphs import linked
from tests.unit.models.multitask.multitask_examples import RELATIONS, analysed
from tests.unit.models.theme_cache.cache_examples import with_words
from tests.unit.training.pretrained.imported_checkpoints import Start

Structured = Callable[[Paragraph], Paragraph]
CLOSE = 0.03
"""Largest difference of a logit from the checkpoint's; a random beginning is ten times as far or more."""

LONGEST = 45  # subwords; some translations end before


def in_graphs(one: Paragraph) -> Paragraph:
    """The paragraph with word graphs of its source, and of its translation as the draft."""
    sides = {"source": linked(one.source, 1), "target": linked(one.target, 2)}
    return Paragraph(one.source, one.target, ParagraphGraphs(1, 0, len(one.source), sides))


def in_trees(one: Paragraph) -> Paragraph:
    """The paragraph with a unit for each half of a sentence, and random tables of a tree."""
    rng = np.random.default_rng(1)
    units = [
        2 * number + (np.arange(len(ids)) >= (len(ids) + 1) // 2).astype(np.int64)
        for number, ids in enumerate(one.source)
    ]
    count = 2 * len(units)
    nuclei, satellites = rng.integers(0, 4, (2, count, count))
    tables = PositionTables(rng.integers(1, 6, count), rng.choice([-0.5, 0, 0.5], count), nuclei, satellites)
    return Paragraph(one.source, one.target, ParagraphPositions(units, tables))


def plain(one: Paragraph) -> Paragraph:
    """The paragraph itself."""
    return one


@dataclass(frozen=True)
class Case:
    """A system, its switches, and the structure that it reads."""

    system: str
    switches: dict[str, Any] = field(default_factory=dict)
    structured: Structured = plain


PACKED = {
    "g_transformer": Case("g_transformer", {"position_reset": True}),
    "rst_mix": Case("rst_transformer", {"position_reset": True}),
    "rst_parallel": Case(
        "rst_transformer", {"position_reset": True, "fusion": "parallel", "source_attention": "sentence"}
    ),
}
OTHERS = {
    "han": Case("han", {"context_hidden": 32}),
    "doc_transformer": Case("doc_transformer"),
    "hm_gdc": Case("hm_gdc"),
    "hm_gdc_online": Case("hm_gdc", {"context": "online"}),
    "continuous_cache": Case("continuous_cache"),
    "cosine_cache": Case("continuous_cache", {"projections": False}),
    "hier_att": Case("selective", {"dsp": []}),
    "flat_att": Case("selective", {"dsp": [], "attention": "flat", "context": "online"}),
    "both_sides": Case("selective", {"dsp": [], "sides": "both"}),
    "positions": Case("selective", {}, in_trees),
    "multitask": Case("multitask", {"relations": RELATIONS}, lambda one: analysed(one, 1)),
    "multitask_hier": Case("multitask", {"relations": RELATIONS, "enc_fuse": "hier", "dec_tok_keys": "raw"}),
    "graph_hybrid": Case("document_graph", {}, in_graphs),
    "graph_serial": Case("document_graph", {"architecture": "serial", "target_graph": "serial"}, in_graphs),
    "graph_gates": Case("document_graph", {"share_decoder_gate": False, "scope": "all"}, in_graphs),
    "theme_cache": Case(
        "theme_rheme_cache",
        {"labels": 3, "lstm_dir_width": 4, "lstm_layers": 1},
        lambda one: with_words(one, 1, stop_share=0.0),
    ),
    "source_cache": Case(
        "theme_rheme_cache", {"cache": "continuous", "ctx_residual": "none"}, lambda one: with_words(one, 1)
    ),
}
CASES = {**PACKED, **OTHERS}
POST_NORM = "doc_transformer"  # the one system that normalises anew with post-norm


@pytest.fixture(scope="module")
def start(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return cache(lambda kind: Start(kind, tmp_path_factory.mktemp(kind)))


def cases(kind: str) -> list[str]:
    return [name for name in CASES if (kind, name) != ("marian", POST_NORM)]


EACH = pytest.mark.parametrize(
    ("kind", "name"), [(kind, name) for kind in ("marian", "m2m_100") for name in cases(kind)]
)


def network_of(begun: Start, case: Case, beginning: str) -> Any:
    return begun.network(case.system, **{**case.switches, "beginning": beginning})


def instance_of(begun: Start) -> Instance:
    """The sentences as one instance, each of which is a unit whose head is the first."""
    edus = [np.full(len(ids), number) for number, ids in enumerate(begun.source)]
    return Instance(begun.source, begun.target, edus, np.array([-1, *[0] * (len(begun.source) - 1)]))


def paragraph_of(begun: Start, case: Case) -> Paragraph:
    source, target = ([ids.tolist() for ids in side] for side in (begun.source, begun.target))
    return case.structured(Paragraph(source, target))


def scores(begun: Start, case: Case, network: Any) -> Tensor:
    """The logits of the references."""
    if hasattr(network, "pack"):
        found: Tensor = network(network.pack([instance_of(begun)]))
        return found
    [rows] = logits(network, [paragraph_of(begun, case)])
    return torch.cat(rows)


@EACH
def test_logits_at_update_0_are_those_of_the_checkpoint(start: Any, kind: str, name: str) -> None:
    begun, case = start(kind), CASES[name]
    with torch.no_grad():
        expected = torch.cat(begun.logits())
        found = scores(begun, case, network_of(begun, case, "unchanged"))
        random = scores(begun, case, network_of(begun, case, "random"))
    difference, of_random = ((logits - expected).abs().max() for logits in (found, random))
    print(f"{name}, {kind}: {difference:.4f}, random {of_random:.2f}")
    assert difference < CLOSE
    assert of_random > 10 * CLOSE, "the context must matter"


@pytest.mark.parametrize("beam", [1, 4])
@EACH
def test_translations_at_update_0_are_those_of_the_checkpoint(start: Any, kind: str, name: str, beam: int) -> None:
    begun, case = start(kind), CASES[name]
    network = network_of(begun, case, "unchanged")
    settings = DecodingSettings(beam=beam, max_length_ratio=0.0, max_length_offset=LONGEST)
    expected = begun.translations(settings)
    if name in PACKED:
        [found] = decode_in_waves(network, [instance_of(begun)], settings)
    else:
        [(_, found)] = translate_paragraphs(network, [paragraph_of(begun, case)], settings)
    assert [best[0].ids for best in found] == expected
    assert len(set(expected)) > 1 and min(map(len, expected)) < LONGEST


@pytest.mark.parametrize("name", PACKED)
def test_the_greedy_search_of_whole_instances_translates_as_the_checkpoint(start: Any, name: str) -> None:
    begun, case = start("marian"), CASES[name]
    settings = DecodingSettings(beam=1, max_length_ratio=0.0, max_length_offset=LONGEST)
    [found] = decode_as_sequences(network_of(begun, case, "unchanged"), [instance_of(begun)], settings)
    # A sentence that is not ended at its longest is ended by the frame.
    ended = [(best[0].ids, ids) for best, ids in zip(found, begun.translations(settings)) if len(ids) < LONGEST]
    assert ended and all(ours == theirs for ours, theirs in ended)


@pytest.mark.parametrize("name", cases("m2m_100"))
def test_new_weights_have_a_gradient_that_adam_follows(start: Any, name: str) -> None:
    """A gate that is closed for ever would pass every other test; Adam's epsilon is 1e-9."""
    begun, case = start("m2m_100"), CASES[name]
    network = network_of(begun, case, "unchanged")
    old = {name for name, _ in begun.imported.network.named_parameters()}
    scores(begun, case, network).log_softmax(-1)[:, 9].mean().backward()
    gradients = {name: value.grad for name, value in network.named_parameters() if name not in old}
    largest = max(float(gradient.abs().max()) for gradient in gradients.values() if gradient is not None)
    assert largest > 1e-7
    gates = [gradient for name, gradient in gradients.items() if "gate" in name and gradient is not None]
    assert all(gate.abs().max() > 1e-8 for gate in gates) and (gates or case.system == "hm_gdc")


UNLIKE = {
    "concat": Case("concat", {"position_reset": True}),
    "flat_transformer": Case("flat_transformer"),
    "hybrid_context": Case("hybrid_context"),
    "running positions": Case("rst_transformer", {"rst_layers": 0}),
    "fusion: serial": Case("rst_transformer", {"position_reset": True, "fusion": "serial"}),
    "doc_transformer": Case("doc_transformer", {"beginning": "copy", "gate_bias": 8.0}),
    "abs_edu": Case("selective", {"dsp": ["abs_edu"], "gate_bias": 8.0}, in_trees),
}
"""Systems and switches that cannot begin unchanged, as near as they come."""


@pytest.mark.parametrize("name", UNLIKE)
def test_how_far_the_others_are(start: Any, name: str) -> None:
    """Prints it: equal greedy translations, and the loss of the references above the checkpoint's, of three seeds."""
    case, settings = UNLIKE[name], DecodingSettings(beam=1, max_length_ratio=0.0, max_length_offset=LONGEST)
    for kind in ("marian", "m2m_100"):
        if (kind, name) == ("m2m_100", "doc_transformer"):  # with norm: pre it can
            continue
        begun = start(kind)
        references = torch.tensor([symbol for ids in begun.target for symbol in (*ids, END)])
        equal, worse = 0, []
        with torch.no_grad():
            own = cross_entropy(torch.cat(begun.logits()), references)
            for seed in (1, 2, 3):
                network = begun.network(case.system, seed=seed, **case.switches)
                found = scores(begun, case, network)
                worse.append(float(cross_entropy(found, references) - own))
                if hasattr(network, "pack"):
                    [translations] = decode_in_waves(network, [instance_of(begun)], settings)
                else:
                    [(_, translations)] = translate_paragraphs(network, [paragraph_of(begun, case)], settings)
                pairs = zip(translations, begun.translations(settings))
                equal += sum(best[0].ids == ids for best, ids in pairs)
                assert (found - torch.cat(begun.logits())).abs().max() > 10 * CLOSE
        print(f"{name}, {kind}: {equal} of 15 equal, loss + {np.mean(worse):.2f} ± {np.std(worse):.2f}, {own:.2f}")


def test_concatenation_of_one_sentence_translates_as_the_checkpoint(start: Any) -> None:
    begun = start("marian")
    network = begun.network("concat")
    for source, target, expected in zip(begun.source, begun.target, begun.logits()):
        with torch.no_grad():
            found = network(network.pack([Instance([source], [target], (), np.empty(0, np.int64), tree=False)]))
        torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-5)


def test_every_system_begins_unchanged_or_says_that_it_cannot() -> None:
    able = {case.system for case in CASES.values()}
    without = {"transformer", "concat", "flat_transformer", "hybrid_context", "side_constraint"}
    assert able | without == set(SYSTEMS) and not able & without
    for name in without:
        with pytest.raises(InputError, match="unknown setting beginning"):
            system_named(name).switches({"beginning": "unchanged"})
    for name in able:
        assert vars(system_named(name).switches({}))["beginning"] == "random"


@pytest.mark.parametrize("preset", ["ted_opus_ende", "ted_nllb_ende", "ted_mbart50_ende"])
def test_the_presets_begin_unchanged(preset: str) -> None:
    config = yaml.safe_load((ROOT / "config" / f"{preset}.yaml").read_text(encoding="utf-8"))
    found = {
        name: system_named(one["system"]).switches({**config["model"], **one.get("settings", {})})
        for name, one in config["experiments"].items()
    }
    assert {name: getattr(switches, "beginning", None) for name, switches in found.items()} == {
        "sentence": None,
        "concat": None,
        "g_transformer": "unchanged",
        "han": "unchanged",
    }


@pytest.mark.parametrize(
    ("system", "switches", "message"),
    [
        ("g_transformer", {}, "position_reset is false; it must be true"),
        ("rst_transformer", {}, "position_reset is false; it must be true"),
        ("rst_transformer", {"position_reset": True, "fusion": "serial"}, "fusion is serial; .* mix or parallel"),
        ("rst_transformer", {"position_reset": True, "source_attention": "tree"}, "it must be fused or sentence"),
        ("doc_transformer", {}, "norm is post; it must be pre"),
        ("doc_transformer", {"norm": "pre", "gate_bias": 1.0}, "gate_bias is 1.0; it must be null"),
        ("theme_rheme_cache", {"gate_bias": -2.2}, "gate_bias is -2.2; it must be null"),
        ("continuous_cache", {"gate_bias": -2.2}, "gate_bias is -2.2; it must be 0.0"),
        ("han", {"gate_bias": 2.2}, "gate_bias is 2.2; it must be 0.0"),
        ("selective", {"gate_bias": 2.2}, "gate_bias is 2.2; it must be 0.0"),
        ("selective", {"dsp": ["abs_edu"]}, "dsp adds abs_edu to the embeddings; leave out"),
        ("selective", {"rel_injection": "embed"}, "dsp adds rel_edu, rel_depth, path to the embeddings"),
        ("document_graph", {"gate_bias": 1.0}, "gate_bias is 1.0; it must be 0.0"),
    ],
)
def test_switches_that_change_the_translations_are_refused(system: str, switches: dict[str, Any], message: str) -> None:
    system_named(system).switches(switches)
    with pytest.raises(InputError, match=f"beginning is unchanged, .*{message}") as error:
        system_named(system).switches({**switches, "beginning": "unchanged"})
    assert "\n" not in str(error.value)
