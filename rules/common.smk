"""Helpers of all rules: the checked configuration, fingerprints of code and settings, and names of files."""

import json
import os
import re
import shlex
import sys
from functools import cache
from pathlib import Path

from snakemake.exceptions import WorkflowError
from snakemake.logging import logger

ROOT = Path(workflow.basedir)
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

from discourse_nmt.models.systems import SYSTEMS
from discourse_nmt.corpus.storage import sources
from discourse_nmt.corpus.errors import InputError
from discourse_nmt.corpus.storage.files import read_text
from discourse_nmt.corpus.storage.shards import files_of
from discourse_nmt.rules.analyses import check_analyses
from discourse_nmt.rules.configuration import (
    check_corpora,
    check_experiments,
    check_schema,
    experiment_settings,
    import_settings,
    splits_of,
    structure_of,
    test_sets_of,
    text_settings,
)
from discourse_nmt.rules.pretrained import PRETRAINED, checkpoint_files
from discourse_nmt.text.settings import PRETRAINED_SUBWORDS, TextSettings
from discourse_nmt.training.kinds import LABELLER, STRUCTURES, TASKS
from discourse_nmt.rules.fingerprint import fingerprint
from discourse_nmt.rules.memory import memory
from discourse_nmt.rules.repeated_keys import check_repeated_keys
from discourse_nmt.rules.schema.validator import parsed_schema
from discourse_nmt.rules.sizes import check_size

# A preset is complete by itself: the demo's config.yaml is read only where no --configfile is given.
if not workflow.overwrite_configfiles:

    configfile: str(ROOT / "config.yaml")


try:
    for path in workflow.overwrite_configfiles or [ROOT / "config.yaml"]:
        check_repeated_keys(read_text(path), path)
    check_size(config)
    check_schema(config, parsed_schema(read_text(ROOT / "config.schema.yaml")))
    check_corpora(config)
    check_experiments(config)
    check_analyses(config)
except InputError as error:
    raise WorkflowError(f"config: {error}") from None

# Jobs run `python -m discourse_nmt.workflow_scripts.NAME` from any working directory. Idle OpenMP threads must sleep: spinning
# ones make two parallel jobs on two cores more than ten times slower.
BRACES = str.maketrans({"{": "{{", "}": "}}"})
shell.prefix(
    "set -euo pipefail; export OMP_WAIT_POLICY=PASSIVE "
    f"PYTHONPATH={shlex.quote(str(ROOT))}${{PYTHONPATH:+:$PYTHONPATH}}; ".translate(BRACES)
)

RESULTS = f"results/{config['run']}"
WORK = f"work/{config['run']}"
# Input, as ancient(STATISTICS), of rules that read no shard of the import themselves, but what is made of shards: it never
# makes a job run, and has Snakemake look at that job again after an import.
STATISTICS = f"{RESULTS}/{{corpus}}/corpus/statistics.tsv"
DEMO = f"{RESULTS}/generated"
DEMO_SPLITS = ["train", "dev", "test"]
DEMO_TEXTS = [f"{DEMO}/{split}.tsv" for split in DEMO_SPLITS]
DEMO_CONTRASTIVE = f"{DEMO}/contrastive/test.parquet"
GOLD_TABLES = ["edus", "rst", "rst_dependencies", "coreference", "themes"]
DEMO_GOLD = [f"{DEMO}/gold/{table}/{split}.parquet" for table in GOLD_TABLES for split in DEMO_SPLITS]
TOKENISING = ("source_language", "target_language", "tokeniser")
SCORING = ("batch_tokens", "use_tree", "whole_documents")  # keys of decoding that scores of given texts depend on


def one_of(section):
    """A regular expression for the names of a section of the configuration; it matches nothing where that is empty."""
    return "|".join(map(re.escape, config[section])) or r"(?!)"


wildcard_constraints:
    corpus=one_of("corpora"),
    experiment=one_of("experiments"),
    split=r"[A-Za-z0-9_.+-]+",
    analysis=one_of("analyses"),
    language=one_of("parsers"),
    treebank=r"[A-Za-z0-9][A-Za-z0-9_.+-]*",
    fold=r"\d+",
    shard=r"\d+",
    seed=r"\d+",
    side="source|target",


@cache  # jobs of a rule ask for the same
def code(script, *modules):
    """Fingerprint of a script of workflow_scripts and of further project modules that it loads by name."""
    return fingerprint(f"discourse_nmt.workflow_scripts.{script}", *(module.split(":")[0] for module in modules))


def canonical(values):
    """One JSON string for a dictionary of settings: Snakemake compares params as values without names."""
    return json.dumps(values, sort_keys=True, ensure_ascii=False)


def settings(stage, name):
    """The part of the configuration that a stage depends on, as one canonical JSON string.

    ``name`` is the corpus for the stages corpus, tokenise and text, and the experiment for the stages settings
    (switches of its system), training, decoding and scoring.
    """
    if stage in ("settings", "training", "decoding"):
        return canonical(experiment_settings(config, name)[stage])
    if stage == "scoring":
        decoding = experiment_settings(config, name)["decoding"]
        return canonical({key: decoding[key] for key in SCORING})
    corpus = config["corpora"][name]
    if stage == "corpus":
        return canonical(import_settings(corpus))
    if stage == "tokenise":
        return canonical({key: value for key, value in text_settings(corpus).items() if key in TOKENISING})
    return canonical(text_settings(corpus))


def splits(corpus):
    """Every split of a corpus, given or held out."""
    return splits_of(config["corpora"][corpus])


def test_sets(corpus):
    """The splits that are translated and scored: all but train and dev, or dev where there is no other."""
    return test_sets_of(config["corpora"][corpus])


def shard_count(wildcards):
    """The number of shards of each split of a corpus."""
    return config["corpora"][wildcards.corpus]["shards"]


def shards(pattern, corpus, split):
    """The files that hold all shards of a split; ``pattern`` is the folder of the stage, for example text/tokens."""
    files = files_of(split, config["corpora"][corpus]["shards"])
    return [f"{RESULTS}/{corpus}/{pattern}/{split}/{shard}.parquet" for shard in range(files)]


def corpus_files(name):
    """The files a corpus is read from, see :func:`found_files`."""
    corpus = config["corpora"][name]
    roles = ("source", "target", "documents", "files")
    patterns = [pattern for split in corpus["splits"].values() for role in roles for pattern in split.get(role, [])]
    where = corpus["where"] or f"put it there, or correct corpora.{name}.splits in the configuration"
    return found_files(patterns, f"corpus {name}", where, f"{RESULTS}/{name}/corpus/statistics.tsv")


def found_files(patterns, owner, where, imported):
    """The files of some patterns, archives and their members included.

    A missing one that no rule makes is told in one line, before any job starts. It is an error, or a warning where
    the file ``imported`` shows that they were imported before.
    """
    found = {pattern: files_matching(pattern.split("::")[0]) for pattern in patterns}
    missing = [pattern for pattern, paths in found.items() if not paths]
    if missing:
        if not Path(imported).exists():
            raise WorkflowError(f"{owner}: no file {missing[0]}; {where}")
        logger.warning(f"{owner}: no file {missing[0]}; it stays as it was imported before")
    files = sorted({path for pattern, paths in found.items() for path in paths or [pattern]})
    for path in files:
        if set("{}") & set(path):
            raise WorkflowError(f"{owner}: Snakemake cannot read {path}; rename it, braces name wildcards")
    return files


def contrastive_file(corpus, split):
    """The contrastive items of a test set; a missing file that no rule makes is an error before any job starts."""
    path = config["corpora"][corpus]["contrastive"][split]
    if path != DEMO_CONTRASTIVE and not Path(path).exists():
        raise WorkflowError(f"corpus {corpus}: no file {path}; put it there, or correct corpora.{corpus}.contrastive")
    return path


def files_matching(pattern):
    """The files of a path or of a pattern with wildcards; a file of the demo counts, as a rule makes it."""
    if pattern in DEMO_TEXTS + DEMO_GOLD or Path(pattern).exists():
        return [pattern]
    return [str(path) for path in sources.files(pattern)]


def runs():
    """Every training run of the configuration as (corpus, experiment, seed)."""
    return [
        (corpus, name, seed)
        for name, experiment in config["experiments"].items()
        for corpus in experiment.get("corpora", config["corpora"])
        for seed in experiment["seeds"]
    ]


def used_corpora():
    """The corpora that an experiment uses."""
    return list(dict.fromkeys(corpus for corpus, _, _ in runs()))


def run_folder(corpus, experiment, seed):
    """Folder of one trained model."""
    return f"{RESULTS}/{corpus}/experiments/{experiment}/seed{seed}"


def run_files(name):
    """One file of that name for every training run; {split} stands for each test set."""
    return (
        [f"{run_folder(*run)}/{name.format(split=split)}" for run in runs() for split in test_sets(run[0])]
        if "{split}" in name
        else [f"{run_folder(*run)}/{name}" for run in runs()]
    )


# The score tables that collect_scores gathers. A rule that makes some adds their paths where it is defined, for example
# SCORE_TABLES += run_files("scores/{split}.tsv"). No number may be in two of them.
SCORE_TABLES = []


def initial_model(wildcards):
    """The model that an experiment starts from; none for a first stage.

    It is the pretrained one, or an experiment's, of the same seed where that has it.
    """
    first = config["experiments"][wildcards.experiment]["initialised_from"]
    if first is None:
        return []
    if first == PRETRAINED:
        return [f"{RESULTS}/{wildcards.corpus}/pretrained/model.safetensors"]
    return [f"{run_folder(wildcards.corpus, first, seed_in(first, wildcards.seed))}/model.safetensors"]


def labeller_of(wildcards):
    """The labeller of themes that an experiment's network holds, trained on the model it starts from; none for most."""
    folders = labeller_folders(wildcards.corpus, wildcards.experiment, wildcards.seed)
    return [f"{folder}/labeller.safetensors" for folder in folders]


def labeller_folders(corpus, experiment, seed):
    """The folder of the labeller that a training run takes over, if any."""
    section = config["experiments"][experiment]
    name, first = section["labeller"], section["initialised_from"]
    return [] if name is None else [labeller_folder(corpus, name, first, seed_in(first, seed))]


def seed_in(experiment, seed):
    """The seed of an experiment that others of that seed start from: the same where it has it."""
    seeds = config["experiments"][experiment]["seeds"]
    return int(seed) if int(seed) in seeds else seeds[0]


def checkpoint(corpus):
    """Files of the checkpoint that a corpus takes its subwords from, none where it learns them; by what they hold."""
    try:
        return checkpoint_files(TextSettings.from_mapping(text_settings(config["corpora"][corpus])))
    except InputError as error:
        raise WorkflowError(f"corpus {corpus}: {error}") from None


def subword_modules(corpus):
    """The module of a corpus's kind of subwords, which is loaded by name; none where they are learnt."""
    kind = config["corpora"][corpus]["text"]["subwords"]
    return [PRETRAINED_SUBWORDS[kind][0]] if kind in PRETRAINED_SUBWORDS else []


def system_of(experiment):
    """Name of an experiment's system."""
    return config["experiments"][experiment]["system"]


def system_code(script, experiment, *modules):
    """Fingerprint of a script that runs an experiment's system, of which each kind has a module of its own."""
    system, kind = SYSTEMS[system_of(experiment)], structure_of(config, experiment)
    readers = [STRUCTURES[kind].reader] if kind else []
    if script == "train.train" and config["experiments"][experiment]["labeller"] is not None:
        readers.append(LABELLER)
    return code(script, system.module, TASKS[system.unit], *readers, *modules)


def structure_options(wildcards, input):
    """The structure files of a training, as options of its command."""
    return [
        word
        for name in ("train_structure", "dev_structure")
        for path in input[name]
        for word in (f"--{name.replace('_', '-')}", path)
    ]


def target_is_lowercase(corpus):
    """Whether a corpus's translations are in lower case, so that their scores ignore case."""
    return TextSettings.from_mapping(text_settings(config["corpora"][corpus])).target.lowercase


def contrastive_scores(wildcards):
    """The scores of the contrastive items of a test set, where the corpus has such items."""
    if wildcards.split not in config["corpora"][wildcards.corpus]["contrastive"]:
        return []
    return [
        f"{run_folder(wildcards.corpus, wildcards.experiment, wildcards.seed)}/contrastive/{wildcards.split}.parquet"
    ]
