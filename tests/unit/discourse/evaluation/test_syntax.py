"""Syntax scores against the scorer of the CoNLL 2018 shared task, units, discourse dependencies, labels."""

import random
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from discourse_nmt.base.sources import expand
from discourse_nmt.discourse.analysers.annotation import conllu_of
from discourse_nmt.discourse.analysers.weights import load_analyser
from discourse_nmt.discourse.evaluation.documents import syntax_of
from discourse_nmt.discourse.evaluation.measures.breakdown import attachment_by_relation, attachment_by_sentence
from discourse_nmt.discourse.evaluation.measures.counts import Counts, total
from discourse_nmt.discourse.evaluation.measures.dependencies import attachment
from discourse_nmt.discourse.evaluation.measures.labels import label_counts, labels_of_words
from discourse_nmt.discourse.evaluation.measures.offsets import divided, in_document, in_sentences, joined_lengths
from discourse_nmt.discourse.evaluation.measures.syntax import agreement, syntax_counts
from discourse_nmt.discourse.evaluation.measures.units import unit_counts
from discourse_nmt.discourse.formats.conllu import ConlluRow, Sentence, read_conllu, write_conllu
from discourse_nmt.discourse.structures.conversions import binarise, debinarise, li14
from discourse_nmt.discourse.structures.dependencies import Dependencies
from discourse_nmt.discourse.structures.mentions import Span
from discourse_nmt.discourse.structures.relation_classes import coarse_label
from discourse_nmt.discourse.structures.trees import StructureError
from tests.conftest import ROOT
from tests.unit.discourse.structures.discourse_examples import random_tree

NAMES = {"UPOS": "UPOS", "XPOS": "XPOS", "UFeats": "features", "Lemmas": "lemma", "UAS": "UAS", "LAS": "LAS"}


def reference(gold: Sequence[Sentence], predicted: Sequence[Sentence], folder: Path) -> dict[str, tuple[int, int]]:
    """Right and gold words by the reference scorer, which runs as a program of its own."""
    paths = []
    for name, sentences in (("gold", gold), ("predicted", predicted)):
        paths.append(folder / f"{name}.conllu")
        paths[-1].write_text(write_conllu(sentences), encoding="utf-8")
    program = Path(sys.executable).with_name("udeval")
    run = subprocess.run([program, "--counts", *paths], capture_output=True, text=True, check=True)
    cells = [[cell.strip() for cell in line.split("|")] for line in run.stdout.splitlines()]
    return {NAMES[row[0]]: (int(row[1]), int(row[2])) for row in cells if row[0] in NAMES}


def compare(gold: Sequence[Sentence], predicted: Sequence[Sentence], folder: Path) -> dict[str, Counts]:
    ours = total(syntax_counts(syntax_of(left), syntax_of(right)) for left, right in zip(gold, predicted, strict=True))
    theirs = reference(gold, predicted, folder)
    assert {name: (counts.right, counts.gold) for name, counts in ours.items()} == theirs
    return ours


def annotated(source: random.Random, forms: Sequence[str]) -> Sentence:
    """A random tree and random labels over the words, with multiword tokens and empty nodes between them."""
    heads = [0]
    for word in range(2, len(forms) + 1):
        heads.append(source.randrange(1, word))
    rows = []
    for word, (form, head) in enumerate(zip(forms, heads), start=1):
        if word % 4 == 1 and word < len(forms):
            rows.append(ConlluRow(f"{word}-{word + 1}", form + forms[word]))
        rows.append(
            ConlluRow(
                id=str(word),
                form=form,
                lemma=source.choice([form, "_", "be"]),
                upos=source.choice(["NOUN", "VERB"]),
                xpos=source.choice(["NN", "VB"]),
                feats=source.choice(["_", "Number=Sing", "Number=Sing|Shape=Xx", "Case=Nom|Number=Sing", "Shape=x"]),
                head=str(head),
                deprel=source.choice(["nmod", "nmod:poss", "obj"]) if head else "root",
            )
        )
        if word % 5 == 0:
            rows.append(ConlluRow(f"{word}.1", "gone"))
    return Sentence((), tuple(rows))


def test_syntax_as_the_reference_scorer_has_it(tmp_path: Path) -> None:
    source = random.Random(7)
    forms = [[f"w{number}x{word}" for word in range(source.randint(1, 12))] for number in range(80)]
    gold, predicted = ([annotated(source, words) for words in forms] for _ in range(2))
    counts = compare(gold, predicted, tmp_path)
    assert 0 < counts["LAS"].right < counts["UAS"].right < counts["UAS"].gold


def test_shipped_analyser_on_real_text_as_the_reference_scorer_has_it(shared_data: Path, tmp_path: Path) -> None:
    pattern = f"{shared_data}/treebanks/gum/gum_dev.tar.xz::dev/conllu/GUM_*_r*.conllu"
    gold = [sentence for one in expand(pattern) for sentence in read_conllu(one.text(), one.name)]
    analyser = load_analyser(ROOT / "resources" / "analysers" / "en")
    [analyses] = analyser.analyse([[[word.form for word in sentence.words] for sentence in gold]])
    counts = compare(gold, conllu_of("d", analyses), tmp_path)
    assert counts["LAS"].f1 > 80


def test_agreement_needs_the_same_words() -> None:
    with pytest.raises(ValueError, match="argument 2"):
        agreement(["a", "b"], ["a"])


def test_units_by_their_beginnings_and_ends() -> None:
    gold, predicted = [(0, 3), (3, 5), (5, 9)], [(0, 2), (2, 3), (3, 5), (5, 9)]
    counts = unit_counts(gold, predicted, sentence_starts=[0, 5])
    assert [(one.right, one.gold, one.predicted) for one in counts.values()] == [(3, 3, 4), (1, 1, 2), (2, 3, 4)]
    assert list(counts) == ["EDU", "inner EDU", "exact EDU"]


def test_a_unit_across_sentences_is_wrongly_divided() -> None:
    counts = unit_counts([(0, 9)], [(0, 5), (5, 9)], sentence_starts=[0, 5])
    assert (counts["EDU"].right, counts["EDU"].gold, counts["EDU"].predicted) == (1, 1, 2)
    assert counts["inner EDU"].empty


def test_attachment_counts_equal_heads_and_labels() -> None:
    gold = Dependencies((-1, 0, 1), ("ROOT", "causal-cause_r", "joint-list_m"))
    other = Dependencies((-1, 0, 0), ("ROOT", "causal-result_r", "joint-list_m"))
    counts = attachment(gold, other)
    assert (counts["UAS"].right, counts["LAS"].right, counts["UAS"].gold) == (2, 2, 3)
    assert attachment(gold, other, label=str)["LAS"].right == 1
    assert coarse_label("elaboration-additional_r") == "elaboration_r"


def test_attachment_of_units_that_are_not_the_same() -> None:
    gold = Dependencies((-1, 0, 1), ("ROOT", "causal_r", "joint_m"))
    other = Dependencies((-1, 0), ("ROOT", "causal_r"))
    counts = attachment(gold, other, [(0, 2), (2, 4), (4, 6)], [(0, 2), (2, 6)])["UAS"]
    assert (counts.right, counts.gold, counts.predicted) == (1, 3, 2)
    with pytest.raises(ValueError, match="3 and 2 EDUs"):
        attachment(gold, other)


def test_attachment_by_relation_divides_the_labelled_attachments() -> None:
    gold = Dependencies((-1, 0, 0, 2), ("ROOT", "causal-cause_r", "joint-list_m", "joint-other_m"))
    other = Dependencies((-1, 0, 0, 0), ("ROOT", "causal-result_r", "elaboration_r", "joint-list_m"))
    edus = [(0, 1), (1, 2), (2, 3), (3, 4)]
    counts = attachment_by_relation(gold, other, edus, edus)
    assert {name: (count.right, count.gold, count.predicted) for name, count in counts.items()} == {
        "causal": (1, 1, 1),
        "elaboration": (0, 0, 1),
        "joint": (0, 2, 1),  # of the same unit, but with another head
    }
    assert sum(count.right for count in counts.values()) == attachment(gold, other, edus, edus)["LAS"].right - 1


def test_attachment_by_relation_tells_roles_and_units_apart() -> None:
    gold = Dependencies((-1, 0, 0), ("ROOT", "same-unit_m", "joint_m"))
    other = Dependencies((-1, 0, 0), ("ROOT", "same-unit_m", "joint_r"))
    counts = attachment_by_relation(gold, other, [(0, 1), (1, 2), (2, 3)], [(0, 1), (1, 3), (2, 3)])
    assert (counts["same"].right, counts["joint"].right) == (0, 0)


def test_attachment_within_and_between_sentences() -> None:
    """Units 1 and 2 are one sentence, 3 and 4 another. Gold attaches 4 to 3, the other side attaches it to 2."""
    gold = Dependencies((-1, 0, 0, 2), ("ROOT", "a_r", "b_r", "c_r"))
    other = Dependencies((-1, 0, 0, 1), ("ROOT", "x_r", "b_r", "c_r"))
    edus = [(0, 2), (2, 5), (5, 6), (6, 9)]
    counts = attachment_by_sentence(gold, other, edus, edus, sentence_starts=[0, 5])
    assert {name: (count.right, count.gold, count.predicted) for name, count in counts.items()} == {
        "UAS within sentences": (1, 2, 1),
        "UAS between sentences": (1, 1, 2),
    }


def test_dependencies_survive_binary_trees() -> None:
    """What a perfect parser gives, a binary tree, has all dependencies of the n-ary gold tree."""
    source = random.Random(3)
    for _ in range(30):
        tree = random_tree(source, source.randint(1, 12))
        counts = attachment(li14(tree), li14(debinarise(binarise(tree))))
        assert counts["LAS"].right == counts["LAS"].gold == len(tree.leaves)


def test_labels_of_words_with_a_gold_label() -> None:
    counts = label_counts(["theme", "rheme", None, "rheme"], ["theme", "theme", "rheme", None])
    assert (counts.recall, counts.precision, counts.gold) == (pytest.approx(100 / 3), 50, 3)


def test_spans_label_words_by_their_first_character() -> None:
    words = [[(0, 2), (2, 5), (6, 9)], [], [(0, 1)]]
    spans = [(Span(0, 0, 5), "theme"), (Span(0, 6, 9), "rheme")]
    assert labels_of_words(spans, words) == ("theme", "theme", "rheme", None)
    with pytest.raises(StructureError, match="two labels at 4"):
        labels_of_words([*spans, (Span(0, 4, 6), "rheme")], words)
    with pytest.raises(StructureError, match="sentence 3"):
        labels_of_words([(Span(3, 0, 1), "theme")], words)


def test_spans_in_sentences_and_in_the_document() -> None:
    lengths = [3, 0, 2, 4]
    spans = [Span(0, 0, 3), Span(2, 0, 1), Span(2, 1, 2), Span(3, 0, 4)]
    offsets = [(0, 3), (3, 4), (4, 5), (5, 9)]
    assert in_document(spans, lengths) == offsets
    assert in_sentences(offsets, lengths) == spans
    with pytest.raises(StructureError, match="cross a sentence boundary"):
        in_sentences([(2, 4)], lengths)


def test_sentences_that_one_unit_crosses_are_joined() -> None:
    assert joined_lengths([3, 2, 4], [(0, 3), (3, 5), (5, 9)]) == [3, 2, 4]
    assert joined_lengths([3, 2, 4], [(0, 4), (4, 9)]) == [9]
    assert joined_lengths([3, 2, 4], [(0, 3), (3, 9)]) == [3, 6]
    assert divided([["a", "b"], ["c"]], [1, 2]) == [["a"], ["b", "c"]]
