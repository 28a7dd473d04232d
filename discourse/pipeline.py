"""Raw text to the whole analysis: sentences, words, syntax, discourse units, rhetorical structure, coreference, themes.

The joint network runs once: its tags and trees serve everything above it, its states the parser of rhetorical
structure. A language that has no analyser for rhetorical structure, coreference or themes goes without.
"""

import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from discourse_nmt.discourse.analysers.analyser import Analyser, SentenceAnalysis
from discourse_nmt.discourse.analysers.annotation import characters
from discourse_nmt.discourse.analysers.segmentation import SegmentedSentence, Segmenter
from discourse_nmt.discourse.analysers.weights import load_segmenter
from discourse_nmt.discourse.backends.builtin.joint import joint_network
from discourse_nmt.discourse.backends.builtin.models import THEME_LANGUAGES, has_model
from discourse_nmt.discourse.coreference.resolver import Resolver
from discourse_nmt.discourse.coreference.weights import load_resolver
from discourse_nmt.discourse.parsing.document import Discourse
from discourse_nmt.discourse.parsing.parser import RstParser
from discourse_nmt.discourse.parsing.weights import load_rst_parser
from discourse_nmt.discourse.structures.conversions import debinarise, li14
from discourse_nmt.discourse.structures.dependencies import Dependencies
from discourse_nmt.discourse.structures.mentions import Chain, Characters, Span, edus_of_starts
from discourse_nmt.discourse.structures.syntax import Syntax
from discourse_nmt.discourse.structures.trees import RstTree
from discourse_nmt.discourse.themes.labelling import ThemeSpan, label_themes

CHARACTERS = 60_000  # of the texts analysed together: enough for full batches, little memory
Labelling = Callable[[Sequence[Syntax], Sequence[Span]], Iterable[ThemeSpan]]


@dataclass(frozen=True)
class Analysis:
    """Everything about one text.

    ``sentences`` are its raw sentences, a line end inside one being a blank; ``words`` holds, per sentence, the
    characters ``[start, end)`` of its words. ``edus``, ``chains`` and ``themes`` are spans of words. ``tree`` is
    binary, as the parser builds it; a text without a word has none. ``tree``, ``chains`` and ``themes`` are None where
    the language has no analyser for them.
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
        found = (characters(edu, self.words) for edu in self.edus)
        return tuple(self.sentences[span.sentence][span.start : span.end] for span in found)

    @cached_property
    def structure(self) -> RstTree | None:
        """The tree with nuclei of one relation side by side, and with texts."""
        return None if self.tree is None else RstTree(debinarise(self.tree).nodes, self.edu_texts)

    @cached_property
    def dependencies(self) -> Dependencies | None:
        """The dependencies of the tree by the rule of Li et al. (2014)."""
        return None if self.structure is None else li14(self.structure)


def count(analysis: Analysis) -> dict[str, int]:
    """How much there is of what was looked for."""
    counts = {
        "sentences": len(analysis.sentences),
        "words": sum(map(len, analysis.words)),
        "discourse units": len(analysis.edus),
    }
    return counts if analysis.chains is None else {**counts, "coreference chains": len(analysis.chains)}


class Pipeline:
    """The analysers of one language, one after the other; the last three may be None."""

    def __init__(
        self,
        segmenter: Segmenter,
        analyser: Analyser,
        parser: RstParser | None,
        resolver: Resolver | None,
        label: Labelling | None,
    ) -> None:
        self.segmenter, self.analyser, self.parser, self.resolver = segmenter, analyser, parser, resolver
        self.label = label

    def analyse(self, texts: Sequence[str]) -> list[Analysis]:
        """Analyse texts together; an empty line ends a paragraph. No text has an influence on another one's result."""
        segmented = self.segmenter.segment(texts)
        lines = [text.translate(_BLANKS) for text in texts]
        sentences = [tuple(line[one.start : one.end] for one in found) for line, found in zip(lines, segmented)]
        words = [
            tuple(tuple((start - one.start, end - one.start) for start, end in one.words) for one in found)
            for found in segmented
        ]
        forms = [
            [[text[start:end] for start, end in spans] for text, spans in zip(raw, found)]
            for raw, found in zip(sentences, words)
        ]
        syntax = self.analyser.analyse(forms, states=True)
        edus = [edus_of_starts([one.edu_starts for one in found]) for found in syntax]
        discourses = [
            Discourse(found, units, [one.states for one in found if one.states is not None], _paragraphs(text, places))
            for text, places, found, units in zip(texts, segmented, syntax, edus)
            if units
        ]
        trees = iter(self.parser.parse(discourses) if self.parser else [None] * len(discourses))
        chains = self.resolver.resolve(syntax) if self.resolver else [None] * len(texts)
        return [
            Analysis(
                raw,
                spans,
                tuple(found),
                units,
                next(trees) if units else None,
                linked,
                tuple(self.label(found, units)) if self.label else None,
            )
            for raw, spans, found, units, linked in zip(sentences, words, syntax, edus, chains)
        ]

    def analyse_in_turn(self, texts: Iterable[str]) -> Iterator[Analysis]:
        """The same for any number of texts, about :data:`CHARACTERS` at a time."""
        waiting: list[str] = []
        for text in texts:
            waiting.append(text)
            if sum(map(len, waiting)) >= CHARACTERS:
                yield from self.analyse(waiting)
                waiting = []
        yield from self.analyse(waiting)


def _paragraphs(text: str, sentences: Sequence[SegmentedSentence]) -> frozenset[int]:
    """Numbers of the sentences before which an empty line ends a paragraph, and the first."""
    ends = [0, *(sentence.end for sentence in sentences)]
    between = (text[end : sentence.start] for end, sentence in zip(ends, sentences))
    return frozenset(number for number, gap in enumerate(between) if number == 0 or gap.count("\n") > 1)


# Line ends and tabs inside a sentence become blanks, one for one, so that offsets stay and a sentence is one line.
_BLANKS = dict.fromkeys(map(ord, "\t\n\r\v\f\x1c\x1d\x1e\x1f\x85\u2028\u2029"), " ")


def load_pipeline(folder: str | Path, language: str = "en") -> Pipeline:
    """The analysers of ``language`` in ``folder``; which of rhetorical structure, coreference and themes is left out is
    logged. A missing, damaged or foreign file of the others is an :class:`InputError`.
    """
    segmenter, analyser = load_segmenter(folder), joint_network(Path(folder))
    parser = load_rst_parser(folder) if has_model(Path(folder), "rst") else None
    resolver = load_resolver(folder) if has_model(Path(folder), "coreference") else None
    label = label_themes if language in THEME_LANGUAGES else None
    for name, found in (("rhetorical structure", parser), ("coreference", resolver), ("themes", label)):
        if found is None:
            logging.info("no builtin analyser of %s for the language %s: left out", name, language)
    return Pipeline(segmenter, analyser, parser, resolver, label)
