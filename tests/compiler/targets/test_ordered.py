"""Stores in the order of the threads, on every target, against the interpreter: lists and prefix sums."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from kparity.compiler import Kernel, Program, compile_program
from kparity.compiler.targets import gpu_ordered

from ..conftest import execute
from ..interpreter import arrays, interpret
from ..sources import kernel
from .emulation import Emulator

SIZES = [0, 1, 2, 3, 31, 32, 33, 255, 999, 1023, 4097, 8200]
SELECT = kernel("""
    def k(list: Push[i32, "n"], length: Sum[i32], x: Ref[f64, "n"]):
        for i in parallel(n):
            if x[i] < 0.0:
                list.push(i32(i))
                length += 1
    """)
EITHER = kernel("""
    def k(list: Push[f64, "m"], x: Ref[f64, "n"], lo: i64):
        for i in parallel((lo, n)):
            far = abs(x[i]) > 0.5
            if far:
                list.push(x[i])
            elif x[i] < 0.0:
                list.push(-1.0)
    """)
BEFORE = kernel("""
    def k(y: Out[f64, "n"], x: Ref[f64, "n"]):
        for i in parallel(n):
            y[i] = sum_before(x[i])
    """)
UPTO = kernel("""
    def k(y: Mut[i32, "n + 1"], most: Max[i32], x: Ref[i64, "n"]):
        for i in parallel(n):
            own = i32(x[i])
            most.update(own)
            y[i + 1] = sum_upto(own)
    """)
IN_PLACE = kernel("""
    def k(y: Mut[i64, "n"]):
        for i in parallel((1, n)):
            y[i] = sum_upto(y[i] if y[i] > 2 else 0)
    """)
SINGLE = kernel("""
    def k(y: Mut[f32, "n"], x: Ref[f32, "n"]):
        for i in parallel(n):
            total = f32(0.0)
            for j in range(3):
                total += x[i] * f32(j)
            y[i] = sum_before(total)
    """)


def arguments_of(one: Kernel | Program, n: int) -> dict[str, Any]:
    rng = np.random.default_rng(n)
    x = rng.integers(-8, 8, n) / 8
    whole = rng.integers(-9, 9, n)
    return {
        id(SELECT): {"list": np.full(n, -7, np.int32), "length": np.array([5], np.int32), "x": x},
        id(EITHER): {"list": np.full(n, 9.0), "x": x, "lo": min(n, 2)},
        id(BEFORE): {"y": np.full(n, np.nan), "x": x},
        id(UPTO): {"y": np.full(n + 1, 77, np.int32), "most": np.array([-100], np.int32), "x": whole},
        id(IN_PLACE): {"y": whole},
        id(SINGLE): {"y": np.full(n, np.nan, np.float32), "x": x.astype(np.float32)},
    }[id(one)]


KERNELS = {"select": SELECT, "either": EITHER, "before": BEFORE, "upto": UPTO, "in_place": IN_PLACE, "single": SINGLE}


GPU_SIZES = [0, 1, 33, 1023, 4097]


def same(wanted: dict[str, Any], found: dict[str, Any]) -> None:
    for name, value in wanted.items():
        for got, want in zip(arrays(found[name]), arrays(value), strict=True):
            np.testing.assert_array_equal(got, want, err_msg=name)


@pytest.mark.parametrize("target", ["cpu1", "cpu"])
@pytest.mark.parametrize("name", KERNELS)
def test_cpu(name: str, target: str) -> None:
    executable = compile_program(KERNELS[name], target)
    for n in SIZES:
        arguments = arguments_of(KERNELS[name], n)
        wanted = interpret(KERNELS[name], arguments)
        executable.bind(arguments).run()
        same(wanted, arguments)


@pytest.mark.cuda
@pytest.mark.parametrize("name", KERNELS)
def test_a_gpu_with_many_tiles_again_and_again(name: str) -> None:
    """Thousands of tiles that wait for each other, more than once with the same memory; the CPU says what is right."""
    for n in (1, 4097, 3_000_001):
        arguments = arguments_of(KERNELS[name], n)
        same(execute(KERNELS[name], "cpu1", arguments, 3), execute(KERNELS[name], "cuda", arguments, 3))


@pytest.mark.toolchain
@pytest.mark.parametrize("version", ["_wide", "_narrow", ""])
@pytest.mark.parametrize("name", KERNELS)
def test_gpu(name: str, version: str, gpu: Emulator) -> None:
    """The emulated GPU runs blocks from the last to the first: tiles are dealt out by number, not by block."""
    if version == "_wide" and name in ("either", "in_place"):
        pytest.skip("the range does not start at 0")
    gpu.only = version
    for n in GPU_SIZES:
        arguments = arguments_of(KERNELS[name], n)
        same(interpret(KERNELS[name], arguments), gpu.run(KERNELS[name], arguments))


@pytest.mark.toolchain
def test_tiles_of_several_groups(gpu: Emulator, monkeypatch: pytest.MonkeyPatch) -> None:
    """A group has 32 tiles instead of 64, and the body a loop, which makes tiles small."""
    monkeypatch.setattr(gpu_ordered, "GROUPED", 1)
    monkeypatch.setattr(gpu_ordered, "LEAST_GROUP", 32)
    one = kernel("""
        def k(y: Out[i64, "n"], x: Ref[i64, "n"]):
            for i in parallel(n):
                total = x[i]
                for j in range(2):
                    total += x[i] * j
                y[i] = sum_upto(total)
        """)
    x = np.random.default_rng(0).integers(-9, 9, 70 * 1024 + 5)
    found = gpu.run(one, {"y": np.zeros_like(x), "x": x}, repetitions=2)
    np.testing.assert_array_equal(found["y"], np.cumsum(2 * x))


@pytest.mark.toolchain
def test_launches_clear_what_tiles_told_each_other(gpu: Emulator) -> None:
    arguments = arguments_of(SELECT, 8200)
    found = gpu.run(SELECT, arguments, repetitions=3)
    marked = np.nonzero(arguments["x"] < 0.0)[0]
    np.testing.assert_array_equal(found["list"][: marked.size], marked)
    assert found["length"] == 5 + 3 * marked.size
