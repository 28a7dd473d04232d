"""Rhetorical structure trees by the project's parser, over any tables ``syntax`` and ``edus``."""

from collections.abc import Sequence
from pathlib import Path

from discourse_nmt.discourse.analysers.analyser import states_of
from discourse_nmt.discourse.backends.backend import Context, DocumentInput, Stage
from discourse_nmt.discourse.backends.builtin.joint import joint_network
from discourse_nmt.discourse.backends.builtin.models import check_model, model_folder
from discourse_nmt.discourse.backends.offsets import words_and_edus
from discourse_nmt.discourse.parsing.document import ParserInput
from discourse_nmt.discourse.parsing.weights import load_rst_parser
from discourse_nmt.discourse.settings import BuiltinSettings
from discourse_nmt.discourse.structures.rows import Row, tree_to_rows


class BuiltinRst:
    """The joint network and the parser of one folder; the parser reads the states of the network."""

    def __init__(self, folder: Path) -> None:
        self._analyser = joint_network(folder, units=False)
        self._parser = load_rst_parser(folder)

    def analyse(self, documents: Sequence[DocumentInput]) -> list[list[Row]]:
        """Rows of the table ``rst``; none for a document without EDUs."""
        results: list[list[Row]] = [[] for _ in documents]
        with_edus = [index for index, document in enumerate(documents) if document.tables["edus"]]
        inputs = [words_and_edus(documents[index]) for index in with_edus]
        analyses = self._analyser.analyse(
            [[sentence.forms for sentence in sentences] for sentences, _ in inputs], states=True
        )
        parser_inputs = [
            ParserInput(sentences, edus, states_of(analysis)) for (sentences, edus), analysis in zip(inputs, analyses)
        ]
        for index, tree in zip(with_edus, self._parser.parse(parser_inputs)):
            results[index] = tree_to_rows(documents[index].doc_id, tree)
        return results


def make(stage: Stage, settings: BuiltinSettings, context: Context) -> BuiltinRst:
    """The backend for the language of ``context``."""
    check_model(stage, settings, context.language)
    return BuiltinRst(model_folder(settings, context.language))
