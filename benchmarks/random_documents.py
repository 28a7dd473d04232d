"""Random documents with discourse trees, and the options that the benchmarks of packed systems share.

The tree over sentences is made top down. A span is split between two sentences until spans are single sentences. Of
two neighbouring spans the first is the nucleus with probability 0.7; the head of a span is that of its nucleus. The
units of a sentence are related in the same way, and their root stands for the sentence.
"""

import argparse
from typing import Any

import numpy as np
import torch

from discourse_nmt.corpus.vocabulary import SPECIALS
from discourse_nmt.models.attention.neighbourhood import Integers
from discourse_nmt.models.packed.instances import Instance
from discourse_nmt.workflow_scripts.command import JsonObject, arguments

SIZE = {"width": 256, "heads": 4, "encoder_layers": 3, "decoder_layers": 3, "feed_forward_width": 1024}
NUCLEUS_FIRST = 0.7


def model_arguments(documentation: str | None, system: str, settings: dict[str, Any]) -> argparse.ArgumentParser:
    """A parser for the size of a model of ``system``, of its documents, and for the number of threads."""
    parser = arguments(documentation)
    parser.add_argument(
        "--settings", action=JsonObject, default=settings, help=f"settings of the system {system}, as JSON"
    )
    parser.add_argument("--vocabulary-size", type=int, default=8000, help="symbols of the joint vocabulary")
    parser.add_argument("--sentences", type=int, default=20, help="sentences per document")
    parser.add_argument("--threads", type=int, default=1, help="CPU threads")
    return parser


def begin(parser: argparse.ArgumentParser) -> tuple[argparse.Namespace, np.random.Generator]:
    """The options of :func:`model_arguments`, with threads and seeds set, and a seeded generator."""
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    torch.manual_seed(1)
    return options, np.random.default_rng(1)


def document(lengths: Integers, unit: int, size: int, rng: np.random.Generator) -> Instance:
    """A document whose sentences have ``lengths`` subwords of a vocabulary of ``size``, in units of about ``unit``.

    A target sentence is at most 2 subwords longer or shorter than its source.
    """
    units = np.maximum(np.rint(lengths / unit).astype(np.int64), 1)
    firsts = np.cumsum(units) - units
    heads = np.full(units.sum(), -1)
    tops = np.array([join(first, first + count - 1, heads, rng) for first, count in zip(firsts, units)])
    heads_of_sentences = np.full(len(units), -1)
    join(0, len(units) - 1, heads_of_sentences, rng)
    dependent = heads_of_sentences >= 0
    heads[tops[dependent]] = tops[heads_of_sentences[dependent]]
    return Instance(
        source=[rng.integers(len(SPECIALS), size, count) for count in lengths],
        target=[rng.integers(len(SPECIALS), size, count) for count in lengths + rng.integers(-2, 3, len(lengths))],
        edus=[first + np.arange(length) * count // length for first, count, length in zip(firsts, units, lengths)],
        heads=heads,
    )


def join(first: int, last: int, heads: Integers, rng: np.random.Generator) -> int:
    """Fill in the heads of the units ``first … last`` of a random tree; return its root, whose head is unchanged."""
    if first == last:
        return first
    middle = int(rng.integers(first, last))
    left, right = join(first, middle, heads, rng), join(middle + 1, last, heads, rng)
    nucleus, satellite = (left, right) if rng.random() < NUCLEUS_FIRST else (right, left)
    heads[satellite] = nucleus
    return nucleus
