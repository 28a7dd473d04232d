"""The content of a corpus, read as the workflow's import reads it, and what its text is like."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.progress import progress
from discourse_nmt.base.sources import expand
from discourse_nmt.corpus.documents import Document, Drop
from discourse_nmt.corpus.importing.checks import CONTROLS, check
from discourse_nmt.corpus.importing.importing import equal_sides
from discourse_nmt.corpus.importing.near_duplicates import Tokens, sentence_hashes
from discourse_nmt.corpus.importing.plan import plan
from discourse_nmt.corpus.reading.requests import Request
from discourse_nmt.new_configuration.recognition import Recognised
from discourse_nmt.quality import measures
from discourse_nmt.quality.sample import Sample
from discourse_nmt.quality.table import Finding, aligned, warnings
from discourse_nmt.quality.twins import share_alike
from discourse_nmt.sentence_alignment.unaligned import LearningAligner
from discourse_nmt.text.settings import TextSettings
from discourse_nmt.text.writing_systems import is_cjk

SAMPLE_SENTENCES = 2_000
ALL = "all"  # the name of a corpus that is not divided yet, in the table that tells what its text is like


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
    passages: Sample = field(default_factory=Sample)
    """Passages of all documents."""
    equal: int = 0
    """Pairs with equal sides."""
    ids: set[str] = field(default_factory=set)
    repeated_ids: list[str] = field(default_factory=list)
    """Of the documents whose id another one before has, too."""
    controls: int = 0
    """Control characters, which are read as blanks."""
    hashes: dict[str, Tokens] = field(default_factory=dict)
    """Of the source sentences of each document, by its number."""

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
    for document in documents_of(recognised, ("xx", "yy"), Counter()):
        sides[0].extend(document.source.sentences)
        sides[1].extend(document.target.sentences)
        if len(sides[0]) >= SAMPLE_SENTENCES:
            break
    return sides


def facts_of(recognised: Recognised, languages: tuple[str, str]) -> Facts:
    """Read the whole corpus; raises :class:`InputError` for the first fault that no setting mends."""
    facts, notes = Facts(), Counter[str]()
    for document in progress(documents_of(recognised, languages, notes), "reading the corpus", "documents"):
        sides = [*document.source.sentences, *document.target.sentences]
        drops: list[Drop] = []
        kept = check(document, drop_empty=True, space_controls=True, drops=drops, notes=notes)
        facts.empty |= bool(drops)
        if not kept:
            continue
        facts.repeated_ids += [document.doc_id] if document.doc_id in facts.ids else []
        facts.ids.add(document.doc_id)
        facts.hashes[str(facts.documents)] = sentence_hashes(document.source.sentences)
        facts.passages.add(document.doc_id, document.source.sentences, document.target.sentences)
        facts.equal += equal_sides(document)
        facts.documents += 1
        facts.pairs += len(document)
        facts.source_words += sum(map(word_count, document.source.sentences))
        facts.target_words += sum(map(word_count, document.target.sentences))
        facts.text_bytes += sum(len(sentence.encode()) for sentence in sides)
        if sum(map(len, facts.sample)) < SAMPLE_SENTENCES:
            document.keep(list(range(min(len(document), SAMPLE_SENTENCES))))
            facts.sample.append(document)
    facts.controls = notes[CONTROLS]
    if facts.documents < 3:
        raise InputError(
            f"{facts.documents} documents with text: one each is needed to train, to develop and to test on",
            file=next(iter(recognised.roles.values()))[0],
            remedy="divide the text into documents, or give files with more of them",
        )
    return facts


def quality(facts: Facts, languages: tuple[str, str]) -> list[str]:
    """What the corpus is like: a table, the remedy for each line that needs one, and what else the import warns of."""
    settings = TextSettings.from_mapping(dict(zip(("source_language", "target_language"), languages)))
    documents, sentences = share_alike(facts.hashes)
    refused = (
        f"an import refuses them, the first is {facts.repeated_ids[0]}: rename them, or for rows of a table set "
        "options: {documents: runs}"
        if facts.repeated_ids
        else ""
    )
    findings = [
        *measures.findings_of_text({ALL: facts.passages.passages()}, settings),
        measures.equal_sides({ALL: 100 * facts.equal / facts.pairs}),
        Finding("source sentences of another document, too (%)", "", {ALL: sentences}),
        Finding("documents with a near-duplicate (%)", "", {ALL: documents}),
        measures.finding(
            "documents with an earlier one's id (%)", {ALL: 100 * len(facts.repeated_ids) / facts.documents}, 0, refused
        ),
    ]
    told = warnings(findings)
    told += [f"{facts.controls:,} {CONTROLS}"] if facts.controls else []
    return [*aligned(findings, [ALL]), *(f"warning: {warning}" for warning in told)]


def documents_of(recognised: Recognised, languages: tuple[str, str], notes: Counter[str]) -> Iterator[Document]:
    """The documents of a corpus, as its reader gives them, with what it counts in ``notes``."""
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
    request = Request(split.name, sources, *languages, notes=notes, aligner=LearningAligner())
    yield from split.format.read(request, split.options)
