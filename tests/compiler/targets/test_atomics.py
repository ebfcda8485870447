"""Atomic operations: every one in every type, NaN, order of evaluation, contended elements, overlapping arrays."""

from __future__ import annotations

import itertools
from functools import cache
from typing import Any

import numpy as np
import pytest

from kparity.compiler import compile_program
from kparity.compiler.ir.operations import ATOMICS
from kparity.compiler.ir.types import SCALARS
from kparity.compiler.targets import cpu

from ..conftest import execute
from ..interpreter import NUMPY
from ..sources import kernel

TYPES = ["f64", "f32", "i64", "i32", "u64", "u32"]
CASES = [(o, t) for o, t in itertools.product(ATOMICS, TYPES) if ATOMICS[o].accepts(SCALARS[t])]


def test_what_is_accepted() -> None:
    assert [o for o, t in CASES if t == "f64"] == [o for o, t in CASES if t == "f32"]
    assert [o for o, t in CASES if t == "f64"] == ["add", "min", "max", "exchange"]
    assert all([o for o, t in CASES if t == type_] == list(ATOMICS) for type_ in TYPES[2:])


@cache
def updating(operation: str, type_: str) -> Any:
    """Each thread updates its own element, once for the old value, twice with it dropped."""
    parameters = f'a: Atomic[{type_}, "n"], old: Out[{type_}, "n"], x: Ref[{type_}, "n"], y: Ref[{type_}, "n"]'
    arguments = "x[i], y[i]" if ATOMICS[operation].arity == 2 else "x[i]"
    return kernel(f"""
        def k({parameters}):
            for i in parallel(n):
                old[i] = a[i].{operation}({arguments})
                a[i].{operation}({arguments.replace("x", "y", 1)})
                a[i] += x[i]
        """)


def values(type_: str) -> dict[str, np.ndarray[Any, Any]]:
    """Every triple of interesting values; NaN and infinities, or the ends of the type."""
    some: list[Any] = [0, 1, 2, 7]
    if SCALARS[type_].is_float:
        some += [-1.5, np.nan, np.inf, -np.inf]
    else:
        some += [SCALARS[type_].lowest, SCALARS[type_].highest, *([-1, -7] if SCALARS[type_].is_signed else [])]
    triples = np.array(list(itertools.product(some, repeat=3)), object).T
    a, x, y = (np.array(list(part), NUMPY[type_]) for part in triples)
    return {"a": a, "old": np.zeros_like(a), "x": x, "y": y}


@pytest.mark.parametrize(("operation", "type_"), CASES)
def test_operations(operation: str, type_: str, agree: Any) -> None:
    with np.errstate(all="ignore"):
        found = agree(updating(operation, type_), **values(type_))
    assert len(np.unique(found["a"])) > 2, "the sample decides nothing"


ORDERED = kernel("""
    def k(c: Atomic[i64, "n"], seen: Out[i64, "n", 4], s: i64):
        for i in parallel(n):
            seen[i, 0] = c[i].add(1) * 100 + c[i].add(10)
            seen[i, 1] = c[i].exchange(c[i].add(1) + c[min(i + 0 * c[i].add(5), n - 1)].add(7))
            t = c[i].add(1) if s > 0 else c[i].add(1000)
            seen[i, 2] = t
            if s > 5 and c[i].add(2) > 0 or c[i].add(3) < 0:
                c[i].max(500)
            a, b = c[i].add(1), c[i].add(1)
            seen[i, 3] = a * 1000 + b
    """)


@pytest.mark.parametrize("s", [0, 1, 9])
def test_operands_are_evaluated_once_from_left_to_right(s: int, agree: Any) -> None:
    found = agree(ORDERED, c=np.arange(700), seen=np.zeros((700, 4), np.int64), s=s)
    assert found["seen"][1, 0] == 1 * 100 + 2


TICKETS = kernel("""
    def k(next_: Atomic[i64, 1], total: Atomic[f64, 3], low: Atomic[f32, 1], high: Atomic[i32, 1], bits: Atomic[u64, 1],
          mine: Out[i64, "n"], x: Ref[f32, "n"]):
        for i in parallel(n):
            mine[i] = next_[0].add(1)
            total[i % 3] += 0.5
            low[0].min(x[i])
            high[0].max(i32(i))
            bits[0].bit_or(u64(1) << u64(i % 50))
    """)


def contended(n: int) -> dict[str, Any]:
    x = np.random.default_rng(n).normal(size=n).astype(np.float32)
    return {
        "next_": np.zeros(1, np.int64), "total": np.zeros(3), "low": np.full(1, np.inf, np.float32),
        "high": np.full(1, -1, np.int32), "bits": np.zeros(1, np.uint64), "mine": np.zeros(n, np.int64), "x": x,
    }  # fmt: skip


@pytest.mark.parametrize("n", [0, 1, 257, 30_000])
def test_no_update_is_lost(n: int, target: str) -> None:
    given = contended(n)
    found = execute(TICKETS, target, given)
    assert found["next_"][0] == n
    assert sorted(found["mine"]) == list(range(n)), "no two threads drew one ticket"
    assert found["total"].tolist() == [0.5 * len(range(r, n, 3)) for r in range(3)]
    assert found["low"][0] == min(given["x"], default=np.inf)
    assert found["high"][0] == n - 1
    assert int(found["bits"][0]) == 2 ** min(n, 50) - 1


def test_nan_stays(target: str) -> None:
    given = contended(1000)
    given["x"][500] = np.nan
    assert np.isnan(execute(TICKETS, target, given)["low"][0])


OVERLAPPING = kernel("""
    def k(a: Atomic[i64, "n"], b: Atomic[i64, "n"]):
        for i in parallel(n):
            a[i] += 1
            b[i] += 10
            a[i].max(3)
    """)


def test_atomic_arrays_may_overlap() -> None:
    data = np.zeros(300, np.int64)
    for one in ("cpu1", "cpu"):
        data[:] = 0
        compile_program(OVERLAPPING, one).bind({"a": data, "b": data}).run()
        assert set(data) == {11}
        compile_program(OVERLAPPING, one).bind({"a": data[:200], "b": data[100:]}).run()
        assert set(data[:100]) == {12} and set(data[200:]) == {21} and set(data[100:200]) == {22}


STORES_BETWEEN = kernel("""
    def k(y: Mut[f64, "n"], c: Atomic[i64, "n"], z: Out[i64, "n"], x: Ref[f64, "n"]):
        for i in parallel(n):
            y[i] = x[i] + 1.0
            z[i] = c[i].add(2)
            y[i] = y[i] * 2.0 + f64(c[i].add(1))
            z[i] = z[i] + c[i].exchange(9) if y[i] > 4.0 else z[i]
    """)


@pytest.mark.parametrize("n", [1, 511, 513, 2000])
def test_plain_stores_keep_their_order(n: int, agree: Any) -> None:
    agree(STORES_BETWEEN, y=np.zeros(n), c=np.arange(n), z=np.zeros(n, np.int64), x=np.arange(n) * 0.5 - 3)


def test_one_thread_needs_no_atomic_instructions() -> None:
    """So that the checked kernel is compared with plain C++ on equal terms."""
    texts = {t: cpu.emit_module([("k", TICKETS.proved)], threads=t).text() for t in (False, True)}
    assert "atomicrmw" not in texts[False] and "cmpxchg" not in texts[False]
    assert texts[True].count("atomicrmw") == 4 and texts[True].count("cmpxchg") == 1


@pytest.mark.parametrize("threads", [False, True])
def test_atomic_arrays_are_not_noalias(threads: bool) -> None:
    text = cpu.emit_module([("k", STORES_BETWEEN.proved)], threads=threads).text()
    assert "ptr align 8 %array.c" in text
    assert all(f"ptr noalias align 8 %array.{plain}" in text for plain in "yz")


@pytest.mark.parametrize("threads", [False, True])
def test_two_names_for_one_atomic_array(threads: bool) -> None:
    """What one of them adds, the other one returns: no attribute says that they are two."""
    one = kernel("""
        def k(z: Out[i64, "n"], c: Atomic[i64, "n"], d: Atomic[i64, "n"]):
            for i in parallel(n):
                c[i].add(1)
                before = d[i].add(10)
                z[i] = 100 * before + c[i].add(0)
        """)
    text = cpu.emit_module([("k", one.proved)], threads=threads).text()
    assert "ptr align 8 %array.c" in text and "ptr align 8 %array.d" in text
    shared, z = np.arange(50), np.zeros(50, np.int64)
    compile_program(one, "cpu" if threads else "cpu1").bind({"z": z, "c": shared, "d": shared}).run()
    np.testing.assert_array_equal(z, [100 * (i + 1) + i + 11 for i in range(50)])
