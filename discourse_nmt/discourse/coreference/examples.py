"""Documents with gold coreference, for the training and evaluation of the resolver."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from discourse_nmt.discourse.formats.coreference import CoreferenceDocument
from discourse_nmt.discourse.structures.syntax import Syntax
from discourse_nmt.discourse.structures.trees import StructureError

Place = tuple[int, int, int]  # sentence, first word, word after the last


@dataclass(frozen=True)
class CoreferenceExample:
    """A document's syntax, and the entity and entity type of each gold mention, by its position."""

    name: str
    sentences: tuple[Syntax, ...]
    mentions: dict[Place, tuple[str, str]]

    @property
    def chains(self) -> list[set[Place]]:
        """Gold chains, singletons included."""
        chains: dict[str, set[Place]] = {}
        for place, (entity, _) in self.mentions.items():
            chains.setdefault(entity, set()).add(place)
        return list(chains.values())


def example_of(document: CoreferenceDocument, sentences: Sequence[Syntax]) -> CoreferenceExample:
    """The gold mentions of a document, over the words of its syntax; mentions across sentences are left out.

    Raises :class:`StructureError` for different numbers of words.
    """
    starts = [0, *accumulate(len(sentence.forms) for sentence in sentences)]
    words = sum(map(len, document.sentences))
    if starts[-1] != words:
        raise StructureError(f"{document.name} has {starts[-1]} words with syntax and {words} with coreference")
    sentence_of = [number for number, sentence in enumerate(sentences) for _ in sentence.forms]
    mentions: dict[Place, tuple[str, str]] = {}
    for mention in document.mentions:
        sentence = sentence_of[mention.start]
        if sentence_of[mention.end - 1] == sentence:
            place = (sentence, mention.start - starts[sentence], mention.end - starts[sentence])
            mentions.setdefault(place, (mention.entity, mention.type))
    return CoreferenceExample(document.name, tuple(sentences), mentions)
