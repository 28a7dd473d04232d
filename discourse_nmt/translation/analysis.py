"""The analysis of discourse of new documents, as the tables that the workflow's stages make of a split."""

import dataclasses
import logging
from collections.abc import Collection, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.storage.files import checksum
from discourse_nmt.discourse.analysers.weights import load_segmenter
from discourse_nmt.discourse.backends.backend import Backend, Context, Stage
from discourse_nmt.discourse.backends.builtin.models import SHIPPED, has_model, model_files
from discourse_nmt.discourse.backends.pieces import Pieces
from discourse_nmt.discourse.backends.registry import STAGES, backend_for, needed_tables, stage_settings
from discourse_nmt.discourse.backends.shards import analyse_shard, documents_of
from discourse_nmt.discourse.backends.trees import dependencies_table
from discourse_nmt.discourse.graph.building import document_graphs
from discourse_nmt.discourse.settings import BuiltinSettings, Side
from discourse_nmt.text.settings import SIDES
from discourse_nmt.training.data.dataset import ParallelDataset
from discourse_nmt.training.data.units import first_sentences, units_of
from discourse_nmt.training.kinds import TEXT_TABLES, StructureKind
from discourse_nmt.translation.manifest import AnalysisRecipe
from discourse_nmt.translation.texts import Span, Splitter

Tables = dict[str, pd.DataFrame]


def sentence_splitter(language: str) -> Splitter:
    """The shipped splitter of ``language``, loaded when it is first called; :class:`InputError` where there is none."""
    folder = SHIPPED / language
    if not has_model(folder, "segmenter"):
        raise InputError(
            f"no sentence splitter for the language {language}", remedy="give one sentence per line with --lines"
        )
    segmenter = cache(lambda: load_segmenter(folder))

    def split(texts: Sequence[str]) -> list[list[Span]]:
        return [[(sentence.start, sentence.end) for sentence in found] for found in segmenter().segment(texts)]

    return split


def builtin_recipe(recipe: AnalysisRecipe, analysers: Path) -> AnalysisRecipe:
    """The recipe with builtin analysers, whose weights lie in ``analysers`` where they are not those of the project.

    Nothing that a model folder names is executed: a stage that was imported or made by another program in training is
    replaced by the builtin one, and a warning says so.
    """
    rst = recipe.rst
    sides: dict[Side, dict[str, dict[str, Any]]] = {}
    for side in SIDES:
        sections: dict[Stage, dict[str, Any]] = {}
        for stage, section in recipe.of(side).items():
            if section["backend"] == "builtin":
                sections[stage] = {**section, "weights": str(analysers) if section.get("weights") else None}
                continue
            logging.warning(
                "the model was trained with %s of the %s side by the backend %s; the builtin analyser is used",
                stage,
                side,
                section["backend"],
            )
            sections[stage] = {"backend": "builtin"}
            if stage == "rst":  # the builtin parser's trees are binary
                rst = dataclasses.replace(rst, debinarise=True)
        for stage in [stage for stage in STAGES if stage in sections]:  # one that was replaced may read further ones
            for needed in needed_tables(stage, stage_settings(stage, sections[stage])):
                sections.setdefault(needed, {"backend": "builtin"})
        sides[side] = {str(stage): section for stage, section in sections.items()}
    return dataclasses.replace(recipe, rst=rst, source=sides["source"], target=sides["target"])


class DocumentAnalysis:
    """The builtin analysers of a recipe, loaded once.

    Raises :class:`InputError` where there is none for a language.
    """

    def __init__(self, recipe: AnalysisRecipe, languages: Mapping[Side, str]) -> None:
        self._recipe = recipe
        self._languages = languages
        self._warn_of_other_weights()
        self._backends: dict[tuple[Side, Stage], Backend] = {
            (side, stage): backend_for(stage, section, Context("translation", "new", side, languages[side]))
            for side in SIDES
            for stage, section in recipe.of(side).items()
        }

    def _warn_of_other_weights(self) -> None:
        for side, language in self._languages.items():
            for stage, section in self._recipe.of(side).items():
                settings = stage_settings(stage, section)
                assert isinstance(settings, BuiltinSettings)
                for path in model_files(stage, settings, language):
                    known = self._recipe.weights.get(f"{language}/{path.name}")
                    if known is not None and known != checksum(path):
                        logging.warning("%s is not the analyser that the model was trained with", path)
                        return

    def tables(self, side: Side, sentences: pd.DataFrame, left_out: Collection[Stage] = ()) -> Tables:
        """The table of each stage, but for some, for one side of a ``sentences`` table."""
        tables: Tables = {}
        count = int(sentences["doc_id"].nunique())
        for stage, section in self._recipe.of(side).items():
            if stage in left_out:
                continue
            needed = needed_tables(stage, stage_settings(stage, section))
            documents = documents_of(sentences, side, {name: tables[name] for name in needed})
            tables[stage] = analyse_shard(stage, documents, count, self._backends[side, stage], None, "")
        return tables

    def inputs(
        self, kind: StructureKind, side: Side, text: Tables, sentences: pd.DataFrame, dataset: ParallelDataset
    ) -> Tables:
        """The tables that a structure file of ``kind`` is built from: those of ``text`` and of annotation."""
        tables = {name: text[name] for name in kind.tables if name in TEXT_TABLES}
        if not kind.annotation:
            return tables
        recipe = self._recipe
        in_units = bool(kind.tree) and recipe.rst.unit == "instance"
        made = self.tables(side, sentences, ["rst"] if in_units else [])
        if "document_graph" in kind.annotation:
            tokens = text["tokens"]
            made["document_graph"] = document_graphs(
                tokens[tokens["side"] == side], made.get("syntax"), made.get("coreference"), recipe.graph
            )
        elif in_units:
            made |= self._trees_of_units(kind, made, sentences, dataset)
        elif "rst_dependencies" in kind.annotation:
            made["rst_dependencies"] = dependencies_table(made["rst"], recipe.rst.conversion, recipe.rst.debinarise)
        return tables | {name: made[name] for name in kind.annotation}

    def _trees_of_units(
        self, kind: StructureKind, made: Tables, sentences: pd.DataFrame, dataset: ParallelDataset
    ) -> Tables:
        """The trees of each instance or paragraph, which are parsed one by one (see the command parse_instances)."""
        starts = first_sentences(dataset, units_of(dataset, kind.tree))
        needed = needed_tables("rst", stage_settings("rst", self._recipe.of("source")["rst"]))
        documents = documents_of(sentences, "source", {name: made[name] for name in needed})
        pieces = Pieces(documents, starts)
        count = sum(map(len, starts.values()))
        trees = analyse_shard("rst", pieces, count, self._backends["source", "rst"], None, "")
        if kind.tree == "paragraph":
            return {"rst": pieces.joined(trees)}
        rst = self._recipe.rst
        return {"rst_dependencies": pieces.joined(dependencies_table(trees, rst.conversion, rst.debinarise))}
