"""The table of scores of Chinese themes on CTRD."""

from pathlib import Path

import pytest

from discourse_nmt.discourse.structures.mentions import Span
from discourse_nmt.discourse.structures.syntax import Syntax
from discourse_nmt.discourse.themes.ctrd import CtrdDocument, CtrdUnit
from discourse_nmt.workflow_scripts.parsers import score_themes
from discourse_nmt.workflow_scripts.parsers.score_themes import (
    label_scores,
    offsets_of,
    sentences_of,
    trivial_labels,
    units_of,
)

TOPICAL, TEXTUAL, RHEME = "theme-topical", "theme-textual", "rheme"
CLAUSES = (
    (CtrdUnit("TXT", ("但是",)), CtrdUnit("TOP", ("她",)), CtrdUnit("NOR", ("没", "来", "，"))),
    (),
    (CtrdUnit("OMN", ("走", "了", "。", "”")),),
    (CtrdUnit("TOP", ("报道",)),),
)


def test_sentences_end_with_their_marks() -> None:
    first, second = sentences_of(CtrdDocument(CLAUSES, 0, 0))
    assert [[word for word, _ in clause] for clause in first] == [
        ["但是", "她", "没", "来", "，"],
        ["走", "了", "。", "”"],
    ]
    assert [label for clause in first for _, label in clause] == [TEXTUAL, TOPICAL] + [RHEME] * 7
    assert units_of(first, 3) == [Span(3, 0, 5), Span(3, 5, 9)]
    assert second == [[("报道", TOPICAL)]]
    assert offsets_of(["但是", "她", "没"]) == [(0, 2), (2, 3), (3, 4)]


def test_trivial_rules() -> None:
    kinds = ("ADV", "PRON", "ADV", "VERB", "PUNCT", "VERB", "NOUN")
    none = ("_",) * len(kinds)
    syntax = Syntax(none, kinds, none, none, none, (-1,) * len(kinds), none)
    units = [Span(0, 0, 5), Span(0, 5, 6), Span(0, 6, 7)]
    assert trivial_labels(syntax, units, "first word") == [TOPICAL, *[RHEME] * 4, TOPICAL, TOPICAL]
    assert trivial_labels(syntax, units, "before the verb") == [*[TOPICAL] * 3, *[RHEME] * 3, TOPICAL]


def test_scores_by_label() -> None:
    scores = label_scores([TOPICAL, TOPICAL, RHEME, RHEME], [TOPICAL, RHEME, RHEME, TEXTUAL])
    assert scores["accuracy"].recall == 50
    assert (scores[TOPICAL].precision, scores[TOPICAL].recall) == (100, 50)
    assert (scores[RHEME].precision, scores[RHEME].recall) == (50, 50)
    assert (scores[TEXTUAL].precision, scores[TEXTUAL].recall) == (0, 0)


@pytest.mark.parametrize("words", ["corpus", "predicted"])
def test_the_part_is_scored(
    words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    theme = '<T WORD="{0}" CONTENT="{0}" FUNCTION="TOP" NUM="1"/>'
    clause = f'<S ID="1">{theme}<R WORD="{{1}}" CONTENT="{{1}} 。" TYPE="NOR" NUM="2"/></S>'
    for name, (topic, predicate) in {"a": ("中国", "赢 了"), "b": ("我们", "走 了"), "c": ("他们", "来 了")}.items():
        (tmp_path / f"{name}.xml").write_text(f"<DOC>{clause.format(topic, predicate)}</DOC>", encoding="utf-8")
    options = ["--ctrd", f"{tmp_path}/*.xml", "--part", "test", "--dev", "1", "--test", "1", "--words", words]
    monkeypatch.setattr("sys.argv", ["score_themes", *options])
    score_themes.main()
    told = capsys.readouterr()
    rows = {line.split("\t")[0]: line.split("\t")[1] for line in told.out.splitlines()}
    assert rows["rules"] == "100.00" and rows["rheme"] == "75.00"
    assert ("first word" in rows) == (words == "corpus")
    assert "1 documents, 4 words" in told.err
