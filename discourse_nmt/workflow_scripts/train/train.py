"""Train one system with one seed, or continue where a stopped training of the same run left off.

Checkpoints, metrics.csv and TensorBoard files are in a folder of WORK that is named by a key of inputs, settings and
code. After SIGTERM, SIGINT (Ctrl-C) or --time-limit, the command ends the current update, writes a checkpoint and exits
with status 143, 130 or 142; the same command continues. With --nodes in a job of Slurm, it starts on the job's nodes.
"""

import logging
import sys
import time
from pathlib import Path

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.settings import parse_settings
from discourse_nmt.base.vocabulary import Vocabulary
from discourse_nmt.training.kinds import HELD
from discourse_nmt.training.operation.interruption import Interrupted
from discourse_nmt.training.operation.others import OtherProcesses, others_needed, started_by_torchrun, wait_for_first
from discourse_nmt.training.settings import TrainingSettings
from discourse_nmt.workflow_scripts.command import JsonObject, arguments, run

MODULE = "discourse_nmt.workflow_scripts.train.train"


def main() -> None:
    """Parse the arguments, train, write the model and its metrics."""
    started = time.monotonic()
    parser = arguments(__doc__)
    parser.add_argument("--system", required=True, help="name of the system, as in models/systems.py")
    parser.add_argument("--settings", action=JsonObject, default={}, help="switches of the system, as JSON")
    parser.add_argument(
        "--training", action=JsonObject, default={}, help="training section of the configuration, as JSON"
    )
    parser.add_argument("--seed", type=int, required=True, help="seed of initialisation, batches and dropout, from 0")
    parser.add_argument("--train", type=Path, required=True, help="dataset to train on")
    parser.add_argument("--dev", type=Path, required=True, help="dataset to evaluate on")
    parser.add_argument("--source-vocabulary", type=Path, required=True, help="vocabulary of the source side")
    parser.add_argument("--target-vocabulary", type=Path, required=True, help="vocabulary of the target side")
    parser.add_argument("--initialised-from", type=Path, help="model whose parameters of equal names are taken over")
    parser.add_argument(
        "--train-structure", type=Path, help="structure file of the training set, for systems that read it"
    )
    parser.add_argument("--dev-structure", type=Path, help="structure file of the development set")
    for companion in HELD:
        parser.add_argument(f"--{companion.name}", type=Path, help=f"trained {companion.title}, {companion.use}")
    parser.add_argument("--work", type=Path, required=True, help="folder for checkpoints, kept between attempts")
    parser.add_argument("--code", default="", help="fingerprint of the program; another one starts training anew")
    parser.add_argument("--threads", type=int, default=1, help="CPU threads of each process")
    parser.add_argument(
        "--device", choices=["auto", "cpu", "cuda"], default="auto", help="auto: cuda where there is one"
    )
    parser.add_argument(
        "--devices", type=int, default=1, help="processes on each machine, each with a device of its own"
    )
    parser.add_argument("--nodes", type=int, default=1, help="machines that train together, by Slurm or --rendezvous")
    parser.add_argument(
        "--rendezvous",
        metavar="HOST:PORT",
        help="without Slurm: a free port of the first machine; JOB_COMPLETION_INDEX is the number of each, from 0",
    )
    parser.add_argument(
        "--recompute-activations", action="store_true", help="layers keep only their input for the gradient"
    )
    parser.add_argument(
        "--shard-optimiser", action="store_true", help="each process keeps the optimiser's state of some parameters"
    )
    parser.add_argument(
        "--time-limit",
        type=float,
        default=0.0,
        metavar="MINUTES",
        help="stop after so many minutes with a checkpoint, for a later call to continue; 0 is never",
    )
    parser.add_argument("--output", type=Path, required=True, help="model to write, safetensors")
    parser.add_argument("--metrics", type=Path, required=True, help="metrics to write, CSV")
    options = parser.parse_args()
    if not options.time_limit >= 0:
        raise InputError(f"--time-limit is {options.time_limit:g}", remedy="it must be at least 0")
    if options.nodes < 1:
        raise InputError(f"--nodes is {options.nodes}", remedy="it must be at least 1")
    if options.nodes > 1 and not started_by_torchrun():
        from discourse_nmt.training.operation.nodes import start_on_nodes

        start_on_nodes(
            MODULE,
            sys.argv[1:],
            nodes=options.nodes,
            processes=options.devices,
            threads=options.threads,
            rendezvous=options.rendezvous,
        )
    others = OtherProcesses(others_needed(options.device, options.devices), MODULE, sys.argv[1:])
    # Not before the others have started: to import torch takes seconds.
    from discourse_nmt.training.checkpoints.model_files import save_model
    from discourse_nmt.training.operation.metrics import write_metrics
    from discourse_nmt.training.run.run import TrainingRun, train

    wait_for_first()
    deadline = started + 60 * options.time_limit if options.time_limit else None
    files = {companion.name: getattr(options, companion.name) for companion in HELD}
    request = TrainingRun(
        system=options.system,
        switches=options.settings,
        settings=parse_settings(TrainingSettings, options.training, "training"),
        seed=options.seed,
        train=options.train,
        dev=options.dev,
        source_vocabulary=Vocabulary.load(options.source_vocabulary),
        target_vocabulary=Vocabulary.load(options.target_vocabulary),
        initialised_from=options.initialised_from,
        train_structure=options.train_structure,
        dev_structure=options.dev_structure,
        companions={name: path for name, path in files.items() if path is not None},
        code=options.code,
    )

    try:
        result = train(
            request,
            options.work,
            device=options.device,
            devices=options.devices,
            threads=options.threads,
            deadline=deadline,
            recompute=options.recompute_activations,
            shard=options.shard_optimiser,
            release=others.release,
        )
    except Interrupted as stop:
        logging.getLogger(__name__).info(str(stop))
        sys.exit(stop.status)

    if result.first:
        vocabularies = (request.source_vocabulary, request.target_vocabulary)
        save_model(options.output, result.network, request.system, request.complete_switches, *vocabularies)
        write_metrics(result.state.rows, options.metrics)


if __name__ == "__main__":
    run(main, "lower training.batch_tokens, or training.max_length if single sentences are that long")
