"""The work folder of a training run, with checkpoints and evaluated weights from which a killed run continues.

``checkpoints/update-N.safetensors`` holds all tensors. ``update-N.json``, written after it, holds the rest of the state
with checksums of all files that the run needs; a checkpoint without it is incomplete. ``weights/`` holds the weights at
evaluations, from which the final model is taken. Every file is written atomically. Both folders may have
copies in remote storage (:mod:`discourse_nmt.base.storage.remote`).
"""

import contextlib
import hashlib
import json
import logging
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any, TypedDict

from torch import Tensor

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.storage.files import checksum, read_json, remove, sweep, write_json
from discourse_nmt.base.storage.remote import KeptFiles
from discourse_nmt.training.checkpoints.model_files import read_tensors, write_tensors
from discourse_nmt.training.precision import Precision

logger = logging.getLogger(__name__)

KEPT = 2  # checkpoints

Parts = Mapping[str, Mapping[str, Tensor]]
"""The tensors of a checkpoint by part (``model`` or ``adam``) and name."""


class DevelopmentMeasures(TypedDict, total=False):
    """Columns of metrics.csv that an evaluation measures, see :data:`.COLUMNS`."""

    dev_loss: float
    dev_nll: float
    dev_perplexity: float
    dev_bleu: float


class MetricsRow(DevelopmentMeasures, total=False):
    """A row of metrics.csv, see :data:`.COLUMNS`."""

    update: int
    epoch: float
    tokens: int
    seconds: float
    train_loss: float | None
    learning_rate: float
    tokens_per_second: float
    precision: Precision


@dataclass
class TrainingState:
    """The state of a run without its tensors."""

    precision: Precision = "fp32"
    """Arithmetic of the run."""
    update: int = 0
    """Updates done."""
    tokens: int = 0
    """Target tokens trained on."""
    seconds: float = 0.0
    """Wall-clock time of the loop, evaluations included, summed over restarts."""
    best_update: int = 0
    best_score: float | None = None
    """Score of the best evaluation, higher is better (the negative loss, or BLEU)."""
    stale: int = 0
    """Evaluations since the best one."""
    evaluated: dict[str, str] = field(default_factory=dict)
    """Checksum of the evaluated weights that are kept, by update in ascending order."""
    window_loss: float = 0.0
    window_tokens: int = 0
    window_seconds: float = 0.0
    """Loss in nats, target tokens and seconds of training since the last row of metrics."""
    rows: list[MetricsRow] = field(default_factory=list)
    """The rows of metrics.csv."""
    scaler: dict[str, Any] = field(default_factory=dict)
    """Loss scale of fp16."""
    finished: str = ""
    """The limit that ended the run; empty while it goes on."""

    def record(self, score: float, saved: str, last: int) -> None:
        """Record the ``score`` of the weights at this update and the checksum ``saved`` of their file.

        Of the evaluated weights the best and the ``last`` ones stay recorded.
        """
        self.stale += 1
        if self.best_score is None or score > self.best_score:
            self.best_score, self.best_update, self.stale = score, self.update, 0
        self.evaluated[str(self.update)] = saved
        kept = {str(self.best_update), *list(self.evaluated)[-last:]}
        self.evaluated = {update: saved for update, saved in self.evaluated.items() if update in kept}


def digest(value: object) -> str:
    """SHA-256 of a JSON value in canonical form."""
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()


def _parted(tensors: Mapping[str, Tensor]) -> dict[str, dict[str, Tensor]]:
    parts: dict[str, dict[str, Tensor]] = {}
    for key, tensor in tensors.items():
        part, name = key.split("/", 1)
        parts.setdefault(part, {})[name] = tensor
    return parts


class WorkFolder:
    """Checkpoints and evaluated weights below ``folder``, which is created if absent."""

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        self.checkpoints = self.folder / "checkpoints"
        self.checkpoints.mkdir(parents=True, exist_ok=True)
        self._kept = KeptFiles(self.weights(0).parent, self.checkpoints)
        self._kept.fetch()

    def weights(self, update: int | str) -> Path:
        """File of the weights that were evaluated after ``update``."""
        return self.folder / "weights" / f"update-{int(update):08d}.safetensors"

    def save_weights(self, update: int, tensors: Mapping[str, Tensor]) -> str:
        """Keep evaluated weights; returns the file's checksum."""
        write_tensors(tensors, self.weights(update))
        return checksum(self.weights(update))

    def save(self, state: TrainingState, parts: Parts) -> None:
        """Write a checkpoint of ``state`` and the tensors of each part, then remove files of older checkpoints."""
        path = self.checkpoints / f"update-{state.update:08d}.safetensors"
        named = {f"{part}/{name}": tensor for part, tensors in parts.items() for name, tensor in tensors.items()}
        write_tensors(named, path)
        content = {"state": asdict(state), "tensors": checksum(path)}
        write_json({"content": content, "checksum": digest(content)}, path.with_suffix(".json"))
        self._prune(path.stem)
        self._kept.send()

    def latest(self) -> tuple[TrainingState, Parts] | None:
        """The newest complete checkpoint, or None where there is none at all.

        A damaged one is skipped with a warning; :class:`InputError` where all of them are damaged.
        """
        paths = self._complete()
        for path in paths:
            try:
                state = self._read_state(path)
                tensors, _ = read_tensors(path.with_suffix(".safetensors"))
            except InputError as error:
                logger.warning(f"checkpoint left out: {error}")
            else:
                return state, _parted(tensors)
        if paths:
            raise InputError(
                "every checkpoint is damaged",
                file=self.checkpoints,
                remedy=f"delete {self.folder} to start over",
            )
        return None

    def precision(self) -> Precision | None:
        """The precision of the newest readable checkpoint; None without one."""
        for path in self._complete():
            with contextlib.suppress(InputError):
                return self._read_state(path).precision
        return None

    def _complete(self) -> list[Path]:
        return sorted(self.checkpoints.glob("update-*.json"), reverse=True)

    def _read_state(self, path: Path) -> TrainingState:
        whole = read_json(path)
        content = whole.get("content") if isinstance(whole, dict) else None
        if not isinstance(content, dict) or whole.get("checksum") != digest(content):
            raise InputError("its content is not what was written", file=path)
        if content["state"].keys() != {entry.name for entry in fields(TrainingState)}:
            raise InputError("written by another version of this program", file=path)
        state = TrainingState(**content["state"])
        files = {path.with_suffix(".safetensors"): content["tensors"]}
        files |= {self.weights(update): expected for update, expected in state.evaluated.items()}
        for file, expected in files.items():
            if not file.is_file() or checksum(file) != expected:
                raise InputError("missing, or its content is not what was written", file=file)
        return state

    def _prune(self, newest: str) -> None:
        """Keep the checkpoint ``newest``, the one before it and their weights; newer checkpoints were damaged."""
        complete = [path for path in self._complete() if path.stem <= newest][:KEPT]
        kept = {path.stem for path in complete}
        for path in (*self.checkpoints.glob("update-*.json"), *self.checkpoints.glob("update-*.safetensors")):
            if path.stem not in kept:
                remove(path)
        named = {self.weights(update) for path in complete for update in self._named(path)}
        for path in self.weights(0).parent.glob("update-*.safetensors"):
            if path not in named:
                remove(path)
        for folder in (self.checkpoints, self.weights(0).parent):
            sweep(folder)

    def _named(self, path: Path) -> list[str]:
        """The updates of the weights that a checkpoint names; none where it cannot be read."""
        try:
            return list(read_json(path)["content"]["state"]["evaluated"])
        except (InputError, KeyError, TypeError):
            return []
