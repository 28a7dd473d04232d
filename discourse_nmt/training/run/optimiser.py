"""Adam over groups of parameters that share a factor on the learning rate."""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Protocol

import torch
from torch import Tensor, nn

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.settings import nearest
from discourse_nmt.training.settings import TrainingSettings

RateOf = Callable[[str], float]


def rates_of(settings: TrainingSettings, loaded: set[str], names: list[str]) -> RateOf:
    """Factor on the learning rate of each parameter of the network by its name.

    The factor is that of the longest prefix of the name in ``settings.rates``, else ``settings.initialised_rate`` for a
    parameter ``loaded`` from another model, else 1. Raises :class:`InputError` for a prefix of none of ``names``.
    """
    for prefix in settings.rates:
        if not any(name.startswith(prefix) for name in names):
            advice = nearest(prefix, dict.fromkeys(name.split(".")[0] for name in names))
            raise InputError(f"training: rates.{prefix} is the beginning of no parameter", remedy=advice)

    def rate_of(name: str) -> float:
        prefixes = [prefix for prefix in settings.rates if name.startswith(prefix)]
        if prefixes:
            return settings.rates[max(prefixes, key=len)]
        return settings.initialised_rate if name in loaded else 1.0

    return rate_of


class ShardHolders(Protocol):
    """The processes that share the state; :class:`.Collectives` are such."""

    several: bool

    def gathered(self, tensors: Mapping[str, Tensor], shapes: Mapping[str, Sequence[int]]) -> dict[str, Tensor]:
        """In the first process the tensors of all names of ``shapes``, each of which one process has."""
        ...


class Optimiser:
    """Adam (Kingma and Ba 2015) over a network's parameters; those of factor 0 are frozen, and frozen ones stay so.

    Those ``loaded`` from another model have a rate of 0 in the first ``frozen_updates``. ``names`` are those of the
    trained parameters in the order of Adam's groups. With ``shards``, each of several processes keeps Adam's state of a
    part of the parameters, updates these and sends them to the others (Rajbhandari et al. 2020, ZeRO, stage 1).
    """

    def __init__(
        self,
        network: nn.Module,
        settings: TrainingSettings,
        rate_of: RateOf,
        loaded: Collection[str] = (),
        shards: ShardHolders | None = None,
    ) -> None:
        groups: dict[tuple[float, int], dict[str, nn.Parameter]] = {}
        for name, parameter in network.named_parameters():
            factor = rate_of(name) if parameter.requires_grad else 0.0
            parameter.requires_grad_(factor > 0)
            if factor > 0:
                waits = settings.frozen_updates if name in loaded else 0
                groups.setdefault((factor, waits), {})[name] = parameter
        if not groups:
            raise InputError(
                "training: every parameter is frozen", remedy="raise initialised_rate or a factor of rates"
            )
        self.names = [name for group in groups.values() for name in group]
        self.parameters = [parameter for group in groups.values() for parameter in group.values()]
        self.shards = shards if shards is not None and shards.several else None
        parts: list[dict[str, object]] = [
            {"params": list(group.values()), "factor": factor, "waits": waits}
            for (factor, waits), group in groups.items()
        ]
        keys: dict[str, Any] = {
            "lr": settings.learning_rate,
            "betas": (settings.adam_beta1, settings.adam_beta2),
            "eps": settings.adam_epsilon,
            # With fp16, gradients are unscaled before clipping, which the fused form does not support.
            "fused": settings.precision != "fp16",
        }
        self.adam: torch.optim.Optimizer
        self.own: torch.optim.Optimizer
        """Adam over the parameters of which this process keeps the state."""
        if self.shards is None:
            self.adam = self.own = torch.optim.Adam(parts, **keys)
        else:
            from torch.distributed.optim import ZeroRedundancyOptimizer  # long to import

            sharded = ZeroRedundancyOptimizer(parts, torch.optim.Adam, **keys)
            self.adam, self.own = sharded, sharded.optim

    def set_rate(self, rate: float, update: int) -> None:
        """Set the learning rate of the ``update``, counted from 0."""
        for group in self.adam.param_groups:
            group["lr"] = rate * group["factor"] if update >= group["waits"] else 0.0

    def state(self) -> dict[str, Tensor]:
        """Adam's state as ``<parameter name>/<quantity>``, for a checkpoint; every process takes part.

        The first process gets the whole state, whether it is sharded or not.
        """
        state = {
            f"{name}/{quantity}": value
            for name, parameter in zip(self.names, self.parameters)
            for quantity, value in self.own.state.get(parameter, {}).items()
        }
        if self.shards is None:
            return state
        shapes = {f"{name}/{quantity}": shape for name, quantity, shape in self._quantities()}
        return self.shards.gathered(state, shapes)

    def _quantities(self) -> list[tuple[str, str, torch.Size]]:
        """Name, quantity and shape of every tensor of the whole state."""
        return [
            (name, quantity, torch.Size() if quantity == "step" else parameter.shape)
            for name, parameter in zip(self.names, self.parameters)
            for quantity in ("step", "exp_avg", "exp_avg_sq")
        ]

    def restore(self, state: Mapping[str, Tensor]) -> None:
        """Restore the state that :meth:`state` returned, of any number of processes."""
        by_name: dict[str, dict[str, Tensor]] = {name: {} for name in self.names}
        for key, value in state.items():
            name, quantity = key.rsplit("/", 1)
            by_name[name][quantity] = value
        name_of = dict(zip(self.parameters, self.names))
        own = [name_of[parameter] for group in self.own.param_groups for parameter in group["params"]]
        self.own.load_state_dict(
            {
                "state": {index: by_name[name] for index, name in enumerate(own)},
                "param_groups": self.own.state_dict()["param_groups"],
            }
        )
