"""The section ``data`` of corpora: placeholders of languages, and the folder of data for development."""

from collections.abc import Mapping
from typing import Any

from discourse_nmt.corpus.data.settings import with_names
from discourse_nmt.corpus.suites.plan import ROLES as SUITE_ROLES

VARIABLE = "DISCOURSE_NMT_DATA"
FOLDER = "data/"
MODEL_FILES = ("config.json", "model.safetensors", "tokenizer.json")  # of a pretrained model
ROLES = dict.fromkeys(("source", "target", "documents", "files", *SUITE_ROLES))  # keys that name files


def patterns_of(sections: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """The patterns of the files of splits or suites."""
    return [pattern for section in sections.values() for role in ROLES for pattern in section.get(role, [])]


def treebank_patterns(language: Mapping[str, Any]) -> list[str]:
    """The patterns of the files of a language's treebanks, its file of vectors, and what its teachers read."""
    layers = ("conllu", "kept", "rst", "coreference")
    vectors = [language["vectors"]["file"]] if language["vectors"] else []
    teachers = teacher_patterns(language["teachers"]) if language["teachers"] else []
    return [*vectors, *teachers] + [
        pattern for treebank in language["treebanks"].values() for layer in layers for pattern in treebank[layer]
    ]


def teacher_patterns(teachers: Mapping[str, Any]) -> list[str]:
    """The patterns of the files that teachers read: texts, and the files of a pretrained model."""
    model = [f"{teachers['pretrained']}/{name}" for name in MODEL_FILES] if teachers["pretrained"] else []
    return [*teachers["texts"], *model]


def language_names(corpus: Mapping[str, Any]) -> dict[str, str]:
    """The names of both languages in file names and packages: those under ``data.names``, else the codes."""
    names = corpus["data"]["names"] if corpus["data"] else {}
    return {side: names.get(corpus[f"{side}_language"], corpus[f"{side}_language"]) for side in ("source", "target")}


def put_names(config: Mapping[str, Any]) -> None:
    """Replace ``{source}`` and ``{target}`` in the file names and the sections ``data`` of corpora."""
    for corpus in config["corpora"].values():
        if corpus["data"] is None:
            continue
        names = language_names(corpus)
        corpus["data"] = {**with_names(corpus["data"], names), "names": corpus["data"]["names"]}
        for section in [*corpus["splits"].values(), *corpus["suites"].values()]:
            section.update({role: with_names(section[role], names) for role in ROLES if role in section})


def moved(value: Any, old: str, new: str) -> Any:
    """A copy in which each text that begins with the folder ``old`` begins with ``new``; no two places share a part."""
    if isinstance(value, str):
        return f"{new.rstrip('/')}/{value.removeprefix(old)}" if value.startswith(old) else value
    if isinstance(value, list):
        return [moved(item, old, new) for item in value]
    if isinstance(value, dict):
        return {key: moved(item, old, new) for key, item in value.items()}
    return value


def place_data(config: dict[str, Any], environment: Mapping[str, str]) -> None:
    """Fill placeholders, and read ``data/`` from the folder of the variable DISCOURSE_NMT_DATA where it is set.

    ``config`` has the schema's defaults and is changed in place: the one place where names of files are changed.
    """
    put_names(config)
    if folder := environment.get(VARIABLE, ""):
        config.update(moved(config, FOLDER, folder))
