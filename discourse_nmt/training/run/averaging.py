"""The mean of the weights of several checkpoints (Vaswani et al. 2017, section 6.1)."""

from collections.abc import Sequence
from pathlib import Path

import torch
from torch import Tensor

from discourse_nmt.training.checkpoints.model_files import read_tensors


def average(paths: Sequence[Path]) -> dict[str, Tensor]:
    """Element-wise mean of the tensors of safetensors files with equal names and shapes.

    Sums are in double precision, with one file in memory at a time; the mean of a single file is exact.
    """
    total, _ = read_tensors(paths[0])
    if len(paths) == 1:
        return total
    dtypes = {name: tensor.dtype for name, tensor in total.items()}
    total = {name: tensor.to(torch.float64) for name, tensor in total.items()}
    for path in paths[1:]:
        tensors, _ = read_tensors(path)
        for name, tensor in tensors.items():
            total[name] += tensor
    return {name: (tensor / len(paths)).to(dtypes[name]) for name, tensor in total.items()}
