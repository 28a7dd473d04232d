"""Requests to a language model and its answers, in OpenAI's chat protocol."""

import hashlib
import json
from dataclasses import dataclass
from functools import cached_property
from typing import Any

Message = dict[str, str]
"""``role`` (system or user) and ``content``."""


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

    @property
    def tokens(self) -> int:
        """Tokens sent and received."""
        return (self.prompt_tokens or 0) + (self.completion_tokens or 0)


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
