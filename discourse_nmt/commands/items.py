"""Make a test suite of address or of pronouns from a corpus."""

import argparse
import json
import logging
from pathlib import Path

SUMMARY = "Make a test suite from a corpus: forms of address, or pronouns, that the document decides."
EXAMPLES = """\
address: translations that must address somebody as the scene requires.
pronouns: translations of "it", whose gender an earlier sentence decides.
Tables are what the targets corpus and analyse write, of a test set for
example: results/RUN/CORPUS/corpus/test, and for chains
results/RUN/CORPUS/discourse/builtin/source/coreference/test. A folder gets
KIND.json and KIND.txt, which the suite format ctxpro reads: files and source
of a suite.

examples:
  discourse-nmt items address corpus/test/0.parquet --language de --output address
  discourse-nmt items pronouns 0.parquet --coreference chains/0.parquet --language de --output it
"""
KINDS = ("address", "pronouns")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The kind, the tables, the language and the folder to write."""
    add = parser.add_argument
    add("kind", choices=KINDS, metavar="KIND", help=" or ".join(KINDS))
    add("tables", nargs="+", type=Path, metavar="TABLE", help="table of sentences, of one test set together")
    add("--coreference", nargs="+", type=Path, metavar="TABLE", help="tables of their chains, for pronouns")
    add("--language", required=True, metavar="CODE", help="target language: de, fr or ru, for address also es")
    add("--output", type=Path, required=True, metavar="FOLDER", help="folder to write")


def run(arguments: argparse.Namespace) -> int:
    """Read the tables, find the items, write them."""
    import pandas as pd

    from discourse_nmt.base.errors import InputError
    from discourse_nmt.base.storage.files import write_text
    from discourse_nmt.base.storage.tables import read_table
    from discourse_nmt.corpus.suites.address import address_items
    from discourse_nmt.corpus.suites.pronouns import pronoun_items

    kind, language = arguments.kind, arguments.language
    if (kind == "pronouns") != bool(arguments.coreference):
        message = "items of pronouns need chains" if kind == "pronouns" else "items of address need no chains"
        raise InputError(message, remedy=f"give{'' if kind == 'pronouns' else ' no'} --coreference")
    sentences = pd.concat([read_table(path, "sentences") for path in arguments.tables], ignore_index=True)
    if kind == "address":
        items = list(address_items(sentences, language))
    else:
        chains = pd.concat([read_table(path, "coreference") for path in arguments.coreference], ignore_index=True)
        items = list(pronoun_items(sentences, chains, language))
    if not items:
        raise InputError(f"no sentence is an item of {kind}", file=arguments.tables[0], remedy="is --language right?")
    text = json.dumps([item.as_json() for item in items], ensure_ascii=False, indent=1)
    write_text(f"{text}\n", arguments.output / f"{kind}.json")
    write_text("".join(f"{item.as_line()}\n" for item in items), arguments.output / f"{kind}.txt")
    counts = pd.Series([item.rule.partition("/")[2] for item in items]).value_counts()
    logging.info(f"{len(items):,} items: {', '.join(f'{form} {count:,}' for form, count in counts.items())}")
    return 0
