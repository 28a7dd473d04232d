"""Ablations: experiments of one system with the switches in which they differ."""

from collections.abc import Mapping, Sequence

import pandas as pd

from discourse_nmt.scoring.tables.narrow import MISSING

Switches = Mapping[str, object]
"""Values of an experiment's switches by their dotted names."""

NAMES = ["corpus", "test set", "experiment", "system", "seeds"]  # columns of the summary that are no scores


def ablations(switches: Mapping[str, Switches], summary: pd.DataFrame) -> list[tuple[str, str, str, pd.DataFrame]]:
    """Corpus, test set, system and cells of every group of at least two experiments that differ in a switch.

    ``switches`` has the switches of each experiment by their dotted names, among them ``system``; switches that all
    experiments share may be left out. ``summary`` is that of :func:`.summarise`. The first experiment of a system is
    the base; the others show only switches that differ from it.
    """
    groups = []
    for (corpus, test_set, system), group in summary.groupby(["corpus", "test set", "system"], sort=False):
        experiments = [name for name in group["experiment"] if name in switches]
        columns = differing([switches[name] for name in experiments])
        if len(experiments) < 2 or not columns:
            continue
        base = switches[experiments[0]]
        scored = group.set_index("experiment")
        rows = []
        for name in experiments:
            values = [switches[name].get(column) for column in columns]
            shown = [
                shown_value(value) if name == experiments[0] or value != base.get(column) else ""
                for column, value in zip(columns, values)
            ]
            scores = [str(scored.loc[name, column]) for column in summary.columns if column not in NAMES]
            rows.append([f"{name} (base)" if name == experiments[0] else name, *shown, *scores])
        metrics = [column for column in summary.columns if column not in NAMES]
        cells = pd.DataFrame(rows, columns=["experiment", *columns, *metrics])
        groups.append((str(corpus), str(test_set), str(system), cells))
    return groups


def differing(switches: Sequence[Switches]) -> list[str]:
    """Names of the switches that differ between experiments, in their order."""
    names = dict.fromkeys(name for experiment in switches for name in experiment)
    return [name for name in names if any(other.get(name) != switches[0].get(name) for other in switches[1:])]


def shown_value(value: object) -> str:
    """A switch's value as the configuration writes it."""
    if value is None:
        return MISSING
    return str(value).lower() if isinstance(value, bool) else str(value)
