"""Coreference: training on a toy language, files of weights, and what training reads."""

import json
import math
import shutil
from collections.abc import Sequence
from pathlib import Path
from unittest.mock import Mock

import pytest
import torch

from discourse_nmt.base.errors import InputError
from discourse_nmt.discourse.coreference.examples import CoreferenceExample, example_of
from discourse_nmt.discourse.coreference.lexicons.english import ENGLISH
from discourse_nmt.discourse.coreference.measures import measure_by_genre
from discourse_nmt.discourse.coreference.network import EVERY, CoreferenceNetworkSettings, KnownFeatures
from discourse_nmt.discourse.coreference.resolver import Resolver, ResolverSettings
from discourse_nmt.discourse.coreference.weights import load_resolver, save_resolver
from discourse_nmt.discourse.formats.conllu import read_conllu
from discourse_nmt.discourse.formats.coreference import read_gum_coreference
from discourse_nmt.discourse.structures.trees import StructureError
from discourse_nmt.training.analysers.coreference import (
    CoreferenceLearningSettings,
    RankingExample,
    TunedCoreferenceLearning,
    known_features,
    ranking_loss,
    train,
)
from discourse_nmt.workflow_scripts.parsers import train_coreference
from discourse_nmt.workflow_scripts.parsers.train_coreference import read_examples, read_syntax, read_versions
from tests.unit.discourse.test_coreference import FOLDER, syntax


def toy_examples(count: int) -> list[CoreferenceExample]:
    """Sentences *Ann saw Bob . She slept .*, where the sex of the pronoun tells the antecedent."""
    first = "{} x PROPN 2 nsubj\nsaw see VERB 0 root\n{} x PROPN 2 obj\n. . PUNCT 2 punct"
    second = "{} x PRON 2 nsubj\nslept sleep VERB 0 root\n. . PUNCT 2 punct"
    examples = []
    for number in range(count):
        names = ("Ann", "Bob") if number % 2 else ("Bob", "Ann")
        pronoun = "She" if number % 3 else "He"
        entity = {"Ann": "1", "Bob": "2"}
        mentions = {
            (0, 0, 1): (entity[names[0]], "person"),
            (0, 2, 3): (entity[names[1]], "person"),
            (1, 0, 1): (entity["Ann" if pronoun == "She" else "Bob"], "person"),
        }
        sentences = (syntax(first.format(*names)), syntax(second.format(pronoun)))
        examples.append(CoreferenceExample(f"GUM_toy_{number}", sentences, mentions))
    return examples


def toy_resolver(examples: Sequence[CoreferenceExample], buckets: int = 512, least_documents: int = 0) -> Resolver:
    sizes = CoreferenceNetworkSettings(
        mention_buckets=buckets, pair_buckets=buckets, detection_width=8, ranking_width=8
    )
    settings = CoreferenceLearningSettings(
        detection_epochs=20,
        ranking_epochs=20,
        least_documents=least_documents,
        tuned=TunedCoreferenceLearning(detection_rate=0.02, ranking_rate=0.02, ranking_dropout=0.1),
    )
    return train(examples, sizes, settings, ResolverSettings(), ENGLISH)


def test_training_learns_and_repeats(tmp_path: Path) -> None:
    examples = toy_examples(36)
    resolver = toy_resolver(examples[:24])
    chains = resolver.resolve([example.sentences for example in examples[24:]])
    assert measure_by_genre(examples[24:], chains)["all"]["CoNLL F1"] == 100
    save_resolver(resolver, tmp_path / "one")
    save_resolver(toy_resolver(examples[:24]), tmp_path / "two")
    for name in ("coreference.safetensors", "coreference.json"):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()
    assert load_resolver(tmp_path / "one").resolve([examples[30].sentences]) == [chains[6]]


def test_training_on_known_features_learns_and_is_read_again(tmp_path: Path) -> None:
    examples = toy_examples(36)
    resolver = toy_resolver(examples[:24], 1 << 18, least_documents=3)
    documents = [example.sentences for example in examples[24:]]
    chains = resolver.resolve(documents)
    assert measure_by_genre(examples[24:], chains)["all"]["CoNLL F1"] == 100
    assert 0 < toy_resolver(examples[:24], 1 << 18, least_documents=20).known.pairs < resolver.known.pairs
    assert len(resolver.ranking.pair.table.weight) == resolver.known.pairs + 1
    assert len(resolver.ranking.new.table.weight) == resolver.known.mentions + 1
    assert len(resolver.detection.candidate.table.weight) == resolver.known.candidates + 1
    save_resolver(resolver, tmp_path)
    again = load_resolver(tmp_path)
    assert again.known == resolver.known
    assert again.ranking.pairs.known.tolist() == resolver.ranking.pairs.known.tolist()  # exact beyond half precision
    assert max(again.ranking.pairs.known.tolist()) > 1 << 16
    assert again.resolve(documents) == chains
    description = tmp_path / "coreference.json"
    content = json.loads(description.read_text())
    content["known"]["pairs"] += 1
    description.write_text(json.dumps(content))
    (tmp_path / ".coreference.json.sha256").unlink()
    with pytest.raises(InputError, match="belong to another network"):
        load_resolver(tmp_path)
    content["known"]["pairs"] = -2
    description.write_text(json.dumps(content))
    with pytest.raises(InputError, match="pairs is -2"):
        load_resolver(tmp_path)


def test_known_features_are_those_of_enough_documents() -> None:
    documents = [torch.tensor([[5, 9], [5, 7]]), torch.tensor([[9, 5]]), torch.tensor([[7, 3]]), torch.tensor([[9, 1]])]
    assert known_features(documents, 2).tolist() == [5, 7, 9]
    assert known_features(documents, 3).tolist() == [9]
    assert known_features(documents, 0).tolist() == known_features([], 1).tolist() == []


def test_each_wrong_choice_of_an_antecedent_has_its_cost() -> None:
    """With equal scores, of four mentions: the first alone, and each later one with all earlier ones.

    The second is the same as the first; the third is the first, too; the fourth is new.
    """
    network = Mock()
    network.vectors = lambda features, _: (features, features)
    network.linked = lambda later, *_: torch.zeros(len(later))
    network.unlinked = lambda novelty, _: torch.zeros(len(novelty))
    mentions, pairs = torch.zeros(4, 1), torch.tensor([[1, 0], [2, 1], [2, 0], [3, 2], [3, 1], [3, 0]])
    right, new = torch.tensor([1, 1, 1, 0, 0, 0]).bool(), torch.tensor([1, 0, 0, 1]).bool()
    right[1] = False
    document = RankingExample(mentions, mentions, torch.zeros(6, 1), pairs[:, 0], pairs[:, 1], right, new)
    tuned = TunedCoreferenceLearning(false_link=0.2, missed_link=3.0, wrong_link=0.7)
    false, missed, wrong = map(math.exp, (0.2, 3.0, 0.7))
    expected = math.log(missed + 1) + math.log(missed + 1 + wrong) + math.log(1 + 3 * false)
    assert ranking_loss(network, document, tuned).item() == pytest.approx(expected, rel=1e-6)


def test_unknown_features_count_as_none() -> None:
    known = KnownFeatures(100, 2)
    known.learn(torch.tensor([7, 40]))
    assert known(torch.tensor([[40, 8], [7, 0]])).tolist() == [[2, 0], [1, 0]]
    known.learn(torch.tensor([8, 40]))
    assert known(torch.tensor([8, 7])).tolist() == [1, 0]


@pytest.mark.parametrize("language", ["de", "fr", "ru", "zh"])
def test_weights_of_every_bucket_have_no_trace_of_known_features(language: str, tmp_path: Path) -> None:
    resolver = load_resolver(FOLDER.parent / language)
    assert resolver.known == EVERY
    features = torch.tensor([[3, 1]])
    assert resolver.ranking.pairs(features) is features
    save_resolver(resolver, tmp_path)
    for name in ("coreference.safetensors", "coreference.json"):
        assert (tmp_path / name).read_bytes() == (FOLDER.parent / language / name).read_bytes()


def test_gold_mentions_fit_the_sentences() -> None:
    content = "# begin document GUM_toy_a\n0\tAnn\t(person-1)\n1\tslept\t(event-2\n2\tShe\t(person-1)event-2)\n"
    [document] = read_gum_coreference(content + "# end document\n", "toy")
    sentences = [syntax("Ann Ann PROPN 2 nsubj\nslept sleep VERB 0 root"), syntax("She she PRON 0 root")]
    example = example_of(document, sentences)
    assert example.mentions == {(0, 0, 1): ("1", "person"), (1, 0, 1): ("1", "person")}
    with pytest.raises(StructureError, match="2 words with syntax and 3 with coreference"):
        example_of(document, sentences[:1])


@pytest.mark.parametrize("damage", ["missing", "cut", "other", "keys", "types", "sizes", "text"])
def test_damaged_weights_are_one_line(tmp_path: Path, damage: str) -> None:
    for name in ("coreference.json", "coreference.safetensors"):
        shutil.copy(FOLDER / name, tmp_path / name)
    weights, description = tmp_path / "coreference.safetensors", tmp_path / "coreference.json"
    content = json.loads(description.read_text())
    if damage == "missing":
        weights.unlink()
    elif damage == "cut":
        weights.write_bytes(weights.read_bytes()[:1000])
    elif damage == "other":
        shutil.copy(FOLDER / "segmenter.safetensors", weights)
    elif damage == "keys":
        del content["types"]
    elif damage == "types":
        content["types"] = "person"
    elif damage == "sizes":
        content["network"]["ranking_width"] = 7
    if damage in ("keys", "types", "sizes"):
        description.write_text(json.dumps(content))
    elif damage == "text":
        description.write_text("{")
    with pytest.raises(InputError) as caught:
        load_resolver(tmp_path)
    assert "\n" not in str(caught.value) and str(tmp_path) in str(caught.value)


def test_documents_without_mentions_teach_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.conll").write_text("# begin document a\n0\tAnn\t_\n# end document\n")
    (tmp_path / "a.conllu").write_text("# newdoc id = a\n1\tAnn\tAnn\tPROPN\t_\t_\t0\troot\t_\t_\n\n")
    options = ["--treebank", f"{tmp_path}/a.conll", "--annotated", f"{tmp_path}/a.conllu", "--genres"]
    monkeypatch.setattr("sys.argv", ["train_coreference", *options, "--output", f"{tmp_path}/out"])
    with pytest.raises(InputError, match="no mention to learn from; give documents with chains"):
        train_coreference.main()


def test_chains_without_syntax_are_told(tmp_path: Path) -> None:
    (tmp_path / "a.conll").write_text("# begin document GUM_news_a\n0\tAnn\t(person-1)\n# end document\n")
    with pytest.raises(InputError, match="GUM_news_a has chains, but no syntax"):
        read_examples([f"{tmp_path}/*.conll"], {}, [])
    assert read_examples([f"{tmp_path}/*.conll"], {}, ["bio"]) == []


def test_documents_are_read_once_with_each_syntax(tmp_path: Path) -> None:
    (tmp_path / "a.conll").write_text("# begin document GUM_news_a\n0\tAnn\t(person-1)\n# end document\n")
    for name in ("predicted", "gold"):
        row = f"1\tAnn\t{name}\tPROPN\t_\t_\t0\troot\t_\t_"
        (tmp_path / f"{name}.conllu").write_text(f"# newdoc id = GUM_news_a\n{row}\n\n")
    annotated = [[f"{tmp_path}/predicted.conllu"], [f"{tmp_path}/gold.conllu"]]
    examples = read_versions([f"{tmp_path}/*.conll"], annotated, [])
    assert [example.sentences[0].lemmas for example in examples] == [("predicted",), ("gold",)]
    assert read_versions([f"{tmp_path}/*.conll"], [annotated[1], []], []) == examples[1:]


def test_syntax_without_heads_is_told(tmp_path: Path) -> None:
    (tmp_path / "a.conllu").write_text("# newdoc id = a\n1\tAnn" + "\t_" * 8 + "\n\n")
    assert read_conllu((tmp_path / "a.conllu").read_text(), "a")[0].heads == ()
    with pytest.raises(InputError, match="a sentence without dependencies"):
        read_syntax([f"{tmp_path}/a.conllu"])
