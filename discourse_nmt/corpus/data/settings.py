"""Settings of the stage that brings the files of a corpus, under ``corpora.NAME.data`` in the configuration."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.settings import required, setting

ADDRESS = "^https?://"
SHA256 = "^[0-9a-f]{64}$"
PLACEHOLDER = re.compile(r"\{(source|target)\}")


@dataclass(frozen=True)
class UrlSettings:
    """A file on a server."""

    url: str = required("address of the file", schema={"pattern": ADDRESS})
    sha256: str = required("SHA-256 of the file, in hexadecimal digits", schema={"pattern": SHA256})


@dataclass(frozen=True)
class DataSettings:
    """Where the files of a corpus come from.

    ``{source}`` and ``{target}`` stand for the names of the languages, here and in the file names of splits and suites.
    """

    folder: str = required("folder that the files are put into, for example data/help; splits name the files in it")
    names: dict[str, str] = setting(
        {}, "names of languages that are not their codes, by code, for example {en: en-US, zh: zh-CN}"
    )
    debian: list[str] = setting(
        [], "Debian packages, downloaded by apt-get and unpacked without root; names are put in lower case"
    )
    inside: str = setting("", "folder inside the packages whose content is put into the folder; empty for all")
    installed: list[str] = setting(
        [], "folders where the same files may lie already; the first one that has all of them is copied"
    )
    urls: dict[str, UrlSettings] = setting({}, "files on servers, by their path in the folder")
    mtdata: list[str] = setting([], "arguments of mtdata without --out, for example [get-recipe, -ri, NAME]")


def with_names(value: Any, names: Mapping[str, str]) -> Any:
    """``value`` with the placeholders in all texts replaced by the ``names`` of the sides."""
    if isinstance(value, str):
        return PLACEHOLDER.sub(lambda match: names[match[1]], value)
    if isinstance(value, list):
        return [with_names(item, names) for item in value]
    if isinstance(value, dict):
        return {with_names(key, names): with_names(item, names) for key, item in value.items()}
    return value


def check_data(data: DataSettings, patterns: list[str], place: str, reader: str = "split") -> None:
    """Raise :class:`InputError` for settings that bring nothing that the ``patterns`` of any ``reader`` name."""
    if not (data.debian or data.installed or data.urls or data.mtdata):
        raise InputError(f"{place} brings no files", remedy="name debian, urls, mtdata or installed")
    if not any(pattern.startswith(f"{data.folder}/") for pattern in patterns):
        raise InputError(
            f"{place}.folder: no {reader} has a file in {data.folder}", remedy=f"name its files in {reader}s"
        )
    for name in data.urls:
        if name.startswith("/") or ".." in name.split("/"):
            raise InputError(f"{place}.urls.{name} is outside the folder", remedy="give a path in the folder")
