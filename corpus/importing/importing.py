"""From the files of a corpus to checked, split and filtered documents, which wait on disk to be written as tables."""

import logging
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import pandas as pd

from discourse_nmt.corpus.errors import InputError
from discourse_nmt.corpus.importing.checks import check
from discourse_nmt.corpus.importing.documents import Document, Drop
from discourse_nmt.corpus.importing.filters import filtered, length
from discourse_nmt.corpus.importing.plan import CorpusPlan, CorpusSettings, SplitPlan
from discourse_nmt.corpus.importing.splits import hold_out
from discourse_nmt.corpus.progress import progress
from discourse_nmt.corpus.readers.requests import Request
from discourse_nmt.corpus.storage.sources import expand, files
from discourse_nmt.corpus.storage.spilling import SpilledDocuments

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Imported:
    """The documents and what was left out, by split."""

    documents: dict[str, SpilledDocuments]
    drops: dict[str, list[Drop]]


def import_corpus(plan: CorpusPlan, folder: Path | None = None) -> Imported:
    """Read, check, split and filter a corpus; raises :class:`InputError` for the first fault found.

    Documents lie in unnamed files in ``folder`` (None: where the system has temporary files) until the process ends. In
    memory are the ids of documents, what was left out, and what the reader of the format holds: of most one document.
    """
    corpus = plan.corpus
    _check_presence(plan)
    documents: dict[str, SpilledDocuments] = {}
    drops: dict[str, list[Drop]] = {}
    places: dict[str, str] = {}
    for split in plan.splits:
        drops[split.name] = []
        checked = _checked(split, corpus, drops[split.name], places)
        documents[split.name] = SpilledDocuments.write(checked, folder)
    if corpus.held_out:
        whole = documents["train"]
        documents |= {name: whole.of(part) for name, part in hold_out(whole.entries, corpus.held_out).items()}
        drops |= _moved(documents, drops["train"], corpus.held_out)
    for name in documents.keys() & corpus.filters.splits:
        documents[name] = SpilledDocuments.write(_kept(documents[name], corpus, drops[name]), folder)
    for name, found in documents.items():
        if not len(found):
            raise InputError(f"no document is left in the split {name}", remedy="check its files and the filters")
        _report(name, found, drops[name])
    return Imported(documents, drops)


def _check_presence(plan: CorpusPlan) -> None:
    patterns = [pattern for split in plan.splits for given in split.roles.values() for pattern in given]
    paths = dict.fromkeys(pattern.partition("::")[0] for pattern in patterns if not files(pattern))
    missing = [path for path in paths if not Path(path).is_dir()]
    if missing:
        remedy = plan.corpus.where or "put them there, or correct their paths in the configuration"
        raise InputError(f"missing: {', '.join(missing)}", remedy=remedy)


def _checked(split: SplitPlan, corpus: CorpusSettings, drops: list[Drop], places: dict[str, str]) -> Iterator[Document]:
    sources = {role: [*chain.from_iterable(map(expand, patterns))] for role, patterns in split.roles.items()}
    request = Request(split.name, sources, corpus.source_language, corpus.target_language, drops)
    for document in progress(split.format.read(request, split.options), f"reading {split.name}", "documents"):
        if first := places.get(document.doc_id):
            raise InputError(
                f"document {document.doc_id} is there twice, first at {first}",
                file=document.source.file,
                line=document.line,
                remedy="document ids must be unique, also across splits: rename or remove one of the two",
            )
        line = "" if document.line is None else f":{document.line}"
        places[document.doc_id] = f"{document.source.file}{line}"
        drop_empty, space_controls = corpus.empty_sentences == "drop", corpus.control_characters == "space"
        if check(document, drop_empty=drop_empty, space_controls=space_controls, drops=drops):
            yield document


def _moved(documents: dict[str, SpilledDocuments], drops: list[Drop], held_out: Iterable[str]) -> dict[str, list[Drop]]:
    split_of = {document.doc_id: name for name in held_out for document in documents[name].entries}
    moved: dict[str, list[Drop]] = {name: [] for name in ("train", *held_out)}
    for drop in drops:
        moved[split_of.get(drop.doc_id, "train")].append(drop)
    return moved


def _kept(found: Iterable[Document], corpus: CorpusSettings, drops: list[Drop]) -> Iterator[Document]:
    for document in found:
        drops += filtered(document, corpus.filters, (corpus.source_language, corpus.target_language))
        if len(document):
            yield document


def _report(name: str, found: SpilledDocuments, drops: list[Drop]) -> None:
    lost = sum(drop.sentences for drop in drops)
    between = sum(drop.between for drop in drops)
    log.info(
        f"{name}: {len(found):,} documents, {found.sentences:,} sentence pairs; "
        f"left out {lost:,} pairs, {between:,} of them from the middle of a document"
    )


def drops_summary(drops: dict[str, list[Drop]]) -> pd.DataFrame:
    """What was left out, for people: split, reason, sentences, documents concerned, and an example."""
    rows = []
    for split, found in drops.items():
        for reason in sorted({drop.reason for drop in found}):
            those = [drop for drop in found if drop.reason == reason]
            sentences, documents = sum(drop.sentences for drop in those), len({drop.doc_id for drop in those})
            rows.append((split, reason, sentences, documents, those[0].excerpt))
    return pd.DataFrame(rows, columns=["split", "reason", "sentences", "documents", "example"])


def statistics(documents: dict[str, SpilledDocuments], corpus: CorpusSettings) -> pd.DataFrame:
    """Documents, sentences and words of each side, by split; words are characters in Chinese and Japanese."""
    rows = []
    for split, found in documents.items():
        source = target = 0
        for document in found:
            source += sum(length(text, corpus.source_language) for text in document.source.sentences)
            target += sum(length(text, corpus.target_language) for text in document.target.sentences)
        rows.append((split, len(found), found.sentences, source, target))
    return pd.DataFrame(rows, columns=["split", "documents", "sentences", "source_words", "target_words"])
