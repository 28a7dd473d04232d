"""Run the analysers of a language on a treebank and score them: discourse units, RST trees, discourse dependencies,
syntax, coreference, themes.

--treebank holds conllu/NAME.conllu and optionally rs4/NAME.rs4, coref_conll/NAME.conll, themes/*.parquet; it may be a
folder in an archive (gum_dev.tar.xz::dev). The table has the columns task, metric, value (percent), setting (gold or
predicted input); docs/analysers/evaluation.md explains them.
"""

from pathlib import Path

import torch

from discourse_nmt.corpus.errors import InputError
from discourse_nmt.corpus.progress import progress
from discourse_nmt.corpus.storage.files import write_text
from discourse_nmt.discourse.analyser_set import Analysers, load_analysers
from discourse_nmt.discourse.evaluation.experiment import evaluate
from discourse_nmt.discourse.evaluation.figures import figures, figures_by_genre, write_figures, write_figures_by_genre
from discourse_nmt.discourse.evaluation.treebank import read_treebank
from discourse_nmt.workflow_scripts.command import arguments, run


def load(folder: Path, language: str) -> Analysers:
    """The analysers in ``folder``; the log names those that it has no weights of."""
    if not (folder / "joint.json").is_file():
        raise InputError(f"no analysers for {language}", file=folder, remedy="correct --language or --analysers")
    return load_analysers(folder, language)


def main() -> None:
    """Parse the arguments, read, analyse and compare, write."""
    parser = arguments(__doc__)
    add = parser.add_argument
    add("--treebank", required=True, metavar="DIR", help="folder of the gold annotation, or ARCHIVE::FOLDER")
    add("--language", required=True, help="language of the analysers, for example en")
    add("--analysers", type=Path, metavar="FOLDER", help="weights to score; default: resources/analysers/LANGUAGE")
    add("--output", required=True, metavar="FILE", help="tab-separated table to write")
    add("--by-genre", metavar="FILE", help="table to write with the same figures for every genre (second part of NAME)")
    add("--threads", type=int, default=1, help="CPU threads")
    options = parser.parse_args()

    torch.set_num_threads(options.threads)
    documents = read_treebank(options.treebank)
    analysers = load(options.analysers or Path("resources/analysers") / options.language, options.language)
    scores = [evaluate(document, analysers) for document in progress(documents, "evaluate", "documents")]

    write_text(write_figures(figures(scores)), options.output)
    if options.by_genre:
        genres = figures_by_genre([document.genre for document in documents], scores)
        write_text(write_figures_by_genre(genres), options.by_genre)


if __name__ == "__main__":
    run(main)
