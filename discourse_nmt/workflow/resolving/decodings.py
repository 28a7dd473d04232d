"""Further decodings of an experiment's model: each is an experiment of its own that takes the model over."""

from dataclasses import replace

from discourse_nmt.base.errors import InputError
from discourse_nmt.workflow.configuration.tree import Configuration


def with_decodings(config: Configuration) -> Configuration:
    """With an experiment ``NAME.DECODING`` for each key ``decodings``.

    It has the settings of ``NAME`` but for those of decoding, and ``model_of: NAME``. Raises :class:`InputError` for a
    name that another experiment has.
    """
    experiments = dict(config.experiments)
    for name, experiment in config.experiments.items():
        for decoding, changes in experiment.decodings.items():
            own_name = f"{name}.{decoding}"
            if own_name in experiments:
                remedy = "rename one of the two"
                raise InputError(f"experiments.{name}.decodings: {own_name} is an experiment, too", remedy=remedy)
            experiments[own_name] = replace(
                experiment, decoding=changes.over(experiment.decoding), decodings={}, model_of=name
            )
    return replace(config, experiments=experiments)
