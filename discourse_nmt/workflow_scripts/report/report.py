"""Make the report of a run: one HTML page that needs no network.

Files are given with the names of their corpus, split, analysis and table; a file for each shard. The folder of a run
holds metrics.csv, translations/SPLIT.parquet for each test set of its corpus, and contrastive/SPLIT.parquet for each
one with contrastive items. That of an external system holds translations of some test sets. The folder of
benchmarks holds CORPUS/STAGE/... and STAGE.tsv.
"""

import logging
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pandas as pd

from discourse_nmt import PACKAGE
from discourse_nmt.base.errors import InputError
from discourse_nmt.base.languages import language_name
from discourse_nmt.base.progress import progress
from discourse_nmt.base.storage.files import read_json, read_text, verified, write_text
from discourse_nmt.base.storage.tables import read_table
from discourse_nmt.discourse.drawings.tables import tree_drawings
from discourse_nmt.discourse.drawings.titles import TITLES
from discourse_nmt.discourse.pages.sheets import Sheet, facts, section
from discourse_nmt.scoring.comparison.cxmi import information_table
from discourse_nmt.scoring.comparison.phenomena import phenomena
from discourse_nmt.scoring.reports.documents import ReportDocument, Rows, SplitTables, documents, spread_over
from discourse_nmt.scoring.reports.overview.measured import measured
from discourse_nmt.scoring.reports.page import AnalysedDocuments, PaperSheet, Tables, document_blocks, page
from discourse_nmt.scoring.reports.provenance import Provenance
from discourse_nmt.scoring.reports.settings import ReportSettings
from discourse_nmt.scoring.tables.scores import parse
from discourse_nmt.workflow_scripts.command import arguments, run
from discourse_nmt.workflow_scripts.report.facts import empty_shards
from discourse_nmt.workflow_scripts.report.facts import facts as facts_of_report
from discourse_nmt.workflow_scripts.report.report_documents import (
    RUN,
    DocumentFiles,
    Names,
    files_by_names,
    read_split,
    run_folders,
)

TEMPLATES = PACKAGE / "scoring" / "reports" / "templates"
VIEWER = PACKAGE / "scoring" / "reports" / "viewer"
SECTION = PACKAGE / "discourse" / "pages" / "section.html"
# In this order: code that runs at once uses the files before it.
SCRIPTS = ("elements", "tables", "drawings")
VIEWER_SCRIPTS = (
    "documents",
    "addresses",
    "differences",
    "source",
    "translations",
    "ranking",
    "search",
    "viewer",
)
# Drawings of all documents, before they are packed to a sixth. More would make the file too large for mail.
DRAWN_CHARACTERS = 60_000_000
LANGUAGES = "CORPUS=SOURCE/TARGET"
GROUPS = "CORPUS=REGULAR-EXPRESSION"
# Options of files with names: form of an argument, and meaning.
LABELLED = {
    "sentences": ("CORPUS/SPLIT=FILE", "sentences of the test sets"),
    "tokens": ("CORPUS/SPLIT=FILE", "tokens of the test sets, for links of word graphs"),
    "annotations": ("CORPUS/SPLIT/ANALYSIS/TABLE=FILE", "tables of discourse annotation of the source side"),
    "contrastive": ("CORPUS/SPLIT=FILE", "contrastive items"),
    "reference_scores": ("CORPUS/EXPERIMENT/SEED/SPLIT=FILE", "reference_scores tables of training runs, for CXMI"),
    "drops": ("CORPUS=FILE", "drops tables"),
    "statistics": ("CORPUS=FILE", "statistics of imports (tab-separated)"),
    "quality": ("CORPUS=FILE", "what texts are like (tab-separated)"),
}


def page_templates() -> dict[str, str]:
    """The templates and styles of the page by their names."""
    paths = [*TEMPLATES.iterdir(), *(VIEWER / f"viewer.{ending}" for ending in ("html", "css"))]
    return {path.name: read_text(path) for path in paths}


def read_numbers(path: str | Path, separator: str, columns: list[str], what: str) -> pd.DataFrame:
    """The named columns of a small table of numbers; anything else is an :class:`InputError`."""
    try:
        frame = pd.read_csv(verified(path), sep=separator, usecols=columns, na_values=["-", "NA"])
        return frame[columns].astype(float)
    except (OSError, ValueError) as error:
        raise InputError(f"not {what} ({error})", file=path, remedy="delete it and run again") from None


def read_cells(path: str | Path, what: str) -> pd.DataFrame:
    """A tab-separated table, every cell as text; anything else is an :class:`InputError`."""
    try:
        return pd.read_csv(verified(path), sep="\t", dtype=str, keep_default_na=False)
    except ValueError as error:
        raise InputError(f"no table of {what} ({error})", file=path, remedy="delete it and run again") from None


def stage_of(path: Path) -> tuple[str, str]:
    """Corpus and stage of the benchmark file ``CORPUS/STAGE/...``; of ``STAGE.tsv`` the corpus is empty."""
    parts = path.with_suffix("").parts
    return ("", parts[0]) if len(parts) == 1 else (parts[0], parts[1])


def experiment_of(path: Path) -> str:
    """The experiment of the benchmark file ``CORPUS/STAGE/EXPERIMENT/seedN...``; empty for jobs of none."""
    parts = path.with_suffix("").parts
    return parts[2] if len(parts) > 3 and re.fullmatch(r"seed\d+", parts[3]) else ""


def read_benchmarks(folder: str | None) -> pd.DataFrame:
    """One row per job of Snakemake's benchmark files: corpus, stage, experiment, seconds, cpu (s), memory (MB)."""
    paths = sorted(Path(folder).rglob("*.tsv")) if folder else []
    columns = ["s", "cpu_time", "max_rss"]
    rows = [
        (*stage_of(path.relative_to(str(folder))), experiment_of(path.relative_to(str(folder))), *values)
        for path in paths
        for values in read_numbers(path, "\t", columns, "a benchmark file of Snakemake").to_numpy()
    ]
    return pd.DataFrame(rows, columns=["corpus", "stage", "experiment", "seconds", "cpu", "memory"])


def read_discourse(folder: Path, number: int, page: Path) -> AnalysedDocuments:
    """``number`` of the documents in a folder of the command ``analyse``, and the way from ``page`` to all of them."""
    counts = read_json(folder / "documents.json")
    try:
        described = [(document["name"], facts(document)) for document in spread_over(counts, number)]
    except (TypeError, KeyError) as error:
        raise InputError(
            f"not a list of analysed documents ({error})",
            file=folder / "documents.json",
            remedy="delete it and run again",
        ) from None
    sheets = [
        Sheet(name, line, {title: read_text(folder / f"{name}.{key}.svg") for key, title in TITLES.items()})
        for name, line in described
    ]
    index = os.path.relpath(folder / "index.html", page.parent)
    return AnalysedDocuments(section(read_text(SECTION), sheets), len(sheets), len(counts), Path(index).as_posix())


def read_paper(path: str) -> PaperSheet:
    """A table of a paper; anything else is an :class:`InputError`."""
    content = read_json(path)
    try:
        cells = pd.DataFrame(content["rows"], columns=content["columns"])
        return PaperSheet(content["title"], content["notes"], cells)
    except (TypeError, KeyError, ValueError) as error:
        raise InputError(f"no table of a paper ({error})", file=path, remedy="delete it and run again") from None


def read_languages(arguments: list[str]) -> dict[str, tuple[str, str]]:
    """Languages by corpus of arguments CORPUS=SOURCE/TARGET; other ones are an :class:`InputError`."""
    languages = {}
    for argument in arguments:
        corpus, _, pair = argument.rpartition("=")
        source, _, target = pair.partition("/")
        if not corpus or not source or not target:
            raise InputError(f"--languages {argument} is not {LANGUAGES}")
        languages[corpus] = source, target
    return languages


def read_groups(arguments: Sequence[str], corpora: Iterable[str]) -> dict[str, str]:
    """Regular expressions by corpus of arguments CORPUS=REGULAR-EXPRESSION; other ones are an :class:`InputError`."""
    groups = {}
    for argument in arguments:
        corpus = next((name for name in corpora if argument.startswith(f"{name}=")), None)
        if corpus is None:
            raise InputError(f"--groups {argument} is not {GROUPS}", remedy="name a corpus of --languages")
        groups[corpus] = argument.removeprefix(f"{corpus}=")
    return groups


class BoundedDrawings:
    """Draws trees until the drawings have a number of characters, and counts the documents without."""

    def __init__(self, characters: int) -> None:
        self.left, self.undrawn = characters, 0

    def __call__(self, document: str, texts: Sequence[str], tables: Mapping[str, Rows]) -> Mapping[str, str]:
        """The drawings of a document; empty once there is no room."""
        if self.left <= 0:
            self.undrawn += 1
            return {}
        drawings = tree_drawings(document, texts, tables)
        self.left -= sum(map(len, drawings.values()))
        return drawings

    def facts(self) -> list[str]:
        """A sentence for the reader if something is not drawn."""
        return [f"{self.undrawn} analyses have no drawings, to keep the file small."] if self.undrawn else []


def measured_split(
    split: SplitTables, scores: pd.DataFrame, languages: tuple[str, str], lowercase: bool, groups: str = ""
) -> tuple[SplitTables, pd.DataFrame]:
    """A test set with the BLEU of its documents, and its table of gains; ``groups`` as in its method ``gains``."""
    own = scores[(scores["corpus"] == split.corpus) & (scores["test_set"] == split.name)]
    translated = measured(split.sentences, split.translations, language=languages[1], lowercase=lowercase)
    if translated is None:
        return split, pd.DataFrame()
    gains = translated.gains(own, phenomena(split.sentences, split.analyses.values(), languages), groups)
    return replace(split, bleu=translated.document_scores(), against=translated.against), gains


def informed_split(
    split: SplitTables, files: Mapping[Names, Sequence[str]], languages: tuple[str, str], groups: str = ""
) -> pd.DataFrame:
    """The :func:`.information_table` of a test set; empty without a file of its scored references.

    ``files`` are by corpus, experiment, seed and split.
    """
    scores: dict[str, list[pd.DataFrame]] = {}
    for (corpus, experiment, _, name), paths in files.items():
        if (corpus, name) == (split.corpus, split.name):
            scores.setdefault(experiment, []).append(read_table(paths[0], "reference_scores"))
    if not scores:
        return pd.DataFrame()
    subsets = phenomena(split.sentences, split.analyses.values(), languages)
    return information_table(scores, split.sentences, subsets, groups)


def main() -> None:
    """Read the tables of a run, write its report."""
    parser = arguments(__doc__)
    parser.add_argument("--title", default="discourse-nmt", help="heading of the page")
    parser.add_argument("--scores", required=True, help="collected score table (tab-separated)")
    parser.add_argument("--runs", nargs="*", default=[], metavar=RUN, help="folders of training runs")
    parser.add_argument("--external", nargs="*", default=[], metavar=RUN, help="folders of external systems")
    for name, (form, meaning) in LABELLED.items():
        parser.add_argument(f"--{name.replace('_', '-')}", nargs="*", default=[], metavar=form, help=meaning)
    parser.add_argument(
        "--discourse", nargs="*", default=[], type=Path, metavar="FOLDER", help="of discourse-nmt analyse"
    )
    parser.add_argument("--papers", nargs="*", default=[], metavar="FILE", help="tables that paper_table wrote (JSON)")
    parser.add_argument("--benchmarks", help="folder of Snakemake's benchmark files; without it no costs are shown")
    parser.add_argument("--results", help="folder of the run, to tell of shards in which an analyser found nothing")
    parser.add_argument("--provenance", help="what record_provenance wrote; without it no ablations are shown")
    parser.add_argument(
        "--documents", type=int, default=ReportSettings.documents, help="documents of each test set in the viewer"
    )
    parser.add_argument("--languages", nargs="*", default=[], metavar=LANGUAGES, help="languages of the corpora")
    parser.add_argument("--lowercase", nargs="*", default=[], metavar="CORPUS", help="corpora in lower case")
    parser.add_argument("--groups", nargs="*", default=[], metavar=GROUPS, help="groups of documents that tests draw")
    parser.add_argument("--drawings", type=int, default=8, help="analysed documents whose drawings are in the page")
    parser.add_argument("--output", required=True, help="HTML page to write")
    options = parser.parse_args()
    runs, external = run_folders(options.runs, "--runs"), run_folders(options.external, "--external")
    files = {name: files_by_names(getattr(options, name), f"--{name}", form) for name, (form, _) in LABELLED.items()}
    columns = ["update", "dev_loss", "dev_bleu"]
    languages = read_languages(options.languages)
    groups = read_groups(options.groups, languages)
    scores = parse(read_text(options.scores), file=options.scores)
    shown = DocumentFiles(
        files["sentences"], files["tokens"], files["annotations"], files["contrastive"], runs, external
    )
    draw = BoundedDrawings(DRAWN_CHARACTERS)
    gains: dict[tuple[str, str], pd.DataFrame] = {}
    information: dict[tuple[str, str], pd.DataFrame] = {}

    def in_viewer() -> Iterator[ReportDocument]:
        for corpus, name in progress(list(files["sentences"]), "test sets", "test sets"):
            split = read_split(shown, corpus, name)
            if corpus in languages:
                pair, of_corpus = languages[corpus], groups.get(corpus, "")
                split, gains[corpus, name] = measured_split(split, scores, pair, corpus in options.lowercase, of_corpus)
                information[corpus, name] = informed_split(split, files["reference_scores"], pair, of_corpus)
            yield from documents(split, options.documents, draw)

    blocks = list(document_blocks(in_viewer()))
    benchmarks = read_benchmarks(options.benchmarks)
    tables = Tables(
        scores=scores,
        metrics={run: read_numbers(path / "metrics.csv", ",", columns, "metrics") for run, path in runs.items()},
        drops={corpus: read_table(paths[0], "drops") for (corpus,), paths in files["drops"].items()},
        statistics={corpus: read_cells(paths[0], "statistics") for (corpus,), paths in files["statistics"].items()},
        quality={corpus: read_cells(paths[0], "measures") for (corpus,), paths in files["quality"].items()},
        benchmarks=benchmarks,
        gains={names: table for names, table in gains.items() if len(table)},
        information={names: table for names, table in information.items() if len(table)},
        languages={corpus: " → ".join(language_name(code) for code in pair) for corpus, pair in languages.items()},
        facts=[
            *facts_of_report(benchmarks),
            *draw.facts(),
            *(empty_shards(options.results) if options.results else []),
        ],
        discourse=[read_discourse(folder, options.drawings, Path(options.output)) for folder in options.discourse],
        papers=[read_paper(path) for path in options.papers],
        provenance=options.provenance
        and Provenance.from_mapping(read_json(options.provenance), file=options.provenance),
    )
    scripts, viewer_scripts = (
        [read_text(VIEWER / f"{name}.js") for name in names] for names in (SCRIPTS, VIEWER_SCRIPTS)
    )
    html = page(page_templates(), scripts, viewer_scripts, options.title, tables, blocks)
    write_text(html, options.output)
    logging.info("%.1f MB", len(html.encode()) / 1e6)


if __name__ == "__main__":
    run(main)
