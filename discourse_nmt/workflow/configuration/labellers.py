"""Sections under ``labellers``."""

from dataclasses import dataclass

from discourse_nmt.base.settings import DISTINCT, Given, given, setting
from discourse_nmt.discourse.themes.imported import ImportedWords
from discourse_nmt.models.switches.theme_labeller import LabellerSettings
from discourse_nmt.training.labellers.settings import LabellerTrainingSettings


@dataclass(frozen=True)
class LabellerSection:
    """One labeller; it is trained anew for every model whose encoder it reads."""

    experiments: list[str] = setting(
        [],
        "experiments on whose models the target labellers trains it; an experiment that uses it trains it on the model "
        "it starts from",
        schema=DISTINCT,
    )
    analysis: str = setting(
        "builtin", "set of analysers whose themes label the source side of the experiments' corpora"
    )
    imported: Given[ImportedWords] | None = setting(None, "a corpus with labelled words instead of the analysis")
    settings: Given[LabellerSettings] = given(LabellerSettings, "switches of the labeller")
    training: Given[LabellerTrainingSettings] = given(LabellerTrainingSettings, "training of the labeller")
