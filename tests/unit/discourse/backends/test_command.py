"""The command backend runs a user's parser for real: what it is given, what it may write, and how it may fail."""

import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from discourse_nmt.base.errors import InputError
from discourse_nmt.discourse.backends.backend import DocumentInput, Stage
from discourse_nmt.discourse.backends.checks import check_rows
from discourse_nmt.discourse.backends.files.command import make
from discourse_nmt.discourse.backends.files.exchange import write_documents
from discourse_nmt.discourse.formats.conllu import edus_of_sentences, read_conllu
from discourse_nmt.discourse.formats.edu_lines import read_edu_lines
from discourse_nmt.discourse.settings import CommandSettings
from discourse_nmt.discourse.structures.rows import edus_to_rows, rows_to_tree
from tests.unit.discourse.backends.backend_documents import (
    CONTEXT,
    EDUS,
    SENTENCES,
    document,
    escaped_texts,
    syntax_rows,
)

WEIRD_IDS = ["../../x", "ein Dokument/mit Ü", "n" * 400, "{output}", "-rf *", "two\nlines"]

# A parser in the manner of StageDP: units with <S> and <P> in, a binary tree with escaped words out.
STAGEDP = r"""
import pathlib, sys
source, target, relation = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3]
for path in sorted(source.glob("*.edus")):
    units = []
    for line in path.read_text(encoding="utf-8").splitlines():
        words = [w for w in line.split() if w not in ("<S>", "<P>")]
        words = [{"(": "-LRB-", ")": "-RRB-", '"': "``"}.get(w, w) for w in words]
        units.append("(EDU _!" + "_".join(words) + "!_)")
    tree = units.pop()
    while units:
        tree = "(NS-%s %s\n %s)" % (relation, units.pop(), tree)
    (target / (path.stem + ".parse")).write_text(tree, encoding="utf-8")
"""

# A segmenter in the manner of DPLP: a .merge file with the unit of every word, made of the words given.
DPLP_SEGMENTER = r"""
import pathlib, sys
for path in sorted(pathlib.Path(sys.argv[1]).glob("*.conllu")):
    lines, unit, sentence = [], 0, -1
    for line in path.read_text(encoding="utf-8").split("\n"):
        fields = line.split("\t")
        if len(fields) < 10:
            continue
        sentence += fields[0] == "1"
        unit += fields[0] == "1" or fields[1] == "because"
        word = {"(": "-LRB-", ")": "-RRB-"}.get(fields[1], fields[1])
        columns = [str(sentence), fields[0], word, fields[2], fields[3], fields[7], fields[6], "O", "(S", str(unit)]
        lines.append("\t".join(columns))
    (pathlib.Path(sys.argv[2]) / (path.stem + ".merge")).write_text("\n".join(lines) + "\n", encoding="utf-8")
"""
# Its parser: the .brackets of a left-branching tree, one line per node but the root.
DPLP_PARSER = r"""
import pathlib, sys
for path in sorted(pathlib.Path(sys.argv[1]).glob("*.edus")):
    size, lines = len(path.read_text(encoding="utf-8").splitlines()), []
    for last in range(1, size):
        lines.append("((1, %d), 'Nucleus', 'span')" % last)
        lines.append("((%d, %d), 'Satellite', 'elaboration')" % (last + 1, last + 1))
    (pathlib.Path(sys.argv[2]) / (path.stem + ".brackets")).write_text("\n".join(lines), encoding="utf-8")
"""


def command(folder: Path, script: str, *arguments: str) -> list[str]:
    path = folder / "parser with blank.py"
    path.write_text(script, encoding="utf-8")
    return [sys.executable, str(path), *(arguments or ("{input}", "{output}"))]


def run(stage: Stage, settings: CommandSettings, *documents: DocumentInput) -> list[list[dict]]:
    results = make(stage, settings, CONTEXT).analyse(documents)
    for given, rows in zip(documents, results, strict=True):
        check_rows(stage, given, rows)
    return results


@pytest.fixture(autouse=True)
def nothing_left_behind(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The folders of a run are removed, however it ends."""
    folder = tmp_path_factory.mktemp("temporary")
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    yield
    assert list(folder.iterdir()) == []


def test_a_parser_like_stagedp(tmp_path: Path) -> None:
    settings = CommandSettings(command(tmp_path, STAGEDP, "{input}", "{output}", "Cause{x}-{language}"), "stagedp")
    # Ids never reach the file system; a folder is told apart from a text that looks like a placeholder.
    documents = [document("syntax", "edus", doc_id=name) for name in WEIRD_IDS]
    results = run("rst", settings, *documents)
    for name, rows in zip(WEIRD_IDS, results):
        assert {row["doc_id"] for row in rows} == {name}
        tree = rows_to_tree(rows)
        assert [tree.nodes[number].relation for number in tree.children[0]] == ["span", "Cause{x}-en"]
        assert len(tree.leaves) == len(EDUS)


def test_a_parser_like_dplp(tmp_path: Path) -> None:
    given = document("syntax")
    settings = CommandSettings(command(tmp_path, DPLP_SEGMENTER), "dplp")
    [edus] = run("edus", settings, given)
    assert edus == edus_to_rows("d", EDUS)
    both = DocumentInput("d", SENTENCES, {**given.tables, "edus": edus})
    [rows] = run("rst", CommandSettings(command(tmp_path, DPLP_PARSER), "dplp"), both)
    assert [rows_to_tree(rows).nodes[1].last_edu, len(rows)] == [1, 5]


def test_a_tagger_that_writes_a_table(tmp_path: Path) -> None:
    script = (
        "import shutil, sys, pathlib\n"
        "assert pathlib.Path(sys.argv[1], '00001.txt').read_text(encoding='utf-8').count('\\n') == 2\n"
        "[shutil.copy(sys.argv[3], pathlib.Path(sys.argv[2], f'0000{n}.conllu')) for n in range(2)]\n"
    )
    lines = []
    for row in syntax_rows():
        for number, form in enumerate(row["forms"], start=1):
            head, relation = ("0", "root") if number == 1 else ("1", "dep")
            lines.append(f"{number}\t{form}\t{form.lower()}\tX\t_\t_\t{head}\t{relation}\t_\t_")
        lines.append("")
    (tmp_path / "own.conllu").write_text("\n".join(lines) + "\n", encoding="utf-8")
    arguments = ("{input}", "{output}", str(tmp_path / "own.conllu"))
    settings = CommandSettings(command(tmp_path, script, *arguments), "conllu")
    assert run("syntax", settings, document(), document(doc_id="e")) == [syntax_rows(), syntax_rows("e")]
    [rows, _] = make("syntax", settings, replace(CONTEXT, side="target")).analyse([document(), document(doc_id="e")])
    assert rows == [{**row, "side": "target"} for row in syntax_rows()]


def test_what_the_program_is_given(tmp_path: Path) -> None:
    write_documents([document(), document("syntax"), document("syntax", "edus")], tmp_path)
    names = ["00000.txt", "00001.conllu", "00001.txt", "00002.conllu", "00002.edus", "00002.txt", "documents.json"]
    assert sorted(path.name for path in tmp_path.iterdir()) == names
    assert (tmp_path / "00000.txt").read_text(encoding="utf-8") == "".join(f"{one}\n" for one in SENTENCES)
    edus = read_edu_lines((tmp_path / "00002.edus").read_text(encoding="utf-8"), "edus")
    assert [edu.ends_sentence for edu in edus] == [False, True, True]
    assert [" ".join(edu.words) for edu in edus] == [
        text.replace("-LRB-", "(").replace("-RRB-", ")").replace("``", '"').replace("''", '"')
        for text in escaped_texts()
    ]
    sentences = read_conllu((tmp_path / "00002.conllu").read_text(encoding="utf-8"), "conllu")
    assert [[word.form for word in sentence.words] for sentence in sentences] == [row["forms"] for row in syntax_rows()]
    assert [(edu.sentence, edu.start) for edu in edus_of_sentences(sentences)] == [(0, 0), (0, 8), (1, 0)]
    assert sentences[1].words[1].misc == "SpaceAfter=No"


def test_words_that_look_like_marks_come_back(tmp_path: Path) -> None:
    text = ("Press <S> or <P> .",)
    given = DocumentInput("d", text, {"edus": [{"doc_id": "d", "edu_id": 0, "sent_id": 0, "start": 0, "end": 18}]})
    settings = CommandSettings(command(tmp_path, STAGEDP, "{input}", "{output}", "x"), "stagedp")
    assert len(run("rst", settings, given)[0]) == 1


FAILURES = [
    ("import sys; print('step 1'); sys.exit('no model\\nfound')", r"exit status 1; its last words: step 1 \| no model"),
    ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", r"was ended by signal 9"),
    ("pass", r"wrote no file for 2 of 2 documents, first 00000\.edus for document d; it must write one \.edus file"),
    (
        "import pathlib, sys; pathlib.Path(sys.argv[2], '00000.edus').write_text('x')",
        r"wrote no file for 1 of 2 documents, first 00001\.edus for document e",
    ),
    (
        "import pathlib, sys; [pathlib.Path(sys.argv[2], f'0000{n}.edus').write_text('He said') for n in range(2)]",
        r"00000\.edus: document d: the file ends before '\(twice\)",
    ),
    ("import sys; sys.stdout.buffer.write(b'\\xff' * 9000); sys.exit(3)", r"exit status 3; its last words"),
]


@pytest.mark.parametrize(("script", "problem"), FAILURES)
def test_a_program_that_fails_is_told_in_one_line(script: str, problem: str, tmp_path: Path) -> None:
    settings = CommandSettings(command(tmp_path, script), "edu_lines")
    with pytest.raises(InputError, match=problem) as caught:
        run("edus", settings, document(), document(doc_id="e"))
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 1000


def test_a_program_that_hangs_is_killed_with_what_it_started(tmp_path: Path) -> None:
    script = (
        "import pathlib, subprocess, sys, time\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\n"
        "pathlib.Path(sys.argv[3]).write_text(str(child.pid))\n"
        "time.sleep(600)\n"
    )
    written = tmp_path / "child"
    arguments = ("{input}", "{output}", str(written))
    settings = CommandSettings(command(tmp_path, script, *arguments), "edu_lines", time_limit=3)
    with pytest.raises(InputError, match="took more than 3 seconds; raise time_limit"):
        run("edus", settings, document())
    state = Path("/proc") / written.read_text() / "stat"
    for _ in range(100):  # the kernel may take a moment to bury it
        if not state.exists() or state.read_text().split(")")[-1].split()[0] == "Z":
            return
        time.sleep(0.1)
    pytest.fail("the program's child is still running")


@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        (
            CommandSettings(["no-such-program", "{input}", "{output}"], "edu_lines"),
            "no-such-program cannot be started",
        ),
        (CommandSettings(["parse", "{input}"], "edu_lines"), r"command has no argument with \{output\}"),
        (CommandSettings([], "edu_lines"), r"command has no argument with \{input\}"),
        (CommandSettings(["parse", "{input}", "{output}"], "edus"), r"no format edus; did you mean edu_lines\?"),
    ],
)
def test_wrong_settings_are_told(settings: CommandSettings, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        run("edus", settings, document())


def test_a_shard_without_documents_runs_nothing() -> None:
    settings = CommandSettings(["no-such-program", "{input}", "{output}"], "edu_lines")
    assert make("edus", settings, CONTEXT).analyse([]) == []
