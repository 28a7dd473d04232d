"""The progress of a run: metrics.csv, TensorBoard curves, and a bar on a terminal or lines in a log."""

import csv
import io
import logging
import shutil
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import timedelta
from pathlib import Path

from tensorboard.compat.proto.event_pb2 import Event  # type: ignore[import-untyped]
from tensorboard.summary.writer.record_writer import RecordWriter  # type: ignore[import-untyped]
from torch.utils.tensorboard.summary import scalar
from tqdm import tqdm

from discourse_nmt.base.storage.files import growing, naming, write_text
from discourse_nmt.training.checkpoints.work import MetricsRow

logger = logging.getLogger(__name__)

COLUMNS = {
    "update": "updates done",
    "epoch": "passes over the training data, with fraction",
    "tokens": "target tokens trained on",
    "seconds": "wall-clock time of training so far, evaluations included",
    "train_loss": "label-smoothed loss since the row before, nats per target token",
    "dev_loss": "label-smoothed loss on the development set, nats per target token",
    "dev_nll": "negative log-likelihood of the development set, nats per target token",
    "dev_perplexity": "exp(dev_nll)",
    "dev_bleu": "BLEU of the development set, 0 to 100, on tokens",
    "learning_rate": "learning rate of the last update",
    "tokens_per_second": "target tokens per second since the row before, without evaluations",
    "precision": "arithmetic of the forward and backward pass: fp32, bf16 or fp16",
}

# In a log, and on a terminal.
SECONDS_BETWEEN_LINES = (10.0, 0.5)


def write_metrics(rows: Sequence[Mapping[str, object]], path: Path) -> None:
    """Write ``rows`` as CSV with the columns of :data:`COLUMNS`, atomically; missing values stay empty."""
    table = io.StringIO()
    writer = csv.DictWriter(table, list(COLUMNS), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    write_text(table.getvalue(), path)


class Metrics:
    """metrics.csv and TensorBoard files in ``folder``, kept equal to the rows of the run's state.

    Both are written again from ``rows`` at the start, so that no row of a run that continues is there twice.
    """

    def __init__(self, folder: Path, rows: list[MetricsRow]) -> None:
        self.path = folder / "metrics.csv"
        self.curves = folder / "tensorboard"
        shutil.rmtree(self.curves, ignore_errors=True)
        with naming(str(self.curves)):
            self.curves.mkdir(parents=True)
            # Not SummaryWriter: its thread would print a traceback of its own for a full disk.
            self.events = growing(self.curves / f"events.out.tfevents.{time.time():.0f}")
        self.writer = RecordWriter(self.events)
        self._record(Event(file_version="brain.Event:2"))
        self.rows = rows
        for row in rows:
            self._draw(row)
        self._write()

    def add(self, row: MetricsRow) -> None:
        """Append one row."""
        self.rows.append(row)
        self._draw(row)
        self._write()

    def close(self) -> None:
        """Close the TensorBoard file."""
        with self._naming_curves():
            self.events.close()

    def _write(self) -> None:
        write_metrics(self.rows, self.path)
        with self._naming_curves():
            self.events.flush()

    def _draw(self, row: MetricsRow) -> None:
        for name, value in row.items():
            if name not in ("update", "tokens", "seconds", "precision") and value is not None:
                self._record(Event(step=row["update"], summary=scalar(name, value)))

    def _record(self, event: Event) -> None:
        event.wall_time = time.time()
        with self._naming_curves():
            self.writer.write(event.SerializeToString())

    @contextmanager
    def _naming_curves(self) -> Iterator[None]:
        try:
            with naming(str(self.curves)):
                yield
        except OSError:
            with suppress(OSError):  # else the end of the process would try to write the rest, and say that it cannot
                self.events.close()
            raise


class ProgressLine:
    """A live bar on a terminal, a line every ten seconds in a log; nothing if ``quiet``."""

    def __init__(self, update: int, total: int | None, quiet: bool) -> None:
        self.live, self.quiet = sys.stderr.isatty() and not quiet, quiet
        done = "{percentage:3.0f}%|{bar}| {n_fmt} of {total_fmt}" if total else "{n_fmt}"
        self.bar = tqdm(
            initial=update,
            total=total,
            disable=not self.live,
            dynamic_ncols=True,
            bar_format=f"training: {done} updates [{{elapsed}}{{postfix}}]",
        )
        self.last_shown = time.monotonic()

    def due(self) -> bool:
        """Whether enough time has passed since the last :meth:`show`."""
        return time.monotonic() - self.last_shown >= SECONDS_BETWEEN_LINES[self.live]

    def show(self, row: MetricsRow, seconds_left: float | None) -> None:
        """Show a row of metrics and, if known, the time to the end of training."""
        self.last_shown = time.monotonic()
        text = f"epoch {row['epoch']:.2f}, {row['tokens_per_second']:,.0f} tokens/s"
        names = {"train_loss": "loss", "dev_loss": "development loss", "dev_bleu": "development BLEU"}
        text += "".join(
            f", {names[key]} {value:.4f}" for key, value in row.items() if key in names and value is not None
        )
        text += f", rate {row['learning_rate']:.2e}"
        text += "" if seconds_left is None else f", {timedelta(seconds=round(seconds_left))} left"
        if self.live:
            self.bar.n = row["update"]
            self.bar.set_postfix_str(text)
        elif not self.quiet:
            logger.info(f"update {row['update']:,}, {text}")

    def close(self) -> None:
        """Finish the bar, which stays visible."""
        self.bar.close()
