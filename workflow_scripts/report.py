"""Make the report of a run: one HTML page that needs no network and runs no script.

Corpus, experiment, seed, test set and stage are read off the paths, which must be those of the folder of
results: CORPUS/experiments/EXPERIMENT/seedSEED/metrics.csv and .../translations/SPLIT.parquet,
CORPUS/corpus/SPLIT/SHARD.parquet, CORPUS/corpus/drops.parquet, and in the folder of benchmarks
CORPUS/STAGE/....
"""

import os
from pathlib import Path

import pandas as pd

from corpus.errors import InputError
from corpus.files import read_json, read_text, write_text
from corpus.tables import read_table
from discourse.drawings.sheets import TITLES, Sheet, facts, section
from scoring.folders import run_of, split_of, stage_of
from scoring.report import AnalysedDocuments, Sample, page, samples, spread_over
from scoring.table import parse
from workflow_scripts.command import arguments, run

ROOT = Path(__file__).resolve().parent.parent
TEMPLATE = ROOT / "scoring" / "report.html"
SECTION = ROOT / "discourse" / "drawings" / "section.html"


def read_numbers(path: str | Path, separator: str, columns: list[str], what: str) -> pd.DataFrame:
    """The named columns of a small table of numbers; anything else is an :class:`InputError`."""
    try:
        frame = pd.read_csv(path, sep=separator, usecols=columns, na_values=["-", "NA"])
        return frame[columns].astype(float)
    except (OSError, ValueError) as error:
        raise InputError(f"not {what} ({error})", file=path, remedy="delete it and run again") from None


def read_benchmarks(folder: str | None) -> pd.DataFrame:
    """One row per job of Snakemake's benchmark files: corpus, stage, seconds, memory (MB)."""
    paths = sorted(Path(folder).rglob("*.tsv")) if folder else []
    rows = [
        (*stage_of(path.relative_to(str(folder))), *numbers)
        for path in paths
        for numbers in read_numbers(path, "\t", ["s", "max_rss"], "a benchmark file of Snakemake").to_numpy()
    ]
    return pd.DataFrame(rows, columns=["corpus", "stage", "seconds", "memory"])


def read_samples(sentences: list[str], translations: list[str], number: int) -> list[Sample]:
    """Documents of every test set whose ``sentences`` tables are given, with their translations."""
    found = []
    for corpus, test_set in dict.fromkeys(map(split_of, sentences)):
        shards = [read_table(file, "sentences") for file in sentences if split_of(file) == (corpus, test_set)]
        mine = [file for file in translations if (run_of(file).corpus, Path(file).stem) == (corpus, test_set)]
        tables = {run_of(file): read_table(file, "translations") for file in mine}
        found += samples(corpus, test_set, pd.concat(shards, ignore_index=True), tables, number)
    return found


def read_discourse(folder: Path, number: int, page: Path) -> AnalysedDocuments:
    """``number`` of the documents in a folder that ``analyse_text`` made, and the way from ``page`` to all of them."""
    counts = read_json(folder / "documents.json")
    sheets = [
        Sheet(
            one["name"],
            facts(one),
            {title: read_text(folder / f"{one['name']}.{key}.svg") for key, title in TITLES.items()},
        )
        for one in spread_over(counts, number)
    ]
    link = os.path.relpath(folder / "index.html", page.parent)
    return AnalysedDocuments(section(read_text(SECTION), sheets), len(sheets), len(counts), Path(link).as_posix())


def main() -> None:
    """Read the tables of a run, write its report."""
    parser = arguments(__doc__)
    parser.add_argument("--title", default="discourse-nmt", help="heading of the page")
    parser.add_argument("--scores", required=True, help="collected score table (tab-separated)")
    parser.add_argument("--metrics", nargs="*", default=[], help="metrics.csv of every training run")
    parser.add_argument("--translations", nargs="*", default=[], help="translations of every run and test set")
    parser.add_argument("--sentences", nargs="*", default=[], help="sentences of the test sets, every shard")
    parser.add_argument("--drops", nargs="*", default=[], help="drops tables, one per corpus")
    parser.add_argument("--discourse", nargs="*", default=[], type=Path, metavar="FOLDER", help="of analyse_text")
    parser.add_argument("--benchmarks", help="folder of Snakemake's benchmark files; without it no times are shown")
    parser.add_argument("--documents", type=int, default=3, help="documents shown of each test set")
    parser.add_argument("--drawings", type=int, default=8, help="analysed documents whose drawings are in the page")
    parser.add_argument("--output", required=True, help="HTML page to write")
    options = parser.parse_args()
    columns = ["update", "dev_loss", "dev_bleu"]
    html = page(
        read_text(TEMPLATE),
        title=options.title,
        scores=parse(read_text(options.scores), file=options.scores),
        metrics={run_of(file): read_numbers(file, ",", columns, "metrics") for file in options.metrics},
        drops={Path(file).absolute().parts[-3]: read_table(file, "drops") for file in options.drops},
        benchmarks=read_benchmarks(options.benchmarks),
        documents=read_samples(options.sentences, options.translations, options.documents),
        discourse=[read_discourse(folder, options.drawings, Path(options.output)) for folder in options.discourse],
    )
    write_text(html, options.output)


if __name__ == "__main__":
    run(main)
