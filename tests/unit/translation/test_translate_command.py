"""``discourse-nmt translate`` on an untrained model: what goes in, what comes out, and faults as one line."""

import io
import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from discourse_nmt.command_line import main
from discourse_nmt.discourse.backends.trees import dependencies_table
from discourse_nmt.discourse.settings import RstSettings
from discourse_nmt.models.switches.decoding import DecodingSettings
from discourse_nmt.models.switches.transformer import TransformerSettings
from discourse_nmt.training.kinds import STRUCTURES
from discourse_nmt.training.structures.paragraph_dependencies import ParagraphDependencyFile
from discourse_nmt.translation import load
from discourse_nmt.translation.analysis import DocumentAnalysis, builtin_recipe
from discourse_nmt.translation.manifest import AnalysisRecipe
from discourse_nmt.translation.preparation import Preparation, sentences_table
from discourse_nmt.translation.texts import SourceDocument
from discourse_nmt.translation.translator import MOST_SUBWORDS, Translator, most_subwords
from tests.unit.translation.folders import ENGLISH, make_folder
from tests.unit.translation.folders import TEXT as FOLDER_TEXT
from tests.unit.translation.translator_options import options_of_translator

TEXT = "The cat sat on the mat. It ran.\n\nThe dog saw it.\n"
GERMAN = "Der Hund des Nachbarn lief gestern durch den Garten, weil er die Katze gesehen hatte, und kam nicht zurück. "


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_folder(tmp_path_factory.mktemp("models") / "model")


@pytest.fixture(scope="module")
def translator(model: Path) -> Translator:
    return load(model, device="cpu")


def run(model: Path, *words: object) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["translate", "--model", str(model), "--device", "cpu", *map(str, words)])
    assert not stopped.value.code, stopped.value.code


def fault(model: Path, *words: object) -> str:
    with pytest.raises(SystemExit) as stopped:
        main(["translate", "--model", str(model), "--device", "cpu", *map(str, words)])
    message = str(stopped.value)
    assert message.startswith("error: ") and "\n" not in message
    return message


class Input:
    def __init__(self, content: bytes) -> None:
        self.buffer = io.BytesIO(content)


def test_standard_input_to_standard_output(
    model: Path, translator: Translator, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", Input(TEXT.encode()))
    run(model)
    shown = capsys.readouterr()
    assert shown.out == translator.translate(TEXT).text
    assert "3/3" in shown.err, "progress"
    assert shown.out.count("\n") == 3


def test_a_terminal_has_the_translation_without_progress_in_its_lines(
    model: Path, translator: Translator, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", Input(TEXT.encode()))
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    run(model)
    assert capsys.readouterr() == (translator.translate(TEXT).text, "")


def test_several_files_to_a_folder(model: Path, translator: Translator, tmp_path: Path) -> None:
    for name, text in {"a.txt": TEXT, "b.txt": "The dog.\n"}.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    run(model, tmp_path / "a.txt", tmp_path / "b.txt", "--output", tmp_path / "out")
    assert (tmp_path / "out" / "a.txt").read_text(encoding="utf-8") == translator.translate(TEXT).text
    assert (tmp_path / "out" / "b.txt").read_text(encoding="utf-8") == translator.translate("The dog.\n").text


def test_a_translation_that_is_stopped_keeps_what_it_has_and_an_older_one(
    model: Path, translator: Translator, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a").write_text("<d>\nThe cat.\n<d>\nThe dog.\n", encoding="utf-8")
    (tmp_path / "out").write_text("older", encoding="utf-8")
    all_documents = Translator.translate_documents

    def stopped(*given: Any) -> Any:
        yield next(all_documents(*given))
        raise KeyboardInterrupt

    with monkeypatch.context() as patch, pytest.raises(SystemExit) as end:
        patch.setattr(Translator, "translate_documents", stopped)
        main(["translate", "--model", str(model), str(tmp_path / "a"), "--marked", "--output", str(tmp_path / "out")])
    assert end.value.code == 130
    assert (tmp_path / "out").read_text(encoding="utf-8") == "older"
    (first,) = translator.translate(["The cat."]).lines
    assert (tmp_path / "out.part").read_text(encoding="utf-8") == f"<d>\n{first}\n"
    run(model, tmp_path / "a", "--marked", "--output", tmp_path / "out")
    assert (tmp_path / "out").read_text(encoding="utf-8").startswith(f"<d>\n{first}\n<d>\n")
    assert not (tmp_path / "out.part").exists()


def test_a_pipe_and_a_link_are_written_to_and_stay(model: Path, translator: Translator, tmp_path: Path) -> None:
    (tmp_path / "a").write_text("The cat.\n", encoding="utf-8")
    os.mkfifo(tmp_path / "pipe")
    reader = os.open(tmp_path / "pipe", os.O_RDWR | os.O_NONBLOCK)
    run(model, tmp_path / "a", "--output", tmp_path / "pipe")
    assert os.read(reader, 4096).decode() == translator.translate("The cat.\n").text
    assert (tmp_path / "pipe").is_fifo()
    os.close(reader)
    (tmp_path / "link").symlink_to(tmp_path / "linked")
    run(model, tmp_path / "a", "--output", tmp_path / "link")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "linked").read_text(encoding="utf-8") == translator.translate("The cat.\n").text


def test_json_has_alignment_scores_and_others(model: Path, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(TEXT, encoding="utf-8")
    run(model, tmp_path / "a.txt", "--json", "--n-best", 2, "--output", tmp_path / "a.jsonl")
    rows = [json.loads(line) for line in (tmp_path / "a.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [row["source"] for row in rows] == ["The cat sat on the mat.", "It ran.", "The dog saw it."]
    assert [(row["document"], row["sentence"]) for row in rows] == [(str(tmp_path / "a.txt"), n) for n in range(3)]
    assert [row["after"] for row in rows] == [" ", "\n\n", "\n"]
    translation = load(model, n_best=2).translate(TEXT)
    for row, candidates in zip(rows, translation.candidates):
        assert (row["translation"], row["score"]) == (candidates[0].line, candidates[0].score)
        assert row["others"] == [{"translation": candidates[1].line, "score": candidates[1].score}]
        assert row["score"] >= candidates[1].score


@pytest.mark.parametrize("blank", ["", " \u00a0", "\u200b\u00ad", "\u2028"])
def test_a_sentence_without_text_stays_as_it_is(translator: Translator, blank: str) -> None:
    counted = list[int]()
    document = SourceDocument.of_sentences([blank, "The cat.", blank, "The dog."])
    [found] = translator.translate_documents([document], counted.append)
    first, second = translator.translate(["The cat.", "The dog."]).candidates
    assert found.candidates[1::2] == (first, second)
    assert found.lines[::2] == [blank, blank] and sum(counted) == 4
    assert translator.translate([blank]).lines == [blank]


def test_marked_documents_are_translated_apart(model: Path, translator: Translator, tmp_path: Path) -> None:
    (tmp_path / "a").write_text("<d>\nThe cat.\n\nThe dog.\n<d>\nThe mat.\n", encoding="utf-8")
    run(model, tmp_path / "a", "--marked", "--output", tmp_path / "out")
    first, second, third = translator.translate(["The cat.", "The dog.", "The mat."]).lines
    assert (tmp_path / "out").read_text(encoding="utf-8") == f"<d>\n{first}\n\n{second}\n<d>\n{third}\n"


def test_settings_of_decoding_reach_the_search(model: Path) -> None:
    assert load(model).settings.beam == 2
    other = load(model, beam=5, length_penalty=0.1, batch_tokens=77, use_tree=False, n_best=3).settings
    assert (other.beam, other.length_penalty, other.batch_tokens, other.use_tree, other.n_best) == (
        5,
        0.1,
        77,
        False,
        3,
    )


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        (["--beam", "3"], {"beam": 3}),
        (["--length-penalty", "0.2"], {"length_penalty": 0.2}),
        (["--batch-tokens", "50"], {"batch_tokens": 50}),
        (["--engine", "ctranslate2"], {"engine": "ctranslate2"}),
        (["--precision", "int8"], {"precision": "int8"}),
        (["--shortlist", "0"], {"shortlist": 0}),
        (["--no-trees"], {"use_tree": False}),
        (["--n-best", "2", "--json"], {"n_best": 2}),
        ([], {}),
    ],
)
def test_options_are_passed_on(
    model: Path, words: list[str], wanted: dict[str, object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a").write_text("x", encoding="utf-8")
    command = ["translate", "--model", str(model), "--device", "cpu", str(tmp_path / "a"), *words]
    assert options_of_translator(command, monkeypatch) == {"device": "cpu", **wanted}


def test_groups_do_not_change_translations(translator: Translator, monkeypatch: pytest.MonkeyPatch) -> None:
    """Memory holds one group at a time."""
    documents = [part for text in (TEXT, "", "The cat.\n", TEXT) for part in translator.documents(text, "text")]
    whole = [one.text for one in translator.translate_documents(documents)]
    assert whole[1] == ""
    monkeypatch.setattr("discourse_nmt.translation.translator.GROUP", 3)
    waiting = iter(documents)
    translations = translator.translate_documents(waiting)
    assert next(translations).text == whole[0]
    assert len(list(waiting)) == 3, "the first group has the three sentences of one document"
    translations = translator.translate_documents(documents[1:])
    assert [one.text for one in translations] == whole[1:]


def test_a_text_without_sentences_stays_as_it_is(model: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "empty").write_text("\n \n", encoding="utf-8")
    run(model, tmp_path / "empty", "--output", tmp_path / "out")
    assert (tmp_path / "out").read_text(encoding="utf-8") == "\n \n"
    assert caplog.messages == [f"{tmp_path}/empty: no text"]


def test_another_language_is_a_warning(model: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "german").write_text(GERMAN, encoding="utf-8")
    (tmp_path / "english").write_text(" ".join(ENGLISH * 2), encoding="utf-8")
    run(model, tmp_path / "german", tmp_path / "english", "--output", tmp_path / "out")
    assert caplog.messages == [f"{tmp_path}/german: this looks like de, the model reads en"]


def test_a_sentence_of_ten_thousand_words(model: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "long").write_text("Hm.\n" + "cat " * 10_000 + "\nOh.\n", encoding="utf-8")
    run(model, tmp_path / "long", "--lines", "--beam", 1, "--json", "--output", tmp_path / "out")
    rows = [json.loads(line) for line in (tmp_path / "out").read_text(encoding="utf-8").splitlines()]
    assert sum(len(row["source"].split()) for row in rows) == 10_002
    assert [row["after"] for row in rows] == ["\n", *[" "] * (len(rows) - 3), " \n", "\n"]
    assert any("sentence 2 has more than 300 words" in message for message in caplog.messages)


@pytest.mark.parametrize("ratio", [0.5, 1.2])
def test_a_sentence_that_learned_positions_do_not_reach(
    ratio: float, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    folder = make_folder(tmp_path / "model", positions="learned", max_positions=40)
    translator = load(folder, device="cpu", max_length_ratio=ratio, max_length_offset=10)
    clauses = "The dog saw it, and it ran away, and it was big, and the cat sat on the mat."
    source = f"Oh. {clauses} {'1' * 100}."
    translation = translator.translate(["Oh.", clauses, "1" * 100])
    parts = translation.source.sentences
    assert parts[0] == "Oh." and " ".join(parts[1:]).replace(" ", "") == source[4:-1].replace(" ", "")
    assert len(translation.lines) == len(parts) > 5
    assert [message.split(";")[0] for message in caplog.messages] == [
        "text: sentence 2 is too long to be translated at once",
        "text: sentence 3 is too long to be translated at once",
    ]
    # The longest one that is left whole, with the longest translation, is still within the positions.
    most = 38 if ratio == 0.5 else 24
    assert translator.translate(["1" * most, "y" * 20]).source.sentences == ("1" * most, "y" * 20)


def test_learned_positions_bound_the_source_and_its_longest_translation() -> None:
    switches = TransformerSettings(positions="learned", max_positions=40)
    by_ratio = {
        ratio: most_subwords(switches, DecodingSettings(max_length_ratio=ratio, max_length_offset=10))
        for ratio in (0.5, 1.2, 100.0)
    }
    # <s> and </s> of the source; </s> of a translation of 29 subwords; at least one subword.
    assert by_ratio == {0.5: 38, 1.2: 24, 100.0: 1}


def test_a_word_without_end_is_translated_in_parts(translator: Translator, caplog: pytest.LogCaptureFixture) -> None:
    """A key in hexadecimal signs, a sequence of bases, a line of Thai: tokenisers see one word."""
    for word in ("0123456789abcdef" * 100, "GATTACA" * 300, "ก" * 1500):
        caplog.clear()
        translation = translator.translate(["Oh.", word])
        parts = translation.source.sentences
        assert parts[0] == "Oh." and "".join(parts[1:]) == word
        assert all(translator._stage.subword_count(part) <= MOST_SUBWORDS for part in parts)
        assert "sentence 2 is too long to be translated at once" in caplog.text


def test_other_positions_bound_it_too() -> None:
    switches = TransformerSettings(positions="sinusoidal")
    assert most_subwords(switches, DecodingSettings()) == MOST_SUBWORDS
    long = TransformerSettings(positions="learned", max_positions=4000)
    assert most_subwords(long, DecodingSettings()) == MOST_SUBWORDS


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_ends_are_those_of_the_file(model: Path, tmp_path: Path, end: str) -> None:
    for name, text in (("a", TEXT), ("b", TEXT.replace("\n", end))):
        (tmp_path / name).write_bytes(text.encode())
        run(model, tmp_path / name, "--output", tmp_path / f"{name}.out")
    first, second = ((tmp_path / f"{name}.out").read_bytes().decode() for name in "ab")
    assert second == first.replace("\n", end) and first.count("\n") == TEXT.count("\n")


def test_a_carriage_return_in_a_line_ends_no_line(model: Path, tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"The cat sat.\nThe dog\rsaw it.\n")
    run(model, tmp_path / "a", "--lines", "--output", tmp_path / "out")
    assert (tmp_path / "out").read_bytes().count(b"\n") == 2


def test_broken_input_is_one_line_before_any_work(model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "good").write_text(TEXT, encoding="utf-8")
    (tmp_path / "broken").write_bytes(b"The c\xe4t.")
    (tmp_path / "nul").write_bytes(b"a\nb\0")
    assert f"{tmp_path}/broken: byte 5 is not UTF-8" in fault(model, tmp_path / "broken", "--output", tmp_path / "out")
    assert f"{tmp_path}/nul:2: NUL character" in fault(model, tmp_path / "nul")
    assert "absent: cannot be read" in fault(model, tmp_path / "absent")
    several = fault(model, tmp_path / "good", tmp_path / "broken", "--output", tmp_path / "out")
    assert "broken: byte 5" in several and not (tmp_path / "out").exists()
    monkeypatch.setattr("sys.stdin", Input(b"\xff"))
    assert "standard input: byte 0 is not UTF-8" in fault(model)


def test_wrong_options_are_one_line(model: Path, tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).write_text(TEXT, encoding="utf-8")
    a, b = tmp_path / "a", tmp_path / "b"
    assert "--n-best without --json" in fault(model, a, "--n-best", 2)
    assert "several files; give --output FOLDER" in fault(model, a, b)
    assert "two files are named a" in fault(model, a, tmp_path / "." / "x" / ".." / "a", "--output", tmp_path / "out")
    assert "would be overwritten" in fault(model, a, "--output", a)
    assert "would be overwritten" in fault(model, a, b, "--output", tmp_path)
    a.rename(tmp_path / "c.part")
    assert "would be overwritten" in fault(model, tmp_path / "c.part", "--output", tmp_path / "c")
    (tmp_path / "c.part").rename(a)
    assert "n_best is 3 but beam is 2" in fault(model, a, "--json", "--n-best", 3)
    assert "--threads is 0" in fault(model, a, "--threads", 0)
    assert a.read_text(encoding="utf-8") == TEXT


def test_imported_trees_are_replaced_by_builtin_ones(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    files = {"backend": "import", "format": "table", "files": "gold/{table}.parquet"}
    command = {"backend": "command", "format": "rs3", "command": ["touch", str(tmp_path / "executed")]}
    recipe = AnalysisRecipe(name="gold", source={"edus": files, "rst": command})
    translator = load(make_folder(tmp_path / "model", "rst_transformer", recipe, rst_layers=1))
    assert len(translator.translate(ENGLISH).lines) == 3
    assert not (tmp_path / "executed").exists(), "nothing that a folder names is executed"
    said = "the model was trained with {} of the source side by the backend {}; the builtin analyser is used"
    assert caplog.messages == [said.format("edus", "import"), said.format("rst", "command")]


BUILTIN = {stage: {"backend": "builtin"} for stage in ("edus", "rst")}


def analysis_of(rst: RstSettings) -> tuple[DocumentAnalysis, AnalysisRecipe]:
    """The builtin analysers of English, and their recipe."""
    recipe = builtin_recipe(AnalysisRecipe(source=BUILTIN, rst=rst), Path())
    return DocumentAnalysis(recipe, {"source": "en", "target": "de"}), recipe


def test_trees_of_a_replaced_parser_are_binary() -> None:
    command = {"backend": "command", "format": "rs3", "command": ["parse"]}
    for parser, binary in ((command, True), (BUILTIN["rst"], False)):
        recipe = AnalysisRecipe(rst=RstSettings(debinarise=False), source={**BUILTIN, "rst": parser})
        assert builtin_recipe(recipe, Path()).rst.debinarise is binary


@pytest.mark.parametrize("unit", ["instance", "document"])
def test_trees_are_those_of_the_unit_of_the_recipe(unit: Any, translator: Translator, tmp_path: Path) -> None:
    documents = [ENGLISH * 17]  # two instances, four paragraphs
    dataset, _ = translator._preparation.prepared(documents, tmp_path)
    sentences = sentences_table(documents)
    text, analysis = translator._stage.tables(sentences), analysis_of(RstSettings(unit=unit))[0]
    instances, paragraphs = (
        analysis.inputs(STRUCTURES[kind], "source", text, sentences, dataset)
        for kind in ("dependencies", "paragraph_dependencies")
    )
    roots = (instances["rst_dependencies"]["head"] < 0).sum(), (paragraphs["rst"]["parent"] < 0).sum()
    assert roots == ((2, 4) if unit == "instance" else (1, 1))


@pytest.mark.parametrize("binary", [True, False])
def test_paragraphs_have_the_dependencies_of_the_recipe(binary: bool, translator: Translator, tmp_path: Path) -> None:
    sentences = ["The cat sat on the mat, the dog ran away, the bird sang, and the man slept."]
    analysis, recipe = analysis_of(RstSettings(debinarise=binary))
    preparation = Preparation(translator._stage, "paragraph_dependencies", analysis, recipe)
    _, structures = preparation.prepared([sentences], tmp_path)
    assert isinstance(structures, ParagraphDependencyFile)
    trees = analysis.tables("source", sentences_table([sentences]))["rst"]  # whose root is the unit 0, its own head
    as_told, other = (dependencies_table(trees, "li14", told)["head"].clip(0).tolist() for told in (binary, not binary))
    assert list(structures[0:1].heads) == as_told != other


def test_a_draft_has_the_casing_of_its_own_language(translator: Translator) -> None:
    pair = sentences_table([["The cat sat."]]).assign(target="Die Katze saß.")
    rows = translator._stage.tables(pair)["subwords"]["ids"]
    first = [vocabulary.symbols[ids[0]] for vocabulary, ids in zip(translator.folder.vocabularies, rows)]
    assert first == ["the", "die"]


def test_a_draft_is_the_best_of_several_translations(model: Path) -> None:
    several = load(model, device="cpu", n_best=2)
    sentences = ENGLISH[:2]
    candidates = several.translate(sentences).candidates
    assert all(best.line != other.line for best, other in candidates)
    assert several.draft_table([sentences])["hypothesis"].tolist() == [best.line for best, _ in candidates]


def test_sentences_of_a_chinese_translation_are_joined_without_spaces(translator: Translator, tmp_path: Path) -> None:
    chinese = make_folder(tmp_path / "model", text={**FOLDER_TEXT, "target_language": "zh"})
    for made, space in ((load(chinese, device="cpu"), ""), (translator, " ")):
        found = made.translate(TEXT)
        first, second, third = found.lines
        assert found.text == f"{first}{space}{second}\n\n{third}\n"


def test_a_language_without_trees_is_one_line(tmp_path: Path) -> None:
    recipe = AnalysisRecipe(name="own", source={"edus": {"backend": "builtin"}, "rst": {"backend": "builtin"}})
    text = {"source_language": "it", "target_language": "de", "bpe": {"merges": 30}}
    model = make_folder(tmp_path / "model", "rst_transformer", recipe, text, rst_layers=1)
    (tmp_path / "a").write_text("Un chat.\n", encoding="utf-8")
    assert "edus: no builtin model for the language it" in fault(model, tmp_path / "a", "--lines")
    run(model, tmp_path / "a", "--lines", "--no-trees", "--output", tmp_path / "out")
    assert "no sentence splitter for the language it" in fault(model, tmp_path / "a", "--no-trees")


def test_other_weights_of_an_analyser_are_a_warning(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    builtin = {"backend": "builtin", "weights": None}
    recipe = AnalysisRecipe(name="b", source={"edus": builtin, "rst": builtin}, weights={"en/rst.safetensors": "0"})
    load(make_folder(tmp_path / "model", "rst_transformer", recipe, rst_layers=1))
    (message,) = caplog.messages
    assert message.endswith("rst.safetensors is not the analyser that the model was trained with")
