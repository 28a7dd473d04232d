"""Teach a trained joint network the elementary discourse units of treebanks in CoNLL-U, and measure them.

Its tags and dependencies stay as they are. The units get files of their own beside those of the network, since their
treebank may have another licence. A pattern of files may reach into archives: gcdt.tar.xz::conllu/train/*.conllu
"""

import logging

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.settings import parse_settings
from discourse_nmt.base.storage.files import write_json
from discourse_nmt.discourse.analysers.analyser import UNIT_THRESHOLD, Analyser
from discourse_nmt.discourse.analysers.examples import FREE_GENRES, words_of
from discourse_nmt.discourse.analysers.weights import load_analyser, save_units
from discourse_nmt.discourse.evaluation.analyses import measure_by_genre
from discourse_nmt.training.analysers.joint import LearningSettings, train_units
from discourse_nmt.workflow_scripts.command import JsonObject, arguments, run
from discourse_nmt.workflow_scripts.parsers.resuming import add_resuming, resuming
from discourse_nmt.workflow_scripts.parsers.train_analyser import examples


def main() -> None:
    """Parse the arguments, read, train, write, measure."""
    parser = arguments(__doc__)
    add = parser.add_argument
    add("--treebank", nargs="+", required=True, metavar="PATTERN", help="CoNLL-U with syntax and EDUs")
    add(
        "--genres",
        nargs="*",
        default=list(FREE_GENRES),
        help="genres of --treebank to train on, of documents named CORPUS_GENRE_name; all if none is given",
    )
    add("--development", nargs="*", default=[], metavar="PATTERN", help="CoNLL-U to measure on; all genres")
    add("--training", action=JsonObject, default={}, help="training (LearningSettings), as JSON")
    add("--threshold", type=float, default=UNIT_THRESHOLD, help="least probability for the beginning of a unit")
    add("--notice", default="", help="notice for users of the units, such as their licence")
    add(
        "--analyser",
        required=True,
        metavar="FOLDER",
        help="folder of the joint network; units.safetensors and units.json are written there",
    )
    add("--figures", metavar="FILE", help="figures on --development to write; units_figures.json there if not given")
    add_resuming(parser)
    options = parser.parse_args()

    settings = parse_settings(LearningSettings, options.training, "training")
    if not 0 <= options.threshold <= 1:
        raise InputError(f"--threshold is {options.threshold:g}", remedy="it must be from 0 to 1")
    analyser = load_analyser(options.analyser, units=False)
    main_treebank = analyser.inventory.treebanks[0]
    read = examples(options.treebank, main_treebank, ["units"], options.genres)
    training = [example for example in read if example.edu_starts is not None]
    development = examples(options.development, main_treebank, ["units"], [])
    if not training:
        raise InputError("no sentence with discourse units", remedy="correct --treebank or --genres")

    logging.info("%d sentences, %d words", len(training), words_of(training))
    with resuming(options, [*options.treebank, f"{options.analyser}/joint.safetensors"]) as (work, deadline):
        network = train_units(analyser.network, training, analyser.inventory, settings, work, deadline)
    save_units(Analyser(network, analyser.inventory, threshold=options.threshold), options.analyser, options.notice)
    if development:
        analyser = load_analyser(options.analyser)  # measure the saved weights, in half precision
        [analysis] = analyser.analyse([[example.forms for example in development]])
        figures = measure_by_genre(development, analysis)
        write_json(figures, options.figures or f"{options.analyser}/units_figures.json")
        logging.info(", ".join(f"{name} {value:.2f}" for name, value in figures["all"].items()))


if __name__ == "__main__":
    run(main)
