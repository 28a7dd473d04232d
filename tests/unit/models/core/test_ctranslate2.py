"""CTranslate2 as the engine: for each network that it expresses, the same translations as by this project."""

import re
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import ctranslate2
import numpy as np
import pytest
import torch
import torch.nn.functional as F

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.vocabulary import BEGIN, END, MASK, PAD, SPECIALS
from discourse_nmt.models.core import ctranslate2_engine, ctranslate2_specification, preparation
from discourse_nmt.models.core.beam_search import Hypothesis
from discourse_nmt.models.core.ctranslate2_engine import CTranslate2Engine
from discourse_nmt.models.core.inference import padded, score, translate
from discourse_nmt.models.core.preparation import prepare_for_inference
from discourse_nmt.models.core.transformer import EndedHypotheses, Engine, Transformer
from discourse_nmt.models.packed.concat import Concat
from discourse_nmt.models.packed.decoding.inference import translate_instances
from discourse_nmt.models.packed.instances import Instance, SourceInstance
from discourse_nmt.models.switches.decoding import DecodingSettings, obstacle
from discourse_nmt.models.systems import SYSTEMS, build

SIZES = {"encoder_layers": 1, "decoder_layers": 1, "width": 32, "feed_forward_width": 64, "heads": 4, "dropout": 0.0}
SIZE = len(SPECIALS) + 12
NETWORKS: dict[str, dict[str, Any]] = {
    "plain": {},
    "pre": {"norm": "pre", "activation": "gelu", "positions": "learned", "max_positions": 40, "encoder_layers": 2},
    "marian": {
        **{"activation": "swish", "positions": "sinusoidal_marian", "marks": "end", "output_bias": True},
        "embedding_scale": False,
    },
    "nllb": {"positions": "sinusoidal_fairseq", "marks": "language", "norm": "pre", "decoder_layers": 2},
    "bart": {"embedding_norm": True, "tie_source_target": False, "tie_output": False},
}
"""Sentence models that together have every value of the switches that decoding depends on."""
SETTINGS = DecodingSettings(engine="ctranslate2", max_length_ratio=2.0)


def sentences(count: int, seed: int) -> list[list[int]]:
    rng = np.random.default_rng(seed)
    return [rng.integers(len(SPECIALS) + 1, SIZE, rng.integers(2, 9)).tolist() for _ in range(count)]


def trained(network: Transformer, targets: int = SIZE) -> Transformer:
    """The ``network``, which has learned a little to write sentences backwards, and where they end."""
    optimiser = torch.optim.Adam(network.parameters(), lr=5e-3)
    first = [] if network.language_symbol is None else [network.language_symbol]
    for step in range(80):
        sources = sentences(32, 100 + step)
        written = padded([first + ids[::-1] for ids in sources], network).clamp(max=targets - 1)
        logits = network(padded(sources, network), written[:, :-1])
        loss = F.cross_entropy(logits.flatten(0, 1), written[:, 1:].flatten(), ignore_index=PAD)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    return network.eval()


@pytest.fixture(scope="module", params=NETWORKS)
def network(request: pytest.FixtureRequest) -> Transformer:
    torch.manual_seed(1)
    targets = SIZE - 2 if request.param == "bart" else SIZE
    made = build("transformer", {**SIZES, **NETWORKS[request.param]}, SIZE, targets, shared=targets == SIZE)
    assert isinstance(made, Transformer)
    if made.output_bias is not None:
        made.output_bias[len(SPECIALS) :].normal_(std=0.3)
    return trained(made, targets)


def both(
    network: Transformer, sources: list[list[int]], settings: DecodingSettings
) -> tuple[dict[int, list[Hypothesis]], dict[int, list[Hypothesis]], int]:
    """What this project's search finds, what the engine does, and how many sentences the engine leaves."""
    network.engine = None
    own = dict(translate(network, sources, settings))
    prepare_for_inference(network, settings)
    assert network.engine is not None
    network.engine = counting = Counting(network.engine)
    found = dict(translate(network, sources, settings))
    return own, found, counting.left


class Counting:
    """An engine that counts the sentences that it leaves."""

    def __init__(self, engine: Engine) -> None:
        self.engine, self.left, self.searched = engine, 0, 0

    def search(
        self, sources: Any, limits: Any, settings: DecodingSettings, earlier: Any = ()
    ) -> list[EndedHypotheses | None]:
        found = self.engine.search(sources, limits, settings, earlier)
        self.left += found.count(None)
        self.searched += len(sources)
        return found


@pytest.mark.parametrize(("beam", "penalty"), [(1, 0.6), (4, 0.0), (4, 0.6), (4, 1.0)])
def test_translations_are_those_of_this_project(network: Transformer, beam: int, penalty: float) -> None:
    sources = sentences(60, 1)
    settings = replace(SETTINGS, beam=beam, length_penalty=penalty)
    own, found, left = both(network, sources, settings)
    assert [found[row][0].ids for row in range(60)] == [own[row][0].ids for row in range(60)]
    assert len({len(own[row][0].ids) for row in range(60)}) > 3, "lengths differ"
    assert left < 6
    difference = [found[row][0].score - own[row][0].score for row in range(60)]
    assert max(map(abs, difference)) < 0.2, "the bonus of the next test"


def test_hypotheses_have_the_scores_of_this_project_but_for_a_bonus_of_the_sentence(network: Transformer) -> None:
    """It comes from ``</s>``, which may not come first, and from a symbol of the language, which costs nothing."""
    sources, settings = sentences(20, 2), replace(SETTINGS, n_best=4)
    _, found, _ = both(network, sources, settings)
    for row, hypotheses in found.items():
        assert len({hypothesis.ids for hypothesis in hypotheses}) == 4
        exact = dict(score(network, [sources[row]] * 4, [hypothesis.ids for hypothesis in hypotheses], 1000))
        bonus = [hypothesis.log_probability - exact[rank] for rank, hypothesis in enumerate(hypotheses)]
        np.testing.assert_allclose(bonus, bonus[0], atol=2e-3)
        assert bonus[0] > -1e-3
        assert [h.score for h in hypotheses] == sorted((h.score for h in hypotheses), reverse=True)
        for hypothesis in hypotheses:
            penalty = ((5 + len(hypothesis.ids) + 1) / 6) ** 0.6
            assert hypothesis.score == pytest.approx(hypothesis.log_probability / penalty)


def untrained(**switches: Any) -> Transformer:
    torch.manual_seed(1)
    made = build("transformer", {**SIZES, **switches}, SIZE, SIZE, shared=True).eval()
    assert isinstance(made, Transformer)
    return made


def test_sentences_that_reach_the_limit_are_left() -> None:
    """An untrained network does not end; this project ends a translation that is as long as is allowed."""
    settings = replace(SETTINGS, max_length_ratio=0.1, max_length_offset=1)
    own, found, left = both(untrained(), sentences(10, 1), settings)
    assert left == 10 and found == own


def test_sentences_of_one_batch_have_their_own_limits() -> None:
    network = trained(untrained(norm="pre"))
    sources = [ids for ids in sentences(40, 3) if len(ids) in (3, 8)]
    settings = replace(SETTINGS, max_length_ratio=1.0, max_length_offset=1)
    own, found, left = both(network, sources, settings)
    assert 0 < left < len(sources)
    assert [found[row][0].ids for row in found] == [own[row][0].ids for row in found]


def test_a_translation_with_a_special_symbol_is_left() -> None:
    network = untrained(output_bias=True)
    assert network.output_bias is not None
    network.output_bias[[MASK, END]] = 5.0
    own, found, left = both(network, sentences(10, 1), replace(SETTINGS, beam=1))
    assert left > 0 and found == own


@pytest.mark.parametrize(
    ("lengths", "beam", "n_best", "left"),
    [
        ([3, 2, 2, 3], 3, 1, False),
        ([4, 2, 2, 3], 3, 1, True),
        ([2, 2, 3, 4], 3, 1, False),
        ([2, 2, 3, 4], 3, 3, False),
        ([2, 4, 2, 3], 3, 2, True),
    ],
)
def test_a_translation_that_came_late_is_left(lengths: list[int], beam: int, n_best: int, left: bool) -> None:
    """This project's search may have ended before, as ``beam`` shorter hypotheses had."""
    settings = replace(SETTINGS, beam=beam, n_best=n_best)
    hypotheses = [[len(SPECIALS)] * length + [END] for length in lengths]
    found, given = answered(untrained(), hypotheses, settings)
    assert (found is None) == left and given["num_hypotheses"] == 4


@pytest.mark.parametrize(
    ("hypothesis", "left"),
    [
        ([8, 9, END], False),
        ([8] * 9 + [END], False),
        ([8] * 10 + [END], True),
        ([8] * 10, True),
        ([8, MASK, 9, END], True),
        ([8, 9, len(SPECIALS) - 1, END], True),
    ],
)
def test_hypotheses_are_of_subwords_end_and_keep_the_limit(hypothesis: list[int], left: bool) -> None:
    found, _ = answered(untrained(), [[8, END], hypothesis], SETTINGS)
    assert found == (None if left else [((8,), -1.0), (tuple(hypothesis[:-1]), -2.0)])


def test_the_options_of_a_search() -> None:
    _, given = answered(untrained(), [[8, END]], SETTINGS)
    assert (given["num_hypotheses"], given["min_decoding_length"], given["max_decoding_length"]) == (5, 1, 10)
    assert given["first"] == [[]] and given["length_penalty"] == 0 and given["beam_size"] == 4
    for plain in (replace(SETTINGS, length_penalty=0.0), replace(SETTINGS, beam=1)):
        assert answered(untrained(), [[8, END]], plain)[1]["num_hypotheses"] == 1
    assert answered(untrained(), [[8, END]], replace(SETTINGS, length_penalty=0.0, n_best=2))[1]["num_hypotheses"] == 5
    _, given = answered(untrained(marks="language"), [[7, 8, END]], SETTINGS)
    assert given["first"] == [["7"]] and given["min_decoding_length"] == 2


def answered(
    network: Transformer,
    hypotheses: list[list[int]],
    settings: DecodingSettings,
    earlier: tuple[tuple[int, ...], ...] = (),
) -> tuple[EndedHypotheses | None, dict[str, Any]]:
    """What the engine makes of these ``hypotheses`` of a sentence with a limit of 9, and what it asked for."""
    given: dict[str, Any] = {}

    class Translator:
        def translate_batch(self, sources: Any, first: Any, **options: Any) -> list[Any]:
            given.update(options, first=first)
            scores = [-1.0 - number for number in range(len(hypotheses))]
            return [SimpleNamespace(hypotheses=[list(map(str, one)) for one in hypotheses], scores=scores)]

    prepare_for_inference(network, settings)
    assert isinstance(network.engine, CTranslate2Engine)
    network.engine.translator = Translator()
    [found] = network.engine.search([[8, 9]], [9], settings, [earlier])
    return found, given


def test_sentences_without_enough_positions_are_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ctranslate2_specification, "POSITIONS", 11)
    network = trained(untrained(norm="pre"))
    sources = [[8, 9], [8] * 9, [8] * 10, [8] * 20]
    own, found, left = both(network, sources, replace(SETTINGS, max_length_ratio=1.0, max_length_offset=1))
    assert left >= 2 and [found[row][0].ids for row in found] == [own[row][0].ids for row in found]
    _, _, all_left = both(network, sources[2:], SETTINGS)
    assert all_left == 2


CONCAT: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({"sentences": 1}, {}),
    ({"attention": "sentence", "position_reset": True}, {}),
    ({}, {"use_context": False}),
    ({"sentences": 2}, {"sentences": 1}),
]
"""Switches of concat, and settings of decoding, with which it translates each sentence by itself."""


@pytest.mark.parametrize(("switches", "decoding"), CONCAT, ids=str)
def test_concat_of_single_sentences_is_translated_as_by_this_project(
    switches: dict[str, Any], decoding: dict[str, Any]
) -> None:
    alone = trained(untrained(norm="pre", marks="end"))
    network = build("concat", {**SIZES, "norm": "pre", "marks": "end", **switches}, SIZE, SIZE, shared=True).eval()
    assert isinstance(network, Concat)
    network.load_state_dict(alone.state_dict())
    settings, ids = replace(SETTINGS, **decoding), sentences(30, 4)
    size = 3 if "attention" in switches else 1
    instances = [
        SourceInstance(list(map(np.array, ids[first : first + size])), (), np.empty(0, np.int64), tree=False)
        for first in range(0, 30, size)
    ]
    own = dict(translate_instances(network, instances, settings))
    prepare_for_inference(network, settings)
    assert network.engine is not None
    network.engine = counting = Counting(network.engine)
    found = dict(translate_instances(network, instances, settings))
    assert counting.searched == 30 and counting.left < 5
    assert found.keys() == own.keys()
    for index, instance in own.items():
        assert [best.ids for best, *_ in found[index]] == [best.ids for best, *_ in instance]


TEXTS: list[dict[str, Any]] = [
    {"marks": "both"},
    {"marks": "end", "norm": "pre", "positions": "learned", "max_positions": 60},
    {"marks": "language"},
    {"marks": "both", "output_bias": True},
]
"""Switches of concat that decide how sentences of a text follow each other. With the bias, empty ones are likely."""


def text_network(**switches: Any) -> Concat:
    """A network of concatenation that has learned a little to write the sentences of a text backwards."""
    torch.manual_seed(1)
    network = build("concat", {**SIZES, "target_positions": "running", **switches}, SIZE, SIZE, shared=True)
    assert isinstance(network, Concat)
    optimiser = torch.optim.Adam(network.parameters(), lr=5e-3)
    first = [] if network.language_symbol is None else [network.language_symbol]
    for step in range(120):
        batch = network.pack(
            [
                Instance(text, [np.array([*first, *ids[::-1]]) for ids in text], (), np.empty(0, np.int64), tree=False)
                for text in texts(12, 100 + step)
            ]
        )
        loss = F.cross_entropy(network(batch), batch.target_output[0])
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    if network.output_bias is not None:
        network.output_bias[END] = 6.0
    return network.eval()


def texts(count: int, seed: int) -> list[list[Any]]:
    """Texts of one to four sentences."""
    ids = list(map(np.array, sentences(4 * count, seed)))
    return [ids[4 * text : 4 * text + 1 + text % 4] for text in range(count)]


@pytest.mark.parametrize("switches", TEXTS, ids=str)
def test_a_text_is_translated_as_by_this_project(switches: dict[str, Any]) -> None:
    network, settings = text_network(**switches), replace(SETTINGS, n_best=2)
    instances = [SourceInstance(text, (), np.empty(0, np.int64), tree=False) for text in texts(40, 5)]
    own = dict(translate_instances(network, instances, settings))
    prepare_for_inference(network, settings)
    assert network.engine is not None
    network.engine = counting = Counting(network.engine)
    found = dict(translate_instances(network, instances, settings))
    assert counting.searched > 60 and counting.left < 12
    assert found.keys() == own.keys()
    for index, instance in own.items():
        assert [best.ids for best, *_ in found[index]] == [best.ids for best, *_ in instance]
    lengths = {len(best.ids) for instance in own.values() for best, *_ in instance}
    assert len(lengths) > 3 or network.output_bias is not None, "lengths differ"


def test_the_next_sentence_of_a_text_is_searched_within_the_limit_and_the_positions() -> None:
    network, earlier = untrained(), ((8, 9), (10,))
    prefix = ["8", "9", str(BEGIN), "10", str(BEGIN)]
    found, given = answered(network, [[*map(int, prefix), 8, END]], SETTINGS, earlier)
    assert found == [((8,), -1.0)]
    assert given["first"] == [prefix] and given["suppress_sequences"] == [[str(BEGIN), str(END)]]
    assert (given["min_decoding_length"], given["max_decoding_length"]) == (1, len(prefix) + 10)
    assert isinstance(network.engine, CTranslate2Engine)
    for positions, left in ((len(prefix) + 9, True), (len(prefix) + 10, False)):
        network.engine.positions = positions
        [found] = network.engine.search([[8, 9]], [9], SETTINGS, [earlier])
        assert (found is None) == left


@pytest.mark.parametrize("system", [system for system in SYSTEMS if system != "transformer"])
def test_a_system_that_cannot_be_expressed_says_so(system: str) -> None:
    network = build(system, {**SIZES, "encoder_layers": 2, "decoder_layers": 2}, SIZE, SIZE, shared=True)
    reason = "target_positions is source" if system == "concat" else "its system is more than a sentence model"
    with pytest.raises(InputError, match=f"CTranslate2 cannot express the model: .*{reason}.*engine: own"):
        prepare_for_inference(network, SETTINGS)


def test_what_cannot_be_expressed() -> None:
    concat, sentence = SYSTEMS["concat"], SYSTEMS["transformer"].switches({})
    assert obstacle(sentence, SETTINGS) == ""
    assert obstacle(sentence, replace(SETTINGS, shortlist=5)) == "shortlist is 5"
    for switches, decoding in CONCAT:
        assert obstacle(concat.switches(switches), replace(SETTINGS, **decoding)) == ""
        assert obstacle(concat.switches(switches), replace(SETTINGS, shortlist=1, **decoding)) == "shortlist is 1"
    alone, reset = {"attention": "sentence"}, {"position_reset": True}
    running = {"target_positions": "running"}
    assert obstacle(concat.switches(running), SETTINGS) == ""
    refused: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
        ("target_positions is source", {}, {}),
        ("target_positions is source", {"sentences": 2}, {}),
        ("position_reset is true", {**running, **reset}, {}),
        ("attention is sentence, but .*position_reset: false", alone, {}),
        ("search is sequence", {**alone, **reset}, {"search": "sequence"}),
        ("search is sequence", running, {"search": "sequence"}),
        ("target_context is references", running, {"target_context": "references"}),
        ("shortlist is 1", running, {"shortlist": 1}),
    ]
    for reason, switches, decoding in refused:
        assert re.match(reason, obstacle(concat.switches(switches), replace(SETTINGS, **decoding))), reason


def test_the_engine_is_for_cpus() -> None:
    with pytest.raises(InputError, match=r"engine ctranslate2 is for CPUs; .*engine: own.* or --device cpu"):
        prepare_for_inference(untrained().to("meta"), SETTINGS)


def test_a_missing_package_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(preparation, "find_spec", lambda name: None)
    with pytest.raises(InputError, match=r"ctranslate2 is missing; pip install --editable '\.\[ctranslate2\]'"):
        prepare_for_inference(untrained(), SETTINGS)


@pytest.mark.parametrize(("precision", "computed"), [("fp32", "float32"), ("int8", "int8_float32")])
def test_precision_and_threads_reach_the_engine(precision: Any, computed: str, monkeypatch: pytest.MonkeyPatch) -> None:
    given: dict[str, Any] = {}
    plain = ctranslate2.Translator

    def noted(folder: str, **options: Any) -> Any:
        given.update(options, translator=plain(folder, **options))
        return given["translator"]

    monkeypatch.setattr(ctranslate2_engine.ctranslate2, "Translator", noted)
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    prepare_for_inference(untrained(), replace(SETTINGS, precision=precision))
    torch.set_num_threads(before)
    assert given["translator"].compute_type == computed
    assert (given["inter_threads"], given["intra_threads"]) == (1, 2)
