"""Make a test suite of pronouns from a corpus."""

import argparse
import json
import logging
from pathlib import Path

SUMMARY = 'Make a test suite from a corpus: translations of "it", whose gender an earlier sentence decides.'
EXAMPLES = """\
Tables are what the targets corpus and analyse write, of a test set for
example: results/RUN/CORPUS/corpus/test, and for chains
results/RUN/CORPUS/discourse/builtin/source/coreference/test. A folder gets
pronouns.json and pronouns.txt, which the suite format ctxpro reads: files and
source of a suite.

examples:
  discourse-nmt items 0.parquet --coreference chains/0.parquet --language de --output it
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The tables, the language and the folder to write."""
    add = parser.add_argument
    add("tables", nargs="+", type=Path, metavar="TABLE", help="table of sentences, of one test set together")
    add("--coreference", nargs="+", type=Path, required=True, metavar="TABLE", help="tables of their chains")
    add("--language", required=True, metavar="CODE", help="target language: de, fr or ru")
    add("--output", type=Path, required=True, metavar="FOLDER", help="folder to write")


def run(arguments: argparse.Namespace) -> int:
    """Read the tables, find the items, write them."""
    import pandas as pd

    from discourse_nmt.base.errors import InputError
    from discourse_nmt.base.storage.files import write_text
    from discourse_nmt.base.storage.tables import read_table
    from discourse_nmt.corpus.suites.pronouns import pronoun_items

    sentences = pd.concat([read_table(path, "sentences") for path in arguments.tables], ignore_index=True)
    chains = pd.concat([read_table(path, "coreference") for path in arguments.coreference], ignore_index=True)
    items = list(pronoun_items(sentences, chains, arguments.language))
    if not items:
        raise InputError("no sentence is an item", file=arguments.tables[0], remedy="is --language right?")
    text = json.dumps([item.as_json() for item in items], ensure_ascii=False, indent=1)
    write_text(f"{text}\n", arguments.output / "pronouns.json")
    write_text("".join(f"{item.as_line()}\n" for item in items), arguments.output / "pronouns.txt")
    counts = pd.Series([item.form for item in items]).value_counts()
    logging.info(f"{len(items):,} items: {', '.join(f'{form} {count:,}' for form, count in counts.items())}")
    return 0
