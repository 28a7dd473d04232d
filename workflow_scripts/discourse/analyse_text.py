"""Analyse texts: sentences, words, tags, lemmas, dependencies, discourse units, rhetorical structure, coreference,
themes.

A file is one document: UTF-8, an empty line between paragraphs. For each file NAME.txt the folder gets NAME.conllu
(syntax and discourse units), NAME.rs3 (the tree), NAME.coreference.conll, and as drawings NAME.rst.svg,
NAME.dependencies.svg and NAME.coreference.svg; for all together index.html with the drawings, documents.json with
counts, and the tables tables/{syntax,edus,rst,rst_dependencies,coreference,themes}.parquet. Stages without an analyser
for the language are left out.
"""

import logging
import time
from pathlib import Path
from typing import Any

import pandas as pd
import torch

from discourse_nmt import ROOT
from discourse_nmt.corpus.errors import InputError
from discourse_nmt.corpus.progress import progress
from discourse_nmt.corpus.storage.files import read_text, write_json, write_text
from discourse_nmt.corpus.storage.tables import TABLES, write_table
from discourse_nmt.discourse.drawings.sheets import TITLES, Sheet, facts, index, section
from discourse_nmt.discourse.export import files, tables
from discourse_nmt.discourse.pipeline import count, load_pipeline
from discourse_nmt.discourse.structures.rows import Row
from discourse_nmt.workflow_scripts.command import arguments, run

TEMPLATES = ROOT / "discourse" / "drawings"


def read_documents(paths: list[Path]) -> dict[str, str]:
    """Texts by the names of their files without ending.

    Raises :class:`InputError`: two files have the same name, or a file has no text.
    """
    texts: dict[str, str] = {}
    for path in paths:
        if path.stem in texts:
            raise InputError(f"two files are named {path.stem}", file=path, remedy="rename one")
        texts[path.stem] = read_text(path).removeprefix("\ufeff")
        if not texts[path.stem].strip():
            raise InputError("no text", file=path)
    return texts


def main() -> None:
    """Read the texts, analyse, write."""
    parser = arguments(__doc__)
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE", help="texts, one document each")
    parser.add_argument("--language", default="en", help="language of the texts; its models must be in --weights")
    parser.add_argument("--weights", type=Path, default=ROOT / "resources" / "analysers", help="folder of languages")
    parser.add_argument("--threads", type=int, default=1, help="CPU threads")
    parser.add_argument("--output", type=Path, required=True, metavar="FOLDER", help="folder to write to")
    options = parser.parse_args()

    torch.set_num_threads(options.threads)
    texts = read_documents(options.files)
    pipeline = load_pipeline(options.weights / options.language, options.language)
    rows: dict[str, list[Row]] = {}
    sheets: list[Sheet] = []
    counts: list[dict[str, Any]] = []
    began = time.process_time()
    analyses = pipeline.analyse_in_turn(texts.values())
    for name, analysis in zip(texts, progress(analyses, "analysing", "documents", len(texts))):
        for kind, of_document in tables(name, analysis).items():
            rows.setdefault(kind, []).extend(of_document)
        contents = files(name, analysis)
        for ending, content in contents.items():
            write_text(content, options.output / f"{name}.{ending}")
        counts.append({"name": name, **count(analysis)})
        drawings = {title: contents[f"{key}.svg"] for key, title in TITLES.items() if f"{key}.svg" in contents}
        sheets.append(Sheet(name, facts(counts[-1]), drawings))
    seconds = time.process_time() - began
    for kind, of_kind in rows.items():
        write_table(
            pd.DataFrame(of_kind, columns=list(TABLES[kind])), options.output / "tables" / f"{kind}.parquet", kind
        )
    write_json(counts, options.output / "documents.json")
    content = section(read_text(TEMPLATES / "section.html"), sheets)
    write_text(index(read_text(TEMPLATES / "index.html"), "Discourse analysis", content), options.output / "index.html")
    total = {key: sum(document[key] for document in counts) for key in counts[0] if key != "name"}
    logging.info("%d %s: %s", len(counts), "document" if len(counts) == 1 else "documents", facts(total))
    logging.info("%.0f words per CPU-second, drawing and writing included", total["words"] / seconds)


if __name__ == "__main__":
    run(main)
