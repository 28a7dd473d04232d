"""Rows of a stage's table from the annotation of a document in a user's file.

Texts and words of the file are located in the raw sentences (:mod:`.files.alignment`). Faults are
:class:`.StructureError`.
"""

from collections.abc import Sequence
from typing import Any

from discourse_nmt.discourse.analysers.annotation import syntax_rows
from discourse_nmt.discourse.backends.backend import DocumentInput, Stage
from discourse_nmt.discourse.backends.files.alignment import locate, tile
from discourse_nmt.discourse.backends.multiword import Token, words_in_text
from discourse_nmt.discourse.backends.offsets import offsets_of
from discourse_nmt.discourse.formats.conllu import Sentence, tokens_of
from discourse_nmt.discourse.formats.coreference import CoreferenceDocument, EntityMention
from discourse_nmt.discourse.structures.mentions import Chain, Characters, Mention, Span, WordOffsets, head_of_span
from discourse_nmt.discourse.structures.rows import Row, chains_to_rows, edus_to_rows, rows_to_edus, tree_to_rows
from discourse_nmt.discourse.structures.syntax import Syntax
from discourse_nmt.discourse.structures.trees import RstTree, StructureError

NONE = "_"
JOINED = "parataxis"


def rows_of(stage: Stage, content: Any, document: DocumentInput, side: str) -> list[Row]:
    """Rows of the table ``stage`` from the ``content`` that :mod:`.files.readings` has read."""
    if stage == "syntax":
        words, sentences = syntax_in_text(content, document.sentences)
        return syntax_rows(document.doc_id, side, words, sentences)
    if stage == "edus":
        return edus_to_rows(document.doc_id, edus_in_text(content, document))
    if stage == "rst":
        check_leaves(content, document)
        return tree_to_rows(document.doc_id, content)
    return chains_to_rows(document.doc_id, chains_in_text(content, document))


def edus_in_text(texts: Sequence[str], document: DocumentInput) -> tuple[Span, ...]:
    """EDUs with these texts, over characters; with a table ``syntax`` they begin where its words begin."""
    return tile(locate(texts, document.sentences, "EDU"), document.sentences, _words(document))


def check_leaves(tree: RstTree, document: DocumentInput) -> None:
    """Raise :class:`StructureError` unless the tree has the EDUs of the table ``edus``."""
    edus = rows_to_edus(document.tables["edus"])
    if len(tree.leaves) != len(edus):
        raise StructureError(f"the tree has {len(tree.leaves)} EDUs, the table edus {len(edus)}")
    if not tree.texts:
        return
    for number, (edu, tree_edu) in enumerate(zip(edus, edus_in_text(tree.texts, document)), start=1):
        if (edu.sentence, edu.start) != (tree_edu.sentence, tree_edu.start):
            raise StructureError(
                f"EDU {number} of the tree begins at character {tree_edu.start} of sentence {tree_edu.sentence + 1}, "
                f"that of the table edus at character {edu.start} of sentence {edu.sentence + 1}"
            )


def syntax_in_text(
    file_sentences: Sequence[Sentence], sentences: Sequence[str]
) -> tuple[list[list[Characters]], list[Syntax]]:
    """The characters of the words and the analysis of each raw sentence.

    Several sentences of the file in one raw sentence become one tree: the later roots depend on the first.
    """
    tokens = [tokens_of(sentence) for sentence in file_sentences]
    located = iter(locate([form for of_sentence in tokens for form, _ in of_sentence], sentences, "word"))
    token_spans = [[next(located) for _ in of_sentence] for of_sentence in tokens]
    indices: list[list[int]] = [[] for _ in sentences]  # of the file's sentences in each raw sentence
    for index, spans in enumerate(token_spans):
        if spans and spans[0].sentence != spans[-1].sentence:
            name = file_sentences[index].comment("sent_id") or index + 1
            raise StructureError(
                f"sentence {name} of the file reaches over the end of sentence {spans[0].sentence + 1}"
            )
        if spans:
            indices[spans[0].sentence].append(index)
    word_offsets: list[list[Characters]] = []
    analyses: list[Syntax] = []
    for text, inside in zip(sentences, indices):
        words: list[Token] = []
        for index in inside:
            for span, (_, rows) in zip(token_spans[index], tokens[index]):
                first = words[-1].last if words else 0
                size = sum(file_sentences[index].rows[row].id.isdigit() for row in rows)
                words.append(Token(span.start, span.end, first, first + size))
        offsets, syntax = words_in_text(text, words, _joined([file_sentences[index] for index in inside]))
        word_offsets.append(offsets)
        analyses.append(syntax)
    return word_offsets, analyses


def _joined(sentences: Sequence[Sentence]) -> Syntax:
    """One or more sentences of a file as one sentence."""
    words = [word for sentence in sentences for word in sentence.words]
    heads: list[int] = []
    deprels: list[str] = []
    root: int | None = None
    for sentence in sentences:
        words_before, sentence_heads = len(heads), sentence.heads
        own_root = sentence_heads.index(-1) + words_before if sentence_heads else None
        for word, head in zip(sentence.words, sentence_heads or (-1,) * len(sentence.words)):
            if head < 0 and root is not None and own_root is not None:
                heads.append(root)
                deprels.append(JOINED)
            else:
                heads.append(head + words_before if head >= 0 else -1)
                deprels.append(word.deprel)
        root = own_root if root is None else root
    return Syntax(
        forms=tuple(word.form for word in words),
        upos=tuple(word.upos for word in words),
        xpos=tuple(word.xpos for word in words),
        features=tuple(word.feats for word in words),
        lemmas=tuple(word.form if word.lemma == NONE else word.lemma for word in words),
        heads=tuple(heads),
        deprels=tuple(deprels),
    )


def chains_in_text(content: CoreferenceDocument, document: DocumentInput) -> list[Chain]:
    """Chains of two or more mentions, over characters; with a table ``syntax``, mentions have its head words."""
    words = locate([word for sentence in content.sentences for word in sentence], document.sentences, "word")
    chains: dict[str, set[Mention]] = {}
    for mention in content.mentions:
        chains.setdefault(mention.entity, set()).add(_mention(mention, words, document))
    return [Chain(tuple(sorted(mentions))) for mentions in chains.values() if len(mentions) > 1]


def _mention(mention: EntityMention, words: Sequence[Span], document: DocumentInput) -> Mention:
    first, last = words[mention.start], words[mention.end - 1]
    if first.sentence != last.sentence:
        raise StructureError(
            f"the mention of {mention.entity} at word {mention.start + 1} reaches over the end of sentence "
            f"{first.sentence + 1}"
        )
    span = Span(first.sentence, first.start, last.end)
    return Mention(span, _head(span, document))


def _head(span: Span, document: DocumentInput) -> Span:
    """Characters of the head word of a mention; without syntax, the whole mention."""
    rows = document.tables.get("syntax", [])
    if not rows or all(relation == NONE for relation in rows[span.sentence]["deprels"]):
        return span
    row = rows[span.sentence]
    inside = [word for word, end in enumerate(row["ends"]) if end > span.start and row["starts"][word] < span.end]
    if not inside:
        return span
    head = head_of_span(Span(span.sentence, inside[0], inside[-1] + 1), row["heads"]).start
    return Span(span.sentence, max(span.start, row["starts"][head]), min(span.end, row["ends"][head]))


def _words(document: DocumentInput) -> WordOffsets | None:
    return offsets_of(document.tables["syntax"]) if "syntax" in document.tables else None
