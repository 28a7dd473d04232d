"""Model folders of systems that started from a tiny, random mBART or BART: they translate as the workflow does."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from discourse_nmt.translation.model_folder import open_folder
from tests.unit.training.pretrained.pretrained_checkpoints import write_checkpoint
from tests.workflow.models.test_model_folders import check_translations
from tests.workflow.test_structure_workflow import CONFIG
from tests.workflow.test_workflow import snakemake

SWITCHES: dict[str, Any] = {
    "width": 16,
    "encoder_layers": 3,
    "decoder_layers": 3,
    "heads": 4,
    "feed_forward_width": 24,
    "activation": "gelu",
    "positions": "learned",
    "max_positions": 600,
    "embedding_norm": True,
}
BART = {"norm": "post", "embedding_scale": False}
START = {"initialised_from": "pretrained", "corpora": ["mbart"]}
EXPERIMENTS = {
    "sentence": {"system": "transformer", **START},
    "trees": {"system": "rst_transformer", "settings": {"rst_layers": 1}, **START},
    "bytes": {"system": "transformer", "settings": BART, **START, "corpora": ["bart"]},
}


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pretrained")
    config = yaml.safe_load(CONFIG.read_text(encoding="utf-8"))
    corpus = config["corpora"].pop("demo")
    for kind, subwords in (("mbart", "sentencepiece"), ("bart", "byte_bpe")):
        write_checkpoint(folder / "checkpoints" / kind, kind)
        text = {"subwords": subwords, "pretrained": f"checkpoints/{kind}", "truecase": False}
        config["corpora"][kind] = corpus | {"text": text | {"whole_vocabulary": kind == "bart"}}
    config["analyses"] = {"builtin": {}}
    config["model"] = {**SWITCHES, "norm": "pre"}
    config["training"] |= {"max_updates": 30, "evaluate_every": 30, "learning_rate": 0.005}
    config["decoding"] = {"beam": 2, "n_best": 2, "max_length_ratio": 0.6, "max_length_offset": 3}
    config["experiments"] = EXPERIMENTS
    (folder / "models.yaml").write_text(yaml.safe_dump(config), encoding="utf-8")
    result = snakemake(folder, "--configfile", "models.yaml", "--", "models")
    assert result.returncode == 0, result.stdout
    return folder / "results" / "structure"


@pytest.mark.parametrize("experiment", EXPERIMENTS)
def test_translations_are_those_of_the_workflow(finished: Path, experiment: str) -> None:
    [corpus] = EXPERIMENTS[experiment]["corpora"]
    check_translations(finished / corpus, experiment)


def test_a_folder_needs_no_checkpoint(finished: Path) -> None:
    folder = finished / "mbart" / "experiments" / "sentence" / "seed1" / "model"
    assert open_folder(folder).text.source.pretrained == "mbart"
    assert "checkpoints" not in (folder / "model.json").read_text(encoding="utf-8")
