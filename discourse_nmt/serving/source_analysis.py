"""The analysis of a source document that the page draws: units, trees, chains and themes of the builtin analysers."""

from collections.abc import Sequence

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.progress import quiet
from discourse_nmt.discourse.backends.backend import Stage
from discourse_nmt.discourse.backends.builtin.models import SHIPPED, check_model, has_model
from discourse_nmt.discourse.backends.registry import STAGES
from discourse_nmt.discourse.backends.trees import dependencies_table
from discourse_nmt.discourse.drawings.tables import tree_drawings
from discourse_nmt.discourse.settings import BuiltinSettings
from discourse_nmt.scoring.reports.documents import ShownAnalysis, annotation, records
from discourse_nmt.translation.analysis import DocumentAnalysis
from discourse_nmt.translation.manifest import AnalysisRecipe
from discourse_nmt.translation.preparation import sentences_table


class SourceAnalysis:
    """The builtin analysers of a language; those that it has not are left out."""

    def __init__(self, language: str) -> None:
        stages = [stage for stage in STAGES if _has_analyser(stage, language)]
        self._recipe = AnalysisRecipe(source={stage: {"backend": "builtin"} for stage in stages})
        self._analysis = DocumentAnalysis(self._recipe, {"source": language})

    def of(self, sentences: Sequence[str]) -> ShownAnalysis:
        """The analysis as the viewer of the report reads it (see :func:`.annotation`)."""
        with quiet():  # a line for each stage of each request says nothing to who serves
            tables = self._analysis.tables("source", sentences_table([sentences])) if self._recipe.source else {}
            if "rst" in tables:
                rst = self._recipe.rst
                tables["rst_dependencies"] = dependencies_table(tables["rst"], rst.conversion, rst.debinarise)
        rows = {name: records(table) for name, table in tables.items()}
        return annotation("document", list(sentences), rows, tree_drawings)


def _has_analyser(stage: Stage, language: str) -> bool:
    """Whether there is a builtin analyser; the fallbacks of syntax and coreference, which find nothing, are none."""
    folder = SHIPPED / language
    try:
        check_model(stage, BuiltinSettings(), language)
    except InputError:
        return False
    needed = {"syntax": "joint", "coreference": "coreference"}.get(stage, "joint")
    return has_model(folder, needed)
