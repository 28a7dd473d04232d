"""``discourse-nmt translate`` on files with markup, and the links of words by an untrained model's attention."""

import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from discourse_nmt.command_line import main
from discourse_nmt.models.sublayers.packed_linear import PackedLinear
from discourse_nmt.translation import load
from discourse_nmt.translation.manifest import AnalysisRecipe
from discourse_nmt.translation.translator import Translator
from discourse_nmt.translation.word_links import WordLinks, joined
from tests.unit.translation.folders import ENGLISH, make_folder

PAGE = "<p>The <b>cat</b> sat on the mat. It ran.\r\n<p>The dog <code>x</code> saw it.\r\n"
SENTENCES = ["The cat sat on the mat.", "It ran.", "The dog x saw it."]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_folder(tmp_path_factory.mktemp("models") / "model")


@pytest.fixture(scope="module")
def translator(model: Path) -> Translator:
    return load(model, device="cpu")


def run(model: Path, *words: object) -> str | int | None:
    with pytest.raises(SystemExit) as stopped:
        main(["translate", "--model", str(model), "--device", "cpu", *map(str, words)])
    return stopped.value.code


def test_sentences_get_the_translations_of_plain_text(model: Path, translator: Translator, tmp_path: Path) -> None:
    (tmp_path / "a.html").write_bytes(PAGE.encode())
    assert not run(model, tmp_path / "a.html", "--json", "--output", tmp_path / "a.jsonl")
    rows = [json.loads(line) for line in (tmp_path / "a.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [row["source"] for row in rows] == SENTENCES
    assert [row["translation"] for row in rows] == translator.translate(SENTENCES).lines
    assert [row["after"] for row in rows] == [" ", "\n\n", "\n"]


def test_a_file_comes_out_in_its_format(model: Path, tmp_path: Path) -> None:
    (tmp_path / "a.html").write_bytes(PAGE.encode())
    assert not run(model, tmp_path / "a.html", "--output", tmp_path / "out.html")
    written = (tmp_path / "out.html").read_bytes().decode()
    for kept in ("<p>", "<b>", "</b>", "<code>x</code>", ".\r\n"):
        assert written.count(kept) == PAGE.count(kept) or kept == ".\r\n"
    assert written.startswith("<p>") and written.endswith("\r\n") and written.count("\r\n") == 2


def test_the_format_may_be_given(
    model: Path,
    translator: Translator,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    class Input:
        buffer = io.BytesIO(b"<!-- The cat. -->")

    monkeypatch.setattr("sys.stdin", Input())
    assert not run(model, "--format", "html")
    assert capsys.readouterr().out == "<!-- The cat. -->"
    (tmp_path / "a.html").write_text("The <b>cat</b>.", encoding="utf-8")
    assert not run(model, "--format", "text", tmp_path / "a.html")
    assert capsys.readouterr().out == translator.translate("The <b>cat</b>.").text


def test_lines_of_a_block_are_sentences_on_request(translator: Translator) -> None:
    text = "<p>The cat sat.\nIt ran. It sat.<br>Was it?"
    assert translator.formatted(text, "", "html").document.sentences == (
        "The cat sat.",
        "It ran.",
        "It sat.",
        "Was it?",
    )
    assert translator.formatted(text, "", "html", "lines").document.sentences == (
        "The cat sat. It ran. It sat. Was it?",
    )


def test_marks_of_documents_are_for_plain_text(model: Path, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("<d>\nThe cat.", encoding="utf-8")
    message = str(run(model, "--marked", tmp_path / "a.md"))
    assert "--marked is for plain text" in message and "--format text" in message and "\n" not in message
    assert not run(model, "--marked", "--format", "text", tmp_path / "a.md")


def test_a_broken_file_is_one_line(model: Path, tmp_path: Path) -> None:
    (tmp_path / "a.srt").write_text("1\n\nnothing\n", encoding="utf-8")
    message = str(run(model, tmp_path / "a.srt"))
    assert message.startswith(f"error: {tmp_path / 'a.srt'}:3: ") and "\n" not in message
    (tmp_path / "b.po").write_bytes(b'msgid "a"\x00\n')
    assert "NUL" in str(run(model, tmp_path / "b.po"))


def test_a_sentence_in_parts_has_the_links_of_its_parts(
    translator: Translator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(translator, "_fits", lambda sentence: len(sentence) < 30)
    text = "<p>The cat sat on the mat, <b>and the dog</b> saw the cat, and it ran away.</p>"
    document = translator.formatted(text, "", "html")
    (translation,) = translator.translate_documents([document.document])
    assert len(translation.source.sentences) > 1 == len(document.document.sentences)
    written = translator.translated_file(document, translation)
    plain = " ".join(translation.lines)
    assert written.replace("<b>", "").replace("</b>", "") == f"<p>{plain}</p>"
    assert written.index("<b>") < written.index("</b>")


SYSTEMS: dict[str, dict[str, Any]] = {
    "transformer": {},
    "han": {},
    "doc_transformer": {},
    "concat": {},
    "g_transformer": {"global_layers": 1},
    "theme_rheme_cache": {},
}


@pytest.mark.parametrize("system", SYSTEMS)
def test_links_are_the_attention_of_every_kind_of_system(system: str, tmp_path: Path) -> None:
    translator = load(make_folder(tmp_path / "model", system, AnalysisRecipe(), **SYSTEMS[system]), device="cpu")
    (translation,) = translator.translate_documents([translator.translate([*ENGLISH, "…", "It ran."]).source])
    links = translator.word_links(translation)
    assert len(links) == len(translation.lines)
    for own, source, target in zip(links, translation.source.sentences, translation.lines):
        assert own.weights.shape == (len(own.target), len(own.source))
        assert np.allclose(own.weights.sum(1), 1, atol=1e-5)
        assert "".join(source[slice(*span)] for span in own.source) == "".join(source.split())
        assert "".join(target[slice(*span)] for span in own.target) == "".join(target.split())
        by_place = WordLinks.of_places(source, target)
        if len(own.target) > 1 and source != "…":
            assert own.weights.shape != by_place.weights.shape or not np.allclose(own.weights, by_place.weights)


@pytest.mark.parametrize("system", ["transformer", "han", "concat", "doc_transformer"])
def test_links_of_a_network_that_looks_for_one_word_are_to_this_word(system: str, tmp_path: Path) -> None:
    translator = load(make_folder(tmp_path / "model", system, AnalysisRecipe()), device="cpu")
    (translation,) = translator.translate_documents([translator.translate(ENGLISH).source])
    dataset, *_ = translator._preparation.translated([ENGLISH], [translation.lines], tmp_path)
    network: Any = translator._network
    with torch.no_grad():
        for name, parameter in network.encoder_layers.named_parameters():
            if "norm" not in name:
                parameter.zero_()  # states of the source are its embeddings
        sought = network.source_embedding.weight[dataset.source.ids[0]]
        for layer in network.decoder_layers:
            projection = layer.source_attention.projection
            projection.weight[:32] = 0
            projection.weight[16:32] = torch.eye(16)
            projection.bias[:16] = 40 * sought / sought.norm()
    for module in network.modules():
        if isinstance(module, PackedLinear):
            module.products.clear()  # those of the weights before
    for links, source in zip(translator.word_links(translation), translation.source.sentences):
        words = [source[slice(*span)] for span in links.source]
        assert {words[index].lower() for index in links.weights.argmax(1)} == {"the"}


def test_links_of_subwords_are_summed_by_word() -> None:
    weights = np.array([[0.5, 0.3, 0.2], [0.1, 0.1, 0.8]])
    links = WordLinks.of_subwords(weights, [(0, 4), (5, 6)], [(0, 2), (2, 3)], [0, 0, 1], [0, 0])
    assert np.allclose(links.weights, [[0.5, 0.5], [0.5, 0.5]])
    links = WordLinks.of_subwords(weights, [(0, 4), (5, 6)], [(0, 2), (2, 3)], [0, 0, 1], [0, 1])
    assert np.allclose(links.weights, [[0.8, 0.2], [0.2, 0.8]])


def test_words_that_are_the_same_in_both_lines_are_linked() -> None:
    links = WordLinks.of_places("In Paris 1 of 2", "Eins von 2 in Paris").with_same_words(
        "In Paris 1 of 2", "Eins von 2 in Paris"
    )
    assert links.weights[2].tolist() == [0, 0, 0, 0, 1] and links.weights[4].tolist() == [0, 1, 0, 0, 0]
    both = joined([(0, 0, links), (20, 30, links)])
    assert both.weights.shape == (10, 10) and both.source[5] == (20, 22) and both.target[5] == (30, 34)
    assert not both.weights[:5, 5:].any()


@pytest.mark.parametrize(("source", "target"), [("I saw a", "a sah I"), ("Paris is far", "Paris, ja Paris")])
def test_letters_and_repeated_words_are_linked_as_they_were(source: str, target: str) -> None:
    links = WordLinks.of_places(source, target)
    assert np.array_equal(links.with_same_words(source, target).weights, links.weights)


def test_a_word_is_cut_at_places_inside_of_it() -> None:
    links = WordLinks(((0, 4),), ((0, 4), (5, 8)), np.array([[1.0], [0.5]])).cut_at({0, 3, 4, 5})
    assert links.target == ((0, 3), (3, 4), (5, 8)) and links.weights.tolist() == [[1.0], [1.0], [0.5]]
