"""Searches by CTranslate2, an engine that is faster on CPUs for few sentences at a time.

Its beam search takes the same steps as :mod:`.beam_search`, but ends elsewhere: when one hypothesis has ended as the
best of its step and a given number has ended in all. One more than ``beam`` is the least with which nearly all
translations stay equal (docs/notebook/measurements/decoding.md); where the best one came so late that the other search
may have ended before, the sentence is left. A greedy search, and one without length penalty for one translation, end
with the same hypothesis in both.

A sentence of a text is searched with the translations of those before it as a prefix. Any but the first is kept from
being empty by a sequence that is suppressed, the first by the least length.

A symbol that may not come first is no part of the probabilities there, so that all hypotheses of a sentence have the
same small bonus.
"""

import tempfile
from collections.abc import Sequence

import ctranslate2

from discourse_nmt.base.vocabulary import END, SPECIALS
from discourse_nmt.models.core.ctranslate2_specification import positions_of, specification
from discourse_nmt.models.core.inference import n_best
from discourse_nmt.models.core.shortlist import SubwordIds
from discourse_nmt.models.core.transformer import TARGET_BEGINNINGS, EndedHypotheses, Transformer
from discourse_nmt.models.switches.decoding import DecodingSettings

COMPUTE_TYPES = {"fp32": "float32", "int8": "int8"}


class CTranslate2Engine:
    """See :class:`.Engine`; it holds a copy of the parameters, and computes with as many ``threads``."""

    def __init__(self, network: Transformer, precision: str, threads: int) -> None:
        self.positions = positions_of(network)
        self.beginning = str(TARGET_BEGINNINGS[network.settings.marks])
        """The symbol before every translation."""
        self.first = [] if network.language_symbol is None else [str(network.language_symbol)]
        """The symbols that every translation begins with."""
        sizes = network.source_embedding.num_embeddings, network.output.num_embeddings
        with tempfile.TemporaryDirectory() as folder:
            specification(network, *([str(symbol) for symbol in range(size)] for size in sizes)).save(folder)
            self.translator = ctranslate2.Translator(
                folder, compute_type=COMPUTE_TYPES[precision], inter_threads=1, intra_threads=threads
            )

    def search(
        self,
        sources: Sequence[SubwordIds],
        limits: Sequence[int],
        settings: DecodingSettings,
        earlier: Sequence[Sequence[SubwordIds]] = (),
    ) -> list[EndedHypotheses | None]:
        """See :class:`.Engine`.

        It leaves sentences without enough positions, and those whose translations reach the limit, hold a special
        symbol or came late.
        """
        ended: list[EndedHypotheses | None] = [None] * len(sources)
        prefixes = [
            [symbol for ids in translations for symbol in (*map(str, ids), self.beginning)]
            for translations in earlier or [()] * len(sources)
        ]
        ends = [len(prefix) + limit + 1 for prefix, limit in zip(prefixes, limits)]
        rows = [row for row, ids in enumerate(sources) if max(len(ids) + 2, ends[row]) <= self.positions]
        if not rows:
            return ended
        plain = settings.beam == 1 or (settings.length_penalty == 0 and settings.n_best == 1)
        results = self.translator.translate_batch(
            [[str(symbol) for symbol in sources[row]] for row in rows],
            [prefixes[row] + self.first for row in rows],
            beam_size=settings.beam,
            num_hypotheses=1 if plain else settings.beam + 1,
            patience=2,  # or no more than beam are allowed; it costs no time
            length_penalty=0,  # so that scores are log-probabilities
            max_input_length=0,  # no bound
            min_decoding_length=len(self.first) + 1,
            suppress_sequences=[[self.beginning, *self.first, str(END)]],  # as no later sentence is empty either
            max_decoding_length=max(ends[row] for row in rows),
            return_end_token=True,
            return_scores=True,
        )
        for row, result in zip(rows, results):
            hypotheses = [tuple(map(int, symbols[len(prefixes[row]) :])) for symbols in result.hypotheses]
            if all(_whole(symbols, limits[row]) for symbols in hypotheses):
                of_sentence = [(symbols[:-1], score) for symbols, score in zip(hypotheses, result.scores)]
                ended[row] = None if _late(of_sentence, settings) else of_sentence
        return ended


def _whole(symbols: Sequence[int], limit: int) -> bool:
    """Whether a hypothesis has ended, within the ``limit``, and has subwords alone."""
    return symbols[-1] == END and len(symbols) <= limit + 1 and min(symbols[:-1]) >= len(SPECIALS)


def _late(ended: EndedHypotheses, settings: DecodingSettings) -> bool:
    """Whether ``beam`` hypotheses ended before one of the n-best did."""
    lengths = [len(best.ids) for best in n_best(ended, settings)]
    return any(sum(len(ids) < length for ids, _ in ended) >= settings.beam for length in lengths)
