"""What characters of a game say, as documents: a script is one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from discourse_nmt.base.settings import setting
from discourse_nmt.base.sources import Source
from discourse_nmt.corpus.documents import Document, Drop
from discourse_nmt.corpus.reading.division import divide
from discourse_nmt.corpus.reading.message_catalogues import translations_of
from discourse_nmt.corpus.reading.requests import Request, by_key, one_line


@dataclass(frozen=True)
class Options:
    """The unit of a text."""

    split_sentences: bool = setting(
        True, "divide a text into sentences where both sides have the same number of them; else texts stay whole"
    )
    speakers_in_source: bool = setting(
        False,
        "begin each source sentence with the name of its speaker and a colon, as a play does: 'Tux: Who are you?'",
    )


@dataclass(frozen=True, slots=True)
class Spoken:
    """What is said at once: its 1-based line, both sides, the speaker if the script names one, and the scene.

    The target is empty where the catalogues have no translation.
    """

    line: int
    source: str
    target: str
    speaker: str | None
    scene: object


def catalogues_of(request: Request) -> Mapping[str, Mapping[str, str]]:
    """The translations of each catalogue of the target side, by the name of its file."""
    files = by_key([replace(source, key=None) for source in request.sources["target"]])
    return {name: translations_of(file) for name, file in files.items()}


def document_of(key: str, script: Source, spoken: Sequence[Spoken], request: Request, options: Options) -> Document:
    """The document ``key`` of a script, divided into sentences and with the names of speakers if it is to be.

    What has no translation is left out and counted.
    """
    kept = [place for place, one in enumerate(spoken) if one.target]
    document = Document.start(key, script.name, script.name)
    document.speakers, document.scenes = [], []
    scenes: dict[object, int] = {}
    for place, one in enumerate(spoken):
        if not one.target:
            between = bool(kept) and kept[0] < place < kept[-1]
            request.drops.append(Drop(key, one.line, "untranslated", one.source, 1, between))
            continue
        document.line = document.line or one.line
        document.add(one.source, one.target, one.line)
        document.speakers.append(None if one.speaker is None else one_line(one.speaker))
        document.scenes.append(scenes.setdefault(one.scene, len(scenes)))
    if options.split_sentences:
        divide(document, request)
    if options.speakers_in_source:
        named = zip(document.source.sentences, document.speakers, strict=True)
        document.source.sentences = [text if speaker is None else f"{speaker}: {text}" for text, speaker in named]
    return document
