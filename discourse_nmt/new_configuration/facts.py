"""The content of a corpus, read as the workflow's import reads it."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.progress import progress
from discourse_nmt.base.sources import expand
from discourse_nmt.corpus.documents import Document, Drop
from discourse_nmt.corpus.importing.checks import check
from discourse_nmt.corpus.importing.plan import plan
from discourse_nmt.corpus.reading.requests import Request
from discourse_nmt.new_configuration.recognition import Recognised
from discourse_nmt.text.writing_systems import is_cjk

SAMPLE_SENTENCES = 2_000


@dataclass
class Facts:
    """Counts of a corpus; ``words`` are those of a side (half of the characters for Chinese and Japanese)."""

    documents: int = 0
    pairs: int = 0
    source_words: int = 0
    target_words: int = 0
    text_bytes: int = 0
    empty: bool = False
    """Whether a sentence is empty on one side, or a document has none."""
    sample: list[Document] = field(default_factory=list)
    """The first documents, of about 2,000 sentences together."""

    def sentences(self, side: str) -> list[str]:
        """The sentences of the sample on a side."""
        return [sentence for document in self.sample for sentence in getattr(document, side).sentences]


def word_count(sentence: str) -> int:
    """Words of a sentence; where words are not separated, a word for two characters."""
    unspaced = sum(map(is_cjk, sentence))
    return len(sentence.split()) if 2 * unspaced < len(sentence) else -(-len(sentence) // 2)


def first_sentences(recognised: Recognised) -> tuple[list[str], list[str]]:
    """Sentences of either side from the beginning, for a corpus whose languages are not known yet."""
    sides: tuple[list[str], list[str]] = ([], [])
    for document in documents_of(recognised, ("xx", "yy")):
        sides[0].extend(document.source.sentences)
        sides[1].extend(document.target.sentences)
        if len(sides[0]) >= SAMPLE_SENTENCES:
            break
    return sides


def facts_of(recognised: Recognised, languages: tuple[str, str]) -> Facts:
    """Read the whole corpus; raises :class:`InputError` for the first fault that no setting mends."""
    facts = Facts()
    for document in progress(documents_of(recognised, languages), "reading the corpus", "documents"):
        sides = [*document.source.sentences, *document.target.sentences]
        drops: list[Drop] = []
        kept = check(document, drop_empty=True, space_controls=True, drops=drops)
        facts.empty |= bool(drops)
        if not kept:
            continue
        facts.documents += 1
        facts.pairs += len(document)
        facts.source_words += sum(map(word_count, document.source.sentences))
        facts.target_words += sum(map(word_count, document.target.sentences))
        facts.text_bytes += sum(len(sentence.encode()) for sentence in sides)
        if sum(map(len, facts.sample)) < SAMPLE_SENTENCES:
            document.keep(list(range(min(len(document), SAMPLE_SENTENCES))))
            facts.sample.append(document)
    if facts.documents < 3:
        raise InputError(
            f"{facts.documents} documents with text: one each is needed to train, to develop and to test on",
            file=next(iter(recognised.roles.values()))[0],
            remedy="divide the text into documents, or give files with more of them",
        )
    return facts


def documents_of(recognised: Recognised, languages: tuple[str, str]) -> Iterator[Document]:
    """The documents of a corpus, as its reader gives them."""
    settings = {
        "source_language": languages[0],
        "target_language": languages[1],
        "format": recognised.format,
        "options": recognised.options,
        "splits": {"train": recognised.roles},
    }
    [split] = plan(settings).splits
    sources = {
        role: [source for pattern in patterns for source in expand(pattern)] for role, patterns in split.roles.items()
    }
    yield from split.format.read(Request(split.name, sources, *languages), split.options)
