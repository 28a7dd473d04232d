"""A document of a treebank with its gold annotation."""

from dataclasses import dataclass, field
from functools import cached_property

from discourse_nmt.discourse.analysers.examples import genre_of
from discourse_nmt.discourse.evaluation.measures.labels import Labels
from discourse_nmt.discourse.evaluation.measures.offsets import Offsets, sentence_starts
from discourse_nmt.discourse.formats.conllu import Sentence, paragraphs_of, speakers_of
from discourse_nmt.discourse.structures.syntax import Syntax
from discourse_nmt.discourse.structures.trees import RstTree


@dataclass(frozen=True)
class GoldDocument:
    """One document; spans ``[start, end)`` count the words of the document, None is a missing layer.

    ``syntax`` has one entry per sentence, None for a sentence without dependencies. ``edus`` are in text order and may
    cross sentence boundaries; ``tree`` is n-ary. ``chains`` include singletons. ``themes`` has the label of each word,
    None for an unlabelled word.
    """

    name: str
    sentences: tuple[Sentence, ...]
    edus: tuple[Offsets, ...] | None = None
    tree: RstTree | None = None
    chains: tuple[tuple[Offsets, ...], ...] | None = None
    themes: Labels | None = None
    source: str = field(default="", compare=False)

    @property
    def genre(self) -> str:
        """The second part of the name (``GUM_news_iodine``, ``GENTLE_poetry_annabel``), else ``other``."""
        return genre_of(self.name)

    @cached_property
    def forms(self) -> list[list[str]]:
        """The words of each sentence."""
        return [[word.form for word in sentence.words] for sentence in self.sentences]

    @cached_property
    def lengths(self) -> list[int]:
        """Number of words of each sentence."""
        return [len(forms) for forms in self.forms]

    @cached_property
    def sentence_starts(self) -> list[int]:
        """First word of each sentence."""
        return sentence_starts(self.lengths)

    @cached_property
    def speakers(self) -> tuple[str | None, ...]:
        """The speaker of each sentence, None where none is named."""
        return speakers_of(self.sentences)

    @cached_property
    def paragraphs(self) -> frozenset[int] | None:
        """Indices of the sentences that begin a paragraph; None if unannotated."""
        return paragraphs_of(self.sentences)

    @cached_property
    def syntax(self) -> list[Syntax | None]:
        """Syntax of each sentence; None for a sentence without dependencies."""
        return [syntax_of(sentence) if sentence.heads else None for sentence in self.sentences]


def syntax_of(sentence: Sentence) -> Syntax:
    """The syntax of a CoNLL-U sentence that has heads."""
    words = sentence.words
    return Syntax(
        tuple(word.form for word in words),
        tuple(word.upos for word in words),
        tuple(word.xpos for word in words),
        tuple(word.feats for word in words),
        tuple(word.lemma for word in words),
        sentence.heads,
        tuple(word.deprel for word in words),
    )
