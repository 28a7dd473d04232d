"""Model folders: what is written is opened; everything else is refused in one line."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.settings import parse_settings
from discourse_nmt.base.vocabulary import SPECIALS, Vocabulary
from discourse_nmt.models.core import shortlist
from discourse_nmt.models.core.transformer import Transformer
from discourse_nmt.training.checkpoints.subword_translations import load_translations, save_translations
from discourse_nmt.translation import load
from discourse_nmt.translation.manifest import VERSION, AnalysisRecipe, Manifest
from discourse_nmt.translation.model_folder import SUBWORD_TRANSLATIONS, files_in, open_folder, write_folder
from discourse_nmt.translation.translator import Translator
from tests.unit.translation.folders import ENGLISH, ORIGIN, make_folder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return make_folder(tmp_path / "model")


def change(folder: Path, **values: object) -> None:
    content = json.loads((folder / "model.json").read_text(encoding="utf-8"))
    (folder / "model.json").write_text(json.dumps(content | values), encoding="utf-8")


def test_what_is_written_is_opened(folder: Path) -> None:
    opened = open_folder(folder)
    assert opened.manifest.origin == ORIGIN and opened.name == "animals/sentence/seed1"
    assert opened.manifest.languages == ("en", "de") and opened.manifest.decoding.beam == 2
    assert set(files_in(folder)) == {"model.json", *opened.manifest.files}
    assert not list(folder.rglob(".*")), "no seals"


def test_text_of_a_folder_from_before_there_were_marks_follows_rules(folder: Path) -> None:
    text = json.loads((folder / "model.json").read_text(encoding="utf-8"))["text"]
    old = {name: value for name, value in text.items() if name not in ("spacing", "normalise")}
    change(folder, text=old)
    opened = open_folder(folder)
    assert opened.manifest.text == {**old, "spacing": "rules", "normalise": False}
    assert {(side.spacing, side.normalise) for side in (opened.text.source, opened.text.target)} == {("rules", False)}
    change(folder, text={**old, "spacing": {"source": "rules", "target": "marks"}})
    assert open_folder(folder).text.target.spacing == "marks"


def test_a_folder_travels(folder: Path, tmp_path: Path) -> None:
    before = load(folder).translate(ENGLISH).lines
    folder.rename(tmp_path / "elsewhere")
    assert load(tmp_path / "elsewhere").translate(ENGLISH).lines == before


def test_another_version_is_named(folder: Path) -> None:
    change(folder, format=VERSION + 1, unknown="of the future")
    message = rf"format version {VERSION + 1}, this program reads version {VERSION}; use the program it was made with"
    with pytest.raises(InputError, match=message + r" \(discourse-nmt 0\)"):
        open_folder(folder)


@pytest.mark.parametrize("name", ["weights.safetensors", "source/bpe.json", "target/vocabulary.json", "LICENCE.txt"])
def test_a_changed_file_is_refused(folder: Path, name: str) -> None:
    content = bytearray((folder / name).read_bytes())
    content[-1] ^= 1
    (folder / name).write_bytes(content)
    with pytest.raises(InputError, match=f"{name}: damaged: its content is not what was written"):
        open_folder(folder)


@pytest.mark.parametrize("name", ["weights.safetensors", "source/truecase.json", "LICENCE.txt"])
def test_a_missing_file_is_refused(folder: Path, name: str) -> None:
    (folder / name).unlink()
    with pytest.raises(InputError, match=f"{name}: is missing"):
        open_folder(folder)


def test_a_required_file_cannot_be_taken_from_the_list(folder: Path) -> None:
    files = open_folder(folder).manifest.files
    (folder / "source" / "bpe.json").unlink()
    change(folder, files={name: digest for name, digest in files.items() if name != "source/bpe.json"})
    with pytest.raises(InputError, match=r"source/bpe\.json: is missing"):
        open_folder(folder)


def test_an_unlisted_file_is_refused(folder: Path) -> None:
    (folder / "source" / "more.json").write_text("{}", encoding="utf-8")
    with pytest.raises(InputError, match=r"source/more.json: is not listed in model.json"):
        open_folder(folder)


def test_a_link_out_of_the_folder_is_refused(folder: Path, tmp_path: Path) -> None:
    (folder / "LICENCE.txt").rename(tmp_path / "LICENCE.txt")
    (folder / "LICENCE.txt").symlink_to(tmp_path / "LICENCE.txt")
    with pytest.raises(InputError, match="a link that leads out of the folder"):
        open_folder(folder)


@pytest.mark.parametrize("content", ["[]", "{}", '{"format": "1"}', "nonsense"])
def test_another_file_named_model_json_is_refused(folder: Path, content: str) -> None:
    (folder / "model.json").write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match=r"model\.json"):
        open_folder(folder)


def test_no_model_folder_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"not a model folder: no model.json; snakemake models makes"):
        open_folder(tmp_path)


def test_a_failed_write_leaves_the_old_folder(folder: Path, tmp_path: Path) -> None:
    manifest = open_folder(folder).manifest
    with pytest.raises(InputError, match="cannot be read"):
        write_folder(folder, {"weights.safetensors": tmp_path / "absent"}, manifest, "")
    assert open_folder(folder).manifest == manifest
    assert sorted(path.name for path in tmp_path.iterdir()) == ["model", "model.parts"]


def test_a_manifest_is_read_as_it_was_written() -> None:
    recipe = AnalysisRecipe(name="gold", source={"edus": {"backend": "builtin"}}, weights={"en/rst.json": "0"})
    manifest = open_manifest(recipe)
    assert Manifest.of_json(json.loads(json.dumps(manifest.to_json())), "f") == manifest


def open_manifest(recipe: AnalysisRecipe) -> Manifest:
    values = {
        "format": VERSION,
        "system": "transformer",
        "text": {"source_language": "en", "target_language": "de", "spacing": "marks", "normalise": True},
        "decoding": {},
        "analysis": {},
        "origin": vars(ORIGIN),
        "licence": "CC0",
        "drafted": False,
        "files": {},
    }
    return replace(parse_settings(Manifest, values, "f"), analysis=recipe)


def test_a_model_with_a_shortlist_takes_its_translations_along(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shortlist, "FREQUENT", 0)
    made = make_folder(tmp_path / "short", shortlist=3)
    assert SUBWORD_TRANSLATIONS in open_folder(made).manifest.files
    translator = load(made)
    assert allowed(translator) == [*range(len(SPECIALS) + 3)]
    assert allowed(load(made, shortlist=5)) == [*range(len(SPECIALS) + 5)]
    whole = load(made, shortlist=0)
    assert allowed(whole) is None
    assert whole.translate(ENGLISH).lines == load(make_folder(tmp_path / "whole")).translate(ENGLISH).lines
    symbols = set(translator.folder.vocabularies[1].symbols[: len(SPECIALS) + 3])
    words = {token for sentence in translator.translate(ENGLISH).candidates for token in sentence[0].tokens}
    assert words and "".join(words).lower() and {*"".join(words).lower()} <= {*"".join(symbols).lower()}
    (made / SUBWORD_TRANSLATIONS).unlink()
    with pytest.raises(InputError, match=f"{SUBWORD_TRANSLATIONS}: is missing"):
        load(made)


def allowed(translator: Translator) -> list[int] | None:
    """The ids that a translator's search of a sentence may use; None: all."""
    network = translator._network
    assert isinstance(network, Transformer)
    made = network.shortlist([[len(SPECIALS)]])
    return None if made is None else made.symbols[~made.added[0].isinf().numpy()].tolist()


def test_a_folder_without_translations_of_subwords_is_told(folder: Path) -> None:
    message = f"{SUBWORD_TRANSLATIONS}: missing: the model was not made to translate with a shortlist; use shortlist 0"
    with pytest.raises(InputError, match=message):
        load(folder, shortlist=3)


def test_translations_between_other_vocabularies_are_told(tmp_path: Path) -> None:
    own, other = (Vocabulary((*SPECIALS, *words)) for words in ("ab", "abc"))
    path = tmp_path / "translations"
    save_translations(path, np.arange(18).reshape(9, 2), (own, other))
    assert load_translations(path, (own, other)).tolist() == np.arange(18).reshape(9, 2).tolist()
    with pytest.raises(InputError, match="translations: translations of subwords between other vocabularies"):
        load_translations(path, (own, own))
    path.with_name(f".{path.name}.sha256").unlink()
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(InputError, match="translations: not readable translations of subwords"):
        load_translations(path, (own, other))
