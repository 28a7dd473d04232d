"""Analyse texts: sentences, words, tags, lemmas, dependencies, discourse units, rhetorical structure, coreference,
themes.
"""

import argparse
import logging
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from discourse_nmt import PACKAGE, ROOT
from discourse_nmt.base.characters import decoded, has_text
from discourse_nmt.base.errors import InputError
from discourse_nmt.base.progress import progress
from discourse_nmt.base.storage.files import read_named_text, read_text, write_json, write_text
from discourse_nmt.discourse.plain_text import check_text

if TYPE_CHECKING:
    from discourse_nmt.discourse.pipeline import TextAnalysis
    from discourse_nmt.discourse.structures.rows import Row

SUMMARY = "Analyse texts: discourse units, RST trees, coreference, themes, syntax."
EXAMPLES = """\
A file is one document: UTF-8, an empty line between paragraphs; - is standard
input, with the name stdin. For each file NAME.txt the folder gets NAME.conllu
(syntax and discourse units), NAME.rs3 (the tree), NAME.coreference.conll, and as
drawings NAME.rst.svg, NAME.dependencies.svg, NAME.coreference.svg and
NAME.themes.svg; for all together index.html with
the drawings, documents.json with counts, and the tables
tables/{syntax,edus,rst,rst_dependencies,coreference,themes}.parquet. Stages
without an analyser for the language are left out. A text that is not in the
language is a warning.

A document that fails is one line with its name; the others are written, and the
exit status is 1.

examples:
  discourse-nmt analyse letter.txt --output analysed
  echo "It rained, so we left." | discourse-nmt analyse - --output analysed
  discourse-nmt analyse texte/*.txt --language de --threads 2 --output analysiert
"""
WEIGHTS = ROOT / "resources" / "analysers"
TEMPLATES = PACKAGE / "discourse" / "drawings"
# The script that saves drawings, which the report shares.
SCRIPTS = [PACKAGE / "scoring" / "reports" / "viewer" / f"{name}.js" for name in ("elements", "drawings")]
STANDARD_INPUT = Path("-")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The texts, their language, and the folder to write."""
    parser.add_argument(
        "files", nargs="+", type=Path, metavar="FILE", help="texts, one document each; - for standard input"
    )
    parser.add_argument("--language", default="en", help="language of the texts; its models must be in --weights")
    parser.add_argument("--weights", type=Path, default=WEIGHTS, metavar="FOLDER", help="folder of languages")
    parser.add_argument("--threads", type=int, default=1, metavar="N", help="CPU threads")
    parser.add_argument("--output", type=Path, required=True, metavar="FOLDER", help="folder to write to")


def read_documents(paths: Sequence[Path]) -> dict[str, str]:
    """Checked texts by the names of their files without ending.

    Raises :class:`InputError`: two files have the same name, or a file has no text.
    """
    texts: dict[str, str] = {}
    for path in paths:
        name = "stdin" if path == STANDARD_INPUT else path.stem
        if name in texts:
            raise InputError(f"two files are named {name}", file=path, remedy="rename one")
        content = decoded(sys.stdin.buffer.read(), path) if path == STANDARD_INPUT else read_named_text(path)
        texts[name] = check_text(content, str(path))
        if not has_text(texts[name]):
            raise InputError("no text", file=path)
    return texts


def folder_of(weights: Path, language: str) -> Path:
    """The analysers of a language; :class:`InputError` with the languages that there are if it is none of them."""
    languages = sorted(path.parent.name for path in weights.glob("*/joint.json"))
    if not languages:
        raise InputError("no analysers", file=weights, remedy="correct --weights")
    if language not in languages:
        remedy = f"there are {', '.join(languages)}; docs/how-to/train-analysers.md tells how to train others"
        raise InputError(f"no analysers for the language {language}", remedy=remedy)
    return weights / language


def run(arguments: argparse.Namespace) -> int:
    """Read the texts, analyse, write; 1 if a document fails, of which a line tells."""
    if arguments.threads < 1:
        raise InputError(f"--threads is {arguments.threads}", remedy="it must be at least 1")
    texts = read_documents(arguments.files)
    folder = folder_of(arguments.weights, arguments.language)

    import torch

    from discourse_nmt.discourse.pipeline import load_pipeline
    from discourse_nmt.quality.languages import unlike

    for name, text in texts.items():
        if doubt := unlike(text, arguments.language):
            logging.warning("%s: %s; give its language with --language", name, doubt)
    torch.set_num_threads(arguments.threads)
    pipeline = load_pipeline(folder, arguments.language)
    began = time.process_time()
    analyses = zip(texts, progress(pipeline.analyse_in_turn(texts.values()), "analysing", "documents", len(texts)))
    written = [document for name, analysis in analyses if (document := _written(name, analysis, arguments.output))]
    if written:
        _write_together(written, arguments.output)
        _tell(written, time.process_time() - began)
    if failed := len(texts) - len(written):
        logging.error("%d of %d documents failed", failed, len(texts))
    return 1 if failed else 0


@dataclass(frozen=True)
class WrittenDocument:
    """A document whose files are written: its name, its counts, its rows by table, its drawings by title."""

    name: str
    counts: dict[str, int]
    rows: "dict[str, list[Row]]"
    drawings: dict[str, str]


def _written(name: str, analysis: "TextAnalysis | Exception", output: Path) -> WrittenDocument | None:
    """The document ``name`` after its files are written; None for one that fails, of which a line tells."""
    from discourse_nmt.discourse.drawings.sheets import TITLES
    from discourse_nmt.discourse.export import files, tables
    from discourse_nmt.discourse.failures import told
    from discourse_nmt.discourse.pipeline import count

    try:
        if isinstance(analysis, Exception):
            raise analysis
        rows, contents = tables(name, analysis), files(name, analysis)
    except Exception as error:
        logging.error("%s: not analysed (%s); please report it with the text", name, told(error))
        return None
    for ending, content in contents.items():
        write_text(content, output / f"{name}.{ending}")
    drawings = {title: contents[f"{key}.svg"] for key, title in TITLES.items() if f"{key}.svg" in contents}
    return WrittenDocument(name, count(analysis), rows, drawings)


def _write_together(documents: Sequence[WrittenDocument], output: Path) -> None:
    """Write what all documents share: tables, counts, and the page with the drawings."""
    import pandas as pd

    from discourse_nmt.base.storage.tables import TABLES, write_table
    from discourse_nmt.discourse.drawings.sheets import Sheet, facts, index, section
    from discourse_nmt.scoring.reports.embedding import script_source

    for kind in dict.fromkeys(kind for document in documents for kind in document.rows):
        rows = [row for document in documents for row in document.rows.get(kind, [])]
        write_table(pd.DataFrame(rows, columns=list(TABLES[kind])), output / "tables" / f"{kind}.parquet", kind)
    write_json([{"name": one.name, **one.counts} for one in documents], output / "documents.json")
    sheets = [Sheet(one.name, facts(one.counts), one.drawings) for one in documents]
    content = section(read_text(TEMPLATES / "section.html"), sheets, opened=True)
    script = "\n".join(["'use strict';", *map(read_text, SCRIPTS)])
    template = read_text(TEMPLATES / "index.html")
    write_text(index(template, "Discourse analysis", content, script, script_source(script)), output / "index.html")


def _tell(documents: Sequence[WrittenDocument], seconds: float) -> None:
    """Log the counts of all documents together, and the speed."""
    from discourse_nmt.discourse.drawings.sheets import facts

    total = {key: sum(document.counts[key] for document in documents) for key in documents[0].counts}
    logging.info("%d %s: %s", len(documents), "document" if len(documents) == 1 else "documents", facts(total))
    logging.info("%.0f words per CPU-second, drawing and writing included", total["words"] / seconds)
