"""About how many tokens a text has, before a server says it.

Vocabularies of language models differ. For an unknown one, common words count one token, long words one for each
:data:`PIECE` characters, marks one each; where scripts have no spaces each character counts one. What servers said of
earlier answers corrects the sum.
"""

from collections.abc import Callable, Iterable

import regex

from discourse_nmt.language_models.chat import Answer, ChatRequest, Message

TokenCount = Callable[[str], int]

PIECE = 6  # characters of a long word that make a token
OVERHEAD = 4  # tokens that a message has beside its content
PARTS = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}]|[\p{L}\p{M}]+|\p{N}{1,3}|[^\s\p{L}\p{M}\p{N}]|\n+")


def counted(text: str) -> int:
    """The tokens of a ``text``, by rule."""
    return sum(-(-len(part) // PIECE) for part in PARTS.findall(text))


def counted_messages(messages: Iterable[Message]) -> int:
    """The tokens of the messages of a request, by rule."""
    return sum(counted(message["content"]) + OVERHEAD for message in messages)


def correction(pairs: Iterable[tuple[int, int]]) -> float:
    """The factor on counts by rule that gives those of a server; ``pairs`` holds both for earlier texts."""
    by_rule, said = (sum(column) for column in zip(*pairs)) if (pairs := list(pairs)) else (0, 0)
    return said / by_rule if by_rule and said else 1.0


def of_answer(answer: Answer, request: ChatRequest) -> tuple[int, int]:
    """Tokens sent and received: the server's numbers, else those by rule."""
    sent = counted_messages(request.messages) if answer.prompt_tokens is None else answer.prompt_tokens
    return sent, counted(answer.text) if answer.completion_tokens is None else answer.completion_tokens
