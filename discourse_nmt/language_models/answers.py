"""Answers that were paid for, kept by the digest of their requests: a file for each, written whole or not at all."""

import dataclasses
import json
from pathlib import Path
from typing import Any, NamedTuple

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.storage.files import read_json, replacing
from discourse_nmt.language_models.chat import Answer, ChatRequest, Message, spent_tokens


class KeptAnswers:
    """The answers in a folder, which experiments share; ``owner`` is the experiment that pays for new ones."""

    def __init__(self, folder: Path, owner: str) -> None:
        self._folder, self._owner = folder, owner

    def path(self, request: ChatRequest) -> Path:
        """The file of the answer to ``request``."""
        return self._folder / request.digest[:2] / f"{request.digest}.json"

    def get(self, request: ChatRequest) -> Answer | None:
        """The answer that was kept; None if there is none. A damaged file is an :class:`InputError`."""
        path = self.path(request)
        return _read(path).answer if path.exists() else None

    def keep(self, request: ChatRequest, answer: Answer) -> None:
        """Keep the ``answer`` with its request, which has no key."""
        value = {"owner": self._owner, "request": request.body, "answer": dataclasses.asdict(answer)}
        with replacing(self.path(request), sealed=False) as temporary:
            temporary.write_text(json.dumps(value, ensure_ascii=False, indent=1), encoding="utf-8")

    def paid(self) -> list[int]:
        """The tokens, sent and received, of each answer that the owner has paid for."""
        kept = (_read(path) for path in sorted(self._folder.glob("*/*.json")))
        return [sum(spent_tokens(one.answer, one.messages)) for one in kept if one.owner == self._owner]


class _KeptAnswer(NamedTuple):
    """The content of a file."""

    owner: str
    messages: list[Message]
    answer: Answer


def _read(path: Path) -> _KeptAnswer:
    value: Any = read_json(path)
    try:
        return _KeptAnswer(value["owner"], value["request"]["messages"], Answer(**value["answer"]))
    except (TypeError, KeyError):
        remedy = "delete it; it is asked for again"
        raise InputError("no answer of a language model", file=path, remedy=remedy) from None
