"""Analyse texts: sentences, words, tags, lemmas, dependencies, discourse units, rhetorical structure, coreference,
themes.
"""

import argparse
import logging
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from discourse_nmt import PACKAGE, ROOT
from discourse_nmt.base.errors import InputError
from discourse_nmt.base.progress import progress
from discourse_nmt.base.storage.files import read_text, write_json, write_text

SUMMARY = "Analyse texts: discourse units, RST trees, coreference, themes, syntax."
EXAMPLES = """\
A file is one document: UTF-8, an empty line between paragraphs; - is standard
input, with the name stdin. For each file NAME.txt the folder gets NAME.conllu
(syntax and discourse units), NAME.rs3 (the tree), NAME.coreference.conll, and as
drawings NAME.rst.svg, NAME.dependencies.svg, NAME.coreference.svg and
NAME.themes.svg; for all together index.html with
the drawings, documents.json with counts, and the tables
tables/{syntax,edus,rst,rst_dependencies,coreference,themes}.parquet. Stages
without an analyser for the language are left out.

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
    """Texts by the names of their files without ending.

    Raises :class:`InputError`: two files have the same name, or a file has no text.
    """
    texts: dict[str, str] = {}
    for path in paths:
        name = "stdin" if path == STANDARD_INPUT else path.stem
        if name in texts:
            raise InputError(f"two files are named {name}", file=path, remedy="rename one")
        texts[name] = (read_standard_input() if path == STANDARD_INPUT else read_text(path)).removeprefix("\ufeff")
        if not texts[name].strip():
            raise InputError("no text", file=path)
    return texts


def read_standard_input() -> str:
    """The text on standard input; :class:`InputError` if it is not UTF-8."""
    try:
        return sys.stdin.buffer.read().decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError(f"not UTF-8 ({error})", file=STANDARD_INPUT, remedy="convert it to UTF-8") from None


def folder_of(weights: Path, language: str) -> Path:
    """The analysers of a language; :class:`InputError` with the languages that there are if it is none of them."""
    languages = sorted(path.parent.name for path in weights.glob("*/joint.json"))
    if language not in languages:
        remedy = f"there are {', '.join(languages)}" if languages else "correct --weights"
        raise InputError(f"no analysers for {language}", file=weights, remedy=remedy)
    return weights / language


def run(arguments: argparse.Namespace) -> int:
    """Read the texts, analyse, write."""
    if arguments.threads < 1:
        raise InputError(f"--threads is {arguments.threads}", remedy="it must be at least 1")
    texts = read_documents(arguments.files)
    folder = folder_of(arguments.weights, arguments.language)

    import pandas as pd
    import torch

    from discourse_nmt.base.storage.tables import TABLES, write_table
    from discourse_nmt.discourse.drawings.sheets import TITLES, Sheet, facts, index, section
    from discourse_nmt.discourse.export import files, tables
    from discourse_nmt.discourse.pipeline import count, load_pipeline
    from discourse_nmt.discourse.structures.rows import Row
    from discourse_nmt.scoring.reports.embedding import script_source

    torch.set_num_threads(arguments.threads)
    pipeline = load_pipeline(folder, arguments.language)
    output: Path = arguments.output
    rows: dict[str, list[Row]] = {}
    sheets: list[Sheet] = []
    counts: list[dict[str, int]] = []
    began = time.process_time()
    analyses = pipeline.analyse_in_turn(texts.values())
    for name, analysis in zip(texts, progress(analyses, "analysing", "documents", len(texts))):
        for kind, of_document in tables(name, analysis).items():
            rows.setdefault(kind, []).extend(of_document)
        contents = files(name, analysis)
        for ending, content in contents.items():
            write_text(content, output / f"{name}.{ending}")
        counts.append(count(analysis))
        drawings = {title: contents[f"{key}.svg"] for key, title in TITLES.items() if f"{key}.svg" in contents}
        sheets.append(Sheet(name, facts(counts[-1]), drawings))
    seconds = time.process_time() - began
    for kind, of_kind in rows.items():
        write_table(pd.DataFrame(of_kind, columns=list(TABLES[kind])), output / "tables" / f"{kind}.parquet", kind)
    described = [{"name": name, **of_document} for name, of_document in zip(texts, counts)]
    write_json(described, output / "documents.json")
    content = section(read_text(TEMPLATES / "section.html"), sheets, opened=True)
    script = "\n".join(["'use strict';", *map(read_text, SCRIPTS)])
    template = read_text(TEMPLATES / "index.html")
    page = index(template, "Discourse analysis", content, script, script_source(script))
    write_text(page, output / "index.html")
    total = {key: sum(of_document[key] for of_document in counts) for key in counts[0]}
    logging.info("%d %s: %s", len(counts), "document" if len(counts) == 1 else "documents", facts(total))
    logging.info("%.0f words per CPU-second, drawing and writing included", total["words"] / seconds)
    return 0
