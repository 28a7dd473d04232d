"""Coreference: training on a toy language, files of weights, and what training reads."""

import json
import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest

from discourse_nmt.corpus.errors import InputError
from discourse_nmt.discourse.coreference.examples import CoreferenceExample, example_of
from discourse_nmt.discourse.coreference.lexicons.english import ENGLISH
from discourse_nmt.discourse.coreference.measures import measure_by_genre
from discourse_nmt.discourse.coreference.network import CoreferenceNetworkSettings
from discourse_nmt.discourse.coreference.resolver import Resolver, ResolverSettings
from discourse_nmt.discourse.coreference.weights import load_resolver, save_resolver
from discourse_nmt.discourse.formats.conllu import read_conllu
from discourse_nmt.discourse.formats.coreference import read_gum_coreference
from discourse_nmt.discourse.structures.trees import StructureError
from discourse_nmt.training.analysers.coreference import CoreferenceLearningSettings, train
from discourse_nmt.workflow_scripts.parsers.train_coreference import read_examples, read_syntax
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


def toy_resolver(examples: Sequence[CoreferenceExample]) -> Resolver:
    sizes = CoreferenceNetworkSettings(mention_buckets=512, pair_buckets=512, detection_width=8, ranking_width=8)
    settings = CoreferenceLearningSettings(
        detection_epochs=20, ranking_epochs=20, detection_rate=0.02, ranking_rate=0.02, ranking_dropout=0.1
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


def test_chains_without_syntax_are_told(tmp_path: Path) -> None:
    (tmp_path / "a.conll").write_text("# begin document GUM_news_a\n0\tAnn\t(person-1)\n# end document\n")
    with pytest.raises(InputError, match="GUM_news_a has chains, but no syntax"):
        read_examples([f"{tmp_path}/*.conll"], {}, [])
    assert read_examples([f"{tmp_path}/*.conll"], {}, ["bio"]) == []


def test_syntax_without_heads_is_told(tmp_path: Path) -> None:
    (tmp_path / "a.conllu").write_text("# newdoc id = a\n1\tAnn" + "\t_" * 8 + "\n\n")
    assert read_conllu((tmp_path / "a.conllu").read_text(), "a")[0].heads == ()
    with pytest.raises(InputError, match="a sentence without dependencies"):
        read_syntax([f"{tmp_path}/a.conllu"])
