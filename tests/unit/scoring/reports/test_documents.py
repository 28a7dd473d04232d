"""What the report's viewer gets of each document is what the tables hold."""

import json
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.storage.files import read_json
from discourse_nmt.base.storage.shard_files import write_shards
from discourse_nmt.base.storage.tables import schema
from discourse_nmt.discourse.drawings.tables import tree_drawings
from discourse_nmt.discourse.drawings.titles import TITLES
from discourse_nmt.discourse.structures.conversions import li14
from discourse_nmt.discourse.structures.mentions import Chain, Mention, Span
from discourse_nmt.discourse.structures.rows import chains_to_rows, dependencies_to_rows, tree_to_rows
from discourse_nmt.scoring.reports.documents import Rows, SplitTables, contrastive_items, documents, spread_over
from discourse_nmt.scoring.reports.page import standings
from discourse_nmt.scoring.reports.provenance import Provenance
from discourse_nmt.scoring.reports.runs import ReportRun
from discourse_nmt.workflow.configuration.tree import Configuration
from discourse_nmt.workflow.sections.switches import differing_switches
from discourse_nmt.workflow_scripts.report.facts import empty_shards
from discourse_nmt.workflow_scripts.report.report import BoundedDrawings, read_groups, read_languages
from tests.conftest import ROOT
from tests.unit.discourse.structures.discourse_examples import tree_a
from tests.unit.scoring.reports.report_run import HOSTILE, plain_documents, special_documents, write_run


def no_drawings(document: str, texts: Sequence[str], tables: Mapping[str, Rows]) -> dict[str, str]:
    return {"drawing": f"{document}: {' | '.join(texts)}: {sorted(tables)}"}


def sentences(number: int, length: int = 2) -> pd.DataFrame:
    rows = [(f"d{d}", s, f"source {d} {s}", f"target {d} {s}") for d in range(number) for s in range(length)]
    return pd.DataFrame(rows, columns=["doc_id", "sent_id", "source", "target"])


def translated(table: pd.DataFrame, text: str) -> pd.DataFrame:
    first = table[["doc_id", "sent_id"]].assign(rank=0, hypothesis=[f"{text} {n}" for n in range(len(table))])
    return pd.concat([first, first.assign(rank=1, hypothesis="second best")])


def test_documents_are_spread_over_the_test_set_and_have_the_first_run_of_each_experiment() -> None:
    table = sentences(9)
    runs = {
        ReportRun("demo", "sentence", 1): translated(table, "eins"),
        ReportRun("demo", "sentence", 2): translated(table, "zwei"),
        ReportRun("demo", "context", 1): translated(table.iloc[:1], "drei"),
    }
    found = list(documents(SplitTables("demo", "test", table, runs), 3, no_drawings))
    assert [document.name for document in found] == ["d0", "d3", "d6"]
    assert [document.sentences for document in found] == [2, 2, 2]
    assert found[0].content["source"] == ["source 0 0", "source 0 1"]
    assert found[0].content["reference"] == ["target 0 0", "target 0 1"]
    assert found[0].content["systems"] == {"sentence": ["eins 0", "eins 1"], "context": ["drei 0", None]}
    assert found[1].content["systems"] == {"sentence": ["eins 6", "eins 7"], "context": [None, None]}
    assert len(list(documents(SplitTables("demo", "test", sentences(2), {}), 3, no_drawings))) == 2
    assert spread_over(range(4), 4) == [0, 1, 2, 3]


def test_what_an_output_leaves_out_and_adds_is_that_of_its_document() -> None:
    run, table = ReportRun("demo", "gpt", 0), sentences(2)
    rows = {"doc_id": ["d1"], "omitted": [[1]], "added": [["more"]], "places": [[2]], "problem": [None]}
    split = SplitTables(
        "demo", "test", table, {run: translated(table, "x")}, output_alignments={run: pd.DataFrame(rows)}
    )
    first, second = (document.content["alignments"] for document in documents(split, 2, no_drawings))
    assert first == {} and second == {"gpt": {"omitted": [1], "added": [[2, "more"]], "problem": None}}


def test_documents_of_sources_alone_have_no_reference() -> None:
    table = sentences(2).assign(target="")
    runs = {ReportRun("demo", "sentence", 1): translated(table, "eins")}
    [first, *_] = documents(SplitTables("demo", "fresh", table, runs), 2, no_drawings)
    assert first.content["reference"] == [None, None]
    assert first.content["systems"] == {"sentence": ["eins 0", "eins 1"]}


def test_annotation_is_that_of_the_document() -> None:
    place = {"doc_id": ["d1", "d0", "d1"], "sent_id": [0, 0, 1]}
    spans = {"start": [0, 0, 2], "end": [6, 3, 6]}
    edges = {"relation": ["lexical"], "from_sent": [1], "from_token": [0], "to_sent": [0], "to_token": [2]}
    tables = {
        "edus": pd.DataFrame({**place, **spans, "edu_id": [0, 0, 1]}),
        "coreference": pd.DataFrame({**place, **spans, "chain_id": [7, 0, 3]}),
        "themes": pd.DataFrame({**place, **spans, "label": "rheme"}),
        "document_graph": pd.DataFrame({"doc_id": ["d1"], **edges}),
    }
    tokens = pd.DataFrame({"doc_id": ["d1"], "sent_id": [0], "starts": [[0, 7]], "ends": [[6, 8]]})
    split = SplitTables("demo", "test", sentences(2), tokens=tokens, analyses={"gold": tables})
    first, second = (document.content for document in documents(split, 2, no_drawings))
    assert second["analyses"]["gold"] == {
        "edus": [[0, 0, 6], [1, 2, 6]],
        "drawings": {"drawing": f"d1: source | urce: {sorted(tables)}"},
        "chains": [[[0, 0, 6]], [[1, 2, 6]]],
        "themes": [[0, 0, 6, "rheme"], [1, 2, 6, "rheme"]],
        "edges": [[2, 1, 0, 0, 2]],
    }
    assert second["words"] == [[[0, 6], [7, 8]]]
    assert first["analyses"]["gold"]["edges"] == [] and first["words"] == []


def item(name: str, variant: int | None, wrong: str) -> dict[str, Any]:
    place = {"doc_id": "d0", "sent_id": 1, "phenomenon": "pronoun", "distance": None}
    return {"item_id": name, **place, "wrong": wrong, "variant": variant}


def test_items_have_the_scores_of_their_variants() -> None:
    items = [item("a", None, "first"), item("a", None, "second"), item("b", 0, "left"), item("b", 0, "right")]
    scores = {"sentence": {"a": [(-1.0, -2.0), (-1.0, -0.5)], "b": [(-3.0, -4.00049)]}, "context": {}}
    found = contrastive_items(items, scores)
    assert [row["wrong"] for row in found] == ["first", "second", "left", "right"]
    given = [row["scores"] for row in found]
    assert given == [{"sentence": pair} for pair in ([-1.0, -2.0], [-1.0, -0.5], [-3.0, -4.0], [-3.0, -4.0])]
    assert all(row["distance"] is None for row in found)


def test_drawings_are_made_of_rows() -> None:
    tree = tree_a()
    rows = {"rst": tree_to_rows("d", tree), "rst_dependencies": dependencies_to_rows("d", li14(tree))}
    texts = [f"e{number}" for number in range(4)]
    assert list(tree_drawings("d", texts, rows)) == [TITLES["rst"], TITLES["dependencies"]]
    assert tree_drawings("d", texts, {"edus": []}) == {}
    for table in rows:
        with pytest.raises(InputError, match=r"^document d: "):
            tree_drawings("d", texts[:2], {table: rows[table]})


def test_large_reports_stop_drawing_and_say_so() -> None:
    rows = {"rst": tree_to_rows("d", tree_a())}
    texts = [f"e{number}" for number in range(4)]
    size = len(tree_drawings("d", texts, rows)[TITLES["rst"]])
    draw = BoundedDrawings(size + 1)
    assert [len(draw("d", texts, rows)) for _ in range(4)] == [1, 1, 0, 0]
    assert draw.facts() == ["2 analyses have no drawings, to keep the file small."]
    assert BoundedDrawings(1).facts() == []


def test_shards_in_which_an_analyser_finds_nothing_are_told(tmp_path: Path) -> None:
    mention = Mention(Span(0, 0, 2), Span(0, 0, 2))
    rows = pd.DataFrame(chains_to_rows("d", [Chain((mention, Mention(Span(1, 0, 2), Span(1, 0, 2))))]))
    nothing = schema("coreference").empty_table().to_pandas()
    for place, shards in {
        "talks/discourse/mine/source/coreference/train/0.parquet": [rows, nothing],
        "talks/discourse/mine/source/coreference/train/1.parquet": [nothing],
        "talks/discourse/mine/target/coreference/train/0.parquet": [rows],
    }.items():
        (tmp_path / place).parent.mkdir(parents=True, exist_ok=True)
        write_shards(shards, tmp_path / place, "coreference")
    units = tmp_path / "talks/discourse/mine/source/edus/train/0.parquet"
    units.parent.mkdir(parents=True)
    write_shards([schema("edus").empty_table().to_pandas()], units, "edus")
    assert empty_shards(tmp_path) == ["The analysis mine finds no chains in 2 of 3 shards of talks/train, source."]
    assert empty_shards(tmp_path / "none") == []


def test_standings_have_the_score_and_the_verdicts_of_each_document() -> None:
    table = sentences(2)
    items = pd.DataFrame([item("a", None, "first"), item("a", None, "second"), item("b", None, "third")])
    judged = pd.DataFrame({"item_id": ["a", "a", "b"], "right_score": [-1.0] * 3, "wrong_score": [-2.0, -1.0, -3.0]})
    run, outside = ReportRun("demo", "one", 1), ReportRun("demo", "online", 0)
    split = SplitTables(
        "demo",
        "test",
        table,
        {run: translated(table, "x"), outside: translated(table, "y")},
        contrastive=items,
        contrastive_scores={run: judged},
        bleu={"one": {"d0": 1.5, "d1": 2.5}, "online": {"d0": 0.5, "d1": 0.0}},
        against="the reference",
    )
    found = list(documents(split, 2, no_drawings))
    assert found[0].standings == {"one": {"bleu": 1.5, "right": "01"}, "online": {"bleu": 0.5}}  # a tie is wrong
    assert found[1].standings == {"one": {"bleu": 2.5}, "online": {"bleu": 0.0}}
    assert standings(found) == {
        "systems": ["one", "online"],
        "against": {"demo/test": "the reference"},
        "documents": [([1.5, 0.5], ["01", None]), ([2.5, 0.0], [None, None])],
    }


def test_languages_are_given_with_their_corpus() -> None:
    assert read_languages(["a=b=en/de", "c=zh/en"]) == {"a=b": ("en", "de"), "c": ("zh", "en")}
    for wrong in ("en/de", "c=en", "c=/de", "=en/de"):
        with pytest.raises(InputError, match="is not CORPUS=SOURCE/TARGET"):
            read_languages([wrong])


def test_groups_are_given_with_their_corpus() -> None:
    assert read_groups(["c=[a-z]{2}=", "d="], ["c", "d"]) == {"c": "[a-z]{2}=", "d": ""}
    with pytest.raises(InputError, match=r"--groups \[a-z\] is not CORPUS=REGULAR-EXPRESSION; name a corpus of"):
        read_groups(["[a-z]"], ["c"])


def test_switches_that_all_experiments_share_are_left_out() -> None:
    settings: dict[str, Any] = {"settings": {}, "training": {}, "decoding": {}, "initialised_from": None}
    experiments = {
        "one": {"system": "transformer", "analysis": "builtin", **settings},
        "two": {"system": "transformer", "analysis": "builtin", **settings, "decoding": {"beam": 1}},
    }
    assert differing_switches(Configuration.read({"run": "x", "experiments": experiments})) == {
        "one": {"system": "transformer", "decoding.beam": 4},
        "two": {"system": "transformer", "decoding.beam": 1},
    }
    assert differing_switches(Configuration.read({"run": "x"})) == {}


def command(*arguments: str, script: str = "report") -> subprocess.CompletedProcess[str]:
    words = [sys.executable, "-m", f"discourse_nmt.workflow_scripts.report.{script}", *arguments]
    return subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)


def test_the_command_makes_a_page_of_hostile_documents(tmp_path: Path) -> None:
    options = write_run(tmp_path, plain_documents(2) | special_documents())
    result = command(*options, "--output", str(tmp_path / "report.html"))
    assert result.returncode == 0, result.stderr
    html = (tmp_path / "report.html").read_text(encoding="utf-8")
    (index,) = re.findall(r'id="documents">([^<]*)<', html)
    assert [entry["name"] for entry in json.loads(index)["documents"]] == ["doc-000", "doc-001", *special_documents()]
    assert html.count('<script type="text/plain" id="block-') == 1
    assert all(text not in html for text in HOSTILE)


def test_a_picture_needs_several_units_of_the_test(tmp_path: Path) -> None:
    options = write_run(tmp_path, plain_documents(6))
    for groups, pictures in (("", 1), ("doc-", 0)):  # six documents, one group
        result = command(*options, "--groups", f"demo={groups}", "--output", str(tmp_path / "report.html"))
        assert result.returncode == 0, result.stderr
        assert (tmp_path / "report.html").read_text(encoding="utf-8").count(
            "Differences from the baseline<"
        ) == pictures


def test_items_without_a_place_are_refused(tmp_path: Path) -> None:
    options = write_run(tmp_path, plain_documents(1))
    result = command(*options, "--contrastive", "items.parquet", "--output", str(tmp_path / "report.html"))
    assert result.returncode == 1
    assert result.stderr == "error: --contrastive items.parquet is not CORPUS/SPLIT=FILE\n"
    assert not (tmp_path / "report.html").exists()


def test_a_record_of_provenance_has_checksums_and_says_what_is_gone(tmp_path: Path) -> None:
    model = tmp_path / "model.safetensors"
    model.write_bytes(b"abc")
    gone, record = str(tmp_path / "gone.txt"), tmp_path / "provenance.json"
    given = ["--configuration", "{}", "--switches", '{"one": {}}', "--code", '{"tokenise": "0123"}', "--data", gone]
    metrics = tmp_path / "metrics.csv"
    metrics.write_text("update,precision\n1,fp32\n2,bf16\n")
    options = [*given, "--models", str(model), "--metrics", str(metrics), "--output", str(record)]
    result = command(*options, script="record_provenance")
    assert result.returncode == 0, result.stderr
    found = Provenance.from_mapping(read_json(record), file=str(record))
    assert found.data == {gone: None}
    # The example of the standard, FIPS 180-2, appendix B.1.
    assert found.models == {str(model): "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"}
    assert found.precisions == {str(metrics): "bf16"}
    assert found.packages["pandas"] == pd.__version__
    assert found.packages["ctranslate2"] == version("ctranslate2")
    titles = ["Data and models", "Arithmetic of trainings", "Code", "Packages"]
    assert [title for title, _ in found.tables] == titles
    assert found.tables[0][1].to_numpy().tolist() == [[gone, "absent"], [str(model), found.models[str(model)]]]
    with pytest.raises(InputError, match="no record of provenance"):
        Provenance.from_mapping({"code": {}}, file="provenance.json")
