"""Every key of text, with a second value, changes the files of the text stage or the lines that come back from them."""

from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from discourse_nmt.base.storage.tables import read_table
from discourse_nmt.base.vocabulary import Vocabulary
from discourse_nmt.text.postprocessing import Postprocessor
from discourse_nmt.text.settings import SIDES, BpeSettings, SentencePieceSettings, SideSettings, TextSettings
from tests.unit.text import test_stages
from tests.unit.text.test_stages import run_stage
from tests.unit.training.pretrained.pretrained_checkpoints import write_checkpoint
from tests.unit.training.pretrained.reference_checkpoints import make

PAIRS = [
    ("The lamp is new.", "Die Lampe ist neu."),
    ("He said: “the lamp, it’s old” (and-or new).", "Er sagte: „die Lampe, sie ist’s“ (oder-und neu)."),
    ("Look at the lamp and the lamps!", "Sieh dir die Lampe und die Lampen an!"),
    ("In the room the lamp is older.", "Im Zimmer ist die Lampe älter."),
]
BPE = {"merges": 30}
PIECES = {"subwords": "sentencepiece", "truecase": False, "sentencepiece": {"size": 60}}
TAKEN = {"subwords": "sentencepiece", "truecase": False, "normalise": False, "pretrained": "mbart"}
KEYS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "tokeniser": ({}, {"tokeniser": "spaces"}),
    "normalise": ({}, {"normalise": {"source": False, "target": True}}),
    "spacing": ({}, {"spacing": "rules"}),
    "lowercase": ({"truecase": False}, {"lowercase": True}),
    "truecase": ({}, {"truecase": False}),
    "subwords": ({"truecase": False}, {"subwords": "sentencepiece", "sentencepiece": {"size": 60}}),
    "pretrained": ({**PIECES, "normalise": False}, {"pretrained": "mbart"}),
    "language_code": ({**TAKEN, "pretrained": "nllb"}, {"language_code": {"source": "zho_Hant", "target": "zho_Hans"}}),
    "whole_vocabulary": (TAKEN, {"whole_vocabulary": True}),
    "bpe.joint": ({}, {"bpe": {**BPE, "joint": False}}),
    "bpe.merges": ({}, {"bpe": {"merges": 20}}),
    "bpe.vocabulary_threshold": ({}, {"bpe": {**BPE, "vocabulary_threshold": 3}}),
    "bpe.vocabulary_size": ({}, {"bpe": {**BPE, "vocabulary_size": 20}}),
    "sentencepiece.algorithm": (PIECES, {"sentencepiece": {"size": 60, "algorithm": "bpe"}}),
    "sentencepiece.size": (PIECES, {"sentencepiece": {"size": 55}}),
    "sentencepiece.character_coverage": (
        {**PIECES, "sentencepiece": {"size": 50}},
        {"sentencepiece": {"size": 50, "character_coverage": 0.98}},
    ),
}
"""By key, settings beside which it counts, and those with its second value."""


def seen(
    monkeypatch: pytest.MonkeyPatch, folder: Path, section: dict[str, Any], pairs: list[tuple[str, str]] = PAIRS
) -> dict[str, Any]:
    """The files of the stage, and the lines that come back."""
    folder.mkdir()
    section = {"bpe": BPE, **section}
    if kind := section.get("pretrained"):
        section["pretrained"] = str(folder.parent / kind)
        if kind == "mbart":
            write_checkpoint(folder.parent / kind)
        elif not (folder.parent / kind).exists():
            make(kind, folder.parent / kind)
    monkeypatch.setattr(test_stages, "PAIRS", pairs)
    run_stage(monkeypatch, folder, section)
    settings = TextSettings.from_mapping({"source_language": "en", "target_language": "de", **section})
    found: dict[str, Any] = {path.name: path.read_bytes() for path in folder.iterdir() if path.suffix == ".json"}
    for side in SIDES:
        back = Postprocessor(settings.of(side), Vocabulary.load(folder / f"{side}.vocabulary.json"))
        for shard in (0, 1):
            rows = read_table(folder / f"subwords{shard}.parquet", "subwords").query(f"side == '{side}'")
            found[f"{side}{shard}"] = [(list(ids), back.line(ids)) for ids in rows["ids"]]
    return found


def test_no_key_is_left_out() -> None:
    groups = {"bpe": BpeSettings, "sentencepiece": SentencePieceSettings}
    plain = {entry.name for entry in fields(SideSettings)} - {"language", *groups}
    assert set(KEYS) == plain | {f"{name}.{entry.name}" for name, kind in groups.items() for entry in fields(kind)}
    assert len(KEYS) == 16


@pytest.mark.parametrize("name", ["rjieba", "builtin"])
def test_every_tokeniser_of_chinese_cuts_the_text_in_its_own_way(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str
) -> None:
    pairs = [(english, "看e.g. 1,000元，北京大学很好！") for english, _ in PAIRS]
    sections = ({"target_language": "zh", "tokeniser": {"source": "moses", "target": one}} for one in ("jieba", name))
    made = [seen(monkeypatch, tmp_path / str(count), section, pairs) for count, section in enumerate(sections)]
    assert made[0] != made[1]
    assert {line for found in made for shard in (0, 1) for _, line in found[f"target{shard}"]} == {pairs[0][1]}


@pytest.mark.parametrize("key", KEYS)
def test_a_key_changes_the_text(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, key: str) -> None:
    beside, second = KEYS[key]
    made = [seen(monkeypatch, tmp_path / name, {**beside, **more}) for name, more in (("one", {}), ("two", second))]
    assert made[0] != made[1]
