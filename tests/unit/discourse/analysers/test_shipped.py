"""The shipped English analyser: invariants on any input, and figures on part of GUM dev."""

import json
import shutil
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.sources import expand
from discourse_nmt.base.storage.tables import TABLES, read_table, write_table
from discourse_nmt.discourse.analysers.analyser import Analyser, SentenceAnalysis
from discourse_nmt.discourse.analysers.annotation import analyse_texts, conllu_of, edu_rows, syntax_rows
from discourse_nmt.discourse.analysers.arborescence import is_tree
from discourse_nmt.discourse.analysers.examples import Example
from discourse_nmt.discourse.analysers.weights import load_analyser, load_segmenter, save_analyser
from discourse_nmt.discourse.evaluation.analyses import measure
from discourse_nmt.discourse.formats.conllu import read_conllu, write_conllu
from discourse_nmt.discourse.structures.mentions import Span, edus_of_starts
from discourse_nmt.discourse.treebanks.examples import examples_of
from tests.conftest import ROOT

FOLDER = ROOT / "resources" / "analysers" / "en"
SENTENCE = "Although it rained , the children who lived nearby played outside because they were bored ."
PLAIN = SENTENCE.split(" ")
ODD = [
    ["Word"] * 500,
    ["the", "dog"] * 250,
    ["\u200b", "\ud800", "\U0001f600", "ا", "樋口", "é" * 300, "\u2028", ""],
    ["?"],
    PLAIN,
]


@pytest.fixture(scope="module")
def analyser() -> Analyser:
    return load_analyser(FOLDER)


def test_analyses_are_well_formed_on_any_input(analyser: Analyser) -> None:
    documents: list[list[list[str]]] = [[], [[]], ODD, [PLAIN, [], PLAIN]]
    results = analyser.analyse(documents, states=True)
    assert [len(document) for document in results] == [0, 1, len(ODD), 3]
    for sentences, analyses in zip(documents, results):
        for forms, analysis in zip(sentences, analyses):
            assert analysis.forms == tuple(forms)
            columns = ("upos", "xpos", "features", "lemmas", "heads", "deprels", "edu_starts", "states")
            assert {len(getattr(analysis, name)) for name in columns} == {len(forms)}
            if forms:
                assert is_tree(np.array(analysis.heads) + 1)
                assert [label == "root" for label in analysis.deprels] == [head < 0 for head in analysis.heads]
                assert [word for first, last in analysis.edus for word in range(first, last)] == list(range(len(forms)))
            assert analysis.states is not None and analysis.states.shape == (len(forms), analyser.state_size)
            assert analysis.states.dtype == np.float32 and np.isfinite(analysis.states).all()


def test_the_same_sentence_gets_the_same_analysis_anywhere(analyser: Analyser) -> None:
    [alone] = analyser.analyse([[PLAIN]], states=True)[0]
    others = [analyser.analyse([ODD], True)[0][-1], load_analyser(FOLDER).analyse([[PLAIN], [PLAIN]], True)[1][0]]
    for analysis in others:
        for name in ("upos", "features", "lemmas", "heads", "deprels", "edu_starts"):
            assert getattr(analysis, name) == getattr(alone, name)
        assert analysis.states is not None and alone.states is not None
        np.testing.assert_allclose(analysis.states, alone.states, atol=1e-4)


def test_a_plain_sentence_is_understood(analyser: Analyser) -> None:
    [analysis] = analyser.analyse([[PLAIN]])[0]
    units = [" ".join(PLAIN[first:last]) for first, last in analysis.edus]
    assert units == [
        "Although it rained ,",
        "the children",
        "who lived nearby",
        "played outside",
        "because they were bored .",
    ]
    assert PLAIN[analysis.heads.index(-1)] == "played"
    assert analysis.lemmas[5] == "child"
    assert analysis.upos[7:9] == ("VERB", "ADV")
    assert "Tense=Past" in analysis.features[7]


def units_of(analyses: Sequence[SentenceAnalysis]) -> tuple[Span, ...]:
    return edus_of_starts([analysis.edu_starts for analysis in analyses])


def test_rows_and_conllu_point_into_the_text(analyser: Analyser) -> None:
    documents = [["I don't know.", "He left, because it was late."], []]
    spans, analyses = analyse_texts(documents, load_segmenter(FOLDER), analyser)
    rows = syntax_rows("d", "source", spans[0], analyses[0])
    for row, text in zip(rows, documents[0]):
        assert [text[start:end] for start, end in zip(row["starts"], row["ends"])] == row["forms"]
    assert rows[0]["forms"] == ["I", "do", "n't", "know", "."]
    units = edu_rows("d", spans[0], units_of(analyses[0]))
    assert [documents[0][unit["sent_id"]][unit["start"] : unit["end"]] for unit in units] == [
        "I don't know.",
        "He left,",
        "because it was late.",
    ]
    assert [unit["edu_id"] for unit in units] == [0, 1, 2]
    assert edu_rows("e", spans[1], units_of(analyses[1])) == []
    pages = conllu_of("d", analyses[0])
    again = examples_of(read_conllu(write_conllu(pages), "d.conllu"), "gum", units=True, features=True)
    assert [one.document for one in again] == ["d", "d"]
    assert [(one.forms, one.heads, one.edu_starts) for one in again] == [
        (one.forms, one.heads, one.edu_starts) for one in analyses[0]
    ]


def test_syntax_and_units_are_tables(analyser: Analyser, tmp_path: Path) -> None:
    spans, analyses = analyse_texts([["I don't know.", "", SENTENCE]], load_segmenter(FOLDER), analyser)
    made = {
        "syntax": syntax_rows("d", "source", spans[0], analyses[0]),
        "edus": edu_rows("d", spans[0], units_of(analyses[0])),
    }
    for name, rows in made.items():
        assert all(list(row) == list(TABLES[name]) for row in rows)
        write_table(pd.DataFrame(rows), tmp_path / "rows.parquet", name)
        read = read_table(tmp_path / "rows.parquet", name).to_dict("records")
        assert [
            {key: value.tolist() if isinstance(value, np.ndarray) else value for key, value in row.items()}
            for row in read
        ] == rows


def test_weights_are_small_and_survive_saving(analyser: Analyser, tmp_path: Path) -> None:
    sizes = {folder.name: sum(file.stat().st_size for file in folder.iterdir()) for folder in FOLDER.parent.iterdir()}
    assert sizes.pop("en") < 30e6 and max(sizes.values()) < 18e6
    save_analyser(analyser, tmp_path)
    for name in ("joint.safetensors", "joint.json"):
        assert (tmp_path / name).read_bytes() == (FOLDER / name).read_bytes()


def test_broken_weights_are_told_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"joint\.json"):
        load_analyser(tmp_path)
    shutil.copytree(FOLDER, tmp_path, dirs_exist_ok=True)
    content = json.loads((tmp_path / "joint.json").read_text(encoding="utf-8"))
    content["inventory"]["upos"].append("NEW")
    (tmp_path / "joint.json").write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(InputError, match="another network"):
        load_analyser(tmp_path)
    for change, message in (("wide", "width is 'wide'"), (0, "width is 0"), (1 << 24, "width is 16777216")):
        content["network"]["width"] = change
        (tmp_path / "joint.json").write_text(json.dumps(content), encoding="utf-8")
        with pytest.raises(InputError, match=rf"joint\.json: network: {message}"):
            load_analyser(tmp_path)
    content = json.loads((FOLDER / "joint.json").read_text(encoding="utf-8"))
    del content["network"]["word_length"]
    (tmp_path / "joint.json").write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(InputError, match="incomplete"):
        load_analyser(tmp_path)
    shutil.copy(FOLDER / "joint.json", tmp_path)
    (tmp_path / "joint.safetensors").write_bytes(b"no weights")
    with pytest.raises(InputError, match=r"joint\.safetensors"):
        load_analyser(tmp_path)


def test_figures_on_a_sample_of_gum_dev(analyser: Analyser, shared_data: Path) -> None:
    pattern = f"{shared_data}/treebanks/gum/gum_dev.tar.xz::dev/conllu/*.conllu"
    sample: list[Example] = []
    for source in expand(pattern)[::3]:
        sample += examples_of(read_conllu(source.text(), source.name), "gum", units=True, features=True)
    figures = measure(sample, analyser.analyse([[one.forms for one in sample]])[0])
    assert figures["EDU F1"] > 90
    assert figures["LAS"] > 82
    assert figures["UPOS"] > 95
    assert figures["lemma"] > 97
    assert figures["features"] > 93
