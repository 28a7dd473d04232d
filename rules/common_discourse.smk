"""Helpers of the rules that analyse discourse, and of those that read what they make."""

import dataclasses

from discourse_nmt.discourse.backends import registry
from discourse_nmt.discourse.backends.builtin.models import model_files
from discourse_nmt.discourse.settings import BuiltinSettings, CommandSettings, ImportSettings, StanzaSettings
from discourse_nmt.models import systems
from discourse_nmt.rules.analyses import check_annotation, conversion_of, section_of, settings_of
from discourse_nmt.rules.fingerprint import files_digest
from discourse_nmt.text.stop_words import stop_word_file
from discourse_nmt.training.kinds import TREE_TABLES

# Rules of the discourse stages by the table they make.
ANALYSER_RULES = {
    "syntax": "analyse_syntax",
    "edus": "segment_edus",
    "rst": "parse_rst",
    "coreference": "resolve_coreference",
    "themes": "label_themes",
}


def annotation(corpus, analysis, side, table, split):
    """The files of a table of discourse annotation: what a stage or a system that reads it has as input.

    A language for which the analysis has no analyser and a missing file to import are errors before any job.
    """
    try:
        for stage in check_annotation(config, corpus, analysis, side, table):
            imported_files(corpus, analysis, side, stage, split)
    except InputError as error:
        raise WorkflowError(f"config: {error}") from None
    return shards(f"discourse/{analysis}/{side}/{table}", corpus, split)


def structure_tables(kind):
    """Input function of a kind of structure file: the tables of the source side that it is made of."""

    def files(wildcards):
        corpus, analysis, split = wildcards.corpus, wildcards.analysis, wildcards.split
        tables = {table: annotation(corpus, analysis, "source", table, split) for table in STRUCTURES[kind].annotation}
        if STRUCTURES[kind].tree and conversion_of(config["analyses"][analysis], "source").unit == "instance":
            trees = STRUCTURES[kind].annotation[-1]
            own_trees = TREE_TABLES[STRUCTURES[kind].tree]
            tables[trees] = shards(f"discourse/{analysis}/source/{own_trees}", corpus, split)
        return tables

    return files


def table_options(kind):
    """Params function of a kind of structure file: every input file of its builder as NAME=FILE."""

    def options(wildcards, input):
        return [f"{name}={path}" for name in STRUCTURES[kind].inputs for path in input[name]]

    return options


def structure_kind(experiment):
    """The kind of structure file that an experiment's system reads, empty for none."""
    return structure_of(config, experiment)


def structure_files(corpus, experiment, seed, split):
    """The structure file of a split, for systems that read one; none for others."""
    return files_of_structure(corpus, experiment, seed, split, structure_kind(experiment))


def files_of_structure(corpus, experiment, seed, split, kind):
    """The structure file of a kind for a split; none for a kind that is made of no tables.

    It is that of the experiment's analysis, whose analysers run because of it; words to cache have no analysis.
    """
    if not STRUCTURES[kind].tables:
        return []
    if not STRUCTURES[kind].annotation:
        return [f"{RESULTS}/{corpus}/structure/{kind}/{split}.arrow"]
    analysis = config["experiments"][experiment]["analysis"]
    if STRUCTURES[kind].drafted:
        first, of_first = draft_of(experiment, seed)
        return [f"{RESULTS}/{corpus}/structure/{kind}/{analysis}/{first}/seed{of_first}/{split}.arrow"]
    return [f"{RESULTS}/{corpus}/structure/{kind}/{analysis}/{split}.arrow"]


def decoding_structure(wildcards):
    """The structure file of a test set, where the experiment's decoding needs one."""
    resolved = experiment_settings(config, wildcards.experiment)
    switches = systems.system_named(system_of(wildcards.experiment)).switches(resolved["settings"])
    kind = switches.decoding_structure(resolved["decoding"]["use_tree"])
    return files_of_structure(wildcards.corpus, wildcards.experiment, wildcards.seed, wildcards.split, kind)


def structure_option(wildcards, input):
    """The structure file as an option of the command, where there is one."""
    return ["--structure", *input.structure] if input.structure else []


def annotations():
    """Every file that the target analyse makes."""
    return [
        path
        for name, analysis in config["analyses"].items()
        for corpus in analysis["corpora"] or config["corpora"]
        for side in analysis["sides"]
        for table in analysis["tables"]
        for split in splits(corpus)
        for path in annotation(corpus, name, side, table, split)
    ]


def imported_files(corpus, analysis, side, stage, split):
    """The files that a stage imports; none for another backend. A missing one that no rule makes is an error."""
    chosen = settings_of(config["analyses"][analysis], side, stage)
    if not isinstance(chosen, ImportSettings):
        return []
    pattern = chosen.pattern(corpus, split, side, stage)
    found = files_matching(pattern.split("::")[0].replace("{document}", "*"))
    if not found:
        remedy = f"put it there, or correct analyses.{analysis}.{stage}.files"
        raise InputError(f"no file {pattern} for the corpus {corpus}", remedy=remedy)
    return found


def analyser_inputs(stage):
    """Input function of a discourse stage: sentences, earlier tables, and the file of the split that it imports."""

    def inputs(wildcards):
        corpus, analysis, side, split = wildcards.corpus, wildcards.analysis, wildcards.side, wildcards.split
        annotation(corpus, analysis, side, stage, split)
        chosen = settings_of(config["analyses"][analysis], side, stage)
        one_per_document = isinstance(chosen, ImportSettings) and "{document}" in chosen.files
        tables = {
            table: f"{text_folder(wildcards)}/discourse/{analysis}/{side}/{table}/{split}/{wildcards.shard}.parquet"
            for table in registry.needed_tables(stage, chosen)
        }
        return {
            "sentences": f"{text_folder(wildcards)}/corpus/{split}/{wildcards.shard}.parquet",
            **tables,
            "imported": [] if one_per_document else imported_files(corpus, analysis, side, stage, split),
        }

    return inputs


def analyser_tables(wildcards, input):
    """The earlier tables of a discourse stage as options of its command."""
    return [f"{name}={path}" for name, path in input.items() if name in registry.STAGES]


def analyser_code(stage, script="discourse.analyse"):
    """Params function of a discourse stage: the fingerprint of its script and of the backend that it uses."""

    def fingerprint_of(wildcards):
        section = section_of(config["analyses"][wildcards.analysis], wildcards.side, stage)
        return code(script, registry.module_of(stage, section["backend"]))

    return fingerprint_of


def analyser_environment(stage):
    """The conda environment of a discourse stage, which its backend decides."""

    def environment(wildcards):
        backend = section_of(config["analyses"][wildcards.analysis], wildcards.side, stage)["backend"]
        return f"../envs/{'stanza' if backend == 'stanza' else 'network'}.yaml"

    return environment


def analyser_settings(stage):
    """Params function of a discourse stage: its section of the configuration with the backend's defaults."""

    def resolved(wildcards):
        analysis = config["analyses"][wildcards.analysis]
        section = section_of(analysis, wildcards.side, stage)
        values = dataclasses.asdict(settings_of(analysis, wildcards.side, stage))
        return canonical({"backend": section["backend"], **values})

    return resolved


def analyser_files(stage):
    """Params function of a discourse stage: a digest of the models, or of the imported files, one per document.

    They are no inputs: a fresh clone gives models other times, and of documents there may be thousands.
    """

    def digest(wildcards):
        chosen = settings_of(config["analyses"][wildcards.analysis], wildcards.side, stage)
        if isinstance(chosen, BuiltinSettings):
            return files_digest(model_files(stage, chosen, language_of(wildcards.corpus, wildcards.side)))
        if isinstance(chosen, ImportSettings) and "{document}" in chosen.files:
            place = (wildcards.corpus, wildcards.analysis, wildcards.side, stage, wildcards.split)
            return files_digest(map(Path, imported_files(*place)))
        if isinstance(chosen, CommandSettings):
            return files_digest([Path(word) for word in chosen.command if Path(word).is_file()])
        if isinstance(chosen, StanzaSettings) and chosen.download == "never":
            return files_digest([path for path in Path(chosen.folder).rglob("*") if path.is_file()])
        return ""

    return digest


def language_of(corpus, side):
    """The language of a side of a corpus."""
    return config["corpora"][corpus][f"{side}_language"]


def stop_word_list(corpus):
    """The stop words of a corpus's source language; none is an error before any job."""
    try:
        return stop_word_file(language_of(corpus, "source"))
    except InputError as error:
        raise WorkflowError(f"corpus {corpus}: {error}") from None


def conversion(wildcards):
    """What is parsed for systems, and how the trees of an analysis become dependencies."""
    return conversion_of(config["analyses"][wildcards.analysis], wildcards.get("side", "source"))


def conversion_options(wildcards):
    """How trees become dependencies, as options of a command."""
    chosen = conversion(wildcards)
    return ["--conversion", chosen.conversion, *(["--debinarise"] if chosen.debinarise else [])]


def experiment_annotations():
    """Every file of annotation that a training reads."""
    return [
        path
        for corpus, experiment, _ in runs()
        for table in STRUCTURES[structure_kind(experiment)].annotation
        for split in ("train", "dev")
        for path in annotation(corpus, config["experiments"][experiment]["analysis"], "source", table, split)
    ]


# Told before any job and in one line: what an input function raises is shown with where it was raised.
# Snakemake does not know its targets yet.
if "analyse" in sys.argv:
    annotations()
if {"train", "translate", "score", "report"} & set(sys.argv):
    experiment_annotations()
