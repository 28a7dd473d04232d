"""The device that computes."""

from collections.abc import Iterator

import pytest
import torch

from discourse_nmt.base.errors import InputError
from discourse_nmt.models.core.inference import device_named


@pytest.fixture(autouse=True)
def cudnn() -> Iterator[None]:
    """Torch's choice of attention kernels, which a GPU's device changes."""
    allowed = torch.backends.cuda.cudnn_sdp_enabled()
    torch.backends.cuda.enable_cudnn_sdp(True)
    yield
    torch.backends.cuda.enable_cudnn_sdp(allowed)


@pytest.mark.parametrize(
    ("name", "there", "expected"),
    [("auto", True, "cuda"), ("cuda", True, "cuda"), ("auto", False, "cpu"), ("cpu", True, "cpu")],
)
def test_auto_is_the_gpu_where_there_is_one(
    name: str, there: bool, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: there)
    assert device_named(name).type == expected


def test_a_gpu_that_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(InputError, match="no CUDA device"):
        device_named("cuda")


def test_a_gpu_computes_attention_without_plans_for_each_shape(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of cuDNN: they made training five times as slow on an H100 (docs/rationale/attention.md)."""
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    device_named("auto")
    assert not torch.backends.cuda.cudnn_sdp_enabled()
