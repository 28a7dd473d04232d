"""Score files of translations against references, and test whether systems differ, without a run of the workflow."""

import argparse
import json
import logging
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from discourse_nmt.base.errors import InputError
from discourse_nmt.scoring.comparison.settings import SignificanceSettings

if TYPE_CHECKING:
    import pandas as pd

SUMMARY = "Score files of translations against references; test whether systems differ."
EXAMPLES = """\
A file has one sentence per line, detokenised. Translations may also be JSON
lines (.jsonl) or one file per document ("gpt/*.txt"). Scores equal those of
sacrebleu and of the workflow. With --documents there are d-BLEU and tests over
documents; without it tests are over lines. Lines of one document are not
independent, so that too many differences look significant.

examples:
  discourse-nmt score --language de --references test.de gpt.txt
  discourse-nmt score --language de --references test.de old.txt --format tsv
  discourse-nmt score old.txt new.txt --language de --references r.de --documents ids --baseline old
"""
MEASURES = ("s-BLEU", "d-BLEU (document)", "chrF2++", "TER")
OUTPUTS = ("markdown", "tsv", "json")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The files, their language, the tests, the form of the output."""
    add, significance = parser.add_argument, SignificanceSettings()
    add("hypotheses", nargs="+", metavar="[NAME=]FILE", help="translations of a system; the default name is the file's")
    add("--references", type=Path, required=True, metavar="FILE", help="references, one sentence per line")
    add("--documents", type=Path, metavar="FILE", help="document id of each sentence, one per line")
    add("--language", required=True, help="target language, for example de")
    add("--lowercase", action="store_true", help="ignore case")
    add("--baseline", metavar="NAME", help="system that the others are compared with; without it nothing is tested")
    add("--samples", type=int, default=significance.samples, metavar="N", help="samples of the paired bootstrap")
    add("--trials", type=int, default=significance.trials, metavar="N", help="trials of approximate randomisation")
    add("--random-seed", type=int, default=significance.seed, metavar="N", help="seed of the draws")
    add("--format", choices=OUTPUTS, default="markdown", help="form of the output; tsv and json have all digits")
    add("--output", type=Path, metavar="FILE", help="file to write instead of standard output")


def run(arguments: argparse.Namespace) -> int:
    """Read the files, score and compare them, print or write the table."""
    from discourse_nmt.base.languages import check_language
    from discourse_nmt.base.storage.files import write_text
    from discourse_nmt.scoring.tables.scores import render
    from discourse_nmt.scoring.tables.summary import markdown

    check_language(arguments.language, "--language")
    for option in ("samples", "trials", "random_seed"):
        if getattr(arguments, option) < 1:
            raise InputError(f"--{option.replace('_', '-')} is {getattr(arguments, option)}", remedy="give at least 1")
    if arguments.output and arguments.output.resolve() in read_files(arguments):
        raise InputError("is read and would be overwritten", file=arguments.output, remedy="give another --output")
    logging.getLogger("sacrebleu").setLevel(logging.ERROR)
    table = score(arguments)
    if arguments.format == "markdown":
        text = markdown(table)
    elif arguments.format == "tsv":
        text = render(table)
    else:
        text = json.dumps(table.to_dict("records"), ensure_ascii=False, indent=2) + "\n"
    if arguments.output:
        write_text(text, arguments.output, sealed=False)
    else:
        print(text, end="")
    return 0


def read_files(arguments: argparse.Namespace) -> set[Path]:
    """The absolute paths of all files that are read."""
    from discourse_nmt.base.sources import files

    given = [path for path in (arguments.references, arguments.documents) if path is not None]
    hypotheses = [path for pattern in named(arguments.hypotheses).values() for path in files(pattern)]
    return {path.resolve() for path in (*given, *hypotheses)}


def score(arguments: argparse.Namespace) -> "pd.DataFrame":
    """The long table of the scores of every system, and of the comparisons with the baseline."""
    import pandas as pd

    from discourse_nmt.corpus.hypotheses import read_hypotheses
    from discourse_nmt.scoring.comparison.comparison import Comparison, Resampling, measure_tests
    from discourse_nmt.scoring.metrics.score import Score
    from discourse_nmt.scoring.metrics.translation import measured_segments, translation_counts
    from discourse_nmt.scoring.tables.scores import score_table

    references, documents = read_references(arguments.references, arguments.documents)
    lengths = {name: documents.count(name) for name in dict.fromkeys(documents)}
    files = named(arguments.hypotheses)
    if arguments.baseline not in (None, *files):
        raise InputError(f"--baseline: no system {arguments.baseline}", remedy=f"there are {', '.join(files)}")
    segments = {}
    for name, file in files.items():
        read = read_hypotheses(file, lengths, str(arguments.references))
        pairs = pd.DataFrame(
            {
                "doc_id": documents,
                "hypothesis": [text for document in lengths for text in read[document]],
                "reference": references,
                "instance": documents,
            }
        )
        # Words and instances belong to measures that need the text stage of a corpus; they are left out below.
        words = {f"{side}_tokens": pairs[side].str.split() for side in ("hypothesis", "reference")}
        pairs = pairs.assign(**words)
        measured = measured_segments(pairs, language=arguments.language, lowercase=arguments.lowercase)
        wanted = [name for name in MEASURES if arguments.documents or name != "d-BLEU (document)"]
        segments[name] = [one for one in measured if one.measure.name in wanted]
    tables = []
    for name, own in segments.items():
        scores: list[Score] = [*(one.score() for one in own), *translation_counts(own[0])]
        if arguments.baseline not in (None, name):
            unit: Literal["documents", "lines"] = "documents" if arguments.documents else "lines"
            comparison = Comparison(arguments.baseline, [(0, 0)], unit=unit)
            resampling = Resampling(arguments.samples, arguments.trials, arguments.random_seed)
            for one, other in zip(own, segments[arguments.baseline], strict=True):
                scores += measure_tests([one], [other], comparison, resampling)
        names = {"experiment": name, "system": "external", "test_set": arguments.references.name}
        tables.append(score_table(scores, corpus=arguments.language, seed=0, **names))
    return pd.concat(tables, ignore_index=True)


def read_references(references: Path, documents: Path | None) -> tuple[list[str], list[str]]:
    """The references and the document of each; without ``documents`` each line is a document of its own.

    Raises :class:`InputError`: no lines, another number of documents, or a document in several places.
    """
    from discourse_nmt.base.sources import Source

    lines = list(Source(str(references), None, references).lines())
    if not lines:
        raise InputError("no references", file=references)
    if documents is None:
        return lines, [str(number) for number in range(1, len(lines) + 1)]
    names = list(Source(str(documents), None, documents).lines())
    if len(names) != len(lines):
        raise InputError(
            f"{len(names):,} lines, but {references} has {len(lines):,}", file=documents, remedy="write one id a line"
        )
    seen: set[str] = set()
    for line, (before, name) in enumerate(zip([None, *names], names), start=1):
        if name != before and name in seen:
            raise InputError(
                f"document {name} goes on after another one", file=documents, line=line, remedy="put its lines together"
            )
        seen.add(name)
    return lines, names


def named(arguments: Sequence[str]) -> dict[str, str]:
    """The files of systems by their names; two systems of one name are an :class:`InputError`."""
    files: dict[str, str] = {}
    for argument in arguments:
        name, sign, file = argument.partition("=")
        if not sign or "/" in name:
            name, file = Path(argument).name.partition(".")[0].strip("*") or Path(argument).parent.name, argument
        if name in files:
            raise InputError(f"two systems are named {name}", remedy="name them: NAME=FILE")
        files[name] = file
    return files
