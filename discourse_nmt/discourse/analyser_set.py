"""The analysers of one language that work on words, for raw text (the pipeline) and gold words (the evaluation)."""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Protocol

from discourse_nmt.base.errors import InputError
from discourse_nmt.discourse.analysers.analyser import Analyser
from discourse_nmt.discourse.backends.builtin.joint import joint_network
from discourse_nmt.discourse.backends.builtin.models import THEME_LANGUAGES, has_model
from discourse_nmt.discourse.coreference.resolver import Resolver
from discourse_nmt.discourse.coreference.speech.turns import Speakers
from discourse_nmt.discourse.coreference.weights import load_resolver
from discourse_nmt.discourse.parsing.document import ParserInput
from discourse_nmt.discourse.parsing.parser import RstParser
from discourse_nmt.discourse.parsing.weights import load_rst_parser
from discourse_nmt.discourse.structures.mentions import Chain, Span
from discourse_nmt.discourse.structures.syntax import Syntax
from discourse_nmt.discourse.structures.trees import RstTree
from discourse_nmt.discourse.themes.labelling import ThemeSpan, label_themes

ThemeLabelling = Callable[[Sequence[Syntax], Sequence[Span]], Sequence[ThemeSpan]]


class TreeParser(Protocol):
    """Builds the rhetorical structure tree of documents."""

    def parse(self, documents: Sequence[ParserInput]) -> Sequence[RstTree]:
        """One tree per document."""
        ...


class ChainResolver(Protocol):
    """Finds the coreference chains of documents."""

    def resolve(
        self, documents: Sequence[Sequence[Syntax]], speakers: Sequence[Speakers] | None = None
    ) -> Sequence[tuple[Chain, ...]]:
        """The chains of each document, over spans of words; ``speakers`` has who says each of its sentences."""
        ...


@dataclass(frozen=True)
class Analysers:
    """The joint network and the analysers above it; None where the language has no such analyser."""

    joint: Analyser
    parser: TreeParser | None = None
    resolver: ChainResolver | None = None
    label_themes: ThemeLabelling | None = None


def load_analysers(folder: Path, language: str) -> Analysers:
    """The analysers of ``language`` in ``folder``; the log names each one that is missing.

    A missing joint network, a damaged file, or a parser trained with another joint network is an :class:`InputError`.
    """
    joint = joint_network(folder)
    parser: RstParser | None = load_rst_parser(folder) if has_model(folder, "rst") else None
    resolver: Resolver | None = load_resolver(folder) if has_model(folder, "coreference") else None
    label = partial(label_themes, language=language) if language in THEME_LANGUAGES else None
    for name, analyser in (("rhetorical structure", parser), ("coreference", resolver), ("themes", label)):
        if analyser is None:
            logging.info("no builtin analyser of %s for the language %s: left out", name, language)
    if parser is not None and parser.state_size != joint.state_size:
        raise InputError("the RST parser and the joint network do not belong together", file=folder)
    return Analysers(joint, parser, resolver, label)
