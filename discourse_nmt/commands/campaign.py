"""Human evaluation: write a campaign for Pearmut, and read its annotations as scores with tests over documents.

``print`` gives them to the workflow, as a metric of its own.
"""

import argparse
import json
import logging
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from discourse_nmt.base.errors import InputError
from discourse_nmt.scoring.comparison.settings import SignificanceSettings

if TYPE_CHECKING:
    import pandas as pd

log = logging.getLogger(__name__)
SUMMARY = "Human evaluation: write a campaign for Pearmut, read its annotations as scores."
EXAMPLES = """\
Documents are drawn, and one annotator sees all systems' translations of a
document, in a drawn order and without names (protocol ESA). Of a run the
systems are its experiments, or those that are named, each with its first seed
and named EXPERIMENT.SEED. Annotations are the .jsonl or .json of Pearmut.
print writes those of one system as a metric of a run does, with - for
sentences that nobody judged.

examples:
  discourse-nmt campaign write results/RUN/CORPUS --sample 20 --output c.json
  discourse-nmt campaign write --source s.en --documents ids a.txt b.txt --output c.json
  discourse-nmt campaign score annotations.json --baseline a
  discourse-nmt campaign print annotations.json --system mix.1 --documents ids
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What to do, its files, the numbers of documents and annotators, the baseline."""
    add, significance = parser.add_argument, SignificanceSettings()
    add("action", choices=["write", "score", "print"], help="write a campaign, score its annotations, or print them")
    files = "translations of each system, or results/RUN/CORPUS and names of experiments; else the annotations"
    add("files", nargs="+", metavar="[NAME=]FILE", help=files)
    add("--test-set", default="test", metavar="NAME", help="test set of the run")
    add("--system", metavar="NAME", help="for print: the system, as it is named in the annotations")
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
    actions = {"write": written, "score": scored, "print": printed}
    put_out(actions[arguments.action](arguments), arguments.output)
    return 0


def written(arguments: argparse.Namespace) -> str:
    """The campaign as JSON."""
    from discourse_nmt.commands.score import named, read_references
    from discourse_nmt.corpus.hypotheses import read_hypotheses
    from discourse_nmt.scoring.external.pearmut import campaign

    folder = Path(arguments.files[0])
    if folder.is_dir():
        if arguments.source or arguments.documents:
            raise InputError("a run has its own --source and --documents", file=folder, remedy="leave them out")
        source, ids, files = of_run(folder, arguments.test_set, arguments.files[1:])
    else:
        source, ids, files = arguments.source, arguments.documents, named(arguments.files)
    for option, path in {"source": source, "documents": ids}.items():
        if path is None:
            remedy = "give a file with a line for each sentence, or the folder of a run's corpus"
            raise InputError(f"a campaign needs --{option}", remedy=remedy)
    lines, documents = read_references(source, ids)
    sources: dict[str, list[str]] = {}
    for document, line in zip(documents, lines):
        sources.setdefault(document, []).append(line)
    lengths = {document: len(sentences) for document, sentences in sources.items()}
    systems = {name: read_hypotheses(file, lengths, str(source)) for name, file in files.items()}
    sizes = {"annotators": arguments.annotators, "documents": arguments.sample, "seed": arguments.random_seed}
    whole = campaign(arguments.name, sources, systems, **sizes)
    return json.dumps(whole, ensure_ascii=False, indent=1) + "\n"


def of_run(folder: Path, test_set: str, chosen: Sequence[str]) -> tuple[Path, Path, dict[str, str]]:
    """Source, document ids and the translations by EXPERIMENT.SEED of a test set of a run's corpus; first seeds.

    Raises :class:`InputError`: no such test set, or no translations of an experiment of the ``chosen``.
    """
    source, ids = (folder / "texts" / f"{test_set}.{side}.txt" for side in ("source", "documents"))
    if not source.is_file():
        remedy = "give a folder results/RUN/CORPUS and a test set that snakemake score has translated"
        raise InputError(f"no test set {test_set}", file=folder, remedy=remedy)
    found: dict[str, dict[int, Path]] = {}
    for path in folder.glob(f"experiments/*/seed*/translations/{test_set}.txt"):
        found.setdefault(path.parts[-4], {})[int(path.parts[-3].removeprefix("seed"))] = path
    absent = [name for name in chosen if name not in found]
    if absent or not found:
        message = f"no translations of {test_set} by {', '.join(absent) or 'any experiment'}"
        raise InputError(message, file=folder, remedy=f"there are {', '.join(sorted(found))}" if found else "")
    first = {name: min(found[name].items()) for name in chosen or sorted(found)}
    return source, ids, {f"{name}.{seed}": str(path) for name, (seed, path) in first.items()}


def scored(arguments: argparse.Namespace) -> str:
    """The scores as Markdown: mean of the sentences, errors, and the tests of differences from the baseline."""
    import pandas as pd

    from discourse_nmt.scoring.comparison.comparison import Comparison
    from discourse_nmt.scoring.external.command_metrics import metric_tests
    from discourse_nmt.scoring.external.pearmut import SEVERITIES, SIGNATURE, common_scores
    from discourse_nmt.scoring.metrics.score import MetricParts, Score
    from discourse_nmt.scoring.tables.scores import score_table
    from discourse_nmt.scoring.tables.summary import markdown

    file, table = annotated(arguments)
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


def printed(arguments: argparse.Namespace) -> str:
    """The scores of one system as a metric of the workflow prints them: each sentence in order, then their mean."""
    from discourse_nmt.base.sources import Source
    from discourse_nmt.scoring.external.command_metrics import UNSCORED

    for option in ("system", "documents"):
        if getattr(arguments, option) is None:
            raise InputError(f"print needs --{option}", remedy="give it")
    file, table = annotated(arguments)
    own = table[table["system"] == arguments.system]
    scores = dict(zip(zip(own["doc_id"], own["sent_id"]), own["score"].tolist()))
    numbers: Counter[str] = Counter()
    lines, values = [], []
    for document in Source(str(arguments.documents), None, arguments.documents).lines():
        score = scores.get((document, numbers[document]))
        numbers[document] += 1
        lines.append(f"segment\t{UNSCORED if score is None else score}\n")
        values += [] if score is None else [score]
    if not values:
        systems = ", ".join(table["system"].unique())
        log.warning(f"{file}: nothing of {arguments.system} in these documents is annotated; there are {systems}")
    mean = sum(values) / len(values) if values else UNSCORED
    return "".join(lines) + f"system\t{mean}\n"


def annotated(arguments: argparse.Namespace) -> tuple[str, "pd.DataFrame"]:
    """The file of annotations and its table, see :func:`.annotations_of`."""
    from discourse_nmt.scoring.external.pearmut import annotations_of

    if len(arguments.files) != 1:
        raise InputError(f"{len(arguments.files)} files of annotations", remedy="name one")
    [file] = arguments.files
    return file, annotations_of(read_entries(file), file=file)


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
