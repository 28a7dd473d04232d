"""Sections under ``experiments``."""

from dataclasses import dataclass

from discourse_nmt.base.settings import SOME_DISTINCT, ChosenBy, Given, given, required, resolved, setting
from discourse_nmt.language_models.settings import LLM, LanguageModelSettings
from discourse_nmt.models.switches.transformer import TransformerSettings
from discourse_nmt.models.systems import SYSTEMS
from discourse_nmt.training.settings import TrainingSettings
from discourse_nmt.workflow.configuration.decoding import DecodingSection


@dataclass(frozen=True)
class ExperimentSection:
    """One system with its settings; every corpus and seed is a training run of its own."""

    system: str = required("name of the system, see docs/reference/settings.md")
    corpora: list[str] = setting([], "corpora of its trainings; all where the key is absent", schema=SOME_DISTINCT)
    analysis: str = setting("builtin", "set of analysers whose annotation the system reads, if it needs any")
    seeds: list[int] = setting([1], "seeds, one training run for each", minimum=0, schema=SOME_DISTINCT)
    initialised_from: str | None = setting(
        None,
        "experiment whose model on the same corpus (or, if it has none, on that of text_of) is the start, of the same "
        "seed if there is one, else of its first seed; pretrained for the checkpoint of the corpus's text; null for a "
        "random start",
    )
    taken_from: str | None = setting(
        None,
        "model folder whose network the experiment uses instead of training one; {seed} in its name stands for the "
        "seed; system, switches, truecasing, subwords and vocabularies must be those of the experiment; null to train",
    )
    labeller: str | None = setting(
        None,
        "labeller of themes whose scores fill the system's cache, trained on the model that this experiment starts "
        "from; null if the system has none",
    )
    compared_with: str | None = setting(
        None,
        "experiment or external system of the tests of significance on the same corpus, of the same seed if there is "
        "one, else of its first seed; null for significance.baseline",
    )
    settings: Given[TransformerSettings] = given(
        TransformerSettings,
        "switches of the system, which go before those of model",
        ChosenBy("system", {**{name: system.settings for name, system in SYSTEMS.items()}, LLM: LanguageModelSettings}),
    )
    training: Given[TrainingSettings] = given(TrainingSettings, "keys of training that differ for this experiment")
    decoding: Given[DecodingSection] = given(DecodingSection, "keys of decoding that differ for this experiment")
    decodings: dict[str, Given[DecodingSection]] = setting(
        {},
        "further decodings of its models, which are not trained again: by name, the keys of decoding that differ; each "
        "is a row NAME.DECODING beside that of the experiment",
    )
    model_of: str | None = resolved("experiment whose models it decodes, for one of decodings")
