"""Both sides of a document of parallel text, with links between their words."""

from collections.abc import Sequence
from dataclasses import dataclass

from discourse_nmt.discourse.structures.syntax import Syntax


@dataclass(frozen=True)
class ParallelDocument:
    """Both sides of a document, in segments that translate each other.

    A segment has some sentences on each side, told by ``from_segments`` and ``to_segments``: the segment of each
    sentence. ``links`` gives for each segment and each word of the first side, over all sentences of the segment, the
    word of the other side, -1 for none.
    """

    name: str
    from_sentences: Sequence[Syntax]
    to_sentences: Sequence[Syntax]
    from_segments: Sequence[int]
    to_segments: Sequence[int]
    links: Sequence[Sequence[int]]

    def linked_words(self) -> list[list[tuple[int, int] | None]]:
        """For each word of each sentence of the first side, sentence and word of the other side; None for no link."""
        words_of_segment: list[list[tuple[int, int]]] = [[] for _ in self.links]
        for number, (sentence, segment) in enumerate(zip(self.to_sentences, self.to_segments, strict=True)):
            words_of_segment[segment] += [(number, word) for word in range(len(sentence.forms))]
        used = [0] * len(self.links)
        linked = []
        for sentence, segment in zip(self.from_sentences, self.from_segments, strict=True):
            first, used[segment] = used[segment], used[segment] + len(sentence.forms)
            links = self.links[segment][first : used[segment]]
            linked.append([words_of_segment[segment][link] if link >= 0 else None for link in links])
        return linked
