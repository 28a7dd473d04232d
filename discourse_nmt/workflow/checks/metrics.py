"""Checks of the section ``metrics``."""

import re

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.settings import nearest
from discourse_nmt.workflow.configuration.tree import Configuration

PLACEHOLDERS = (
    *("source", "hypotheses", "references", "documents"),
    *("source_language", "target_language", "experiment", "seed"),
)
OWN_METRICS = ("TER", "chrF2++", "d-BLEU", "documents", "instances", "s-BLEU", "sentences")  # without spaces


def check_metrics(config: Configuration) -> None:
    """Check the names of metrics and the placeholders of their commands. Raises :class:`InputError`."""
    for name, metric in config.metrics.items():
        if name in OWN_METRICS:
            raise InputError(f"metrics.{name}: the project has a metric of this name", remedy="rename yours")
        placeholders = [word for argument in metric.command for word in re.findall(r"\{([a-z_]+)\}", argument)]
        for word in placeholders:
            if word not in PLACEHOLDERS:
                remedy = nearest(word, PLACEHOLDERS)
                raise InputError(f"metrics.{name}.command: nothing for {{{word}}}", remedy=remedy)
        if not {"hypotheses", "experiment"} & {*placeholders}:
            raise InputError(
                f"metrics.{name}.command has no argument with {{hypotheses}}",
                remedy="the program must be told the file of the translations, or with {experiment} whose they are",
            )
