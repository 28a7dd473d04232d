"""The sentence models in ``resources/help_models``: whole, described truly, and able to translate a page."""

from pathlib import Path

import pytest
import sacrebleu
import torch
import yaml

from discourse_nmt.training.checkpoints.cards import parse_card, read_metadata
from discourse_nmt.training.checkpoints.model_files import read_tensors
from discourse_nmt.translation import load
from discourse_nmt.translation.model_folder import open_folder
from discourse_nmt.workflow_scripts.train.take_from_folder import check_system
from tests.conftest import ROOT

MODELS = ROOT / "resources/help_models"
FOLDERS = sorted((MODELS / "en-de").iterdir())


def test_there_are_three_seeds() -> None:
    assert [folder.name for folder in FOLDERS] == ["seed1", "seed2", "seed3"]


@pytest.mark.parametrize("path", FOLDERS, ids=lambda path: path.name)
def test_a_folder_holds_what_the_study_trains(path: Path) -> None:
    preset = yaml.safe_load((ROOT / "config/study_help_ende.yaml").read_text(encoding="utf-8"))
    folder = open_folder(path)
    origin = folder.manifest.origin
    assert (origin.corpus, origin.experiment, f"seed{origin.seed}") == ("help", "sentence", path.name)
    training = preset["training"]
    averaged = (training["average_checkpoints"] - 1) * training["evaluate_every"]
    assert training["max_updates"] - averaged <= origin.training["update"] <= training["max_updates"], "best on dev"
    assert folder.manifest.licence == "MPL-2.0" and folder.manifest.languages == ("en", "de")
    card = parse_card(read_metadata(folder.weights), folder.weights)
    assert card.system == preset["experiments"]["sentence"]["system"]
    check_system(folder, card.system, preset["model"])
    tensors, _ = read_tensors(folder.weights)
    assert {tensor.dtype for tensor in tensors.values()} == {torch.bfloat16}


def test_the_table_has_the_scores_of_the_folders() -> None:
    page = (MODELS / "README.md").read_text(encoding="utf-8")
    for path in FOLDERS:
        scores = open_folder(path).manifest.origin.scores
        bleu = {score["test_set"]: score["value"] for score in scores if score["metric"] == "s-BLEU"}
        line = f"| {path.name.removeprefix('seed')} | {bleu['test']:.1f} | {bleu['test_base']:.1f} |"
        assert line in page, line


# Signs that mean the same. Without normalisation all models reverse the second pair, and some translate others apart.
ALIKE = [
    ("Don't click the Save button.", "Don’t click the Save button."),
    ("You can't delete this file.", "You can’t delete this file."),
    ("If you don't want to print the comments, choose None.", "If you don’t want to print the comments, choose None."),
    ("The document's properties are shown.", "The document’s properties are shown."),
    ("You cannot open the file 'report'.", "You cannot open the file ‘report’."),
    ('Choose "None" - the file isn\'t printed.', "Choose “None” – the file isn\u02bct printed."),
    ("Click the menu to open the cafe\u0301 list.", "Click the me\u00adnu to open the caf\u00e9 list.\u200b"),
    ("The page isn't printed.", "\ufeffThe\u00a0page isn\uff07t printed."),
]


@pytest.mark.parametrize("path", FOLDERS, ids=lambda path: path.name)
def test_signs_that_mean_the_same_change_no_translation(path: Path) -> None:
    model = load(path, device="cpu")
    first, other = (model.translate("\n".join(lines)).text.splitlines() for lines in zip(*ALIKE))
    assert first == other
    assert "nicht" in first[1]


@pytest.mark.parametrize("path", FOLDERS, ids=lambda path: path.name)
def test_they_translate_a_page_of_the_module_that_train_lacks(path: Path) -> None:
    source, reference = (
        (MODELS / f"{name}.txt").read_text(encoding="utf-8").splitlines()
        for name in ("form_design", "form_design_german")
    )
    translated = load(path, device="cpu").translate("\n".join(source)).text.splitlines()
    assert len(translated) == len(source) == len(reference), "paragraphs stay"
    # Left in English, the page has 18.
    assert sacrebleu.corpus_chrf(translated, [reference]).score > 50


@pytest.mark.parametrize("penalty", [0.0, 0.6, 1.0])
def test_both_engines_translate_a_page_alike(penalty: float) -> None:
    page = (MODELS / "form_design.txt").read_text(encoding="utf-8")
    own, other = (
        load(FOLDERS[0], device="cpu", length_penalty=penalty, engine=engine).translate(page)
        for engine in ("own", "ctranslate2")
    )
    assert other.text == own.text
