"""Analyse texts: sentences, words, tags, lemmas, dependencies, discourse units, rhetorical structure, coreference,
themes.
"""

import argparse
import logging
import os
import re
import shlex
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING

from discourse_nmt import PACKAGE, ROOT, __version__
from discourse_nmt.base.characters import decoded, has_text
from discourse_nmt.base.errors import InputError
from discourse_nmt.base.progress import progress
from discourse_nmt.base.storage.files import checksum, read_named_text, read_text, replacing, write_json, write_text
from discourse_nmt.discourse.plain_text import check_text

if TYPE_CHECKING:
    from discourse_nmt.discourse.pages.index import Making
    from discourse_nmt.discourse.pipeline import TextAnalysis
    from discourse_nmt.discourse.structures.rows import Row

SUMMARY = "Analyse texts: discourse units, RST trees, coreference, themes, syntax."
EXAMPLES = """\
A file is one document: UTF-8, an empty line between paragraphs; - is standard
input, with the name stdin. For each file NAME.txt the folder gets NAME.conllu
(syntax and discourse units), NAME.rs3 (the tree), NAME.coreference.conll, and as
drawings NAME.rst.svg, NAME.dependencies.svg, NAME.coreference.svg and
NAME.themes.svg; for all together index.html with the drawings, a legend and
links to the files, documents.json with counts, and the tables
tables/{syntax,edus,rst,rst_dependencies,coreference,themes}.parquet. Stages
without an analyser for the language are left out. A text that is not in the
language is a warning.

With --format jsonl the folder gets documents.jsonl alone: an object for each file
with its sentences and all annotation, for programs.

A document that fails is one line with its name; the others are written, and the
exit status is 1.

examples:
  discourse-nmt analyse letter.txt --output analysed
  echo "It rained, so we left." | discourse-nmt analyse - --output analysed
  discourse-nmt analyse texte/*.txt --language de --threads 2 --output analysiert
  discourse-nmt analyse corpus/*.txt --format jsonl --output analysed
"""
WEIGHTS = ROOT / "resources" / "analysers"
TEMPLATES = PACKAGE / "discourse" / "pages"
# The script that saves drawings, which the report shares.
SCRIPTS = [PACKAGE / "scoring" / "reports" / "viewer" / f"{name}.js" for name in ("elements", "drawings")]
STANDARD_INPUT = Path("-")
LINES = "documents.jsonl"
# Ends of lines would break the formats, and a name that is not UTF-8 (lone surrogates) cannot be written in them.
UNWRITABLE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
LONGEST_NAME = 255 - len("..coreference.conll.01234567.sha256")  # bytes, with what is written beside a file


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The texts, their language, and the folder to write."""
    parser.add_argument(
        "files", nargs="+", type=Path, metavar="FILE", help="texts, one document each; - for standard input"
    )
    parser.add_argument("--language", default="en", help="language of the texts; its models must be in --weights")
    parser.add_argument("--weights", type=Path, default=WEIGHTS, metavar="FOLDER", help="folder of languages")
    parser.add_argument("--threads", type=int, default=1, metavar="N", help="CPU threads")
    parser.add_argument("--format", choices=["files", "jsonl"], default="files", help="what is written, see below")
    parser.add_argument("--output", type=Path, required=True, metavar="FOLDER", help="folder to write to")


def read_documents(paths: Sequence[Path]) -> dict[str, str]:
    """Checked texts by the names of their files without ending.

    Raises :class:`InputError`: two files have the same name, a name cannot be written, or a file has no text.
    """
    texts: dict[str, str] = {}
    for path in paths:
        name = "stdin" if path == STANDARD_INPUT else path.stem
        if name in texts:
            remedy = "give - once, and no file of this name" if path == STANDARD_INPUT else "rename one"
            raise InputError(f"two files are named {name}", file=path, remedy=remedy)
        if UNWRITABLE.search(name):
            raise InputError(
                "its name is not UTF-8 or has a control character", file=ascii(str(path)), remedy="rename it"
            )
        content = decoded(sys.stdin.buffer.read(), path) if path == STANDARD_INPUT else read_named_text(path)
        texts[name] = check_text(content, str(path))
        if not has_text(texts[name]):
            raise InputError("no text", file=path, remedy="leave it out")
    return texts


def check_output(output: Path, names: Sequence[str]) -> None:
    """Raise :class:`InputError` where the folder ``output`` cannot be made, or not hold files of these ``names``."""
    nearest = next(path for path in (output, *output.absolute().parents) if path.exists())
    if not nearest.is_dir():
        raise InputError(
            "no folder, so that nothing can be written there", file=nearest, remedy="give another --output"
        )
    if not os.access(nearest, os.W_OK | os.X_OK):
        raise InputError("a folder in which you may not write", file=nearest, remedy="give another --output")
    for name in names:
        if len(name.encode()) > LONGEST_NAME:
            raise InputError(
                f"{name}: longer than {LONGEST_NAME} bytes, with endings too long", remedy="rename the file"
            )


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
    as_lines = arguments.format == "jsonl"
    check_output(arguments.output, [] if as_lines else list(texts))

    import torch

    from discourse_nmt.discourse.pipeline import load_pipeline
    from discourse_nmt.quality.languages import unlike

    for name, text in texts.items():
        if doubt := unlike(text, arguments.language):
            logging.warning("%s: %s; give its language with --language", name, doubt)
    torch.set_num_threads(arguments.threads)
    pipeline = load_pipeline(folder, arguments.language)
    began = time.process_time()
    analyses = progress(pipeline.analyse_in_turn(texts.values()), "analysing", "documents", len(texts))
    written: list[WrittenDocument] = []
    failures: dict[str, str] = {}
    with _lines(arguments.output) if as_lines else nullcontext() as lines:
        for analysis, name in zip(analyses, texts):  # in this order the display ends before the last lines
            try:
                if lines is None:
                    written.append(_written(name, analysis, arguments.output))
                else:
                    written.append(_written_line(name, analysis, arguments.language, lines))
            except DocumentError as error:
                failures[name] = str(error)
                logging.error("%s: not analysed (%s); please report it with the text", name, error)
    if written and not as_lines:
        _write_together(written, _making(arguments.weights, arguments.language, failures), arguments.output)
    if written:
        _tell(written, time.process_time() - began)
    if failures:
        logging.error("%d of %d documents failed", len(failures), len(texts))
    if written:
        made = arguments.output / (LINES if as_lines else "index.html")
        logging.info("%s %s", "written:" if as_lines else "open", shlex.quote(str(made)))
    return 1 if failures else 0


@dataclass(frozen=True)
class WrittenDocument:
    """A document whose files are written: its name, its counts, its rows by table, its drawings by title."""

    name: str
    counts: dict[str, int]
    rows: "dict[str, list[Row]]"
    drawings: dict[str, str]
    endings: tuple[str, ...]


class DocumentError(Exception):
    """A document that cannot be analysed; the message is the reason."""


@contextmanager
def _checked(analysis: "TextAnalysis | Exception") -> "Iterator[TextAnalysis]":
    """Yield the ``analysis``. If it is a fault, or one happens within, that is a :class:`DocumentError`."""
    from discourse_nmt.discourse.failures import told

    try:
        if isinstance(analysis, Exception):
            raise analysis
        yield analysis
    except Exception as error:
        raise DocumentError(told(error)) from error


@contextmanager
def _lines(output: Path) -> Iterator[IO[str]]:
    """The file of JSON lines in the folder ``output``, which is there once all are written."""
    with replacing(output / LINES, sealed=False) as temporary, temporary.open("w", encoding="utf-8") as lines:
        yield lines


def _written_line(name: str, analysis: "TextAnalysis | Exception", language: str, lines: IO[str]) -> WrittenDocument:
    """The document ``name`` after its object is written; :class:`DocumentError` if it cannot be analysed."""
    from discourse_nmt.discourse.export import record
    from discourse_nmt.discourse.pipeline import count
    from discourse_nmt.discourse.records.json_lines import json_line

    with _checked(analysis) as made:
        line = json_line(record(name, made), {"source_language": language})
    lines.write(f"{line}\n")
    return WrittenDocument(name, count(made), {}, {}, ())


def _written(name: str, analysis: "TextAnalysis | Exception", output: Path) -> WrittenDocument:
    """The document ``name`` after its files are written; :class:`DocumentError` if it cannot be analysed."""
    from discourse_nmt.discourse.drawings.titles import TITLES
    from discourse_nmt.discourse.export import files, tables
    from discourse_nmt.discourse.pipeline import count

    with _checked(analysis) as made:
        rows, contents = tables(name, made), files(name, made)
    for ending, content in contents.items():
        write_text(content, output / f"{name}.{ending}")
    drawings = {title: contents[f"{key}.svg"] for key, title in TITLES.items() if f"{key}.svg" in contents}
    return WrittenDocument(name, count(made), rows, drawings, tuple(contents))


def _making(weights: Path, language: str, failures: dict[str, str]) -> "Making":
    """The analysers and versions of this process, for the page."""
    import torch

    from discourse_nmt.base.languages import language_name
    from discourse_nmt.discourse.analysers.weights import notice_of
    from discourse_nmt.discourse.backends.builtin.models import USED, model_files
    from discourse_nmt.discourse.pages.index import Making
    from discourse_nmt.discourse.settings import BuiltinSettings

    files = {path for stage in USED for path in model_files(stage, BuiltinSettings(str(weights)), language)}
    return Making(
        f"{language_name(language)} ({language})",
        [f"builtin analysers of discourse-nmt {__version__}", f"PyTorch {torch.__version__}"],
        {path.name: checksum(path) for path in sorted(files)},
        notice_of(weights / language),
        failures,
    )


def _write_together(documents: Sequence[WrittenDocument], making: "Making", output: Path) -> None:
    """Write what all documents share: tables, counts, and the page with the drawings."""
    import pandas as pd

    from discourse_nmt.base.storage.tables import TABLES, write_table
    from discourse_nmt.discourse import export
    from discourse_nmt.discourse.pages.index import index
    from discourse_nmt.discourse.pages.legend import legend
    from discourse_nmt.discourse.pages.sheets import LinkedFile, Sheet, facts, section
    from discourse_nmt.scoring.reports.embedding import script_source

    kinds = dict.fromkeys(kind for document in documents for kind in document.rows)
    rows = {kind: [row for document in documents for row in document.rows.get(kind, [])] for kind in kinds}
    for kind in rows:
        write_table(pd.DataFrame(rows[kind], columns=list(TABLES[kind])), output / "tables" / f"{kind}.parquet", kind)
    write_json([{"name": one.name, **one.counts} for one in documents], output / "documents.json")
    shared = [LinkedFile(f"tables/{kind}.parquet", export.TABLES[kind]) for kind in rows]
    shared.append(LinkedFile("documents.json", "names and counts of the documents"))
    sheets = [
        Sheet(
            one.name,
            facts(one.counts),
            one.drawings,
            [
                LinkedFile(f"{one.name}.{ending}", content)
                for ending, content in export.FILES.items()
                if ending in one.endings
            ],
        )
        for one in documents
    ]
    content = section(read_text(TEMPLATES / "section.html"), sheets, opened=True)
    script = "\n".join(["'use strict';", *map(read_text, SCRIPTS)])
    template = read_text(TEMPLATES / "index.html")
    source = script_source(script)
    page = index(template, "Discourse analysis", content, legend(rows), shared, making, script, source)
    write_text(page, output / "index.html")


def _tell(documents: Sequence[WrittenDocument], seconds: float) -> None:
    """Log the counts of all documents together, and the speed."""
    from discourse_nmt.discourse.pages.sheets import facts

    total = {key: sum(document.counts[key] for document in documents) for key in documents[0].counts}
    logging.info("%d %s: %s", len(documents), "document" if len(documents) == 1 else "documents", facts(total))
    logging.info("%.0f words per CPU-second, drawing and writing included", total["words"] / seconds)
