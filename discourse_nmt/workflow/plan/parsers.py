"""Training of the builtin analysers: treebanks, folds, weights and scores of each language."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from snakemake.exceptions import WorkflowError

from discourse_nmt.base.settings import TUNED
from discourse_nmt.discourse.backends.builtin.models import SHIPPED
from discourse_nmt.workflow.configuration.parsers import (
    LearntUnitsSettings,
    ParserSection,
    ProjectionSettings,
    TeacherSettings,
)
from discourse_nmt.workflow.configuration.tree import Configuration
from discourse_nmt.workflow.jobs.files import Files
from discourse_nmt.workflow.jobs.interface import InputFunction, ParamsFunction, Wildcards
from discourse_nmt.workflow.jobs.parameters import canonical
from discourse_nmt.workflow.plan.data import DataFiles, parsers_owner
from discourse_nmt.workflow.sections.files import teacher_patterns

TRAINED_ON = ("train", "more", "units")  # treebanks that the analysers learn from, so that they are not scored on them


def _changed(training: Mapping[str, object], keys: Mapping[str, object]) -> dict[str, object]:
    """``training`` with other ``keys``; those that seldom change are replaced one by one, too."""
    groups = [group for section in (training, keys) if isinstance(group := section.get(TUNED), Mapping)]
    tuned = {key: value for group in groups for key, value in group.items()}
    return {**training, **keys, **({TUNED: tuned} if tuned else {})}


@dataclass(frozen=True)
class Parsers:
    """The languages under ``parsers`` in the configuration."""

    config: Configuration
    files: Files
    data: DataFiles

    @property
    def folder(self) -> str:
        """Folder of all that is trained here."""
        return f"{self.files.results}/parsers"

    def _language(self, wildcards: Wildcards) -> ParserSection:
        return self.config.parsers[wildcards.language]

    def _teachers(self, wildcards: Wildcards) -> TeacherSettings:
        teachers = self._language(wildcards).teachers
        assert teachers is not None, wildcards.language
        return teachers

    def _units(self, wildcards: Wildcards) -> LearntUnitsSettings:
        units = self._language(wildcards).units
        assert units is not None, wildcards.language
        return units

    def treebank_files(self, wildcards: Wildcards) -> list[str]:
        """Input function: the files of a treebank; a missing one is an error of one line.

        The table of the files that the workflow brings stands for them.
        """
        treebank = self._language(wildcards).treebanks[wildcards.treebank]
        patterns = [*treebank.conllu, *treebank.kept, *treebank.rst, *treebank.coreference]
        return self._present(wildcards, patterns, f"treebanks.{wildcards.treebank}", treebank.where)

    def vector_files(self, wildcards: Wildcards) -> list[str]:
        """Input function: the file of the vectors that the joint network reads, if there are any."""
        vectors = self._language(wildcards).vectors
        return self._present(wildcards, [vectors.file], "vectors", vectors.where) if vectors else []

    def teacher_files(self, wildcards: Wildcards) -> list[str]:
        """Input function: what the teachers of the job's language read; a missing file is an error of one line."""
        teachers = self._teachers(wildcards)
        return self._present(wildcards, teacher_patterns(teachers), "teachers", teachers.where)

    def teacher_folders(self, wildcards: Wildcards) -> list[str]:
        """Params function: the folders of the teachers of the job's language."""
        members = self._teachers(wildcards).members
        return [f"{self.folder}/{wildcards.language}/teachers/{member}" for member in range(members)]

    def teacher_weights(self, wildcards: Wildcards) -> list[str]:
        """Input function: the weights of the teachers of the job's language."""
        return [f"{folder}/joint.safetensors" for folder in self.teacher_folders(wildcards)]

    def teacher_texts(self, wildcards: Wildcards) -> list[str]:
        """Params function: the patterns of the texts that the teachers annotate."""
        return self._teachers(wildcards).texts

    def teacher_training(self, wildcards: Wildcards) -> str:
        """Params function: settings of the training of the job's teacher, each with a seed of its own."""
        settings = _changed(self._language(wildcards).training, self._teachers(wildcards).training)
        return canonical({**settings, "seed": int(str(settings.get("seed", 1))) + int(wildcards.member)})

    def pretrained_option(self, wildcards: Wildcards) -> list[str]:
        """Params function: the pretrained model that the teachers read, as an option, if there is one."""
        pretrained = self._teachers(wildcards).pretrained
        return [f"--pretrained={pretrained}"] if pretrained else []

    def silver(self, wildcards: Wildcards) -> list[str]:
        """Input function: the text that the teachers of the job's language annotated, if it has any."""
        teachers = self._language(wildcards).teachers
        return [f"{self.folder}/{wildcards.language}/teachers/annotated.conllu"] if teachers else []

    def _present(self, wildcards: Wildcards, patterns: list[str], place: str, where: str) -> list[str]:
        """The files of patterns that the job's language names in ``place`` of its section."""
        owner = parsers_owner(wildcards.language)
        files: set[str] = set()
        for pattern in patterns:
            if self.data.brings(owner, pattern):
                files.add(self.data.manifest(owner))
                continue
            matching = self.files.matching(pattern)
            if not matching:
                raise WorkflowError(
                    f"parsers.{wildcards.language}.{place}: no file {pattern}; {where or 'correct the path'}"
                )
            files.update(matching)
        return sorted(files)

    def _projection(self, language: str, analyser: str) -> ProjectionSettings | None:
        """The section ``projected`` of an analyser of a language; None where a treebank teaches it."""
        return self.config.parsers[language].projection(analyser)

    def projection_option(self, analyser: str, key: str) -> ParamsFunction:
        """Params function: a key of the section ``projected`` of an analyser of the job's language."""
        return lambda wildcards: getattr(self._projection(wildcards.language, analyser), key)

    def parallel_text(self, analyser: str) -> InputFunction:
        """Input function: the files over which another language's output is projected; a missing one is an error."""

        def files(wildcards: Wildcards) -> list[str]:
            projection = self._projection(wildcards.language, analyser)
            assert projection is not None
            languages = projection.language, wildcards.language
            patterns = [
                f"{folder}/*.{code}" for folder in (*projection.parallel, *projection.more) for code in languages
            ]
            return self._present(wildcards, patterns, f"{analyser}.projected", projection.where)

        return files

    def projecting_folder(self, analyser: str) -> ParamsFunction:
        """Params function: the folder with the shipped weights of the language whose output is projected."""
        return lambda wildcards: str(SHIPPED / self.projection_option(analyser, "language")(wildcards))

    def projecting_weights(self, analyser: str) -> InputFunction:
        """Input function: the files in that folder that the projection reads."""
        return lambda wildcards: [
            f"{self.projecting_folder(analyser)(wildcards)}/{name}.safetensors"
            for name in ("segmenter", "joint", analyser)
        ]

    def taught_by_projection(self, analyser: str) -> InputFunction:
        """Input function: the folder of what is projected for an analyser, if that teaches it."""
        return lambda wildcards: (
            [f"{self.folder}/{wildcards.language}/projected/{analyser}"]
            if self._projection(wildcards.language, analyser)
            else []
        )

    def treebank_option(self, key: str) -> ParamsFunction:
        """Params function: one key of the job's treebank."""
        return lambda wildcards: getattr(self._language(wildcards).treebanks[wildcards.treebank], key)

    def option(self, key: str) -> ParamsFunction:
        """Params function: one key of the job's language, as canonical JSON where it is a section itself."""

        def value(wildcards: Wildcards) -> Any:
            value = getattr(self._language(wildcards), key)
            return canonical(value) if isinstance(value, dict) else value

        return value

    def analyser_option(self, analyser: str, key: str) -> ParamsFunction:
        """Params function: a key of the section of one analyser of the job's language, as canonical JSON."""
        return lambda wildcards: canonical(getattr(self._language(wildcards).analyser(analyser), key))

    def notice_option(self, wildcards: Wildcards) -> list[str]:
        """Params function: the notice that the weights carry, as an option, if there is one."""
        notice = self._language(wildcards).notice
        return [f"--notice={notice}"] if notice else []

    def vector_options(self, wildcards: Wildcards) -> list[str]:
        """Params function: the vectors that the joint network reads, as options, if there are any."""
        vectors = self._language(wildcards).vectors
        return [f"--vectors={vectors.file}", f"--vector-words={vectors.words}"] if vectors else []

    def prepared(self, name: str) -> InputFunction:
        """Input function: the folder of the named treebank, if the job's language has it."""
        return lambda wildcards: (
            [f"{self.folder}/{wildcards.language}/treebanks/{name}"]
            if name in self._language(wildcards).treebanks
            else []
        )

    def conllu(self, name: str) -> InputFunction:
        """Params function: the pattern of a prepared treebank's CoNLL-U files, if the job's language has it."""
        return lambda wildcards: [f"{folder}/conllu/*.conllu" for folder in self.prepared(name)(wildcards)]

    def unit_folder(self, wildcards: Wildcards) -> list[str]:
        """Input function: the folder of the treebank units, or else of the projected trees, which have units, too."""
        return self.prepared("units")(wildcards) or self.taught_by_projection("rst")(wildcards)

    def unit_conllu(self, wildcards: Wildcards) -> list[str]:
        """Params function: the pattern of the CoNLL-U files there; of projected trees, of the sentences that teach."""
        content = "conllu" if self.prepared("units")(wildcards) else "units"
        return [f"{folder}/{content}/*.conllu" for folder in self.unit_folder(wildcards)]

    def trees(self, wildcards: Wildcards) -> list[str]:
        """Params function: the patterns of the RST trees, rs3 or rs4, of a treebank or projected."""
        if projected := self.taught_by_projection("rst")(wildcards):
            return [f"{folder}/rs3/*.rs3" for folder in projected]
        given = self._language(wildcards).treebanks[self.taught_by(wildcards)].rst
        endings = sorted({pattern.rpartition(".")[2] for pattern in given})
        return [f"{folder}/{end}/*.{end}" for folder in self.prepared_trees(wildcards) for end in endings]

    def taught_by(self, wildcards: Wildcards) -> str:
        """The treebank that teaches the job's language discourse units and trees."""
        return "units" if "units" in self._language(wildcards).treebanks else "train"

    def prepared_trees(self, wildcards: Wildcards) -> list[str]:
        """Input function: the folder with the trees."""
        return self.taught_by_projection("rst")(wildcards) or self.prepared(self.taught_by(wildcards))(wildcards)

    def unit_training(self, wildcards: Wildcards) -> str:
        """Settings of the learning of units apart."""
        return canonical(_changed(self._language(wildcards).training, self._units(wildcards).training))

    def unit_option(self, key: str) -> ParamsFunction:
        """Params function: a key of the section ``units`` of the job's language."""
        return lambda wildcards: getattr(self._units(wildcards), key)

    def fold_training(self, wildcards: Wildcards) -> str:
        """Settings of the joint networks that annotate a fold."""
        section = self._language(wildcards)
        return canonical(_changed(section.training, section.fold_training))

    def annotated_folds(self, wildcards: Wildcards) -> list[str]:
        """Input function: the training documents, each annotated by a joint network that was trained without it.

        If trees come from the treebank units, whose syntax the joint network does not learn, it annotates them.
        """
        if self.taught_by(wildcards) == "units":
            return [f"{self.folder}/{wildcards.language}/units/annotated.conllu"]
        folds = self._language(wildcards).folds
        return [f"{self.folder}/{wildcards.language}/folds/{fold}/annotated.conllu" for fold in range(folds)]

    def annotated_trees(self, wildcards: Wildcards) -> list[str]:
        """Input function: annotated documents that the RST parser learns from; projected trees bring their own."""
        return [] if self.taught_by_projection("rst")(wildcards) else self.annotated_folds(wildcards)

    def syntax_of_trees(self, wildcards: Wildcards) -> list[str]:
        """Params function: the files with the syntax that the RST parser learns from.

        Gold syntax of the treebank train is among them; that of the treebank units need not follow its guidelines.
        """
        if projected := self.taught_by_projection("rst")(wildcards):
            return [f"{folder}/conllu/*.conllu" for folder in projected]
        gold = self.conllu("train")(wildcards) if self.taught_by(wildcards) == "train" else []
        return [*self.annotated_folds(wildcards), *gold]

    def annotated_chains(self, wildcards: Wildcards) -> list[str]:
        """Input function: annotated documents that the resolver learns from; projected chains bring their own."""
        return [] if self.taught_by_projection("coreference")(wildcards) else self.annotated_folds(wildcards)

    def folder_of_chains(self, wildcards: Wildcards) -> list[str]:
        """Input function: the folder with the chains."""
        return self.taught_by_projection("coreference")(wildcards) or self.prepared("train")(wildcards)

    def syntax_of_chains(self, wildcards: Wildcards) -> list[str]:
        """Params function: the files with the syntax that the resolver learns from."""
        if projected := self.taught_by_projection("coreference")(wildcards):
            return [f"{folder}/syntax.conllu" for folder in projected]
        return self.annotated_folds(wildcards) or self.conllu("train")(wildcards)

    def more_syntax_of_chains(self, wildcards: Wildcards) -> list[str]:
        """Params function: gold syntax, from which the resolver learns beside that of the folds."""
        return self.conllu("train")(wildcards) if self.annotated_chains(wildcards) else []

    def chains(self, wildcards: Wildcards) -> list[str]:
        """Params function: the files with the chains."""
        if projected := self.taught_by_projection("coreference")(wildcards):
            return [f"{folder}/chains.conll" for folder in projected]
        return [f"{folder}/coref_conll/*.conll" for folder in self.prepared("train")(wildcards)]

    def weights(self, wildcards: Wildcards) -> list[str]:
        """Input function: the weights of all analysers that are trained for the job's language."""
        section = self._language(wildcards)
        others = (name for name in ("units", "rst", "coreference") if getattr(section, name) is not None)
        analysers = ["segmenter", "joint", *others]
        folder = f"{self.folder}/{wildcards.language}/weights"
        tables = [f"{folder}/simplified.json"] if section.traditional else []
        return [*(f"{folder}/{name}.safetensors" for name in analysers), *tables]

    def score_tables(self, folder: str) -> list[str]:
        """The scores of every language's analysers on each treebank that they do not learn from, in that ``folder``."""
        return [
            f"{self.folder}/{language}/{folder}/{name}.tsv"
            for language, section in self.config.parsers.items()
            for name in section.treebanks
            if name not in TRAINED_ON
        ]

    def scores(self) -> list[str]:
        """What the target parsers makes; a configuration without languages is an error of one line."""
        if not self.config.parsers:
            raise WorkflowError("no section parsers in the configuration; use --configfile config/parsers.yaml")
        return self.score_tables("scores")
