"""The keys of ``decoding:`` in the configuration. Free of torch, so that the workflow can read them."""

from dataclasses import dataclass
from typing import Literal

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.settings import setting
from discourse_nmt.models.switches.packed import ConcatSettings
from discourse_nmt.models.switches.transformer import TransformerSettings

ContextRead = Literal["both", "source", "target"]
"""The sides of a sentence's context that a model reads in scoring."""

LISTED = 100
"""Most translations of a source subword that are learnt."""


@dataclass(frozen=True)
class DecodingSettings:
    """How a trained model translates."""

    beam: int = setting(4, "beam size; 1 is greedy search", minimum=1)
    length_penalty: float = setting(
        0.6,
        "alpha of the GNMT length penalty ((5 + length) / 6) ** alpha; 0 compares plain log-probabilities",
        minimum=0,
    )
    n_best: int = setting(1, "number of translations returned per sentence, at most beam", minimum=1)
    max_length_ratio: float = setting(
        1.2,
        "longest translation: target subwords per source subword, plus max_length_offset",
        minimum=0,
    )
    max_length_offset: int = setting(
        10, "longest translation: target subwords that are added to max_length_ratio times the source", minimum=1
    )
    batch_tokens: int = setting(4000, "number of source subwords translated at a time, padding included", minimum=1)
    memory: int = setting(
        2000,
        "megabytes, about, that keys, values and scores of a batch may take; wide beams and large vocabularies get "
        "smaller batches",
        minimum=1,
    )
    engine: Literal["own", "ctranslate2"] = setting(
        "own",
        "program that searches; ctranslate2, an extra for CPUs, is fast with few sentences at a time, and also does "
        "concat",
    )
    precision: Literal["fp32", "int8"] = setting(
        "fp32",
        "arithmetic of linear layers; int8 is faster on CPUs and approximate, translations may depend on their batch "
        "(scores of given texts stay exact)",
    )
    shortlist: int = setting(
        0,
        "target subwords that each source subword allows, its most probable translations in the training pairs, beside "
        "the most frequent ones; faster and approximate (scores of given texts stay exact); 0: the whole vocabulary",
        minimum=0,
        maximum=LISTED,
    )
    search: Literal["waves", "sequence"] = setting(
        "waves",
        "for systems that read instances: one beam search per sentence (waves), or one per instance (sequence)",
    )
    whole_documents: bool = setting(False, "for systems that read instances: read whole documents instead")
    sentences: int | None = setting(
        None,
        "for systems that read instances: largest number of sentences that are read together, 0 for the whole "
        "instance; null: as the system's switch of this name",
        minimum=0,
    )
    use_tree: bool = setting(
        True, "for systems that read discourse trees: use them; false needs no analysis of the text"
    )
    use_context: bool = setting(
        True,
        "for systems that read documents: read them; false translates each sentence by itself, without a tree: the "
        "control for context",
    )

    target_context: Literal["own", "references"] = setting(
        "own",
        "for systems that read earlier translations: own, or the references of a test set in their place, which tells "
        "whether a system uses what it is given; no result of translation",
    )

    def __post_init__(self) -> None:
        if self.target_context == "references" and self.search == "sequence":
            raise InputError(
                "target_context is references, but a search: sequence translates all sentences at once",
                remedy="set search to waves",
            )
        if self.n_best > self.beam:
            raise InputError(
                f"n_best is {self.n_best} but beam is {self.beam}",
                remedy="widen the beam or lower n_best",
            )
        if not self.use_context:
            object.__setattr__(self, "use_tree", False)

    @property
    def computed_by(self) -> list[str]:
        """Engine and precision as signatures of scores name them, where they are not the default."""
        default = DecodingSettings()
        return [
            f"{key}:{getattr(self, key)}"
            for key in ("engine", "precision")
            if getattr(self, key) != getattr(default, key)
        ]


def obstacle(switches: TransformerSettings, decoding: DecodingSettings) -> str:
    """Why CTranslate2 cannot translate as a network with these ``switches`` does; empty where it can."""
    if isinstance(switches, ConcatSettings):
        together = switches.sentences if decoding.sentences is None else decoding.sentences
        if decoding.use_context and together != 1 and (reason := _obstacle_of_texts(switches, decoding)):
            return reason
    elif type(switches) is not TransformerSettings:
        return "its system is more than a sentence model"
    if decoding.shortlist:
        return f"shortlist is {decoding.shortlist}"
    return ""


def _obstacle_of_texts(switches: ConcatSettings, decoding: DecodingSettings) -> str:
    """:func:`obstacle` to concatenation of several sentences."""
    if decoding.search == "sequence":
        return "search is sequence, but it may end a translation before the last sentence"
    if switches.attention == "sentence":
        return "" if switches.position_reset else "attention is sentence, but positions run on (position_reset: false)"
    if switches.position_reset:
        return "position_reset is true, but its positions run on"
    if switches.target_positions == "source":
        return "target_positions is source, but its positions run on"
    return "target_context is references" if decoding.target_context == "references" else ""
