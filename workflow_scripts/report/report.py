"""Make the report of a run: one HTML page that needs no network.

Corpus, experiment, seed, test set, analysis and stage are read off the paths, which must be those of the folder of
results: CORPUS/experiments/EXPERIMENT/seedSEED/metrics.csv, .../translations/SPLIT.parquet and
.../contrastive/SPLIT.parquet, CORPUS/corpus/SPLIT/SHARD.parquet, CORPUS/text/tokens/SPLIT/SHARD.parquet,
CORPUS/discourse/ANALYSIS/source/TABLE/SPLIT/SHARD.parquet, CORPUS/corpus/drops.parquet, and in the folder of
benchmarks CORPUS/STAGE/....
"""

import logging
import os
from pathlib import Path

import pandas as pd

from discourse_nmt import ROOT
from discourse_nmt.corpus.errors import InputError
from discourse_nmt.corpus.progress import progress
from discourse_nmt.corpus.storage.files import read_json, read_text, verified, write_text
from discourse_nmt.corpus.storage.tables import read_table
from discourse_nmt.discourse.drawings.sheets import TITLES, Sheet, facts, section
from discourse_nmt.scoring.reports.documents import spread_over
from discourse_nmt.scoring.reports.page import AnalysedDocuments, Tables, page
from discourse_nmt.scoring.reports.provenance import Provenance
from discourse_nmt.scoring.tables.folders import run_of, stage_of
from discourse_nmt.scoring.tables.scores import parse
from discourse_nmt.workflow_scripts.command import arguments, run
from discourse_nmt.workflow_scripts.report.report_documents import DocumentFiles, item_file, read_documents

TEMPLATES = ROOT / "scoring" / "reports" / "templates"
VIEWER = ROOT / "scoring" / "reports" / "viewer"
SECTION = ROOT / "discourse" / "drawings" / "section.html"
# In this order, as what runs at once uses what stands before it.
SCRIPTS = ("elements", "documents", "differences", "source", "drawings", "translations", "viewer")


def read_numbers(path: str | Path, separator: str, columns: list[str], what: str) -> pd.DataFrame:
    """The named columns of a small table of numbers; anything else is an :class:`InputError`."""
    try:
        frame = pd.read_csv(verified(path), sep=separator, usecols=columns, na_values=["-", "NA"])
        return frame[columns].astype(float)
    except (OSError, ValueError) as error:
        raise InputError(f"not {what} ({error})", file=path, remedy="delete it and run again") from None


def read_benchmarks(folder: str | None) -> pd.DataFrame:
    """One row per job of Snakemake's benchmark files: corpus, stage, seconds, cpu (s), memory (MB)."""
    paths = sorted(Path(folder).rglob("*.tsv")) if folder else []
    columns = ["s", "cpu_time", "max_rss"]
    rows = [
        (*stage_of(path.relative_to(str(folder))), *numbers)
        for path in paths
        for numbers in read_numbers(path, "\t", columns, "a benchmark file of Snakemake").to_numpy()
    ]
    return pd.DataFrame(rows, columns=["corpus", "stage", "seconds", "cpu", "memory"])


def read_discourse(folder: Path, number: int, page: Path) -> AnalysedDocuments:
    """``number`` of the documents in a folder that ``analyse_text`` made, and the way from ``page`` to all of them."""
    counts = read_json(folder / "documents.json")
    try:
        described = [(one["name"], facts(one)) for one in spread_over(counts, number)]
    except (TypeError, KeyError) as error:
        raise InputError(
            f"not a list of analysed documents ({error})",
            file=folder / "documents.json",
            remedy="delete it and run again",
        ) from None
    sheets = [
        Sheet(name, found, {title: read_text(folder / f"{name}.{key}.svg") for key, title in TITLES.items()})
        for name, found in described
    ]
    link = os.path.relpath(folder / "index.html", page.parent)
    return AnalysedDocuments(section(read_text(SECTION), sheets), len(sheets), len(counts), Path(link).as_posix())


def main() -> None:
    """Read the tables of a run, write its report."""
    parser = arguments(__doc__)
    parser.add_argument("--title", default="discourse-nmt", help="heading of the page")
    parser.add_argument("--scores", required=True, help="collected score table (tab-separated)")
    parser.add_argument("--metrics", nargs="*", default=[], help="metrics.csv of every training run")
    parser.add_argument("--sentences", nargs="*", default=[], help="sentences of the test sets, every shard")
    parser.add_argument("--translations", nargs="*", default=[], help="translations of every run and test set")
    parser.add_argument("--tokens", nargs="*", default=[], help="tokens of the test sets, for links of word graphs")
    parser.add_argument("--annotations", nargs="*", default=[], help="tables of discourse annotation, every shard")
    parser.add_argument("--contrastive", nargs="*", default=[], metavar="CORPUS/SPLIT=FILE", help="contrastive items")
    parser.add_argument("--contrastive-scores", nargs="*", default=[], help="scores of these items by every run")
    parser.add_argument("--drops", nargs="*", default=[], help="drops tables, one per corpus")
    parser.add_argument("--discourse", nargs="*", default=[], type=Path, metavar="FOLDER", help="of analyse_text")
    parser.add_argument("--benchmarks", help="folder of Snakemake's benchmark files; without it no costs are shown")
    parser.add_argument("--provenance", help="what record_provenance wrote; without it no ablations are shown")
    parser.add_argument("--documents", type=int, default=200, help="documents of each test set in the viewer")
    parser.add_argument("--drawings", type=int, default=8, help="analysed documents whose drawings are in the page")
    parser.add_argument("--output", required=True, help="HTML page to write")
    options = parser.parse_args()
    columns = ["update", "dev_loss", "dev_bleu"]
    tables = Tables(
        scores=parse(read_text(options.scores), file=options.scores),
        metrics={run_of(file): read_numbers(file, ",", columns, "metrics") for file in options.metrics},
        drops={Path(file).absolute().parts[-3]: read_table(file, "drops") for file in options.drops},
        benchmarks=read_benchmarks(options.benchmarks),
        discourse=[read_discourse(folder, options.drawings, Path(options.output)) for folder in options.discourse],
        provenance=options.provenance
        and Provenance.from_mapping(read_json(options.provenance), file=options.provenance),
    )
    files = DocumentFiles(
        options.sentences,
        options.translations,
        options.tokens,
        options.annotations,
        dict(map(item_file, options.contrastive)),
        options.contrastive_scores,
    )
    documents = progress(read_documents(files, options.documents), "documents", "documents")
    templates = {path.name: read_text(path) for path in TEMPLATES.iterdir()}
    scripts = [read_text(VIEWER / f"{name}.js") for name in SCRIPTS]
    html = page(templates, scripts, options.title, tables, documents)
    write_text(html, options.output)
    logging.info("%.1f MB", len(html.encode()) / 1e6)


if __name__ == "__main__":
    run(main)
