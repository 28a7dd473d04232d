"""The section ``decoding``, in which numbers may be left to a choice on dev."""

from dataclasses import asdict, dataclass
from typing import Literal

from discourse_nmt.base.settings import setting
from discourse_nmt.models.switches.decoding import DecodingSettings
from discourse_nmt.training.checkpoints.tuned_decoding import tuned_keys


@dataclass(frozen=True)
class DecodingSection(DecodingSettings):
    """How a trained model translates; the values that are chosen on dev are still open."""

    length_penalty: float | Literal["tuned"] = setting(  # type: ignore[assignment]
        0.6,
        "alpha of the GNMT length penalty ((5 + length) / 6) ** alpha; 0 compares plain log-probabilities; tuned takes "
        "for each model the value with the best BLEU on dev",
        minimum=0,
    )

    @property
    def tuned(self) -> list[str]:
        """The keys that are chosen on dev."""
        return tuned_keys(asdict(self))
