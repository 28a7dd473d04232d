"""DPLP's .merge files (Ji and Eisenstein 2014): the EDUs of the tree in the .brackets file of the same document.

Ten tab-separated columns, with a blank line after each sentence: sentence from 0, index in the sentence from 1, word,
lemma, part of speech, dependency relation, head, named entity, piece of the constituency tree, EDU from 1.
"""

from dataclasses import dataclass

from discourse_nmt.base.errors import InputError
from discourse_nmt.discourse.formats.reading import lines_of, whole_number
from discourse_nmt.discourse.structures.mentions import Span


@dataclass(frozen=True)
class MergedDocument:
    """Words by sentence, and EDUs as word spans."""

    sentences: tuple[tuple[str, ...], ...]
    edus: tuple[Span, ...]

    @property
    def texts(self) -> tuple[str, ...]:
        """Words of each EDU, joined by blanks."""
        return tuple(" ".join(self.sentences[edu.sentence][edu.start : edu.end]) for edu in self.edus)


def read_merge(content: str | bytes, name: str) -> MergedDocument:
    """Read a .merge file; sentences and EDUs must be numbered in order, and an EDU must lie in one sentence."""
    sentences: list[list[str]] = []
    starts: list[tuple[int, int]] = []
    for number, line in lines_of(content, name):
        if not line.strip():
            continue
        fields = line.split("\t")
        if len(fields) != 10:
            raise InputError(f"{len(fields)} columns instead of 10", file=name, line=number)
        sentence = whole_number(fields[0], "sentence", name, number)
        if sentence == len(sentences):
            sentences.append([])
        if sentence != len(sentences) - 1:
            raise InputError(f"sentence {sentence}, but sentence {len(sentences)} comes next", file=name, line=number)
        word = whole_number(fields[1], "word", name, number)
        if word != len(sentences[-1]) + 1 or not fields[2]:
            raise InputError(f"word {word} of sentence {sentence} is out of order or empty", file=name, line=number)
        edu = whole_number(fields[9].strip(), "EDU", name, number)
        if edu == len(starts) + 1:
            starts.append((sentence, word - 1))
        elif edu != len(starts):
            raise InputError(f"EDU {edu}, but EDU {len(starts) + 1} comes next", file=name, line=number)
        elif starts[-1][0] != sentence:
            raise InputError(
                f"EDU {edu} goes on into sentence {sentence}",
                file=name,
                line=number,
                remedy="an EDU must lie in one sentence",
            )
        sentences[-1].append(fields[2])
    if not sentences:
        raise InputError("no word", file=name)
    next_starts = [*starts[1:], (len(sentences), 0)]
    edus = tuple(
        Span(sentence, start, end if next_sentence == sentence else len(sentences[sentence]))
        for (sentence, start), (next_sentence, end) in zip(starts, next_starts)
    )
    return MergedDocument(tuple(map(tuple, sentences)), edus)
