"""The command show_cache on a random model: table and page have the same words, text stays text, faults are told."""

import csv
import json
import os
import subprocess
import sys
from collections.abc import Callable
from itertools import groupby
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from lxml import html

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.vocabulary import SPECIALS, Vocabulary
from discourse_nmt.models.systems import build
from discourse_nmt.scoring.reports.caches import SHADES, shade
from discourse_nmt.text.settings import TextSettings
from discourse_nmt.training.builders.cache_words import write_cache_words
from discourse_nmt.training.builders.options import BuilderOptions
from discourse_nmt.training.checkpoints.model_files import save_model
from discourse_nmt.training.data.dataset import ParallelDataset
from discourse_nmt.workflow_scripts.train import show_cache
from tests.conftest import ROOT
from tests.unit.models.theme_cache.cache_examples import LABELLER
from tests.unit.training.run.training_toy import SIZE, dataset

# Words of the vocabulary, of which the last one is in two subwords.
WORDS = ["<script>alert(1)</script>", '"quoted', "'", "&amp;", "</details><img/src=x>", "مرحبا", "公园", "don't"]
SYMBOLS = (*WORDS, *(f"w{number}" for number in range(SIZE - len(SPECIALS) - len(WORDS) - 1)), "half@@")
VOCABULARY = Vocabulary(SPECIALS + SYMBOLS)
NETWORK = {"encoder_layers": 1, "decoder_layers": 1, "width": 16, "heads": 2, "feed_forward_width": 16}
DOCUMENTS = [4, 1, 6]
TEXT = {"source_language": "en", "target_language": "en", "tokeniser": "spaces"}


def tokens(data: ParallelDataset) -> pd.DataFrame:
    """A word for each subword."""
    rows = data.table.select(["doc_id", "sent_id"]).to_pandas().assign(side="source")
    lists = [["w"] * length for length in data.source.lengths.tolist()]
    return rows.assign(tokens=pd.Series(lists, dtype=object))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Dataset, words, vocabularies, and models with and without a cache."""
    results = tmp_path_factory.mktemp("results")
    for name, documents in (("test", DOCUMENTS), ("other", DOCUMENTS[::-1])):
        data = dataset(results, documents, name, seed=1, length=9)
        write_cache_words(data, [{"tokens": tokens(data)}], results / f"{name}.words", BuilderOptions(language="en"))
    VOCABULARY.save(results / "vocabulary.json")
    Vocabulary((*SPECIALS, "x")).save(results / "small.json")
    switches: dict[str, tuple[str, dict[str, Any]]] = {
        "cache": ("theme_rheme_cache", {"cache_size": 6}),
        "continuous": ("theme_rheme_cache", {"cache_size": 5, "cache": "continuous"}),
        "large": ("theme_rheme_cache", {"cache_size": 100, "cache": "continuous"}),
        "none": ("theme_rheme_cache", {"cache_size": 0}),
        "sentence": ("transformer", {}),
    }
    for name, (system, own) in switches.items():
        values = {**NETWORK, **(LABELLER if system == "theme_rheme_cache" else {}), **own}
        network = build(system, values, SIZE, SIZE, True)
        save_model(results / f"{name}.safetensors", network, system, values, VOCABULARY, VOCABULARY)
    return results


def words_of(folder: Path, output: Path, **changes: Any) -> list[str]:
    """The options of the command."""
    options = {
        "model": folder / "cache.safetensors",
        "dataset": folder / "test.arrow",
        "structure": folder / "test.words",
        "source_vocabulary": folder / "vocabulary.json",
        "target_vocabulary": folder / "vocabulary.json",
        "text_settings": json.dumps(TEXT),
        "device": "cpu",
        "table": output / "cache.tsv",
        "page": output / "cache.html",
        **changes,
    }
    given = {key: value for key, value in options.items() if value is not None}
    return [word for key, value in given.items() for word in (f"--{key.replace('_', '-')}", str(value))]


Run = Callable[..., tuple[pd.DataFrame, Any]]


@pytest.fixture
def run(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run the command; its table and its page, parsed."""

    def call(**changes: Any) -> tuple[pd.DataFrame, Any]:
        monkeypatch.setattr(sys, "argv", ["show_cache", *words_of(folder, tmp_path, **changes)])
        show_cache.main()
        types = {"doc_id": str, "word": str}
        table = pd.read_csv(
            tmp_path / "cache.tsv", sep="\t", dtype=types, keep_default_na=False, na_values={"score": ""}
        )
        return table, html.document_fromstring((tmp_path / "cache.html").read_text(encoding="utf-8"))

    return call


def chips(page: Any) -> list[tuple[str, str, str]]:
    """Document, sentence and text of each word on the page."""
    return [
        (document.findtext("summary/strong"), number.text, chip.text)
        for document in page.iterfind(".//details")
        for number, held in zip(
            document.iterfind(".//dt/span[@class='number']"), document.iterfind(".//dd"), strict=True
        )
        for chip in held.xpath("*[@title]")
    ]


@pytest.mark.parametrize("model", ["cache", "continuous"])
def test_table_and_page_hold_the_same(folder: Path, run: Run, model: str) -> None:
    table, page = run(model=folder / f"{model}.safetensors")
    assert list(table) == ["doc_id", "sent_id", "place", "word", "from_sent_id", "score"]
    rows = table.to_dict("records")
    assert chips(page) == [(row["doc_id"], str(row["sent_id"] + 1), row["word"]) for row in rows]  # as in the report
    source = ParallelDataset(folder / "test.arrow").table.to_pylist()
    sentences = {(row["doc_id"], row["sent_id"]): row["source_ids"] for row in source}
    size = 6 if model == "cache" else 5
    for (doc_id, sent_id), group in groupby(rows, key=lambda row: (row["doc_id"], row["sent_id"])):
        held = list(group)
        assert [row["place"] for row in held] == list(range(len(held))) and len(held) <= size
        for row in held:
            assert 0 <= row["from_sent_id"] < sent_id
            ids = sentences[doc_id, row["from_sent_id"]]
            assert row["word"] in {VOCABULARY.symbol(each).removesuffix("@@") for each in ids}
    full = [name for name, count in zip(("doc000", "doc001", "doc002"), DOCUMENTS) if count > 1]
    assert sorted(table["doc_id"].unique()) == full
    assert page.xpath("count(//dd[em])") == len(DOCUMENTS)  # the first sentence of each
    scores = table["score"]
    assert scores.isna().all() if model == "continuous" else ((scores > 0) & (scores < 1)).all()


def test_the_most_recent_words_come_first(folder: Path, run: Run) -> None:
    table = run(model=folder / "continuous.safetensors")[0]
    rows = ParallelDataset(folder / "test.arrow").table.to_pylist()
    before: list[str] = []
    for row in rows:
        before = [] if row["sent_id"] == 0 else before
        held = table[(table.doc_id == row["doc_id"]) & (table.sent_id == row["sent_id"])]["word"].tolist()
        assert held == before[::-1][:5]
        before += [VOCABULARY.symbol(each).removesuffix("@@") for each in row["source_ids"]]


def test_words_that_have_just_entered_are_emphasised(run: Run) -> None:
    table, page = run()
    fresh = [chip.text for chip in page.xpath("//dd/strong")]
    assert fresh and fresh == table[table.from_sent_id == table.sent_id - 1]["word"].tolist()
    told = [chip.get("title") for chip in page.xpath("//dd/*[@title]")]
    assert told == [f"sentence {a + 1}, score {b:.3f}" for a, b in zip(table.from_sent_id, table.score)]


def test_shades_follow_scores(run: Run) -> None:
    table, page = run()
    shades = [float(chip.get("style")[len("--share:") : -1]) for chip in page.xpath("//dd/*[@title]")]
    assert (min(shades), max(shades)) == SHADES
    ordered = [shades[place] for place in table["score"].argsort()]
    assert ordered == sorted(shades)
    assert shade(0.5, 0.5, 0.5) == SHADES[1]


def test_text_stays_text(folder: Path, run: Run, tmp_path: Path) -> None:
    """Words that look like markup or have quotes are on the page, and in the table, as they are."""
    table, page = run(model=folder / "large.safetensors", title="<script>alert(2)</script>")
    assert {*WORDS} <= {*table["word"]}
    assert {*WORDS} <= {chip.text for chip in page.xpath("//dd/*[@title]")}
    assert page.findtext(".//h1") == "<script>alert(2)</script>"
    for name in ("script", "img", "link", "iframe", "object", "a"):
        assert not page.findall(f".//{name}")
    assert "http" not in (tmp_path / "cache.html").read_text(encoding="utf-8").replace("http-equiv", "")
    with (tmp_path / "cache.tsv").open(encoding="utf-8", newline="") as file:
        assert [row[3] for row in csv.reader(file, delimiter="\t")][1:] == table["word"].tolist()


def test_words_are_joined_and_keep_their_case() -> None:
    """A word stands in no sentence, of which its first letter could be made a capital."""
    line, word = show_cache.texts(TextSettings.from_mapping({**TEXT, "truecase": True}), VOCABULARY)
    ids = [VOCABULARY.id_of(symbol) for symbol in ("half@@", "w1", "w2")]
    assert (line(ids), word(ids[:2]), word(ids[2:])) == ("Halfw1 w2", "halfw1", "w2")


@pytest.mark.parametrize(("number", "shown"), [(0, 0), (2, 2), (3, 3), (100, 3)])
def test_the_page_has_the_first_documents_and_says_so(run: Run, number: int, shown: int) -> None:
    table, page = run(documents=number)
    assert [each.text for each in page.iterfind(".//summary/strong")] == ["doc000", "doc001", "doc002"][:shown]
    told = f"the first {shown} of 3" if shown < 3 else "all 3"
    assert f"Documents on this page: {told}." in page.text_content()
    assert table["doc_id"].nunique() == 2  # those of more than one sentence


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"model": "sentence.safetensors"}, "a model of system transformer has no theme-rheme cache"),
        ({"model": "none.safetensors"}, "this model has no cache; train one with"),
        ({"structure": None}, "--structure is missing; give the dataset's file of words"),
        ({"structure": "other.words"}, "its rows are not those of"),
        ({"structure": "test.arrow"}, "not a file of words to cache"),
        ({"dataset": "other.arrow"}, "its rows are not those of"),
        ({"dataset": "test.words"}, "not a dataset"),
        ({"source_vocabulary": "small.json"}, "made with another source vocabulary"),
        ({"target_vocabulary": "small.json"}, "was trained with the target vocabulary"),
        ({"documents": -1}, "--documents is -1"),
        ({"settings": '{"batch_token": 2}'}, "did you mean batch_tokens"),
    ],
    ids=str,
)
def test_unsuitable_input_is_told(folder: Path, run: Run, tmp_path: Path, changes: dict[str, Any], told: str) -> None:
    files = {"model", "structure", "dataset", "source_vocabulary", "target_vocabulary"}
    given = {key: folder / value if key in files and value else value for key, value in changes.items()}
    with pytest.raises(InputError) as caught:
        run(**given)
    assert told in str(caught.value) and "\n" not in str(caught.value)
    assert not list(tmp_path.iterdir())


def test_the_command_tells_progress_and_faults(folder: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "discourse_nmt.workflow_scripts.train.show_cache"]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    call = {"cwd": ROOT, "env": environment, "capture_output": True, "text": True, "check": False}
    done = subprocess.run([*command, *words_of(folder, tmp_path)], **call)  # type: ignore[call-overload]
    assert done.returncode == 0, done.stderr
    assert "documents/s" in done.stderr and "words in the cache before a sentence on average" in done.stderr
    words = words_of(folder, tmp_path, model=folder / "none.safetensors")
    failed = subprocess.run([*command, *words], **call)  # type: ignore[call-overload]
    assert failed.returncode == 1 and failed.stderr.count("\n") == 1 and failed.stderr.startswith("error: ")
