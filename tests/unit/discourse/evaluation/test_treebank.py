"""Gold documents of a treebank's layers: what is read, and what is told where layers do not fit."""

import gzip
import tarfile
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from discourse_nmt.base.errors import InputError
from discourse_nmt.discourse.evaluation.alignment import align_segments
from discourse_nmt.discourse.evaluation.documents import GoldDocument
from discourse_nmt.discourse.evaluation.treebank import read_treebank
from discourse_nmt.discourse.formats.conllu import ConlluRow, Sentence, write_conllu
from discourse_nmt.discourse.formats.coreference import read_gum_coreference
from discourse_nmt.discourse.formats.corefud import with_chains
from discourse_nmt.discourse.structures.trees import StructureError
from tests.unit.discourse.evaluation.evaluation_samples import (
    NAMES,
    WORDS,
    conll,
    rs4,
    sentences,
    write_themes,
    write_treebank,
)

NEWS = NAMES[0]
CONLLU = write_conllu(sentences(NEWS))


def news(folder: Path, changes: Mapping[str, str | None] | None = None) -> GoldDocument:
    return {one.name: one for one in read_treebank(str(write_treebank(folder, changes)))}[NEWS]


def test_all_layers_are_read(tmp_path: Path) -> None:
    write_themes(tmp_path)
    document = news(tmp_path)
    assert document.genre == "news"
    assert document.forms == [list(forms) for forms in WORDS]
    assert document.edus == ((0, 3), (3, 6), (6, 11))
    assert document.tree is not None and document.tree.leaves == (1, 3, 4)
    assert document.chains == (((0, 1), (7, 8)), ((3, 4),), ((9, 11),))
    assert document.themes == ("theme-topical", "rheme", "rheme", "theme-topical", "rheme", "rheme") + (None,) * 5
    assert document.syntax[0] is not None and document.syntax[0].heads == (1, -1, 1)
    assert [one.name for one in read_treebank(str(tmp_path))] == sorted(NAMES)


def test_missing_layers_are_absent(tmp_path: Path) -> None:
    changes = {
        f"{layer}/{name}.{end}": None for layer, end in (("rs4", "rs4"), ("coref_conll", "conll")) for name in NAMES
    }
    document = news(tmp_path, changes)
    assert (document.tree, document.edus, document.chains, document.themes) == (None, None, None, None)


def test_chains_of_conllu_are_read_where_no_layer_has_them(tmp_path: Path) -> None:
    layers: dict[str, str | None] = {f"coref_conll/{name}.conll": None for name in NAMES}
    [mentions] = read_gum_coreference(conll(NEWS), NEWS)
    document = replace(mentions, sentences=WORDS)
    marked: dict[str, str | None] = {f"conllu/{NEWS}.conllu": write_conllu(with_chains(sentences(NEWS), document))}
    assert news(tmp_path / "own", layers | marked).chains == news(tmp_path / "layer").chains
    assert news(tmp_path / "none", layers).chains is None
    # A layer of chains is preferred.
    other: dict[str, str | None] = {f"coref_conll/{NEWS}.conll": conll(NEWS).replace("(person-2)", "_")}
    chains = news(tmp_path / "both", marked | other).chains
    assert chains is not None and len(chains) == 2


def test_archives_and_other_places_are_read_alike(tmp_path: Path) -> None:
    folder = write_treebank(tmp_path / "bank")
    plain = read_treebank(f"{folder}/")
    with tarfile.open(tmp_path / "bank.tar.xz", "w:xz") as archive:
        archive.add(folder, "dev")
    with tarfile.open(tmp_path / "flat.tar.gz", "w:gz") as archive:
        archive.add(folder, ".")
    deep = tmp_path / "deep"
    for path in folder.glob("*/*"):
        target = deep / path.parent.name / "dev" / f"{path.name}.gz"
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(gzip.compress(path.read_bytes()))
    places = [
        f"{tmp_path}/bank.tar.xz::dev",
        f"{tmp_path}/bank.tar.xz::dev/",
        f"{tmp_path}/flat.tar.gz",
        f"{deep}/*/dev",
    ]
    for place in places:
        assert read_treebank(place) == plain, place


def test_a_conllu_file_alone_is_a_treebank(tmp_path: Path) -> None:
    both = write_conllu([sentence for name in NAMES for sentence in sentences(name)])
    (tmp_path / "en.conllu.gz").write_bytes(gzip.compress(both.encode()))
    found = read_treebank(str(tmp_path / "en.conllu.gz"))
    assert [(one.name, one.edus, one.lengths) for one in found] == [(name, None, [3, 8]) for name in sorted(NAMES)]
    marked = CONLLU.replace("\t_\t_\n", "\t_\tSeg=B-seg\n", 1)
    (tmp_path / "marked.conllu").write_text(marked, encoding="utf-8")
    assert read_treebank(str(tmp_path / "marked.conllu"))[0].edus == ((0, 3), (3, 11))


def test_windows_line_ends_byte_order_marks_and_placeholders(tmp_path: Path) -> None:
    plain = news(tmp_path / "plain")
    windows = {
        f"conllu/{NEWS}.conllu": "\ufeff" + CONLLU.replace("\n", "\r\n"),
        f"rs4/{NEWS}.rs4": rs4().replace("\n", "\r\n"),
        f"coref_conll/{NEWS}.conll": conll(NEWS).replace("\n", "\r\n"),
    }
    assert news(tmp_path / "windows", windows) == plain
    blanked = rs4().replace("They left ,", "____ _ _").replace("Rain", "_")
    assert news(tmp_path / "blanked", {f"rs4/{NEWS}.rs4": blanked}).edus == plain.edus


def test_conll_2012_files_are_read(tmp_path: Path) -> None:
    lines = [
        f"{NEWS} 0 {number} {word} - {'(7)' if word in ('They', 'it') else '-'}"
        for forms in WORDS
        for number, word in enumerate(forms)
    ]
    content = "\n".join([f"#begin document ({NEWS}); part 000", *lines, "", "#end document", ""])
    assert news(tmp_path, {f"coref_conll/{NEWS}.conll": content}).chains == (((3, 4), (7, 8)),)


def test_sentences_without_syntax_have_none(tmp_path: Path) -> None:
    bare = [Sentence(one.comments, tuple(ConlluRow(row.id, row.form) for row in one.rows)) for one in sentences(NEWS)]
    mixed = write_conllu([sentences(NEWS)[0], bare[1]])
    document = news(tmp_path, {f"conllu/{NEWS}.conllu": mixed})
    assert [one is None for one in document.syntax] == [False, True]


def test_one_unit_and_units_across_sentences(tmp_path: Path) -> None:
    whole = '<segment id="1">Rain came . They left , because it was cold .</segment>'
    single = f"<rst><header><relations/></header><body>{whole}</body></rst>"
    document = news(tmp_path / "one", {f"rs4/{NEWS}.rs4": single})
    assert document.edus == ((0, 11),) and document.tree is not None and len(document.tree.nodes) == 1
    crossing = rs4().replace("Rain came .", "Rain came . They").replace("They left ,", "left ,")
    assert news(tmp_path / "crossing", {f"rs4/{NEWS}.rs4": crossing}).edus == ((0, 4), (4, 6), (6, 11))


def text(*rows: tuple[str, str]) -> list[Sentence]:
    return [Sentence((), tuple(ConlluRow(number, form) for number, form in rows))]


def test_units_are_aligned_by_words_or_by_characters() -> None:
    plain = text(("1", "I"), ("2-3", "don't"), ("2", "do"), ("3", "n't"), ("4", "know"), ("4.1", "it"), ("5", "."))
    assert align_segments(["I do", "n't know ."], plain) == ((0, 2), (2, 5))
    assert align_segments(["I don't", "know."], plain) == ((0, 3), (3, 5))
    contracted = text(("1-2", "zum"), ("1", "zu"), ("2", "dem"), ("3", "Haus"))
    assert align_segments(["zum", "Haus"], contracted) == ((0, 2), (2, 3))
    assert align_segments(["zu dem", "Haus"], contracted) == ((0, 2), (2, 3))
    assert align_segments(["1 000", "Leute"], text(("1", "1 000"), ("2", "Leute"))) == ((0, 1), (1, 2))
    words = [(str(number), f"w{number}") for number in range(1, 41)]
    misspelt = " ".join(form for _, form in words).replace("w7 ", "W7 ")
    assert align_segments(
        [
            misspelt,
        ],
        text(*words),
    ) == ((0, 40),)


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (["I", "know ."], "EDU 2 is 'know.' without spaces, CoNLL-U has \"don'tknow.\" there"),
        (["I do", "n't know . Yes"], "EDU 2 is"),
        (["I do", "n't"], "the EDUs end before CoNLL-U does, which goes on with 'know.'"),
        (["I d", "o n't know ."], "EDU 1 ends inside a word of CoNLL-U: ...'Id'"),
        (["I do n't know .", " "], "EDU 2 has no words"),
        (["", "I don't know."], "EDU 1 has no words"),
    ],
)
def test_units_that_do_not_fit_are_told(texts: list[str], message: str) -> None:
    with pytest.raises(StructureError) as error:
        align_segments(texts, text(("1", "I"), ("2", "do"), ("3", "n't"), ("4", "know"), ("5", ".")))
    assert message in str(error.value)


def changed(layer: str, edit: Callable[[str], str]) -> dict[str, str | None]:
    contents = {"conllu": CONLLU, "rs4": rs4(), "coref_conll": conll(NEWS)}
    end = "conll" if layer == "coref_conll" else layer
    return {f"{layer}/{NEWS}.{end}": edit(contents[layer])}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({f"rs4/{NEWS}.rs4": None}, f"document {NEWS} has no rs4; add rs4/{NEWS}.rs4 or remove the document"),
        ({f"coref_conll/{NEWS}.conll": None}, f"document {NEWS} has no coref_conll"),
        ({f"conllu/{NEWS}.conllu": None}, f"no conllu has the document {NEWS}; add it or remove this file"),
        ({f"conllu/{name}.conllu": None for name in NAMES}, "no conllu/*.conllu; name the folder"),
        ({f"conllu/{NEWS}.conllu": ""}, f"no conllu has the document {NEWS}"),
        ({f"rs4/{NEWS}.rs4": ""}, "not XML"),
        (changed("rs4", lambda content: content.replace("cold", "warm")), "EDU 3 is 'becauseitwaswarm.'"),
        (changed("rs4", lambda content: content.replace("They left ,", "They left")), "EDU 3 is 'becauseitwascold.'"),
        (changed("coref_conll", lambda content: content.replace("cold", "warm")), "1 of 11 words differ"),
        (changed("coref_conll", lambda content: content.replace("9\tcold\t(event-3\n", "")), "not a line for word 9"),
        (changed("conllu", lambda content: content.replace("\t7\tdep", "\t9\tdep", 1)), "has the head 9"),
        (changed("conllu", lambda content: content.replace("8\t.", "1-1\t.")), "does not follow word"),
        (changed("conllu", lambda content: content + content), f"document {NEWS} is there twice"),
        ({f"rs4/{NEWS}.rs4.gz": "x"}, f"document {NEWS} is there twice"),
        ({f"coref_conll/{NEWS}.conll": 2 * conll(NEWS)}, "2 documents, one is expected"),
    ],
)
def test_layers_that_do_not_fit_are_one_line(tmp_path: Path, changes: dict[str, str | None], message: str) -> None:
    with pytest.raises(InputError) as error:
        read_treebank(str(write_treebank(tmp_path, changes)))
    assert message in str(error.value) and "\n" not in str(error.value)


def test_places_that_are_no_treebank_are_one_line(tmp_path: Path) -> None:
    for place in (tmp_path / "absent", tmp_path / "absent.tar.xz", tmp_path / "absent.conllu", tmp_path):
        with pytest.raises(InputError, match=str(tmp_path)):
            read_treebank(str(place))


def test_themes_of_unknown_documents_are_told(tmp_path: Path) -> None:
    write_themes(tmp_path)
    gone = {
        f"{layer}/{NEWS}.{end}": None for layer, end in (("conllu", "conllu"), ("rs4", "rs4"), ("coref_conll", "conll"))
    }
    with pytest.raises(InputError, match=f"no conllu has the document {NEWS}"):
        read_treebank(str(write_treebank(tmp_path, gone)))


def test_gum_is_read_whole(shared_data: Path) -> None:
    documents = read_treebank(f"{shared_data}/treebanks/gum/gum_dev.tar.xz::dev")
    assert len(documents) == 30
    assert all(one.tree and one.chains and one.edus and all(one.syntax) for one in documents)
    assert {one.genre for one in documents} >= {"news", "fiction", "vlog"}
