"""Searches by CTranslate2, an engine that is faster on CPUs.

Its beam search takes the same steps as :mod:`.beam_search`, and differs in two places. It ends when one hypothesis
has ended as the best of its step and ``beam`` hypotheses have ended in all, which is a little earlier or later: of a
thousand sentences of the models in the repository three get another translation, as often a better one by the score as
a worse one. With a length penalty of 0 and one translation wanted, both ends find the same. And a symbol that may not
come first is no part of the probabilities there, so that all hypotheses of a sentence have the same small bonus.
"""

import tempfile
from collections.abc import Sequence

import ctranslate2

from discourse_nmt.base.vocabulary import END, SPECIALS
from discourse_nmt.models.core.ctranslate2_specification import positions_of, specification
from discourse_nmt.models.core.shortlist import SubwordIds
from discourse_nmt.models.core.transformer import Found, Transformer
from discourse_nmt.models.switches.decoding import DecodingSettings

COMPUTE_TYPES = {"fp32": "float32", "int8": "int8"}


class CTranslate2Engine:
    """See :class:`.Engine`; it holds a copy of the parameters, and computes with as many ``threads``."""

    def __init__(self, network: Transformer, precision: str, threads: int) -> None:
        self.positions = positions_of(network)
        self.first = [] if network.language_symbol is None else [str(network.language_symbol)]
        """The symbols that every translation begins with."""
        sizes = network.source_embedding.num_embeddings, network.output.num_embeddings
        with tempfile.TemporaryDirectory() as folder:
            specification(network, *([str(symbol) for symbol in range(size)] for size in sizes)).save(folder)
            self.translator = ctranslate2.Translator(
                folder, compute_type=COMPUTE_TYPES[precision], inter_threads=1, intra_threads=threads
            )

    def search(
        self, sources: Sequence[SubwordIds], limits: Sequence[int], settings: DecodingSettings
    ) -> list[Found | None]:
        """See :class:`.Engine`; it leaves translations that reach the limit, and sentences without enough positions."""
        found: list[Found | None] = [None] * len(sources)
        sizes = [max(len(ids) + 2, limit + 1) for ids, limit in zip(sources, limits)]
        rows = [row for row, size in enumerate(sizes) if size <= self.positions]
        if not rows:
            return found
        exact_end = settings.length_penalty == 0 and settings.n_best == 1
        results = self.translator.translate_batch(
            [[str(symbol) for symbol in sources[row]] for row in rows],
            [self.first] * len(rows),
            beam_size=settings.beam,
            num_hypotheses=1 if exact_end else settings.beam,
            length_penalty=0,  # so that scores are log-probabilities
            max_input_length=0,  # no bound
            min_decoding_length=len(self.first) + 1,
            max_decoding_length=max(limits[row] for row in rows) + 1,
            return_end_token=True,
            return_scores=True,
        )
        for row, result in zip(rows, results):
            hypotheses = [tuple(map(int, symbols)) for symbols in result.hypotheses]
            if all(_whole(symbols, limits[row]) for symbols in hypotheses):
                found[row] = [(symbols[:-1], score) for symbols, score in zip(hypotheses, result.scores)]
        return found


def _whole(symbols: Sequence[int], limit: int) -> bool:
    """Whether a hypothesis has ended, within the ``limit``, and has subwords alone."""
    return symbols[-1] == END and len(symbols) <= limit + 1 and min(symbols[:-1]) >= len(SPECIALS)
