"""Analyses of documents as rows of tables and as CoNLL-U. Spans of analyses count words, spans of tables characters.

``words`` are the characters ``[start, end)`` of each word of each sentence of a document.
"""

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Protocol

from discourse_nmt.discourse.formats.conllu import ConlluRow, Sentence
from discourse_nmt.discourse.structures.mentions import Chain, Characters, Mention, Span, WordOffsets
from discourse_nmt.discourse.structures.rows import Row, chains_to_rows, edus_to_rows, themes_to_rows
from discourse_nmt.discourse.structures.syntax import Syntax

if TYPE_CHECKING:  # rows can then be made without loading torch
    from discourse_nmt.discourse.analysers.analyser import Analyser, SentenceAnalysis
    from discourse_nmt.discourse.analysers.segmentation import Segmenter

SentenceText = tuple[str, Sequence[Characters]]
"""A raw sentence and the characters of its words."""


class LabelledSpan(Protocol):
    """A span of words with a label, for example a theme."""

    @property
    def span(self) -> Span:
        """Words of one sentence."""

    @property
    def label(self) -> str:
        """A label of the table ``themes``."""


def analyse_texts(
    documents: Sequence[Sequence[str]], segmenter: "Segmenter", analyser: "Analyser"
) -> tuple[list[list[list[Characters]]], list[list["SentenceAnalysis"]]]:
    """Tokenise and analyse documents, which are lists of sentences: the characters of all words, and the analyses."""
    tokenised = iter(segmenter.tokenise([sentence for document in documents for sentence in document]))
    words = [[next(tokenised) for _ in document] for document in documents]
    forms = [
        [[text[start:end] for start, end in offsets] for text, offsets in zip(document, sentences)]
        for document, sentences in zip(documents, words)
    ]
    return words, analyser.analyse(forms)


def characters(span: Span, words: WordOffsets) -> Span:
    """A span of words as a span of characters."""
    inside = words[span.sentence][span.start : span.end]
    return Span(span.sentence, inside[0][0], inside[-1][1])


def syntax_rows(document: str, side: str, words: WordOffsets, sentences: Sequence[Syntax]) -> list[Row]:
    """Rows of the table ``syntax`` for one document."""
    return [
        {
            "doc_id": document,
            "sent_id": number,
            "side": side,
            "forms": list(syntax.forms),
            "lemmas": list(syntax.lemmas),
            "upos": list(syntax.upos),
            "xpos": list(syntax.xpos),
            "feats": list(syntax.features),
            "heads": list(syntax.heads),
            "deprels": list(syntax.deprels),
            "starts": [start for start, _ in spans],
            "ends": [end for _, end in spans],
        }
        for number, (spans, syntax) in enumerate(zip(words, sentences, strict=True))
    ]


def edu_rows(document: str, words: WordOffsets, edus: Iterable[Span]) -> list[Row]:
    """Rows of the table ``edus`` for one document; a unit ends where its last word ends."""
    return edus_to_rows(document, (characters(edu, words) for edu in edus))


def chain_rows(document: str, words: WordOffsets, chains: Iterable[Chain]) -> list[Row]:
    """Rows of the table ``coreference`` for one document."""
    mentions_of_chains = (
        tuple(Mention(characters(mention.span, words), characters(mention.head, words)) for mention in chain.mentions)
        for chain in chains
    )
    return chains_to_rows(document, map(Chain, mentions_of_chains))


def theme_rows(document: str, words: WordOffsets, themes: Iterable[LabelledSpan]) -> list[Row]:
    """Rows of the table ``themes`` for one document."""
    return themes_to_rows(document, ((characters(theme.span, words), theme.label) for theme in themes))


def conllu_of(
    document: str, analyses: Sequence["SentenceAnalysis"], texts: Sequence[SentenceText] = ()
) -> list[Sentence]:
    """A document's analyses as CoNLL-U sentences; ``Seg=B-seg`` in the last column begins a discourse unit.

    With the raw ``texts``, each sentence has a ``# text`` line, and ``SpaceAfter=No`` marks words without a space
    after.
    """
    sentences = []
    for number, analysis in enumerate(analyses):
        comments = [f"# newdoc id = {document}"] if number == 0 else []
        comments.append(f"# sent_id = {document}-{number + 1}")
        joined = [False] * len(analysis.forms)
        if texts:
            text, words = texts[number]
            comments.append(f"# text = {text}")
            joined = [left[1] == right[0] for left, right in pairwise(words)] + [False] * bool(words)
        rows = tuple(
            ConlluRow(
                id=str(word + 1),
                form=analysis.forms[word],
                lemma=analysis.lemmas[word],
                upos=analysis.upos[word],
                xpos=analysis.xpos[word],
                feats=analysis.features[word],
                head=str(analysis.heads[word] + 1),
                deprel=analysis.deprels[word],
                misc="|".join(["Seg=B-seg"] * analysis.edu_starts[word] + ["SpaceAfter=No"] * joined[word]) or "_",
            )
            for word in range(len(analysis.forms))
        )
        sentences.append(Sentence(tuple(comments), rows))
    return sentences
