"""Elementary discourse units by the joint network, over the words of any table ``syntax``."""

from collections.abc import Sequence
from pathlib import Path

from discourse_nmt.base.errors import InputError
from discourse_nmt.discourse.analysers.annotation import edu_rows
from discourse_nmt.discourse.backends.backend import Context, DocumentInput, Stage
from discourse_nmt.discourse.backends.builtin.joint import joint_network
from discourse_nmt.discourse.backends.builtin.models import check_model, model_folder
from discourse_nmt.discourse.backends.offsets import offsets_of
from discourse_nmt.discourse.settings import BuiltinSettings
from discourse_nmt.discourse.structures.mentions import edus_of_starts
from discourse_nmt.discourse.structures.rows import Row


class BuiltinEdus:
    """The joint network of one folder."""

    def __init__(self, folder: Path) -> None:
        self._analyser = joint_network(folder)
        if not self._analyser.units:
            raise InputError(
                "these weights have learnt no discourse units",
                file=folder / "joint.safetensors",
                remedy="choose backend: import or command for edus, or train on texts with units",
            )

    def analyse(self, documents: Sequence[DocumentInput]) -> list[list[Row]]:
        """Rows of the table ``edus``."""
        analyses = self._analyser.analyse(
            [[row["forms"] for row in document.tables["syntax"]] for document in documents]
        )
        return [
            edu_rows(
                document.doc_id,
                offsets_of(document.tables["syntax"]),
                edus_of_starts([sentence.edu_starts for sentence in sentences]),
            )
            for document, sentences in zip(documents, analyses)
        ]


def make(stage: Stage, settings: BuiltinSettings, context: Context) -> BuiltinEdus:
    """The backend for the language of ``context``."""
    check_model(stage, settings, context.language)
    return BuiltinEdus(model_folder(settings, context.language))
