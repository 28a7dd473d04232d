"""The commands translate and score_contrastive on a memorised corpus."""

import json
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch
from torch import nn

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.storage.tables import read_table, write_table
from discourse_nmt.base.vocabulary import PAD, SPECIALS, Vocabulary
from discourse_nmt.models.core import shortlist
from discourse_nmt.models.core.inference import padded
from discourse_nmt.models.switches.decoding import DecodingSettings
from discourse_nmt.models.systems import build
from discourse_nmt.text.learning import learn_segmentations
from discourse_nmt.text.settings import SIDES, TextSettings
from discourse_nmt.text.spelling import spelling
from discourse_nmt.text.stages import apply_subwords, count_words, tokenise
from discourse_nmt.text.subwords import Encoder
from discourse_nmt.text.truecasing import learn_casing, save_casing
from discourse_nmt.training.checkpoints.model_files import save_model
from discourse_nmt.training.checkpoints.tuned_decoding import GRIDS, TunedDecoding
from discourse_nmt.training.data.arrow_files import write_rows
from discourse_nmt.training.data.dataset import SCHEMA, ParallelDataset
from discourse_nmt.training.data.dataset_tables import write_dataset
from discourse_nmt.training.data.parts import stretches_of
from discourse_nmt.workflow_scripts.score import score_contrastive
from discourse_nmt.workflow_scripts.text import learn_subword_translations
from discourse_nmt.workflow_scripts.train import translate, tune_decoding

PAIRS = [
    ("b", 0, "The bank is closed.", "Die Bank ist geschlossen."),
    ("b", 1, "It opens at nine o'clock, doesn't it?", "Sie öffnet um neun Uhr, nicht wahr?"),
    ("a", 3, "Yes.", "Ja."),
    ("a", 7, "I sat down on the bench (in the park).", "Ich setzte mich auf die Bank (im Park)."),
]
TEXT = {"source_language": "en", "target_language": "de", "bpe": {"merges": 60}}
NETWORK = {
    "width": 32,
    "heads": 2,
    "feed_forward_width": 64,
    "encoder_layers": 1,
    "decoder_layers": 1,
    "dropout": 0.0,
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Text models, dataset and a model that has learnt the dataset by heart."""
    results = tmp_path_factory.mktemp("results")
    settings = TextSettings.from_mapping(TEXT)
    tokens = tokenise(pd.DataFrame(PAIRS, columns=["doc_id", "sent_id", "source", "target"]), settings)
    casings = {
        side: learn_casing(map(list, tokens["tokens"][tokens["side"] == side]), settings.of(side)) for side in SIDES
    }
    spellings = {side: spelling(settings.of(side), casings[side]) for side in SIDES}
    encoders, vocabularies = {}, {}
    for side, (model, vocabulary) in learn_segmentations(count_words([tokens], spellings), settings).items():
        save_casing(casings[side], results / f"{side}.casing")
        model.save(results / f"{side}.bpe")
        vocabulary.save(results / f"{side}.vocabulary")
        encoders[side], vocabularies[side] = Encoder(model, vocabulary, spellings[side]), vocabulary
    write_dataset([apply_subwords(tokens, encoders)], results / "test.arrow")
    write_rows(
        SCHEMA.empty_table().replace_schema_metadata({"largest_source_id": "-1", "largest_target_id": "-1"}),
        results / "empty.arrow",
    )
    Vocabulary((*SPECIALS, "x")).save(results / "other.vocabulary")

    torch.manual_seed(1)
    size = len(vocabularies["source"])
    network = build("transformer", NETWORK, size, size, True)
    rows = ParallelDataset(results / "test.arrow").table.to_pylist()
    source, target = (padded([row[f"{side}_ids"] for row in rows], network) for side in SIDES)
    optimiser = torch.optim.Adam(network.parameters(), lr=3e-3)
    for _ in range(150):
        logits = network(source, target[:, :-1])
        loss = nn.functional.cross_entropy(logits.flatten(0, 1), target[:, 1:].flatten(), ignore_index=PAD)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    save_model(results / "model.safetensors", network, "transformer", NETWORK, *vocabularies.values())
    return results


Run = Callable[..., pd.DataFrame]


@pytest.fixture
def run(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run a command with the files of ``folder``, options replaced by keyword; returns the table it writes."""

    def call(module: object, table: str, **changes: str | Path | list[str]) -> pd.DataFrame:
        options: dict[str, str | Path | list[str]] = {
            "model": folder / "model.safetensors",
            "dataset": folder / "test.arrow",
            "source_vocabulary": folder / "source.vocabulary",
            "target_vocabulary": folder / "target.vocabulary",
            "text_settings": json.dumps(TEXT),
            "output": tmp_path / "output.parquet",
            **changes,
        }
        flags: list[str] = []
        for key, value in options.items():
            flags += [f"--{key.replace('_', '-')}", *(value if isinstance(value, list) else [str(value)])]
        monkeypatch.setattr(sys, "argv", ["command", *flags])
        module.main()  # type: ignore[attr-defined]
        return read_table(str(options["output"]), table)

    return call


def contrast(folder: Path, run: Run, rows: list[tuple[str, str, int, str]]) -> pd.DataFrame:
    """Scores of items given as item_id, doc_id, sent_id and wrong text."""
    items = pd.DataFrame(rows, columns=["item_id", "doc_id", "sent_id", "wrong"])
    path = folder / "items.parquet"
    write_table(items.assign(phenomenon="pronoun", distance=1), path, "contrastive")
    models = {"target_truecaser": folder / "target.casing", "target_codes": folder / "target.bpe"}
    return run(score_contrastive, "contrastive_scores", items=path, **models)


def test_translations_are_those_learnt_in_the_order_of_the_dataset(run: Run) -> None:
    found = run(translate, "translations", settings=json.dumps({"beam": 2, "batch_tokens": 20}))
    expected = sorted((doc_id, sent_id, target) for doc_id, sent_id, _, target in PAIRS)
    assert list(zip(found["doc_id"], found["sent_id"], found["hypothesis"])) == expected
    assert found["tokens"].map(list).tolist()[0] == ["Ja", "."]
    assert (found["rank"] == 0).all() and (found["score"] < 0).all()


@pytest.mark.parametrize("kind", ["contrastive", "expected"])
@pytest.mark.parametrize("chosen", [[2], [3, 0]])
def test_only_the_sentences_of_items_are_translated(kind: str, chosen: list[int], run: Run, tmp_path: Path) -> None:
    items = pd.DataFrame([PAIRS[number][:2] for number in chosen], columns=["doc_id", "sent_id"])
    items = items.assign(item_id=[str(number) for number in chosen], phenomenon="pronoun", distance=1)
    table = "contrastive" if kind == "contrastive" else "expected_forms"
    more = {"wrong": "Nein."} if kind == "contrastive" else {"forms": [["ja"]] * len(chosen), "other_forms": None}
    write_table(items.assign(**more), tmp_path / "items.parquet", table)
    found = run(translate, "translations", **{kind: tmp_path / "items.parquet"})
    expected = sorted((doc_id, sent_id, target) for doc_id, sent_id, _, target in (PAIRS[number] for number in chosen))
    assert list(zip(found["doc_id"], found["sent_id"], found["hypothesis"])) == expected


def test_another_engine_translates_and_is_told(run: Run, caplog: pytest.LogCaptureFixture) -> None:
    settings = {"beam": 2, "n_best": 2, "engine": "ctranslate2"}
    with caplog.at_level("INFO"):
        found = run(translate, "translations", settings=json.dumps(settings))
    best = found[found["rank"] == 0]
    expected = sorted((doc_id, sent_id, target) for doc_id, sent_id, _, target in PAIRS)
    assert list(zip(best["doc_id"], best["sent_id"], best["hypothesis"])) == expected
    assert len(found) == 2 * len(PAIRS)
    assert caplog.messages[-1].endswith(" sentences/s, engine ctranslate2)")


def test_n_best_lists_are_ranked(run: Run) -> None:
    found = run(translate, "translations", settings=json.dumps({"beam": 3, "n_best": 3}))
    assert found["rank"].tolist() == [0, 1, 2] * len(PAIRS)
    for _, sentence in found.groupby(["doc_id", "sent_id"]):
        assert sentence["score"].is_monotonic_decreasing


def test_the_reference_scores_above_what_was_not_learnt(folder: Path, run: Run) -> None:
    rows = [("i1", "b", 1, "Es öffnet um neun Uhr, nicht wahr?"), ("i2", "a", 3, "Nein, Brücke…")]
    found = contrast(folder, run, rows)
    assert found["item_id"].tolist() == ["i1", "i2"]
    assert (found["right_score"] > found["wrong_score"] + 1).all() and (found["right_score"] < 0).all()


def test_a_variant_equal_to_the_reference_scores_the_same(folder: Path, run: Run) -> None:
    found = contrast(folder, run, [(str(n), doc, sent, target) for n, (doc, sent, _, target) in enumerate(PAIRS)])
    assert found["right_score"].tolist() == pytest.approx(found["wrong_score"].tolist(), abs=1e-5)


def test_an_item_of_another_test_set_is_told(folder: Path, run: Run) -> None:
    with pytest.raises(InputError, match="item i9: document a has no sentence 1"):
        contrast(folder, run, [("i1", "b", 1, "Sie."), ("i9", "a", 1, "Sie.")])


@pytest.mark.parametrize(("module", "table"), [(translate, "translations"), (score_contrastive, "contrastive_scores")])
def test_joined_parts_are_the_undivided_file(
    module: ModuleType, table: str, folder: Path, tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Byte by byte; items of one document stay together, also where rows of others stand between them."""
    monkeypatch.setattr(module, "stretches_of", partial(stretches_of, sentences=1))
    items = [("i1", "b", 0, "x."), ("i1", "b", 0, "Die Bank."), ("i2", "a", 3, "Nein."), ("i3", "b", 1, "Es.")]
    frame = pd.DataFrame(items, columns=["item_id", "doc_id", "sent_id", "wrong"])
    write_table(frame.assign(phenomenon="pronoun", distance=1), folder / "items.parquet", "contrastive")
    given: dict[str, str | Path] = {}
    if module is score_contrastive:
        given = {"target_truecaser": folder / "target.casing", "target_codes": folder / "target.bpe"}
        given["items"] = folder / "items.parquet"
    paths = [str(tmp_path / f"{number}.parquet") for number in range(4)]
    for number, path in enumerate(paths):
        run(module, table, part=f"{number}/4", output=path, **given)
    assert sum(len(read_table(path, table)) > 0 for path in paths) > 1
    undivided = run(module, table, **given)
    whole = (tmp_path / "output.parquet").read_bytes()
    assert len(undivided) == 4
    (tmp_path / "output.parquet").unlink()
    run(module, table, join=paths, **given)
    assert (tmp_path / "output.parquet").read_bytes() == whole


def test_a_shortlist_is_learnt_and_translated_with(
    folder: Path, tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shortlist, "FREQUENT", 0)
    vocabularies = [f"--{side}-vocabulary={folder}/{side}.vocabulary" for side in SIDES]

    def learn(name: str, *words: str, dataset: str = "test.arrow") -> Path:
        given = [f"--dataset={folder}/{dataset}", *vocabularies, f"--output={tmp_path / name}", *words]
        monkeypatch.setattr(sys, "argv", ["command", *given])
        learn_subword_translations.main()
        return tmp_path / name

    learnt = learn("translations")
    whole = run(translate, "translations")
    found = run(translate, "translations", settings='{"shortlist": 100}', subword_translations=learnt)
    assert found["hypothesis"].tolist() == whole["hypothesis"].tolist()  # every pair of the dataset is in the list
    assert (found["score"] > whole["score"]).all()  # the same sum of less
    narrow = run(translate, "translations", settings='{"shortlist": 1}', subword_translations=learnt)
    assert narrow["hypothesis"].tolist() != whole["hypothesis"].tolist()
    unused = run(translate, "translations", subword_translations=learnt)
    assert unused["score"].tolist() == whole["score"].tolist()

    assert learn("again").read_bytes() == learnt.read_bytes()
    assert learn("fewer", "--pairs=3").read_bytes() != learnt.read_bytes()
    with pytest.raises(InputError, match=r"shortlist is 3, but there are no translations.*--subword-translations"):
        run(translate, "translations", settings='{"shortlist": 3}')
    with pytest.raises(InputError, match=r"shortlist.*at most 100"):
        run(translate, "translations", settings='{"shortlist": 101}', subword_translations=learnt)
    with pytest.raises(InputError, match="no sentence pairs"):
        learn("none", dataset="empty.arrow")
    with pytest.raises(InputError, match="--pairs is 0"):
        learn("none", "--pairs=0")
    with pytest.raises(InputError, match="made with another vocabulary"):
        learn("none", f"--target-vocabulary={folder}/other.vocabulary")


def test_pairs_of_a_shortlist_are_spread_over_the_dataset(folder: Path) -> None:
    dataset = ParallelDataset(folder / "test.arrow")
    for count, rows in ((2, [0, 2]), (3, [0, 1, 2]), (9, [0, 1, 2, 3])):
        pairs = learn_subword_translations.pairs_of(dataset, count)
        for side, own in ((dataset.source, pairs.source), (dataset.target, pairs.target)):
            found = np.split(own.words, own.offsets[1:-1])
            assert [ids.tolist() for ids in found] == [side.sentences()[row] for row in rows]


def tuned(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *more: str) -> TunedDecoding:
    """What the command chooses on the dataset, whose sentences lie in two shards."""
    files = []
    for number, rows in enumerate((PAIRS[:1], PAIRS[1:])):
        frame = pd.DataFrame(rows, columns=["doc_id", "sent_id", "source", "target"])
        files.append(str(tmp_path / f"{number}.parquet"))
        write_table(frame, files[-1], "sentences")
    words = [f"--model={folder}/model.safetensors", f"--dataset={folder}/test.arrow", "--sentences", *files]
    words += [f"--{side}-vocabulary={folder}/{side}.vocabulary" for side in SIDES]
    words += [f"--text-settings={json.dumps(TEXT)}", "--language=de", f"--output={tmp_path}/dev.json", *more]
    monkeypatch.setattr(sys, "argv", ["command", *words])
    tune_decoding.main()
    return TunedDecoding.load(tmp_path / "dev.json")


OPEN = '--settings={"beam": 2, "length_penalty": "tuned"}'


def test_the_value_with_the_best_bleu_is_chosen_and_translated_with(
    folder: Path, tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    learnt = tuned(folder, tmp_path, monkeypatch, OPEN)
    assert [trial.values["length_penalty"] for trial in learnt.trials] == list(GRIDS["length_penalty"])
    assert all(trial.bleu == pytest.approx(100) for trial in learnt.trials)  # the model knows the dataset by heart
    assert learnt.chosen == {"length_penalty": 0} and learnt.split == "dev" and "tok:13a" in learnt.signature

    asked: list[float] = []
    made = tune_decoding.translations

    def worse(trained: object, part: object, settings: DecodingSettings, postprocessor: object) -> list[pd.DataFrame]:
        """Translations without their last words, unless the penalty is 1.5."""
        asked.append(settings.length_penalty)
        [frame] = made(trained, part, settings, postprocessor)  # type: ignore[arg-type]
        cut = frame["hypothesis"].str.rsplit(n=1).str[0]
        return [frame if settings.length_penalty == 1.5 else frame.assign(hypothesis=cut)]

    monkeypatch.setattr(tune_decoding, "translations", worse)
    prepared: list[str] = []
    monkeypatch.setattr(
        tune_decoding, "prepare_for_inference", lambda network, settings, lists: prepared.append(settings.precision)
    )
    chosen = tuned(folder, tmp_path, monkeypatch, OPEN)
    assert prepared == ["fp32"]
    assert asked == list(GRIDS["length_penalty"]) and chosen.chosen == {"length_penalty": 1.5}
    ratios = {trial.values["length_penalty"]: trial.length_ratio for trial in chosen.trials}
    assert ratios[1.5] == 1 and ratios[1.0] < 0.9

    with_choice = run(translate, "translations", settings=OPEN.partition("=")[2], tuned=tmp_path / "dev.json")
    by_hand = run(translate, "translations", settings='{"beam": 2, "length_penalty": 1.5}')
    assert with_choice["score"].tolist() == by_hand["score"].tolist()
    assert with_choice["score"].tolist() != run(translate, "translations", settings='{"beam": 2}')["score"].tolist()


def test_values_are_chosen_without_case_where_translations_are_in_lower_case(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = tune_decoding.translations

    def small(*given: Any) -> list[pd.DataFrame]:
        return [frame.assign(hypothesis=frame["hypothesis"].str.lower()) for frame in made(*given)]

    monkeypatch.setattr(tune_decoding, "translations", small)
    with_case = tuned(folder, tmp_path, monkeypatch, OPEN)
    without = tuned(folder, tmp_path, monkeypatch, OPEN, "--lowercase")
    assert max(trial.bleu for trial in with_case.trials) < 90 and "case:mixed" in with_case.signature
    assert all(trial.bleu == pytest.approx(100) for trial in without.trials) and "case:lc" in without.signature


def test_a_choice_of_nothing_or_without_references_is_told(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(InputError, match="decoding: no value is tuned"):
        tuned(folder, tmp_path, monkeypatch, '--settings={"beam": 2}')
    monkeypatch.setattr(sys.modules[__name__], "PAIRS", [(*row[:3], "") for row in PAIRS])
    with pytest.raises(InputError, match="no references"):
        tuned(folder, tmp_path, monkeypatch, OPEN)


def test_unsuitable_input_is_told(folder: Path, run: Run) -> None:
    with pytest.raises(InputError, match="vocabulary"):
        run(translate, "translations", target_vocabulary=folder / "other.vocabulary")
    with pytest.raises(InputError, match="holds no sentences"):
        run(translate, "translations", dataset=folder / "empty.arrow")
    with pytest.raises(InputError, match="did you mean beam"):
        run(translate, "translations", settings='{"beem": 2}')
