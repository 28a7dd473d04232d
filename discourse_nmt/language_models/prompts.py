"""Prompts: Jinja templates that see a document's structure.

A template has two blocks, ``system`` and ``user``, which become the messages. It reads ``source_language`` and
``target_language`` (English names), ``unit`` (the sentences to translate), ``context`` (others, each with ``number``,
``source`` and ``target``, its translation, if there is one already), ``glossary`` (pairs of terms) and ``document``, a
:class:`DocumentView`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import jinja2
import numpy as np

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.languages import language_name
from discourse_nmt.discourse.records.record import DocumentRecord
from discourse_nmt.language_models.chat import ChatRequest, Message
from discourse_nmt.language_models.prompt_files import BLOCKS, Terms, parsed_template
from discourse_nmt.language_models.settings import LanguageModelSettings


@dataclass(frozen=True)
class ShownSentence:
    """A sentence of the context."""

    number: int
    """From 1."""
    source: str
    target: str | None


@dataclass(frozen=True)
class DocumentView:
    """A document as templates see it: texts, not numbers."""

    record: DocumentRecord
    translations: Mapping[int, str]
    """Translations so far, by sentence from 0."""
    seed: int

    @property
    def id(self) -> str:
        """Its id."""
        return self.record.doc_id

    @property
    def sentences(self) -> Sequence[str]:
        """Its source sentences."""
        return self.record.source

    @cached_property
    def units(self) -> list[str]:
        """The texts of its discourse units."""
        return [self._text(row) for row in self.record.layer("edus")]

    @cached_property
    def chains(self) -> list[list[str]]:
        """The mentions of each coreference chain."""
        found: dict[int, list[str]] = {}
        for row in self.record.layer("coreference"):
            found.setdefault(row["chain_id"], []).append(self._text(row))
        return list(found.values())

    @cached_property
    def themes(self) -> list[str]:
        """The themes of its clauses."""
        return [self._text(row) for row in self.record.layer("themes") if row["label"].startswith("theme")]

    @cached_property
    def tree(self) -> str:
        """Its RST tree: a line for each node, indented, with the relation to its parent and the text of a unit."""
        lines, depth = [], {-1: -1}
        for node in self.record.layer("rst"):
            depth[node["node_id"]] = depth[node["parent"]] + 1
            text = f": {self.units[node['first_edu']]}" if node["first_edu"] == node["last_edu"] else ""
            lines.append(f"{'  ' * depth[node['node_id']]}{node['nuclearity']} {node['relation']}{text}")
        return "\n".join(lines)

    def tagged(self, sentences: Sequence[int] | range, shuffled: bool = False) -> list[str]:
        """``sentences`` (from 0) with a tag around each discourse unit: its number, relation and head.

        ``shuffled`` deals relations and heads out at random among the units of the document.
        """
        rows, dependencies = self.record.layer("edus"), list(self.record.layer("rst_dependencies"))
        places = np.arange(len(dependencies))
        if shuffled:
            places = np.random.default_rng(self.seed).permutation(places)
        told = {
            row["edu_id"]: dependencies[place] for row, place in zip(dependencies, places.tolist())
        }  # what is told about each unit
        found: dict[int, list[str]] = {sentence: [] for sentence in sentences}
        for row in rows:
            if row["sent_id"] in found:
                about = told[row["edu_id"]]
                head = "" if about["head"] < 0 else f' of="{about["head"] + 1}"'
                tag = f'<unit id="{row["edu_id"] + 1}" relation="{about["relation"]}"{head}>'
                found[row["sent_id"]].append(f"{tag}{self._text(row)}</unit>")
        return [" ".join(found[sentence]) for sentence in sentences]

    def _text(self, row: Mapping[str, int]) -> str:
        return self.record.source[row["sent_id"]][row["start"] : row["end"]]


class Prompts:
    """Makes the requests of an experiment."""

    def __init__(
        self, settings: LanguageModelSettings, languages: tuple[str, str], seed: int, glossary: Terms = ()
    ) -> None:
        self._settings, self._seed, self._glossary = settings, seed, glossary
        self._languages = tuple(map(language_name, languages))
        self._file, self._template, read = parsed_template(settings.template)
        self.reads_translations = "translations" in read or ("target" in read and settings.context != "none")
        """Whether prompts show translations so far, so that units wait for each other."""

    def request(self, view: DocumentView, unit: range, context: Sequence[int]) -> ChatRequest:
        """The request for the translation of a ``unit``; a fault of the template is an :class:`InputError`."""
        source = [view.sentences[sentence] for sentence in unit]
        values = {
            "source_language": self._languages[0],
            "target_language": self._languages[1],
            "unit": source,
            "numbers": list(unit),
            "context": [
                ShownSentence(number + 1, view.sentences[number], view.translations.get(number)) for number in context
            ],
            "glossary": [pair for pair in self._glossary if any(pair[0] in sentence for sentence in source)],
            "document": view,
        }
        try:
            rendering = self._template.new_context(values)
            texts = ["".join(self._template.blocks[block](rendering)).strip("\n") for block in BLOCKS]
        except (jinja2.TemplateError, TypeError, KeyError) as error:
            raise InputError(f"the template fails on document {view.id} ({error})", file=self._file) from None
        messages: list[Message] = [{"role": block, "content": text} for block, text in zip(BLOCKS, texts) if text]
        given = {"seed": self._seed, **self._settings.parameters}
        parameters = {key: value for key, value in given.items() if value is not None}
        return ChatRequest(self._settings.model, tuple(messages), parameters)
