"""Files and languages of checkpoints of several kinds: what is chosen, and one line for what does not fit."""

import json
from pathlib import Path
from typing import Any

import pytest

from discourse_nmt.base.errors import InputError
from discourse_nmt.text.pieces.languages import M2M_100, MBART_25, MBART_50, NLLB_200, language_symbol, m2m_symbol
from discourse_nmt.text.pretrained import subwords_of
from discourse_nmt.text.settings import TextSettings
from discourse_nmt.workflow.sections.pretrained import checkpoint_files
from tests.unit.training.pretrained.pretrained_checkpoints import sentencepiece_model

PIECES = ["</s>", "<unk>", "▁a", "b", ">>deu<<", ">>cmn_Hans<<", ">>cmn_Hant<<", "<pad>"]


def text(folder: Path, source: str = "en", target: str = "de", **section: Any) -> TextSettings:
    values = {"source_language": source, "target_language": target, "subwords": "sentencepiece"}
    as_written = {"truecase": False, "normalise": False}
    return TextSettings.from_mapping({**values, **as_written, "pretrained": str(folder), **section})


def marian(folder: Path, **config: Any) -> Path:
    """The files of the subwords of a checkpoint of Marian."""
    for side in ("source", "target"):
        (folder / f"{side}.spm").write_bytes(sentencepiece_model())
    (folder / "vocab.json").write_text(json.dumps({piece: index for index, piece in enumerate(PIECES)}))
    (folder / "config.json").write_text(json.dumps({"model_type": "marian", **config}))
    (folder / "model.safetensors").touch()
    return folder


def multilingual(folder: Path, **config: Any) -> Path:
    """The files of the subwords of NLLB-200, or of another kind as in ``config``."""
    (folder / "sentencepiece.bpe.model").write_bytes(sentencepiece_model())
    (folder / "config.json").write_text(json.dumps({"model_type": "m2m_100", **config}))
    (folder / "model.safetensors").touch()
    return folder


@pytest.mark.parametrize(
    ("symbols", "language", "code", "symbol"),
    [
        (NLLB_200, "de", None, "deu_Latn"),
        (NLLB_200, "zh", None, "zho_Hans"),
        (NLLB_200, "zh", "zho_Hant", "zho_Hant"),
        (NLLB_200, "ar", None, "arb_Arab"),
        (NLLB_200, "sw", None, "swh_Latn"),
        (NLLB_200, "fa", None, "pes_Arab"),
        (MBART_50, "en", None, "en_XX"),
        (MBART_50, "ja", None, "ja_XX"),
        (MBART_50, "pt", None, "pt_XX"),
        ([m2m_symbol(code) for code in M2M_100], "de", None, "__de__"),
        ([m2m_symbol(code) for code in M2M_100], "en", "ns", "__ns__"),
        (PIECES[4:7], "de", None, ">>deu<<"),
        (PIECES[4:7], "zh", None, ">>cmn_Hans<<"),
        (PIECES[4:7], "zh", ">>cmn_Hant<<", ">>cmn_Hant<<"),
        (PIECES[4:7], "zh", "cmn_Hant", ">>cmn_Hant<<"),
    ],
)
def test_the_symbol_of_a_language(symbols: list[str], language: str, code: str | None, symbol: str) -> None:
    assert language_symbol(symbols, language, code, "folder") == symbol


def test_the_languages_are_those_of_the_library() -> None:
    from transformers.models.m2m_100.tokenization_m2m_100 import FAIRSEQ_LANGUAGE_CODES as OF_M2M
    from transformers.models.mbart50.tokenization_mbart50 import FAIRSEQ_LANGUAGE_CODES as OF_MBART
    from transformers.models.nllb.tokenization_nllb import FAIRSEQ_LANGUAGE_CODES as OF_NLLB

    assert [list(M2M_100), list(MBART_50), list(NLLB_200)] == [OF_M2M["m2m100"], OF_MBART, OF_NLLB]
    assert MBART_50[:25] == MBART_25


@pytest.mark.parametrize(
    ("section", "message"),
    [
        ({"target": "sr"}, "text: language is sr, which the checkpoint lacks; choose from >>|choose from cmn"),
        ({"language_code": {"source": None, "target": "deux"}}, "language_code is deux, .*; did you mean deu"),
    ],
)
def test_a_language_that_marian_lacks_is_told(tmp_path: Path, section: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message) as error:
        subwords_of(text(marian(tmp_path), **section))
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("section", "message"),
    [
        ({"source": "tlh"}, "text: language is tlh, which the checkpoint lacks; set language_code to one"),
        ({"language_code": {"source": "eng", "target": "deu_Latn"}}, "language_code is eng, .*; choose from eng_Latn"),
    ],
)
def test_a_language_that_nllb_lacks_is_told(tmp_path: Path, section: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        subwords_of(text(multilingual(tmp_path), **section))


def test_a_model_of_one_language_has_no_symbol_of_it(tmp_path: Path) -> None:
    marian(tmp_path)
    (tmp_path / "vocab.json").write_text(json.dumps({"</s>": 0, "<unk>": 1, "a": 2, "<pad>": 3}))
    assert {side: subwords.mark for side, subwords in subwords_of(text(tmp_path)).items()} == {
        "source": None,
        "target": None,
    }
    with pytest.raises(InputError, match="language_code is deu, which the checkpoint lacks"):
        subwords_of(text(tmp_path, language_code={"source": None, "target": "deu"}))


def test_separate_vocabularies_need_separate_settings(tmp_path: Path) -> None:
    marian(tmp_path, share_encoder_decoder_embeddings=False)
    with pytest.raises(InputError, match=r"a vocabulary of its own; set text\.bpe\.joint to false"):
        subwords_of(text(tmp_path))
    with pytest.raises(InputError, match=r"no file target_vocab\.json; put the checkpoint there"):
        checkpoint_files(text(tmp_path, bpe={"joint": False}))


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("vocab.json", "{", "vocab.json:1: not JSON"),
        ("vocab.json", '{"a": 0, "b": 2}', "vocab.json: not symbols and their numbers"),
        ("vocab.json", '["a"]', "vocab.json: not symbols and their numbers"),
        ("vocab.json", '{"a": 0}', "vocab.json: it has no symbol <pad>"),
        ("source.spm", "", r"source\.spm: not a SentencePiece model, or none"),
        ("config.json", "[]", r"config\.json: not a mapping"),
        ("config.json", '{"model_type": "t5"}', r"config\.json: model_type is t5; choose from marian"),
        ("config.json", '{"model_type": "bart"}', "model_type is bart; set text.subwords to byte_bpe"),
    ],
)
def test_damaged_files_are_told_in_one_line(tmp_path: Path, name: str, content: str, message: str) -> None:
    marian(tmp_path)
    (tmp_path / name).write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match=message) as error:
        subwords_of(text(tmp_path))
    assert "\n" not in str(error.value)


def test_the_plan_names_the_files_of_each_kind(tmp_path: Path) -> None:
    def names(folder: Path) -> list[str]:
        return [Path(name).name for name in checkpoint_files(text(folder))["subwords"]]

    for kind in ("marian", "nllb", "m2m"):
        (tmp_path / kind).mkdir()
    assert names(marian(tmp_path / "marian")) == ["config.json", "source.spm", "target.spm", "vocab.json"]
    assert names(multilingual(tmp_path / "nllb")) == ["config.json", "sentencepiece.bpe.model"]
    (tmp_path / "m2m" / "vocab.json").touch()
    assert names(multilingual(tmp_path / "m2m")) == ["config.json", "sentencepiece.bpe.model", "vocab.json"]
    (tmp_path / "marian" / "source.spm").unlink()
    with pytest.raises(InputError, match=r"marian: no file source\.spm; put the checkpoint there"):
        names(tmp_path / "marian")
