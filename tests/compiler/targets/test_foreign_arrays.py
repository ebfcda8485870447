"""Arrays of a GPU that several libraries lend: what they share is found by address, whoever hands it out."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from kparity.compiler import LaunchError

from ..sources import kernel
from .emulation import Emulator, Lent

SHIFT = kernel("""
    def shift(y: Mut[f64, "n"], x: Ref[f64, "m"], jp: i64):
        for i in parallel(n):
            y[i] = x[i + jp]
    """)


def of_another_library(array: np.ndarray[Any, Any], **changed: Any) -> SimpleNamespace:
    """Return what an object needs to be an array of a GPU, and nothing else."""
    interface = {
        "shape": array.shape, "typestr": array.dtype.str, "data": (array.ctypes.data, False), "version": 3, **changed,
    }  # fmt: skip
    return SimpleNamespace(__cuda_array_interface__=interface, array=array)


def refusal(gpu: Emulator, **arguments: Any) -> str:
    with pytest.raises(LaunchError) as caught:
        gpu.compile(SHIFT).bind(arguments).run()
    return str(caught.value)


@pytest.mark.parametrize(("first", "last"), [(0, 10), (9, 19), (5, 8), (0, 20)])
def test_one_memory_of_two_libraries(first: int, last: int, gpu: Emulator) -> None:
    data = np.arange(20.0)
    y, x = Lent(data[:10]), of_another_library(data[first:last])
    message = refusal(gpu, y=y, x=x, jp=0)
    assert message.startswith("error[KP0803]") and "`y` and `x` overlap" in message
    np.testing.assert_array_equal(data, np.arange(20.0))


def test_neighbours_of_two_libraries(gpu: Emulator) -> None:
    data = np.arange(20.0)
    gpu.compile(SHIFT).bind({"y": Lent(data[:9]), "x": of_another_library(data[9:]), "jp": 1}).run()
    np.testing.assert_array_equal(data[:9], np.arange(10.0, 19.0))


@pytest.mark.parametrize(("name", "changed", "code"), [
    ("y", {"data": (2**20, True)}, "KP0804"), ("x", {"strides": (16,)}, "KP0804"), ("x", {"typestr": "<f4"}, "KP0802"),
    ("x", {"data": (2**20 + 4, False)}, "KP0804"), ("y", {"shape": (4, 1)}, "KP0802"),
])  # fmt: skip
def test_what_an_interface_says_is_believed(name: str, changed: dict[str, Any], code: str, gpu: Emulator) -> None:
    arguments: dict[str, Any] = {"y": Lent(np.zeros(4)), "x": Lent(np.ones(4)), "jp": 0}
    arguments[name] = of_another_library(np.zeros(4), **changed)
    message = refusal(gpu, **arguments)
    assert message.startswith(f"error[{code}]") and f"`{name}`" in message


def test_an_array_of_the_host_is_none_of_the_gpu(gpu: Emulator) -> None:
    assert refusal(gpu, y=Lent(np.zeros(4)), x=np.ones(4), jp=0).startswith("error[KP0804]")
