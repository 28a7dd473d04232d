"""Chats to fine-tune language models with: the prompts of this package, answered by the references."""

from collections.abc import Iterable, Iterator
from typing import Any

from discourse_nmt.base.characters import has_text
from discourse_nmt.discourse.records.record import DocumentRecord
from discourse_nmt.language_models.prompts import Prompts
from discourse_nmt.language_models.settings import FORMS
from discourse_nmt.language_models.translation import DocumentInWork


def chats(
    records: Iterable[DocumentRecord], form: str, languages: tuple[str, str], seed: int = 1
) -> Iterator[dict[str, Any]]:
    """Yield a chat for each unit of the documents: ``messages`` of system, user and assistant, and where they are from.

    A unit without a reference is left out, and so are its lines from later contexts. ``seed`` draws shuffled tags.
    """
    settings = FORMS[form]
    prompts = Prompts(settings, languages, seed)
    for record in records:
        document = DocumentInWork(record, prompts, settings, seed)
        waiting = list(document.ready())
        while waiting:
            unit, request = waiting.pop(0)
            lines = [" ".join(record.target[sentence].split()) for sentence in unit]
            document.take(unit, lines)
            waiting += document.ready()
            if all(map(has_text, lines)):
                answer = {"role": "assistant", "content": "\n".join(lines)}
                yield {
                    "doc_id": record.doc_id,
                    "first_sentence": unit.start,
                    "sentences": len(unit),
                    "messages": [*request.messages, answer],
                }
