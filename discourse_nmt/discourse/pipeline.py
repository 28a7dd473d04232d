"""Raw text to the whole analysis: sentences, words, syntax, discourse units, rhetorical structure, coreference, themes.

The joint network runs once per text: all later analysers read its tags and trees, the parser of rhetorical structure
also its states. A layer that the language has no analyser for is None.

Analysers are chained in three places, because their inputs differ. Here the input is raw text, and everything stays in
memory. In the workflow (:mod:`.backends.shards`) each stage is a job of its own with any backend, and reads the tables
of earlier stages from disk. The evaluation (:mod:`.evaluation.experiment`) replaces the output of earlier analysers by
gold annotation. The pipeline and the evaluation share one set of analysers (:mod:`.discourse.analyser_set`).
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from discourse_nmt.discourse.analyser_set import Analysers, load_analysers
from discourse_nmt.discourse.analysers.analyser import SentenceAnalysis, states_of
from discourse_nmt.discourse.analysers.annotation import characters
from discourse_nmt.discourse.analysers.segmentation import SegmentedSentence, Segmenter
from discourse_nmt.discourse.analysers.weights import load_segmenter
from discourse_nmt.discourse.failures import results_or_errors
from discourse_nmt.discourse.parsing.document import ParserInput
from discourse_nmt.discourse.plain_text import blocks_of
from discourse_nmt.discourse.structures.conversions import debinarise, li14
from discourse_nmt.discourse.structures.dependencies import Dependencies
from discourse_nmt.discourse.structures.mentions import Chain, Characters, Span, edus_of_starts
from discourse_nmt.discourse.structures.trees import RstTree
from discourse_nmt.discourse.themes.labelling import ThemeSpan

CHARACTERS = 60_000  # texts analysed together have about this many: batches are full, memory stays small


@dataclass(frozen=True)
class TextAnalysis:
    """Everything about one text.

    ``sentences`` are its raw sentences, with a blank for a line end inside a sentence. ``words`` has the characters
    ``[start, end)`` of the words of each sentence. ``edus``, ``chains`` and ``themes`` are spans of words. ``tree`` is
    binary, as the parser builds it; it is None for a text without words. ``tree``, ``chains`` and ``themes`` are None
    where the language has no analyser for them.
    """

    sentences: tuple[str, ...]
    words: tuple[tuple[Characters, ...], ...]
    syntax: tuple[SentenceAnalysis, ...]
    edus: tuple[Span, ...]
    tree: RstTree | None
    chains: tuple[Chain, ...] | None
    themes: tuple[ThemeSpan, ...] | None

    @cached_property
    def edu_texts(self) -> tuple[str, ...]:
        """The raw text of each EDU."""
        spans = (characters(edu, self.words) for edu in self.edus)
        return tuple(self.sentences[span.sentence][span.start : span.end] for span in spans)

    @cached_property
    def structure(self) -> RstTree | None:
        """The n-ary tree (see :func:`.debinarise`) with the texts of its EDUs."""
        return None if self.tree is None else RstTree(debinarise(self.tree).nodes, self.edu_texts)

    @cached_property
    def dependencies(self) -> Dependencies | None:
        """The dependencies of the tree by the rule of Li et al. (2014)."""
        return None if self.structure is None else li14(self.structure)


def count(analysis: TextAnalysis) -> dict[str, int]:
    """Number of sentences, words, discourse units and, where the language has a resolver, coreference chains."""
    counts = {
        "sentences": len(analysis.sentences),
        "words": sum(map(len, analysis.words)),
        "discourse units": len(analysis.edus),
    }
    return counts if analysis.chains is None else {**counts, "coreference chains": len(analysis.chains)}


class Pipeline:
    """Raw text to analyses: the segmenter of a language, then its analysers."""

    def __init__(self, segmenter: Segmenter, analysers: Analysers) -> None:
        self.segmenter, self.analysers = segmenter, analysers

    def analyse(self, texts: Sequence[str]) -> list[TextAnalysis]:
        """Analyse texts in common batches; texts do not affect each other's results.

        An empty line ends a paragraph. Marks of items, headings and tables are in no sentence (see :func:`.blocks_of`).
        """
        analysers = self.analysers
        segmented = self._segmented(texts)
        lines = [text.translate(_BLANKS) for text in texts]
        sentences = [
            tuple(line[sentence.start : sentence.end] for sentence in segments)
            for line, segments in zip(lines, segmented)
        ]
        words = [
            tuple(
                tuple((start - sentence.start, end - sentence.start) for start, end in sentence.words)
                for sentence in segments
            )
            for segments in segmented
        ]
        forms = [
            [[sentence[start:end] for start, end in offsets] for sentence, offsets in zip(text_sentences, text_words)]
            for text_sentences, text_words in zip(sentences, words)
        ]
        syntax = analysers.joint.analyse(forms, states=True)
        edus = [edus_of_starts([sentence.edu_starts for sentence in text_syntax]) for text_syntax in syntax]
        inputs = [
            ParserInput(text_syntax, text_edus, states_of(text_syntax), _paragraphs(text, segments))
            for text, segments, text_syntax, text_edus in zip(texts, segmented, syntax, edus)
            if text_edus
        ]
        trees = iter(analysers.parser.parse(inputs) if analysers.parser else [None] * len(inputs))
        chains = analysers.resolver.resolve(syntax) if analysers.resolver else [None] * len(texts)
        return [
            TextAnalysis(
                text_sentences,
                text_words,
                tuple(text_syntax),
                text_edus,
                next(trees) if text_edus else None,
                text_chains,
                tuple(analysers.label_themes(text_syntax, text_edus)) if analysers.label_themes else None,
            )
            for text_sentences, text_words, text_syntax, text_edus, text_chains in zip(
                sentences, words, syntax, edus, chains
            )
        ]

    def _segmented(self, texts: Sequence[str]) -> list[list[SegmentedSentence]]:
        """The sentences of the blocks of each text."""
        blocks = [blocks_of(text) for text in texts]
        parts = [text[start:end] for text, spans in zip(texts, blocks) for start, end in spans]
        segmented = iter(self.segmenter.segment(parts))
        return [[one.moved(start) for start, _ in spans for one in next(segmented)] for spans in blocks]

    def analyse_in_turn(self, texts: Iterable[str]) -> Iterator[TextAnalysis | Exception]:
        """Analyse any number of texts, about :data:`CHARACTERS` at a time; one that fails gives its error."""
        waiting: list[str] = []
        for text in texts:
            waiting.append(text)
            if sum(map(len, waiting)) >= CHARACTERS:
                yield from results_or_errors(self.analyse, waiting)
                waiting = []
        if waiting:
            yield from results_or_errors(self.analyse, waiting)


def _paragraphs(text: str, sentences: Sequence[SegmentedSentence]) -> frozenset[int]:
    """Indices of the sentences that begin a paragraph: the first, and each one after an empty line."""
    ends = [0, *(sentence.end for sentence in sentences)]
    between = (text[end : sentence.start] for end, sentence in zip(ends, sentences))
    return frozenset(number for number, gap in enumerate(between) if number == 0 or gap.count("\n") > 1)


# Line ends and tabs inside a sentence become blanks one for one: a sentence is one line, and offsets stay the same.
_BLANKS = dict.fromkeys(map(ord, "\t\n\r\v\f\x1c\x1d\x1e\x1f\x85\u2028\u2029"), " ")


def load_pipeline(folder: str | Path, language: str = "en") -> Pipeline:
    """The pipeline of ``language`` with the models in ``folder``; see :func:`.load_analysers` for missing models."""
    return Pipeline(load_segmenter(folder), load_analysers(Path(folder), language))
