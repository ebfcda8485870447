"""Calls made again: bound once, checked as if each were the first."""

from __future__ import annotations

import gc
import threading
import weakref

import numpy as np
import pytest

from kparity.compiler import LaunchError, array
from kparity.compiler.runtime import calls

from ..sources import kernel

AXPY = kernel("""
    def axpy(y: Mut[f64, "n"], x: Ref[f64, "n"], a: f64):
        for i in parallel(n):
            y[i] += a * x[i]
    """)
SCATTER = kernel("""
    def scatter(y: Mut[f64, "n"], at: Ref[i64, "m"]):
        for i in parallel(m):
            y[at[i]] = 1.0
    """)
TOTAL = kernel("""
    def total(x: Ref[f64, "n"], s: Sum[f64]):
        for i in parallel(n):
            s += x[i]
    """)


@pytest.fixture
def binds(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """A list that grows by one whenever a call is remembered."""
    kept: list[int] = []
    keep = calls.Calls.keep

    def counted(self: calls.Calls, key: object, bound: object) -> None:
        kept.append(1)
        keep(self, key, bound)  # type: ignore[arg-type]

    monkeypatch.setattr(calls.Calls, "keep", counted)
    return kept


def test_a_call_made_again_is_bound_once(binds: list[int]) -> None:
    y, x = np.zeros(100), np.ones(100)
    for _ in range(5):
        AXPY(y, x, 2.0)
    assert len(binds) == 1 and y.tolist() == [10.0] * 100


def test_other_numbers_and_places_are_other_calls(binds: list[int]) -> None:
    y, x = np.zeros(100), np.ones(100)
    AXPY(y, x, 2.0)
    AXPY(y, x, 3.0)
    AXPY(y[:50], x[:50], 2.0)
    AXPY(y[50:], x=x[50:], a=2.0)
    assert len(binds) == 4 and y.tolist() == [7.0] * 100


def test_the_two_zeros_and_types_of_numbers_are_kept_apart() -> None:
    assert calls.signature([0.0]) != calls.signature([-0.0])
    assert len({calls.signature([v]) for v in (1, 1.0, True)}) == 3


def test_a_remembered_call_is_refused_where_a_first_one_would_be() -> None:
    y, x = np.zeros(100), np.ones(100)
    AXPY(y, x, 2.0)
    y.flags.writeable = False
    with pytest.raises(LaunchError, match="KP0804"):
        AXPY(y, x, 2.0)
    with pytest.raises(LaunchError, match="KP0803"):
        AXPY(x, x, 2.0)


def test_index_arrays_are_inspected_at_each_call() -> None:
    y, at = np.zeros(4), np.array([0, 1, 2])
    SCATTER(y, at)
    at[2] = 0
    with pytest.raises(LaunchError, match="two threads meet"):
        SCATTER(y, at)


def test_a_table_is_read_at_each_call() -> None:
    weigh = kernel("""
        def weigh(y: Out[f64, "n"], w: Table[f64, 2]):
            for i in parallel(n):
                y[i] = w[0] + w[1]
        """)
    y, w = np.zeros(3), np.array([1.0, 2.0])
    weigh(y, w)
    w[0] = 10.0
    weigh(y, w)
    assert y.tolist() == [12.0] * 3


def test_owned_arrays_follow_their_borrows() -> None:
    y, x = array(np.zeros(4)), np.ones(4)
    AXPY(y, x, 2.0)
    AXPY(y, x, 2.0)
    version = y.version
    y.free()
    with pytest.raises(LaunchError, match="freed at"):
        AXPY(y, x, 2.0)
    assert version == 3


def test_results_are_those_of_the_latest_call() -> None:
    x, s = np.ones(10), np.zeros(1)
    TOTAL(x, s)
    x[:] = 2.0
    TOTAL(x, s)
    assert s.tolist() == [30.0]


def test_remembered_calls_hold_no_arrays() -> None:
    y, x = np.zeros(100), np.ones(100)
    AXPY(y, x, 2.0)
    alive = weakref.ref(y)
    del y
    gc.collect()
    assert alive() is None


def test_each_thread_remembers_its_own(binds: list[int]) -> None:
    y, x = np.zeros(100), np.ones(100)
    threads = [threading.Thread(target=AXPY, args=(y, x, 1.0)) for _ in range(3)]
    for thread in threads:
        thread.start()
        thread.join()
    assert len(binds) == 3 and y.tolist() == [3.0] * 100


def test_old_calls_make_room() -> None:
    y, x = np.zeros(4), np.ones(4)
    for number in range(calls.MOST_CALLS + 10):
        AXPY(y, x, float(number))
    AXPY(y, x, 0.0)
    count = calls.MOST_CALLS + 10
    assert y.tolist() == [count * (count - 1) / 2] * 4
