"""The XML formats rs3 (RSTTool, rstWeb) and rs4 (rs3 with signals and secondary edges, Zeldes et al. 2025).

A file is a graph: every segment (EDU) and group names its parent. The parent of a satellite is its nucleus. The parent
of a nucleus is a ``span`` group, which covers the nucleus and its satellites, or a ``multinuc`` group. Node ids are
kept as text.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from xml.parsers import expat
from xml.sax.saxutils import escape, quoteattr

from discourse_nmt.base.errors import InputError
from discourse_nmt.discourse.formats.reading import text_of, whole_number

DEEPEST = 100  # nested elements; the format needs 4, but a header may hold anything


@dataclass(frozen=True, slots=True)
class RstUnit:
    """A segment (``type`` segment, with its ``text``) or a group (``type`` span or multinuc)."""

    id: str
    type: str
    parent: str | None
    relation: str | None
    text: str = ""


@dataclass(frozen=True, slots=True)
class SecondaryEdge:
    """A relation of rs4 outside the tree."""

    id: str
    source: str
    target: str
    relation: str


@dataclass(frozen=True, slots=True)
class Signal:
    """A signal of a node's relation: type, subtype, the words of the document (from 1), and an optional status."""

    source: str
    type: str
    subtype: str
    tokens: tuple[int, ...]
    status: str | None = None


@dataclass(frozen=True)
class RstGraph:
    """The content of an rs3 or rs4 file; :func:`.tree_of_graph` makes a tree of it."""

    relations: tuple[tuple[str, str], ...]
    units: tuple[RstUnit, ...]
    extended: bool = False
    """Whether the file is rs4."""
    signal_types: tuple[tuple[str, str], ...] = ()
    secondary_edges: tuple[SecondaryEdge, ...] = ()
    signals: tuple[Signal, ...] = ()


class _Handler:
    """Collects the elements; refuses document types, and with them all entities except the five of XML."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.parser = expat.ParserCreate()
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self.start
        self.parser.EndElementHandler = self.end
        self.parser.CharacterDataHandler = self.characters
        self.parser.StartDoctypeDeclHandler = self.doctype
        self.path: list[str] = []
        self.segment: dict[str, str] | None = None
        self.texts: list[str] = []
        self.relations: list[tuple[str, str]] = []
        self.units: list[RstUnit] = []
        self.ids: set[str] = set()
        self.extended = False
        self.signal_types: list[tuple[str, str]] = []
        self.secondary_edges: list[SecondaryEdge] = []
        self.signals: list[Signal] = []

    def fail(self, message: str) -> InputError:
        return InputError(message, file=self.name, line=self.parser.CurrentLineNumber)

    def doctype(self, *_: object) -> None:
        raise self.fail("a document type declaration is not allowed")

    def characters(self, data: str) -> None:
        if self.segment is not None:
            self.texts.append(data)
        elif data.strip() and "header" not in self.path:
            raise self.fail(f"text {data.strip()[:20]!r} outside a segment")

    def required(self, attributes: dict[str, str], *keys: str) -> list[str]:
        for key in keys:
            if key not in attributes:
                raise self.fail(f"<{self.path[-1]}> has no {key}")
        return [attributes[key] for key in keys]

    def start(self, element: str, attributes: dict[str, str]) -> None:
        inside = self.path[-1] if self.path else ""
        if len(self.path) == DEEPEST:
            raise self.fail(f"elements are nested more than {DEEPEST} deep")
        self.path.append(element)
        if element in ("sigtypes", "secedges", "signals"):
            self.extended = True
        match inside, element:
            case "", "rst" if not self.units:
                pass
            case "rst", "header" | "body":
                pass
            case "relations", "rel":
                (relation,) = self.required(attributes, "name")
                self.relations.append((relation, attributes.get("type", "rst")))
            case "sigtypes", "sig":
                kind, subtypes = self.required(attributes, "type", "subtypes")
                self.signal_types.append((kind, subtypes))
            case "body", "segment":
                self.segment, self.texts = attributes, []
            case "body", "group":
                (kind,) = self.required(attributes, "type")
                if kind not in ("span", "multinuc"):
                    raise self.fail(f"a group of the type {kind!r}")
                self.add(kind, attributes)
            case "body", "secedges" | "signals":
                pass
            case "secedges", "secedge":
                self.secondary_edges.append(
                    SecondaryEdge(*self.required(attributes, "id", "source", "target", "relname"))
                )
            case "signals", "signal":
                self.add_signal(attributes)
            case _ if "header" not in self.path[:-1]:
                raise self.fail(f"<{element}> has no place in <{inside}>")

    def end(self, element: str) -> None:
        if element == "segment" and self.segment is not None:
            self.add("segment", self.segment, "".join(self.texts))
            self.segment = None
        self.path.pop()

    def add(self, kind: str, attributes: dict[str, str], text: str = "") -> None:
        (number,) = self.required(attributes, "id")
        if number in self.ids:
            raise self.fail(f"node {number} is there twice")
        parent, relation = attributes.get("parent"), attributes.get("relname")
        if parent is not None and not relation:
            raise self.fail(f"node {number} has a parent and no relname")
        self.ids.add(number)
        self.units.append(RstUnit(number, kind, parent, relation if parent is not None else None, text))

    def add_signal(self, attributes: dict[str, str]) -> None:
        source, kind, subtype, tokens = self.required(attributes, "source", "type", "subtype", "tokens")
        line = self.parser.CurrentLineNumber
        numbers = tuple(whole_number(token, "word", self.name, line) for token in (tokens.split(",") if tokens else ()))
        self.signals.append(Signal(source, kind, subtype, numbers, attributes.get("status")))


def read_rs3(content: str | bytes, name: str) -> RstGraph:
    """Read an rs3 or rs4 file; bytes may declare an encoding of expat (UTF-8, UTF-16, Latin-1, ASCII).

    Every parent, edge and signal must name a node; :func:`.tree_of_graph` checks that the nodes form a tree.
    """
    handler = _Handler(name)
    try:
        handler.parser.Parse(text_of(content, name) if isinstance(content, str) else content, True)
    except expat.ExpatError as error:
        raise InputError(f"not XML ({expat.ErrorString(error.code)})", file=name, line=error.lineno) from None
    except (LookupError, ValueError) as error:
        raise InputError(f"an encoding that cannot be read ({error})", file=name) from None
    for unit in handler.units:
        if unit.parent is not None and unit.parent not in handler.ids:
            raise InputError(f"node {unit.id} has the parent {unit.parent}, which is no node", file=name)
    for owner, ends in _ends(handler.secondary_edges, handler.signals):
        for end in ends:
            if end not in handler.ids:
                raise InputError(f"{owner} names node {end}, which is no node", file=name)
    return RstGraph(
        tuple(handler.relations),
        tuple(handler.units),
        handler.extended,
        tuple(handler.signal_types),
        tuple(handler.secondary_edges),
        tuple(handler.signals),
    )


def _ends(edges: Sequence[SecondaryEdge], signals: Sequence[Signal]) -> list[tuple[str, tuple[str, ...]]]:
    """The name in messages and the node ids of each secondary edge and each signal."""
    ends_of_edges = [(f"secondary edge {edge.id}", (edge.source, edge.target)) for edge in edges]
    # A signal may belong to a secondary edge: its source is then the id of the edge, not of a node.
    edge_ids = {edge.id for edge in edges}
    return ends_of_edges + [("a signal", (signal.source,)) for signal in signals if signal.source not in edge_ids]


def write_rs3(graph: RstGraph) -> str:
    """The XML text in the layout of rstWeb: rs4 if the graph is ``extended``, else rs3."""
    lines = ["<rst>", "\t<header>", "\t\t<relations>"]
    lines += [f"\t\t\t<rel name={_quote(name)} type={_quote(kind)}/>" for name, kind in graph.relations]
    lines.append("\t\t</relations>")
    if graph.extended:
        lines.append("\t\t<sigtypes>")
        lines += [f"\t\t\t<sig type={_quote(kind)} subtypes={_quote(subs)}/>" for kind, subs in graph.signal_types]
        lines.append("\t\t</sigtypes>")
    lines += ["\t</header>", "\t<body>"]
    lines += [_unit(unit, graph.extended) for unit in graph.units]
    if graph.secondary_edges:
        lines.append("\t\t<secedges>")
        lines += [
            f"\t\t\t<secedge id={_quote(edge.id)} source={_quote(edge.source)} target={_quote(edge.target)}"
            f" relname={_quote(edge.relation)}/>"
            for edge in graph.secondary_edges
        ]
        lines.append("\t\t</secedges>")
    if graph.extended:
        lines += ["\t\t<signals>", *map(_signal, graph.signals), "\t\t</signals>"]
    lines += ["\t</body>", "</rst>"]
    return "\n".join(lines) + ("" if graph.extended else "\n")


def _quote(text: str) -> str:
    return quoteattr(text, {'"': "&quot;"}).replace("&gt;", ">")


def _escape(text: str) -> str:
    return escape(text, {"\r": "&#13;"}).replace("&gt;", ">").replace("]]>", "]]&gt;")


def _unit(unit: RstUnit, extended: bool) -> str:
    place = "" if unit.parent is None else f" parent={_quote(unit.parent)} relname={_quote(unit.relation or '')}"
    if unit.type == "segment":
        return f"\t\t<segment id={_quote(unit.id)}{place}>{_escape(unit.text)}</segment>"
    space = " " if unit.parent is None and not extended else ""
    return f'\t\t<group id={_quote(unit.id)} type="{unit.type}"{place}{space}/>'


def _signal(signal: Signal) -> str:
    status = "" if signal.status is None else f" status={_quote(signal.status)}"
    tokens = ",".join(map(str, signal.tokens))
    return (
        f"\t\t\t<signal source={_quote(signal.source)} type={_quote(signal.type)}"
        f' subtype={_quote(signal.subtype)} tokens="{tokens}"{status}/>'
    )
