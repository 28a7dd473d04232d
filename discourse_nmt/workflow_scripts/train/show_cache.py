"""Show the contents of the cache of a theme_rheme_cache model before each source sentence of a dataset.

The table has one row for each sentence and word in the cache before it: doc_id, sent_id, place (slot of the cache, from
0; in a continuous cache 0 is the most recent word), word (as the model reads it, subwords joined), from_sent_id (the
sentence of the word) and score (of the labeller, from 0 to 1; empty for a continuous cache). Sentences are numbered
from 0, as in all tables. The page shows the same for the first documents, each sentence with the words below it; it
counts sentences from 1, as the report does. The words are those that the model uses when it translates with these
settings.
"""

import csv
import dataclasses
import logging
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

import torch

from discourse_nmt import PACKAGE
from discourse_nmt.base.errors import InputError
from discourse_nmt.base.progress import progress
from discourse_nmt.base.settings import parse_settings
from discourse_nmt.base.storage.files import read_text, replacing, write_text
from discourse_nmt.base.vocabulary import Vocabulary
from discourse_nmt.models.context.inference import Paragraph
from discourse_nmt.models.core.inference import device_named
from discourse_nmt.models.core.preparation import prepare_for_inference
from discourse_nmt.models.switches.decoding import DecodingSettings
from discourse_nmt.models.switches.theme_rheme_cache import ThemeRhemeCacheSettings
from discourse_nmt.models.systems import system_named
from discourse_nmt.models.theme_cache.contents import CacheContents, cache_contents
from discourse_nmt.models.theme_cache.network import ThemeRhemeCache
from discourse_nmt.scoring.reports.caches import page
from discourse_nmt.scoring.tables.cached_words import COLUMNS, CachedDocument, Line, cached_document
from discourse_nmt.text.postprocessing import Postprocessor
from discourse_nmt.text.settings import TextSettings
from discourse_nmt.training.checkpoints.cards import parse_card, read_metadata
from discourse_nmt.training.checkpoints.trained import open_trained
from discourse_nmt.training.data.units import Units, units_of
from discourse_nmt.training.tasks.paragraphs import ParagraphTask
from discourse_nmt.workflow_scripts.command import add_model_arguments, add_text_settings, arguments, run

SYSTEM = system_named("theme_rheme_cache")
REPORTS = PACKAGE / "scoring" / "reports"
TEMPLATES = [REPORTS / name for name in ("caches.html", "caches.css", "templates/base.html", "templates/style.css")]


def check_model(path: Path) -> None:
    """Check the file.

    Raises :class:`InputError`: it is not a model with such a cache.
    """
    card = parse_card(read_metadata(path), path)
    if card.system != SYSTEM.name:
        raise InputError(f"a model of system {card.system} has no theme-rheme cache", file=path)
    if parse_settings(ThemeRhemeCacheSettings, card.settings, f"system {SYSTEM.name}").context == "none":
        raise InputError(
            "this model has no cache", file=path, remedy="train one with cache: theme_rheme or cache: continuous"
        )


def paragraphs(task: ParagraphTask, units: Units) -> list[Paragraph]:
    """The source of each document with its words."""
    source = task.dataset.source.sentences()
    assert task.structures is not None  # checked with the arguments
    return [
        Paragraph(source[start:stop], structure=task.structures[start:stop])
        for start, stop in zip(units.starts.tolist(), units.stops.tolist())
    ]


def texts(settings: TextSettings, vocabulary: Vocabulary) -> tuple[Line, Line]:
    """Functions from subword ids to the text of a sentence, and to that of a word within a sentence."""
    plain = Postprocessor(dataclasses.replace(settings.source, truecase=False), vocabulary)
    text_of_word = cache(plain.line)
    return Postprocessor(settings.source, vocabulary).line, lambda ids: text_of_word(tuple(ids))


def write_rows(documents: Iterable[CachedDocument], path: Path) -> None:
    """Write the table, document by document."""
    with replacing(path) as temporary, temporary.open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file, delimiter="\t", lineterminator="\n")
        table.writerow(COLUMNS)
        for document in documents:
            table.writerows((*rest, "" if score is None else f"{score:.6g}") for *rest, score in document.rows())


def facts(settings: ThemeRhemeCacheSettings, shown: int, documents: int, sentences: int) -> list[str]:
    """Lines of the page on the cache and on the documents shown."""
    kind = "words by the labeller's score" if "labeller" in settings.companions else "the most recent words"
    filtered = ", no stop words" if settings.filters else ""
    listed = f"the first {shown} of {documents}" if shown < documents else f"all {documents}"
    return [
        f"A cache of {settings.cache_size}: {kind}{filtered}.",
        f"Documents on this page: {listed}. The table beside it has all documents ({sentences} sentences).",
    ]


def main() -> None:
    """Read a dataset and a model, write the table and the page."""
    parser = arguments(__doc__)
    add_model_arguments(parser, "dataset whose source sentences the model reads (Arrow)")
    add_text_settings(parser)
    parser.add_argument("--title", default="Contents of the cache", help="heading of the page")
    parser.add_argument("--documents", type=int, default=20, help="documents on the page, the first of the dataset")
    parser.add_argument("--table", type=Path, required=True, help="table to write (tab-separated)")
    parser.add_argument("--page", type=Path, required=True, help="HTML page to write")
    options = parser.parse_args()

    if options.documents < 0:
        raise InputError(f"--documents is {options.documents}, not a number of documents")
    check_model(options.model)
    if options.structure is None:
        raise InputError("--structure is missing", remedy="give the dataset's file of words to cache (cache_words)")
    torch.set_num_threads(options.threads)
    settings = parse_settings(DecodingSettings, options.settings, "decoding")
    source, target = Vocabulary.load(options.source_vocabulary), Vocabulary.load(options.target_vocabulary)
    line, word = texts(TextSettings.from_mapping(options.text_settings), source)
    trained = open_trained(
        options.model, options.dataset, options.structure, (source, target), settings, device_named(options.device)
    )
    network, task = trained.network, trained.task
    prepare_for_inference(network, settings)
    assert isinstance(network, ThemeRhemeCache) and isinstance(task, ParagraphTask)

    dataset = task.dataset
    units = units_of(dataset, SYSTEM.unit)
    sources = paragraphs(task, units)
    traced = cache_contents(network, sources, settings.batch_tokens)
    contents: dict[int, CacheContents] = dict(progress(traced, "trace caches", "documents", len(sources)))
    sentence_ids = dataset.table["sent_id"].to_pylist()
    shown: list[CachedDocument] = []

    def documents() -> Iterator[CachedDocument]:
        for index, (start, stop) in enumerate(zip(units.starts.tolist(), units.stops.tolist())):
            name, sentences = dataset.document(start), sentence_ids[start:stop]
            document = cached_document(name, sentences, sources[index].source, contents[index], line, word)
            if index < options.documents:
                shown.append(document)
            yield document

    write_rows(progress(documents(), "write", "documents", len(sources)), options.table)
    html = page(
        {path.name: read_text(path) for path in TEMPLATES},
        options.title,
        facts(network.settings, len(shown), len(sources), len(dataset)),
        shown,
    )
    write_text(html, options.page)
    held = sum(int((document.entries >= 0).sum()) for document in contents.values())
    logging.info(f"{len(sources)} documents; {held / len(dataset):.1f} words in the cache before a sentence on average")


if __name__ == "__main__":
    run(main, "lower decoding.batch_tokens")
