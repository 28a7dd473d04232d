"""Gold documents of a treebank: one folder per layer of annotation, with one file per document.

``conllu`` has words, sentences and possibly syntax and EDU marks; ``rs4`` (or ``rs3``) has trees; ``coref_conll`` has
chains, in GUM's three columns or as in CoNLL-2012; without it they may stand in ``conllu`` (CorefUD). ``themes`` has
tables of theme-rheme labels. All layers except ``conllu`` may be missing. A layer must have all documents.
"""

import logging
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import repeat

from discourse_nmt.base.archives import is_archive
from discourse_nmt.base.errors import InputError
from discourse_nmt.base.sources import Source, expand
from discourse_nmt.discourse.evaluation.alignment import align_segments, check_words
from discourse_nmt.discourse.evaluation.documents import GoldDocument
from discourse_nmt.discourse.evaluation.measures.labels import characters_of_words, labels_of_words, read_labels
from discourse_nmt.discourse.evaluation.measures.offsets import Offsets, in_document
from discourse_nmt.discourse.formats.conllu import documents_of, edus_of_sentences, read_conllu
from discourse_nmt.discourse.formats.coreference import (
    CONLL_BEGIN,
    CoreferenceDocument,
    read_conll_coreference,
    read_gum_coreference,
)
from discourse_nmt.discourse.formats.corefud import read_corefud
from discourse_nmt.discourse.formats.reading import blaming
from discourse_nmt.discourse.formats.rs3 import read_rs3
from discourse_nmt.discourse.formats.rs3_trees import tree_of_graph
from discourse_nmt.discourse.structures.trees import StructureError

SUFFIXES = {"conllu": ".conllu", "rs4": ".rs4", "rs3": ".rs3", "coref_conll": ".conll", "themes": ".parquet"}
COMPRESSION = (".gz", ".xz", ".bz2")


def read_treebank(place: str) -> list[GoldDocument]:
    """The documents of a treebank, in order of their names.

    ``place`` is a folder, a folder in an archive (``gum_dev.tar.xz::dev``) or a CoNLL-U file. If the layers' folders
    are not directly below it, ``*`` stands for their names (``gcdt.tar.xz::*/dev``). Raises :class:`InputError` for
    faulty files and for layers that do not fit together.
    """
    layers = _layers(place)
    documents = _documents(layers.get("conllu", []), place, chains="coref_conll" not in layers)
    if "rs3" in layers and "rs4" in layers:
        del layers["rs3"]
    for layer in ("rs4", "rs3", "coref_conll"):
        if layer not in layers:
            continue
        sources = _by_document(layers[layer], documents, layer)
        add = _with_chains if layer == "coref_conll" else _with_tree
        documents = {name: add(document, sources[name]) for name, document in documents.items()}
    if "themes" in layers:
        documents = _with_themes(documents, layers["themes"])
    for layer, present in {
        "RST trees": "rs4" in layers or "rs3" in layers,
        "coreference": any(document.chains for document in documents.values()),
        "theme-rheme labels": "themes" in layers,
    }.items():
        if not present:
            logging.info("%s: no %s to score", place, layer)
    return [documents[name] for name in sorted(documents)]


def _layers(place: str) -> dict[str, list[Source]]:
    """Sources of each layer of :data:`SUFFIXES` that has any."""
    if _stem(place.rpartition("/")[2], SUFFIXES["conllu"]) is not None:
        return {"conllu": expand(place)}
    folders = place.rstrip("/") + ("::" if is_archive(place) else "")
    if "*" not in folders:
        folders += "*" if folders.endswith("::") else "/*"
    layers: dict[str, list[Source]] = {}
    for source in expand(f"{folders}/*"):
        layer = (source.key or "").partition("/")[0]
        if layer in SUFFIXES and _stem(source.filename, SUFFIXES[layer]) is not None:
            layers.setdefault(layer, []).append(source)
    if "conllu" not in layers:
        remedy = "name the folder that holds conllu/NAME.conllu and, if there are any, rs4/ and coref_conll/"
        raise InputError("no conllu/*.conllu", file=place, remedy=remedy)
    return layers


def _stem(filename: str, suffix: str) -> str | None:
    """The file name without the suffix, or None for another suffix."""
    for compression in COMPRESSION:
        filename = filename.removesuffix(compression)
    return filename.removesuffix(suffix) if filename.endswith(suffix) and filename != suffix else None


def _documents(sources: Iterable[Source], place: str, *, chains: bool) -> dict[str, GoldDocument]:
    """The documents of CoNLL-U files, with their ``chains`` if these are wanted and any of the file's words has one."""
    documents: dict[str, GoldDocument] = {}
    for source in sources:
        text = source.text()
        named_sentences = list(documents_of(read_conllu(text, source.name)))
        found = read_corefud(text, source.name) if chains and "Entity=" in text else repeat(None)
        if len(named_sentences) == 1:  # other layers use the name of the file
            named_sentences = [(_stem(source.filename, ".conllu"), named_sentences[0][1])]
        for (name, sentences), mentions in zip(named_sentences, found):
            if name is None or name in documents:
                message = (
                    "sentences before the first # newdoc id" if name is None else f"document {name} is there twice"
                )
                raise InputError(message, file=source.name, remedy="give every document its own # newdoc id = NAME")
            document = GoldDocument(
                name, tuple(sentences), chains=None if mentions is None else _chains(mentions), source=source.name
            )
            if not sum(document.lengths):
                raise InputError(f"document {name} has no words", file=source.name)
            if any(word.begins_edu for sentence in sentences for word in sentence.words):
                edus = in_document(edus_of_sentences(sentences), document.lengths)
                document = replace(document, edus=tuple(edus))
            documents[name] = document
    if not documents:
        raise InputError("no sentence in its conllu files", file=place)
    return documents


def _by_document(sources: Iterable[Source], documents: dict[str, GoldDocument], layer: str) -> dict[str, Source]:
    """The source of every document; raises :class:`InputError` for a missing or an extra one."""
    source_of: dict[str, Source] = {}
    for source in sources:
        name = _stem(source.filename, SUFFIXES[layer]) or ""
        if name not in documents:
            raise InputError(
                f"no conllu has the document {name}", file=source.name, remedy="add it or remove this file"
            )
        if name in source_of:
            raise InputError(
                f"document {name} is there twice", file=source.name, remedy=f"{source_of[name].name} has it too"
            )
        source_of[name] = source
    for name, document in documents.items():
        if name not in source_of:
            remedy = f"add {layer}/{name}{SUFFIXES[layer]} or remove the document"
            raise InputError(f"document {name} has no {layer}", file=document.source, remedy=remedy)
    return source_of


def _with_tree(document: GoldDocument, source: Source) -> GoldDocument:
    tree = tree_of_graph(read_rs3(b"".join(source.blocks()), source.name), source.name)
    with blaming(source.name):
        edus = align_segments(tree.texts, document.sentences)
    return replace(document, tree=tree, edus=edus)


def _with_chains(document: GoldDocument, source: Source) -> GoldDocument:
    text = source.text()
    first = next((line for line in text.splitlines() if line.strip()), "")
    read = read_conll_coreference if CONLL_BEGIN.fullmatch(first.strip()) else read_gum_coreference
    documents = read(text, source.name)
    if len(documents) != 1:
        raise InputError(f"{len(documents)} documents, one is expected", file=source.name)
    words = [word for sentence in documents[0].sentences for word in sentence]
    with blaming(source.name):
        check_words(words, [form for forms in document.forms for form in forms])
    return replace(document, chains=_chains(documents[0]))


def _chains(document: CoreferenceDocument) -> tuple[tuple[Offsets, ...], ...]:
    """The words of each entity's mentions."""
    chains: dict[str, dict[Offsets, None]] = {}
    for mention in document.mentions:
        chains.setdefault(mention.entity, {})[mention.start, mention.end] = None
    return tuple(tuple(chain) for chain in chains.values())


def _with_themes(documents: dict[str, GoldDocument], sources: Sequence[Source]) -> dict[str, GoldDocument]:
    """The documents with labels from theme tables, whose spans count characters of the sentences' texts."""
    labelled = dict(documents)
    for source in sources:
        with blaming(source.name):
            for name, spans in read_labels(source).items():
                if name not in documents:
                    raise StructureError(f"no conllu has the document {name}")
                words = characters_of_words(documents[name].sentences)
                labelled[name] = replace(labelled[name], themes=labels_of_words(spans, words))
    return labelled
