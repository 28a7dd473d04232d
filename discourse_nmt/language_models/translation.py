"""Documents translated by a language model, unit by unit, several requests at a time."""

import logging
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.progress import counted
from discourse_nmt.discourse.records.record import DocumentRecord
from discourse_nmt.language_models.chat import Answer, ChatRequest, spent_tokens, token_count
from discourse_nmt.language_models.endpoints import RefusedError
from discourse_nmt.language_models.prompts import DocumentView, Prompts
from discourse_nmt.language_models.reading import ReadAnswer, read_answer
from discourse_nmt.language_models.sender import Sender
from discourse_nmt.language_models.settings import LanguageModelSettings
from discourse_nmt.language_models.units import context_of, in_order, units_of

ROOM = 2  # tokens of an answer that the budget reserves for each token of its source
SLACK = 50
REFUSED_AT_FIRST = 5  # requests: a server that refuses as many before its first answer refuses all
REFUSED = "refused by the server"
log = logging.getLogger(__name__)


@dataclass(frozen=True)
class AnsweredUnit:
    """An answer for a unit of a document: what it cost, and its fault; "" for none."""

    sentences: range
    request: str
    """Digest of the request."""
    tokens_sent: int
    tokens_received: int
    fault: str


@dataclass(frozen=True)
class TranslatedDocument:
    """The translation of each sentence, and the answers that it was read from, in text order."""

    doc_id: str
    lines: list[str]
    answers: list[AnsweredUnit] = field(default_factory=list)


class DocumentInWork:
    """A document whose units are asked for: each after those whose translations its prompt shows."""

    def __init__(
        self,
        record: DocumentRecord,
        prompts: Prompts,
        settings: LanguageModelSettings,
        seed: int,
        paragraphs: Sequence[int] = (),
    ) -> None:
        self.record, self._prompts, self._settings, self._seed = record, prompts, settings, seed
        self._units = units_of(record, settings, paragraphs)
        self._waiting = in_order(record, self._units, settings)
        self._translations: dict[int, str] = {}
        self._answered: dict[int, AnsweredUnit] = {}

    def ready(self) -> Iterator[tuple[range, ChatRequest]]:
        """Yield the units that can be asked for now, with their requests, each once."""
        count = 1 if self._prompts.reads_translations else len(self._waiting)
        now, self._waiting = self._waiting[:count], self._waiting[count:]
        view = DocumentView(self.record, dict(self._translations), self._seed)
        for number in now:
            unit = self._units[number]
            yield unit, self._prompts.request(view, unit, context_of(self.record, unit, self._settings, self._seed))

    def take(self, unit: range, lines: Sequence[str], answered: AnsweredUnit | None = None) -> None:
        """Keep the translation of a ``unit``."""
        self._translations.update(zip(unit, lines, strict=True))
        if answered is not None:
            self._answered[unit.start] = answered

    def source_of(self, unit: range) -> list[str]:
        """The sentences of a ``unit``."""
        return [self.record.source[sentence] for sentence in unit]

    @property
    def requests(self) -> int:
        """The number of its units."""
        return len(self._units)

    @property
    def translated(self) -> TranslatedDocument:
        """The whole translation, once no unit waits."""
        lines = [self._translations[number] for number in range(len(self.record.source))]
        return TranslatedDocument(self.record.doc_id, lines, [self._answered[unit.start] for unit in self._units])


@dataclass(frozen=True)
class Work:
    """Documents to translate, and how a language model is asked for them."""

    records: Sequence[DocumentRecord]
    prompts: Prompts
    settings: LanguageModelSettings
    seed: int
    paragraphs: Mapping[str, Sequence[int]] = field(default_factory=dict)
    """The number of sentences of each paragraph, by document."""

    def documents(self) -> list[DocumentInWork]:
        """The documents, of which nothing has been asked yet."""
        return [
            DocumentInWork(record, self.prompts, self.settings, self.seed, self.paragraphs.get(record.doc_id, ()))
            for record in self.records
        ]


def translate(work: Work, sender: Sender) -> list[TranslatedDocument]:
    """All documents translated, in their order; ``parallel`` requests are under way at a time.

    A unit whose request the server refuses has empty lines, and the others go on. An exception of the sender, or a
    server that refuses all, ends the work after the requests that are under way; their answers are kept.
    """
    documents = work.documents()
    waiting = ((document, *one) for document in documents for one in document.ready())
    total = sum(document.requests for document in documents)
    answered, refusals = 0, Counter[str]()
    with ThreadPoolExecutor(work.settings.parallel) as pool, counted("asking", "requests", total) as done:
        under_way: dict[Future[Answer], tuple[DocumentInWork, range, ChatRequest]] = {}
        further: list[tuple[DocumentInWork, range, ChatRequest]] = []
        try:
            while True:
                while len(under_way) < work.settings.parallel:
                    following = further.pop() if further else next(waiting, None)
                    if following is None:
                        break
                    document, unit, request = following
                    under_way[pool.submit(sender.ask, request, expected(request, document.source_of(unit)))] = following
                if not under_way:
                    break
                for future in wait(under_way, return_when=FIRST_COMPLETED).done:
                    document, unit, request = under_way.pop(future)
                    try:
                        answer = future.result()
                        read = read_answer(answer, document.source_of(unit))
                        tokens = spent_tokens(answer, request.messages)
                        answered += 1
                    except RefusedError as error:
                        refusals[str(error)] += 1
                        read, tokens = ReadAnswer([""] * len(unit), REFUSED), (0, 0)
                        check_refusals(refusals, answered, total)
                    document.take(unit, read.lines, AnsweredUnit(unit, request.digest, *tokens, read.fault))
                    further += [(document, *one) for one in document.ready()]
                    done(1)
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
    for reason, count in refusals.items():
        log.warning("%d requests were refused, their sentences have no translation: %s", count, reason)
    return [document.translated for document in documents]


def check_refusals(refusals: Counter[str], answered: int, total: int) -> None:
    """Raise :class:`InputError` where a server refuses every request."""
    if not answered and refusals.total() >= min(REFUSED_AT_FIRST, total):
        (reason, _), *_ = refusals.most_common(1)
        raise InputError(f"every request is refused: {reason}", remedy="check model, parameters and length of prompts")


def expected(request: ChatRequest, source: Sequence[str]) -> int:
    """The tokens that the answer for ``source`` may have: the limit of the request, else by the source."""
    limit = request.parameters.get("max_tokens")
    return limit if isinstance(limit, int) else ROOM * sum(map(token_count, source)) + SLACK


def faults(documents: Sequence[TranslatedDocument]) -> Counter[str]:
    """How many answers have each fault."""
    return Counter(answer.fault for document in documents for answer in document.answers if answer.fault)
