"""Read a corpus whose words are labelled as themes and rhemes, and divide its documents into train, dev and test.

Documents are sorted by the names of their files. Known faults of the files are counted in the log.
"""

import logging

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.progress import progress
from discourse_nmt.base.settings import parse_settings
from discourse_nmt.base.sources import Source, expand
from discourse_nmt.base.storage.tables import write_table
from discourse_nmt.discourse.themes.ctrd import CtrdDocument, read_ctrd
from discourse_nmt.discourse.themes.imported import ImportedWords
from discourse_nmt.discourse.themes.words import words_of_ctrd
from discourse_nmt.workflow_scripts.command import JsonObject, arguments, run

SPLITS = ("train", "dev", "test")


def documents_of(settings: ImportedWords) -> list[tuple[str, CtrdDocument]]:
    """Every document with its name, sorted by name.

    Raises :class:`InputError` where two files have the same name.
    """
    sources: dict[str, Source] = {}
    for source in (source for pattern in settings.files for source in expand(pattern)):
        name = source.filename.removesuffix(".xml")
        if name in sources:
            raise InputError(f"{sources[name].name} has the same name", file=source.name, remedy="rename one")
        sources[name] = source
    if len(sources) <= settings.dev + settings.test:
        raise InputError(
            f"{len(sources)} documents, of which {settings.dev} are for dev and {settings.test} for test",
            file=settings.files[0],
            remedy="name more files, or lower dev and test",
        )
    read = progress(sorted(sources), "read", "documents")
    return [(name, read_ctrd(b"".join(sources[name].blocks()), sources[name].name)) for name in read]


def main() -> None:
    """Parse the arguments, read, write a table for each split."""
    parser = arguments(__doc__)
    parser.add_argument("--settings", action=JsonObject, required=True, help="section imported of a labeller, as JSON")
    for split in SPLITS:
        parser.add_argument(f"--{split}", required=True, metavar="FILE", help="labelled_words table to write (Parquet)")
    options = vars(parser.parse_args())

    settings = parse_settings(ImportedWords, options["settings"], "imported")
    documents = documents_of(settings)
    wrong, without = (
        sum(getattr(document, name) for _, document in documents) for name in ("wrong_numbers", "without_words")
    )
    logging.info("%d units with a wrong NUM, %d without WORD", wrong, without)
    first, last = len(documents) - settings.dev - settings.test, len(documents) - settings.test
    for split, of_split in zip(SPLITS, (documents[:first], documents[first:last], documents[last:])):
        table = words_of_ctrd(of_split, omitted=settings.omitted)
        words = int(table["tokens"].map(len).sum())
        logging.info("%s: %d documents, %d clauses, %d words", split, len(of_split), len(table), words)
        write_table(table, options[split], "labelled_words")


if __name__ == "__main__":
    run(main)
