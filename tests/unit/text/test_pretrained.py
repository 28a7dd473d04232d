"""Subwords of pretrained models in the text stage: numbers, offsets, and the way back."""

import base64
import io
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sentencepiece import SentencePieceProcessor, SentencePieceTrainer

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.storage.tables import read_table
from discourse_nmt.base.vocabulary import SPECIALS, UNKNOWN, Vocabulary
from discourse_nmt.text.pieces.byte_pairs import BytePairs
from discourse_nmt.text.pieces.sentence_pieces import SentencePieces
from discourse_nmt.text.postprocessing import Postprocessor
from discourse_nmt.text.pretrained import PretrainedEncoder, encoder, rows_of, spaced, subwords_of
from discourse_nmt.text.settings import SIDES, SideSettings, TextSettings
from discourse_nmt.text.tokenisers import Tokens, tokeniser
from tests.unit.text.test_stages import PAIRS, run_stage
from tests.unit.training.pretrained.pretrained_checkpoints import (
    PIECES,
    byte_pairs,
    demo_pairs,
    sentencepiece_model,
    write_checkpoint,
)

LANGUAGES = {"source_language": "en", "target_language": "de"}
MBART = TextSettings.from_mapping(
    {**LANGUAGES, "subwords": "sentencepiece", "pretrained": "x", "truecase": False, "normalise": False}
)
HOSTILE = [
    "",
    " \t\u00a0\u3000 ",
    "\x01\x02",
    "\u200b",
    "a\u0301 ﬁn Ⅷ … ½ Ｆｕｌｌ ß İ",
    "<s> </s> <unk> <mask> <pad> de_DE @@ a@@ b &#64; ▁ Ġ Ċ \u2581x",
    "\U0001f469\u200d\U0001f469\u200d\U0001f467 😀 中文，字。",
    "\ufeff\ufffd\ue000 \U0010ffff",
    "שלום \u202eabc\u202c ١٢٣",
    "a" * 3000,
    "DOTMULTI ... . . . don't well-known 3.14 1,000",
]


@pytest.fixture(scope="module")
def checkpoints(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Directories of a checkpoint of each kind, by the name of its subwords."""
    folder = tmp_path_factory.mktemp("checkpoints")
    write_checkpoint(folder / "mbart")
    write_checkpoint(folder / "bart", "bart")
    return {"sentencepiece": str(folder / "mbart"), "byte_bpe": str(folder / "bart")}


def section(checkpoints: dict[str, str], name: str, **keys: Any) -> dict[str, Any]:
    return {
        "subwords": name,
        "pretrained": checkpoints[name],
        "truecase": False,
        "normalise": False,
        "whole_vocabulary": True,
        **keys,
    }


def whole(checkpoints: dict[str, str], name: str) -> tuple[SideSettings, PretrainedEncoder, Vocabulary]:
    text = TextSettings.from_mapping({**LANGUAGES, **section(checkpoints, name)})
    subwords = subwords_of(text)["source"]
    vocabulary = Vocabulary(SPECIALS + subwords.symbols)
    return text.source, PretrainedEncoder(subwords, vocabulary), vocabulary


def check(ids: list[int], words: list[int], tokens: Tokens) -> None:
    assert len(ids) == len(words) and words == sorted(words)
    assert all(0 <= word < len(tokens.tokens) for word in words)
    assert not {number for number in ids if number < len(SPECIALS)} - {UNKNOWN}


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize("name", ["sentencepiece", "byte_bpe"])
def test_hostile_text_comes_back(checkpoints: dict[str, str], name: str, text: str) -> None:
    side, coder, vocabulary = whole(checkpoints, name)
    tokens = tokeniser(side).tokenise(text)
    ids, words = coder.encode(tokens)
    check(ids, words, tokens)
    line = Postprocessor(side, vocabulary).line(ids)
    plain = spaced(tokens)[0]
    if name == "byte_bpe":
        assert line == plain and UNKNOWN not in ids
    else:
        normalised = (
            SentencePieceProcessor(model_proto=sentencepiece_model()).Normalize(plain).replace("▁", " ").strip()
        )
        known = [piece for piece in line.split("<unk>") if piece.strip()]
        place = 0
        for piece in known:  # what is known stands in its order
            place = normalised.index(piece.strip(), place) + len(piece.strip())
        assert UNKNOWN in ids or line == normalised


@settings(deadline=None, max_examples=100)
@given(text=st.text(max_size=40))
def test_any_text_comes_back_through_bytes(text: str) -> None:
    subwords = byte_subwords()
    tokens = tokeniser(SideSettings("en", tokeniser="spaces")).tokenise(text)
    vocabulary = Vocabulary(SPECIALS + subwords.symbols)
    ids, words = PretrainedEncoder(subwords, vocabulary).encode(tokens)
    check(ids, words, tokens)
    assert subwords.join([vocabulary.symbol(number) for number in ids]) == " ".join(tokens.tokens)
    assert set(words) == set(range(len(tokens.tokens)))


def byte_subwords() -> BytePairs:
    numbers, merges = byte_pairs()
    return BytePairs(numbers, [" ".join(pair) for pair in merges], "memory")


def test_subwords_belong_to_the_tokens_they_come_from() -> None:
    """A piece that crosses tokens goes to the one it covers most; the space before a token is the token's."""
    cuts = {"aa, bbb-c": [("▁aa", 0, 2), (",▁", 2, 4), ("bb", 4, 6), ("b-c", 6, 9), ("", 9, 9)]}

    class Cutter(BytePairs):
        def __init__(self) -> None:
            pass

        def cut(self, text: str) -> list[tuple[str, int, int]]:
            return cuts[text]

    tokens = Tokens.of_spans(["aa", ",", "bbb", "-", "c"], [1, 3, 6, 9, 10], [3, 4, 9, 10, 11])
    assert spaced(tokens) == ("aa, bbb-c", [0, 2, 4, 7, 8], [2, 3, 7, 8, 9])
    _, words = PretrainedEncoder(Cutter(), Vocabulary(SPECIALS)).encode(tokens)
    assert words == [0, 1, 2, 2, 2]


@pytest.mark.parametrize("name", ["sentencepiece", "byte_bpe"])
def test_tokens_of_the_demo_keep_their_subwords(checkpoints: dict[str, str], name: str) -> None:
    side, coder, vocabulary = whole(checkpoints, name)
    post = Postprocessor(side, vocabulary)
    for text in [line for pair in demo_pairs()[:50] for line in pair]:
        tokens = tokeniser(side).tokenise(text)
        ids, words = coder.encode(tokens)
        assert post.line(ids) == text and post.tokens(ids) == tokens.tokens
        assert sorted(set(words)) == list(range(len(tokens.tokens)))
        for number, token in enumerate(tokens.tokens):
            own = [symbol for symbol, word in zip(ids, words) if word == number]
            assert post.line(own).replace(" ", "") == token


@pytest.mark.parametrize(
    ("name", "keys"),
    [
        ("sentencepiece", {}),
        ("sentencepiece", {"whole_vocabulary": False}),
        ("sentencepiece", {"whole_vocabulary": False, "bpe": {"joint": False}}),
        ("byte_bpe", {}),
    ],
)
def test_the_stage_takes_over_subwords_and_vocabulary(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, checkpoints: dict[str, str], name: str, keys: dict[str, Any]
) -> None:
    chosen = section(checkpoints, name, **keys)
    run_stage(monkeypatch, tmp_path, chosen)
    text = TextSettings.from_mapping({**LANGUAGES, **chosen})
    subwords = subwords_of(text)["source"]
    rows = pd.concat([read_table(tmp_path / f"subwords{shard}.parquet", "subwords") for shard in (0, 1)])
    tokens = pd.concat([read_table(tmp_path / f"tokens{shard}.parquet", "tokens") for shard in (0, 1)])
    raws = [line for pair in PAIRS for line in pair]
    vocabularies = {side: Vocabulary.load(tmp_path / f"{side}.vocabulary.json") for side in SIDES}
    assert (vocabularies["source"] == vocabularies["target"]) is text.joint
    for side, ids, words, *found in zip(
        rows["side"], rows["ids"], rows["word_of_subword"], tokens["tokens"], tokens["starts"], tokens["ends"]
    ):
        check(list(ids), list(words), Tokens.of_spans(*map(list, found)))
        cut = [symbol for symbol, *_ in subwords.cut(spaced(Tokens.of_spans(*map(list, found)))[0])]
        assert [vocabularies[side].symbol(number) for number, symbol in zip(ids, cut) if number != UNKNOWN] == [
            symbol for number, symbol in zip(ids, cut) if number != UNKNOWN
        ]
    assert len(rows) == len(raws)
    used = {number for ids in rows["ids"] for number in ids} - {UNKNOWN}
    if text.source.whole_vocabulary:
        assert vocabularies["source"].symbols == SPECIALS + subwords.symbols
    elif text.joint:
        assert used == set(range(len(SPECIALS), len(vocabularies["source"])))
    for side in SIDES:
        places = rows_of(subwords_of(text)[side], vocabularies[side])
        assert len(set(places[len(SPECIALS) :])) == len(places) - len(SPECIALS)


def test_a_smaller_vocabulary_cuts_words_it_lacks_into_pieces_it_has() -> None:
    pieces = SentencePieces(sentencepiece_model(), "memory")
    text = " ".join(demo_pairs()[0])
    cut = [symbol for symbol, *_ in pieces.cut(text)]
    longest = max(cut, key=len)
    kept = {symbol for symbol in pieces.symbols if len(symbol) == 1}
    smaller = [symbol for symbol, *_ in pieces.restricted({*kept, *(set(cut) - {longest})}).cut(text)]
    assert longest not in smaller and set(smaller) <= {*kept, *cut}
    assert pieces.join(smaller) == pieces.join(cut)


def test_rows_are_those_of_mbart_25(checkpoints: dict[str, str]) -> None:
    """Of 250,000 pieces en_XX has the row 250,004, ro_RO 250,020 and <mask>, the last one, 250,026."""

    def side(language: str) -> SentencePieces:
        text = TextSettings.from_mapping({**LANGUAGES, **section(checkpoints, "sentencepiece")})
        settings = replace(text, target=replace(text.target, language=language))
        return SentencePieces.of_checkpoint(Path(checkpoints["sentencepiece"]), "target", settings)

    pieces = side("de")
    assert pieces.layout is not None
    rows = pieces.layout.rows
    assert [rows[symbol] for symbol in ("<s>", "<pad>", "</s>", "<unk>", pieces.symbols[0])] == [0, 1, 2, 3, 4]
    assert [rows[symbol] - PIECES for symbol in ("ar_AR", "en_XX", "ro_RO", "zh_CN", "<mask>")] == [1, 4, 20, 25, 26]
    vocabulary = Vocabulary((*SPECIALS, pieces.symbols[5]))
    german = rows_of(pieces, vocabulary)
    assert german == [1, rows["de_DE"], 2, 3, rows["<mask>"], 2, 2, 9]
    assert rows_of(side("sw"), vocabulary)[1] == 0
    with pytest.raises(InputError, match="the checkpoint has no subword nowhere"):
        rows_of(pieces, Vocabulary((*SPECIALS, "nowhere")))


def test_saved_and_loaded_is_equal(tmp_path: Path, checkpoints: dict[str, str]) -> None:
    for name in checkpoints:
        side, coder, vocabulary = whole(checkpoints, name)
        subwords = subwords_of(TextSettings.from_mapping({**LANGUAGES, **section(checkpoints, name)}))["source"]
        (tmp_path / name).write_text(json.dumps(subwords.to_json()), encoding="utf-8")
        again = encoder(side, {}, tmp_path / name, vocabulary)
        for text, _ in demo_pairs()[:5]:
            tokens = tokeniser(side).tokenise(text)
            assert again.encode(tokens) == coder.encode(tokens)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"subwords": "byte_bpe"}, "subwords is byte_bpe, pretrained is None"),
        ({"subwords": "sentencepiece"}, "reads text as it is written; set truecase"),
        (
            {"subwords": "sentencepiece", "truecase": False, "bpe": {"vocabulary_size": 9}},
            "text: bpe.vocabulary_size is not for sentencepiece; set sentencepiece.size",
        ),
        ({"language_code": "deu_Latn"}, "language_code is a code of a checkpoint"),
        ({"sentencepiece": {"size": {"source": 100, "target": 200}}}, "text.sentencepiece differs between the sides"),
        ({"pretrained": "x"}, "subwords is bpe, pretrained is x"),
        ({"subwords": "sentencepiece", "pretrained": "x"}, "reads text as it is written; set truecase"),
        (
            {"subwords": "sentencepiece", "pretrained": "x", "truecase": False},
            "with pretrained also normalise to false",
        ),
        (
            {"subwords": "byte_bpe", "pretrained": "x", "truecase": False, "normalise": False},
            "set whole_vocabulary to true",
        ),
        ({"subwords": {"source": "bpe", "target": "byte_bpe"}}, "pretrained is None"),
        ({"subwords": "pieces"}, "subwords is 'pieces'"),
    ],
)
def test_wrong_settings_are_named(change: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        TextSettings.from_mapping({**LANGUAGES, **change})


def other_model(**keys: Any) -> bytes:
    model = io.BytesIO()
    lines = iter([line for pair in demo_pairs()[:200] for line in pair])
    SentencePieceTrainer.train(sentence_iterator=lines, model_writer=model, vocab_size=120, minloglevel=2, **keys)
    return model.getvalue()


@pytest.mark.parametrize("damage", ["missing", "empty", "cut", "text", "order"])
def test_a_damaged_sentencepiece_model_is_told_in_one_line(tmp_path: Path, damage: str) -> None:
    write_checkpoint(tmp_path)
    path = tmp_path / "sentencepiece.bpe.model"
    whole_model = path.read_bytes()
    path.unlink()
    contents = {"empty": b"", "cut": whole_model[: len(whole_model) // 2], "text": b"no model"}
    if damage == "order":
        path.write_bytes(other_model(pad_id=0, unk_id=1, bos_id=2, eos_id=3))
    elif damage != "missing":
        path.write_bytes(contents[damage])
    with pytest.raises(InputError, match=r"sentencepiece\.bpe\.model: (not a SentencePiece model|its first)") as error:
        SentencePieces.of_checkpoint(tmp_path, "source", MBART)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("vocab.json", "{", "vocab.json:1: not JSON"),
        ("vocab.json", '["a"]', "vocab.json: not subwords and their numbers"),
        ("vocab.json", '{"a": "b"}', "not byte-pair encoding"),
        ("vocab.json", '{"a": 0}', "not byte-pair encoding"),
        ("merges.txt", "#version: 0.2\na b c\n", "merges.txt: not byte-pair encoding"),
        ("merges.txt", "qq zz\n", "merges.txt: not byte-pair encoding"),
    ],
)
def test_damaged_byte_pairs_are_told_in_one_line(tmp_path: Path, name: str, content: str, message: str) -> None:
    write_checkpoint(tmp_path, "bart")
    (tmp_path / name).write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match=message) as error:
        BytePairs.of_checkpoint(tmp_path, "source", MBART)
    assert "\n" not in str(error.value)


def test_a_damaged_model_of_the_stage_is_told(tmp_path: Path) -> None:
    path = tmp_path / "bpe.json"
    contents: list[Any] = [[], {}, {"sentencepiece": 3}, {"sentencepiece": "?"}, {"codes": None, "known": None}]
    contents += [{"numbers": 3, "merges": 4}, {"numbers": {"a": "b"}, "merges": []}, {"numbers": {}, "merges": [1]}]
    contents.append({"sentencepiece": base64.b64encode(np.arange(50).tobytes()).decode()})
    for content in contents:
        path.write_text(json.dumps(content), encoding="utf-8")
        for name in ("sentencepiece", "byte_bpe"):
            side = SideSettings("en", truecase=False, subwords=name, pretrained="x", whole_vocabulary=True)
            with pytest.raises(InputError, match=r"bpe\.json: not"):
                encoder(side, {}, path, Vocabulary(SPECIALS))
