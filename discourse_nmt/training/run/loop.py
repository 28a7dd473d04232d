"""The training loop: updates, evaluations, checkpoints and the end of a run.

The state of a run is its tensors and a :class:`TrainingState`. Randomness has no state: the order of batches follows
from (seed, epoch), and dropout from (seed, update, index of the batch in the update); the seed is
:attr:`.TrainingRun.random_seed`. A run that continues from a checkpoint therefore repeats the unbroken one bit for bit,
and two processes draw the same dropout as two accumulated batches of one process.
"""

import logging
import math
import signal
import time
from typing import Generic

import torch
from lightning_fabric import Fabric
from torch import nn

from discourse_nmt.base.errors import InputError
from discourse_nmt.training.checkpoints.model_files import fill, tensors_of
from discourse_nmt.training.checkpoints.work import DevelopmentMeasures, MetricsRow, TrainingState, WorkFolder
from discourse_nmt.training.operation.interruption import SIGNALS, Interrupted, StopRequest, stop_requests
from discourse_nmt.training.operation.metrics import Metrics, ProgressLine
from discourse_nmt.training.precision import Precision
from discourse_nmt.training.run.evaluation import Development
from discourse_nmt.training.run.optimiser import Optimiser
from discourse_nmt.training.run.schedules import learning_rate
from discourse_nmt.training.run.seeds import seed_of
from discourse_nmt.training.settings import TrainingSettings
from discourse_nmt.training.tasks.feed import Feed
from discourse_nmt.training.tasks.loss import Network, Objective
from discourse_nmt.training.tasks.protocol import BatchRead

logger = logging.getLogger(__name__)


class Training(Generic[Network, BatchRead]):
    """One run of ``network``, which is on the device of ``fabric``; the schedule noam depends on its ``width``.

    At ``deadline``, a time of :func:`time.monotonic`, the run stops as after a signal.
    """

    def __init__(
        self,
        fabric: Fabric,
        network: Network,
        optimiser: Optimiser,
        objective: Objective[Network, BatchRead],
        settings: TrainingSettings,
        *,
        precision: Precision,
        seed: int,
        width: int,
        training: Feed[Network, BatchRead],
        development: Development[Network, BatchRead],
        work: WorkFolder,
        deadline: float | None = None,
    ) -> None:
        self.fabric, self.network, self.optimiser, self.objective = fabric, network, optimiser, objective
        self.settings, self.seed, self.width = settings, seed, width
        self.training, self.development, self.work = training, development, work
        self.collectives = development.collectives
        self.deadline = deadline
        adam = fabric.setup_optimizers(optimiser.adam)
        assert not isinstance(adam, tuple)  # as there is one
        self.adam = adam
        self.state = TrainingState(precision=precision)
        self.window_loss = torch.zeros((), dtype=torch.float64, device=fabric.device)
        limits = [settings.max_updates, settings.max_epochs * training.order.updates_per_epoch]
        self.last_update = min((limit for limit in limits if limit), default=None)

    def run(self) -> TrainingState:
        """Train from the last checkpoint, or from the start, to a limit, which is then named in the state.

        Raises :class:`Interrupted` after SIGTERM, SIGINT or the deadline, once a checkpoint is written.
        """
        self._restore()
        if self.state.finished:
            return self.state
        self.metrics = Metrics(self.work.folder, self.state.rows) if self.fabric.is_global_zero else None
        self.progress = ProgressLine(self.state.update, self.last_update, quiet=not self.fabric.is_global_zero)
        self.clock = self.saved = time.monotonic()
        try:
            with stop_requests(self.deadline) as request:
                while not self.state.finished:
                    self._step(request)
        finally:
            self.progress.close()
            if self.metrics:
                self.metrics.close()
        return self.state

    def _step(self, request: StopRequest) -> None:
        """One update with the reports and evaluations due after it, or a stop by a signal or the clock."""
        all_batches = list(enumerate(self.training.order.update(self.state.update)))
        share = all_batches[self.fabric.global_rank :: self.fabric.world_size]
        seeds = [seed_of(self.seed, self.state.update, index) for index, _ in share]
        batches = [(seed, self.training.collate(units, seed)) for seed, (_, units) in zip(seeds, share)]
        own_tokens = sum(batch.target_tokens for _, batch in batches)
        # The first process reads the clock for all, so that all do the same.
        tokens, *stops, timed_out, save_due, show_due = self.collectives.counts(
            [own_tokens, *(request.signal == number for number in SIGNALS), *self._due()]
        )
        if any(stops):
            self._save()
            number = SIGNALS[[count > 0 for count in stops].index(True)]
            cause = " by its time limit" if number == signal.SIGALRM else ""
            raise Interrupted(
                number, f"stopped{cause} after update {self.state.update}; the same command continues from there"
            )
        if timed_out:
            if str(self.state.update) not in self.state.evaluated:
                self._evaluate()
            self.state.finished = "max_minutes"
            self._save()
            return
        self._update(batches, tokens)
        update, state = self.state.update, self.state
        if update == self.last_update or update % self._evaluation_interval == 0:
            self._evaluate()
            if update == self.last_update:
                state.finished = "max_updates" if update == self.settings.max_updates else "max_epochs"
            elif 0 < self.settings.patience <= state.stale:
                state.finished = "patience"
            self._save()
            return
        if update % self.settings.report_every == 0:
            self._report({})
        elif show_due:
            self.progress.show(self._row({}), self._seconds_left())
        if save_due:
            self._save()

    @property
    def _evaluation_interval(self) -> int:
        return self.settings.evaluate_every or self.training.order.updates_per_epoch

    def _update(self, batches: list[tuple[int, BatchRead]], tokens: int) -> None:
        """One step of Adam on the gradient of the mean loss over the ``tokens`` of all processes' batches.

        Each batch comes with the seed of its dropout.
        """
        state, settings = self.state, self.settings
        if settings.word_dropout_epochs and self._epoch() >= settings.word_dropout_epochs:
            self.network.word_dropout = 0.0  # type: ignore[assignment]
        self.network.train()
        self.optimiser.set_rate(learning_rate(settings, state.update + 1, self.width), state.update)
        for seed, batch in batches:
            torch.manual_seed(seed)
            with self.fabric.autocast():
                loss = self.objective(self.network, batch.to(self.fabric.device)).objective
            self.fabric.backward(loss / tokens)
            self.window_loss += loss.detach()
        self.collectives.add_gradients(self.optimiser.parameters)
        self.fabric.strategy.precision.unscale_gradients(self.optimiser.adam)
        if settings.clip_norm:
            nn.utils.clip_grad_norm_(self.optimiser.parameters, settings.clip_norm)
        self.adam.step()
        self.adam.zero_grad()
        state.update += 1
        state.tokens += tokens
        state.window_tokens += tokens
        state.window_seconds += self._tick()

    def _tick(self) -> float:
        """Seconds since the last call, which are also added to the state's."""
        now = time.monotonic()
        passed, self.clock = now - self.clock, now
        self.state.seconds += passed
        return passed

    def _due(self) -> tuple[bool, bool, bool]:
        """Whether time is over, a checkpoint is due, a line of progress is due; true in the first process only."""
        if not self.fabric.is_global_zero:
            return False, False, False
        minutes = self.settings.max_minutes
        since = time.monotonic() - self.saved
        timed_out = 0 < minutes <= self.state.seconds / 60
        return timed_out, since >= 60 * self.settings.checkpoint_minutes, self.progress.due()

    def _epoch(self) -> float:
        return self.state.update / self.training.order.updates_per_epoch

    def _seconds_left(self) -> float | None:
        """Estimated seconds to the nearest limit, by the mean speed so far; None without such a limit."""
        state, left = self.state, []
        if self.last_update is not None and state.update:
            left.append((self.last_update - state.update) * state.seconds / state.update)
        if self.settings.max_minutes:
            left.append(60 * self.settings.max_minutes - state.seconds)
        return max(0.0, min(left)) if left else None

    def _row(self, measured: DevelopmentMeasures) -> MetricsRow:
        """A row of metrics: the progress of the run and the values ``measured`` by an evaluation."""
        state = self.state
        loss = self._loss_of_window() / max(1, state.window_tokens)
        return {
            "update": state.update,
            "epoch": round(self._epoch(), 4),
            "tokens": state.tokens,
            "seconds": round(state.seconds, 2),
            "train_loss": loss if state.window_tokens else None,
            **measured,
            "learning_rate": learning_rate(self.settings, max(1, state.update), self.width),
            "tokens_per_second": round(state.window_tokens / max(1e-9, state.window_seconds), 1),
            "precision": state.precision,
        }

    def _loss_of_window(self) -> float:
        """Loss of all processes since the last row of metrics; an :class:`InputError` where training has diverged."""
        loss = float(self.collectives.sum(self.window_loss))
        self._require_finite(loss)
        return loss

    def _require_finite(self, loss: float) -> None:
        if not math.isfinite(loss):
            raise InputError(
                f"training: the loss is {loss} by update {self.state.update}",
                remedy="lower learning_rate, raise warmup_updates or set clip_norm",
            )

    def _report(self, measured: DevelopmentMeasures) -> None:
        """Add a row of metrics and begin the next window of the training loss."""
        row = self._row(measured)
        if self.metrics:
            self.metrics.add(row)
        self.progress.show(row, self._seconds_left())
        self.window_loss.zero_()
        self.state.window_tokens, self.state.window_seconds = 0, 0.0

    def _evaluate(self) -> None:
        """Measure the development set, keep the weights, and add a row of metrics."""
        measured = self.development.measure(self.network, self.objective)
        self._require_finite(measured["dev_nll"])
        score = measured["dev_bleu"] if self.settings.select_by == "bleu" else -measured["dev_nll"]
        saved = ""
        if self.fabric.is_global_zero:
            saved = self.work.save_weights(self.state.update, tensors_of(self.network))
        last = self.settings.average_checkpoints if self.settings.final == "average" else 1
        self.state.record(score, saved, last)
        self._tick()
        self._report(measured)

    def _save(self) -> None:
        """Write a checkpoint."""
        state = self.state
        state.window_loss = self._loss_of_window()
        state.scaler = self.fabric.strategy.precision.state_dict()
        adam = self.optimiser.state()
        if self.fabric.is_global_zero:
            self.work.save(state, {"model": tensors_of(self.network), "adam": adam})
        self.collectives.counts([0])  # the end of another process may end the first one, which writes
        self._tick()
        self.saved = time.monotonic()

    def _restore(self) -> None:
        """Restore the newest complete checkpoint, if there is one."""
        checkpoint = self.work.latest()
        if checkpoint is not None:
            state, parts = checkpoint
            if state.precision != self.state.precision:
                raise InputError(
                    f"the run began in {state.precision} and would continue in {self.state.precision}",
                    file=self.work.folder,
                    remedy="set training.precision to that of the beginning, or delete the folder to start over",
                )
            self.state = state
            fill(self.network, parts["model"], self.work.folder)
            self.optimiser.restore(parts["adam"])
            self.fabric.strategy.precision.load_state_dict(self.state.scaler)
            if self.fabric.is_global_zero:
                self.window_loss.fill_(self.state.window_loss)
                logger.info(f"continuing after update {self.state.update}, from {self.work.folder}")
        if self.collectives.counts([self.state.update])[0] != self.state.update * self.fabric.world_size:
            raise InputError("the processes do not see the same checkpoints", remedy="put --work on a shared disk")
