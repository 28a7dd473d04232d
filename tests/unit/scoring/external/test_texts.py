"""The texts that a metric reads: windows and chunks by hand, and texts that it would cut."""

from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from sentencepiece import SentencePieceTrainer
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace

from discourse_nmt.base.errors import InputError
from discourse_nmt.scoring.external.settings import MetricTextSettings
from discourse_nmt.scoring.external.texts import lines_of, too_long

# Two documents of five and two sentences.
SENTENCES = pd.DataFrame(
    {
        "doc_id": [*"bbbbb", *"aa"],
        "sent_id": [0, 1, 2, 3, 4, 0, 1],
        "source": ["s1", "s2", "s3", "s4", "s5", "t1", "t2"],
        "hypotheses": ["h1", "h2", "", "h4", "h5", "i1", "i2"],
        "references": ["r1", "r2", "r3", "r4", "r5", "q1", "q2"],
    }
)


def lines(**settings: Any) -> dict[str, list[Any]]:
    table = lines_of(SENTENCES, MetricTextSettings(**settings))
    return {str(name): table[name].tolist() for name in table}


def subwords(file: Path) -> Path:
    """A tokeniser of Hugging Face that cuts at spaces and marks; it would cut texts after two words, or fill nine."""
    tokenizer = Tokenizer(WordLevel({"[UNK]": 0}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = Whitespace()
    tokenizer.enable_truncation(2)
    tokenizer.enable_padding(length=9)
    tokenizer.save(str(file))
    return file


def test_without_settings_a_line_is_a_sentence() -> None:
    assert lines() == {str(name): SENTENCES[name].tolist() for name in SENTENCES}


def test_a_window_is_of_the_document_before() -> None:
    found = lines(window=2)
    assert found["source"] == ["s1", "s1 s2", "s1 s2 s3", "s2 s3 s4", "s3 s4 s5", "t1", "t1 t2"]
    assert found["references"] == ["r1", "r1 r2", "r1 r2 r3", "r2 r3 r4", "r3 r4 r5", "q1", "q1 q2"]
    assert found["hypotheses"][:4] == ["h1", "h1 h2", "h1 h2 ", "h2  h4"]
    assert (found["doc_id"], found["sent_id"]) == ([*"bbbbb", *"aa"], [0, 1, 2, 3, 4, 0, 1])


def test_the_window_of_a_translation_may_be_of_references() -> None:
    found = lines(window=1, separator=" </s> ", before_translations="references")
    assert found["hypotheses"] == [
        *("h1", "r1 </s> h2", "r2 </s> ", "r3 </s> h4", "r4 </s> h5"),
        *("i1", "q1 </s> i2"),
    ]
    assert found["source"][1] == "s1 </s> s2" and found["references"][1] == "r1 </s> r2"


@pytest.mark.parametrize(
    ("chunk", "sources", "numbers"),
    [
        (2, ["s1 s2", "s3 s4", "s5", "t1 t2"], [0, 2, 4, 0]),
        (3, ["s1 s2 s3", "s4 s5", "t1 t2"], [0, 3, 0]),
        (4, ["s1 s2 s3 s4", "s5", "t1 t2"], [0, 4, 0]),
    ],
)
def test_chunks_end_with_their_document(chunk: int, sources: list[str], numbers: list[int]) -> None:
    found = lines(chunk=chunk)
    assert found["source"] == sources and found["sent_id"] == numbers
    assert found["hypotheses"][0] == " ".join(["h1", "h2", "", "h4"][:chunk])


def test_a_window_stands_before_a_chunk() -> None:
    assert lines(chunk=2, window=1)["source"] == ["s1 s2", "s2 s3 s4", "s4 s5", "t1 t2"]


def test_texts_beyond_what_a_metric_reads_are_counted(tmp_path: Path) -> None:
    file = str(subwords(tmp_path / "tokenizer.json"))
    texts = [["a b c", "a b", ""], ["a b c d", "a", "a"]]
    assert [too_long(texts, MetricTextSettings(reads=reads, subwords=file)) for reads in (1, 2, 3, 4)] == [3, 2, 1, 0]
    together = [MetricTextSettings(reads=reads, subwords=file, reads_together=True) for reads in (2, 3, 6, 7)]
    assert [too_long(texts, settings) for settings in together] == [2, 1, 1, 0]


def test_marks_of_begin_and_end_count(tmp_path: Path) -> None:
    # Of characters: "a b c" is ▁a▁b▁c, six pieces.
    lines, prefix = iter(["a b c"] * 50), str(tmp_path / "m")
    SentencePieceTrainer.train(
        sentence_iterator=lines, model_prefix=prefix, model_type="char", vocab_size=7, minloglevel=2
    )
    settings = [MetricTextSettings(reads=reads, subwords=str(tmp_path / "m.model")) for reads in (7, 8)]
    assert [too_long([["a b c"]], one) for one in settings] == [1, 0]


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"reads": 512}, "reads and subwords need each other; give both or none"),
        ({"subwords": "x"}, "reads and subwords need each other; give both or none"),
        ({"separator": "\n"}, "separator has a line break; a line is a text"),
    ],
)
def test_faulty_settings_are_one_line(values: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        MetricTextSettings(**values)


@pytest.mark.parametrize("name", ["tokenizer.json", "spiece.model", "absent.json", "absent.model"])
def test_files_without_subwords_are_one_line(name: str, tmp_path: Path) -> None:
    if not name.startswith("absent"):
        (tmp_path / name).write_text("{}", encoding="utf-8")
    settings = MetricTextSettings(reads=4, subwords=str(tmp_path / name))
    with pytest.raises(
        InputError, match=rf"{name}: no subwords \(.*\); name a SentencePiece model or a tokenizer.json$"
    ):
        too_long([["a"]], settings)
