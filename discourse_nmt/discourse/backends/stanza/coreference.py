"""Coreference by Stanza, over the words of any table ``syntax``, one document at a time.

Stanza's models of coreference need the packages transformers and peft, and a large language model from a hub.
"""

from collections.abc import Sequence
from itertools import accumulate
from pathlib import Path
from typing import Any

from discourse_nmt.base.errors import InputError
from discourse_nmt.discourse.analysers.annotation import chain_rows
from discourse_nmt.discourse.backends.backend import Context, DocumentInput, Stage
from discourse_nmt.discourse.backends.offsets import offsets_of
from discourse_nmt.discourse.backends.programs.canary import REMEDY, chains_fault
from discourse_nmt.discourse.backends.stanza.pipeline import Annotate, load_pipeline
from discourse_nmt.discourse.settings import StanzaSettings
from discourse_nmt.discourse.structures.mentions import Chain, Mention, Span, head_of_span
from discourse_nmt.discourse.structures.rows import Row

PROCESSORS = "tokenize,coref"
PACKAGES = ("stanza", "transformers", "peft", "torch")


class StanzaCoreference:
    """One pipeline from words to chains."""

    def __init__(self, pipeline: Annotate) -> None:
        self._pipeline = pipeline

    def analyse(self, documents: Sequence[DocumentInput]) -> list[list[Row]]:
        """Rows of the table ``coreference``."""
        results: list[list[Row]] = []
        for document in documents:
            rows = document.tables["syntax"]
            # Stanza drops sentences without words.
            with_words = [index for index, row in enumerate(rows) if row["forms"]]
            words = [list(rows[index]["forms"]) for index in with_words]
            stanza_chains = self._pipeline(words).coref if words else []
            chains = chains_of(stanza_chains, with_words, [row["heads"] for row in rows])
            results.append(chain_rows(document.doc_id, offsets_of(rows), chains))
        return results


def chains_of(stanza_chains: Sequence[Any], sentences: Sequence[int], heads: Sequence[Sequence[int]]) -> list[Chain]:
    """Stanza's chains as chains over word spans.

    ``sentences`` are the indices of the sentences that Stanza got; ``heads`` are the heads of the words of every
    sentence of the document. Mentions without words (zero anaphora) are left out, and then chains of one mention.
    """
    chains: list[Chain] = []
    for chain in stanza_chains:
        mentions: set[Mention] = set()
        for mention in chain.mentions:
            if isinstance(mention.start_word, int):
                span = Span(sentences[mention.sentence], mention.start_word, mention.end_word)
                mentions.add(Mention(span, head_of_span(span, heads[span.sentence])))
        if len(mentions) > 1:
            chains.append(Chain(tuple(sorted(mentions))))
    return chains


def make(stage: Stage, settings: StanzaSettings, context: Context) -> StanzaCoreference:
    """The backend for the language of ``context``; models that find no chain in the first text are an error."""
    pipeline = load_pipeline(settings, context, PROCESSORS, tokenize_pretokenized=True, coref_use_zeros=False)

    def resolve(sentences: list[list[str]]) -> list[list[tuple[int, int]]]:
        before = [0, *accumulate(map(len, sentences))]
        return [
            [
                (before[one.sentence] + one.start_word, before[one.sentence] + one.end_word - 1)
                for one in chain.mentions
                if isinstance(one.start_word, int)  # a zero pronoun has none
            ]
            for chain in pipeline(sentences).coref
        ]

    if fault := chains_fault(resolve, PACKAGES, context.language):
        raise InputError(fault, file=Path(settings.folder), remedy=REMEDY)
    return StanzaCoreference(pipeline)
