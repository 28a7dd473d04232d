"""Options that the benchmarks of networks share."""

import argparse
from typing import Any

import numpy as np
import torch

from discourse_nmt.workflow_scripts.command import JsonObject, arguments

SIZE = {"width": 256, "heads": 4, "encoder_layers": 3, "decoder_layers": 3, "feed_forward_width": 1024}


def model_arguments(
    documentation: str | None, system: str = "transformer", settings: dict[str, Any] = SIZE
) -> argparse.ArgumentParser:
    """A parser for the size of a model of ``system`` and for the number of threads."""
    parser = arguments(documentation)
    parser.add_argument(
        "--settings", action=JsonObject, default=settings, help=f"settings of the system {system}, as JSON"
    )
    parser.add_argument("--vocabulary-size", type=int, default=8000, help="symbols of the joint vocabulary")
    parser.add_argument("--threads", type=int, default=1, help="CPU threads")
    return parser


def begin(parser: argparse.ArgumentParser) -> tuple[argparse.Namespace, np.random.Generator]:
    """The options of :func:`model_arguments`, with threads and seeds set, and a seeded generator."""
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    torch.manual_seed(1)
    return options, np.random.default_rng(1)
