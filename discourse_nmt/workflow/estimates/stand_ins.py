"""A folder in which a corpus seems to be there, as empty files of the size that it would have."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from snakemake.common.configfile import load_configfile
from snakemake.utils import update_config

from discourse_nmt import ROOT
from discourse_nmt.base.errors import InputError
from discourse_nmt.base.settings import nearest
from discourse_nmt.base.storage.files import read_text
from discourse_nmt.workflow.checks.schema import check_schema
from discourse_nmt.workflow.configuration.corpora import CorpusSection
from discourse_nmt.workflow.configuration.tree import Configuration
from discourse_nmt.workflow.jobs.files import STAND_INS
from discourse_nmt.workflow.resolving.data import with_language_names
from discourse_nmt.workflow.schema.validator import parsed_schema
from discourse_nmt.workflow.sections.corpora import outputs_of
from discourse_nmt.workflow.sections.files import WithFiles, roles_of
from discourse_nmt.workflow.sizing.pairs import BYTES, COMPRESSED, COMPRESSION

OTHER_PAIRS = 3_000  # of a split other than train, and of a suite


def checked(configuration_files: Sequence[Path]) -> Configuration:
    """The configuration in some files (none: ``config.yaml``), with the schema's defaults."""
    config: dict[str, object] = {}
    for path in configuration_files or [ROOT / "config.yaml"]:
        update_config(config, load_configfile(path))
    return Configuration.read(check_schema(config, parsed_schema(read_text(ROOT / "config.schema.yaml"))))


def stand_in(config: Configuration, pairs: Mapping[str, int], folder: Path) -> None:
    """Put files for every corpus of ``config`` into the empty ``folder``.

    ``pairs`` are the training pairs by corpus. The files take no room on the disk. A path that is absolute or leaves
    the folder cannot be stood in for, which is an :class:`InputError`.
    """
    (folder / STAND_INS).touch()
    for name in pairs:
        if name not in config.corpora:
            raise InputError(f"--pairs: no corpus {name}", remedy=nearest(name, config.corpora))
    for name, corpus in with_language_names(config).corpora.items():
        if not _generated(corpus, config.run) and name not in pairs:
            raise InputError(f"--pairs: no number for the corpus {name}", remedy=f"give --pairs {name}=NUMBER, too")
        given: dict[str, WithFiles] = {**corpus.splits, **corpus.suites}
        for split, section in given.items():
            _stand_in_for(section, pairs.get(name, 0) if split == "train" else OTHER_PAIRS, folder)
        for path in [*corpus.contrastive.values(), *_hypotheses(corpus)]:
            _blank(folder, path, 0)
        checkpoint = corpus.text.pretrained
        if checkpoint is not None and not Path(checkpoint).is_absolute() and not (folder / checkpoint).exists():
            (folder / checkpoint).parent.mkdir(parents=True, exist_ok=True)
            (folder / checkpoint).symlink_to(Path(checkpoint).resolve())


def _stand_in_for(section: WithFiles, pairs: int, folder: Path) -> None:
    for role, patterns in roles_of(section).items():
        sides = 1 if role in ("source", "target") else 2
        for pattern in patterns:
            packed = COMPRESSION if pattern.partition("::")[0].endswith(COMPRESSED) else 1
            _blank(folder, pattern, round(pairs * BYTES * sides / packed / len(patterns)))


def _generated(corpus: CorpusSection, run: str) -> bool:
    patterns = [pattern for split in corpus.splits.values() for pattern in roles_of(split).get("files", [])]
    return bool(patterns) and all(pattern.startswith(f"results/{run}/generated/") for pattern in patterns)


def _hypotheses(corpus: CorpusSection) -> list[str]:
    return [path for system in corpus.systems.values() for path in outputs_of(system).values()]


def _blank(folder: Path, pattern: str, size: int) -> None:
    """A file of this size that the pattern matches, unless a rule makes it."""
    if pattern.startswith("results/"):
        return
    name = pattern.partition("::")[0].replace("**/", "").replace("*", "x").replace("?", "x")
    path = Path(os.path.normpath(folder / name))
    if not path.is_relative_to(folder):
        raise InputError(f"--pairs: {pattern} lies outside the folder of the run", remedy="give a relative path")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch()
    os.truncate(path, size)
