"""Import of a corpus: its files become checked, split and filtered documents, kept on disk until tables are written."""

import logging
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from types import MappingProxyType

import pandas as pd

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.progress import progress
from discourse_nmt.base.sources import expand, files
from discourse_nmt.corpus.documents import Document, Drop
from discourse_nmt.corpus.importing.checks import CONTROLS, check, check_fields
from discourse_nmt.corpus.importing.filters import filtered, length
from discourse_nmt.corpus.importing.near_duplicates import NearDuplicates, near_duplicates, sentence_hashes
from discourse_nmt.corpus.importing.plan import CorpusPlan, CorpusSettings, SplitPlan
from discourse_nmt.corpus.importing.spilling import Entry, SpilledDocuments
from discourse_nmt.corpus.importing.splits import HoldOutUnits, hold_out, hold_out_groups, some_of
from discourse_nmt.corpus.reading.foreign import check_known
from discourse_nmt.corpus.reading.requests import Request, SentenceAligner, SentenceSplitter

log = logging.getLogger(__name__)
STATISTICS = ["split", "documents", "sentences", "source_words", "target_words"]
STATISTICS += ["equal_sides", "sources_in_train", "pairs_in_train"]
NO_SPLITTERS: Mapping[str, SentenceSplitter] = MappingProxyType({})


@dataclass(frozen=True)
class Imported:
    """The documents and the drops of each split."""

    documents: dict[str, SpilledDocuments]
    drops: dict[str, list[Drop]]


def import_corpus(
    plan: CorpusPlan,
    folder: Path | None = None,
    splitters: Mapping[str, SentenceSplitter] = NO_SPLITTERS,
    aligner: SentenceAligner | None = None,
) -> Imported:
    """Read, check, split and filter a corpus; raises :class:`InputError` for the first fault found.

    ``splitters`` divide text into sentences, by side, and ``aligner`` aligns them, for formats that ask for it.
    Documents lie in unnamed files in ``folder`` (None: the folder for temporary files) until the process ends. Memory
    holds the ids of documents, the drops, and the state of the format's reader: for most formats one document.
    """
    corpus = plan.corpus
    _check_presence(plan)
    documents: dict[str, SpilledDocuments] = {}
    drops: dict[str, list[Drop]] = {}
    seen_at: dict[str, str] = {}
    for split in plan.splits:
        drops[split.name] = []
        request = replace(_request(split, corpus, drops[split.name], splitters), aligner=aligner)
        documents[split.name] = SpilledDocuments.write(_checked(split, corpus, request, seen_at), folder)
        _tell(split.name, request.notes)
    divides = corpus.held_out or corpus.held_out_groups or corpus.near_duplicates is not None
    if divides and "train" in documents:
        whole = documents["train"]
        divided, left_out = _divided(documents, corpus)
        documents |= {name: whole.of(entries) for name, entries in divided.items()}
        drops["train"] += left_out
        drops |= _moved(documents, drops["train"], [name for name in divided if name != "train"])
    for name, number in corpus.documents.items():
        whole = documents[name]
        documents[name] = whole.of(some_of(whole.entries, number))
        log.info(f"{name}: {len(documents[name]):,} of {len(whole):,} documents, as documents.{name} says")
    for name in documents.keys() & corpus.filters.splits:
        documents[name] = SpilledDocuments.write(_kept(documents[name], corpus, drops[name]), folder)
    for name, split_documents in documents.items():
        if not len(split_documents):
            raise InputError(f"no document is left in the split {name}", remedy="check its files and the filters")
        _report(name, split_documents, drops[name])
    return Imported(documents, drops)


def split_lengths(plan: CorpusPlan, name: str) -> dict[str, int]:
    """The number of sentences of each document of a split with files of its own, in order, as an import keeps them.

    The format must not divide text into sentences. Raises :class:`InputError` for the first fault in the files.
    """
    corpus = plan.corpus
    split = next(split for split in plan.splits if split.name == name)
    documents = _checked(split, corpus, _request(split, corpus, [], NO_SPLITTERS), {}, shown=False)
    if name in corpus.documents:
        documents = iter(some_of(list(documents), corpus.documents[name]))
    if name in corpus.filters.splits:
        documents = _kept(documents, corpus, [])
    return {document.doc_id: len(document) for document in documents}


def _check_presence(plan: CorpusPlan) -> None:
    patterns = [pattern for split in plan.splits for role_patterns in split.roles.values() for pattern in role_patterns]
    paths = dict.fromkeys(pattern.partition("::")[0] for pattern in patterns if not files(pattern))
    missing = [path for path in paths if not Path(path).is_dir()]
    if missing:
        remedy = plan.corpus.where or "put them there, or correct their paths in the configuration"
        raise InputError(f"missing: {', '.join(missing)}", remedy=remedy)


def _request(
    split: SplitPlan, corpus: CorpusSettings, drops: list[Drop], splitters: Mapping[str, SentenceSplitter]
) -> Request:
    sources = {
        role: [
            replace(source, controls=corpus.control_characters) for pattern in patterns for source in expand(pattern)
        ]
        for role, patterns in split.roles.items()
    }
    for source in chain.from_iterable(sources.values()):
        check_known(source.name, accepted=split.format.endings)
    target_language = corpus.target_language
    if not split.references:
        target_language = corpus.source_language
        splitters = dict.fromkeys(("source", "target"), splitters["source"]) if "source" in splitters else {}
    return Request(
        split.name, sources, corpus.source_language, target_language, drops, Counter(), splitters, split.references
    )


def _checked(
    split: SplitPlan, corpus: CorpusSettings, request: Request, seen_at: dict[str, str], *, shown: bool = True
) -> Iterator[Document]:
    """The checked documents of a split, with progress if ``shown``; ``seen_at`` gets each document's file and line."""
    read = check_fields(split.format.read(request, split.options))
    for document in progress(read, f"reading {split.name}", "documents") if shown else read:
        if first := seen_at.get(document.doc_id):
            raise InputError(
                f"document {document.doc_id} is there twice, first at {first}",
                file=document.source.file,
                line=document.line,
                remedy="document ids must be unique, also across splits: rename or remove one of the two",
            )
        line = "" if document.line is None else f":{document.line}"
        seen_at[document.doc_id] = f"{document.source.file}{line}"
        drop_empty, space_controls = corpus.empty_sentences == "drop", corpus.control_characters == "space"
        if check(
            document, drop_empty=drop_empty, space_controls=space_controls, drops=request.drops, notes=request.notes
        ):
            if not split.references:
                document.target.sentences = [""] * len(document)
            yield document


def _divided(
    documents: dict[str, SpilledDocuments], corpus: CorpusSettings
) -> tuple[dict[str, list[Entry]], list[Drop]]:
    """The documents of ``train`` in the splits that are held out of it, and those that near-duplicates of documents in
    other splits leave out.
    """
    alike = _alike(documents, corpus.near_duplicates)
    groups = HoldOutUnits(corpus.groups)
    chosen, rest = hold_out_groups(documents["train"].entries, corpus.held_out_groups, groups)
    elsewhere = {entry.doc_id for name, found in documents.items() if name != "train" for entry in found.entries}
    elsewhere |= {entry.doc_id for entries in chosen.values() for entry in entries}
    linked = alike.linked_to(elsewhere)
    drops = [
        Drop(entry.doc_id, None, "near-duplicate of a document in another split", entry.doc_id, entry.sentences)
        for entry in rest
        if entry.doc_id in linked
    ]
    kept = [entry for entry in rest if entry.doc_id not in linked]
    links = [pair for pair in alike.links() if not linked.intersection(pair)]
    units = HoldOutUnits(corpus.groups if corpus.held_out_by == "group" else "", links)
    divided = hold_out(kept, corpus.held_out, units)
    _tell_shares(divided, corpus.held_out)
    return chosen | divided, drops


def _tell_shares(divided: Mapping[str, Sequence[Entry]], asked: Mapping[str, float]) -> None:
    """Log the part of the documents and sentences that each split got: linked documents stay together."""
    documents = sum(map(len, divided.values()))
    sentences = sum(entry.sentences for entries in divided.values() for entry in entries)
    for name, size in asked.items():
        held = sum(entry.sentences for entry in divided[name])
        wanted = f"a share of {size:g}" if size < 1 else f"{size:,.0f}"
        log.info(
            f"held_out.{name} asks for {wanted}: {len(divided[name]):,} of {documents:,} documents "
            f"({len(divided[name]) / documents:.1%}), {held / max(1, sentences):.1%} of the sentences"
        )


def _alike(documents: dict[str, SpilledDocuments], threshold: float | None) -> NearDuplicates:
    """The near-duplicates among the documents of all splits; without a threshold none is like another."""
    ids = [entry.doc_id for found in documents.values() for entry in found.entries]
    if threshold is None:
        return NearDuplicates({doc_id: doc_id for doc_id in ids}, [])
    every = progress(chain.from_iterable(documents.values()), "comparing", "documents")
    hashes = {doc_id: sentence_hashes(document.source.sentences) for doc_id, document in zip(ids, every)}
    alike = near_duplicates(hashes, threshold)
    log.info(f"{len({doc_id for pair in alike.links() for doc_id in pair}):,} documents have near-duplicates")
    return alike


def _moved(documents: dict[str, SpilledDocuments], drops: list[Drop], held_out: Iterable[str]) -> dict[str, list[Drop]]:
    """The drops of ``train``, each in the split to which its document has moved."""
    split_of = {document.doc_id: name for name in held_out for document in documents[name].entries}
    moved: dict[str, list[Drop]] = {name: [] for name in ("train", *held_out)}
    for drop in drops:
        moved[split_of.get(drop.doc_id, "train")].append(drop)
    return moved


def _kept(documents: Iterable[Document], corpus: CorpusSettings, drops: list[Drop]) -> Iterator[Document]:
    for document in documents:
        parts, dropped = filtered(document, corpus.filters, (corpus.source_language, corpus.target_language))
        drops += dropped
        yield from parts


def _tell(name: str, notes: Counter[str]) -> None:
    if controls := notes.pop(CONTROLS, 0):
        log.warning(f"warning: {name}: {controls:,} {CONTROLS}")
    for note, count in sorted(notes.items()):
        log.info(f"{name}: {count:,} {note}")


def _report(name: str, documents: SpilledDocuments, drops: list[Drop]) -> None:
    lost = sum(drop.sentences for drop in drops)
    between = sum(drop.between for drop in drops)
    log.info(
        f"{name}: {len(documents):,} documents, {documents.sentences:,} sentence pairs; "
        f"left out {lost:,} pairs, {between:,} of them from the middle of a document"
    )


def drops_summary(drops: dict[str, list[Drop]]) -> pd.DataFrame:
    """A table for people: split, reason, number of dropped sentences and of documents concerned, and an example."""
    rows = []
    for split, split_drops in drops.items():
        for reason in sorted({drop.reason for drop in split_drops}):
            alike = [drop for drop in split_drops if drop.reason == reason]
            sentences, documents = sum(drop.sentences for drop in alike), len({drop.doc_id for drop in alike})
            rows.append((split, reason, sentences, documents, alike[0].excerpt))
    return pd.DataFrame(rows, columns=["split", "reason", "sentences", "documents", "example"])


def equal_sides(document: Document) -> int:
    """Sentence pairs whose source and target are the same text."""
    return sum(source == target for source, target in zip(document.source.sentences, document.target.sentences))


def statistics(
    documents: Mapping[str, SpilledDocuments], corpus: CorpusSettings, repeated: Mapping[str, pd.DataFrame]
) -> pd.DataFrame:
    """By split: documents, sentences, words of each side (see :func:`.length`), pairs with equal sides, sentences whose
    source stands verbatim in train, and whose pair does (0 for train).
    """
    rows = []
    for split, split_documents in documents.items():
        source = target = equal = 0
        for document in split_documents:
            equal += equal_sides(document)
            source += sum(length(text, corpus.source_language) for text in document.source.sentences)
            target += sum(length(text, corpus.target_language) for text in document.target.sentences)
        in_train = (len(repeated[split]), int(repeated[split]["pair"].sum())) if split in repeated else (0, 0)
        rows.append((split, len(split_documents), split_documents.sentences, source, target, equal, *in_train))
    return pd.DataFrame(rows, columns=STATISTICS)
