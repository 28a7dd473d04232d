"""The part of a system's output that translates each source sentence, whatever the output's own sentences are."""

import logging
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, pairwise

import pandas as pd

from discourse_nmt.sentence_alignment.cuts import cut
from discourse_nmt.sentence_alignment.lexicon import Lexicon, learn_lexicon
from discourse_nmt.sentence_alignment.problems import OtherLanguage, problem_of
from discourse_nmt.sentence_alignment.words import words_of

BLANK_LINE, LINE = re.compile(r"\n\s*\n"), re.compile(r"\n")
log = logging.getLogger(__name__)
ROUNDS = 2  # in which the lexicon of outputs without references is learnt


@dataclass(frozen=True)
class AlignedOutput:
    """What of an output translates each source sentence."""

    lines: list[str]
    """The text for each source sentence, without line ends; empty where it is omitted."""
    omitted: list[int] = field(default_factory=list)
    """Indices of the source sentences without a translation."""
    added: list[tuple[int, str]] = field(default_factory=list)
    """Text that translates no sentence, each with the index of the source sentence that it stands before."""
    problem: str | None = None
    """Why the output cannot be aligned, in one line; None if it can."""


def align_output(
    source: Sequence[str],
    output: str,
    paragraphs: Sequence[int] = (),
    lexicon: Lexicon | None = None,
    reference: Sequence[str] | None = None,
    other_language: OtherLanguage = lambda _: None,
) -> AlignedOutput:
    """Cut the ``output`` for a document of ``source`` sentences.

    ``paragraphs`` has the number of source sentences of each paragraph; they are aligned one by one where the output
    has as many, between blank lines or, without these, on lines. ``reference`` has a text for each source sentence. By
    ``other_language`` an output in a wrong language is known.
    """
    if problem := problem_of(source, words_of(output), reference, other_language):
        return AlignedOutput([""] * len(source), list(range(len(source))), problem=problem)
    aligned = AlignedOutput([])
    for texts, references, part in _paragraphs(source, reference, output, paragraphs):
        _align(aligned, texts, part, lexicon, references)
    return aligned


def _paragraphs(
    source: Sequence[str], reference: Sequence[str] | None, output: str, paragraphs: Sequence[int]
) -> Iterator[tuple[Sequence[str], Sequence[str] | None, str]]:
    """Source sentences, references and output of each paragraph; of the whole document where they do not fit."""
    for border in (BLANK_LINE, LINE):
        parts = [part for part in border.split(output) if part.strip()]
        if len(parts) == len(paragraphs):
            borders = [0, *accumulate(paragraphs)]
            for (first, stop), part in zip(pairwise(borders), parts):
                yield source[first:stop], None if reference is None else reference[first:stop], part
            return
    yield source, reference, output


def _align(
    aligned: AlignedOutput,
    source: Sequence[str],
    output: str,
    lexicon: Lexicon | None,
    reference: Sequence[str] | None,
) -> None:
    """Add the alignment of a part of the document to that of the parts before it."""
    words, first = words_of(output), len(aligned.lines)
    aligned.lines.extend([""] * len(source))
    place = first
    for part in cut(source, words, lexicon, reference):
        text = words.between(part.start, part.stop)
        if part.sentence < 0:
            aligned.added.append((place, text))
            continue
        place = max(place, first + part.sentence + 1)
        aligned.lines[first + part.sentence] = text
    aligned.omitted.extend(number for number in range(first, len(aligned.lines)) if not aligned.lines[number])


def align_outputs(
    sources: Mapping[str, Sequence[str]],
    outputs: Mapping[str, str],
    references: Mapping[str, Sequence[str]] | None = None,
    other_language: OtherLanguage = lambda _: None,
    paragraphs: Mapping[str, Sequence[int]] | None = None,
) -> dict[str, AlignedOutput]:
    """The alignment of each document of a test set, all by document; other arguments as in :func:`align_output`.

    The lexicon is learnt from the references, or from the outputs themselves: by lengths, marks, numbers and names
    first, then from what these align.
    """
    paragraphs = paragraphs or {}
    if references is not None:
        pairs = [pair for document in sources for pair in zip(sources[document], references[document], strict=True)]
        lexicon = learn_lexicon(pairs)
    else:
        lexicon = None
        for _ in range(ROUNDS):
            lines = {
                name: align_output(source, outputs[name], paragraphs.get(name, ()), lexicon).lines
                for name, source in sources.items()
            }
            lexicon = learn_lexicon(pair for name in sources for pair in zip(sources[name], lines[name]))
    aligned = {}
    for document, source in sources.items():
        reference = None if references is None else references[document]
        aligned[document] = align_output(
            source, outputs[document], paragraphs.get(document, ()), lexicon, reference, other_language
        )
    for document, one in aligned.items():
        if one.problem:
            log.warning("document %s is not scored as a translation: %s", document, one.problem)
    omitted, added = (sum(len(getattr(one, name)) for one in aligned.values()) for name in ("omitted", "added"))
    log.info("aligned %d documents: %d sentences omitted, %d texts added", len(aligned), omitted, added)
    return aligned


def alignment_table(aligned: Mapping[str, AlignedOutput]) -> pd.DataFrame:
    """The table ``output_alignment`` of documents."""
    rows = [
        {
            "doc_id": document,
            "omitted": one.omitted,
            "added": [text for _, text in one.added],
            "places": [place for place, _ in one.added],
            "problem": one.problem,
        }
        for document, one in aligned.items()
    ]
    return pd.DataFrame(rows, columns=["doc_id", "omitted", "added", "places", "problem"])
