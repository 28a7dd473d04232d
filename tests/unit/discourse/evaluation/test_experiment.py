"""Analysers on gold documents: what each is given in which setting, the figures, the command."""

import csv
from collections.abc import Sequence
from functools import cache
from itertools import accumulate
from pathlib import Path
from typing import cast

import numpy as np
import pytest

from discourse_nmt.base.errors import InputError
from discourse_nmt.command_line import parser
from discourse_nmt.commands.evaluate_analysers import load
from discourse_nmt.discourse.analyser_set import Analysers
from discourse_nmt.discourse.analysers.analyser import Analyser, SentenceAnalysis
from discourse_nmt.discourse.coreference.speech.turns import Speakers
from discourse_nmt.discourse.evaluation.documents import GoldDocument
from discourse_nmt.discourse.evaluation.experiment import evaluate
from discourse_nmt.discourse.evaluation.figures import (
    Figure,
    figures,
    figures_by_genre,
    write_figures,
    write_figures_by_genre,
)
from discourse_nmt.discourse.evaluation.treebank import read_treebank
from discourse_nmt.discourse.formats.conllu import ConlluRow, Sentence
from discourse_nmt.discourse.parsing.document import ParserInput
from discourse_nmt.discourse.structures.conversions import binarise
from discourse_nmt.discourse.structures.mentions import Chain, Mention, Span
from discourse_nmt.discourse.structures.syntax import Syntax
from discourse_nmt.discourse.structures.trees import NUCLEUS, SATELLITE, SPAN, RstTree, join, leaf
from discourse_nmt.discourse.themes.labelling import ThemeSpan
from tests.conftest import ROOT
from tests.unit.discourse.evaluation.evaluation_samples import NAMES, rs4, write_themes, write_treebank

NEWS = NAMES[0]


class Prophet:
    """Stands for the joint network: knows the gold heads of sentences, and begins units at given words."""

    def __init__(self, document: GoldDocument, starts: Sequence[Sequence[int]]) -> None:
        self.known = {sentence.forms: sentence for sentence in document.syntax if sentence}
        self.starts = dict(zip(self.known, starts))
        self.asked: list[list[list[str]]] = []

    def analyse(
        self, documents: Sequence[Sequence[Sequence[str]]], states: bool = False
    ) -> list[list[SentenceAnalysis]]:
        assert states
        self.asked += [[list(sentence) for sentence in document] for document in documents]
        return [[self.sentence(tuple(forms)) for forms in document] for document in documents]

    def sentence(self, forms: tuple[str, ...]) -> SentenceAnalysis:
        size = len(forms)
        blank = ("X",) * size
        heads = self.known[forms].heads if forms in self.known else tuple(range(-1, size - 1))
        begins = self.starts.get(forms, [])
        edu_starts = tuple(word == 0 or word in begins for word in range(size))
        return SentenceAnalysis(
            forms, blank, blank, blank, blank, heads, blank, edu_starts, np.zeros((size, 2), np.float32)
        )


class Recorder:
    """A parser, a resolver and a labeller that keep what they are given."""

    def __init__(self, trees: dict[int, RstTree] | None = None) -> None:
        self.trees = trees or {}
        self.discourses: list[ParserInput] = []
        self.syntax: list[Sequence[Syntax]] = []
        self.speakers: list[Speakers] = []
        self.edus: list[Sequence[Span]] = []

    def parse(self, documents: Sequence[ParserInput]) -> list[RstTree]:
        self.discourses += documents
        return [self.tree(len(document.edus)) for document in documents]

    def tree(self, edus: int) -> RstTree:
        if edus in self.trees:
            return self.trees[edus]
        if edus == 1:
            return leaf()
        return join([(leaf(), NUCLEUS, SPAN), (self.tree(edus - 1), SATELLITE, "elaboration")])

    def resolve(
        self, documents: Sequence[Sequence[Syntax]], speakers: Sequence[Speakers] | None = None
    ) -> list[tuple[Chain, ...]]:
        self.syntax += documents
        self.speakers += speakers or []
        spans = [Span(0, 0, 1), Span(1, 4, 5)]
        return [(Chain(tuple(Mention(span, span) for span in spans)),)]

    def label(self, sentences: Sequence[Syntax], edus: Sequence[Span]) -> list[ThemeSpan]:
        self.edus.append(edus)
        return [ThemeSpan(Span(0, 0, 2), "theme-topical"), ThemeSpan(Span(1, 0, 1), "theme-topical")]


def document(folder: Path, changes: dict[str, str | None] | None = None) -> GoldDocument:
    write_themes(folder)
    return next(one for one in read_treebank(str(write_treebank(folder, changes))) if one.name == NEWS)


def analysers(joint: Prophet, others: Recorder) -> Analysers:
    return Analysers(cast(Analyser, joint), others, others, others.label)


def value(rows: Sequence[Figure], task: str, metric: str, setting: str) -> float:
    [found] = [row.value for row in rows if (row.task, row.metric, row.setting) == (task, metric, setting)]
    return found


def test_what_is_predicted_perfectly_scores_100(tmp_path: Path) -> None:
    gold = document(tmp_path)
    assert gold.tree is not None
    recorder = Recorder({3: binarise(gold.tree)})
    rows = figures([evaluate(gold, analysers(Prophet(gold, [[], [3]]), recorder))])
    for task in ("rst_parseval_original", "rst_parseval", "edu"):
        assert {row.value for row in rows if row.task == task} == {100}
    for setting in ("gold", "predicted"):
        assert value(rows, "rst_dependencies", "LAS", setting) == 100
        assert value(rows, "rst_relations", "causal F1", setting) == 100
        assert value(rows, "coreference", "CoNLL F1", setting) == 100  # singletons of gold do not count
    assert value(rows, "syntax", "UAS", "gold") == 100
    assert value(rows, "syntax", "LAS", "gold") == pytest.approx(0)
    assert value(rows, "themes", "accuracy", "gold") == pytest.approx(100 * 2 / 6)  # "Rain" and "They"


def test_settings_give_gold_or_predicted_input(tmp_path: Path) -> None:
    gold = document(tmp_path)
    recorder = Recorder()
    rows = figures([evaluate(gold, analysers(Prophet(gold, [[], [1]]), recorder))])
    gold_edus, predicted_edus = (list(one.edus) for one in recorder.discourses)
    assert gold_edus == [Span(0, 0, 3), Span(1, 0, 3), Span(1, 3, 8)]
    assert predicted_edus == [Span(0, 0, 3), Span(1, 0, 1), Span(1, 1, 8)]
    assert all(sentence.upos[0] == "X" for one in recorder.discourses for sentence in one.sentences)
    assert [[sentence.lemmas[0] for sentence in one] for one in recorder.syntax] == [["rain", "they"], ["X", "X"]]
    assert recorder.speakers == [gold.speakers, gold.speakers]
    assert [list(edus) for edus in recorder.edus] == [predicted_edus, gold_edus]
    assert value(rows, "edu", "EDU F1", "gold") == pytest.approx(100 * 2 / 3)
    assert value(rows, "edu", "inner EDU F1", "gold") == 0
    assert value(rows, "rst_parseval_original", "Span F1", "gold") == 100
    assert value(rows, "rst_parseval_original", "Span recall", "predicted") == 100
    assert value(rows, "rst_parseval", "Span F1", "predicted") == pytest.approx(50)


def test_units_across_sentences_are_parsed_in_joined_sentences(tmp_path: Path) -> None:
    crossing = rs4().replace("Rain came .", "Rain came . They").replace("They left ,", "left ,")
    gold = document(tmp_path, {f"rs4/{NEWS}.rs4": crossing})
    recorder, joint = Recorder(), Prophet(gold, [[], []])
    rows = figures([evaluate(gold, Analysers(cast(Analyser, joint), recorder))])
    assert [len(document) for document in joint.asked] == [2, 1]
    assert list(recorder.discourses[0].edus) == [Span(0, 0, 4), Span(0, 4, 6), Span(0, 6, 11)]
    assert value(rows, "rst_parseval_original", "Span F1", "gold") == 100
    assert value(rows, "edu", "EDU precision", "gold") == 50


def test_one_unit_missing_layers_and_missing_analysers(tmp_path: Path) -> None:
    whole = '<segment id="1">Rain came . They left , because it was cold .</segment>'
    one = f"<rst><header><relations/></header><body>{whole}</body></rst>"
    gold = document(tmp_path, {f"rs4/{NEWS}.rs4": one})
    rows = figures([evaluate(gold, analysers(Prophet(gold, [[], []]), Recorder()))])
    assert not [row for row in rows if row.task == "rst_parseval_original" and row.setting == "gold"]
    assert value(rows, "rst_parseval_original", "Span precision", "predicted") == 0
    assert value(rows, "rst_dependencies", "UAS", "gold") == 100
    bare = GoldDocument(gold.name, gold.sentences)
    assert {row.task for row in figures([evaluate(bare, analysers(Prophet(gold, [[], []]), Recorder()))])} == {"syntax"}
    alone = Analysers(cast(Analyser, Prophet(gold, [[], []])))
    assert {row.task for row in figures([evaluate(gold, alone)])} == {"syntax", "edu"}


def test_figures_add_up_documents_and_tell_genres_apart(tmp_path: Path) -> None:
    good = document(tmp_path)
    scores = [evaluate(good, analysers(Prophet(good, starts), Recorder())) for starts in ([[], [3]], [[1], [3]])]
    assert value(figures(scores), "edu", "EDU precision", "gold") == pytest.approx(100 * 6 / 7)
    genres = figures_by_genre(["poetry", "news"], scores)
    assert list(genres) == ["news", "poetry"]
    assert value(genres["poetry"], "edu", "EDU precision", "gold") == 100
    table = write_figures_by_genre(genres).splitlines()
    assert table[0] == "genre\ttask\tmetric\tvalue\tsetting"
    assert "poetry\tedu\tEDU precision\t100.0000\tgold" in table
    assert write_figures(genres["news"]).splitlines()[0] == "task\tmetric\tvalue\tsetting"
    assert figures([]) == []


def odd(sentences: Sequence[Sequence[str]], units: Sequence[int], syntax: bool = True) -> GoldDocument:
    """A document whose units have the given numbers of words, joined as a list."""
    rows = [
        tuple(
            ConlluRow(str(word), form, head=str(int(word > 1)) if syntax else "_", deprel="dep")
            for word, form in enumerate(forms, start=1)
        )
        for forms in sentences
    ]
    empty = (ConlluRow("0.1", "gone"),)
    ends = list(accumulate(units))
    tree = join([(leaf(), NUCLEUS, "joint-list")] * len(units)) if len(units) > 1 else leaf()
    return GoldDocument(
        "GENTLE_odd_one",
        tuple(Sentence((), one or empty) for one in rows),
        tuple(zip([0, *ends[:-1]], ends)),
        tree,
        (((0, 1), (ends[-1] - 1, ends[-1])), ((0, ends[-1]),)),
    )


@pytest.mark.parametrize(
    "document",
    [
        odd([["Hello"]], [1]),
        odd([["_", "_", "_"], ["____"]], [3, 1]),
        odd([["He", "saw", "her", "."]], [1, 1, 1, 1]),
        odd([["He", "left", "."], [], ["She", "said", "so", "."]], [2, 3, 2]),
        odd([["He", "left", "."], ["She", "said", "so", "."]], [3, 4], syntax=False),
        odd([["\u2028", "\u00a0x", "\U0001f600", "x" * 300, "&"]], [5]),
        odd([[f"{number}" for number in range(150)]], [50, 50, 50]),
    ],
    ids=["word", "blank", "unit per word", "unit across sentences", "no syntax", "characters", "numbers"],
)
def test_odd_documents_go_through_the_shipped_analysers(document: GoldDocument) -> None:
    rows = figures([evaluate(document, shipped())])
    assert all(0 <= row.value <= 100 for row in rows)
    assert "edu" in {row.task for row in rows}


@cache
def shipped() -> Analysers:
    return load(ROOT / "resources" / "analysers" / "en", "en")


def run_command(*words: str | Path) -> None:
    arguments = parser().parse_args(["evaluate-analysers", *map(str, words)])
    assert arguments.run(arguments) == 0


def test_the_command_scores_the_shipped_analysers(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    bank = write_treebank(tmp_path / "bank")
    output, genres = tmp_path / "out" / "scores.tsv", tmp_path / "out" / "genres.tsv"
    with caplog.at_level("INFO"):
        run_command("--treebank", bank, "--language", "en", "--output", output, "--by-genre", genres)
    assert "no theme-rheme labels to score" in caplog.text
    with output.open(encoding="utf-8", newline="") as handle:
        rows = list(csv.DictReader(handle, delimiter="\t"))
    assert list(rows[0]) == ["task", "metric", "value", "setting"]
    assert {row["setting"] for row in rows} <= {"gold", "predicted"}
    assert len({(row["task"], row["metric"], row["setting"]) for row in rows}) == len(rows)
    assert all(0 <= float(row["value"]) <= 100 for row in rows)
    assert {"syntax", "edu"} <= {row["task"] for row in rows}
    lines = genres.read_text(encoding="utf-8").splitlines()
    assert {line.split("\t")[0] for line in lines} == {"genre", "news", "poetry"}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--language", "xx"), "no analysers for xx"),
        (("--language", "en", "--analysers", "absent"), "absent: no analysers for en"),
        (("--language", "en", "--treebank", "absent"), r"absent/\*/\*: no such file"),
    ],
)
def test_faults_are_one_line_and_write_nothing(tmp_path: Path, options: tuple[str, ...], message: str) -> None:
    bank = write_treebank(tmp_path / "bank")
    with pytest.raises(InputError, match=message):
        run_command("--treebank", bank, "--output", tmp_path / "scores.tsv", *options)
    assert not (tmp_path / "scores.tsv").exists()
