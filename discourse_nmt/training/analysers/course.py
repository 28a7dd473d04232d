"""The training of an analyser's networks, one after the other, each from its last checkpoint.

Work folders, soft stops and the state of a run are those of the training of systems. The order of batches is drawn
again from the seed; the state of torch's generator, which draws dropout, is part of a checkpoint. A training that
continues therefore repeats the unbroken one bit for bit.
"""

import contextlib
import copy
import logging
import math
import signal
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Generic, TypeVar

import torch
from torch import Tensor, nn

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.progress import progress
from discourse_nmt.training.checkpoints.model_files import fill, tensors_of
from discourse_nmt.training.checkpoints.work import TrainingState, WorkFolder
from discourse_nmt.training.operation.interruption import Interrupted, StopRequest, stop_requests

log = logging.getLogger(__name__)

CHECKPOINT_MINUTES = 10.0  # as for systems
Network = TypeVar("Network", bound=nn.Module)
Batch = TypeVar("Batch")


@dataclass(frozen=True)
class Lessons(Generic[Network, Batch]):
    """How one network is trained."""

    network: Network
    adam: torch.optim.Optimizer
    epochs: int
    order: Iterable[Sequence[tuple[float, Batch]]]
    """The batches of each epoch, each with its learning rate, of which a group of parameters may have a ``share``;
    equal in every run."""
    loss: Callable[[Batch], tuple[Tensor, float]]
    """The loss of a batch, and the value that is reported."""
    average: float | None = None
    """Decay of the moving average of the weights, which is the result; None for the last weights."""
    clip: float = math.inf
    """Largest 2-norm of an update's gradient."""


class Course:
    """The training of ``networks`` networks.

    With a folder ``work`` their state is kept there, at the end of each epoch, every ``checkpoint_minutes``, and when a
    signal or the ``deadline``, a time of :func:`time.monotonic`, stops the training. ``max_minutes`` of training,
    summed over restarts, end it with what was learnt; each network may use an equal part of what is left of them.
    """

    def __init__(
        self,
        work: Path | None = None,
        *,
        networks: int = 1,
        max_minutes: float = 0.0,
        deadline: float | None = None,
        checkpoint_minutes: float = CHECKPOINT_MINUTES,
    ) -> None:
        self.work, self.networks, self.deadline, self.checkpoint_minutes = work, networks, deadline, checkpoint_minutes
        self.seconds_left = 60 * max_minutes if max_minutes else math.inf
        self.begun = 0

    def train(self, lessons: Lessons[Network, Batch]) -> Network:
        """Train the next network, or continue with it, and return the result.

        Raises :class:`Interrupted` once a checkpoint is written, and :class:`InputError` for a loss that is not finite.
        """
        self.begun += 1
        name = f"network {self.begun} of {self.networks}" if self.networks > 1 else "network"
        folder = None if self.work is None else WorkFolder(self.work / f"network-{self.begun}")
        limit = self.seconds_left / (self.networks - self.begun + 1)
        training = _Training(lessons, name, folder, limit, self.checkpoint_minutes)
        request, share = StopRequest(), 0.0
        if not training.state.finished:
            # Without a folder nothing could continue, so signals end the process as usual.
            with contextlib.nullcontext(request) if folder is None else stop_requests(self.deadline) as request:
                share = training.run(request)
        if request.signal and not (training.state.finished and self.begun == self.networks):
            cause = " by its time limit" if request.signal == signal.SIGALRM else ""
            where = f"after {share:.2f} of {lessons.epochs} epochs of {name}"
            raise Interrupted(request.signal, f"stopped{cause} {where}; the same command continues from there")
        self.seconds_left -= training.state.seconds
        return training.result


class _Training(Generic[Network, Batch]):
    """The training of one network, for at most ``limit`` seconds."""

    def __init__(
        self,
        lessons: Lessons[Network, Batch],
        name: str,
        work: WorkFolder | None,
        limit: float,
        checkpoint_minutes: float,
    ) -> None:
        self.lessons, self.name, self.work = lessons, name, work
        self.limit, self.checkpoint_minutes = limit, checkpoint_minutes
        self.averaged = None if lessons.average is None else copy.deepcopy(lessons.network)
        self.state = TrainingState()
        self._restore()

    @property
    def result(self) -> Network:
        """The network with averaged weights where these are wanted."""
        return self.lessons.network if self.averaged is None else self.averaged

    def run(self, request: StopRequest) -> float:
        """Do the updates after the last checkpoint, to the end of the epochs or of the time, or until a stop is
        requested. Returns the number of epochs done.
        """
        self.clock = self.saved = time.monotonic()
        share, before = 0.0, 0
        epochs = iter(self.lessons.order)
        for epoch in range(1, self.lessons.epochs + 1):
            if self.state.finished:
                break
            batches = next(epochs)
            if self.state.update < before + len(batches):
                share = self._epoch(epoch, batches, self.state.update - before, request)
                if request.signal:  # only now, so that every call makes some progress
                    break
            before += len(batches)
        return share

    def _epoch(self, epoch: int, batches: Sequence[tuple[float, Batch]], done: int, request: StopRequest) -> float:
        title = f"{self.name}, epoch {epoch} of {self.lessons.epochs}"
        share = float(epoch)
        for number, (rate, batch) in enumerate(progress(batches[done:], title, "batches"), done + 1):
            self._update(rate, batch)
            share = epoch - 1 + number / len(batches)
            if number == len(batches):
                left = "" if epoch == self.lessons.epochs else f", {self._left(share)} left"
                log.info(f"{title}: loss {self.state.window_loss / number:.4f}{left}")
                self.state.window_loss = 0.0
                if epoch == self.lessons.epochs:
                    self.state.finished = "epochs"
            if not self.state.finished and self.state.seconds >= self.limit:
                self.state.finished = "max_minutes"
                log.warning(f"{self.name}: ended by max_minutes after {share:.2f} of {self.lessons.epochs} epochs")
            if self.state.finished or request.signal or number == len(batches) or self._save_due():
                self._save()
            if number < len(batches) and (self.state.finished or request.signal):
                break
        return share

    def _update(self, rate: float, batch: Batch) -> None:
        lessons, state = self.lessons, self.state
        for group in lessons.adam.param_groups:
            group["lr"] = rate * group.get("share", 1.0)
        loss, value = lessons.loss(batch)
        if not math.isfinite(value):
            message = f"training: the loss is {value} by update {state.update + 1} of {self.name}"
            raise InputError(message, remedy="lower the learning rate")
        lessons.adam.zero_grad()
        loss.backward()
        if lessons.clip < math.inf:
            nn.utils.clip_grad_norm_(lessons.network.parameters(), lessons.clip)
        lessons.adam.step()
        if self.averaged is not None and lessons.average is not None:
            average(self.averaged, lessons.network, min(lessons.average, (1 + state.update) / (10 + state.update)))
        state.update += 1
        state.window_loss += value
        now = time.monotonic()
        state.seconds, self.clock = state.seconds + now - self.clock, now

    def _left(self, epochs: float) -> timedelta:
        """Estimated time to the end, by the mean speed so far."""
        seconds = (self.lessons.epochs - epochs) * self.state.seconds / epochs
        return timedelta(seconds=round(min(seconds, max(0.0, self.limit - self.state.seconds))))

    def _save_due(self) -> bool:
        return time.monotonic() - self.saved >= 60 * self.checkpoint_minutes

    def _save(self) -> None:
        """Write a checkpoint, if there is a folder for it; that of a finished network holds the result only."""
        if self.work is None:
            return
        parts = {"result": tensors_of(self.result)}
        if not self.state.finished:
            parts |= {"adam": self._moments(), "random": {"torch": torch.get_rng_state()}}
            if self.averaged is not None:
                parts["model"] = tensors_of(self.lessons.network)
        self.work.save(self.state, parts)
        self.saved = time.monotonic()

    def _restore(self) -> None:
        checkpoint = None if self.work is None else self.work.latest()
        if checkpoint is None or self.work is None:
            return
        self.state, parts = checkpoint
        fill(self.result, parts["result"], self.work.folder)
        if self.state.finished:
            log.info(f"{self.name}: trained before, {self.work.folder}")
            return
        if self.averaged is not None:
            fill(self.lessons.network, parts["model"], self.work.folder)
        moments: dict[int, dict[str, Tensor]] = {}
        for key, value in parts["adam"].items():
            number, quantity = key.split("/")
            moments.setdefault(int(number), {})[quantity] = value
        groups = self.lessons.adam.state_dict()["param_groups"]
        self.lessons.adam.load_state_dict({"state": moments, "param_groups": groups})
        torch.set_rng_state(parts["random"]["torch"])
        log.info(f"{self.name}: continuing after update {self.state.update}, from {self.work.folder}")

    def _moments(self) -> dict[str, Tensor]:
        """Adam's state by number of the parameter and quantity."""
        moments = self.lessons.adam.state_dict()["state"]
        return {f"{number}/{name}": value for number, held in moments.items() for name, value in held.items()}


@torch.no_grad()
def average(averaged: nn.Module, network: nn.Module, decay: float) -> None:
    """Move the weights of ``averaged`` towards those of ``network`` by ``1 - decay``."""
    torch._foreach_lerp_(list(averaged.parameters()), list(network.parameters()), 1 - decay)
