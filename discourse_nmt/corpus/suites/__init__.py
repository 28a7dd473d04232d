"""Test suites of discourse phenomena: options, reader and file roles of each format."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from discourse_nmt.corpus.address import forms
from discourse_nmt.corpus.reading.requests import Request
from discourse_nmt.corpus.suites import address, contracat, contrapro, ctxpro, discevalmt, voita
from discourse_nmt.corpus.suites.items import Item

PAIR = ("source", "target")
CONTEXTS = contrapro.CONTEXTS


@dataclass(frozen=True)
class SuiteFormat:
    """A suite format: the dataclass of its options, its reader, and the sets of file roles that it accepts.

    With ``generated``, the suite searches a system's translations for expected forms; otherwise the system scores the
    suite's translations. ``check_languages`` raises :class:`.InputError` for a source and a target language that it
    cannot have.
    """

    options: type
    read: Callable[[Request, Any], Iterator[Item]]
    roles: tuple[tuple[str, ...], ...]
    generated: bool = False
    check_languages: Callable[[str, str], None] = lambda source, target: None


FORMATS: dict[str, SuiteFormat] = {
    "voita": SuiteFormat(voita.Options, voita.read, (("files",),)),
    "contrapro": SuiteFormat(
        contrapro.Options,
        contrapro.read,
        tuple(
            (*PAIR, *groups, *contexts)
            for groups in (("groups",), ("metadata",), ("groups", "metadata"))
            for contexts in ((), CONTEXTS)
        ),
    ),
    "contracat": SuiteFormat(contracat.Options, contracat.read, ((*PAIR, "genders"),)),
    "discevalmt": SuiteFormat(discevalmt.Options, discevalmt.read, (("files",),)),
    "ctxpro": SuiteFormat(ctxpro.Options, ctxpro.read, (("files", "source"),), generated=True),
    "address": SuiteFormat(address.Options, address.read, (("splits",),), True, forms.check_languages),
}
