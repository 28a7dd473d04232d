"""The report: what its viewer shows, the documents it analyses, and what its provenance names."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from snakemake.exceptions import WorkflowError

from discourse_nmt import PACKAGE, ROOT
from discourse_nmt.base import sources
from discourse_nmt.base.settings import as_json
from discourse_nmt.training.kinds import STRUCTURES
from discourse_nmt.workflow.configuration.tree import Configuration
from discourse_nmt.workflow.jobs.files import Files
from discourse_nmt.workflow.jobs.interface import check_braces
from discourse_nmt.workflow.jobs.parameters import Parameters, canonical, code
from discourse_nmt.workflow.plan.analyses import ANALYSER_RULES, Analyses
from discourse_nmt.workflow.plan.corpora import Corpora
from discourse_nmt.workflow.plan.runs import Run, Runs
from discourse_nmt.workflow.plan.structures import StructurePlan
from discourse_nmt.workflow.sections.experiments import tested_groups
from discourse_nmt.workflow.sections.switches import differing_switches

PAGES = PACKAGE / "discourse" / "pages"
ENGLISH = ROOT / "resources" / "analysers" / "en"
TREES = {"rst", "rst_dependencies"}  # tables of trees, which are over discourse units

# Scripts of stages that every run has.
STAGE_SCRIPTS = (
    "corpus.import_corpus",
    "text.tokenise",
    "text.train_truecaser",
    "text.learn_bpe",
    "text.apply_bpe",
    "text.build_dataset",
    "score.score",
    "score.score_document",
    "score.compare_translations",
    "score.compare_accuracy",
    "score.collect_scores",
    "report.report",
)
# Scripts that run a system.
SYSTEM_SCRIPTS = (
    "train.train",
    "train.tune_decoding",
    "train.translate",
    "train.score_references",
    "score.score_contrastive",
)

# A file, and the names that the report knows it by: corpus, corpus/split, corpus/split/analysis/table.
NamedFile = tuple[str, str]


@dataclass(frozen=True)
class Report:
    """The report of a run."""

    config: Configuration
    files: Files
    corpora: Corpora
    runs: Runs
    analyses: Analyses
    structures: StructurePlan
    parameters: Parameters

    def shown_tables(self, analysis: str) -> list[str]:
        """The tables of an analysis that the viewer shows; trees are shown with their discourse units."""
        tables = self.config.analyses[analysis].tables
        return list(dict.fromkeys([*tables, *(["edus"] if TREES & set(tables) else [])]))

    def annotation(self) -> list[NamedFile]:
        """The annotation of the test sets that the viewer shows: by the analyses of the key report.analyses."""
        return [
            (f"{corpus}/{split}/{name}/{table}", path)
            for name in self.config.report.analyses
            for corpus in self.runs.used_corpora()
            if corpus in self.analyses.corpora_of(name)
            for table in self.shown_tables(name)
            for split in self.corpora.test_sets(corpus)
            if self.analyses.covers(corpus, name, "source", table, split)
            for path in self.analyses.annotation(corpus, name, "source", table, split)
        ]

    def test_shards(self, folder: str) -> list[NamedFile]:
        """All shards of every test set in a folder of its corpus."""
        return [
            (f"{corpus}/{split}", path)
            for corpus in self.runs.used_corpora()
            for split in self.corpora.test_sets(corpus)
            for path in self.files.shards(folder, corpus, split)
        ]

    def tokens(self) -> list[NamedFile]:
        """The words that the edges of word graphs link, where the viewer shows such graphs."""
        analyses = [self.config.analyses[name] for name in self.config.report.analyses]
        shown = any("document_graph" in analysis.tables for analysis in analyses)
        return self.test_shards("text/tokens") if shown else []

    def run_folders(self) -> list[NamedFile]:
        """The folder of every training run."""
        return self._folders(self.runs.all())

    def external_folders(self) -> list[NamedFile]:
        """The folder of every external system."""
        return self._folders(self.runs.external())

    def output_alignments(self) -> list[str]:
        """How the outputs of external systems are aligned."""
        return [
            f"{self.runs.folder(run)}/output_alignment/{split}.parquet"
            for run in self.runs.external()
            for split in self.runs.test_sets(run)
        ]

    def _folders(self, runs: Iterable[Run]) -> list[NamedFile]:
        return [(f"{run.corpus}/{run.experiment}/{run.seed}", self.runs.folder(run)) for run in runs]

    def drops(self) -> list[NamedFile]:
        """The units that filters dropped from each corpus that an experiment uses."""
        return [(corpus, f"{self.files.results}/{corpus}/corpus/drops.parquet") for corpus in self.runs.used_corpora()]

    def statistics(self) -> list[str]:
        """The statistics of each corpus that an experiment uses."""
        return [self.files.statistics(corpus) for corpus in self.runs.used_corpora()]

    def named_statistics(self) -> list[NamedFile]:
        """The same with the names of the corpora."""
        return list(zip(self.runs.used_corpora(), self.statistics()))

    def quality(self) -> list[NamedFile]:
        """What the text of each corpus that an experiment uses is like."""
        return [(corpus, self.files.quality(corpus)) for corpus in self.runs.used_corpora()]

    def languages(self) -> list[str]:
        """Source and target language of each corpus that an experiment uses, as arguments of the report."""
        return [
            f"{corpus}={'/'.join(self.corpora.language(corpus, side) for side in ('source', 'target'))}"
            for corpus in self.runs.used_corpora()
        ]

    def lowercased_corpora(self) -> list[str]:
        """The used corpora whose translations are in lower case."""
        return [corpus for corpus in self.runs.used_corpora() if self.corpora.lowercased[corpus]]

    def groups(self) -> list[str]:
        """The regular expression of each used corpus whose groups are drawn, as arguments of the report."""
        return [
            f"{corpus}={groups}"
            for corpus in self.runs.used_corpora()
            if (groups := tested_groups(self.config, corpus))
        ]

    def contrastive_items(self) -> list[NamedFile]:
        """The contrastive items of test sets."""
        return [
            (f"{corpus}/{split}", self.corpora.contrastive[corpus][split])
            for corpus in self.runs.used_corpora()
            for split in self.config.corpora[corpus].contrastive
        ]

    def contrastive_scores(self) -> list[str]:
        """The scores of contrastive items by every training run."""
        return [
            f"{self.runs.folder(run)}/contrastive/{split}.parquet"
            for run in self.runs.all()
            for split in self.config.corpora[run.corpus].contrastive
        ]

    def reference_scores(self) -> list[NamedFile]:
        """The references of each test set as every training run scores them; none without controls of CXMI."""
        return [
            (f"{run.corpus}/{run.experiment}/{run.seed}/{split}", f"{folder}/reference_scores/{split}.parquet")
            for run in (self.runs.all() if self.config.document_metrics.controls else [])
            for folder in [self.runs.folder(run)]
            for split in self.runs.scored_sets(run)
        ]

    def templates(self) -> list[Path]:
        """The files that the report's page is built from."""
        folders = [PACKAGE / "scoring" / "reports" / name for name in ("templates", "viewer")]
        return [*(path for folder in folders for path in folder.iterdir()), PAGES / "section.html"]

    @cached_property
    def documents(self) -> list[str]:
        """The files of the key documents; a pattern is looked up from the working directory, then from the checkout.

        A pattern without a file, and two files of one name, are errors of one line.
        """
        by_name: dict[str, str] = {}
        for pattern in self.config.documents:
            paths = sources.files(pattern) or sources.files(str(ROOT / pattern))
            if not paths:
                raise WorkflowError(f"documents: no file {pattern}; correct the path, or set documents: [] for none")
            for path in paths:
                check_braces(path, "documents")
                if by_name.setdefault(path.stem, str(path)) != str(path):
                    raise WorkflowError(f"documents: {by_name[path.stem]} and {path} have one name; rename one")
        return list(by_name.values())

    def document_folder(self) -> list[str]:
        """The folder of the analysed documents; none without documents."""
        return [f"{self.files.results}/documents"] if self.documents else []

    def document_sources(self) -> list[Path]:
        """Every file that the analysis of documents depends on: the texts, the weights, the templates of its pages."""
        weights = [
            ENGLISH / f"{name}.{ending}"
            for name in ("segmenter", "joint", "rst", "coreference")
            for ending in ("json", "safetensors")
        ]
        templates = [
            *sorted(PAGES.glob("*.html")),
            *(PACKAGE / "scoring" / "reports" / "viewer" / f"{name}.js" for name in ("elements", "drawings")),
        ]
        return [*map(Path, self.documents), *(path for path in weights if path.is_file()), *templates]

    def data_files(self) -> list[str]:
        """The files that the corpora of the run are read from."""
        texts = [path for corpus in self.runs.used_corpora() for path in self.corpora.sources[corpus]]
        translations = [path for files in self.corpora.hypotheses.values() for path in files]
        return sorted({*texts, *translations, *paths(self.contrastive_items())})

    def configuration(self) -> str:
        """The configuration but for the hardware, which changes no result."""
        return canonical({key: value for key, value in as_json(self.config).items() if key != "hardware"})

    def switches(self) -> str:
        """The switches in which experiments differ."""
        return canonical(differing_switches(self.config))

    def code(self) -> str:
        """Fingerprints of the code that made the run, by stage and, where it has its own, experiment or analysis."""
        codes = {_stage(script): code(script) for script in STAGE_SCRIPTS}
        tables = {name: set(self.shown_tables(name)) for name in self.config.report.analyses}
        for experiment in dict.fromkeys(run.experiment for run in self.runs.all()):
            for script in SYSTEM_SCRIPTS:
                codes[f"{_stage(script)} {experiment}"] = self.parameters.system_code_of(script, experiment)
            if needed := STRUCTURES[self.structures.kind(experiment)].annotation:
                tables.setdefault(self.config.experiments[experiment].analysis, set()).update(needed)
        for analysis, made in tables.items():
            for stage in ANALYSER_RULES:
                if stage in made:
                    module = self.analyses.module(analysis, "source", stage)
                    codes[f"{stage} {analysis}"] = code("discourse.analyse", module)
        return canonical(codes)


def paths(files: Iterable[NamedFile]) -> list[str]:
    """The files without their names."""
    return [path for _, path in files]


def named(files: Iterable[NamedFile]) -> list[str]:
    """The files as arguments of the report, ``NAMES=FILE``."""
    return [f"{names}={path}" for names, path in files]


def _stage(script: str) -> str:
    """The name of a script without its folder."""
    return script.rpartition(".")[2]
