"""Values of decoding that are chosen on dev for each trained model: which are tried, and the file of the choice.

Free of torch, as the rules read it.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import product
from pathlib import Path

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.settings import parse_settings
from discourse_nmt.base.storage.files import read_json, write_json
from discourse_nmt.models.switches.decoding import DecodingSettings

ON_DEV = "tuned"
"""What a configuration has in place of a value that is chosen on dev."""
GRIDS: Mapping[str, tuple[float, ...]] = {"length_penalty": (0.0, 0.6, 1.0, 1.5, 2.0, 2.5, 3.0)}
"""The values that are tried of each key that may be tuned, the smallest first."""


@dataclass(frozen=True)
class Trial:
    """Values of the tuned keys, BLEU (0 to 100) of the translations with them, and their length ratio."""

    values: Mapping[str, float]
    bleu: float
    length_ratio: float


@dataclass(frozen=True)
class TunedDecoding:
    """All trials of a model on a split; ``signature`` is that of BLEU."""

    split: str
    signature: str
    trials: Sequence[Trial]

    @property
    def chosen(self) -> Mapping[str, float]:
        """The values with the best BLEU; of equal ones the first."""
        return max(self.trials, key=lambda trial: trial.bleu).values

    def save(self, path: Path) -> None:
        """Write the trials, and for readers the choice."""
        write_json({"chosen": self.chosen, **asdict(self)}, path)

    @classmethod
    def load(cls, path: Path) -> "TunedDecoding":
        """The trials in a file that :meth:`save` wrote; any other one is an :class:`InputError`."""
        content = read_json(path)
        try:
            return cls(content["split"], content["signature"], [Trial(**trial) for trial in content["trials"]])
        except (KeyError, TypeError) as error:
            raise InputError(
                f"no choice of values of decoding ({error})", file=path, remedy="delete it and run again"
            ) from None


def tuned_keys(decoding: Mapping[str, object]) -> list[str]:
    """The keys of a section ``decoding`` that are chosen on dev."""
    return [key for key, value in decoding.items() if value == ON_DEV]


def grid(keys: Iterable[str]) -> list[dict[str, float]]:
    """Every combination of the values that are tried of some keys; one without values for no keys."""
    names = list(keys)
    return [dict(zip(names, values)) for values in product(*(GRIDS[name] for name in names))]


def decoding_settings(section: Mapping[str, object], tuned: Path | None) -> DecodingSettings:
    """The section ``decoding`` of a job, with the values that the file ``tuned`` holds for keys that are chosen on dev.

    Raises :class:`InputError`: a value is to be chosen, and the file is missing or lacks it.
    """
    chosen: Mapping[str, float] = {} if tuned is None else TunedDecoding.load(tuned).chosen
    keys = tuned_keys(section)
    for key in keys:
        if key not in chosen:
            raise InputError(
                f"decoding: {key} is {ON_DEV}, but there is no value", file=tuned, remedy="give --tuned, or a number"
            )
    return parse_settings(DecodingSettings, {**section, **{key: chosen[key] for key in keys}}, "decoding")
