"""Ordered compaction, by the interpreter and on every target."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import kparity.compiler as kp

from ..conftest import execute
from ..interpreter import interpret
from .emulation import Emulator

TILE = 4096  # elements of a block on a GPU
TYPES = {"i32": np.int32, "i64": np.int64}


def arguments(n: int, type_: str, chance: float) -> dict[str, Any]:
    marks = (np.random.default_rng(n).random(n) < chance).astype(TYPES[type_])
    return {"list": np.full(n, -7, marks.dtype), "length": np.full(1, 3, marks.dtype), "marks": marks}


def assert_compacted(given: dict[str, Any], got: dict[str, Any]) -> None:
    (found,) = np.nonzero(given["marks"])
    wanted = given["list"].copy()
    wanted[: found.size] = found
    np.testing.assert_array_equal(got["list"], wanted)
    assert got["length"][0] == 3 + found.size  # a reducer adds to what it held


@pytest.mark.parametrize("type_", TYPES)
@pytest.mark.parametrize("chance", [0.0, 0.4, 1.0])
def test_by_the_interpreter(type_: str, chance: float) -> None:
    given = arguments(300, type_, chance)
    assert_compacted(given, interpret(kp.compact.chosen(type_), given))


@pytest.mark.parametrize("type_", TYPES)
@pytest.mark.parametrize("target", ["cpu1", "cpu"])
def test_on_the_cpu(target: str, type_: str) -> None:
    for n in (0, 1, 2, 3, 100, 2 * TILE + 1):
        for chance in (0.0, 0.01, 0.5, 1.0):
            given = arguments(n, type_, chance)
            assert_compacted(given, execute(kp.compact.chosen(type_), target, given))


def test_on_the_emulated_gpu(gpu: Emulator) -> None:
    given = arguments(TILE + 7, "i32", 0.5)
    assert_compacted(given, gpu.run(kp.compact.chosen("i32"), given))


def test_marks_that_are_no_marks_stay_inside() -> None:
    """What the marks hold is the caller's matter; whatever it is, nothing outside of the list is touched."""
    given = arguments(500, "i64", 0.5)
    given["marks"][:] = np.random.default_rng(5).integers(-(2**62), 2**62, 500)
    got = execute(kp.compact.chosen("i64"), "cpu1", given)
    assert ((got["list"] == -7) | ((got["list"] >= 0) & (got["list"] < 500))).all()
