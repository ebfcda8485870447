"""Reducers with bins: every reduction and type, few and many bins, on every target, against the interpreter."""

from __future__ import annotations

import ctypes
import itertools
from typing import Any

import numpy as np
import pytest

from kparity.compiler.runtime.engine import openmp_runtime

from ..conftest import execute
from ..interpreter import NUMPY, interpret
from ..sources import kernel, program
from .emulation import Emulator

TYPES = ["f64", "f32", "i64", "i32", "u64", "u32"]
REDUCTIONS = ["Sum", "Prod", "Min", "Max", "And", "Or"]
HELD = {"Sum": 5, "Prod": 3, "Min": 4, "Max": 2, "And": 7, "Or": 8}


def types_of(name: str) -> list[str]:
    return [t for t in TYPES if name not in ("And", "Or") or t[0] != "f"]


def binned(name: str) -> Any:
    """A kernel that puts `x_f64[i]` into the bin `7 * i % m` of `r_f64`, and so on for each type."""
    parameters = ", ".join(f'x_{t}: Ref[{t}, "n"], r_{t}: {name}[{t}, "m"]' for t in types_of(name))
    lines = [f"        r_{t}[7 * i % m].update(x_{t}[i])" for t in types_of(name)]
    return kernel("\n".join([f"def k({parameters}):", "    require(m > 0)", "    for i in parallel(n):", *lines]))


def arguments_of(name: str, n: int, m: int) -> dict[str, Any]:
    rng, found = np.random.default_rng(n + m), {}
    for t in types_of(name):
        values = rng.choice([1, -1], n) if name == "Prod" else rng.integers(0 if t[0] == "u" else -50, 50, n)
        found[f"x_{t}"] = values.astype(NUMPY[t])
        found[f"r_{t}"] = np.full(m, HELD[name], NUMPY[t])
    return found


def check(found: dict[str, Any], wanted: dict[str, Any], where: object) -> None:
    for name, value in wanted.items():
        if isinstance(value, np.ndarray):
            np.testing.assert_array_equal(found[name], value, err_msg=f"{name}, {where}")


SIZES = [(0, 3), (1, 1), (700, 1), (700, 10), (33, 1000), (300, 20_000)]  # elements and bins


@pytest.mark.parametrize("name", REDUCTIONS)
def test_reductions(name: str, agree: Any) -> None:
    for n, m in SIZES:
        agree(binned(name), **arguments_of(name, n, m))


@pytest.mark.toolchain
@pytest.mark.parametrize("name", REDUCTIONS)
def test_every_version_on_the_emulated_gpu(name: str, gpu: Emulator) -> None:
    one = binned(name)
    for (n, m), version in itertools.product([(0, 3), (300, 1), (1100, 10), (70, 300)], ("_private", "_narrow", "")):
        gpu.only = version
        arguments = arguments_of(name, n, m)
        check(gpu.run(one, arguments), interpret(one, arguments), (n, m, gpu.launched[-1:]))
    gpu.only = None
    arguments = arguments_of(name, 100, 9000)  # more than a block has shared memory for
    check(gpu.run(one, arguments), interpret(one, arguments), "too many")
    assert gpu.launched[-1].endswith("_narrow")


MIXED = kernel("""
    def k(h: Sum[i64, 4, "m"], total: Sum[i64], low: Min[f64, "lo..hi"], y: Mut[i64, "n", 3], x: Ref[f64, "n"], lo: i64,
          hi: i64):
        require(hi > lo and m > 2 and n < 100000 and lo > -100 and hi < 100)
        for i, j in parallel(n, 3):
            y[i, j] += 1
            for l in range(2):
                if x[i] > 0.25:
                    h[(i + l) % 4, j] += y[i, j]
                else:
                    h[3, m - 1].update(1)
            total += y[i, j]
            low[lo + i % (hi - lo)].update(x[i])
    """)


def mixed(n: int) -> dict[str, Any]:
    rng = np.random.default_rng(n)
    return {
        "h": np.ones((4, 5), np.int64), "total": np.array([3]), "low": np.full(6, 0.5), "lo": -2, "hi": 4,
        "y": rng.integers(0, 9, (n, 3)), "x": rng.random(n),
    }  # fmt: skip


def test_bins_beside_totals_and_arrays_under_conditions(agree: Any) -> None:
    for n in (0, 1, 9, 500):
        agree(MIXED, **mixed(n))


@pytest.mark.toolchain
def test_bins_beside_totals_on_the_emulated_gpu(gpu: Emulator) -> None:
    for n, version in itertools.product((0, 1, 200), ("_private", "_narrow", "")):
        gpu.only = version
        arguments = mixed(n)
        check(gpu.run(MIXED, arguments), interpret(MIXED, arguments), (n, version))


def test_nan_propagates_in_its_bin_alone(agree: Any) -> None:
    one = kernel("""
        def k(x: Ref[f64, "n"], least: Min[f64, 3], most: Max[f64, 3]):
            for i in parallel(n):
                least[i % 3].update(x[i])
                most[i % 3].update(x[i])
        """)
    x = np.arange(90.0)
    x[[4, 70]] = np.nan
    found = agree(one, x=x, least=np.full(3, 9.0), most=np.full(3, 9.0))
    assert np.isnan(found["least"]).tolist() == np.isnan(found["most"]).tolist() == [False, True, False]


def test_a_program_fills_bins_and_reads_them(agree: Any) -> None:
    one = program("""
        @kernel
        def count(h: Sum[u64, "m"], x: Ref[i32, "n"]):
            for i in parallel(n):
                if 0 <= x[i] and x[i] < m:
                    h[x[i]] += 1

        @kernel
        def share(p: Out[f64, "m"], h: Ref[u64, "m"], n: i64):
            for b in parallel(m):
                p[b] = f64(h[b]) / n

        @program
        def p(h: Sum[u64, "m"], x: Ref[i32, "n"], p: Out[f64, "m"]):
            for k in range(2):
                h.fill(0)
                count(h, x)
            share(p, h, n)
        """)
    x = np.random.default_rng(2).integers(-2, 12, 900, np.int32)
    found = agree(one, h=np.full(10, 99, np.uint64), x=x, p=np.zeros(10))
    assert found["p"].sum() == pytest.approx(np.mean((x >= 0) & (x < 10)))


def test_float_sums_are_the_same_each_time_while_bins_are_few() -> None:
    openmp = openmp_runtime()
    openmp.omp_get_max_threads.restype = ctypes.c_int
    before = openmp.omp_get_max_threads()
    openmp.omp_set_num_threads(7)
    one = kernel("""
        def k(h: Sum[f64, "m"], x: Ref[f64, "n"]):
            require(m > 0)
            for i in parallel(n):
                h[i % m] += x[i]
        """)
    x = np.random.default_rng(5).random(10_007)
    try:
        sums = {execute(one, "cpu", {"h": np.zeros(16), "x": x})["h"].tobytes() for _ in range(5)}
        many = execute(one, "cpu", {"h": np.zeros(40_000), "x": x})["h"]  # 7 copies would be too large: atomics
    finally:
        openmp.omp_set_num_threads(before)
    assert len(sums) == 1
    np.testing.assert_array_equal(many[: x.size], x)


@pytest.mark.toolchain
def test_runs_of_one_bin_on_the_emulated_gpu(gpu: Emulator) -> None:
    """Sorted data stays in a bin for long; the last one is given up at the end."""
    one = kernel("""
        def k(h: Sum[i64, "m"], b: Ref[i32, "n"]):
            for i in parallel(n):
                if 0 <= b[i] and b[i] < m:
                    h[b[i]] += i
        """)
    for n, each in ((1, 1), (1500, 1000), (1500, 5)):
        arguments = {"h": np.zeros(-(-n // each), np.int64), "b": (np.arange(n) // each).astype(np.int32)}
        check(gpu.run(one, arguments), interpret(one, arguments), (n, each))
