"""Each version of small kernels on emulated AMD GPUs, and what goes wrong on a device."""

from __future__ import annotations

import numpy as np
import pytest

from kparity.compiler import AccessError, DeviceError, LaunchError

from ..compiler.interpreter import interpret
from ..compiler.sources import kernel
from ..compiler.targets import test_cuda_emulated as nvidia
from ..compiler.targets.test_cuda_emulated import THREE, VERSIONS, agree
from ..compiler.targets.test_tested import GATHER, gather_arguments
from .device import Device

ADDED = kernel("""
    def k(x: Ref[f64, "n"], y: Ref[i64, "n"], s: Sum[f64], low: MinLoc[f64], most: Max[i64]):
        for i in parallel(n):
            s += x[i]
            low.update(x[i], i)
            most.update(y[i])
    """)


@pytest.mark.parametrize("version", ["_wide", "_narrow", ""])
def test_lanes_and_blocks_are_combined(version: str, gpu: Device) -> None:
    gpu.only = version
    x = np.random.default_rng(1).integers(-50, 50, 700).astype(float)
    held = np.zeros(1, np.dtype([("value", "f8"), ("location", "i8")]))
    agree(gpu, ADDED, x=x, y=(x * 3).astype(int), s=np.ones(1), low=held, most=np.array([-7]))
    assert gpu.launched == [f"kp_k_0{version}"]


@pytest.mark.parametrize("version", VERSIONS)
def test_a_grid_that_strides(version: str, gpu: Device) -> None:
    """The general version reads sizes of grid and group from behind the arguments."""
    gpu.only = version
    agree(gpu, THREE, a=np.arange(3 * 5 * 130).reshape(3, 5, 130))


def test_structs_tables_and_packs_are_passed_by_value(gpu: Device) -> None:
    one = kernel("""
        def k(y: Mut[f64, "n"], xs: Pack[Ref[f64, "n"], 3], c: Table[f64, 4], on: bool, f: f32):
            for i in parallel(n):
                y[i] += xs[i % 3][i] * c[i % 4] + f64(f) if on else 0.0
        """)
    xs = [np.arange(90.0) + m for m in range(3)]
    agree(gpu, one, y=np.ones(90), xs=xs, c=np.array([1.0, 2.0, -3.0, 0.5]), on=True, f=0.25)


def test_memory_of_a_team_that_only_the_launch_knows(gpu: Device) -> None:
    one = kernel("""
        def reverse(y: Out[f64, "m", "n"], x: Ref[f64, "m", "n"]):
            for b in teams(m):
                held = shared(f64, n)
                for t in threads(n):
                    held[t] = x[b, t]
                for t in threads(n):
                    y[b, t] = held[n - 1 - t]
        """)
    agree(gpu, one, y=np.zeros((2, 301)), x=np.random.default_rng(2).random((2, 301)))
    with pytest.raises(LaunchError, match="shared memory"):
        gpu.run(one, {"y": np.zeros((1, 9000)), "x": np.zeros((1, 9000))})


def test_a_tested_access_is_reported(gpu: Device) -> None:
    given = gather_arguments(9)
    lent = {n: gpu.upload(n, v) if isinstance(v, np.ndarray) else v for n, v in given.items()}
    bound = gpu.compile(GATHER).bind(lent)
    bound.run()
    with pytest.raises(AccessError) as caught:
        bound.finish()
    assert (caught.value.thread, caught.value.index, caught.value.bounds) == ({"i": 17, "j": 2}, 9, (1, 5))
    for name, wanted in interpret(GATHER, given).items():
        if isinstance(wanted, np.ndarray):
            np.testing.assert_array_equal(lent[name].get(), wanted, err_msg=name)


SCATTER = kernel("""
    def scatter(y: Mut[f64, "n"], x: Ref[f64, "m"], at: Ref[i32, "m"]):
        for i in parallel(m):
            y[at[i]] += x[i]
    """)


def test_index_arrays_are_inspected_on_the_device(gpu: Device) -> None:
    at = np.array([3, 0, 4, 1], np.int32)
    found = gpu.run(SCATTER, {"y": np.zeros(6), "x": np.arange(1.0, 5.0), "at": at})
    assert found["y"].tolist() == [2, 4, 0, 1, 3, 0]
    at[2] = 0
    with pytest.raises(LaunchError, match=r"two threads meet in y\[0\]"):
        gpu.run(SCATTER, {"y": np.zeros(6), "x": np.ones(4), "at": at})


def test_a_launch_that_fails_is_an_error_of_the_device(gpu: Device) -> None:
    """A test of the tests: an address outside of its array stops the emulator, and the product says so."""
    executable = gpu.compile(THREE)
    bound = executable.bind({"a": gpu.upload("a", np.zeros((1, 1, 1), np.int64))})
    name, held, _, writable = gpu.memory.regions[-1]
    gpu.memory.regions[-1] = name, held, 0, writable
    with pytest.raises(DeviceError, match="kp_k_0_narrow: 8 bytes at offset 0 of a, which has 0 bytes"):
        bound.run()


def test_managed_memory_is_refused(gpu: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gpu, "managed", True)
    with pytest.raises(LaunchError, match="`a` is in managed memory"):
        gpu.run(THREE, {"a": np.zeros((1, 1, 1), np.int64)})


@pytest.mark.parametrize("processor", ["gfx90a", "gfx950", "gfx1201"])
def test_mathematics_on_the_other_processors(processor: str, monkeypatch: pytest.MonkeyPatch) -> None:
    nvidia.test_mathematical_functions(Device(processor, monkeypatch))  # type: ignore[arg-type]
