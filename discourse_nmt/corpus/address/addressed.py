"""The sentences of scenes whose translation shows how a character says *you*."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from discourse_nmt.corpus.address.forms import form_of_address
from discourse_nmt.corpus.address.scenes import Row, pairs_of, scenes


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
