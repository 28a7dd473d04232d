"""Analyses of documents as rows of the tables ``syntax`` and ``edus``, and as CoNLL-U.

Words are pieces of their sentence's text, so that every annotation is a span of characters.
"""

from collections.abc import Sequence
from typing import Any

from discourse.analysers.analyser import Analyser, SentenceAnalysis
from discourse.analysers.segmentation import Segmenter, Span
from discourse.formats.conllu import Row, Sentence


def analyse_texts(
    documents: Sequence[Sequence[str]], segmenter: Segmenter, analyser: Analyser
) -> tuple[list[list[list[Span]]], list[list[SentenceAnalysis]]]:
    """Tokenise and analyse documents that are lists of sentences; the characters of the words, and the analyses."""
    found = iter(segmenter.tokenise([sentence for document in documents for sentence in document]))
    spans = [[next(found) for _ in document] for document in documents]
    words = [
        [[text[start:end] for start, end in ranges] for text, ranges in zip(document, sentences)]
        for document, sentences in zip(documents, spans)
    ]
    return spans, analyser.analyse(words)


def syntax_rows(
    document: str, side: str, spans: Sequence[Sequence[Span]], analyses: Sequence[SentenceAnalysis]
) -> list[dict[str, Any]]:
    """Rows of the table ``syntax`` for one document."""
    return [
        {
            "doc_id": document,
            "sent_id": number,
            "side": side,
            "forms": list(analysis.forms),
            "lemmas": list(analysis.lemmas),
            "upos": list(analysis.upos),
            "xpos": list(analysis.xpos),
            "feats": list(analysis.features),
            "heads": list(analysis.heads),
            "deprels": list(analysis.deprels),
            "starts": [start for start, _ in words],
            "ends": [end for _, end in words],
        }
        for number, (words, analysis) in enumerate(zip(spans, analyses, strict=True))
    ]


def edu_rows(
    document: str, spans: Sequence[Sequence[Span]], analyses: Sequence[SentenceAnalysis]
) -> list[dict[str, Any]]:
    """Rows of the table ``edus`` for one document; a unit ends with its last word."""
    rows: list[dict[str, Any]] = []
    for number, (words, analysis) in enumerate(zip(spans, analyses, strict=True)):
        for first, last in analysis.edus:
            rows.append(
                {
                    "doc_id": document,
                    "edu_id": len(rows),
                    "sent_id": number,
                    "start": words[first][0],
                    "end": words[last - 1][1],
                }
            )
    return rows


def conllu_of(document: str, analyses: Sequence[SentenceAnalysis]) -> list[Sentence]:
    """A document's analyses as CoNLL-U sentences; ``Seg=B-seg`` in the last column begins a discourse unit."""
    sentences = []
    for number, analysis in enumerate(analyses):
        comments = [f"# newdoc id = {document}"] if number == 0 else []
        rows = tuple(
            Row(
                id=str(word + 1),
                form=analysis.forms[word],
                lemma=analysis.lemmas[word],
                upos=analysis.upos[word],
                xpos=analysis.xpos[word],
                feats=analysis.features[word],
                head=str(analysis.heads[word] + 1),
                deprel=analysis.deprels[word],
                misc="Seg=B-seg" if analysis.edu_starts[word] else "_",
            )
            for word in range(len(analysis.forms))
        )
        sentences.append(Sentence((*comments, f"# sent_id = {document}-{number + 1}"), rows))
    return sentences
