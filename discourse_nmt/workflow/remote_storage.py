"""A run whose files lie in remote storage: where it keeps its work, and how its programs find their inputs."""

import logging
import shlex
from collections.abc import Callable, MutableMapping
from pathlib import Path
from typing import Any

from fsspec import available_protocols
from fsspec.core import split_protocol, url_to_fs

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.storage.remote import KEPT_IN, RemoteCopies

# Settings of Snakemake's storage plugin for S3, and the variables in which other libraries look for the same.
VARIABLES = {
    "endpoint_url": "AWS_ENDPOINT_URL",
    "region": "AWS_DEFAULT_REGION",
    "access_key": "AWS_ACCESS_KEY_ID",
    "secret_key": "AWS_SECRET_ACCESS_KEY",
    "token": "AWS_SESSION_TOKEN",
}


def is_known(prefix: str) -> bool:
    """Whether fsspec knows the protocol of an address; a path has none."""
    protocol = split_protocol(prefix)[0]
    return protocol is None or protocol in available_protocols()


def keep_work(prefix: str | None, provider: Any, environment: MutableMapping[str, str], check: bool) -> None:
    """Tell the jobs, through ``environment``, to keep their work below ``prefix``, that of the default storage.

    ``provider`` is the storage provider, whose credentials hold for the jobs too. The ``environment`` takes precedence.
    With ``check`` an :class:`.InputError` is raised where nothing can be kept.
    """
    if not prefix or provider is None:
        return
    for name, variable in VARIABLES.items():
        if value := getattr(provider.settings, name, None):
            environment.setdefault(variable, value)
    if KEPT_IN not in environment:
        if not is_known(prefix):
            logging.warning(f"work is not kept in {prefix}: unknown to fsspec; set {KEPT_IN} to another address")
            return
        environment[KEPT_IN] = prefix
    if check:
        RemoteCopies(environment[KEPT_IN])


def linking(prefix: str | None, provider: Any, results: Path) -> str:
    """Commands of the shell that link local copies of storage to where the configuration names their originals.

    Programs read some files under these names, but Snakemake puts the copies elsewhere. ``provider`` is the storage
    provider of ``prefix``; without one there is nothing to link. Raises :class:`.InputError` where ``results`` is a
    folder with files of another run, which would be read in place of the copies.
    """
    if not prefix or provider is None:
        return ""
    if results.is_dir() and not results.is_symlink():
        raise InputError(
            "a folder of a run without remote storage",
            file=results,
            remedy="start in another folder, or move it away",
        )
    copies = provider.object(f"{prefix.rstrip('/')}/name").local_path().parent
    return (
        f"for copy in {shlex.quote(str(copies))}/*; do "
        '[ ! -e "$copy" ] || [ -e "${copy##*/}" ] || ln -sfn "$copy" "${copy##*/}"; done; '
    )


def stored_files(prefix: str | None, provider: Any) -> Callable[[str], list[str]] | None:
    """A function that returns the names below ``prefix`` that match a pattern; None without remote storage.

    Other machines than the one where a run starts have the files of the configuration only there.
    """
    if not prefix or provider is None or not is_known(prefix):
        return None
    system, root = url_to_fs(prefix, use_listings_cache=False)
    root = root.rstrip("/")

    def names(pattern: str) -> list[str]:
        if Path(pattern).is_absolute():
            return []
        try:
            return sorted(path.removeprefix(f"{root}/") for path in system.glob(f"{root}/{pattern}"))
        except OSError as error:
            raise InputError(f"cannot be listed ({error})", file=prefix) from None

    return names
