"""Theme-rheme labelling: worked examples, invariants on any tree, and agreement with GUM and the demo corpus."""

import random
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain, pairwise
from pathlib import Path
from typing import Any

import pytest

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.settings import parse_settings
from discourse_nmt.base.sources import expand
from discourse_nmt.base.storage.tables import TABLES
from discourse_nmt.demo.generation import generate as generate_demo
from discourse_nmt.demo.generation import gold_tables, sentences
from discourse_nmt.discourse.analysers.analyser import Analyser
from discourse_nmt.discourse.analysers.weights import load_analyser, load_segmenter
from discourse_nmt.discourse.formats.conllu import Sentence, edus_of_sentences, read_conllu
from discourse_nmt.discourse.structures.mentions import Span, edus_of_starts
from discourse_nmt.discourse.structures.rows import themes_to_rows
from discourse_nmt.discourse.structures.syntax import Syntax
from discourse_nmt.discourse.structures.trees import StructureError
from discourse_nmt.discourse.themes.division import divide
from discourse_nmt.discourse.themes.english.clauses import MoodedClause
from discourse_nmt.discourse.themes.labelling import ThemeSpan, clauses_of, label_themes
from discourse_nmt.discourse.themes.sentence import SentenceTree
from discourse_nmt.discourse.themes.settings import ThemeSettings
from tests.conftest import ROOT
from tests.unit.discourse.theme_examples import EXAMPLES, Example, syntax_of

LABELS = ("theme-topical", "theme-textual", "theme-interpersonal", "rheme")
TOPICAL, TEXTUAL, INTERPERSONAL, RHEME = LABELS
FOLDER = ROOT / "resources" / "analysers" / "en"
WORDS = [
    word
    for syntax in (example.syntax for example in EXAMPLES)
    for word in zip(syntax.forms, syntax.upos, syntax.xpos, syntax.features, syntax.lemmas)
]
DEPRELS = sorted({deprel for example in EXAMPLES for deprel in example.syntax.deprels} - {"root"})
DEPRELS += ["dep", "list", "csubj:outer", "orphan", "advcl:relcl", "nummod", "goeswith"]


def labels_of(document: Sequence[Syntax], spans: Sequence[ThemeSpan]) -> list[list[str]]:
    """Labels of all words; fails where a word has none or two."""
    labels: list[list[str]] = [[] for _ in document]
    for theme in spans:
        assert theme.span.start == len(labels[theme.span.sentence])
        labels[theme.span.sentence] += [theme.label] * (theme.span.end - theme.span.start)
    assert [len(one) for one in labels] == [len(sentence.forms) for sentence in document]
    return labels


def moods_of(clauses: Sequence[MoodedClause]) -> tuple[str, ...]:
    return tuple(clause.mood + "*" * clause.marked for clause in clauses)


def check_shape(document: Sequence[Syntax], edus: Sequence[Span]) -> None:
    """Labels tile the words; each clause is textual and interpersonal themes, one topical theme, rheme, in order."""
    spans = label_themes(document, edus)
    labels = labels_of(document, spans)
    starts = {(edu.sentence, edu.start) for edu in edus}
    assert {theme.label for theme in spans} <= set(LABELS)
    for left, right in pairwise(spans):
        same_sentence = left.span.sentence == right.span.sentence
        begins_unit = (right.span.sentence, right.span.start) in starts
        assert left.label != right.label or not same_sentence or begins_unit
    clauses = clauses_of(document, edus)
    for clause in clauses:
        kinds = "".join("OTIR"[LABELS.index(label)] for label in clause.labels)
        assert re.fullmatch("[TI]*O*R*", kinds)
        assert not clause.marked or "O" in kinds
        assert [labels[unit.sentence][word] for unit in clause.unit.spans for word in range(unit.start, unit.end)] == [
            *clause.labels
        ]
    if edus:
        assert sorted(unit for clause in clauses for unit in clause.unit.spans) == sorted(edus)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.text)
def test_clauses_checked_by_hand(example: Example) -> None:
    assert labels_of([example.syntax], label_themes([example.syntax], example.edus))[0] == list(example.labels)
    assert moods_of(clauses_of([example.syntax], example.edus)) == example.moods
    check_shape([example.syntax], example.edus)


def test_examples_are_many_and_of_all_kinds() -> None:
    assert len(EXAMPLES) >= 80
    moods = Counter(chain.from_iterable(example.moods for example in EXAMPLES))
    assert min(moods[kind] for kind in ("declarative", "declarative*", "wh", "polar", "imperative", "minor")) >= 5


def test_a_sentence_without_units_is_divided_once() -> None:
    [example] = [one for one in EXAMPLES if one.text.startswith("Although ~ it / rained")]
    assert labels_of([example.syntax], label_themes([example.syntax]))[0] == [TOPICAL] * 4 + [RHEME] * 5
    assert moods_of(clauses_of([example.syntax])) == ("declarative*",)
    assert labels_of([example.syntax], label_themes([example.syntax], example.edus))[0] == list(example.labels)


def test_of_two_clauses_in_a_unit_the_higher_one_has_its_head() -> None:
    """In the first unit *raining* depends on *well* and *slept* on *said*, both in the other one."""
    syntax = syntax_of("raining_VBG_advcl_4 we_PRP_nsubj_3 slept_VBD_ccomp_5 well_RB_advmod_3 said_VBD_root_0")
    units = divide(SentenceTree(0, syntax), [Span(0, 0, 3), Span(0, 3, 5)])
    assert [(unit.words, unit.head) for unit in units] == [((0, 1, 2), 2), ((3, 4), 4)]


def test_a_comment_is_interpersonal_only_where_nothing_depends_on_it() -> None:
    comment = syntax_of("I_PRP_nsubj_2 guess_VBP_parataxis_4 we_PRP_nsubj_4 won_VBD_root_0")
    projecting = syntax_of("I_PRP_nsubj_2 guess_VBP_root_0 we_PRP_nsubj_4 won_VBD_ccomp_2")
    assert labels_of([comment], label_themes([comment]))[0] == [INTERPERSONAL, INTERPERSONAL, TOPICAL, RHEME]
    assert labels_of([projecting], label_themes([projecting]))[0] == [TOPICAL, RHEME, RHEME, RHEME]


@pytest.mark.parametrize("apostrophe", ["'s", "’s", "’S"])
def test_lets_with_any_apostrophe(apostrophe: str) -> None:
    syntax = syntax_of(f"Let_IMP_root_0 {apostrophe}_PRP_obj_1 go_VB_xcomp_1 ._._punct_1")
    assert labels_of([syntax], label_themes([syntax]))[0] == [TOPICAL, TOPICAL, RHEME, RHEME]


def test_a_wh_word_in_the_predicate_does_not_swallow_the_clause() -> None:
    late = syntax_of("He_PRP_nsubj_2 knows_VBZ_root_0 what_WP_obj_5 she_PRP_nsubj_5 wants_VBZ_ccomp_2 ?_._punct_2")
    assert labels_of([late], label_themes([late]))[0] == [TOPICAL] + 5 * [RHEME]
    assert moods_of(clauses_of([late])) == ("declarative",)
    echo = syntax_of("You_PRP_nsubj_2 saw_VBD_root_0 what_WP_obj_2 ?_._punct_2")
    assert labels_of([echo], label_themes([echo]))[0] == [TOPICAL] + 3 * [RHEME]


def test_rhemes_go_on_in_the_pieces_of_an_interrupted_clause() -> None:
    [example] = [one for one in EXAMPLES if one.text.startswith("The team , / |")]
    pieces, relative = clauses_of([example.syntax], example.edus)
    assert pieces.unit.spans == (example.edus[0], example.edus[2])
    assert relative.unit.spans == (example.edus[1],)
    assert set(pieces.labels[:3]) == {TOPICAL} and set(pieces.labels[3:]) == {RHEME}


def test_documents_may_be_empty() -> None:
    nothing = Syntax((), (), (), (), (), (), ())
    one = syntax_of("Rain_NN_root_0")
    assert label_themes([]) == label_themes([nothing]) == []
    assert label_themes([nothing, one, nothing]) == [ThemeSpan(Span(1, 0, 1), RHEME)]
    assert label_themes([nothing, one], [Span(1, 0, 1)]) == [ThemeSpan(Span(1, 0, 1), RHEME)]


def test_what_cannot_be_labelled_is_refused() -> None:
    one = syntax_of("Rain_NN_nsubj_2 falls_VBZ_root_0")
    with pytest.raises(StructureError, match="EDU"):
        label_themes([one], [Span(0, 0, 1)])
    bare = replace(one, upos=("_", "_"), heads=(-1, -1), deprels=("_", "_"))
    with pytest.raises(StructureError, match="sentence 1 has no syntactic analysis"):
        label_themes([one, bare])


def test_settings() -> None:
    assert parse_settings(ThemeSettings, {}, "themes").clause == "edu"
    with pytest.raises(InputError, match="clause is 'sentences'"):
        parse_settings(ThemeSettings, {"clause": "sentences"}, "themes")


def test_rows_are_those_of_the_table() -> None:
    rows = themes_to_rows("d", [(Span(0, 0, 4), TOPICAL), (Span(0, 5, 9), RHEME)])
    assert all(list(row) == list(TABLES["themes"]) for row in rows)
    assert rows[1] == {"doc_id": "d", "sent_id": 0, "start": 5, "end": 9, "label": RHEME}


def random_syntax(source: random.Random) -> Syntax:
    """Any tree over words of the examples, crossing arcs included."""
    size = source.randint(1, 14)
    order = source.sample(range(size), size)
    heads = [-1] * size
    for number, word in enumerate(order[1:], start=1):
        heads[word] = order[source.randrange(number)]
    words = source.choices(WORDS, k=size)
    forms, upos, xpos, features, lemmas = zip(*(word[:5] for word in words))
    deprels = ["root" if head < 0 else source.choice(DEPRELS) for head in heads]
    return Syntax(forms, upos, xpos, features, lemmas, tuple(heads), tuple(deprels))


def test_any_tree_with_any_units_is_labelled() -> None:
    for seed in range(1200):
        source = random.Random(seed)
        document = [random_syntax(source) for _ in range(2)]
        starts = [[source.random() < 0.3 for _ in sentence.forms] for sentence in document]
        check_shape(document, edus_of_starts(starts))
        check_shape(document, ())


def syntax_of_sentence(sentence: Sentence) -> Syntax:
    words = sentence.words
    forms, upos, xpos, features, lemmas, deprels = zip(
        *((word.form, word.upos, word.xpos, word.feats, word.lemma, word.deprel) for word in words)
    )
    return Syntax(forms, upos, xpos, features, lemmas, sentence.heads, deprels)


def gum(shared_data: Path, part: str, step: int) -> Iterator[list[Sentence]]:
    for source in expand(f"{shared_data}/treebanks/gum/gum_{part}.tar.xz::{part}/conllu/*.conllu")[::step]:
        yield read_conllu(source.text(), source.name)


def test_gum_documents_are_labelled(shared_data: Path) -> None:
    for part in ("train", "dev"):
        for document in gum(shared_data, part, 12):
            analyses = [syntax_of_sentence(sentence) for sentence in document]
            check_shape(analyses, edus_of_sentences(document))
            check_shape(analyses, ())


def test_moods_agree_with_the_sentence_types_of_gum(shared_data: Path) -> None:
    expected = {"decl": "declarative", "sub": "declarative", "imp": "imperative", "wh": "wh", "frag": "minor"}
    right: Counter[str] = Counter()
    total: Counter[str] = Counter()
    for document in gum(shared_data, "dev", 2):
        clauses = clauses_of([syntax_of_sentence(sentence) for sentence in document])
        for sentence, clause in zip(document, clauses, strict=True):
            kind = sentence.comment("s_type") or ""
            if kind in expected:
                total[kind] += 1
                right[kind] += clause.mood == expected[kind]
    assert all(right[kind] / total[kind] > 0.9 for kind in expected), (right, total)


@pytest.fixture(scope="module")
def analyser() -> Analyser:
    return load_analyser(FOLDER)


def test_gum_documents_with_predicted_syntax_are_labelled(analyser: Analyser, shared_data: Path) -> None:
    for document in gum(shared_data, "dev", 12):
        [analyses] = analyser.analyse([[[word.form for word in sentence.words] for sentence in document]])
        check_shape(analyses, edus_of_starts([analysis.edu_starts for analysis in analyses]))


def test_labels_of_the_demo_corpus(analyser: Analyser) -> None:
    split = generate_demo(40, 1)["train"]
    gold: dict[str, list[dict[Any, Any]]] = {}
    for row in gold_tables(split)["themes"].to_dict("records"):
        gold.setdefault(row["doc_id"], []).append(row)
    segmenter = load_segmenter(FOLDER)
    right = total = 0
    for name, group in list(sentences(split).groupby("doc_id", sort=False))[:14]:
        texts = group["source"].tolist()
        words = segmenter.tokenise(texts)
        forms = [[text[start:end] for start, end in spans] for text, spans in zip(texts, words, strict=True)]
        [analyses] = analyser.analyse([forms])
        found = labels_of(analyses, label_themes(analyses, edus_of_starts([one.edu_starts for one in analyses])))
        for row in gold[str(name)]:
            for label, (start, _) in zip(found[row["sent_id"]], words[row["sent_id"]], strict=True):
                if row["start"] <= start < row["end"]:
                    total += 1
                    right += label == row["label"]
    assert total > 1000
    assert right / total > 0.96
