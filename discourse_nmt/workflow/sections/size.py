"""``size: small``: the same experiments on a laptop, with smaller networks, fewer updates and fewer documents.

Each value has one rule, wherever it stands: in ``model`` and ``training``, on a corpus, or in an experiment. No value
grows. Rows of a table keep their differences, such as two layers beside six.
"""

import math
from collections.abc import Callable, Mapping
from typing import Any

from discourse_nmt.models.switches.theme_labeller import LabellerSettings
from discourse_nmt.models.switches.transformer import TransformerSettings
from discourse_nmt.workflow.data.names import moved
from discourse_nmt.workflow.sections.corpora import splits_of
from discourse_nmt.workflow.sections.pretrained import PRETRAINED

UPDATES = 200
DOCUMENTS = {"train": 40}
OTHER_DOCUMENTS = 4  # of dev and of each test set
DEMO_DOCUMENTS = 200

Rules = Mapping[str, Callable[[Any], Any]]


def _at_most(largest: int) -> Callable[[int], int]:
    return lambda value: min(value, largest)


def _divided(divisor: int, least: int) -> Callable[[int], int]:
    """A part of a number, but no less than ``least`` where it was as large."""
    return lambda value: max(min(value, least), math.ceil(value / divisor))


def _limited(value: int) -> int:
    """Of a number of updates, 0 of which is no limit."""
    return min(value or UPDATES, UPDATES)


NETWORK: Rules = {
    "encoder_layers": _divided(2, 2),
    "decoder_layers": _divided(2, 2),
    "width": _divided(4, 64),
    "feed_forward_width": _divided(4, 128),
    "heads": _at_most(4),
}
TRAINING: Rules = {
    "batch_tokens": _divided(8, 500),
    "max_updates": _limited,
    "warmup_updates": _at_most(150),
    "frozen_updates": _at_most(50),
    "evaluate_every": lambda value: min(value or 50, 50),
}
LABELLER: Rules = {"direction_width": _divided(4, 16), "epochs": _at_most(1)}
SUBWORDS: Rules = {"merges": _at_most(2000), "vocabulary_size": _at_most(4000), "size": _at_most(2000)}
# Without the checkpoint, whose sizes no key changes, networks begin at random, and subwords are learnt.
OF_CHECKPOINTS = {"pretrained": None, "whole_vocabulary": False, "language_code": None, "subwords": "sentencepiece"}
MARKS = {"marks": "both", "output_bias": False}


def apply_size(config: dict[str, Any]) -> None:
    """Scale ``config``, which has the schema's defaults, if its ``size`` is small; ``run`` gets the ending -small."""
    if config["size"] != "small":
        return
    run = config["run"]
    config.update(moved(config, f"results/{run}/generated/", f"results/{run}-small/generated/"))
    config["run"] = f"{run}-small"
    config["demo"]["documents"] = min(config["demo"]["documents"], DEMO_DOCUMENTS)
    network = {key: getattr(TransformerSettings(), key) for key in NETWORK}
    config["model"] = _scaled(network | config["model"], NETWORK)
    config["training"] = _scaled(config["training"], TRAINING)
    learnt = [_scale_corpus(corpus, f"results/{run}-small/") for corpus in config["corpora"].values()]
    if any(learnt):
        config["model"] |= MARKS
    for experiment in config["experiments"].values():
        experiment["settings"] = _scaled(experiment["settings"], NETWORK)
        experiment["training"] = _scaled(experiment["training"], TRAINING)
        if experiment["initialised_from"] == PRETRAINED:
            experiment["initialised_from"] = None
    for labeller in config["labellers"].values():
        width = {"direction_width": LabellerSettings().direction_width}
        labeller["settings"] = _scaled(width | labeller["settings"], LABELLER)
        labeller["training"] = {"epochs": 1, **_scaled(labeller["training"], LABELLER)}


def _scale_corpus(corpus: dict[str, Any], results: str) -> bool:
    """Scale a corpus; whether its subwords were those of a checkpoint."""
    corpus["training"] = _scaled(corpus["training"], TRAINING)
    text = corpus["text"]
    for key in ("bpe", "sentencepiece"):
        text[key] = _scaled(text[key], SUBWORDS)
    if with_checkpoint := text["pretrained"] is not None:
        text |= OF_CHECKPOINTS
    generated = any(path.startswith(results) for split in corpus["splits"].values() for path in split.get("files", []))
    # Items and other systems' translations are about all documents of their sets.
    whole = {*corpus["contrastive"], *(name for one in corpus["systems"].values() for name in one["hypotheses"])}
    for split in [] if generated else splits_of(corpus):
        if split not in whole:
            number = DOCUMENTS.get(split, OTHER_DOCUMENTS)
            corpus["documents"][split] = min(corpus["documents"].get(split, number), number)
    return with_checkpoint


def _scaled(section: Mapping[str, Any], rules: Rules) -> dict[str, Any]:
    """The section with the values of ``rules`` scaled; a value may be given for each side."""
    return {
        key: value
        if key not in rules
        else {side: rules[key](one) for side, one in value.items()}
        if isinstance(value, Mapping)
        else rules[key](value)
        for key, value in section.items()
    }
