"""Dialogues in JSON: ``{id: [{"speaker": ..., "source": ..., "target": ...}, ...]}``, as in the BConTrasT corpus.

Each turn is translated from its speaker's language, so that the turns of one speaker run against the corpus's
direction.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.settings import setting
from discourse_nmt.base.sources import Source
from discourse_nmt.corpus.documents import Document
from discourse_nmt.corpus.reading.json_text import Json, fields_of, load
from discourse_nmt.corpus.reading.requests import Request, one_line


@dataclass(frozen=True)
class Options:
    """The speakers of each language."""

    forward_speakers: list[str] = setting(["agent"], "speakers whose original is on the corpus's source side")
    reversed_speakers: list[str] = setting(["customer"], "speakers whose original is on its target side")


def read(request: Request, options: Options) -> Iterator[Document]:
    """The dialogues in file order, under their ids; the "line" of a turn is its number within the dialogue."""
    for source in request.sources["files"]:
        dialogues = load(source)
        if not isinstance(dialogues, dict):
            raise InputError("not an object of dialogues", file=source.name, remedy='write {"id": [turn, ...], ...}')
        for doc_id, turns in dialogues.items():
            document = Document.start(doc_id, source.name, source.name)
            document.source.unit = document.target.unit = f"dialogue {doc_id[:80]}, turn"
            if not isinstance(turns, list):
                raise InputError(f"dialogue {doc_id[:80]} is not a list of turns", file=source.name)
            for number, turn in enumerate(turns, start=1):
                speaker, text, translation = _turn(turn, f"dialogue {doc_id[:80]}, turn {number}", source)
                if speaker in options.reversed_speakers:
                    text, translation = translation, text
                elif speaker not in options.forward_speakers:
                    raise InputError(
                        f"dialogue {doc_id[:80]}, turn {number}: unknown speaker {speaker[:40]!r}",
                        file=source.name,
                        remedy="name every speaker in forward_speakers or reversed_speakers",
                    )
                document.add(text, translation, number)
            yield document


def _turn(turn: Json, place: str, source: Source) -> tuple[str, str, str]:
    fields = [fields_of(turn).get(key) for key in ("speaker", "source", "target")]
    if not all(isinstance(value, str) for value in fields):
        raise InputError(f"{place}: speaker, source and target must be there and be text", file=source.name)
    speaker, text, translation = (one_line(str(value)) for value in fields)
    return speaker, text, translation
