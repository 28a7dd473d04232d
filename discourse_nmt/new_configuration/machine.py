"""The machine, and its speed: a few training steps and some analysis, timed on it."""

import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import nn

from discourse_nmt import ROOT
from discourse_nmt.base.storage.files import read_text
from discourse_nmt.base.vocabulary import BEGIN, END, SPECIALS
from discourse_nmt.discourse.pipeline import load_pipeline
from discourse_nmt.models.systems import build
from discourse_nmt.new_configuration.facts import word_count
from discourse_nmt.training.tasks.loss import smoothed

STEPS = 2  # timed, after one that is not
WORDS = 1_500  # of the text whose analysis is timed
GIGA = 1e9
SCHEDULED = Path("/proc/thread-self/schedstat")


@dataclass(frozen=True)
class Machine:
    """Cores of the CPU that this process may use, and gigabytes of memory; those of the first GPU, 0 without one."""

    cores: int
    memory: float
    gpu_memory: float


def this_machine() -> Machine:
    """Processors, memory and GPU of this machine."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / GIGA
    gpu = torch.cuda.get_device_properties(0).total_memory / GIGA if torch.cuda.is_available() else 0.0
    return Machine(len(os.sched_getaffinity(0)), memory, gpu)


@dataclass(frozen=True)
class Network:
    """The number of parameters of a sentence model, and the target subwords that it learns from in a second.

    The rate is that of an idle machine: other programs left ``share`` of this speed to the steps that were timed.
    """

    parameters: int
    rate: float
    share: float = 1.0


class Stopwatch:
    """The time since it was made."""

    def __init__(self) -> None:
        self._began, self._scheduled = time.perf_counter(), _scheduled()

    def seconds(self) -> float:
        """Seconds by the clock on the wall."""
        return time.perf_counter() - self._began

    def share(self) -> float:
        """The share in which this thread had a core, of the time in which it could have used one."""
        ran, waited = (after - before for after, before in zip(_scheduled(), self._scheduled))
        return ran / (ran + waited) if ran else 1.0


def _scheduled() -> tuple[int, int]:
    """Nanoseconds for which this thread has run and has waited for a core; zeros where the kernel does not tell."""
    ran, waited, *_ = read_text(SCHEDULED).split() if SCHEDULED.exists() else ("0", "0")
    return int(ran), int(waited)


def measured_network(model: Mapping[str, Any], vocabulary: int, batch_tokens: int, threads: int) -> Network:
    """A sentence model trained for three steps on random sentences of 30 subwords, on the GPU if there is one.

    The rate is that of one process with ``threads``. A step is forward and backward pass, loss and Adam, as in
    training. A CPU gets at most 1,500 subwords a step, and what others took of it is added.
    """
    torch.set_num_threads(threads)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    network = build("transformer", model, vocabulary, vocabulary, True).to(device)
    adam = torch.optim.Adam(network.parameters(), lr=1e-5, fused=True)
    rows = max(1, min(batch_tokens, 1_500 if device.type == "cpu" else batch_tokens) // 30)
    generator = torch.Generator().manual_seed(1)
    ids = torch.randint(len(SPECIALS), vocabulary, (rows, 30), generator=generator)
    source = torch.cat((ids, torch.full((rows, 1), END)), dim=1).to(device)
    target = torch.cat((torch.full((rows, 1), BEGIN), ids), dim=1).to(device)
    wanted = torch.ones_like(source, dtype=torch.bool)
    watch = Stopwatch()
    for step in range(STEPS + 1):
        if step == 1:
            _wait(device)
            watch = Stopwatch()
        _step(network, adam, source, target, wanted)
    _wait(device)
    seconds, share = watch.seconds(), watch.share() if device.type == "cpu" else 1.0
    rate = STEPS * source.numel() / seconds / share
    return Network(sum(parameter.numel() for parameter in network.parameters()), rate, share)


def _step(network: Any, adam: torch.optim.Adam, source: torch.Tensor, target: torch.Tensor, wanted: Any) -> None:
    states = network.final_states(source, target, wanted)
    loss = smoothed(states, network.output.weight, source[wanted], 0.1).objective / len(states)
    adam.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(network.parameters(), 1.0)
    adam.step()


def _wait(device: torch.device) -> None:
    if device.type == "cuda":
        torch.cuda.synchronize()


def measured_analysis(sentences: Sequence[str], language: str) -> float:
    """Words (half of the characters for Chinese) of the text's beginning that one idle core analyses in a second."""
    chosen: list[str] = []
    words = 0
    for sentence in sentences:
        if words >= WORDS:
            break
        chosen.append(sentence)
        words += word_count(sentence)
    torch.set_num_threads(1)
    pipeline = load_pipeline(ROOT / "resources" / "analysers" / language, language)
    pipeline.analyse([chosen[0]])  # loads what is loaded at first use
    watch = Stopwatch()
    pipeline.analyse(["\n".join(chosen)])
    return words / watch.seconds() / watch.share()
