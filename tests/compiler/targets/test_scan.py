"""Prefix sums, by the interpreter and on every target; sums of small whole numbers are exact in any order."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import kparity.compiler as kp

from ..conftest import execute
from ..interpreter import interpret
from .emulation import Emulator

TILE = 4096  # elements of a block on a GPU
TYPES = ["f64", "f32", "i64", "i32"]
SCANS = {"exclusive": kp.exclusive_scan, "inclusive": kp.inclusive_scan}
NAMES = {"f64": "float64", "f32": "float32", "i64": "int64", "i32": "int32"}


def arguments(n: int, type_: str) -> dict[str, Any]:
    x = np.random.default_rng(n).integers(-3, 5, n).astype(NAMES[type_])
    return {"y": np.full(n, 77, x.dtype), "x": x}


def expected(kind: str, x: Any) -> Any:
    return np.cumsum(x, dtype=x.dtype) - (x if kind == "exclusive" else 0)


@pytest.mark.parametrize("type_", TYPES)
@pytest.mark.parametrize("kind", SCANS)
def test_the_interpreter_computes_what_numpy_does(kind: str, type_: str) -> None:
    given = arguments(777, type_)
    np.testing.assert_array_equal(interpret(SCANS[kind].chosen(type_), given)["y"], expected(kind, given["x"]))


@pytest.mark.parametrize("type_", TYPES)
@pytest.mark.parametrize("kind", SCANS)
@pytest.mark.parametrize("target", ["cpu1", "cpu"])
def test_on_the_cpu(target: str, kind: str, type_: str) -> None:
    for n in (0, 1, TILE - 1, TILE, TILE + 1, 5 * TILE + 7):
        given = arguments(n, type_)
        got = execute(SCANS[kind].chosen(type_), target, given)
        np.testing.assert_array_equal(got["y"], expected(kind, given["x"]))


@pytest.mark.parametrize("kind", SCANS)
def test_on_the_emulated_gpu(kind: str, gpu: Emulator) -> None:
    for n in (1, TILE, TILE + 1):
        given = arguments(n, "f64")
        got = gpu.run(SCANS[kind].chosen("f64"), given)
        np.testing.assert_array_equal(got["y"], expected(kind, given["x"]))


def test_a_call_picks_the_program_for_the_type() -> None:
    x = np.arange(10, dtype=np.int32)
    y = np.empty_like(x)
    kp.exclusive_scan(y, x)
    np.testing.assert_array_equal(y, np.cumsum(x) - x)
    with pytest.raises(kp.KparityError, match="takes arrays of f64, f32, i64, i32"):
        kp.exclusive_scan(np.empty(3, np.uint8), np.empty(3, np.uint8))
