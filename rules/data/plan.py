"""Corpora whose files are brought by the workflow: which files, from where, and the table that records them."""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from snakemake.exceptions import WorkflowError

from discourse_nmt.rules.data.names import patterns_of
from discourse_nmt.rules.plan.files import Files
from discourse_nmt.rules.plan.jobs import check_braces
from discourse_nmt.rules.plan.parameters import canonical

HTTP_PLUGIN = "snakemake_storage_plugin_http"


@dataclass(frozen=True)
class DataFiles:
    """The sections ``data`` of a configuration."""

    config: Mapping[str, Any]
    files: Files

    @property
    def corpora(self) -> list[str]:
        """The corpora with a section ``data``."""
        return [name for name, corpus in self.config["corpora"].items() if corpus["data"] is not None]

    def _section(self, corpus: str) -> Mapping[str, Any]:
        section: Mapping[str, Any] = self.config["corpora"][corpus]["data"]
        return section

    def brings(self, corpus: str, pattern: str) -> bool:
        """Whether the files of a pattern are brought by the workflow."""
        return corpus in self.corpora and pattern.startswith(f"{self._section(corpus)['folder']}/")

    def manifest(self, corpus: str) -> str:
        """The table of the files of a corpus, which stands for them as the input of the import."""
        return f"{self.files.results}/{corpus}/data.tsv"

    def manifests(self) -> list[str]:
        """What the target data makes; a configuration without a section ``data`` is an error of one line."""
        if not self.corpora:
            raise WorkflowError("no corpus of the configuration has a section data; its key where tells its source")
        return [self.manifest(corpus) for corpus in self.corpora]

    def patterns(self, corpus: str) -> list[str]:
        """The patterns of the files of splits and suites that the workflow brings."""
        section = self.config["corpora"][corpus]
        patterns = patterns_of(section["splits"]) + patterns_of(section["suites"])
        paths = [pattern.partition("::")[0] for pattern in patterns if self.brings(corpus, pattern)]
        for path in paths:
            check_braces(path, f"corpus {corpus}")
        return list(dict.fromkeys(paths))

    def settings(self, corpus: str) -> str:
        """The section ``data`` of a corpus, as canonical JSON."""
        return canonical(self._section(corpus))

    def downloaded(self, corpus: str) -> list[str]:
        """The files that are downloaded from servers."""
        section = self._section(corpus)
        return [f"{section['folder']}/{name}" for name in section["urls"]]

    def to_download(self) -> list[tuple[str, str, str]]:
        """Path, address and SHA-256 of each file that is not there yet.

        A file that is there needs no rule: Snakemake would ask its server at every call whether it has changed.
        """
        missing: dict[str, tuple[str, str, str]] = {}
        for corpus in self.corpora:
            section = self._section(corpus)
            for name, file in section["urls"].items():
                path = f"{section['folder']}/{name}"
                if not Path(path).exists():
                    missing[path] = (path, file["url"], file["sha256"])
        if missing and find_spec(HTTP_PLUGIN) is None:
            path, url, _ = next(iter(missing.values()))
            remedy = f"download {url} to {path}, or pip install '.[data]' in the checkout"
            raise WorkflowError(f"data.urls need the package snakemake-storage-plugin-http; {remedy}")
        return list(missing.values())
