"""Input of the parser: words with syntax, discourse units, and states of the joint network."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from discourse_nmt.discourse.structures.mentions import Span, check_edus
from discourse_nmt.discourse.structures.syntax import Syntax
from discourse_nmt.discourse.structures.trees import StructureError


@dataclass(frozen=True)
class ParserInput:
    """One document with at least one EDU.

    ``edus`` are spans of words that tile the ``sentences``. ``states`` has the states [words, state size] of each
    sentence (:attr:`SentenceAnalysis.states`), of the joint network with which the parser was trained. ``paragraphs``
    are the indices of the sentences that begin a paragraph, None if unknown, as in most parallel corpora. Raises
    :class:`.StructureError` for parts that do not fit together.
    """

    sentences: Sequence[Syntax]
    edus: Sequence[Span]
    states: Sequence[npt.NDArray[np.float32]]
    paragraphs: frozenset[int] | None = None

    def __post_init__(self) -> None:
        lengths = [len(sentence.forms) for sentence in self.sentences]
        if [len(states) for states in self.states] != lengths:
            raise StructureError("the states do not belong to the words: one row for every word is needed")
        if not self.edus:
            raise StructureError("a document without discourse units has no tree")
        check_edus(self.edus, lengths)
