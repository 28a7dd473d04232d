"""Faults of a checkpoint of each kind, each told in one line; damaged weights are in test_weight_files.py."""

import json
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from discourse_nmt.base.errors import InputError
from discourse_nmt.text.pretrained import subwords_of
from discourse_nmt.text.settings import TextSettings
from discourse_nmt.training.checkpoints.pretrained import read_pretrained
from tests.unit.training.pretrained.imported_checkpoints import LANGUAGES, Imported
from tests.unit.training.pretrained.pretrained_checkpoints import sentencepiece_model
from tests.unit.training.pretrained.reference_checkpoints import KINDS, Reference, make

SUBWORDS = {"marian": "vocab.json", "marian_multilingual": "vocab.json", "marian_separate": "target_vocab.json"}
SUBWORDS |= {"m2m_100": "vocab.json", "nllb": "sentencepiece.bpe.model", "mbart50": "sentencepiece.bpe.model"}
MULTILINGUAL = ["marian_multilingual", "m2m_100", "nllb", "mbart50"]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return cache(lambda kind: make(kind, tmp_path_factory.mktemp(kind)))


def copied(reference: Reference, folder: Path) -> Reference:
    """The checkpoint in another folder."""
    for path in reference.folder.iterdir():
        (folder / path.name).write_bytes(path.read_bytes())
    return replace(reference, folder=folder, text={**reference.text, "pretrained": str(folder)})


def settings(reference: Reference, **changes: Any) -> TextSettings:
    return TextSettings.from_mapping({**LANGUAGES, **reference.text, **changes})


def told(error: pytest.ExceptionInfo[InputError]) -> str:
    """The message, which is one line."""
    message = str(error.value)
    assert "\n" not in message
    return message


@pytest.mark.parametrize("kind", KINDS)
def test_the_subwords_of_another_checkpoint(made: Any, tmp_path: Path, kind: str) -> None:
    reference = copied(made(kind), tmp_path)
    path = tmp_path / SUBWORDS[kind]
    if path.suffix == ".json":
        symbols = list(json.loads(path.read_text(encoding="utf-8")))
        fewer = [*symbols[:100], *symbols[130:]]
        path.write_text(json.dumps({symbol: index for index, symbol in enumerate(fewer)}), encoding="utf-8")
    else:
        path.write_bytes(sentencepiece_model())
    with pytest.raises(InputError) as error:
        Imported(replace(reference, folder=tmp_path))
    told_of = ("embeddings, its subwords make", "no subword", "vocab_size is")
    assert any(part in told(error) for part in told_of)


@pytest.mark.parametrize("kind", MULTILINGUAL)
def test_a_missing_language(made: Any, kind: str) -> None:
    reference = made(kind)
    for changes in ({"target_language": "tlh"}, {"language_code": {"source": None, "target": "tlh_Latn"}}):
        with pytest.raises(InputError) as error:
            subwords_of(settings(reference, **changes))
        assert "which the checkpoint lacks" in told(error)


@pytest.mark.parametrize("kind", KINDS)
def test_another_architecture(made: Any, tmp_path: Path, kind: str) -> None:
    """Of another library's network, and of one whose configuration is of another kind than its weights."""
    copied(made(kind), tmp_path)
    config = json.loads((tmp_path / "config.json").read_text(encoding="utf-8"))
    (tmp_path / "config.json").write_text(json.dumps({**config, "model_type": "pegasus"}), encoding="utf-8")
    with pytest.raises(InputError, match="model_type is pegasus") as error:
        read_pretrained(tmp_path)
    told(error)
    other = "m2m_100" if config["model_type"] == "marian" else "marian"
    (tmp_path / "config.json").write_text(json.dumps({**config, "model_type": other}), encoding="utf-8")
    with pytest.raises(InputError) as error:
        Imported(replace(made(kind), folder=tmp_path, text={**made(kind).text, "pretrained": str(tmp_path)}))
    told(error)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("share", [0.0, 0.7])
def test_a_truncated_file(made: Any, tmp_path: Path, kind: str, share: float) -> None:
    for name in sorted(path.name for path in made(kind).folder.iterdir()):
        if name in ("tokenizer_config.json", "generation_config.json"):  # not read
            continue
        reference = copied(made(kind), tmp_path)
        content = (tmp_path / name).read_bytes()
        (tmp_path / name).write_bytes(content[: int(share * len(content))])
        with pytest.raises(InputError, match=name.replace(".", r"\.")) as error:
            Imported(reference)
        told(error)
