"""Model folders: writing one, and opening one after a check of every file.

A folder holds ``model.json`` (:class:`.Manifest`), ``weights.safetensors``, for each side ``truecase.json``,
``bpe.json`` and ``vocabulary.json``, ``subword_translations.safetensors`` where the model translates with a shortlist,
``analysers/LANGUAGE/`` where the analysers are not those of the project,
``draft/`` (a model folder) for systems that read drafts, and ``LICENCE.txt``. Nothing in it is pickled or executed.
"""

import os
import secrets
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from discourse_nmt.base.arrays import Integers
from discourse_nmt.base.errors import InputError
from discourse_nmt.base.storage.files import checksum, read_json, verified, write_json, write_text
from discourse_nmt.base.vocabulary import Vocabulary
from discourse_nmt.text.settings import SIDES, TextSettings
from discourse_nmt.training.checkpoints.subword_translations import load_translations
from discourse_nmt.translation.manifest import REMEDY, Manifest

MANIFEST, WEIGHTS, LICENCE, DRAFT, ANALYSERS = "model.json", "weights.safetensors", "LICENCE.txt", "draft", "analysers"
SUBWORD_TRANSLATIONS = "subword_translations.safetensors"
TEXT_MODELS = {"truecaser": "truecase.json", "codes": "bpe.json", "vocabulary": "vocabulary.json"}
"""Files of a side by the kind of model in them."""


@dataclass(frozen=True)
class ModelFolder:
    """An opened folder, all of whose files are what was written."""

    path: Path
    manifest: Manifest

    @property
    def weights(self) -> Path:
        """The file of the network."""
        return self.path / WEIGHTS

    @property
    def name(self) -> str:
        """The model by corpus, experiment and seed."""
        origin = self.manifest.origin
        return f"{origin.corpus}/{origin.experiment}/seed{origin.seed}"

    @cached_property
    def text(self) -> TextSettings:
        """Settings of both sides."""
        return TextSettings.from_mapping(self.manifest.text)

    @cached_property
    def vocabularies(self) -> tuple[Vocabulary, Vocabulary]:
        """Vocabularies of the source and the target side."""
        source, target = (Vocabulary.load(self.path / side / "vocabulary.json") for side in ("source", "target"))
        return source, target

    def subword_translations(self) -> Integers:
        """The translations of subwords that a shortlist takes; :class:`InputError` where the folder has none."""
        path = self.path / SUBWORD_TRANSLATIONS
        if SUBWORD_TRANSLATIONS not in self.manifest.files:
            raise InputError(
                "missing: the model was not made to translate with a shortlist",
                file=path,
                remedy="use shortlist 0, or set decoding.shortlist in the configuration and make the folder again",
            )
        return load_translations(path, self.vocabularies)

    @cached_property
    def draft(self) -> "ModelFolder | None":
        """The model that translates drafts, if this one reads any."""
        return open_folder(self.path / DRAFT) if self.manifest.drafted else None


def write_folder(folder: Path, files: Mapping[str, Path], manifest: Manifest, licence: str) -> None:
    """Write a model folder: copies of ``files`` by their path in it, the text of the licence, and the manifest.

    ``files`` of the folder ``draft`` are those of another model folder. The folder appears whole or not at all; one
    that is there is replaced. Raises :class:`InputError` for a missing or damaged file.
    """
    temporary = folder.with_name(f".{folder.name}.{secrets.token_hex(4)}")
    try:
        for name, path in files.items():
            (temporary / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(verified(path), temporary / name)
        write_text(licence, temporary / LICENCE)
        digests = {name: checksum(temporary / name) for name in sorted([*files, LICENCE])}
        write_json(replace(manifest, files=digests).to_json(), temporary / MANIFEST)
        for seal in temporary.glob(".*.sha256"):  # the manifest has the digests
            seal.unlink()
        if folder.exists():
            shutil.rmtree(folder)
        folder.parent.mkdir(parents=True, exist_ok=True)
        temporary.replace(folder)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def text_files(given: Mapping[str, Path]) -> dict[str, Path]:
    """The text models of both sides by their path in a folder; they are ``given`` by side and kind, as source_codes."""
    return {f"{side}/{name}": given[f"{side}_{kind}"] for side in SIDES for kind, name in TEXT_MODELS.items()}


def files_in(folder: Path) -> dict[str, Path]:
    """The files of a model folder, by their path in it."""
    return {
        str(path.relative_to(folder)): path
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.name.startswith(".")
    }


def open_folder(folder: str | Path) -> ModelFolder:
    """The model folder ``folder``.

    Raises :class:`InputError` where it is none, is of another format version, or a file is missing, was changed, is
    not listed, or is a link that leads out of the folder.
    """
    folder = Path(folder)
    if not (folder / MANIFEST).is_file():
        raise InputError(
            f"not a model folder: no {MANIFEST}", file=folder, remedy="snakemake models makes results/.../seed1/model/"
        )
    manifest = Manifest.of_json(read_json(folder / MANIFEST), str(folder / MANIFEST))
    required = {WEIGHTS, LICENCE, *(f"{side}/{name}" for side in SIDES for name in TEXT_MODELS.values())}
    present = files_in(folder).keys() - {MANIFEST}
    for problem, names in (
        ("is missing", sorted((required | manifest.files.keys()) - present)),
        ("is not listed in model.json", sorted(present - manifest.files.keys())),
    ):
        if names:
            raise InputError(problem, file=folder / names[0], remedy=REMEDY)
    root = folder.resolve()
    for name, digest in manifest.files.items():
        path = folder / name
        if os.path.commonpath([root, path.resolve()]) != str(root):
            raise InputError("a link that leads out of the folder", file=path, remedy=REMEDY)
        if checksum(path) != digest:
            raise InputError("damaged: its content is not what was written", file=path, remedy=REMEDY)
    return ModelFolder(folder, manifest)
