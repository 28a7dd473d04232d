"""Human evaluation: write a campaign for Pearmut, and read its annotations as scores with tests over documents."""

import argparse
import json
from pathlib import Path

from discourse_nmt.base.errors import InputError
from discourse_nmt.scoring.comparison.settings import SignificanceSettings

SUMMARY = "Human evaluation: write a campaign for Pearmut, read its annotations as scores."
EXAMPLES = """\
Documents are drawn, and one annotator sees all systems' translations of a
document, in a drawn order and without names (protocol ESA). Sources and
document ids of a test set lie in results/RUN/CORPUS/texts, translations of a
run in translations/TEST_SET.txt. Annotations are the .jsonl or .json of Pearmut.

examples:
  discourse-nmt campaign write --source s.en --documents ids a.txt b.txt --output c.json
  discourse-nmt campaign score annotations.json --baseline a
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What to do, its files, the numbers of documents and annotators, the baseline."""
    add, significance = parser.add_argument, SignificanceSettings()
    add("action", choices=["write", "score"], help="write a campaign, or score its annotations")
    add("files", nargs="+", metavar="[NAME=]FILE", help="translations of each system; for score the annotations")
    add("--source", type=Path, metavar="FILE", help="source, one sentence per line")
    add("--documents", type=Path, metavar="FILE", help="document id of each sentence, one per line")
    add("--name", default="discourse-nmt", help="id of the campaign")
    add("--sample", type=int, metavar="N", help="documents that are drawn; without it all are annotated")
    add("--annotators", type=int, default=1, metavar="N", help="annotators, among whom documents are divided")
    add("--baseline", metavar="NAME", help="system that the others are compared with; without it nothing is tested")
    add("--trials", type=int, default=significance.trials, metavar="N", help="trials of approximate randomisation")
    add("--random-seed", type=int, default=significance.seed, metavar="N", help="seed of the draws")
    add("--output", type=Path, metavar="FILE", help="file to write instead of standard output")


def run(arguments: argparse.Namespace) -> int:
    """Print or write the campaign, or the table of its scores."""
    from discourse_nmt.commands.score import check_output, put_out

    check_output(arguments.output, (arguments.source, arguments.documents), arguments.files)
    for option in ("sample", "annotators", "trials", "random_seed"):
        value = getattr(arguments, option)
        if value is not None and value < 1:
            raise InputError(f"--{option.replace('_', '-')} is {value}", remedy="give at least 1")
    put_out(written(arguments) if arguments.action == "write" else scored(arguments), arguments.output)
    return 0


def written(arguments: argparse.Namespace) -> str:
    """The campaign as JSON."""
    from discourse_nmt.commands.score import named, read_references
    from discourse_nmt.corpus.hypotheses import read_hypotheses
    from discourse_nmt.scoring.external.pearmut import campaign

    for option in ("source", "documents"):
        if getattr(arguments, option) is None:
            raise InputError(f"a campaign needs --{option}", remedy="give a file with a line for each sentence")
    lines, documents = read_references(arguments.source, arguments.documents)
    sources: dict[str, list[str]] = {}
    for document, line in zip(documents, lines):
        sources.setdefault(document, []).append(line)
    lengths = {document: len(sentences) for document, sentences in sources.items()}
    files = named(arguments.files)
    systems = {name: read_hypotheses(file, lengths, str(arguments.source)) for name, file in files.items()}
    sizes = {"annotators": arguments.annotators, "documents": arguments.sample, "seed": arguments.random_seed}
    whole = campaign(arguments.name, sources, systems, **sizes)
    return json.dumps(whole, ensure_ascii=False, indent=1) + "\n"


def scored(arguments: argparse.Namespace) -> str:
    """The scores as Markdown: mean of the sentences, errors, and the tests of differences from the baseline."""
    import pandas as pd

    from discourse_nmt.scoring.comparison.comparison import Comparison
    from discourse_nmt.scoring.external.command_metrics import metric_tests
    from discourse_nmt.scoring.external.pearmut import SEVERITIES, SIGNATURE, annotations_of, common_scores
    from discourse_nmt.scoring.metrics.score import MetricParts, Score
    from discourse_nmt.scoring.tables.scores import score_table
    from discourse_nmt.scoring.tables.summary import markdown

    if len(arguments.files) != 1:
        raise InputError(f"{len(arguments.files)} files of annotations", remedy="name one")
    [file] = arguments.files
    table = annotations_of(read_entries(file), file=file)
    systems = table["system"].unique().tolist()
    if arguments.baseline not in (None, *systems):
        raise InputError(f"--baseline: no system {arguments.baseline}", remedy=f"there are {', '.join(systems)}")
    tables = []
    for name in systems:
        own = table[table["system"] == name]
        scores = [Score("ESA", float(own["score"].mean()), SIGNATURE, MetricParts(better="higher"))]
        scores += [Score(f"{severity} errors", float(own[severity].sum()), "count") for severity in SEVERITIES]
        scores += [Score("sentences", len(own), "count"), Score("documents", own["doc_id"].nunique(), "count")]
        if arguments.baseline not in (None, name):
            first, second = common_scores(table, name, arguments.baseline)
            if first.empty:
                raise InputError(f"{name} and {arguments.baseline} have no sentence in common", file=file)
            comparison = Comparison(arguments.baseline, [(0, 0)], unit="documents")
            draws = {"trials": arguments.trials, "seed": arguments.random_seed}
            scores += metric_tests([first], [second], comparison, "ESA", SIGNATURE, "higher", **draws)
        names = {"experiment": name, "system": "external", "test_set": Path(file).name}
        tables.append(score_table(scores, corpus="human", seed=0, **names))
    metrics = ("ESA", *(f"{severity} errors" for severity in SEVERITIES), "sentences", "documents")
    return markdown(pd.concat(tables, ignore_index=True), metrics)


def read_entries(file: str) -> list[object]:
    """The entries of Pearmut's log: JSON lines, or the object of campaigns that its dashboard gives."""
    from discourse_nmt.base.sources import Source
    from discourse_nmt.corpus.reading.json_text import load, objects

    path = Path(file)
    if not path.is_file():
        raise InputError("no such file", file=path)
    source, remedy = Source(file, None, path), "download them again"
    if path.suffix == ".jsonl":
        return [entry for _, entry in objects(source, remedy)]
    campaigns: object = load(source)
    if not isinstance(campaigns, dict) or not all(isinstance(entries, list) for entries in campaigns.values()):
        raise InputError("not the annotations of campaigns", file=path, remedy=remedy)
    return [entry for entries in campaigns.values() for entry in entries]
