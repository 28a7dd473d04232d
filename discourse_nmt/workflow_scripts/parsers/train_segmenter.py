"""Train the tokeniser and sentence splitter of an analyser on treebanks in CoNLL-U, and measure it.

Raw text is restored from the treebanks (SpaceAfter=No, # newpar). A pattern of files may reach into archives:
gum_train.tar.xz::train/conllu/*.conllu
"""

import logging

from discourse_nmt.base.settings import parse_settings
from discourse_nmt.base.sources import expand
from discourse_nmt.base.storage.files import write_json
from discourse_nmt.discourse.analysers.examples import FREE_GENRES, genre_of
from discourse_nmt.discourse.analysers.weights import load_segmenter, save_segmenter
from discourse_nmt.discourse.evaluation.measures.segmentation import measure_segmentation
from discourse_nmt.discourse.formats.conllu import read_conllu
from discourse_nmt.discourse.treebanks.examples import paragraphs_of
from discourse_nmt.training.analysers.segmenter import Paragraphs, SegmenterSettings, join, train_segmenter
from discourse_nmt.workflow_scripts.command import JsonObject, arguments, run
from discourse_nmt.workflow_scripts.parsers.resuming import add_resuming, resuming

SEPARATORS = {"empty lines": "\n\n", "line ends": "\n", "spaces": " "}


def documents(patterns: list[str], genres: list[str]) -> list[Paragraphs]:
    """Documents of all files, in the order of their names; of files of the ``genres`` only, if any."""
    sources = sorted((source for pattern in patterns for source in expand(pattern)), key=lambda source: source.name)
    chosen = [source for source in sources if not genres or genre_of(source.stem) in genres]
    pages = (paragraphs_of(read_conllu(source.text(), source.name, heads=False)) for source in chosen)
    return [document for page in pages for document in page if document]


def main() -> None:
    """Parse the arguments, read, train, write, measure."""
    parser = arguments(__doc__)
    add = parser.add_argument
    add(
        "--treebank",
        nargs="+",
        required=True,
        metavar="PATTERN",
        help="CoNLL-U files named CORPUS_GENRE_name.conllu; read twice a pass",
    )
    add("--genres", nargs="*", default=list(FREE_GENRES), help="genres of --treebank to train on; all if none is given")
    add("--more", nargs="*", default=[], metavar="PATTERN", help="further CoNLL-U, all of it")
    add("--development", nargs="*", default=[], metavar="PATTERN", help="CoNLL-U to measure on; all genres")
    add("--settings", action=JsonObject, default={}, help="size and training (SegmenterSettings), as JSON")
    add("--output", required=True, metavar="FOLDER", help="weights to write: segmenter.safetensors, segmenter.json")
    add("--figures", metavar="FILE", help="figures to write; segmenter_figures.json of --output if not given")
    add_resuming(parser)
    options = parser.parse_args()

    settings = parse_settings(SegmenterSettings, options.settings, "segmenter")
    training = 2 * documents(options.treebank, options.genres) + documents(options.more, [])
    development = documents(options.development, [])
    with resuming(options, [*options.treebank, *options.more]) as (work, deadline):
        trained = train_segmenter(training, settings, work, deadline)
    save_segmenter(trained, options.output)
    segmenter = load_segmenter(options.output)  # measure the saved weights, in half precision
    figures = {}
    for name, separator in SEPARATORS.items() if development else ():
        texts = [join(document, separator) for document in development]
        measured = measure_segmentation(texts, segmenter.segment([text.text for text in texts]))
        figures[f"paragraphs divided by {name}"] = {key: round(value, 2) for key, value in measured.items()}
        logging.info("paragraphs divided by %s: %s", name, figures[f"paragraphs divided by {name}"])
    if figures:
        write_json(figures, options.figures or f"{options.output}/segmenter_figures.json")


if __name__ == "__main__":
    run(main)
