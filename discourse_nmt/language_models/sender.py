"""Sends requests within limits: none twice, none beyond the budget, again where a server fails."""

import threading
import time
from collections import Counter
from dataclasses import dataclass, field

import tenacity

from discourse_nmt.base.errors import InputError
from discourse_nmt.language_models.answers import KeptAnswers
from discourse_nmt.language_models.chat import Answer, ChatRequest, message_tokens, spent_tokens
from discourse_nmt.language_models.endpoints import BusyError, Endpoint
from discourse_nmt.language_models.settings import LanguageModelSettings

FIRST_PAUSE, LONGEST_PAUSE = 1.0, 60.0  # seconds between attempts: doubled each time, with a random share


class BudgetError(InputError):
    """The next request could exceed the budget; all answers so far are kept."""


@dataclass
class Spending:
    """What a run has asked for."""

    requests: int = 0
    """Requests that were answered, now or before."""
    sent: int = 0
    """Of them, those that were sent now."""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    failures: Counter[str] = field(default_factory=Counter)
    """Attempts that failed, by reason."""


class Sender:
    """Asks an endpoint; may be called by several threads.

    The budget counts what the owner of ``kept`` has ever paid for, so that runs that go on do not exceed it either.
    """

    def __init__(self, endpoint: Endpoint, kept: KeptAnswers, settings: LanguageModelSettings) -> None:
        self._endpoint, self._kept, self._settings = endpoint, kept, settings
        self._lock = threading.Lock()
        self._under_way: dict[str, threading.Event] = {}
        budgeted = settings.budget_requests is not None or settings.budget_tokens is not None
        paid = kept.paid() if budgeted else []
        self._paid_requests = len(paid)
        self._paid_tokens = sum(paid)
        self._next = 0.0  # when the next request may be sent
        self.spending = Spending()

    def ask(self, request: ChatRequest, expected: int) -> Answer:
        """The answer to a request, of at most about ``expected`` tokens.

        Raises :class:`BudgetError`, or :class:`InputError` after the last attempt.
        """
        while True:
            with self._lock:
                other = self._under_way.get(request.digest)
                if other is None:
                    mine = self._under_way[request.digest] = threading.Event()
                    break
            other.wait()  # the same request is under way: its answer will be kept
        try:
            answer = self._kept.get(request)
            sent = answer is None
            if answer is None:
                answer = self._send(request, expected)
                self._kept.keep(request, answer)
            prompt, completion = spent_tokens(answer, request.messages)
            with self._lock:
                self.spending.requests += 1
                self.spending.sent += sent
                self.spending.prompt_tokens += prompt
                self.spending.completion_tokens += completion
            return answer
        finally:
            with self._lock:
                del self._under_way[request.digest]
            mine.set()

    def _send(self, request: ChatRequest, expected: int) -> Answer:
        reserved = message_tokens(request.messages) + expected
        self._pay(1, reserved)
        answer = None
        try:
            answer = self._answer(request)
        except BusyError as error:
            with self._lock:
                self.spending.failures[str(error)] += 1
            raise InputError(
                f"no answer after {self._settings.attempts} attempts: {error}",
                file=self._settings.address,
                remedy="run again when the server is well; all answers so far are kept",
            ) from None
        finally:
            # What was reserved becomes what it was.
            with self._lock:
                self._paid_requests -= answer is None
                self._paid_tokens += (sum(spent_tokens(answer, request.messages)) if answer else 0) - reserved
        return answer

    def _answer(self, request: ChatRequest) -> Answer:
        """The endpoint's answer, after pauses where it is busy."""
        for attempt in tenacity.Retrying(
            retry=tenacity.retry_if_exception_type(BusyError),
            stop=tenacity.stop_after_attempt(self._settings.attempts),
            wait=_pause,
            before_sleep=self._note,
            reraise=True,
        ):
            with attempt:
                self._await_turn()
                answer = self._endpoint.answer(request)
        return answer

    def _pay(self, requests: int, tokens: int) -> None:
        """Take a request from the budget; :class:`BudgetError` if it could be exceeded."""
        settings = self._settings
        with self._lock:
            for limit, paid, what in (
                (settings.budget_requests, self._paid_requests + requests, "requests"),
                (settings.budget_tokens, self._paid_tokens + tokens, "tokens"),
            ):
                if limit is not None and paid > limit:
                    raise BudgetError(
                        f"the budget of {limit:,} {what} does not allow another request",
                        remedy=f"raise budget_{what} and run again; all answers so far are kept",
                    )
            self._paid_requests += requests
            self._paid_tokens += tokens

    def _await_turn(self) -> None:
        """Sleep until the limit of rate allows another request."""
        if self._settings.requests_per_minute is None:
            return
        with self._lock:
            now = time.monotonic()
            turn = max(now, self._next)
            self._next = turn + 60 / self._settings.requests_per_minute
        time.sleep(turn - now)

    def _note(self, state: tenacity.RetryCallState) -> None:
        assert state.outcome is not None
        with self._lock:
            self.spending.failures[str(state.outcome.exception())] += 1


def _pause(state: tenacity.RetryCallState) -> float:
    """Seconds until the next attempt: the server's own wish, else growing ones."""
    assert state.outcome is not None
    error = state.outcome.exception()
    if isinstance(error, BusyError) and error.pause is not None:
        return error.pause
    return float(tenacity.wait_random_exponential(FIRST_PAUSE, LONGEST_PAUSE)(state))
