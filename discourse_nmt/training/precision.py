"""The arithmetic of the forward and backward pass."""

from typing import Literal

Precision = Literal["fp32", "bf16", "fp16"]
