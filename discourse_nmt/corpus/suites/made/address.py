"""Items of address, made from splits of the corpus: sentences whose translation shows how a character says *you*.

``splits`` are the tables of sentences of such a split. A sentence is an item if its source has a word for *you* and its
translation words of one form of address alone. Its context is the scene up to it, with the reference translations.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from discourse_nmt.base.sources import Source
from discourse_nmt.base.storage.shard_files import read_shards
from discourse_nmt.corpus.reading.requests import Request
from discourse_nmt.corpus.suites.items import Item, document
from discourse_nmt.corpus.suites.made.address_forms import FORMS, form_of_address
from discourse_nmt.corpus.suites.made.scenes import Row, pairs_of, rows_of, scenes


@dataclass(frozen=True)
class Options:
    """The format has no options."""


@dataclass(frozen=True, slots=True)
class Addressed:
    """The sentence at a ``place`` of its ``scene``, which addresses somebody in one ``form``.

    ``distance`` is the number of sentences back to the speaker's last such sentence in the scene, None without one. A
    ``repeated`` sentence was said before in the scene, in another branch of a script; it is no item.
    """

    scene: list[Row]
    place: int
    form: str
    distance: int | None
    repeated: bool

    @property
    def row(self) -> Row:
        """Its row of the table ``sentences``."""
        return self.scene[self.place]

    @property
    def speaker(self) -> str | None:
        """The name of the one who says it."""
        speaker: str | None = self.row["speaker"]
        return speaker

    @property
    def phenomenon(self) -> str:
        """The phenomenon of its item."""
        return f"address/{self.form}"


def read(request: Request, options: Options) -> Iterator[Item]:
    """The items of each table."""
    for file in request.sources["splits"]:
        rows = (row for shard in read_shards(file.path, "sentences") for row in rows_of(shard))
        for scene in addressed(rows, request.target_language):
            for sentence in scene:
                if not sentence.repeated:
                    yield _item(sentence, file, request.target_language)


def addressed(rows: Iterable[Row], language: str) -> Iterator[list[Addressed]]:
    """The sentences of each scene that address somebody in one form of ``language``, in order."""
    for scene in scenes(rows):
        found: list[Addressed] = []
        last: dict[str, int] = {}  # place of each speaker's last sentence with a form
        said = set[tuple[str, str]]()
        for place, pair in enumerate(pairs_of(scene)):
            if (form := form_of_address(*pair, language)) is not None:
                speaker = scene[place]["speaker"]
                distance = place - last[speaker] if speaker in last else None
                found.append(Addressed(scene, place, form, distance, pair in said))
                if speaker is not None:
                    last[speaker] = place
            said.add(pair)
        yield found


def _item(sentence: Addressed, file: Source, language: str) -> Item:
    context = sentence.scene[: sentence.place + 1]
    right = document(
        (file, file), sentence.row["sent_id"], pairs_of(context), unit=f"{sentence.row['doc_id']} sentence"
    )
    right.speakers = [row["speaker"] for row in context]
    return Item(right, sentence.phenomenon, sentence.distance, expected=FORMS[language][sentence.form])
