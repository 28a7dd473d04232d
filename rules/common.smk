"""The checked configuration, its plan, and the names that several rules files use.

Names of files and functions of wildcards come from `plan` (discourse_nmt/workflow/plan/), which is plain Python.
"""

import os
import shlex
import sys
from pathlib import Path

from snakemake.exceptions import WorkflowError
from snakemake.logging import logger

ROOT = Path(workflow.basedir)
# A checkout needs no installation of its package; an installation has the Snakefile inside the package.
CHECKOUT = (ROOT / "discourse_nmt").is_dir()
if CHECKOUT and str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.storage.files import read_text
from discourse_nmt.workflow.checks.configuration import check_configuration
from discourse_nmt.workflow.checks.corpora import check_own_texts
from discourse_nmt.workflow.checks.decodings import vain_decodings
from discourse_nmt.workflow.checks.hardware import check_gpus, check_nodes
from discourse_nmt.workflow.checks.programs import check_needs
from discourse_nmt.workflow.checks.schema import check_schema
from discourse_nmt.workflow.checks.sizes import check_size
from discourse_nmt.workflow.configuration.tree import Configuration
from discourse_nmt.workflow.configuration_files import read_configuration
from discourse_nmt.workflow.sizing.memory import memory
from discourse_nmt.workflow.plan.analyses import ANALYSER_RULES, earlier_tables
from discourse_nmt.workflow.plan.corpora import TEXT_FILES
from discourse_nmt.workflow.jobs.interface import names_regex
from discourse_nmt.workflow.jobs.parameters import code
from discourse_nmt.workflow.plan.language_models import ANSWERS, CHAT_FILES
from discourse_nmt.workflow.plan.plan import Plan
from discourse_nmt.workflow.plan.report import named, paths
from discourse_nmt.workflow.plan.runs import shortlist_option, tuned_option
from discourse_nmt.workflow.plan.scores import CACHE_TEMPLATES
from discourse_nmt.workflow.plan.structures import structure_option, training_options
from discourse_nmt.workflow.reruns.fingerprint import files_digest
from discourse_nmt.workflow.remote_storage import keep_work, linking, stored_files
from discourse_nmt.workflow.schema.validator import parsed_schema
from discourse_nmt.workflow.sizing.parts import part_option
from discourse_nmt.workflow.estimates.training_memory import training_megabytes
from discourse_nmt.workflow.scheduling import sleep_between_jobs
from discourse_nmt.workflow.termination import handle_sigterm
from discourse_nmt.workflow.resolving.resolve import resolve
from discourse_nmt.workflow.resolving.shards import HANDED_SHARDS, chosen_shards
from discourse_nmt.training.kinds import TREE_TABLES


def end_with(fault):
    """End with one line. Snakemake would tell an exception with the lines of this file."""
    logger.error(f"error: {fault}")
    sys.exit(1)


# From here on the plan is made, under a lock that must not stay behind.
if workflow.is_main_process:
    handle_sigterm()

# Snakemake has read the files of --configfile, and reads the demo's below.
try:
    for path in workflow.overwrite_configfiles or [ROOT / "config.yaml"]:
        read_configuration(Path(path))
except InputError as error:
    end_with(f"config: {error}")

# A preset is complete by itself: the demo's config.yaml is read only where no --configfile is given.
if not workflow.overwrite_configfiles:

    configfile: str(ROOT / "config.yaml")


try:
    given = {key: value for key, value in config.items() if key != HANDED_SHARDS}
    check_size(given)
    filled = check_schema(given, parsed_schema(read_text(ROOT / "config.schema.yaml")))
    check_own_texts(given, filled)
    written = Configuration.read(filled)
    configuration = resolve(written, os.environ, config.get(HANDED_SHARDS, {}))
    check_configuration(configuration)
    if workflow.is_main_process:
        for line in vain_decodings(configuration):
            logger.warning(f"config: {line}")
except InputError as error:
    end_with(f"config: {error}")

# The jobs' own processes of Snakemake take the numbers: they would look at files that have changed since.
if (shards := chosen_shards(written, configuration)) and workflow.is_main_process:
    arguments = workflow.config_settings.config_args
    workflow.config_settings.config_args = [*arguments, f"{HANDED_SHARDS}={shards}"]

# Checkpoints and document stores are no outputs, which Snakemake stores only at the end of a job.
storage_prefix = workflow.storage_settings.default_storage_prefix
storage_provider = workflow.storage_registry.default_storage_provider
try:
    keep_work(storage_prefix, storage_provider, os.environ, check=workflow.is_main_process)
    link_copies = linking(storage_prefix, storage_provider, Path("results"))
except InputError as error:
    end_with(f"{error}")

plan = Plan(configuration, stored_files(storage_prefix, storage_provider))
try:
    plan.look_up(sys.argv)
except WorkflowError as error:
    end_with(f"{error}")

# Jobs run `python -m discourse_nmt.workflow_scripts.STAGE.NAME` from any working directory, with the interpreter that runs
# Snakemake, so that its environment needs no activation; conda environments bring their own. Idle OpenMP threads must
# sleep: spinning ones make two parallel jobs on two cores more than ten times slower.
# Memory in large pages, and kept by the process up to 256 MiB, makes training in bf16 a tenth faster (glibc alone).
# A job that the kernel kills for lack of memory cannot say so itself: the trap does.
KILLED = "error: killed (signal 9), probably for lack of memory; lower batch_tokens of training or decoding"
MEMORY = "glibc.malloc.hugetlb=1:glibc.malloc.mmap_threshold=33554432:glibc.malloc.trim_threshold=268435456"
own_environments = bool(workflow.deployment_settings.deployment_method)
BRACES = str.maketrans({"{": "{{", "}": "}}"})
shell.prefix(
    (
        f"set -euo pipefail; trap '[ $? -ne 137 ] || echo \"{KILLED}\" >&2' EXIT; export OMP_WAIT_POLICY=PASSIVE "
        f"GLIBC_TUNABLES=${{GLIBC_TUNABLES:-{MEMORY}}} "
        + (f"PYTHONPATH={shlex.quote(str(ROOT))}${{PYTHONPATH:+:$PYTHONPATH}}" if CHECKOUT else "")
        + "; "
        + link_copies
        + ("" if own_environments else f'python() {{ {shlex.quote(sys.executable)} "$@"; }}; ')
    ).translate(BRACES)
)


# Before the first job, when Snakemake's scheduler has set a handler of its own. On a cluster the jobs' own machines have
# the GPUs and the user's programs.
onstart:
    handle_sigterm()
    sleep_between_jobs(workflow.scheduler)
    try:
        check_nodes(NODES, local=workflow.local_exec)
        check_gpus(GPUS if workflow.local_exec else 0)
        if workflow.local_exec:
            check_needs(plan.needs(workflow.dag.needrun_jobs()), own_environments=own_environments)
    except InputError as error:
        raise WorkflowError(f"config: {error}") from None


# Resources are no reason to run a job again, so that hardware is given to programs through them. GPUS and PROCESSES are
# those of a training on each of its NODES.
HARDWARE = configuration.hardware
GPUS = HARDWARE.wanted_gpus
DEVICE = "auto" if HARDWARE.gpus == "auto" else "cuda" if GPUS else "cpu"
PROCESSES = GPUS or HARDWARE.processes
NODES = HARDWARE.nodes
SPARING = " ".join(
    f"--{key.replace('_', '-')}" for key in ("recompute_activations", "shard_optimiser") if getattr(HARDWARE, key)
)
RESULTS = plan.files.results
WORK = plan.files.work
# An input, as ancient(STATISTICS), of rules whose other inputs are made from shards of the import. It never makes a job
# run; because of it Snakemake looks at the job again after an import.
STATISTICS = plan.files.statistics("{corpus}")
PARSERS = plan.parsers.folder
# Folders of a training run, of a labeller, and of a draft with its document stores, logs and benchmarks.
RUN = plan.files.run("{corpus}", "{experiment}", "{seed}")
LABELLER = plan.labellers.folder("{corpus}", "{labeller}", "{experiment}", "{seed}")
DRAFT, DRAFT_WORK, DRAFT_LOGS, DRAFT_BENCHMARKS = (
    f"{folder}/{{corpus}}/drafts/{{experiment}}/seed{{seed}}"
    for folder in (RESULTS, WORK, f"{RESULTS}/logs", f"{RESULTS}/benchmarks")
)


wildcard_constraints:
    corpus=names_regex(configuration.corpora),
    experiment=names_regex([*configuration.experiments, *plan.runs.external_names()]),
    labeller=names_regex(configuration.labellers),
    metric=names_regex(configuration.metrics),
    table=names_regex(configuration.paper_tables),
    analysis=names_regex(configuration.analyses),
    language=names_regex(configuration.parsers),
    split=r"[A-Za-z0-9_.+-]+",
    treebank=r"[A-Za-z0-9][A-Za-z0-9_.+-]*",
    fold=r"\d+",
    shard=r"\d+",
    part=r"\d+",
    parts=r"\d+",
    seed=r"\d+",
    side="source|target",
