"""SentencePiece models learnt from the corpus: the text stage with them, and the way back."""

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.storage.tables import read_table, write_table
from discourse_nmt.base.vocabulary import SPECIALS, UNKNOWN, Vocabulary
from discourse_nmt.text.pieces.sentence_pieces import SentencePieces
from discourse_nmt.text.postprocessing import Postprocessor
from discourse_nmt.text.settings import SIDES, SentencePieceSettings, TextSettings
from tests.unit.text.test_stages import call
from tests.unit.training.pretrained.pretrained_checkpoints import demo_pairs

CHINESE = ["他昨天去了北京。", "北京的天气很好，他很高兴。", "她明天去上海。", "上海的天气不好。"] * 3


def stage(
    monkeypatch: pytest.MonkeyPatch, folder: Path, section: dict[str, Any], pairs: list[tuple[str, str]]
) -> tuple[TextSettings, pd.DataFrame]:
    """The settings, and the subwords of ``pairs`` by the models that are learnt from these."""
    section = {"source_language": "en", "target_language": "de", "truecase": False, **section}
    text = json.dumps({"subwords": "sentencepiece", **section})
    frame = pd.DataFrame(pairs, columns=list(SIDES)).assign(doc_id="d", sent_id=range(len(pairs)))
    write_table(frame, folder / "sentences.parquet", "sentences")
    call(monkeypatch, "tokenise", sentences=folder / "sentences.parquet", settings=text, output=folder / "tokens")
    models: dict[str, object] = {}
    for side in SIDES:
        casing = folder / f"{side}.truecase.json"
        call(monkeypatch, "train_truecaser", tokens=[folder / "tokens"], side=side, settings=text, output=casing)
        models |= {f"{side}_truecaser": casing, f"{side}_codes": folder / f"{side}.bpe.json"}
        models[f"{side}_vocabulary"] = folder / f"{side}.vocabulary.json"
    call(monkeypatch, "learn_bpe", tokens=[folder / "tokens"], settings=text, **models)
    call(monkeypatch, "apply_bpe", tokens=folder / "tokens", settings=text, output=folder / "subwords", **models)
    return TextSettings.from_mapping(json.loads(text)), read_table(folder / "subwords", "subwords")


@pytest.mark.parametrize(
    "section",
    [
        {"sentencepiece": {"size": 300, "character_coverage": 1.0}},
        {"sentencepiece": {"algorithm": "bpe", "size": 300, "character_coverage": 1.0}},
        {"bpe": {"joint": False}, "sentencepiece": {"size": {"source": 200, "target": 250}, "character_coverage": 1.0}},
        {"lowercase": True, "sentencepiece": {"size": 300, "character_coverage": 1.0}},
    ],
    ids=["unigram", "bpe", "separate", "lowercase"],
)
def test_text_comes_back(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, section: dict[str, Any]) -> None:
    pairs = demo_pairs()[:400]
    settings, rows = stage(monkeypatch, tmp_path, section, pairs)
    vocabularies = {side: Vocabulary.load(tmp_path / f"{side}.vocabulary.json") for side in SIDES}
    assert (vocabularies["source"] == vocabularies["target"]) is settings.joint
    control = 3  # <unk> <s> </s>
    for side in SIDES:
        assert len(vocabularies[side]) == settings.of(side).sentencepiece.size - control + len(SPECIALS)
        back = Postprocessor(settings.of(side), vocabularies[side])
        fold = str.lower if settings.of(side).lowercase else str
        ids = rows.loc[rows["side"] == side, "ids"]
        assert [back.line(row) for row in ids] == [fold(pair[SIDES.index(side)]) for pair in pairs]
        assert UNKNOWN not in {index for row in ids for index in row}


def test_the_algorithm_and_the_size_change_the_pieces() -> None:
    lines = [line for pair in demo_pairs()[:400] for line in pair]
    text = demo_pairs()[0][0]
    cuts = {
        (algorithm, size): tuple(
            piece for piece, *_ in SentencePieces.learnt(lines, SentencePieceSettings(algorithm, size)).cut(text)
        )
        for algorithm in ("unigram", "bpe")
        for size in (150, 300)
    }
    assert len(set(cuts.values())) == 4


def test_chinese_is_cut_without_spaces_and_its_pieces_belong_to_words(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    section = {
        "source_language": "zh",
        "bpe": {"joint": False},
        "sentencepiece": {"size": {"source": 26, "target": 50}, "character_coverage": 1.0},
    }
    pairs = [(line, pair[1]) for line, pair in zip(CHINESE, demo_pairs())]
    settings, rows = stage(monkeypatch, tmp_path, section, pairs)
    back = Postprocessor(settings.source, Vocabulary.load(tmp_path / "source.vocabulary.json"))
    source = rows[rows["side"] == "source"]
    tokens = read_table(tmp_path / "tokens", "tokens")
    assert [back.line(ids) for ids in source["ids"]] == CHINESE
    for words, own in zip(source["word_of_subword"], tokens.loc[tokens["side"] == "source", "tokens"]):
        assert set(words) <= set(range(len(own))) and len(own) > 2


def test_a_size_that_the_text_does_not_give_is_told_in_one_line() -> None:
    with pytest.raises(InputError, match=r"text\.sentencepiece\.size is 9000: .*; give another size") as error:
        SentencePieces.learnt(["a few words"], SentencePieceSettings(size=9000))
    assert "\n" not in str(error.value)
