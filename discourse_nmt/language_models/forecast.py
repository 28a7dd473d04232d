"""Requests and tokens that a run needs, before any is sent: every prompt is made, with stand-ins for translations."""

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import cycle

from discourse_nmt.language_models.answers import KeptAnswers
from discourse_nmt.language_models.chat import correction, message_tokens, token_count
from discourse_nmt.language_models.reading import read_answer
from discourse_nmt.language_models.translation import Work


@dataclass(frozen=True)
class Forecast:
    """What is still to be asked for."""

    requests: int
    tokens_sent: int
    tokens_received: int
    kept: int
    """Further requests, whose answers are kept."""


def forecast(work: Work, kept: KeptAnswers, ratio: float, seen: set[str]) -> Forecast:
    """What translating the documents takes; ``ratio`` is that of target tokens to source tokens.

    ``seen`` has the digests of requests that count elsewhere, and gets those of this work: equal ones are sent once.

    Tokens are counted by rule; answers that are kept tell how the server counts, and how long its answers are.
    """
    prompts: list[tuple[int, int]] = []
    answers: list[tuple[int, int]] = []
    sent: list[int] = []
    received: list[int] = []
    for document in work.documents():
        waiting = deque(document.ready())
        while waiting:
            unit, request = waiting.popleft()
            source = document.source_of(unit)
            answer = kept.get(request)
            if answer is None:
                lines = [stand_in(sentence, ratio) for sentence in source]
                if request.digest not in seen:
                    sent.append(message_tokens(request.messages))
                    received.append(sum(map(token_count, lines)))
                    seen.add(request.digest)
            else:
                lines = read_answer(answer, source).lines
                prompts.append((message_tokens(request.messages), answer.prompt_tokens or 0))
                answers.append((round(ratio * sum(map(token_count, source))), answer.completion_tokens or 0))
            document.take(unit, lines)
            waiting.extend(document.ready())
    return Forecast(
        len(sent),
        round(sum(sent) * correction(prompts)),
        round(sum(received) * correction(answers)),
        len(prompts),
    )


def stand_in(sentence: str, ratio: float) -> str:
    """A text of about ``ratio`` times the tokens of a ``sentence``, made of its words."""
    wanted, words, length = ratio * token_count(sentence), [], 0
    for word in cycle(sentence.split() or [""]):
        if length >= wanted:
            break
        words.append(word)
        length += max(token_count(word), 1)
    return " ".join(words)


def token_ratio(pairs: Iterable[Sequence[str]]) -> float:
    """The ratio of target tokens to source tokens of sentence ``pairs``; 1 without any."""
    tokens = [[token_count(text) for text in pair] for pair in pairs]
    source, target = (sum(side) for side in zip(*tokens, strict=True)) if tokens else (0, 0)
    return target / source if source and target else 1.0
