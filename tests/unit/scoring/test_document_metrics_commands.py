"""The commands learn_alignment and score_document on a small run."""

import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.storage.tables import read_table, write_table
from discourse_nmt.scoring.tables.scores import parse
from discourse_nmt.text.writing_systems import spaces
from discourse_nmt.training.data.dataset_tables import write_dataset
from discourse_nmt.workflow_scripts.score import learn_alignment
from tests.unit.scoring.test_commands import call

SOURCES = ["The bank is old .", "She likes the bank .", "It is big ."]
TARGETS = ["Das Ufer ist alt .", "Sie mag das Ufer .", "Es ist groß ."]
HYPOTHESES = ["Das Ufer ist alt .", "Sie mag die Bank .", "Es ist groß ."]
KEYS = {"doc_id": ["d"] * 3, "sent_id": [0, 1, 2]}


def words_of(texts: list[str]) -> dict[str, list[list]]:
    words = [text.split() for text in texts]
    starts = [[int(place) for place in np.cumsum([0, *(len(word) + 1 for word in own[:-1])])] for own in words]
    ends = [[start + len(word) for start, word in zip(*both)] for both in zip(starts, words)]
    return {"starts": starts, "ends": ends, "tokens": words, "gaps": list(map(spaces, words))}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Tables of a document of three sentences, whose source side has syntax and coreference."""
    made = tmp_path_factory.mktemp("run")
    write_table(pd.DataFrame({**KEYS, "source": SOURCES, "target": TARGETS}), made / "sentences.parquet", "sentences")
    sides = [
        pd.DataFrame({**KEYS, "side": side, **words_of(texts)})
        for side, texts in (("source", SOURCES), ("target", TARGETS))
    ]
    write_table(pd.concat(sides), made / "tokens.parquet", "tokens")
    subwords = [
        {"doc_id": "d", "sent_id": number, "side": side, "ids": [7] * 5, "word_of_subword": [0] * 5}
        for number in range(3)
        for side in ("source", "target")
    ]
    write_dataset([pd.DataFrame(subwords)], made / "test.arrow")
    written = {"rank": 0, "hypothesis": HYPOTHESES, "tokens": [text.split() for text in HYPOTHESES], "score": -1.0}
    write_table(pd.DataFrame({**KEYS, **written}), made / "translations.parquet", "translations")
    own = words_of(SOURCES)
    empty = [["_"] * len(words) for words in own["tokens"]]
    tags = [["NOUN" if word == "bank" else "X" for word in words] for words in own["tokens"]]
    syntax = {"forms": own["tokens"], "lemmas": own["tokens"], "upos": tags, "xpos": empty, "feats": empty}
    tree = {
        "heads": [[-1] * len(words) for words in empty],
        "deprels": empty,
        "starts": own["starts"],
        "ends": own["ends"],
    }
    write_table(pd.DataFrame({**KEYS, "side": "source", **syntax, **tree}), made / "syntax.parquet", "syntax")
    mentions = [("d", 0, 0, 0, 8, 4, 8), ("d", 0, 2, 0, 2, 0, 2)]
    columns = ["doc_id", "chain_id", "sent_id", "start", "end", "head_start", "head_end"]
    write_table(pd.DataFrame(mentions, columns=columns), made / "coreference.parquet", "coreference")
    (made / "stop.txt").write_text("the\nis\n", encoding="utf-8")
    done = call("score.learn_alignment", "--tokens", made / "tokens.parquet", "--output", made / "words.parquet")
    assert done.returncode == 0, done.stderr
    return made


def score(folder: Path, output: Path, *more: str | Path) -> dict[str, float]:
    given = ["translations", "sentences", "tokens"]
    files = [word for name in given for word in (f"--{name}", folder / f"{name}.parquet")]
    files += ["--alignment", folder / "words.parquet", "--dataset", folder / "test.arrow"]
    names = "--corpus c --experiment e --system s --seed 1 --test-set test --source-language en --language de"
    done = call("score.score_document", *files, *names.split(), *more, "--output", output)
    assert done.returncode == 0, done.stderr
    table = parse(output.read_text(encoding="utf-8"), file=output)
    return dict(zip(table["metric"], table["value"]))


def test_alignment_is_learnt(folder: Path) -> None:
    table = read_table(folder / "words.parquet", "word_translations")
    best = table.dropna().sort_values("forward").groupby("source").last()["target"]
    assert best["bank"] == "ufer" and best["old"] == "alt"


def test_scores_with_and_without_an_analysis(folder: Path, tmp_path: Path) -> None:
    plain = score(folder, tmp_path / "plain.tsv", "--stop-words", folder / "stop.txt")
    assert plain["lexical consistency of the reference (content words)"] == 100
    assert plain["lexical consistency (content words)"] == 0
    assert plain["pronoun accuracy (it)"] == 100
    assert not any("antecedent" in name or "(nouns)" in name for name in plain)
    analysis: list[str | Path] = [
        "--syntax",
        folder / "syntax.parquet",
        "--coreference",
        folder / "coreference.parquet",
    ]
    full = score(folder, tmp_path / "full.tsv", *analysis)
    assert full["lexical consistency (nouns)"] == 0 and full["repeated words, pairs (nouns)"] == 1
    assert full["sentences (antecedent 2 sentences back)"] == 1


def test_faulty_input_is_told(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sources = read_table(folder / "tokens.parquet", "tokens").query("side == 'source'")
    write_table(sources, tmp_path / "sources.parquet", "tokens")
    faults: dict[str, list[Path | str]] = {
        "--pairs is 0; give at least 1": [folder / "tokens.parquet", "--pairs", "0"],
        "not a tokens table: column side is missing": [folder / "sentences.parquet"],
        "no sentence pairs": [tmp_path / "sources.parquet"],
    }
    for message, given in faults.items():
        command = ["learn_alignment", "--tokens", *map(str, given), "--output", str(tmp_path / "out.parquet")]
        monkeypatch.setattr("sys.argv", command)
        with pytest.raises(InputError, match=message):
            learn_alignment.main()
    assert not (tmp_path / "out.parquet").exists()


def test_speakers_and_scenes_of_the_test_set_give_consistency_of_address(folder: Path, tmp_path: Path) -> None:
    spoken = shutil.copytree(folder, tmp_path / "spoken")
    told = {"source": [f"You come, {name}." for name in "abc"], "target": "Du kommst.", "speaker": "Ann", "scene": 0}
    sentences = pd.DataFrame({**KEYS, **told}).astype({"sent_id": "int32", "scene": "int32"})
    write_table(sentences, spoken / "sentences.parquet", "sentences")
    found = score(spoken, tmp_path / "scores.tsv")
    assert found["address, pairs (same speaker)"] == found["address, pairs without a verdict (same speaker)"] == 2
    assert not any(name.startswith("address") for name in score(folder, tmp_path / "untold.tsv"))
