"""Sums over the processes of a run; with one process, values stay unchanged."""

import contextlib
import time
from collections.abc import Callable, Iterator, Mapping, Sequence

import torch
import torch.distributed as distributed
from lightning_fabric import Fabric
from torch import Tensor, nn

from discourse_nmt.base.errors import InputError

HEARTBEAT = 20.0  # seconds between signs of life of the first process while the others wait


@contextlib.contextmanager
def others_present() -> Iterator[None]:
    """Raise :class:`InputError` where a collective fails, as it does when another process has ended."""
    try:
        yield
    except RuntimeError as error:
        reason = str(error).splitlines()[0]
        remedy = "read the messages of the others; the same command continues from the last checkpoint"
        raise InputError(
            f"another process of the training has ended or is out of reach ({reason})", remedy=remedy
        ) from None


class Collectives:
    """Sums over all processes.

    Gradients are summed in one flat tensor of fixed layout rather than by DistributedDataParallel. That changes the
    layout of its buckets after the first update, which changes the last bits of a run that continues, and does not
    allow a process to have no batch in the last update of an epoch.
    """

    def __init__(self, fabric: Fabric) -> None:
        self.several = fabric.world_size > 1
        self.first = fabric.is_global_zero
        # Counts are summed on the CPUs, so that no GPU has to wait for them.
        self.control = distributed.new_group(backend="gloo") if self.several else None

    def counts(self, values: Sequence[int]) -> list[int]:
        """Element-wise sums of whole numbers."""
        if not self.several:
            return list(values)
        tensor = torch.tensor(values, dtype=torch.int64)
        with others_present():
            distributed.all_reduce(tensor, group=self.control)
        return tensor.tolist()

    def of_first(self, work: Callable[[Callable[[], None]], float]) -> float:
        """The result, in every process, of ``work``, which the first process alone does.

        It calls its argument often. At most every :data:`HEARTBEAT` seconds that is a collective of all processes, so
        that the others do not wait longer than a collective may take.
        """
        if not self.several:
            return work(lambda: None)
        result = torch.zeros(1, dtype=torch.float64)
        if self.first:
            last = time.monotonic()

            def alive() -> None:
                nonlocal last
                if time.monotonic() - last >= HEARTBEAT:
                    self.counts([0])
                    last = time.monotonic()

            result += work(alive)
            self.counts([1])
        else:
            while not self.counts([0])[0]:
                pass
        with others_present():
            distributed.all_reduce(result, group=self.control)
        return result.item()

    def gathered(self, tensors: Mapping[str, Tensor], shapes: Mapping[str, Sequence[int]]) -> dict[str, Tensor]:
        """In the first process the single-precision tensors of all names of ``shapes``, each of which one process has.

        The other processes get their own ``tensors``.
        """
        everything = dict(tensors)
        holders = self.counts([distributed.get_rank() * (name in tensors) for name in shapes])
        for (name, shape), holder in zip(shapes.items(), holders):
            if holder == 0:
                continue
            with others_present():
                if self.first:
                    everything[name] = torch.empty(tuple(shape))
                    distributed.recv(everything[name], holder, group=self.control)
                elif distributed.get_rank() == holder:
                    distributed.send(tensors[name].detach().cpu().contiguous(), 0, group=self.control)
        return everything

    def sum(self, values: Tensor) -> Tensor:
        """Element-wise sums of a tensor on the device of the process."""
        total = values.clone()
        if self.several:
            with others_present():
                distributed.all_reduce(total)
        return total

    def add_gradients(self, parameters: Sequence[nn.Parameter]) -> None:
        """Replace each gradient by its sum over the processes; a missing gradient is zero."""
        for parameter in parameters:
            if parameter.grad is None:
                parameter.grad = torch.zeros_like(parameter)
        if not self.several:
            return
        gradients = [parameter.grad for parameter in parameters if parameter.grad is not None]
        flat = torch.cat([gradient.flatten() for gradient in gradients])
        with others_present():
            distributed.all_reduce(flat)
        for gradient, total in zip(gradients, flat.split([gradient.numel() for gradient in gradients])):
            gradient.copy_(total.view_as(gradient))
