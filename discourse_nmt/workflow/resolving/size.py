"""``size: small``: the same experiments on a laptop, with smaller networks, fewer updates and fewer documents.

Each value has one rule, wherever it stands: in ``model`` and ``training``, on a corpus, or in an experiment. No value
grows. Rows of a table keep their differences, such as two layers beside six.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, TypeVar

from discourse_nmt.base.settings import Given
from discourse_nmt.models.switches.theme_labeller import LabellerSettings
from discourse_nmt.models.switches.transformer import TransformerSettings
from discourse_nmt.workflow.configuration.corpora import CorpusSection
from discourse_nmt.workflow.configuration.experiments import ExperimentSection
from discourse_nmt.workflow.configuration.labellers import LabellerSection
from discourse_nmt.workflow.configuration.texts import BySide, TextSection
from discourse_nmt.workflow.configuration.tree import Configuration
from discourse_nmt.workflow.resolving.texts import moved
from discourse_nmt.workflow.sections.corpora import splits_of
from discourse_nmt.workflow.sections.files import roles_of
from discourse_nmt.workflow.sections.pretrained import PRETRAINED

DOCUMENTS = {"train": 40}
OTHER_DOCUMENTS = 4  # of dev and of each test set
DEMO_DOCUMENTS = 200

Rule = Callable[[Any], int]
Rules = Mapping[str, Rule]
Settings = TypeVar("Settings")


def _limited(largest: int) -> Rule:
    return lambda value: min(value, largest)


def _divided(divisor: int, least: int) -> Rule:
    """A part of a number, but no less than ``least`` where it was as large."""
    return lambda value: max(min(value, least), math.ceil(value / divisor))


def _limited_from_zero(largest: int) -> Rule:
    """Of a number of updates, 0 of which is no limit."""
    return lambda value: min(value or largest, largest)


NETWORK: Rules = {
    "encoder_layers": _divided(2, 2),
    "decoder_layers": _divided(2, 2),
    "width": _divided(4, 64),
    "feed_forward_width": _divided(4, 128),
    "heads": _limited(4),
}
# Some of the layers of single systems: by the rule of all layers, so that they stay no more than those.
SYSTEM: Rules = {**NETWORK, **dict.fromkeys(("rst_layers", "global_layers", "current_layers"), _divided(2, 2))}
TRAINING: Rules = {
    "batch_tokens": _divided(8, 500),
    "max_updates": _limited_from_zero(200),
    "warmup_updates": _limited(150),
    "frozen_updates": _limited(50),
    "evaluate_every": _limited_from_zero(50),
}
LABELLER: Rules = {"direction_width": _divided(4, 16), "epochs": _limited(1)}
# Of networks that begin at random, without the checkpoint, whose sizes no key changes.
MARKS = {"marks": "both", "output_bias": False}


def in_size(config: Configuration) -> Configuration:
    """The same configuration, or a smaller one if its ``size`` is small: then ``run`` gets the ending -small."""
    if config.size != "small":
        return config
    run = f"{config.run}-small"
    config = moved(config, f"results/{config.run}/generated/", f"results/{run}/generated/")
    network = {key: getattr(TransformerSettings(), key) for key in NETWORK}
    model = _scaled(config.model.over(network), NETWORK)
    if any(corpus.text.pretrained is not None for corpus in config.corpora.values()):
        model = Given(model.kind, {**model, **MARKS})
    return replace(
        config,
        run=run,
        demo=replace(config.demo, documents=min(config.demo.documents, DEMO_DOCUMENTS)),
        model=model,
        training=_scaled(config.training, TRAINING),
        corpora={name: _small_corpus(corpus, f"results/{run}/") for name, corpus in config.corpora.items()},
        experiments={name: _small_experiment(experiment) for name, experiment in config.experiments.items()},
        labellers={name: _small_labeller(labeller) for name, labeller in config.labellers.items()},
    )


def _small_experiment(experiment: ExperimentSection) -> ExperimentSection:
    """Trained from a random start in place of a checkpoint or a model folder, whose sizes no key changes."""
    first = experiment.initialised_from
    return replace(
        experiment,
        taken_from=None,
        settings=_scaled(experiment.settings, SYSTEM),
        training=_scaled(experiment.training, TRAINING),
        initialised_from=None if first == PRETRAINED else first,
    )


def _small_labeller(labeller: LabellerSection) -> LabellerSection:
    width = {"direction_width": LabellerSettings().direction_width}
    training = _scaled(labeller.training, LABELLER).over({"epochs": 1})
    return replace(labeller, settings=_scaled(labeller.settings.over(width), LABELLER), training=training)


def _small_corpus(corpus: CorpusSection, results: str) -> CorpusSection:
    files = [path for split in corpus.splits.values() for path in roles_of(split).get("files", [])]
    generated = any(path.startswith(results) for path in files)
    # Items and other systems' translations are about all documents of their sets.
    whole = {*corpus.contrastive, *(name for one in corpus.systems.values() for name in one.hypotheses)}
    documents = dict(corpus.documents)
    for split in [] if generated else splits_of(corpus):
        if split not in whole:
            number = DOCUMENTS.get(split, OTHER_DOCUMENTS)
            documents[split] = min(documents.get(split, number), number)
    text = _small_text(corpus.text)
    return replace(corpus, training=_scaled(corpus.training, TRAINING), text=text, documents=documents)


def _small_text(text: TextSection) -> TextSection:
    """With fewer subwords. Without the checkpoint, whose sizes no key changes, they are learnt."""
    bpe, pieces = text.bpe, text.sentencepiece
    small = replace(
        text,
        bpe=replace(bpe, merges=_at_most(2000, bpe.merges), vocabulary_size=_at_most(4000, bpe.vocabulary_size)),
        sentencepiece=replace(pieces, size=_at_most(2000, pieces.size)),
    )
    if text.pretrained is None:
        return small
    return replace(small, pretrained=None, whole_vocabulary=False, language_code=None, subwords="sentencepiece")


def _at_most(largest: int, value: int | BySide) -> int | BySide:
    """A number, which may be given for each side."""
    if isinstance(value, BySide):
        sides = (value.source, value.target)
        return BySide(*(min(side, largest) if isinstance(side, int) else side for side in sides))
    return min(value, largest)


def _scaled(section: Given[Settings], rules: Rules) -> Given[Settings]:
    """The section with the values of ``rules`` scaled."""
    keys = {key: rules[key](value) if key in rules else value for key, value in section.items()}
    return Given(section.kind, keys)
