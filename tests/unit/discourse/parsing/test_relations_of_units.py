"""Relations of DISRPT become the trees that they were made of; damaged files are told in one line."""

from pathlib import Path

import pytest

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.sources import expand
from discourse_nmt.discourse.formats.conllu import ConlluRow, Sentence, documents_of, read_conllu
from discourse_nmt.discourse.structures.conversions import li14
from discourse_nmt.discourse.structures.relation_classes import coarse
from discourse_nmt.discourse.structures.trees import StructureError
from discourse_nmt.discourse.treebanks.disrpt import CLASS_OF_NAME, RelatedUnits, read_relations, related
from tests.unit.discourse.analysers.test_commands import command

HEADER = "doc\tunit1_toks\tunit2_toks\tdir\tlabel\n"


def sentences(*marked: str) -> list[Sentence]:
    """Sentences of words; a word behind a bar begins a unit."""
    found = []
    for number, words in enumerate(marked):
        rows = [
            ConlluRow(id=str(place), form=word.lstrip("|"), misc="BeginSeg=Yes" if word.startswith("|") else "_")
            for place, word in enumerate(words.split(), start=1)
        ]
        comments = ("# newdoc_id = d", "# sent_id = 1") if number == 0 else (f"# sent_id = {number + 1}",)
        found.append(Sentence(comments, tuple(rows)))
    return found


TEXT = sentences("|Title", "|It rained , |so we stayed .", "|We read", "and slept . |Then it stopped .")


def test_relations_make_a_tree_and_titles_are_left_out() -> None:
    # 0 Title / 1 It rained , 4 so we stayed . / 8 We read and slept . 13 Then it stopped .
    relations = [RelatedUnits(4, 1, "cause"), RelatedUnits(4, 8, "elaboration"), RelatedUnits(8, 13, "sequence")]
    kept, tree = related(TEXT, relations)
    assert [one.comments for one in kept] == [
        ("# newdoc_id = d", "# sent_id = 2"),
        ("# sent_id = 3",),
        ("# sent_id = 4",),
    ]
    assert tree.texts == ("It rained ,", "so we stayed .", "We read and slept .", "Then it stopped .")
    dependencies = li14(tree)
    assert dependencies.heads == (1, -1, 1, 2)
    assert dependencies.relations == ("causal-cause_r", "ROOT", "elaboration-elaboration_r", "joint-sequence_m")


@pytest.mark.parametrize(
    ("relations", "message"),
    [
        ([RelatedUnits(2, 4, "cause")], "no unit begins at word 3 of the document"),
        (
            [RelatedUnits(4, 1, "cause"), RelatedUnits(8, 1, "cause")],
            "the unit at word 2 of the document has two heads",
        ),
        ([RelatedUnits(4, 1, "cause"), RelatedUnits(8, 13, "cause")], "2 roots"),
        ([RelatedUnits(4, 1, "cause"), RelatedUnits(1, 4, "cause"), RelatedUnits(8, 13, "cause")], "its own ancestor"),
    ],
)
def test_relations_that_make_no_tree(relations: list[RelatedUnits], message: str) -> None:
    with pytest.raises(StructureError, match=message):
        related(TEXT, relations)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "rels:1: no column doc"),
        (HEADER + "d\t1-3\t4-7\t1<2\n", "rels:2: 4 columns, 5 in the header"),
        (HEADER + "d\t1-3\t4-7\t1<2\tcause\nd\tone\t4-7\t1<2\tcause\n", "rels:3: units 'one' and '4-7'"),
        (HEADER + "d\t1-3\t4-7\t1=2\tcause\n", "rels:2: .*direction '1=2'"),
        (HEADER + "d\t1-3\t4-7\t1<2\tbecause\n", "rels:2: relation 'because' has no class"),
    ],
)
def test_damaged_relations_are_one_line(content: str, message: str) -> None:
    with pytest.raises(InputError, match=message) as fault:
        read_relations(content, "rels")
    assert "\n" not in str(fault.value)


def test_directions_say_which_unit_depends() -> None:
    rows = "d\t2-4\t5-8\t1>2\tcause\nd\t5-8\t9,11-13\t1<2\telaboration\n"
    assert read_relations(HEADER + rows, "rels") == {
        "d": [RelatedUnits(4, 1, "cause"), RelatedUnits(4, 8, "elaboration")]
    }


def test_every_commentary_has_the_dependencies_of_its_relations(shared_data: Path) -> None:
    folder = f"{shared_data}/treebanks/pcc_de/deu.rst.pcc_dev"
    [relations_file], [conllu] = expand(f"{folder}.rels.gz"), expand(f"{folder}.conllu.gz")
    relations = read_relations(relations_file.text(), relations_file.name)
    documents = list(documents_of(read_conllu(conllu.text(), conllu.name)))
    assert len(documents) == len(relations) == 17
    for name, group in documents:
        wanted = relations[str(name)]
        kept, tree = related(group, wanted)
        assert len(tree.leaves) == len(wanted) + 1 and len(kept) == len(group) - 1  # without the title
        found = sorted(coarse(label.rpartition("_")[0]) for label in li14(tree).relations if label != "ROOT")
        assert found == sorted(CLASS_OF_NAME[one.name] for one in wanted)


def test_a_treebank_is_prepared_from_relations(tmp_path: Path) -> None:
    lines = []
    for one in TEXT:
        lines += list(one.comments)
        lines += [f"{row.id}\t{row.form}" + "\t_" * 7 + f"\t{row.misc}" for row in one.rows] + [""]
    (tmp_path / "d.conllu").write_text("\n".join(lines) + "\n", encoding="utf-8")
    rows = "d\t2-4\t5-8\t1>2\tcause\nd\t5-8\t9-13\t1<2\telaboration\nd\t9-13\t14-17\t1<2\tsequence\n"
    (tmp_path / "d.rels").write_text(HEADER + rows, encoding="utf-8")
    options = ["--conllu", f"{tmp_path}/d.conllu", "--relations", f"{tmp_path}/d.rels", "--language", "de"]
    result = command("prepare_treebank", *options, "--output", f"{tmp_path}/out")
    assert result.returncode == 0, result.stderr
    assert "Title" not in (tmp_path / "out/conllu/d.conllu").read_text(encoding="utf-8")
    assert "elaboration-elaboration" in (tmp_path / "out/rs3/d.rs3").read_text(encoding="utf-8")
    (tmp_path / "d.rels").write_text(HEADER + rows + "d\t2-4\t9-13\t1>2\tcause\n", encoding="utf-8")
    result = command("prepare_treebank", *options, "--output", f"{tmp_path}/again")
    assert result.returncode == 1 and "document d: the unit at word 2" in result.stderr
    result = command("prepare_treebank", *options, "--skip", "d", "--output", f"{tmp_path}/again")
    assert result.returncode == 0 and not (tmp_path / "again").exists()
