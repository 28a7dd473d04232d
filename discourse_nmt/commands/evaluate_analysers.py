"""Run the analysers of a language on a treebank and score them."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from discourse_nmt import ROOT
from discourse_nmt.base.errors import InputError
from discourse_nmt.base.progress import progress
from discourse_nmt.base.storage.files import write_text

if TYPE_CHECKING:
    from discourse_nmt.discourse.analyser_set import Analysers

SUMMARY = "Score the analysers of a language on a treebank."
EXAMPLES = """\
The treebank holds conllu/NAME.conllu and optionally rs4/NAME.rs4,
coref_conll/NAME.conll, themes/*.parquet; it may be a folder in an archive. The
table has the columns task (discourse units, RST trees, discourse dependencies,
syntax, coreference, themes), metric, value (percent), and setting (gold or
predicted input).

examples:
  discourse-nmt evaluate-analysers --treebank gum/dev --language en --output scores.tsv
  discourse-nmt evaluate-analysers --treebank gum.tar.xz::dev --language en --output scores.tsv
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The treebank, the analysers and the tables to write."""
    add = parser.add_argument
    add("--treebank", required=True, metavar="DIR", help="folder of the gold annotation, or ARCHIVE::FOLDER")
    add("--language", required=True, help="language of the analysers, for example en")
    add("--analysers", type=Path, metavar="FOLDER", help="weights to score; default: the shipped ones of the language")
    add("--output", required=True, metavar="FILE", help="tab-separated table to write")
    add("--by-genre", metavar="FILE", help="table to write with the same figures for every genre (second part of NAME)")
    add("--baselines", metavar="FILE", help="table to write with the figures of trivial units and trees")
    add("--threads", type=int, default=1, metavar="N", help="CPU threads")


def load(folder: Path, language: str) -> "Analysers":
    """The analysers in ``folder``; the log names those that it has no weights of."""
    from discourse_nmt.discourse.analyser_set import load_analysers

    if not (folder / "joint.json").is_file():
        raise InputError(f"no analysers for {language}", file=folder, remedy="correct --language or --analysers")
    return load_analysers(folder, language)


def run(arguments: argparse.Namespace) -> int:
    """Read, analyse and compare, write."""
    import torch

    from discourse_nmt.discourse.evaluation.baselines import baseline_scores
    from discourse_nmt.discourse.evaluation.experiment import evaluate
    from discourse_nmt.discourse.evaluation.figures import (
        figures,
        figures_by_genre,
        write_figures,
        write_figures_by_genre,
    )
    from discourse_nmt.discourse.evaluation.treebank import read_treebank

    torch.set_num_threads(arguments.threads)
    documents = read_treebank(arguments.treebank)
    shipped = ROOT / "resources" / "analysers" / arguments.language
    analysers = load(arguments.analysers or shipped, arguments.language)
    scores = [evaluate(document, analysers) for document in progress(documents, "evaluate", "documents")]

    write_text(write_figures(figures(scores)), arguments.output)
    if arguments.by_genre:
        genres = figures_by_genre([document.genre for document in documents], scores)
        write_text(write_figures_by_genre(genres), arguments.by_genre)
    if arguments.baselines:
        write_text(write_figures(figures([baseline_scores(document) for document in documents])), arguments.baselines)
    return 0
