"""Syntax by Stanza: words, tags, features, lemmas and dependencies for any language that has models.

All sentences of a call go through the pipeline as one text with empty lines between them, so that batches span
documents; sentences are never divided or joined. Words of multiword tokens are pieces of the token
(:mod:`.backends.multiword`); every other word is a token.
"""

import unicodedata
from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate
from typing import Any

from discourse_nmt.base.errors import InputError
from discourse_nmt.discourse.analysers.annotation import syntax_rows
from discourse_nmt.discourse.backends.backend import Context, DocumentInput, Stage
from discourse_nmt.discourse.backends.multiword import Token, words_in_text
from discourse_nmt.discourse.backends.stanza.pipeline import Annotate, load_pipeline
from discourse_nmt.discourse.settings import StanzaSettings
from discourse_nmt.discourse.structures.mentions import Characters
from discourse_nmt.discourse.structures.rows import Row
from discourse_nmt.discourse.structures.syntax import Syntax

PROCESSORS = "tokenize,pos,lemma,depparse"  # Stanza adds mwt where a language has it
SEPARATOR = "\n\n"


class StanzaSyntax:
    """One pipeline from text to dependencies."""

    def __init__(self, pipeline: Annotate, side: str) -> None:
        self._pipeline = pipeline
        self._side = side

    def analyse(self, documents: Sequence[DocumentInput]) -> list[list[Row]]:
        """Rows of the table ``syntax``."""
        texts = [sentence for document in documents for sentence in document.sentences]
        analysed = iter(analyse_sentences(self._pipeline, texts))
        rows: list[list[Row]] = []
        for document in documents:
            sentences = [next(analysed) for _ in document.sentences]
            words, analyses = [offsets for offsets, _ in sentences], [syntax for _, syntax in sentences]
            rows.append(syntax_rows(document.doc_id, self._side, words, analyses))
        return rows


def analyse_sentences(pipeline: Annotate, texts: Sequence[str]) -> list[tuple[list[Characters], Syntax]]:
    """For each sentence, the characters of its words and their analysis."""
    if not texts:
        return []
    # Control characters would become words or break the text; a blank has the same length.
    cleaned = [
        "".join(" " if unicodedata.category(character) == "Cc" else character for character in text) for text in texts
    ]
    starts = list(accumulate((len(text) + len(SEPARATOR) for text in cleaned[:-1]), initial=0))
    analyses: list[tuple[list[Characters], Syntax] | None] = [None] * len(texts)
    for sentence in pipeline(SEPARATOR.join(cleaned)).sentences:
        number = bisect_right(starts, sentence.tokens[0].start_char) - 1
        if analyses[number] is not None or sentence.tokens[-1].end_char > starts[number] + len(texts[number]):
            raise InputError(
                f"Stanza divides the sentence {texts[number][:60]!r} in its own way",
                remedy="use its neural tokeniser: remove tokenize_with_... from options",
            )
        tokens = []
        reached = 0
        for token in sentence.tokens:
            start, end = token.start_char - starts[number], token.end_char - starts[number]
            tokens.append(Token(start, end, reached, reached + len(token.words)))
            reached += len(token.words)
        analyses[number] = words_in_text(texts[number], tokens, syntax_of(sentence))
    return [analysis or single_word(text) for analysis, text in zip(analyses, texts)]


def syntax_of(sentence: Any) -> Syntax:
    """The syntax of a sentence of Stanza; a field that no processor has filled is ``_``.

    Stanza chooses relations and heads independently; here the root, and no other word, has the relation root.
    """
    words = sentence.words
    return Syntax(
        forms=tuple(word.text for word in words),
        upos=tuple(word.upos or "_" for word in words),
        xpos=tuple(word.xpos or "_" for word in words),
        features=tuple(word.feats or "_" for word in words),
        lemmas=tuple(word.lemma or word.text for word in words),
        heads=tuple(word.head - 1 for word in words),
        deprels=tuple(_relation(word) for word in words),
    )


def _relation(word: Any) -> str:
    if word.head == 0:
        return "root"
    return "dep" if word.deprel == "root" else str(word.deprel)


def single_word(text: str) -> tuple[list[Characters], Syntax]:
    """A sentence in which Stanza finds no word (for example only control characters): one word with the tag X."""
    return [(0, len(text))], Syntax((text,), ("X",), ("_",), ("_",), (text,), (-1,), ("root",))


def make(stage: Stage, settings: StanzaSettings, context: Context) -> StanzaSyntax:
    """The backend for the language of ``context``."""
    return StanzaSyntax(load_pipeline(settings, context, PROCESSORS, tokenize_no_ssplit=True), context.side)
