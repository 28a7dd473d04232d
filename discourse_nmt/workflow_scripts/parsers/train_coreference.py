"""Train the coreference resolver of a language on gold chains (GUM's coref_conll) and predicted syntax, and measure it.

The syntax in --annotated should be jackknifed (train_analyser --folds), so that the resolver learns from syntax with
realistic errors; with --more-annotated, such as gold syntax, it learns from the same documents a second time. Chains
and syntax are matched by the document's name (# begin document X, # newdoc id = X). --analyser predicts the syntax of
the development documents; their sentences and words are those of --development-annotated. A pattern of files may reach
into archives: gum_train.tar.xz::train/coref_conll/*.conll
"""

import logging

import torch

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.settings import parse_settings
from discourse_nmt.base.sources import expand
from discourse_nmt.base.storage.files import write_json
from discourse_nmt.discourse.analysers.examples import FREE_GENRES, genre_of
from discourse_nmt.discourse.analysers.weights import load_analyser
from discourse_nmt.discourse.coreference.examples import CoreferenceExample, example_of
from discourse_nmt.discourse.coreference.lexicons import lexicon_of
from discourse_nmt.discourse.coreference.measures import measure_by_genre
from discourse_nmt.discourse.coreference.network import CoreferenceNetworkSettings
from discourse_nmt.discourse.coreference.resolver import ResolverSettings
from discourse_nmt.discourse.coreference.speech.turns import Speakers
from discourse_nmt.discourse.coreference.weights import load_resolver, save_resolver
from discourse_nmt.discourse.evaluation.documents import syntax_of
from discourse_nmt.discourse.formats.conllu import documents_of, read_conllu, speakers_of
from discourse_nmt.discourse.formats.coreference import read_gum_coreference
from discourse_nmt.discourse.structures.syntax import Syntax
from discourse_nmt.discourse.structures.trees import StructureError
from discourse_nmt.training.analysers.coreference import CoreferenceLearningSettings, train
from discourse_nmt.workflow_scripts.command import JsonObject, arguments, run
from discourse_nmt.workflow_scripts.parsers.resuming import add_resuming, resuming

Sentences = dict[str, tuple[Syntax, ...]]


def read_syntax(patterns: list[str]) -> Sentences:
    """Sentences of each document of CoNLL-U files."""
    documents: Sentences = {}
    for source in (source for pattern in patterns for source in expand(pattern)):
        for name, group in documents_of(read_conllu(source.text(), source.name)):
            sentences = list(group)
            if name is None or name in documents:
                raise InputError(f"document {name or 'without # newdoc id'} is there twice", file=source.name)
            if any(sentence.words and not sentence.heads for sentence in sentences):
                raise InputError(f"document {name} has a sentence without dependencies", file=source.name)
            documents[name] = tuple(syntax_of(sentence) for sentence in sentences)
    return documents


def read_speakers(patterns: list[str]) -> dict[str, Speakers]:
    """Speakers of the sentences of each document of CoNLL-U files."""
    sources = (source for pattern in patterns for source in expand(pattern))
    documents = (document for source in sources for document in documents_of(read_conllu(source.text(), source.name)))
    return {name: speakers_of(sentences) for name, sentences in documents if name}


def read_examples(patterns: list[str], syntax: Sentences, genres: list[str]) -> list[CoreferenceExample]:
    """Documents with chains and syntax, in the order of their names; of the ``genres`` only, if there are any."""
    examples = []
    for source in (source for pattern in patterns for source in expand(pattern)):
        for document in read_gum_coreference(source.text(), source.name):
            if genres and genre_of(document.name) not in genres:
                continue
            if document.name not in syntax:
                raise InputError(f"document {document.name} has chains, but no syntax", file=source.name)
            try:
                examples.append(example_of(document, syntax[document.name]))
            except StructureError as error:
                raise InputError(str(error), file=source.name) from None
    return sorted(examples, key=lambda example: example.name)


def read_versions(patterns: list[str], annotated: list[list[str]], genres: list[str]) -> list[CoreferenceExample]:
    """The examples with each syntax in turn; patterns of files without any are left out."""
    syntaxes = [read_syntax(files) for files in annotated if files]
    return [example for syntax in syntaxes for example in read_examples(patterns, syntax, genres)]


def main() -> None:
    """Parse the arguments, read, train, write, measure."""
    parser = arguments(__doc__)
    add = parser.add_argument
    add("--treebank", nargs="+", required=True, metavar="PATTERN", help="gold chains: GUM's three-column .conll")
    add("--annotated", nargs="+", required=True, metavar="PATTERN", help="CoNLL-U with the syntax of their documents")
    add(
        "--more-annotated",
        nargs="*",
        default=[],
        metavar="PATTERN",
        help="CoNLL-U with another syntax of these documents, from which they are learnt again",
    )
    add("--language", default="en", help="ISO 639-1 code; discourse/coreference/lexicons has its words")
    add(
        "--genres",
        nargs="*",
        default=list(FREE_GENRES),
        help="genres of --treebank to train on (GUM_GENRE_name); all if none is given",
    )
    add("--development", nargs="*", default=[], metavar="PATTERN", help="gold chains to measure on; all genres")
    add("--development-annotated", nargs="*", default=[], metavar="PATTERN", help="CoNLL-U of their documents")
    add(
        "--analyser",
        metavar="FOLDER",
        help="joint network to predict the syntax of --development; default: as annotated",
    )
    add("--settings", action=JsonObject, default={}, help="sizes of the networks (CoreferenceNetworkSettings), as JSON")
    add("--training", action=JsonObject, default={}, help="training (CoreferenceLearningSettings), as JSON")
    add("--resolving", action=JsonObject, default={}, help="threshold and margin (ResolverSettings), as JSON")
    add("--figures", metavar="FILE", help="JSON to write with the figures on --development")
    add("--output", required=True, metavar="FOLDER", help="weights to write: coreference.safetensors, coreference.json")
    add_resuming(parser)
    options = parser.parse_args()

    torch.set_num_threads(1)
    sizes = parse_settings(CoreferenceNetworkSettings, options.settings, "coreference networks")
    settings = parse_settings(CoreferenceLearningSettings, options.training, "training")
    resolving = parse_settings(ResolverSettings, options.resolving, "resolving")
    lexicon = lexicon_of(options.language)
    examples = read_versions(options.treebank, [options.annotated, options.more_annotated], options.genres)
    if not examples:
        raise InputError("no document to train on", remedy="correct --treebank or --genres")
    if not any(example.mentions for example in examples):
        raise InputError("no mention to learn from", remedy="give documents with chains, --treebank")
    syntax = read_syntax(options.development_annotated)
    if options.analyser and syntax:
        words = [[sentence.forms for sentence in sentences] for sentences in syntax.values()]
        analyses = load_analyser(options.analyser).analyse(words)
        syntax = {name: tuple(document) for name, document in zip(syntax, analyses)}
    development = read_examples(options.development, syntax, [])

    logging.info("%d documents", len(examples))
    with resuming(options, [*options.treebank, *options.annotated, *options.more_annotated]) as (work, deadline):
        trained = train(examples, sizes, settings, resolving, lexicon, work, deadline)
    save_resolver(trained, options.output)
    if development:
        resolver = load_resolver(options.output)  # measure the saved weights, in half precision
        named = read_speakers(options.development_annotated)
        speakers = [named[example.name] for example in development]
        chains = resolver.resolve([example.sentences for example in development], speakers)
        figures = measure_by_genre(development, chains)
        if options.figures:
            write_json(figures, options.figures)
        logging.info(", ".join(f"{name} {value:.2f}" for name, value in figures["all"].items()))


if __name__ == "__main__":
    run(main)
