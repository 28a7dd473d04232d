"""Corpora and treebanks whose files are brought by the workflow: which files, from where, and the table that records
them.

Whatever has a section ``data`` is called an owner: a corpus by its name, the treebanks of a language as
``parsers/LANGUAGE``.
"""

from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from snakemake.exceptions import WorkflowError

from discourse_nmt.base.settings import as_json
from discourse_nmt.corpus.data.settings import DataSettings
from discourse_nmt.workflow.configuration.corpora import CorpusSection
from discourse_nmt.workflow.configuration.parsers import ParserSection
from discourse_nmt.workflow.configuration.tree import Configuration
from discourse_nmt.workflow.jobs.files import Files
from discourse_nmt.workflow.jobs.interface import check_braces
from discourse_nmt.workflow.jobs.parameters import canonical
from discourse_nmt.workflow.sections.files import patterns_of, treebank_patterns

HTTP_PLUGIN = "snakemake_storage_plugin_http"


def parsers_owner(language: str) -> str:
    """The owner of the treebanks of a language."""
    return f"parsers/{language}"


@dataclass(frozen=True)
class DataFiles:
    """The sections ``data`` of a configuration."""

    config: Configuration
    files: Files

    @property
    def owners(self) -> list[str]:
        """The owners of a section ``data``."""
        return [owner for owner, section in self._sections.items() if section.data is not None]

    @property
    def _sections(self) -> dict[str, CorpusSection | ParserSection]:
        languages = {parsers_owner(language): section for language, section in self.config.parsers.items()}
        return {**self.config.corpora, **languages}

    def _section(self, owner: str) -> DataSettings:
        section = self._sections[owner].data
        assert section is not None, owner
        return section

    def brings(self, owner: str, pattern: str) -> bool:
        """Whether the files of a pattern are brought by the workflow."""
        return owner in self.owners and pattern.startswith(f"{self._section(owner).folder}/")

    def manifest(self, owner: str) -> str:
        """The table of the files of an owner, which stands for them as the input of the job that reads them."""
        return f"{self.files.results}/{owner}/data.tsv"

    def rule_name(self, owner: str) -> str:
        """The name of the rule that brings the files of an owner."""
        return "fetch_data_" + owner.replace("/", "_")

    def manifests(self) -> list[str]:
        """What the target data makes; a configuration without a section ``data`` is an error of one line."""
        if not self.owners:
            raise WorkflowError("no corpus of the configuration has a section data; its key where tells its source")
        return [self.manifest(owner) for owner in self.owners]

    def patterns(self, owner: str) -> list[str]:
        """The patterns of the files that the workflow brings: of splits and suites, or of treebanks."""
        section = self._sections[owner]
        if isinstance(section, ParserSection):
            patterns, place = treebank_patterns(section), owner.replace("/", ".")
        else:
            patterns, place = patterns_of(section.splits) + patterns_of(section.suites), f"corpus {owner}"
        paths = [pattern.partition("::")[0] for pattern in patterns if self.brings(owner, pattern)]
        for path in paths:
            check_braces(path, place)
        return list(dict.fromkeys(paths))

    def where(self, owner: str) -> str:
        """The user's advice for a machine that cannot get the files."""
        section = self._sections[owner]
        if isinstance(section, CorpusSection):
            return section.where
        others = [part.where for part in (section.vectors, section.teachers) if part]
        sources = [*(treebank.where for treebank in section.treebanks.values()), *others]
        return "; ".join(dict.fromkeys(filter(None, sources)))

    def settings(self, owner: str) -> str:
        """The section ``data`` of an owner, as canonical JSON."""
        return canonical(as_json(self._section(owner)))

    def downloaded(self, owner: str) -> list[str]:
        """The files that are downloaded from servers."""
        section = self._section(owner)
        return [f"{section.folder}/{name}" for name in section.urls]

    def before(self, owner: str) -> list[str]:
        """The tables of earlier owners with the same folder, whose files are not brought twice."""
        folder = self._section(owner).folder
        earlier = self.owners[: self.owners.index(owner)]
        return [self.manifest(other) for other in earlier if self._section(other).folder == folder]

    def to_download(self) -> list[tuple[str, str, str]]:
        """Path, address and SHA-256 of each file that is not there yet.

        A file that is there needs no rule: Snakemake would ask its server at every call whether it has changed.
        """
        missing: dict[str, tuple[str, str, str]] = {}
        for owner in self.owners:
            section = self._section(owner)
            for name, file in section.urls.items():
                path = f"{section.folder}/{name}"
                if not Path(path).exists():
                    missing[path] = (path, file.url, file.sha256)
        if missing and find_spec(HTTP_PLUGIN) is None:
            path, url, _ = next(iter(missing.values()))
            remedy = f"download {url} to {path}, or pip install --editable '.[data]' in the checkout"
            raise WorkflowError(f"data.urls need the package snakemake-storage-plugin-http; {remedy}")
        return list(missing.values())
