"""The import backend: files of every format become the rows that were written; what does not fit is told."""

from dataclasses import replace
from pathlib import Path

import pytest

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.sources import expand
from discourse_nmt.discourse.backends.backend import DocumentInput, Stage
from discourse_nmt.discourse.backends.checks import check_rows
from discourse_nmt.discourse.backends.files.imported import make
from discourse_nmt.discourse.formats.conllu import documents_of, read_conllu
from discourse_nmt.discourse.formats.rs3 import write_rs3
from discourse_nmt.discourse.formats.rs3_trees import graph_of_tree
from discourse_nmt.discourse.formats.rsd import RsdDocument
from discourse_nmt.discourse.formats.scidtb import ScidtbDocument, ScidtbUnit
from discourse_nmt.discourse.records.json_lines import json_line
from discourse_nmt.discourse.records.record import DocumentRecord
from discourse_nmt.discourse.settings import ImportSettings
from discourse_nmt.discourse.structures.conversions import li14
from discourse_nmt.discourse.structures.rows import Row, edus_to_rows, rows_to_edus
from discourse_nmt.discourse.structures.trees import RstTree
from tests.unit.discourse.backends.backend_documents import (
    CONTEXT,
    EDUS,
    SENTENCES,
    document,
    escaped_texts,
    raw_texts,
    syntax_rows,
    tree,
    tree_rows,
    write_rows,
)
from tests.unit.discourse.formats.writers import write_brackets, write_dis, write_rsd, write_scidtb

STAGEDP = "(NN-joint (NS-cause (EDU _!He_said_-LRB-_twice_-RRB-_``_no_''!_)\n (EDU _!because_it_rained_.!_))"
STAGEDP += "\n (EDU _!She_did_n't_stay_.!_))"


def merge() -> str:
    """The units as DPLP's .merge file."""
    lines, edu = [], 0
    for sentence, units in enumerate([escaped_texts()[:2], escaped_texts()[2:]]):
        number = 0
        for unit in units:
            edu += 1
            for word in unit.split():
                number += 1
                lines.append(f"{sentence}\t{number}\t{word}\tl\tNN\tdep\t0\tO\t (S\t{edu}")
        lines.append("")
    return "\n".join(lines) + "\n"


def conllu() -> str:
    """The words with marks, a multiword token for the contraction, the first sentence divided in two."""
    marked = []
    for number, unit in enumerate(escaped_texts()):
        marked += [(word, place == 0 and number != 2) for place, word in enumerate(unit.split())]
    sentences = [marked[:7], marked[7:12], marked[12:]]
    lines = ["# newdoc id = d"]
    for words in sentences:
        lines += ["# global.text = none"]
        for number, (word, begins) in enumerate(words, start=1):
            if word == "did":
                lines.append(f"{number}-{number + 1}\tdidn't\t_\t_\t_\t_\t_\t_\t_\t_")
            head, relation = ("0", "root") if number == 1 else ("1", "dep")
            mark = "Seg=B-seg" if begins else "_"
            lines.append(f"{number}\t{word}\t{word.lower()}\tX\t_\t_\t{head}\t{relation}\t_\t{mark}")
        lines.append("")
    return "\n".join(lines) + "\n"


def with_texts(texts: tuple[str, ...]) -> RstTree:
    return replace(tree(), texts=texts)


EDU_FILES = {
    "rs3": write_rs3(graph_of_tree(with_texts(raw_texts()))),
    "rs4": write_rs3(graph_of_tree(with_texts(escaped_texts()))),
    "dis": write_dis(with_texts(escaped_texts())),
    "stagedp": STAGEDP,
    "dplp": merge(),
    "edu_lines": "\n".join(escaped_texts()) + "\n",
    "rsd": write_rsd(RsdDocument(li14(tree()), escaped_texts())),
    "scidtb": write_scidtb(ScidtbDocument(tuple(ScidtbUnit(0, f"{text} <S>", "ROOT") for text in escaped_texts()))),
}
TREE_FILES = {**{name: EDU_FILES[name] for name in ("rs3", "rs4", "dis", "stagedp")}, "dplp": write_brackets(tree())}


def imported(stage: Stage, name: str, content: str, folder: Path, given: DocumentInput) -> list[Row]:
    (folder / "d.txt").write_text(content, encoding="utf-8")
    backend = make(stage, ImportSettings(str(folder / "{document}.txt"), name), CONTEXT)
    [rows] = backend.analyse([given])
    check_rows(stage, given, rows)
    return rows


@pytest.mark.parametrize("tables", [(), ("syntax",)])
@pytest.mark.parametrize("name", EDU_FILES)
def test_edus_of_every_format(name: str, tables: tuple[str, ...], tmp_path: Path) -> None:
    assert imported("edus", name, EDU_FILES[name], tmp_path, document(*tables)) == edus_to_rows("d", EDUS)


def test_edus_of_marked_words(tmp_path: Path) -> None:
    # A sentence of the file begins an EDU, marked or not.
    rows = imported("edus", "conllu", conllu(), tmp_path, document())
    assert [(row["sent_id"], row["start"], row["end"]) for row in rows] == [
        (0, 0, 19), (0, 19, 20), (0, 21, 39), (1, 0, 16)
    ]  # fmt: skip


@pytest.mark.parametrize("name", TREE_FILES)
def test_trees_of_every_format(name: str, tmp_path: Path) -> None:
    assert imported("rst", name, TREE_FILES[name], tmp_path, document("syntax", "edus")) == tree_rows()


def test_syntax_of_conllu(tmp_path: Path) -> None:
    rows = imported("syntax", "conllu", conllu(), tmp_path, document())
    for row, own in zip(rows, syntax_rows(), strict=True):
        assert (row["forms"], row["starts"], row["ends"]) == (own["forms"], own["starts"], own["ends"])
    # The second sentence of the file depends on the first: one root per sentence of the corpus.
    assert rows[0]["heads"] == [-1, 0, 0, 0, 0, 0, 0, 0, 7, 7, 7, 7]
    assert rows[0]["deprels"][7] == "parataxis"
    assert rows[1]["heads"] == [-1, 0, 0, 0, 0]
    assert rows[0]["lemmas"][2] == "-lrb-"


GUM = [
    (0, "He", "(person-1)"),
    (1, "said", "_"),
    (2, "(", "_"),
    (3, "twice", "(time-5)"),
    (4, ")", "_"),
    (5, "``", "_"),
]
GUM += [(6, "no", "(abstract-2"), (7, "''", "abstract-2)"), (8, "because", "_"), (9, "it", "_"), (10, "rained", "_")]
GUM += [(11, ".", "_"), (12, "She", "(person-1)"), (13, "did", "(abstract-2"), (14, "n't", "_"), (15, "stay", "_")]
GUM += [(16, ".", "abstract-2)")]
GUM_FILE = "\n".join(["# begin document d", *("\t".join(map(str, line)) for line in GUM), "# end document", ""])
CONLL = "\n".join(
    ["#begin document (d); part 000"]
    + [f"d\t0\t{number}\t{word}\t{'(4)' if word == 'He' else '-'}" for number, word, _ in GUM[:12]]
    + ["", "#end document", "#begin document (d); part 001"]
    + [f"d\t1\t{number}\t{word}\t{'(4)' if word in ('She', 'stay') else '-'}" for number, word, _ in GUM[12:]]
    + ["", "#end document", ""]
)


BLANK = "\t_"


def spans(rows: list[Row]) -> list[tuple[int, ...]]:
    columns = ("chain_id", "sent_id", "start", "end", "head_start", "head_end")
    return [tuple(row[column] for column in columns) for row in rows]


def test_coreference_of_gum_with_heads_from_the_syntax(tmp_path: Path) -> None:
    rows = imported("coreference", "gum", GUM_FILE, tmp_path, document("syntax"))
    assert spans(rows) == [(0, 0, 0, 2, 0, 2), (0, 1, 0, 3, 0, 3), (1, 0, 17, 20, 17, 19), (1, 1, 4, 16, 4, 7)]
    without = imported("coreference", "gum", GUM_FILE, tmp_path, document())
    assert spans(without)[-1] == (1, 1, 4, 16, 4, 16)


def test_parts_of_a_conll_document_have_their_own_entities(tmp_path: Path) -> None:
    rows = imported("coreference", "conll2012", CONLL, tmp_path, document())
    assert spans(rows) == [(0, 1, 0, 3, 0, 3), (0, 1, 11, 15, 11, 15)]


def test_chains_of_corefud_stand_on_written_tokens(tmp_path: Path) -> None:
    """*didn't* is a multiword token of the file, and a mention of *not stay* begins with all of it."""
    marks = {0: "(e1--1)", 6: "(e2--1)", 12: "(e1--1)", 14: "(e2--2", 15: "e2)"}
    words = [(word, marks.get(place, "")) for place, (_, word, _) in enumerate(GUM)]
    lines = ["# newdoc id = d", "# global.Entity = eid-etype-head"]
    for sentence in (words[:12], words[12:]):
        for number, (word, mark) in enumerate(sentence, start=1):
            if word == "did":
                lines.append(f"2-3\tdidn't{BLANK * 8}")
            form, note = word.replace("n't", "not"), f"Entity={mark}" if mark else "_"
            lines.append(f"{number}\t{form}{BLANK * 7}\t{note}")
        lines.append("")
    rows = imported("coreference", "corefud", "\n".join([*lines, ""]), tmp_path, document())
    assert spans(rows) == [(0, 0, 0, 2, 0, 2), (0, 1, 0, 3, 0, 3), (1, 0, 17, 19, 17, 19), (1, 1, 4, 15, 4, 15)]
    other = ["# newdoc id = other", f"1\tYes{BLANK * 7}\tEntity=(e1--1)", "", ""]
    assert imported("coreference", "corefud", "\n".join([*lines, *other]), tmp_path, document()) == rows


def test_tables_are_read_per_document_and_side(tmp_path: Path) -> None:
    other = [{**row, "side": "target"} for row in syntax_rows("d")]
    write_rows(syntax_rows("d") + other + syntax_rows("e"), tmp_path / "dev.syntax.parquet", "syntax")
    backend = make("syntax", ImportSettings(str(tmp_path / "{split}.{table}.parquet"), "table"), CONTEXT)
    assert backend.analyse([document(doc_id="e"), document(doc_id="d")]) == [syntax_rows("e"), syntax_rows("d")]
    with pytest.raises(InputError, match=r"dev\.syntax\.parquet: holds no rows of document f"):
        backend.analyse([document(doc_id="f")])


def test_a_table_may_have_no_chain_for_a_document(tmp_path: Path) -> None:
    row = dict(zip(("chain_id", "sent_id", "start", "end", "head_start", "head_end"), (0, 0, 0, 2, 0, 2)))
    write_rows([{"doc_id": "d", **row}], tmp_path / "c.parquet", "coreference")
    backend = make("coreference", ImportSettings(str(tmp_path / "c.parquet"), "table"), CONTEXT)
    assert [len(rows) for rows in backend.analyse([document(), document(doc_id="e")])] == [1, 0]


def record_line(doc_id: str, **layers: list[Row]) -> str:
    rows = {name: [without(row) for row in table] for name, table in layers.items()}
    return json_line(DocumentRecord(doc_id, SENTENCES, ["", ""], {"source": rows}), {}) + "\n"


def without(row: Row) -> Row:
    return {key: value for key, value in row.items() if key not in ("doc_id", "side")}


def test_records_are_read_by_document(tmp_path: Path) -> None:
    path = tmp_path / "dev.jsonl"
    path.write_text(record_line("e", syntax=syntax_rows(), coreference=[]) + record_line("d", syntax=syntax_rows()))
    backend = make("syntax", ImportSettings(str(tmp_path / "{split}.jsonl"), "records"), CONTEXT)
    assert backend.analyse([document(doc_id="d"), document(doc_id="e")]) == [syntax_rows("d"), syntax_rows("e")]
    with pytest.raises(InputError, match=r"dev\.jsonl: holds no rows of document f"):
        backend.analyse([document(doc_id="f")])
    other = DocumentInput("d", ("She didn't.", "He said."), {})
    with pytest.raises(InputError, match=r"dev\.jsonl: document d has other sentences; its places are"):
        backend.analyse([other])
    target = [without(row) for row in syntax_rows()]
    record = DocumentRecord("d", ["Er sagte es.", "Ja."], SENTENCES, {"target": {"syntax": target}})
    (tmp_path / "target.jsonl").write_text(json_line(record, {}))
    of_target = make(
        "syntax", ImportSettings(str(tmp_path / "target.jsonl"), "records"), replace(CONTEXT, side="target")
    )
    assert of_target.analyse([document()]) == [[{**row, "side": "target"} for row in syntax_rows()]]
    chains = make("coreference", ImportSettings(str(path), "records"), CONTEXT)
    with pytest.raises(InputError, match=r"document d has no layer coreference of the source"):
        chains.analyse([document(doc_id="e")])


def test_one_file_for_all_documents(tmp_path: Path) -> None:
    both = conllu() + conllu().replace("id = d", "id = e")
    (tmp_path / "talks.dev.conllu").write_text(both, encoding="utf-8")
    backend = make("edus", ImportSettings(str(tmp_path / "{corpus}.{split}.conllu"), "conllu"), CONTEXT)
    first, second = backend.analyse([document(doc_id="e"), document(doc_id="d")])
    assert [{**row, "doc_id": "d"} for row in first] == second
    with pytest.raises(InputError, match="holds no document f"):
        backend.analyse([document(doc_id="f")])


LONG_MENTION = GUM_FILE.replace("(time-5)", "(time-5").replace("n't\t_", "n't\ttime-5)")
TOO_LONG = "He said -LRB- twice -RRB- `` no '' because it rained . She\ndid n't stay .\n"


@pytest.mark.parametrize(
    ("stage", "name", "content", "problem"),
    [
        ("edus", "edu_lines", "He said it\n", r"d\.txt: document d: EDU 1 has 'it' where sentence 1 has '\(twice\)"),
        ("edus", "edu_lines", TOO_LONG, r"EDU 1, .* reaches over the end of sentence 1"),
        ("edus", "stagedp", "(NS-cause (EDU 1) (EDU 2))", "the EDUs have no texts"),
        ("edus", "conllu", conllu().replace("Seg=B-seg", "_"), "no word is marked"),
        ("rst", "stagedp", "(NS-cause (EDU 1) (EDU 2))", "the tree has 2 EDUs, the table edus 3"),
        ("rst", "dis", TREE_FILES["dis"].replace(" ''_!", "_!").replace("because", "'' because"), "EDU 2 of the tree"),
        ("syntax", "conllu", conllu().replace("\n\n", "\n", 2).replace("# global.text = none\n", ""), "word"),
        ("coreference", "gum", LONG_MENTION, "mention of 5"),
    ],
)  # fmt: skip
def test_a_file_that_does_not_fit_is_told_in_one_line(
    stage: Stage, name: str, content: str, problem: str, tmp_path: Path
) -> None:
    given = document("syntax", "edus") if stage == "rst" else document()
    with pytest.raises(InputError, match=problem) as caught:
        imported(stage, name, content, tmp_path, given)
    assert "d.txt" in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("stage", "files", "name", "problem"),
    [
        ("edus", "{document}.rs3", "rs5", "edus: no format rs5; did you mean rs"),
        ("syntax", "{document}.rs3", "rs3", "syntax: no format rs3"),
        ("rst", "{documents}.rs3", "rs3", r"placeholder \{documents\}; did you mean document\?"),
        ("rst", "all.rs3", "rs3", "a file of the format rs3 holds one document"),
        ("rst", "nowhere/{document}.rs3", "rs3", "nowhere/d.rs3: no such file"),
        ("rst", "nowhere.tar.xz::{document}.rs3", "rs3", "nowhere.tar.xz::d.rs3: no such file"),
    ],
)
def test_a_wrong_setting_is_told(stage: Stage, files: str, name: str, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        make(stage, ImportSettings(files, name), CONTEXT).analyse([document("syntax", "edus")])


def test_ids_may_hold_slashes_but_lead_nowhere_else(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "b{split}.edus").write_text(EDU_FILES["edu_lines"], encoding="utf-8")
    backend = make("edus", ImportSettings(str(tmp_path / "{document}.edus"), "edu_lines"), CONTEXT)
    [rows] = backend.analyse([document(doc_id="a/b{split}")])
    assert rows_to_edus(rows) == EDUS
    with pytest.raises(InputError, match=r"its id holds '\.\.'"):
        backend.analyse([document(doc_id="../a/b")])


def test_the_treebank_gum_inside_its_archive(shared_data: Path) -> None:
    archive = f"{shared_data}/treebanks/gum/gum_dev.tar.xz::dev"
    sentences = {}
    for source in expand(f"{archive}/conllu/*.conllu"):
        for name, found in documents_of(read_conllu(source.text(), source.name)):
            sentences[str(name)] = tuple(str(sentence.comment("text")) for sentence in found)
    given = [DocumentInput(name, sentences[name], {}) for name in sorted(sentences)][::10]

    def run(stage: Stage, name: str, files: str) -> None:
        found = make(stage, ImportSettings(f"{archive}/{files}", name), CONTEXT).analyse(given)
        for number, (one, rows) in enumerate(zip(given, found)):
            check_rows(stage, one, rows)
            assert stage not in one.tables or one.tables[stage] == rows
            given[number] = replace(one, tables={**one.tables, stage: rows})

    run("syntax", "conllu", "conllu/{document}.conllu")
    run("edus", "rs4", "rs4/{document}.rs4")
    run("edus", "dis", "dis_binary/{document}.dis")
    run("edus", "conllu", "conllu/{document}.conllu")
    run("rst", "dis", "dis_nary/{document}.dis")
    run("rst", "rs4", "rs4/{document}.rs4")
    run("coreference", "gum", "coref_conll/{document}.conll")
    assert all(len(one.tables["coreference"]) > 10 for one in given)
