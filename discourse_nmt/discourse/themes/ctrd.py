"""CTRD, the Chinese theme–rheme corpus (Tong et al. 2020, COLING; Fu et al. 2021, NLPCC): one XML file per document.

``<S ID="n">`` is a clause. It holds, in text order, themes ``<T FUNCTION="TOP|TXT|INT">`` (topical, textual,
interpersonal) and rhemes ``<R TYPE="NOR|OMN">`` (normal; with an omitted topical theme). ``CONTENT`` has the words of a
unit with punctuation, separated by spaces; ``WORD`` has them without punctuation, and ``NUM`` is their number. The
links between units (``LINKTO…``, ``CONNTO…``) are not read.

Faults of the published files are counted, not corrected: ``NUM`` is often wrong, and some units have no ``WORD``.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from xml.parsers import expat

from discourse_nmt.base.errors import InputError
from discourse_nmt.discourse.formats.reading import text_of, whole_number

LABELS = {
    "TOP": "theme-topical",
    "TXT": "theme-textual",
    "INT": "theme-interpersonal",
    "NOR": "rheme",
    "OMN": "rheme-omitted",
}
"""Label of each kind of unit; in the table ``themes`` both kinds of rheme are ``rheme``."""
KIND = {"T": "FUNCTION", "R": "TYPE"}
KINDS = {"T": ("TOP", "TXT", "INT"), "R": ("NOR", "OMN")}


@dataclass(frozen=True, slots=True)
class CtrdUnit:
    """A theme or rheme: its kind (a key of :data:`LABELS`) and its words with punctuation, possibly none."""

    kind: str
    words: tuple[str, ...]


@dataclass(frozen=True)
class CtrdDocument:
    """The units of each clause, and the numbers of units with a wrong ``NUM`` and without ``WORD``."""

    clauses: tuple[tuple[CtrdUnit, ...], ...]
    wrong_numbers: int
    without_words: int


def labelled_words(clause: Sequence[CtrdUnit], *, omitted: bool) -> Iterator[tuple[str, str]]:
    """The words of a clause with their labels; with ``omitted``, rhemes without a topical theme differ."""
    for unit in clause:
        label = LABELS["NOR" if unit.kind == "OMN" and not omitted else unit.kind]
        for word in unit.words:
            yield word, label


class _Handler:
    """Collects the clauses; refuses document types, and with them all entities except the five of XML."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.parser = expat.ParserCreate()
        self.parser.StartElementHandler = self.start
        self.parser.EndElementHandler = self.end
        self.parser.CharacterDataHandler = self.characters
        self.parser.StartDoctypeDeclHandler = self.doctype
        self.path: list[str] = []
        self.clauses: list[list[CtrdUnit]] = []
        self.wrong_numbers = 0
        self.without_words = 0

    def fail(self, message: str) -> InputError:
        return InputError(message, file=self.name, line=self.parser.CurrentLineNumber)

    def doctype(self, *_: object) -> None:
        raise self.fail("a document type declaration is not allowed")

    def characters(self, data: str) -> None:
        if data.strip():
            raise self.fail(f"text {data.strip()[:20]!r} outside the attributes of a unit")

    def required(self, element: str, attributes: dict[str, str], key: str) -> str:
        if key not in attributes:
            raise self.fail(f"<{element}> has no {key}")
        return attributes[key]

    def start(self, element: str, attributes: dict[str, str]) -> None:
        match self.path, element:
            case [], "DOC":
                pass
            case ["DOC"], "S":
                number = self.required(element, attributes, "ID")
                if whole_number(number, "ID", self.name, self.parser.CurrentLineNumber) != len(self.clauses) + 1:
                    raise self.fail(f"clause {number} follows clause {len(self.clauses)}")
                self.clauses.append([])
            case ["DOC", "S"], "T" | "R":
                self.clauses[-1].append(self.unit(element, attributes))
            case _:
                raise self.fail(f"<{element}> has no place in <{self.path[-1] if self.path else ''}>")
        self.path.append(element)

    def end(self, _: str) -> None:
        self.path.pop()

    def unit(self, element: str, attributes: dict[str, str]) -> CtrdUnit:
        kind = self.required(element, attributes, KIND[element])
        if kind not in KINDS[element]:
            raise self.fail(f"{KIND[element]} is {kind[:20]!r}, not {' or '.join(KINDS[element])}")
        bare = self.required(element, attributes, "WORD").split()
        self.wrong_numbers += attributes.get("NUM") != str(len(bare))
        self.without_words += not bare
        return CtrdUnit(kind, tuple(self.required(element, attributes, "CONTENT").split()))


def read_ctrd(content: str | bytes, name: str) -> CtrdDocument:
    """Read one document; raises :class:`InputError` naming the line at fault in the file ``name``."""
    handler = _Handler(name)
    try:
        handler.parser.Parse(text_of(content, name), True)
    except expat.ExpatError as error:
        raise InputError(f"not XML ({expat.ErrorString(error.code)})", file=name, line=error.lineno) from None
    return CtrdDocument(tuple(map(tuple, handler.clauses)), handler.wrong_numbers, handler.without_words)
