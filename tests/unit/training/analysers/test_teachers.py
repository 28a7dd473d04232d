"""Teachers: what a pretrained model adds, means over several networks, and how the shipped network learns from them."""

import json
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from discourse_nmt.base.errors import InputError
from discourse_nmt.discourse.analysers.analyser import Analyser
from discourse_nmt.discourse.analysers.batches import make_batch
from discourse_nmt.discourse.analysers.examples import Example
from discourse_nmt.discourse.analysers.inventory import OFTEN, Inventory, sized
from discourse_nmt.discourse.analysers.network import JointNetwork, WordEncoder
from discourse_nmt.discourse.analysers.network_settings import AnalyserDropout
from discourse_nmt.discourse.analysers.segmentation import Segmenter, SegmenterNetwork
from discourse_nmt.discourse.analysers.weights import save_analyser, save_segmenter
from discourse_nmt.discourse.formats.conllu import read_conllu
from discourse_nmt.training.analysers import pretrained
from discourse_nmt.training.analysers.joint import LearningSettings, SilverPasses, TunedLearning, train
from discourse_nmt.training.analysers.pretrained import PretrainedModel, PretrainedNetwork
from discourse_nmt.training.analysers.teachers import JointEnsemble, load_teacher, load_teachers
from discourse_nmt.workflow_scripts.parsers import train_analyser
from discourse_nmt.workflow_scripts.parsers.raw_text import annotate_texts
from tests.unit.discourse.analysers.test_network import EXAMPLES, SMALL, example
from tests.unit.training.analysers.tiny_bert import POSITIONS, write_bert

INVENTORY = Inventory.from_examples(EXAMPLES, "main")
SENTENCES = [["Cats", "sleep", ",", "dogs", "run"], ["Frogs", "run", "!"], ["Run"]]
SETTINGS = LearningSettings(epochs=2, batch_words=12)
NONE = AnalyserDropout()


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> PretrainedModel:
    return PretrainedModel(write_bert(tmp_path_factory.mktemp("models") / "bert"))


@pytest.fixture(scope="module")
def teacher(model: PretrainedModel) -> PretrainedNetwork:
    network = train(EXAMPLES, INVENTORY, SMALL, SETTINGS, model=model)
    assert isinstance(network, PretrainedNetwork)
    return network.eval()


def new_network(model: PretrainedModel) -> PretrainedNetwork:
    torch.manual_seed(1)
    network = PretrainedNetwork(sized(SMALL, INVENTORY, model.width), model)
    network.take_pretrained_weights()
    return network.eval()


@torch.no_grad()
def read_words(network: JointNetwork, sentences: Sequence[Sequence[str]]) -> torch.Tensor:
    batch = make_batch(sentences, [0] * len(sentences), network.word_features(INVENTORY))
    return network.encoder(batch, NONE)


def test_a_word_has_the_mean_state_of_its_pieces(model: PretrainedModel, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pretrained, "has_bf16", lambda device: False)
    network = new_network(model)
    vectors = read_words(network, SENTENCES)[0, :, -model.width :]
    pieces = [2, 5, 6, 8, 1, 4, 6, 7, 3]  # [CLS] cat ##s sleep [UNK] dog ##s run [SEP]
    with torch.no_grad():
        states = network.encoder.pretrained(input_ids=torch.tensor([pieces])).last_hidden_state[0]
    expected = [states[1:3].mean(0), states[3], states[4], states[5:7].mean(0), states[7]]
    torch.testing.assert_close(vectors, torch.stack(expected), atol=1e-5, rtol=1e-5)


def test_the_features_of_words_are_those_of_a_network_without_a_model(model: PretrainedModel) -> None:
    network = new_network(model)
    plain = WordEncoder(network.settings)
    plain.load_state_dict({name: network.encoder.state_dict()[name] for name in plain.state_dict()})
    features = JointNetwork.word_features(network, INVENTORY)
    sentences = [*SENTENCES, ["dogs" * 10]]  # longer than the characters that are read
    with torch.no_grad():
        own = plain(make_batch(sentences, [0] * len(sentences), features), NONE)
    assert own.shape[-1] > 0 and torch.equal(read_words(network, sentences)[..., : own.shape[-1]], own)


def test_the_weights_are_those_of_the_file(model: PretrainedModel) -> None:
    network = new_network(model)
    for name, tensor in model.weights().items():
        assert torch.equal(network.encoder.pretrained.state_dict()[name], tensor), name


def test_other_sentences_and_padding_do_not_matter(teacher: PretrainedNetwork) -> None:
    together = read_words(teacher, SENTENCES)
    for row, forms in enumerate(SENTENCES):
        alone = read_words(teacher, [forms])[0]
        torch.testing.assert_close(together[row, : len(forms)], alone, atol=0.03, rtol=0.03)  # rounding of bf16


def test_words_behind_the_last_position_have_no_state(model: PretrainedModel) -> None:
    vectors = read_words(new_network(model), [["run"] * (POSITIONS + 3)])[0, :, -model.width :]
    known = POSITIONS - 1  # the first position is that of [CLS]
    assert (vectors[:known] != 0).any(1).all() and (vectors[known:] == 0).all()


def test_training_moves_the_layers_and_not_the_embeddings(model: PretrainedModel, teacher: PretrainedNetwork) -> None:
    before, after = model.weights(), teacher.encoder.pretrained.state_dict()
    moved = {name for name, tensor in before.items() if not torch.equal(after[name], tensor)}
    assert "encoder.layer.0.attention.self.query.weight" in moved
    assert all(name.startswith("encoder.") for name in moved)
    still = train(EXAMPLES, INVENTORY, SMALL, replace(SETTINGS, tuned=TunedLearning(pretrained_rate=0.0)), model=model)
    assert isinstance(still, PretrainedNetwork)
    for name, tensor in before.items():
        assert torch.equal(still.encoder.pretrained.state_dict()[name], tensor), name
    assert not torch.equal(still.arc, new_network(model).arc)


def test_a_saved_teacher_reads_as_before(teacher: PretrainedNetwork, model: PretrainedModel, tmp_path: Path) -> None:
    save_analyser(Analyser(teacher, INVENTORY), tmp_path)
    model.copy_to(tmp_path)
    loaded = load_teacher(tmp_path)
    assert isinstance(loaded.network, PretrainedNetwork)
    assert loaded.analyse([SENTENCES]) == Analyser(teacher, INVENTORY).analyse([SENTENCES])


def change(folder: Path, **keys: object) -> None:
    file = folder / "config.json"
    file.write_text(json.dumps({**json.loads(file.read_text(encoding="utf-8")), **keys}), encoding="utf-8")


def test_faults_of_the_model_are_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = write_bert(tmp_path / "bert")
    change(folder, intermediate_size=32)
    with pytest.raises(InputError, match=r"model\.safetensors: not the weights of the BERT in config\.json; choose"):
        new_network(PretrainedModel(folder))
    (folder / "model.safetensors").write_bytes(b"x")
    with pytest.raises(InputError, match=r"model\.safetensors: cannot be read .*; choose another folder"):
        new_network(PretrainedModel(folder))
    (folder / "tokenizer.json").write_text("{}", encoding="utf-8")
    with pytest.raises(InputError, match=r"tokenizer\.json: cannot be read"):
        PretrainedModel(folder)
    change(folder, model_type="gpt2")
    with pytest.raises(InputError, match=r"config\.json: not the description of a BERT"):
        PretrainedModel(folder)
    with pytest.raises(InputError, match="nowhere"):
        PretrainedModel(tmp_path / "nowhere")
    other = PretrainedModel(write_bert(tmp_path / "other"))
    monkeypatch.setitem(sys.modules, "transformers", None)
    with pytest.raises(InputError, match="need transformers, which is not installed; install the extra teachers"):
        other.network()


def small_network(seed: int) -> JointNetwork:
    torch.manual_seed(seed)
    network = JointNetwork(sized(SMALL, INVENTORY)).eval()
    for parameter in network.parameters():
        torch.nn.init.normal_(parameter, std=0.3)
    return network


def test_scores_of_an_ensemble_are_means() -> None:
    networks = [small_network(seed) for seed in (1, 2, 3)]
    ensemble = JointEnsemble(networks)
    batch = make_batch(SENTENCES, [0, 0, 0], ensemble.word_features(INVENTORY))
    heads = torch.zeros(batch.places.shape, dtype=torch.long)
    heads[:, 1:] = 1
    with torch.no_grad():
        mean, each = ensemble(batch, NONE), [network(batch, NONE) for network in networks]
        relations = [network.relation_scores(score, heads) for network, score in zip(networks, each)]
        torch.testing.assert_close(ensemble.relation_scores(mean, heads), torch.stack(relations).mean(0))
    for name in ("arcs", "upos", "xpos", "features", "lemmas"):
        expected = torch.stack([getattr(score, name).log_softmax(-1) for score in each]).mean(0)
        torch.testing.assert_close(getattr(mean, name), expected)
    torch.testing.assert_close(mean.units, torch.stack([score.units for score in each]).mean(0))
    assert mean.units.any() and not ensemble(batch, NONE, units=False).units.any()


def test_several_teachers_are_one_analyser(tmp_path: Path) -> None:
    for seed in (1, 2):
        save_analyser(Analyser(small_network(seed), INVENTORY), tmp_path / str(seed))
    first, second = (load_teacher(tmp_path / seed) for seed in "12")
    both = load_teachers([tmp_path / "1", tmp_path / "2"])
    assert isinstance(both.network, JointEnsemble)
    assert load_teachers([tmp_path / "1"]).analyse([SENTENCES]) == first.analyse([SENTENCES])
    assert load_teachers([tmp_path / "2", tmp_path / "2"]).analyse([SENTENCES]) == second.analyse([SENTENCES])


def test_each_pass_reads_its_share_and_all_come_before_one_comes_again() -> None:
    passes = SilverPasses(10, 0.3, np.random.default_rng(1))
    read = [passes.next() for _ in range(20)]
    assert all(len(numbers) == 3 for numbers in read)
    flat = [number for numbers in read for number in numbers]
    assert all(sorted(flat[start : start + 10]) == list(range(10)) for start in range(0, 60, 10))
    assert flat[:10] != flat[10:20]
    assert (
        SilverPasses(0, 0.3, np.random.default_rng(1)).next()
        == []
        == SilverPasses(9, 0.0, np.random.default_rng(1)).next()
    )


def test_text_by_teachers_teaches_its_share() -> None:
    silver = [example("|Frogs/NOUN/2/nsubj sleep/VERB/0/root")] * 10

    def arcs(settings: LearningSettings, silver: Sequence[Example] = ()) -> torch.Tensor:
        return train(EXAMPLES, INVENTORY, SMALL, settings, silver=silver).arc

    alone = arcs(SETTINGS)
    assert torch.equal(arcs(replace(SETTINGS, silver_share=0.0), silver), alone)
    some, more = (arcs(replace(SETTINGS, silver_share=share), silver) for share in (0.2, 0.5))
    assert not torch.equal(some, alone) and not torch.equal(more, some)


def test_frequent_words_of_the_text_are_known() -> None:
    silver = [example("|Frogs/NOUN/2/nsubj croak/VERB/0/root")] * OFTEN + [example("|Toads/NOUN/0/root")] * (OFTEN - 1)
    inventory = Inventory.from_examples(EXAMPLES, "main", silver=silver)
    assert set(inventory.words) - set(INVENTORY.words) == {"frogs", "croak"}
    assert replace(inventory, words=INVENTORY.words) == INVENTORY


def test_text_is_annotated_by_paragraphs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    network = SegmenterNetwork(5, 8)
    torch.nn.init.zeros_(network.out.weight)
    torch.nn.init.constant_(network.out.bias, -9.0)  # words end at spaces, sentences where their paragraphs end
    save_segmenter(Segmenter(network, "abc"), tmp_path / "segmenter")
    save_analyser(Analyser(small_network(1), INVENTORY), tmp_path / "teacher")
    (tmp_path / "b.txt").write_text("Cats run\n\nDogs sleep\n", encoding="utf-8")
    (tmp_path / "a.txt").write_text("Run\n", encoding="utf-8")
    options = ["--segmenter", f"{tmp_path}/segmenter", "--teachers", f"{tmp_path}/teacher"]
    monkeypatch.setattr(
        sys, "argv", ["annotate_texts", "--texts", f"{tmp_path}/*.txt", *options, "--output", f"{tmp_path}/out.conllu"]
    )
    annotate_texts.main()
    sentences = read_conllu((tmp_path / "out.conllu").read_text(encoding="utf-8"), "out")
    assert [sentence.comment("newdoc id") for sentence in sentences if sentence.comment("newdoc id")] == [
        "text-1",
        "text-2",
    ]
    assert ["".join(word.form for word in sentence.words) for sentence in sentences] == ["Run", "Catsrun", "Dogssleep"]
    forms = [[word.form for word in sentence.words] for sentence in sentences]
    [analyses] = load_teacher(tmp_path / "teacher").analyse([forms])
    heads = [[int(word.head) - 1 for word in sentence.words] for sentence in sentences]
    assert heads == [list(analysis.heads) for analysis in analyses]
    (tmp_path / "b.txt").write_text("\n", encoding="utf-8")
    (tmp_path / "a.txt").write_text("", encoding="utf-8")
    with pytest.raises(InputError, match="no word in the texts"):
        annotate_texts.main()


def test_a_teacher_reads_no_vectors_and_no_other_teacher(
    model: PretrainedModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "t.conllu").write_text("1\tRun\trun\tVERB\tVB\t_\t0\troot\t_\t_\n\n", encoding="utf-8")
    given = ["--treebank", f"{tmp_path}/t.conllu", "--genres", "--output", f"{tmp_path}/out"]
    monkeypatch.setattr(
        sys, "argv", ["train_analyser", *given, "--pretrained", str(model.folder), "--silver", f"{tmp_path}/t.conllu"]
    )
    with pytest.raises(InputError, match="--pretrained goes without --vectors and --silver"):
        train_analyser.main()
