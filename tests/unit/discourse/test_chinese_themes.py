"""Themes of Chinese clauses: examples of each construction, traditional characters, any tree, CTRD, the backend."""

import random
import re
from dataclasses import dataclass, replace
from itertools import accumulate, chain
from pathlib import Path

import pytest

from discourse_nmt.base.sources import expand
from discourse_nmt.discourse.analyser_set import load_analysers
from discourse_nmt.discourse.analysers.annotation import syntax_rows
from discourse_nmt.discourse.analysers.weights import load_analyser
from discourse_nmt.discourse.backends.backend import Context, DocumentInput
from discourse_nmt.discourse.backends.builtin.models import THEME_LANGUAGES
from discourse_nmt.discourse.backends.builtin.themes import make
from discourse_nmt.discourse.settings import BuiltinThemeSettings
from discourse_nmt.discourse.structures.mentions import Span, edus_of_starts
from discourse_nmt.discourse.structures.syntax import Syntax
from discourse_nmt.discourse.themes.chinese import adjuncts
from discourse_nmt.discourse.themes.ctrd import labelled_words, read_ctrd
from discourse_nmt.discourse.themes.labelling import RULES, label_themes
from discourse_nmt.discourse.weight_files import simplified_characters
from tests.conftest import ROOT

TOPICAL, TEXTUAL, INTERPERSONAL, RHEME = "theme-topical", "theme-textual", "theme-interpersonal", "rheme"
LABELS = (TOPICAL, TEXTUAL, INTERPERSONAL, RHEME)
MARKS = {"~": TEXTUAL, "=": INTERPERSONAL, "/": TOPICAL}
XPOS = {"NOUN": "NN", "PROPN": "NNP", "PRON": "PRP", "VERB": "VV", "ADV": "RB", "ADP": "IN", "ADJ": "JJ", "NUM": "CD"}
FOLDER = ROOT / "resources" / "analysers" / "zh"


@dataclass(frozen=True)
class Example:
    """A sentence with its units and the label of each word."""

    name: str
    syntax: Syntax
    edus: tuple[Span, ...]
    labels: tuple[str, ...]


def syntax_of(columns: str) -> Syntax:
    """The syntax written as ``form_UPOS_relation_head``."""
    forms, upos, deprels, heads = zip(*(word.split("_") for word in columns.split()), strict=True)
    xpos = tuple(XPOS.get(kind, "_") for kind in upos)
    return Syntax(forms, upos, xpos, ("_",) * len(forms), forms, tuple(int(head) - 1 for head in heads), deprels)


def example_of(block: str) -> Example:
    name, text, columns = block.split("\n")
    syntax = syntax_of(columns)
    labels: list[str] = []
    edus: list[Span] = []
    words = edu_start = 0
    for token in [*text.split(), "|"]:
        if token == "|":
            labels += [RHEME] * (words - len(labels))
            edus.append(Span(0, edu_start, words))
            edu_start = words
        elif token in MARKS:
            labels += [MARKS[token]] * (words - len(labels))
        else:
            assert token == syntax.forms[words], text
            words += 1
    assert words == len(syntax.forms), text
    return Example(name, syntax, tuple(edus), tuple(labels))


FILE = Path(__file__).with_name("chinese_theme_examples.txt")
EXAMPLES = [example_of(block) for block in FILE.read_text(encoding="utf-8").strip().split("\n\n")]


def labels_of(syntax: Syntax, edus: tuple[Span, ...] | list[Span] = ()) -> tuple[str, ...]:
    labels: list[str] = []
    for theme in label_themes([syntax], edus, "zh"):
        assert theme.span.start == len(labels)
        labels += [theme.label] * (theme.span.end - theme.span.start)
    assert len(labels) == len(syntax.forms)
    return tuple(labels)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.name)
def test_constructions(example: Example) -> None:
    assert labels_of(example.syntax, example.edus) == example.labels


def test_examples_have_distinct_names() -> None:
    assert len({example.name for example in EXAMPLES}) == len(EXAMPLES) >= 40


def traditional_characters() -> dict[int, str]:
    """Each traditional character that the analysers of Chinese know, with its simplified one."""
    return {key: value for key, value in simplified_characters(FOLDER).items() if 0x4E00 <= key <= 0x9FFF}


def test_traditional_characters_have_the_same_themes() -> None:
    traditional_of = {ord(simplified): chr(key) for key, simplified in traditional_characters().items()}
    changed = 0
    for example in EXAMPLES:
        forms = tuple(form.translate(traditional_of) for form in example.syntax.forms)
        changed += forms != example.syntax.forms
        assert labels_of(replace(example.syntax, forms=forms), example.edus) == example.labels, example.name
    assert changed > 30


def test_every_traditional_character_of_the_lists_is_known() -> None:
    lists = [value for value in vars(adjuncts).values() if isinstance(value, frozenset)]
    listed = set("".join(chain.from_iterable(lists)) + adjuncts.TIME.pattern)
    assert len(lists) >= 12
    for traditional, simplified in traditional_characters().items():
        if simplified in listed and chr(traditional) not in listed:
            assert adjuncts.SIMPLIFIED[traditional] in (ord(simplified), ord("着")), chr(traditional)
    assert not listed & set(map(chr, adjuncts.SIMPLIFIED))


def test_times() -> None:
    times = ["去年", "十月底", "二十五岁时", "三年前", "近十年来", "２００８年５月１２日", "民国六十三年", "第二天"]
    times += ["每天上午", "本世纪初", "这一年", "下周二", "星期三"]
    others = ["人", "三个人", "现代", "年轻人", "天气", "第一", "日本", "上海", "中国", "时间", "月亮", "一本书"]
    assert [text for text in times if not adjuncts.TIME.fullmatch(text)] == []
    assert [text for text in others if adjuncts.TIME.fullmatch(text)] == []


def test_sentence_mode_reads_the_first_clause() -> None:
    [example] = [one for one in EXAMPLES if one.name == "a conjunction"]
    assert labels_of(example.syntax) == (TEXTUAL, TOPICAL, *[RHEME] * 8)


def test_any_tree_with_any_units_is_labelled() -> None:
    """Labels tile the words of each unit: textual and interpersonal themes, one topical theme, rheme, in order."""
    words = [word for one in EXAMPLES for word in zip(one.syntax.forms, one.syntax.upos, one.syntax.xpos)]
    deprels = sorted({deprel for one in EXAMPLES for deprel in one.syntax.deprels} - {"root"})
    for seed in range(1500):
        source = random.Random(seed)
        size = source.randint(1, 14)
        order = source.sample(range(size), size)
        heads = [-1] * size
        for number, word in enumerate(order[1:], start=1):
            heads[word] = order[source.randrange(number)]
        forms, upos, xpos = zip(*source.choices(words, k=size))
        relations = tuple("root" if head < 0 else source.choice(deprels) for head in heads)
        syntax = Syntax(forms, upos, xpos, ("_",) * size, forms, tuple(heads), relations)
        for edus in (edus_of_starts([[source.random() < 0.3 for _ in forms]]), ()):
            labels = labels_of(syntax, edus)
            for edu in edus or [Span(0, 0, size)]:
                kinds = "".join("OTIR"[LABELS.index(label)] for label in labels[edu.start : edu.end])
                assert re.fullmatch("[TI]*O*R*", kinds)


def test_the_builtin_analysis_has_themes_in_each_language_with_rules() -> None:
    assert set(THEME_LANGUAGES) == set(RULES)
    [example] = [one for one in EXAMPLES if one.name == "time before the subject"]
    ends = list(accumulate(map(len, example.syntax.forms)))
    offsets = [list(zip([0, *ends[:-1]], ends))]
    tables = {"syntax": syntax_rows("d", "source", offsets, [example.syntax])}
    document = DocumentInput("d", ("".join(example.syntax.forms),), tables)
    labels = {}
    for language in ("zh", "en"):
        context = Context("c", "dev", "source", language)
        [rows] = make("themes", BuiltinThemeSettings(clause="sentence"), context).analyse([document])
        labels[language] = [(row["start"], row["end"], row["label"]) for row in rows]
    assert labels["zh"] == [(0, 6, TEXTUAL), (6, 7, TOPICAL), (7, 12, RHEME)]
    assert labels["en"] != labels["zh"]


def test_the_loaded_analysers_label_by_the_rules_of_their_language() -> None:
    label = load_analysers(FOLDER, "zh").label_themes
    [example] = [one for one in EXAMPLES if one.name == "time before the subject"]
    assert label is not None
    assert list(label([example.syntax], example.edus)) == label_themes([example.syntax], example.edus, "zh")


def test_ctrd_with_predicted_syntax(shared_data: Path) -> None:
    """More labels are right than by two trivial rules; the units are those of the corpus."""
    sources = expand(f"{shared_data}/theme_rheme/ctrd_450docs.tar.xz::ctrd/chtb_00*.xml")[:6]
    clauses = [
        [list(labelled_words(clause, omitted=False)) for clause in read_ctrd(source.text(), source.name).clauses]
        for source in sources
    ]
    units = [[word for word, _ in clause] for document in clauses for clause in document if clause]
    gold = [label for document in clauses for clause in document for _, label in clause]
    analyses = load_analyser(FOLDER, units=False).analyse([units])[0]
    ours: list[str] = []
    first_word: list[str] = []
    before_verb: list[str] = []
    for syntax in analyses:
        size = len(syntax.forms)
        ours += labels_of(syntax)
        first_word += [TOPICAL] + [RHEME] * (size - 1)
        verb = next((place for place, kind in enumerate(syntax.upos) if kind in ("VERB", "AUX")), size)
        before_verb += [TOPICAL] * verb + [RHEME] * (size - verb)
    right = [sum(map(str.__eq__, gold, labels)) / len(gold) for labels in (ours, first_word, before_verb)]
    assert len(gold) > 1000 and right[0] > 0.8 and right[0] > max(right[1:]) + 0.05, right
