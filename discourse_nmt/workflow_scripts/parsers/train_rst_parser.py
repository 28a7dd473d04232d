"""Train the RST parser of a language on trees in rs3 or rs4 and predicted syntax, and measure it.

The syntax in --annotated should be jackknifed (train_analyser --folds), so that the parser learns from syntax with
realistic errors; its words and sentences count, too. The tree of the document X (# newdoc id = X) is the file
X.rs3 or X.rs4. A pattern of files may reach into archives: gum_train.tar.xz::train/rs4/*.rs4
"""

import logging
from collections.abc import Mapping, Sequence

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.progress import progress
from discourse_nmt.base.settings import parse_settings
from discourse_nmt.base.sources import expand
from discourse_nmt.base.storage.files import write_json
from discourse_nmt.discourse.analysers.analyser import Analyser
from discourse_nmt.discourse.analysers.weights import load_analyser
from discourse_nmt.discourse.formats.conllu import documents_of, paragraphs_of, read_conllu
from discourse_nmt.discourse.formats.rs3 import read_rs3
from discourse_nmt.discourse.formats.rs3_trees import tree_of_graph
from discourse_nmt.discourse.parsing.examples import ParserExample
from discourse_nmt.discourse.parsing.measures import measure_by_genre
from discourse_nmt.discourse.parsing.network import ParserSettings
from discourse_nmt.discourse.parsing.treebank import examples_of
from discourse_nmt.discourse.parsing.weights import load_rst_parser, save_rst_parser
from discourse_nmt.training.analysers.rst_parser import ParserLearningSettings, train
from discourse_nmt.workflow_scripts.command import JsonObject, arguments, run
from discourse_nmt.workflow_scripts.parsers.resuming import add_resuming, resuming


def examples(
    trees: Sequence[str],
    conllu: Sequence[str],
    analyser: Analyser,
    genres: Sequence[str],
    paragraphs: Mapping[str, frozenset[int]] | None = None,
    *,
    own_syntax: bool,
) -> list[ParserExample]:
    """Documents of CoNLL-U files with their trees, in the order of their names; of the ``genres`` only, if any."""
    sources = [source for pattern in trees for source in expand(pattern)]
    tree_of = {
        source.stem: tree_of_graph(read_rs3(b"".join(source.blocks()), source.name), source.name) for source in sources
    }
    pages = [source for pattern in conllu for source in expand(pattern)]
    documents = [
        document
        for page in progress(pages, "analysing", "files")
        for sentences in [read_conllu(page.text(), page.name, heads=own_syntax)]
        for document in examples_of(sentences, page.name, tree_of, analyser, genres or None, own_syntax, paragraphs)
    ]
    return sorted(documents, key=lambda document: document.name)


def paragraphs(patterns: Sequence[str]) -> dict[str, frozenset[int]]:
    """The sentences that begin a paragraph, by document, from the comments of CoNLL-U files."""
    pages = (source for pattern in patterns for source in expand(pattern))
    documents = (group for page in pages for group in documents_of(read_conllu(page.text(), page.name, heads=False)))
    begins_of = (
        (name, paragraphs_of([sentence for sentence in sentences if sentence.words])) for name, sentences in documents
    )
    return {name: begins for name, begins in begins_of if name is not None and begins is not None}


def main() -> None:
    """Parse the arguments, read, train, write, measure."""
    parser = arguments(__doc__)
    add = parser.add_argument
    add("--trees", nargs="+", required=True, metavar="PATTERN", help="trees to train on, in rs3 or rs4")
    add("--annotated", nargs="+", required=True, metavar="PATTERN", help="CoNLL-U of the texts with predicted syntax")
    add("--paragraphs", nargs="*", default=[], metavar="PATTERN", help="CoNLL-U of the same sentences with # newpar")
    add("--genres", nargs="*", default=[], help="genres to train on (GUM_GENRE_name); all if none is given")
    add("--analyser", required=True, metavar="FOLDER", help="joint network whose states the parser reads")
    add("--development-trees", nargs="*", default=[], metavar="PATTERN", help="trees to measure on")
    add("--development-conllu", nargs="*", default=[], metavar="PATTERN", help="CoNLL-U of their texts, syntax ignored")
    add("--settings", action=JsonObject, default={}, help="sizes of the network (ParserSettings), as JSON")
    add("--training", action=JsonObject, default={}, help="training (ParserLearningSettings), as JSON")
    add("--output", required=True, metavar="FOLDER", help="folder for rst.safetensors and rst.json")
    add_resuming(parser)
    options = parser.parse_args()

    sizes = parse_settings(ParserSettings, options.settings, "RST parser")
    settings = parse_settings(ParserLearningSettings, options.training, "training")
    analyser = load_analyser(options.analyser)
    training = examples(
        options.trees, options.annotated, analyser, options.genres, paragraphs(options.paragraphs), own_syntax=True
    )
    development = examples(options.development_trees, options.development_conllu, analyser, [], own_syntax=False)
    if not any(len(example.document.edus) > 1 for example in training):
        raise InputError("no tree to train on", remedy="correct --annotated or --genres")
    units = sum(len(example.document.edus) for example in training)
    logging.info("%d documents, %d discourse units", len(training), units)
    weights = [f"{options.analyser}/joint.{ending}" for ending in ("json", "safetensors")]
    with resuming(options, [*options.trees, *options.annotated, *options.paragraphs, *weights]) as (work, deadline):
        parser_of_trees = train(training, sizes, settings, work, deadline)
    save_rst_parser(parser_of_trees, options.output)
    if development:
        learnt = load_rst_parser(options.output)  # measure the saved weights, in half precision
        figures = measure_by_genre(development, learnt.parse([example.document for example in development]))
        write_json(figures, f"{options.output}/rst-figures.json")
        logging.info(", ".join(f"{name} {value:.2f}" for name, value in figures["all"].items()))


if __name__ == "__main__":
    run(main)
