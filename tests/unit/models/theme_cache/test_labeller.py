"""The theme-rheme labeller: its two heads against loops, its loss, padding; and the baseline on characters."""

import math
from dataclasses import fields, replace
from typing import Any

import pytest
import torch

from discourse_nmt.base.errors import InputError
from discourse_nmt.models.switches.theme_labeller import LabellerSettings
from discourse_nmt.models.theme_cache.character_tagger import CharacterTagger, symbols_of
from discourse_nmt.models.theme_cache.labeller import UNLABELLED, ThemeLabeller, labelling_loss
from tests.unit.models.theme_cache.labeller_reference import all_paths, loss, lstm, path_score

SENTENCES = [["the", "cat", "sat"], ["a", "cat"], ["unseen", "words", "here", "sat", "a"]]
SMALL = LabellerSettings("characters", direction_width=5, layers=1, word_width=4, character_width=3, filters=6)


def labeller(layers: int = 2) -> ThemeLabeller:
    torch.manual_seed(1)
    return ThemeLabeller(6, 4, direction_width=5, layers=layers).eval()


def test_t05_4_loss() -> None:
    labels = torch.tensor([[0, 1, 1, 0]])
    right, other = [0.7, 0.2, 0.1], [0.2, 0.7, 0.1]
    logits = torch.tensor([[right, other, other, right]], dtype=torch.float64).log()
    scores = torch.tensor([[0.8, 0.3, 0.1, 0.6]], dtype=torch.float64)
    total = labelling_loss(logits, scores, labels, 0).item()
    assert total == pytest.approx(0.431675, abs=5e-7)
    certain = labels.eq(0).double()  # scores without a fault leave the first part alone
    first = labelling_loss(logits, certain, labels, 0).item()
    assert first == pytest.approx(0.356675, abs=5e-7)
    assert total - first == pytest.approx(0.075, abs=1e-12)


def test_loss_is_that_of_loops_over_labelled_positions() -> None:
    torch.manual_seed(2)
    logits, scores = torch.randn(3, 5, 4, dtype=torch.float64), torch.rand(3, 5, dtype=torch.float64)
    labels = torch.randint(0, 4, (3, 5))
    labels[torch.rand(3, 5) < 0.4] = UNLABELLED
    kept = labels != UNLABELLED
    rows = logits[kept].softmax(-1).tolist(), scores[kept].tolist(), labels[kept].tolist()
    assert labelling_loss(logits, scores, labels, 2).item() == pytest.approx(loss(*rows, 2), rel=1e-12)
    nothing = torch.full((3, 5), UNLABELLED)
    assert labelling_loss(logits, scores, nothing, 2).item() == 0


@pytest.mark.parametrize("layers", [1, 2, 3])
def test_heads_are_those_of_a_literal_lstm(layers: int) -> None:
    network = labeller(layers)
    states = torch.randn(2, 7, 6)
    logits, scores = network(states, torch.zeros(2, 7, dtype=torch.bool))
    for row in range(2):
        read = lstm(network.lstm, states[row])
        expected = read @ network.label_head.weight.T + network.label_head.bias
        torch.testing.assert_close(logits[row], expected, rtol=0, atol=1e-6)
        torch.testing.assert_close(scores[row], torch.sigmoid(read @ network.score_head.weight[0]), rtol=0, atol=1e-6)


def test_padding_changes_nothing() -> None:
    network = labeller()
    states = torch.randn(3, 8, 6)
    lengths = torch.tensor([5, 8, 0])
    padding = torch.arange(8) >= lengths[:, None]
    logits, scores = network(states.masked_fill(padding[..., None], 1e4), padding)
    again = network(states.masked_fill(padding[..., None], torch.nan), padding)
    assert torch.equal(again[0][:2], logits[:2])
    assert torch.equal(again[1][:2], scores[:2])
    assert not logits[padding].any()
    assert not scores[padding].any()
    for row, length in enumerate(lengths[:2].tolist()):
        alone = network(states[row : row + 1, :length], torch.zeros(1, length, dtype=torch.bool))
        torch.testing.assert_close(logits[row, :length], alone[0][0], rtol=0, atol=1e-6)
        torch.testing.assert_close(scores[row, :length], alone[1][0], rtol=0, atol=1e-6)


def test_scores_and_labels_share_the_lstm_and_not_their_heads() -> None:
    network = labeller()
    states, padding = torch.randn(1, 4, 6), torch.zeros(1, 4, dtype=torch.bool)
    network(states, padding)[1].sum().backward()
    assert network.label_head.weight.grad is None
    assert network.score_head.weight.grad is not None
    assert all(parameter.grad is not None for parameter in network.lstm.parameters())


def test_training_drops_what_the_last_layer_returns() -> None:
    """Dropout of one layer is that of its outputs: with all of them dropped the heads read nothing."""
    torch.manual_seed(1)
    network = ThemeLabeller(6, 4, direction_width=5, layers=1, dropout=0.999).train()
    logits, _ = network(torch.randn(2, 7, 6), torch.zeros(2, 7, dtype=torch.bool))
    assert (logits == network.label_head.bias).all(dim=-1).float().mean() > 0.9


def tagger(labels: int = 3, settings: LabellerSettings = SMALL) -> CharacterTagger:
    torch.manual_seed(4)
    network = CharacterTagger(settings, symbols_of(SENTENCES[:2]), labels).eval()
    torch.nn.init.normal_(next(network.field.parameters()))
    return network


@pytest.mark.parametrize("window", [1, 3, 5, 7])
def test_the_window_of_a_letter_by_itself_is_centred_on_it(window: int) -> None:
    network = tagger(settings=replace(SMALL, window=window))
    letter, bias = network.characters.weight[network.numbers["a"]], network.convolution.bias
    assert bias is not None
    expected = network.convolution.weight[:, :, window // 2] @ letter + bias
    torch.testing.assert_close(network.of_words(["a"])[0, : SMALL.filters], expected)


SECOND: dict[str, Any] = {
    "direction_width": 6,
    "layers": 2,
    "dropout": 0.3,
    "word_width": 0,
    "character_width": 4,
    "filters": 7,
}
SECOND |= {"window": 5}


def test_every_size_of_the_tagger_is_below() -> None:
    of_kind = {"network", "designated"}
    assert set(SECOND) == {entry.name for entry in fields(LabellerSettings)} - of_kind


@pytest.mark.parametrize("key", SECOND)
def test_every_size_reaches_the_tagger(key: str) -> None:
    first, second = tagger(), tagger(settings=replace(SMALL, **{key: SECOND[key]}))
    if key == "dropout":
        rates = [
            {part.p for part in network.modules() if isinstance(part, torch.nn.Dropout)} for network in (first, second)
        ]
        assert rates == [{SMALL.dropout}, {SECOND[key]}]
    else:
        shapes = [{name: tuple(value.shape) for name, value in one.state_dict().items()} for one in (first, second)]
        assert shapes[0] != shapes[1]


def test_random_field_against_every_sequence_of_labels() -> None:
    network = tagger()
    labels = [[0, 2, 1], [1, 1], [2, 0, 0, 1, 2]]
    scores, total = network(SENTENCES), 0.0
    transitions = next(network.field.parameters()).detach()
    for row, wanted in zip(scores.detach(), labels):
        paths = all_paths(row[: len(wanted)], transitions)
        total += math.log(sum(map(math.exp, paths.values()))) - path_score(row, transitions, wanted)
    assert network.loss(SENTENCES, labels).item() == pytest.approx(total / 10, rel=1e-5)
    for row, words, found in zip(scores.detach(), SENTENCES, network.label(SENTENCES)):
        paths = all_paths(row[: len(words)], transitions)
        assert paths[tuple(found)] == max(paths.values())


def test_a_sentence_is_labelled_alike_alone_and_beside_longer_ones() -> None:
    network = tagger()
    together = network(SENTENCES)
    for row, sentence in zip(together, SENTENCES):
        torch.testing.assert_close(row[: len(sentence)], network([sentence])[0], rtol=0, atol=1e-6)
        assert not row[len(sentence) :].any()


def test_words_are_read_by_their_characters() -> None:
    symbols = symbols_of(SENTENCES[:2])
    assert symbols.words == ("cat",)  # the only word that occurs twice
    assert symbols.characters == tuple("acehst")
    network = tagger()
    same, other, strange, stranger = network.of_words(["act", "tca", "xyz", "zyx"])
    assert not torch.equal(same, other)  # order of characters
    assert torch.equal(strange, stranger)  # unknown characters
    with pytest.raises(InputError, match="window is 4; it must be odd"):
        LabellerSettings("characters", window=4)
