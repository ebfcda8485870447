"""Sorting: what the kernels say, by the interpreter, and what the libraries do, on every target."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kparity.compiler as kp
from kparity.compiler import LaunchError, TargetUnavailable
from kparity.compiler.runtime import library_calls

from ..conftest import execute
from ..interpreter import interpret
from ..sources import faults, program
from .emulation import Emulator

pytestmark = pytest.mark.toolchain
TYPES = {"f64": np.float64, "f32": np.float32, "i64": np.int64, "i32": np.int32, "u64": np.uint64, "u32": np.uint32}
TARGETS = ["cpu1", "cpu"]


def keys(n: int, type_: str) -> Any:
    """Numbers with equal ones among them, at both ends of the type; of floats every kind that there is."""
    rng, dtype = np.random.default_rng(n), np.dtype(TYPES[type_])
    found = rng.integers(0, max(1, n // 2), n).astype(dtype)
    if dtype.kind == "f":
        odd = [np.nan, -np.inf, 0.0, np.inf, np.copysign(np.nan, -1.0), -0.0, -1.5, np.nan]
        found[: len(odd)] = odd[:n]
    else:
        found[:2] = [np.iinfo(dtype).max, np.iinfo(dtype).min][:n]
    return rng.permutation(found)


def in_order(found: Any) -> Any:
    """Sort in the order that is promised: NaNs at the end that their sign names."""
    if found.dtype.kind != "f":
        return np.sort(found)
    side = np.where(np.isnan(found), np.copysign(1.0, found), 0.0)
    return found[np.lexsort((np.nan_to_num(found, nan=0.0, posinf=np.inf, neginf=-np.inf), side))]


def assert_sorted(got: dict[str, Any], given: dict[str, Any]) -> None:
    np.testing.assert_array_equal(got["keys"], in_order(given["keys"]))
    np.testing.assert_array_equal(np.signbit(got["keys"][np.isnan(got["keys"])]), sorted_signs(given["keys"]))
    if "values" in got:  # each value came along with its key
        np.testing.assert_array_equal(np.sort(got["values"]), np.arange(given["keys"].size))
        np.testing.assert_array_equal(given["keys"][got["values"].astype(np.int64)], got["keys"])


def sorted_signs(found: Any) -> Any:
    return np.sort(np.signbit(found[np.isnan(found)]))[::-1]


def cases(n: int, type_: str, values: str) -> list[tuple[Any, dict[str, Any]]]:
    given = keys(n, type_)
    pairs = {"keys": given, "values": np.arange(n, dtype=TYPES[values])}
    return [(kp.sort.chosen(type_), {"keys": given}), (kp.sort_pairs.chosen(type_, values), pairs)]


@pytest.mark.parametrize("type_", TYPES)
def test_by_the_interpreter(type_: str) -> None:
    for one, given in cases(60, type_, "i32"):
        assert_sorted(interpret(one, given), given)


@pytest.mark.slow
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("type_", TYPES)
def test_every_type_of_keys(type_: str, target: str) -> None:
    _, (one, given) = cases(3000, type_, "i64")
    assert_sorted(execute(one, target, given), given)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("n", [0, 1, 2, 3, 7, 31, 33, 999, 1023, 4097, 100_001])
def test_every_size(n: int, target: str) -> None:
    for one, given in cases(n, "f64", "u32"):
        assert_sorted(execute(one, target, given), given)


def test_on_the_emulated_gpu(gpu: Emulator) -> None:
    """The launch loop's own part: blocks, memory, the order of launches; the library is the host's."""
    one = program("""
        @kernel
        def negate(y: Mut[f64, "n"]):
            for i in parallel(n):
                y[i] = -y[i]


        @program
        def p(x: Pack[Mut[f64, "n"], 3]):
            negate(x[repetition() % 3])
            sort(x[repetition() % 3])
            negate(x[repetition() % 3])
        """)
    given = np.random.default_rng(3).random((3, 500))
    got = gpu.run(one, {"x": given}, repetitions=2)["x"]
    np.testing.assert_array_equal(got, [np.sort(given[0])[::-1], np.sort(given[1])[::-1], given[2]])


@pytest.mark.slow
def test_cub_compiles() -> None:
    """With the arrays' types, by nvcc."""
    try:
        made = library_calls.library_function("sorting", "f32", "i64", target="cuda")
    except TargetUnavailable as error:
        pytest.skip(str(error).splitlines()[0])
    assert made.run and made.on_host


def test_without_a_compiler_it_says_what_is_missing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("KPARITY_CXX", "no-such-compiler")
    with pytest.raises(TargetUnavailable, match="`no-such-compiler` is not on PATH; apt-get install g"):
        library_calls._compiler("cpu1")
    monkeypatch.setenv("KPARITY_CXX", "g++")
    monkeypatch.delenv("KPARITY_NVCC", raising=False)
    monkeypatch.setattr(library_calls.cuda_tools, "nvcc", lambda: None)
    with pytest.raises(TargetUnavailable, match="no nvcc that builds it"):
        library_calls._compiler("cuda")


@pytest.mark.parametrize(
    ("parameters", "call", "code"),
    [
        ('x: Mut[f64, "n"]', "sort_pairs(x, x)", "KP0505"),  # borrowed twice
        ('x: Ref[f64, "n"]', "sort(x)", "KP0501"),  # read-only
        ('x: Mut[f64, "n"], y: Mut[i32, "m"]', "sort_pairs(x, y)", "KP0702"),  # of two sizes
        ('x: Mut[f64, "n"], y: Mut[bool, "n"]', "sort_pairs(x, y)", "KP0702"),  # no such values
        ('x: Mut[f64, "n", "n"]', "sort(x)", "KP0702"),  # not one row
        ('x: Out[f64, "n"]', "sort(x)", "KP0502"),  # nothing in it yet
    ],
)
def test_misuse_is_refused(parameters: str, call: str, code: str) -> None:
    one = program(f"@program\ndef p({parameters}):\n    {call}\n")
    assert [found for found, _ in faults(one)] == [code]


def test_keys_and_values_in_one_memory_are_refused() -> None:
    both = np.arange(10.0)
    with pytest.raises(LaunchError, match=r"overlap|share"):
        kp.sort_pairs(both[:6], both[4:])
