"""The report shows what the tables hold, and text from corpora stays text."""

from html.parser import HTMLParser
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpus.errors import InputError
from scoring.bleu import Score
from scoring.curves import learning_curve
from scoring.folders import Run, run_of, split_of, stage_of
from scoring.report import SENTENCES, contrastive_tables, drop_counts, page, samples, stage_times
from scoring.table import collect, score_table
from workflow_scripts.report import TEMPLATE

HOSTILE = "</td><script>alert('x')</script><img src=http://example.org/x onerror=alert(1)>&amp;\"'"
VOID = {"meta", "img", "br", "link", "input", "hr"}


class Reader(HTMLParser):
    """Collects elements, attributes and text, and checks that elements are closed in order."""

    def __init__(self) -> None:
        super().__init__()
        self.names: list[str] = []
        self.attributes: list[tuple[str, str, str]] = []
        self.text: list[str] = []
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.append(tag)
        self.attributes += [(tag, name, value or "") for name, value in attrs]
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def read(html: str) -> Reader:
    reader = Reader()
    reader.feed(html)
    reader.close()
    assert not reader.open
    return reader


def scores(experiment: str = "sentence", corpus: str = "demo", signature: str = "nrefs:1|v") -> pd.DataFrame:
    found = [Score("s-BLEU", 31.4159, signature)]
    for subset, right in (("all", 62.5), ("pronoun", 50.0), ("distance 2", 75.0)):
        found += [
            Score(f"contrastive accuracy ({subset})", right, "ties:wrong"),
            Score(f"contrastive accuracy, lower bound ({subset})", right - 4.4, "ties:wrong"),
            Score(f"contrastive accuracy, upper bound ({subset})", right + 4.2, "ties:wrong"),
            Score(f"contrastive items ({subset})", 400, "count"),
            Score(f"contrastive ties ({subset})", 0, "count"),
        ]
    return score_table(found, corpus=corpus, experiment=experiment, system="transformer", seed=1, test_set="test")


def sentences(documents: int, length: int, text: str = "Satz") -> pd.DataFrame:
    rows = [(f"d{d}", s, f"source {d} {s}", f"{text} {d} {s}") for d in range(documents) for s in range(length)]
    return pd.DataFrame(rows, columns=["doc_id", "sent_id", "source", "target"])


def translated(table: pd.DataFrame, text: str) -> pd.DataFrame:
    return table[["doc_id", "sent_id"]].assign(rank=0, hypothesis=[f"{text} {number}" for number in range(len(table))])


def metrics() -> pd.DataFrame:
    return pd.DataFrame({"update": [1.0, 2.0, 3.0], "dev_loss": [4.0, None, 3.0], "dev_bleu": [None, None, 12.5]})


def report(name: str, corpus: str, *, curves: bool = True) -> str:
    table = sentences(1, 2, name)
    table["source"] = name
    run = Run(corpus, name, 1)
    return page(
        TEMPLATE.read_text(encoding="utf-8"),
        title=name,
        scores=scores(name, corpus, f"signature {name}"),
        metrics={run: metrics()} if curves else {},
        drops={corpus: pd.DataFrame({"doc_id": [name], "line": [3], "reason": [name], "text": [name]})},
        benchmarks=pd.DataFrame({"corpus": [corpus], "stage": [name], "seconds": [1.5], "memory": [None]}),
        documents=samples(
            corpus, name, table.assign(doc_id=name), {run: translated(table, name).assign(doc_id=name)}, 3
        ),
    )


def test_hostile_text_stays_text() -> None:
    reader = read(report(HOSTILE, "c" + HOSTILE))
    assert not {"script", "img", "iframe", "object", "link", "form"} & set(reader.names)
    assert sum(HOSTILE in text for text in reader.text) >= 8
    for _, name, value in reader.attributes:
        assert not name.startswith("on")
        assert name not in ("src", "action", "formaction", "srcdoc")
        if name in ("href", "xlink:href"):
            assert value.startswith("#")


PLAIN = read(report("name", "corpus", curves=False)).names


@settings(max_examples=50, deadline=None)
@given(st.text(alphabet="<>&\"'/!-]{}%# ascriptj\u05d0\u4e2d", max_size=30))
def test_no_text_changes_the_elements_of_the_page(text: str) -> None:
    assert read(report(text + "x", "corpus", curves=False)).names == PLAIN


def test_the_page_needs_nothing_from_elsewhere() -> None:
    html = report("sentence", "demo")
    assert "default-src 'none'" in html
    assert "@import" not in html and "url(" not in html.replace("url(#", "")
    namespaces = html.replace("http://www.w3.org/2000/svg", "").replace("http://www.w3.org/1999/xlink", "")
    assert "http" not in namespaces.replace("http-equiv", "")
    assert html == report("sentence", "demo")


def test_every_part_is_in_the_page_and_linked() -> None:
    reader = read(report("sentence", "demo"))
    anchors = {value for _, name, value in reader.attributes if name == "id"}
    links = {value[1:] for _, name, value in reader.attributes if name == "href"}
    assert links == {"scores", "contrastive", "curves", "documents", "drops", "times"}
    assert links <= anchors
    text = " ".join(reader.text)
    for wanted in ("31.42", "62.5 [58.1, 66.7]", "development loss", "development BLEU", "sentence 0 1"):
        assert wanted in text
    assert ("html", "lang", "en") in reader.attributes
    assert reader.names.count("svg") == 2


def test_parts_without_data_are_left_out() -> None:
    html = page(
        TEMPLATE.read_text(encoding="utf-8"),
        title="empty",
        scores=score_table(
            [Score("s-BLEU", 1.0, "v")], corpus="c", experiment="e", system="s", seed=1, test_set="test"
        ),
        metrics={},
        drops={},
        benchmarks=pd.DataFrame(columns=["corpus", "stage", "seconds", "memory"]),
        documents=[],
    )
    links = {value for _, name, value in read(html).attributes if name == "href"}
    assert links == {"#scores", "#drops"}
    assert "Nothing was dropped." in html


def test_scripts_of_other_languages_are_written_as_they_are() -> None:
    for text in ("我们去公园", "Привет, мир", "שלום עולם", "مرحبا", "नमस्ते"):
        assert text in report(text, "demo")


def test_curve_has_a_point_per_measurement_and_none_gives_no_curve() -> None:
    frame = metrics().assign(experiment="sentence", seed=1)
    drawing = learning_curve(frame, "dev_loss")
    assert drawing.startswith("<svg") and drawing.count('aria-roledescription="point"') == 2
    assert "currentColor" in drawing
    assert learning_curve(frame.assign(dev_bleu=None), "dev_bleu") == ""


def test_samples_are_spread_over_the_test_set_and_cut() -> None:
    table = sentences(9, SENTENCES + 2)
    runs = {
        Run("demo", "sentence", 1): translated(table, "eins"),
        Run("demo", "sentence", 2): translated(table, "zwei"),
        Run("demo", "context", 1): translated(table.iloc[:5], "drei"),
    }
    found = samples("demo", "test", table, runs, 3)
    assert [sample.document for sample in found] == ["d0", "d3", "d6"]
    assert found[0].systems == ["sentence", "context"]
    assert found[0].rows[1] == ["1", "source 0 1", "Satz 0 1", "eins 1", "drei 1"]
    assert found[1].rows[0] == ["0", "source 3 0", "Satz 3 0", f"eins {3 * (SENTENCES + 2)}", "–"]
    assert [(len(sample.rows), sample.length) for sample in found] == [(SENTENCES, SENTENCES + 2)] * 3
    assert len(samples("demo", "test", sentences(2, 1), {}, 3)) == 2


def test_contrastive_table_has_a_column_per_experiment() -> None:
    both = collect([(scores(), "a"), (scores("context").assign(seed=1), "b"), (scores("context").assign(seed=2), "c")])
    ((corpus, test_set, cells),) = contrastive_tables(both)
    assert (corpus, test_set) == ("demo", "test")
    assert list(cells.columns) == ["items tested", "number", "sentence", "context"]
    assert cells.iloc[0].tolist() == ["all", "400", "62.5 [58.1, 66.7]", "62.50 ± 0.00"]
    assert cells["items tested"].tolist() == ["all", "pronoun", "distance 2"]


def test_an_accuracy_without_its_interval_is_refused() -> None:
    table = scores()
    with pytest.raises(InputError, match="lacks an interval"):
        contrastive_tables(table[~table["metric"].str.startswith("contrastive accuracy, upper bound")])


def test_stage_times_add_up_jobs() -> None:
    jobs = [("demo", "tokenise", 2.0, 50.0), ("demo", "tokenise", 3.0, 70.0), ("", "collect", 0.1, None)]
    times = stage_times(pd.DataFrame(jobs, columns=["corpus", "stage", "seconds", "memory"]))
    assert times.to_numpy().tolist() == [
        ["demo", "tokenise", 2, "5.0", "3.0", "70"],
        ["", "collect", 1, "0.1", "0.1", "–"],
    ]


def test_drops_are_counted_by_reason() -> None:
    frame = pd.DataFrame(
        {
            "doc_id": ["a", "b", "c"],
            "line": [1, 2, None],
            "reason": ["long", "long", "short"],
            "text": list("xyz"),
        }
    )
    assert drop_counts({"demo": frame}).to_numpy().tolist() == [
        ["demo", "long", "2", "a", "x"],
        ["demo", "short", "1", "c", "z"],
    ]


def test_names_are_read_off_paths() -> None:
    assert run_of("results/r/demo/experiments/base/seed12/metrics.csv") == Run("demo", "base", 12)
    assert run_of("/x/experiments/demo/experiments/base/seed1/translations/test.parquet") == Run("demo", "base", 1)
    assert split_of("results/r/demo/corpus/test/0.parquet") == ("demo", "test")
    assert stage_of(Path("demo/tokenise/train/0.tsv")) == ("demo", "tokenise")
    assert stage_of(Path("demo/learn_bpe.tsv")) == ("demo", "learn_bpe")
    assert stage_of(Path("collect_scores.tsv")) == ("", "collect_scores")
    for path in ("metrics.csv", "demo/experiments/base/first/metrics.csv", "experiments/base/seed1"):
        with pytest.raises(InputError, match="not in a folder CORPUS/experiments"):
            run_of(path)
    with pytest.raises(InputError, match="not in a folder CORPUS/corpus"):
        split_of("demo/test/0.parquet")
