"""The parser of Markdown, which notes what its inline rules read: tokens do not tell where markup stands."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

RuleFunction = Callable[[StateInline, bool], bool]
BlockRule = Callable[[StateBlock, int, int, bool], bool]


class Rule(NamedTuple):
    """What a rule of the parser read: characters of the content, the tokens it made, the end of the text of a link."""

    name: str
    start: int
    end: int
    tokens: list[Token]
    label: int


@dataclass
class _Noted:
    """What the rules read of the content of a block; the alternative text of an image is parsed by itself."""

    rules: list[Rule] = field(default_factory=list)
    state: StateInline | None = None

    def of(self, state: StateInline) -> bool:
        """Whether ``state`` is that of the content; the first one is."""
        self.state = self.state or state
        return self.state is state


def markdown_parser() -> MarkdownIt:
    """A parser of the blocks of a file; :func:`rules_of` parses what is in them."""
    parser = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    parser.validateLink = lambda url: True  # type: ignore[method-assign]  # nothing is shown
    (reference,) = (rule for rule in parser.block.ruler.__rules__ if rule.name == "reference")
    parser.block.ruler.at("reference", partial(_reference, reference.fn))
    parser.disable(["text_join", "inline"])
    parser.inline.ruler2.disable("fragments_join")
    for rule in parser.inline.ruler.__rules__:
        rule.fn = _noting(rule.name, rule.fn)
    parser.inline.ruler.__compile__()
    return parser


def rules_of(parser: MarkdownIt, content: str, env: dict[str, Any]) -> list[Rule]:
    """What the rules read of the content of a block, in a file with the definitions ``env``."""
    noted = _Noted()
    parser.inline.parse(content, parser, env | {"noted": noted}, [])
    return noted.rules


def _reference(rule: BlockRule, state: StateBlock, line: int, last: int, silent: bool) -> bool:
    """The rule of definitions of links, without the notes of other dialects."""
    return not state.src.startswith("[^", state.bMarks[line] + state.tShift[line]) and rule(state, line, last, silent)


def _noting(name: str, rule: RuleFunction) -> RuleFunction:
    """The rule, which also notes in ``env["noted"]`` what it read."""

    def noting(state: StateInline, silent: bool) -> bool:
        noted: _Noted | None = None if silent else state.env.get("noted")
        if noted is None or not noted.of(state):
            return rule(state, silent)
        start, count = state.pos, len(state.tokens)
        label = state.md.helpers.parseLinkLabel(state, start, True) if name == "link" and state.src[start] == "[" else 0
        if not rule(state, silent):
            return False
        noted.rules.append(Rule(name, start, state.pos, state.tokens[count:], label))
        return True

    return noting
