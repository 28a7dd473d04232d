"""Sentence pairs of the splits and suites of a corpus: counted by its import, before it estimated from its files."""

from collections.abc import Iterable
from pathlib import Path

from discourse_nmt.base import sources
from discourse_nmt.base.storage.files import read_text
from discourse_nmt.workflow.configuration.tree import Configuration
from discourse_nmt.workflow.sections.corpora import splits_of
from discourse_nmt.workflow.sections.files import WithFiles, roles_of

BYTES = 130  # of a sentence of one side
COMPRESSION = 3.5  # of text
COMPRESSED = (".gz", ".xz", ".bz2", ".zst", ".zip", ".tgz")
DOCUMENT = 20  # sentences, where a number of documents is given
DEMO_DOCUMENT, DEMO_SHARES = 8, {"train": 0.85, "dev": 0.05, "test": 0.1}  # sentences of a document of the demo


def pairs_of(config: Configuration, corpus: str) -> dict[str, int]:
    """By split and suite, its sentence pairs; those that neither the import nor a file tells of are absent."""
    return estimated_pairs(config, corpus) | counted_pairs(f"results/{config.run}/{corpus}/corpus/statistics.tsv")


def counted_pairs(statistics: str) -> dict[str, int]:
    """The sentence pairs by split in the statistics of an import; empty before there are any."""
    if not Path(statistics).is_file():
        return {}
    header, *rows = (line.split("\t") for line in read_text(statistics).splitlines())
    split, sentences = header.index("split"), header.index("sentences")
    return {row[split]: int(row[sentences]) for row in rows}


def estimated_pairs(config: Configuration, corpus: str) -> dict[str, int]:
    """The sentence pairs by split and suite that the sizes of the source files let expect."""
    section = config.corpora[corpus]
    generated = f"results/{config.run}/generated/"
    documents = config.demo.documents
    pairs: dict[str, float] = {}
    given: dict[str, WithFiles] = {**section.splits, **section.suites}
    for name, patterns in zip(given, map(roles_of, given.values())):
        if tables := patterns.get("corpora"):
            joined = [estimated_pairs(config, table.split("/")[2]).get(name, 0) for table in tables]
            pairs[name] = sum(joined) if all(joined) else 0
        elif any(pattern.startswith(generated) for role in patterns.values() for pattern in role):
            pairs[name] = documents * DEMO_DOCUMENT * DEMO_SHARES.get(name, 0.1)
        elif size := _bytes(patterns.get("source") or patterns.get("files") or []):
            pairs[name] = size / (BYTES if "source" in patterns else 2 * BYTES)
    whole = pairs.get("train", 0)
    for name, part in section.held_out.items():
        pairs[name] = whole * part if part < 1 else part * DOCUMENT
        pairs["train"] = pairs.get("train", 0) - pairs[name]
    for name in splits_of(section):
        if name in section.documents:
            pairs[name] = min(pairs.get(name, float("inf")), section.documents[name] * DOCUMENT)
    return {name: max(1, round(number)) for name, number in pairs.items() if number > 0}


def _bytes(patterns: Iterable[str]) -> float:
    """Bytes of text in the files of some patterns, which need not be there."""
    paths = {str(path) for pattern in patterns for path in _files(pattern.partition("::")[0])}
    return sum(Path(path).stat().st_size * (COMPRESSION if path.endswith(COMPRESSED) else 1) for path in paths)


def _files(pattern: str) -> list[Path]:
    return [Path(pattern)] if Path(pattern).is_file() else list(sources.files(pattern))
