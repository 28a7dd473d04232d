"""Further decodings of an experiment's model: each is an experiment of its own that takes the model over."""

from collections.abc import Mapping
from typing import Any

from discourse_nmt.base.errors import InputError


def add_decodings(config: Mapping[str, Any]) -> None:
    """Add an experiment ``NAME.DECODING`` to ``config``, which has the schema's defaults, for each key ``decodings``.

    It has the settings of ``NAME`` but for those of decoding, and ``model_of: NAME``. Raises :class:`InputError` for a
    name that another experiment has.
    """
    experiments = config["experiments"]
    for name, experiment in list(experiments.items()):
        for decoding, changes in experiment["decodings"].items():
            own_name = f"{name}.{decoding}"
            if own_name in experiments:
                remedy = "rename one of the two"
                raise InputError(f"experiments.{name}.decodings: {own_name} is an experiment, too", remedy=remedy)
            experiments[own_name] = {
                **experiment,
                "decoding": {**experiment["decoding"], **changes},
                "decodings": {},
                "model_of": name,
            }
