"""Inputs for readers: valid files damaged in a few places, files made up of a format's own pieces, and noise."""

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass

from hypothesis import strategies as st

# What has broken readers of text before: ends of lines, quotes, numbers and nesting out of any bound, half characters.
PAYLOADS = [
    *(b"\0", b"\r", b"\n", b"\r\n", b"\n\n", b"\t", b" ", b",", b'"', b"'", b"\\"),
    *(b"<", b">", b"&", b"{", b"]", b"(", b")"),
    *(b"_", b"-", b"|", b"=", b":", b"#", b"_!", b"<S>", b"<P>", b"</seg>", b"<d>", b"$(touch pwned)", b"`id`", b"../"),
    *(b"-1", b"0", b"00", b"1e999", b"NaN", b"9" * 30, b"9" * 5000, b"[" * 3000, b"<a>" * 3000, b"(" * 3000),
    *(b"&#0;", b"&#x110000;", b"&lol;", b"%x;", b"<!DOCTYPE a [<!ENTITY b 'c'>]>", b"<![CDATA[", b"<!--", b"<?x?>"),
    *(b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xef\xbb\xbf", b"\xff\xfe", b"\\ud800", b"\\u0000"),
    *(text.encode() for text in ("\u2028", "\x85", "٣", "²", "\u202e", "e\u0301", "\U0010ffff", "İ", "ß", "\u3000")),
]
WORD = re.compile(rb"\w+|\s|[^\w\s]")


@dataclass(frozen=True)
class Damage:
    """One accident: what happens, at which share of the content, to how many bytes, and with which bytes."""

    kind: str
    place: float
    length: int
    payload: bytes

    def done_to(self, content: bytes) -> bytes:
        """The damaged content."""
        start = int(self.place * len(content))
        end = min(len(content), start + self.length)
        match self.kind:
            case "insert":
                return content[:start] + self.payload + content[start:]
            case "replace":
                return content[:start] + self.payload + content[end:]
            case "delete":
                return content[:start] + content[end:]
            case "double":
                return content[:end] + content[start:end] + content[end:]
            case "flip":
                return (
                    content[:start]
                    + bytes(byte ^ 1 << self.length % 8 for byte in content[start : start + 1])
                    + content[start + 1 :]
                )
            case "cut":
                return content[:start]
            case "delete mark":
                marks = [index for index, byte in enumerate(content) if byte in b'\n\t,"<>/&:{}[]=']
                index = marks[int(self.place * len(marks))] if marks else 0
                return content[:index] + content[index + 1 :]
            case "empty":
                return b""
        lines = content.split(b"\n")
        number = int(self.place * len(lines)) % len(lines)
        if self.kind == "drop line":
            del lines[number]
        elif self.kind == "double line":
            lines.insert(number, lines[number])
        else:
            lines.insert(self.length % len(lines), lines.pop(number))
        return b"\n".join(lines)


KINDS = [
    *("insert", "replace", "delete", "double", "flip", "cut", "delete mark", "empty"),
    *("drop line", "double line", "move line"),
]


def random_damage(dice: random.Random, kinds: Sequence[str] = KINDS) -> Damage:
    """One accident of one of the ``kinds``, from a seeded generator."""
    return Damage(dice.choice(kinds), dice.random(), dice.randrange(12), dice.choice(PAYLOADS))


DAMAGES = st.builds(
    Damage,
    st.sampled_from(KINDS),
    st.floats(0, 1, exclude_max=True),
    st.integers(0, 40),
    st.sampled_from(PAYLOADS) | st.binary(max_size=4),
)


def contents(seed: bytes, *, text: bool = True) -> st.SearchStrategy[bytes]:
    """Inputs for a reader of which ``seed`` is a valid file; ``text`` says that it is made of words."""
    damaged = st.lists(DAMAGES, min_size=1, max_size=4).map(lambda all: _damaged(seed, all))
    if not text:
        return st.one_of(damaged, damaged, damaged, st.binary(max_size=200))
    pieces = sorted({*WORD.findall(seed), *PAYLOADS[:32]})
    made_up = st.lists(st.sampled_from(pieces), max_size=60).map(b"".join)
    return st.one_of(damaged, damaged, damaged, made_up, st.binary(max_size=200))


def _damaged(content: bytes, damages: list[Damage]) -> bytes:
    for damage in damages:
        content = damage.done_to(content)
    return content
