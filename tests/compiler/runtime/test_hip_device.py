"""An AMD GPU as CuPy's build for ROCm shows it, and what is said where there is none; CuPy is a stand-in."""

from __future__ import annotations

import importlib.util
import sys
from types import SimpleNamespace
from typing import Any

import pytest

from kparity.compiler import TargetUnavailable, compile_program
from kparity.compiler.runtime import cuda_device, hip_device
from kparity.compiler.targets import hip, hip_tools

from ..sources import kernel

PROPERTIES = {"name": b"AMD Instinct MI300X", "gcnArchName": b"gfx942:sramecc+:xnack-", "multiProcessorCount": 304,
              "totalGlobalMem": 1 << 37}  # fmt: skip


def cupy(monkeypatch: pytest.MonkeyPatch, *, is_hip: bool = True, count: int = 1) -> None:
    runtime = SimpleNamespace(
        is_hip=is_hip, getDeviceCount=lambda: count, getDeviceProperties=lambda number: PROPERTIES,
        runtimeGetVersion=lambda: 70051831, CUDARuntimeError=RuntimeError,
    )  # fmt: skip
    cuda = SimpleNamespace(
        runtime=runtime,
        Device=lambda: SimpleNamespace(id=0),
        Stream=lambda non_blocking: SimpleNamespace(ptr=7),
    )
    monkeypatch.setitem(sys.modules, "cupy", SimpleNamespace(cuda=cuda, __version__="14.0.0"))
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: object())


def test_a_device_describes_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    cupy(monkeypatch)
    device = hip_device.HipDevice()
    described = device.describe()
    assert (device.target, device.stream) == ("hip", 7)
    assert described["model"] == "AMD Instinct MI300X" and described["multiprocessors"] == "304"
    assert described["architecture"] == "gfx942:sramecc+:xnack-" and described["rocm"] == "70051831"
    assert hip.processor.__wrapped__() == "gfx942"


@pytest.mark.parametrize(("state", "message"), [
    ({"is_hip": False}, "CuPy's build here is for NVIDIA GPUs; .*pip install 'kparity\\[rocm\\]'"),
    ({"count": 0}, "no AMD GPU that ROCm knows"),
])  # fmt: skip
def test_what_is_missing_is_said(state: dict[str, Any], message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    cupy(monkeypatch, **state)
    with pytest.raises(TargetUnavailable, match=message):
        hip_device.HipDevice()


def test_the_other_vendors_target_says_which_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    cupy(monkeypatch)
    with pytest.raises(TargetUnavailable, match="for AMD GPUs, whose target is `hip`"):
        cuda_device.CudaDevice()


def test_an_architecture_is_no_device() -> None:
    one = kernel('def k(y: Mut[f64, "n"]):\n    for i in parallel(n):\n        y[i] = 1.0\n')
    try:
        hip_tools.lld()
    except TargetUnavailable as error:
        pytest.skip(str(error))
    with pytest.raises(
        TargetUnavailable, match="`hip:gfx942` is code for an architecture, to be looked at: `hip` runs"
    ):
        compile_program(one, "hip:gfx942", use_cache=False)
