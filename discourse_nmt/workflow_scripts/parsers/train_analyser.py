"""Train the joint network of an analyser (tags, features, lemmas, dependencies, discourse units) on treebanks
in CoNLL-U, and measure it.

With --folds and --fold one fold of the documents of --treebank is held out, and its analysis by the network is written
to --annotated. Later stages are trained on it, so that they learn from syntax with realistic errors. A pattern of files
may reach into archives: gum_train.tar.xz::train/conllu/*.conllu
"""

import logging

import torch

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.settings import parse_settings
from discourse_nmt.base.sources import expand
from discourse_nmt.base.storage.files import write_json, write_text
from discourse_nmt.discourse.analysers.analyser import Analyser
from discourse_nmt.discourse.analysers.annotation import conllu_of
from discourse_nmt.discourse.analysers.examples import (
    FREE_GENRES,
    Example,
    by_document,
    genre_of,
    without_fold,
    words_of,
)
from discourse_nmt.discourse.analysers.inventory import Inventory
from discourse_nmt.discourse.analysers.network_settings import NetworkSettings
from discourse_nmt.discourse.analysers.weights import save_analyser
from discourse_nmt.discourse.evaluation.analyses import measure_by_genre
from discourse_nmt.discourse.formats.conllu import read_conllu, write_conllu
from discourse_nmt.discourse.treebanks.examples import examples_of
from discourse_nmt.training.analysers.joint import LearningSettings, train
from discourse_nmt.training.analysers.pretrained import PretrainedModel
from discourse_nmt.training.analysers.teachers import load_teacher
from discourse_nmt.training.analysers.vectors import read_vectors
from discourse_nmt.workflow_scripts.command import JsonObject, arguments, run
from discourse_nmt.workflow_scripts.parsers.resuming import add_resuming, resuming

VECTOR_WORDS = 50_000
LEARNED = ["units", "features", "xpos"]


def examples(patterns: list[str], treebank: str, learned: list[str], genres: list[str]) -> list[Example]:
    """Examples of all files, in the order of their names; of the ``genres`` only, if there are any.

    ``learned`` are the annotations of :data:`LEARNED` to learn, besides UPOS, lemmas and dependencies.
    """
    sources = sorted((source for pattern in patterns for source in expand(pattern)), key=lambda source: source.name)
    read: list[Example] = []
    for source in sources:
        sentences = read_conllu(source.text(), source.name)
        read += examples_of(sentences, treebank, **{name: name in learned for name in LEARNED})
    return [example for example in read if not genres or genre_of(example.document) in genres]


def main() -> None:
    """Parse the arguments, read, train, write, measure."""
    parser = arguments(__doc__)
    add = parser.add_argument
    add(
        "--treebank",
        nargs="+",
        required=True,
        metavar="PATTERN",
        help="CoNLL-U with syntax, features and perhaps EDUs",
    )
    add(
        "--genres",
        nargs="*",
        default=list(FREE_GENRES),
        help="genres of --treebank to train on, of documents named CORPUS_GENRE_name; all if none is given",
    )
    add("--syntax", nargs="*", default=[], metavar="PATTERN", help="more CoNLL-U, for tags, lemmas, dependencies only")
    add(
        "--syntax-teaches",
        nargs="*",
        choices=LEARNED,
        default=["xpos"],
        help="further annotation to learn from --syntax",
    )
    add(
        "--guidelines",
        choices=["train", "more"],
        default="train",
        help="whose guidelines analyses follow: those of --treebank (train) or those of --syntax (more)",
    )
    add(
        "--silver", nargs="*", default=[], metavar="PATTERN", help="CoNLL-U that teachers annotated; teaches everything"
    )
    add(
        "--pretrained",
        metavar="FOLDER",
        help="a BERT in the format of Hugging Face, which the network reads: a teacher, not for shipping",
    )
    add("--vectors", metavar="FILE", help="vectors of words, in the text format of word2vec or GloVe")
    add("--vector-words", type=int, default=VECTOR_WORDS, help="words of the vectors to keep, from the beginning")
    add("--development", nargs="*", default=[], metavar="PATTERN", help="CoNLL-U to measure on; all genres")
    add("--settings", action=JsonObject, default={}, help="sizes of the network (NetworkSettings), as JSON")
    add("--training", action=JsonObject, default={}, help="training (LearningSettings), as JSON")
    add("--folds", type=int, default=0, help="number of folds (of documents); 0 trains on everything")
    add("--fold", type=int, default=0, help="fold that is held out, from 0")
    add("--annotated", metavar="FILE", help="CoNLL-U of the held-out fold to write")
    add("--notice", default="", help="notice for users of the weights, such as their licence")
    add("--output", required=True, metavar="FOLDER", help="weights to write: joint.safetensors, joint.json")
    add("--figures", metavar="FILE", help="figures on --development to write; figures.json of --output if not given")
    add_resuming(parser)
    options = parser.parse_args()

    network_settings = parse_settings(NetworkSettings, options.settings, "joint network")
    settings = parse_settings(LearningSettings, options.training, "training")
    if options.folds and not 0 <= options.fold < options.folds:
        raise InputError(f"--fold {options.fold}: the folds are numbered from 0 to {options.folds - 1}")
    if options.vector_words < 2:
        raise InputError(f"--vector-words is {options.vector_words}", remedy="it must be at least 2")
    training = examples(options.treebank, "main", LEARNED, options.genres)
    held: list[Example] = []
    if options.folds:
        training, held = without_fold(training, options.folds, options.fold)
    training += examples(options.syntax, "syntax", options.syntax_teaches, [])
    development = examples(options.development, "main", LEARNED, [])

    if not training:
        raise InputError("no sentence to train on", remedy="correct --treebank or --genres")

    model = PretrainedModel(options.pretrained) if options.pretrained else None
    if model is not None and (options.vectors or options.silver):
        raise InputError("--pretrained goes without --vectors and --silver", remedy="leave them out")
    followed = "syntax" if options.guidelines == "more" else "main"
    if followed not in {example.treebank for example in training}:
        raise InputError(f"--guidelines {options.guidelines}, but there is no sentence of it", remedy="name its files")
    units = any(example.edu_starts is not None for example in training)
    silver = examples(options.silver, followed, LEARNED if units else ["features", "xpos"], [])
    words, table = read_vectors(options.vectors, options.vector_words) if options.vectors else ([], None)
    inventory = Inventory.from_examples(training, followed, words, silver)
    logging.info("%d sentences, %d words", len(training), words_of(training))
    if silver:
        logging.info("%d sentences, %d words by teachers", len(silver), words_of(silver))
    read = [*options.treebank, *options.syntax, *options.silver, *([options.vectors] if options.vectors else [])]
    with resuming(options, read) as (work, deadline):
        vectors = None if table is None else torch.from_numpy(table)
        network = train(training, inventory, network_settings, settings, work, deadline, vectors, silver, model)
    save_analyser(Analyser(network, inventory, units), options.output, options.notice)
    if model is not None:
        model.copy_to(options.output)
    analyser = load_teacher(options.output)  # measure the saved weights, in half precision
    if options.annotated:
        documents = by_document(held)
        analyses = analyser.analyse([[example.forms for example in group] for group in documents.values()])
        pages = [conllu_of(name, page) for name, page in zip(documents, analyses)]
        write_text(write_conllu(sentence for page in pages for sentence in page), options.annotated)
    if development:
        [analysis] = analyser.analyse([[example.forms for example in development]])
        figures = measure_by_genre(development, analysis)
        write_json(figures, options.figures or f"{options.output}/figures.json")
        logging.info(", ".join(f"{name} {value:.2f}" for name, value in figures["all"].items()))


if __name__ == "__main__":
    run(main)
