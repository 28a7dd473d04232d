"""The models of the builtin analysers: folders, files and languages."""

from pathlib import Path

from discourse_nmt import ROOT
from discourse_nmt.base.errors import InputError
from discourse_nmt.base.storage.files import read_json
from discourse_nmt.discourse.backends.backend import Stage
from discourse_nmt.discourse.settings import BuiltinSettings

SHIPPED = ROOT / "resources" / "analysers"
THEME_LANGUAGES = ("en", "zh")  # by rule, without weights
# Models that a stage uses where they exist.
USED: dict[Stage, tuple[str, ...]] = {
    "syntax": ("segmenter", "abbreviations", "joint", "simplified"),
    "edus": ("joint", "units", "simplified"),
    "rst": ("joint", "rst", "simplified"),
    "coreference": ("coreference", "simplified"),
    "themes": (),
}
# Models without which a stage has no structure: it has no fallback.
INDISPENSABLE: dict[Stage, tuple[str, ...]] = {"edus": ("joint",), "rst": ("joint", "rst")}


def segmenter_files(language: str) -> list[Path]:
    """The files of the shipped segmenter of a language; none where there is no such segmenter."""
    folder = SHIPPED / language
    names = ("segmenter.json", "segmenter.safetensors", "abbreviations.json", "simplified.json")
    return [folder / name for name in names if (folder / name).is_file()] if has_model(folder, "segmenter") else []


def model_folder(settings: BuiltinSettings, language: str) -> Path:
    """The folder of a language's models; it may not exist."""
    return (SHIPPED if settings.weights is None else Path(settings.weights)) / language


def has_model(folder: Path, name: str) -> bool:
    """Whether the folder has the model ``name``."""
    return (folder / f"{name}.safetensors").is_file()


def has_units(folder: Path) -> bool:
    """Whether the joint network of the folder, which must be there, finds discourse units."""
    return has_model(folder, "units") or read_json(folder / "joint.json").get("units") is not False


def model_files(stage: Stage, settings: BuiltinSettings, language: str) -> list[Path]:
    """The files that the results of a builtin stage depend on."""
    folder = model_folder(settings, language)
    paths = [folder / f"{name}.{ending}" for name in USED[stage] for ending in ("json", "safetensors")]
    return [path for path in paths if path.is_file()]


def check_model(stage: Stage, settings: BuiltinSettings, language: str) -> None:
    """Raise :class:`InputError` if the stage has neither a builtin analyser for the language nor a fallback."""
    folder = model_folder(settings, language)
    missing = [name for name in INDISPENSABLE.get(stage, ()) if not has_model(folder, name)]
    if missing:
        raise InputError(
            f"{stage}: no builtin model for the language {language} ({folder / missing[0]}.safetensors)",
            remedy="choose backend: import or command, or leave the table out",
        )
    if stage == "edus" and not has_units(folder):
        raise InputError(
            f"edus: the builtin model for the language {language} has learnt no discourse units",
            remedy="choose backend: import or command, or leave the table out",
        )
    if stage == "themes" and language not in THEME_LANGUAGES:
        raise InputError(
            f"themes: no builtin rules for the language {language}",
            remedy="choose backend: import or command, or leave the table out",
        )
