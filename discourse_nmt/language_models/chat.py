"""Requests to a language model and its answers, in OpenAI's chat protocol, and about how many tokens they have.

Vocabularies of language models differ. For an unknown one, common words count one token, long words one for each
:data:`PIECE` characters, marks one each; where scripts have no spaces each character counts one. What servers said of
earlier answers corrects the sum.
"""

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import regex

Message = dict[str, str]
"""``role`` (system or user) and ``content``."""

PIECE = 6  # characters of a long word that make a token
OVERHEAD = 4  # tokens that a message has beside its content
PARTS = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}]|[\p{L}\p{M}]+|\p{N}{1,3}|[^\s\p{L}\p{M}\p{N}]|\n+")


@dataclass(frozen=True)
class ChatRequest:
    """A request: everything that an answer depends on."""

    model: str
    messages: tuple[Message, ...]
    parameters: dict[str, Any]

    @property
    def body(self) -> dict[str, Any]:
        """The body of the request."""
        return {"model": self.model, "messages": list(self.messages), **self.parameters}

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the body."""
        return hashlib.sha256(json.dumps(self.body, sort_keys=True).encode()).hexdigest()


@dataclass(frozen=True)
class Answer:
    """An answer; numbers of tokens are the server's, or None where it says none."""

    text: str
    finish_reason: str = "stop"
    prompt_tokens: int | None = None
    completion_tokens: int | None = None


class UnreadableAnswerError(Exception):
    """A server's answer that is not of the protocol; the message says what is wrong."""


def answer_of(body: object) -> Answer:
    """The answer in the body of a response; :class:`UnreadableAnswerError` if it holds none."""
    if not isinstance(body, dict):
        raise UnreadableAnswerError("it is no JSON object")
    choices = body.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices and isinstance(choices[0], dict) else None
    message = choice.get("message") if choice else None
    if choice is None or not isinstance(message, dict):
        raise UnreadableAnswerError("it has no choices with a message")
    text, reason = message.get("content"), choice.get("finish_reason")
    if text is not None and not isinstance(text, str):
        raise UnreadableAnswerError("its content is no text")
    usage = body.get("usage")
    counts = [usage.get(f"{kind}_tokens") if isinstance(usage, dict) else None for kind in ("prompt", "completion")]
    prompt, completion = (count if isinstance(count, int) else None for count in counts)
    return Answer(text or "", reason if isinstance(reason, str) else "stop", prompt, completion)


def token_count(text: str) -> int:
    """The tokens of a ``text``, by rule."""
    return sum(-(-len(part) // PIECE) for part in PARTS.findall(text))


def message_tokens(messages: Iterable[Message]) -> int:
    """The tokens of the messages of a request, by rule."""
    return sum(token_count(message["content"]) + OVERHEAD for message in messages)


def correction(pairs: Iterable[tuple[int, int]]) -> float:
    """The factor on counts by rule that gives those of a server; ``pairs`` holds both for earlier texts."""
    by_rule, said = (sum(column) for column in zip(*pairs)) if (pairs := list(pairs)) else (0, 0)
    return said / by_rule if by_rule and said else 1.0


def spent_tokens(answer: Answer, messages: Iterable[Message]) -> tuple[int, int]:
    """Tokens sent and received: the server's numbers, else those by rule."""
    sent = message_tokens(messages) if answer.prompt_tokens is None else answer.prompt_tokens
    return sent, token_count(answer.text) if answer.completion_tokens is None else answer.completion_tokens
