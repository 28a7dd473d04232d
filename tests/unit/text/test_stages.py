"""The text stage from a sentences table to subwords and back to lines, through its command lines."""

import importlib
import json
import sys
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from discourse_nmt.base.storage.tables import read_table, write_table
from discourse_nmt.base.vocabulary import Vocabulary
from discourse_nmt.text.postprocessing import Postprocessor
from discourse_nmt.text.settings import SIDES, TextSettings

PAIRS = [
    ("The lamp is new.", "Die Lampe ist neu."),
    ('He said that the lamp is old: "It\'s <s> old"', "Er sagte, dass die Lampe alt ist."),
    ("a @@ b@@ &#64; </s> <unk> &amp;", "„Ja“,  sagte er ..."),
    ("Look at the lamp!", "Sieh dir die Lampe an!"),
    ("\x01", "Nichts\x02."),
]
SETTINGS: dict[str, dict[str, Any]] = {
    "joint": {"bpe": {"merges": 30}},
    "separate": {"bpe": {"joint": False, "merges": 20, "vocabulary_threshold": 2}},
    "words": {"truecase": False, "bpe": {"merges": 0}},
    "spaces": {"tokeniser": "spaces", "truecase": False, "bpe": {"merges": 10}},
    "lower": {"lowercase": True, "bpe": {"merges": 10}},
    "marks": {"spacing": "marks", "bpe": {"merges": 30}},
}


def call(monkeypatch: pytest.MonkeyPatch, script: str, **values: object) -> None:
    """Run a script's ``main`` in this process with named arguments."""
    line = [script]
    for name, value in values.items():
        line += [
            f"--{name.replace('_', '-')}",
            *([str(v) for v in value] if isinstance(value, list) else [str(value)]),
        ]
    monkeypatch.setattr(sys, "argv", line)
    importlib.import_module(f"discourse_nmt.workflow_scripts.text.{script}").main()


def run_stage(monkeypatch: pytest.MonkeyPatch, folder: Path, section: dict[str, Any], turned: bool = False) -> None:
    """Run the whole stage on two shards; ``turned`` gives the shards in the other order."""
    text = json.dumps({"source_language": "en", "target_language": "de", **section})
    tokens = []
    for shard, pairs in enumerate((PAIRS[:3], PAIRS[3:])):
        frame = pd.DataFrame(pairs, columns=list(SIDES)).assign(doc_id=f"d{shard}", sent_id=range(len(pairs)))
        write_table(frame, folder / f"{shard}.parquet", "sentences")
        tokens.append(folder / f"tokens{shard}.parquet")
        call(monkeypatch, "tokenise", sentences=folder / f"{shard}.parquet", settings=text, output=tokens[-1])
    order = tokens[::-1] if turned else tokens
    models: dict[str, object] = {}
    for side in SIDES:
        casing = folder / f"{side}.truecase.json"
        call(monkeypatch, "train_truecaser", tokens=order, side=side, settings=text, output=casing)
        models |= {f"{side}_truecaser": casing, f"{side}_codes": folder / f"{side}.bpe.json"}
        models[f"{side}_vocabulary"] = folder / f"{side}.vocabulary.json"
    call(monkeypatch, "learn_bpe", tokens=order, settings=text, **models)
    for shard, path in enumerate(tokens):
        output = folder / f"subwords{shard}.parquet"
        call(monkeypatch, "apply_bpe", tokens=path, settings=text, output=output, **models)


@pytest.mark.parametrize("name", list(SETTINGS))
def test_subwords_lead_back_to_the_lines(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str) -> None:
    run_stage(monkeypatch, tmp_path, SETTINGS[name])
    settings = TextSettings.from_mapping({"source_language": "en", "target_language": "de", **SETTINGS[name]})
    back = {
        side: Postprocessor(settings.of(side), Vocabulary.load(tmp_path / f"{side}.vocabulary.json")) for side in SIDES
    }
    rows = pd.concat([read_table(tmp_path / f"subwords{shard}.parquet", "subwords") for shard in (0, 1)])
    tokens = pd.concat([read_table(tmp_path / f"tokens{shard}.parquet", "tokens") for shard in (0, 1)])
    assert rows["side"].tolist() == list(SIDES) * len(PAIRS)
    raws = [line for pair in PAIRS for line in pair]
    fold = str.lower if name == "lower" else str
    for side, ids, words, found, raw in zip(
        list(SIDES) * len(PAIRS), rows["ids"], rows["word_of_subword"], tokens["tokens"], raws
    ):
        expected = raw.replace("\x01", "").replace("\x02", "")
        line = back[side].line(ids)
        assert "".join(line.split()).casefold() == "".join(expected.split()).casefold()
        assert line == expected or name != "marks"
        assert sorted(set(words)) == list(range(len(found)))
        if name in ("words", "spaces", "lower"):
            assert back[side].tokens(ids) == [fold(word) for word in found]
    assert not set(range(7)) & {number for ids in rows["ids"] for number in ids}


def test_a_side_is_normalised_if_its_settings_say_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Tokens have one form; their offsets are those of the sentence as it stands in the corpus."""
    raw = "Don’t  “say”\u00ad so…"
    frame = pd.DataFrame({"doc_id": ["d"], "sent_id": [0], "source": [raw], "target": [raw]})
    write_table(frame, tmp_path / "sentences.parquet", "sentences")
    text = {"source_language": "en", "target_language": "en", "normalise": {"source": True, "target": False}}
    files = {"sentences": tmp_path / "sentences.parquet", "output": tmp_path / "tokens.parquet"}
    call(monkeypatch, "tokenise", settings=json.dumps(text), **files)
    source, target = read_table(tmp_path / "tokens.parquet", "tokens").to_dict("records")
    assert list(source["tokens"]) == ["Don", "'t", '"', "say", '"', "so", "..."]
    assert "’" in target["tokens"] and "“" in target["tokens"]
    spans = [raw[start:end] for start, end in zip(source["starts"], source["ends"])]
    assert spans == ["Don", "’t", "“", "say", "”", "so", "…"]


def test_the_result_does_not_depend_on_the_order_of_shards(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for turned in (False, True):
        (tmp_path / str(turned)).mkdir()
        run_stage(monkeypatch, tmp_path / str(turned), SETTINGS["joint"], turned)
    for path in (tmp_path / "False").iterdir():
        assert path.read_bytes() == (tmp_path / "True" / path.name).read_bytes(), path.name


def test_joint_vocabularies_are_the_same_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    run_stage(monkeypatch, tmp_path, SETTINGS["joint"])
    for name in ("bpe", "vocabulary"):
        assert (tmp_path / f"source.{name}.json").read_bytes() == (tmp_path / f"target.{name}.json").read_bytes()


def test_truecasing_and_its_inverse(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    run_stage(monkeypatch, tmp_path, SETTINGS["joint"])
    casing = json.loads((tmp_path / "source.truecase.json").read_text(encoding="utf-8"))
    assert casing["lamp"] == {"lamp": 3} and "He" not in casing.get("he", {})
    side = TextSettings.from_mapping({"source_language": "en", "target_language": "de"}).source
    vocabulary = Vocabulary.load(tmp_path / "source.vocabulary.json")
    first = read_table(tmp_path / "subwords0.parquet", "subwords").iloc[0]
    post = Postprocessor(side, vocabulary)
    assert post.line(first["ids"]) == "The lamp is new."
    assert not any(vocabulary.symbol(number) == "The" for number in first["ids"])


def test_special_symbols_are_left_out_of_the_line_but_unknown_stays() -> None:
    side = TextSettings.from_mapping({"source_language": "en", "target_language": "de"}).source
    vocabulary = Vocabulary.from_counts({"lo@@": 2, "w": 1})
    ids = [1, vocabulary.id_of("lo@@"), vocabulary.id_of("w"), 3, 5, 6, 2, 0]
    assert Postprocessor(side, vocabulary).tokens(ids) == ["Low", "<unk>"]
    post = Postprocessor(side, vocabulary)
    assert post.line([]) == ""
