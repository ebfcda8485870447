"""Index arrays of team kernels on every target: a schedule is refused, or its result is the one meant."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from kparity.compiler import LaunchError, compile_program
from kparity.compiler.checks.proved import Tier
from kparity.compiler.targets.team_shapes import LISTED_BLOCK, STRIDED_BLOCK, block_threads

from ..sources import kernel
from .test_inspections import Launch, launch, refused

__all__ = ["launch"]  # the fixture

ANGLES, GROUPS, ELEMENTS = 2, 2, 4

SWEEP = kernel("""
    def sweep(
        x: Mut[f64, "a", "g", "n"], up: Ref[i32, "a", "n"], order: Ref[i32, "a", "m"], start: Ref[i32, "a", "p"],
        planes: Ref[i32, "a"],
    ):
        for b, k in teams(a, g):
            for q in range(planes[b]):
                for t in threads((start[b, q], start[b, q + 1])):
                    e = order[b, t]
                    x[b, k, e] = x[b, k, up[b, e]] + 1.0
    """)
GRID = kernel("""
    def grid(x: Mut[f64, "a", "n"], list_: Ref[i32, "a", 3, 2]):
        for b in teams(a):
            s = shared(f64, 3, 2)
            for i, j in threads(3, 2):
                s[i, j] = x[b, list_[b, i, j]]
            for i, j in threads(3, 2):
                x[b, list_[b, i, j]] = s[2 - i, 1 - j]
    """)


def random_schedule(rng: np.random.Generator) -> dict[str, Any]:
    """Return a schedule in which each fault is about as likely as none at all."""
    order = np.stack([rng.permutation(ELEMENTS) for _ in range(ANGLES)])
    start = np.stack([np.sort(rng.integers(0, ELEMENTS + 1, 4)) for _ in range(ANGLES)])
    up = np.stack([np.arange(ELEMENTS) if rng.random() < 0.5 else rng.integers(0, ELEMENTS, ELEMENTS) for _ in order])
    planes = rng.integers(0, 4, ANGLES)
    wrong, spot = rng.integers(0, 6), rng.integers(0, 2)
    if wrong == 0:
        order[spot, rng.integers(ELEMENTS)] = rng.integers(-1, ELEMENTS + 1)
    if wrong == 1:
        up[spot, rng.integers(ELEMENTS)] = rng.integers(-1, ELEMENTS + 1)
    if wrong == 2:
        start[spot, rng.integers(4)] = rng.integers(-1, ELEMENTS + 2)
    if wrong == 3:
        planes[spot] = rng.integers(-1, 7)
    lists = {"up": up, "order": order, "start": start, "planes": planes}
    return {name: value.astype(np.int32) for name, value in lists.items()}


def swept(x: np.ndarray[Any, Any], lists: dict[str, Any]) -> str:
    """Sweep in place, thread by thread; returns the first fault: of another thread's element, or of an index."""
    up, order, start, planes = lists["up"], lists["order"], lists["start"], lists["planes"]
    for b in range(ANGLES):
        for q in range(planes[b]):
            if q + 1 >= start.shape[1]:
                return "index"
            phase = range(start[b, q], start[b, q + 1])
            if any(not 0 <= t < ELEMENTS or not 0 <= order[b, t] < ELEMENTS for t in phase):
                return "index"
            own = [int(order[b, t]) for t in phase]
            if any(not 0 <= up[b, e] < ELEMENTS for e in own):
                return "index"
            if len(set(own)) < len(own) or any(up[b, e] in own and up[b, e] != e for e in own):
                return "race"
            for e in own:
                x[b, :, e] = x[b, :, up[b, e]] + 1.0
    return ""


def test_what_is_inspected() -> None:
    inspected = {(e.obligation, e.access) for e in SWEEP.proved.evidence if e.tier is Tier.INSPECTED}
    assert {a for o, a in inspected if o == "race"} == {
        "x[b, k, e] / x[b, k, e]",
        "x[b, k, e] / x[b, k, up[b, e]]",
    }
    assert ("bounds", "start[b, q + 1]") in inspected
    assert SWEEP.proved.barriers == {0} and "x" not in SWEEP.proved.unaliased
    (inspection,) = SWEEP.proved.inspections
    assert [v.name for v in inspection.proved.kernel.body.indices] == ["b"]  # the groups share their lists


def test_any_schedule_is_refused_or_swept_as_meant(launch: Launch) -> None:
    rng, outcomes = np.random.default_rng(3), {"": 0, "index": 0, "race": 0}
    for _ in range(120):
        lists = random_schedule(rng)
        x = rng.random((ANGLES, GROUPS, ELEMENTS))
        expected = x.copy()
        fault = swept(expected, lists)
        said = refused(launch, SWEEP, x=x, **lists)
        assert bool(said) == bool(fault), (lists, said)
        if not fault:
            np.testing.assert_array_equal(x, expected)
        outcomes["race" if "two threads meet" in said else fault] += 1
    assert min(outcomes.values()) >= 10, outcomes


def test_a_refusal_names_the_team_and_both_threads() -> None:
    lists = {
        "up": [[0, 1, 2, 3], [0, 1, 2, 2]], "order": [[0, 1, 2, 3]] * 2, "start": [[0, 2, 4]] * 2, "planes": [2, 2],
    }  # fmt: skip
    arguments = {name: np.array(value, np.int32) for name, value in lists.items()}
    with pytest.raises(LaunchError) as error:
        compile_program(SWEEP, "cpu1").bind({"x": np.zeros((2, 1, 4)), **arguments}).run()
    assert "two threads meet in x[1, k, 2]" in str(error.value)
    assert "team b = 1, threads 2 and 1 of the phase, counted from 1" in str(error.value)


def test_threads_of_two_dimensions(launch: Launch) -> None:
    rng, passed = np.random.default_rng(4), 0
    for _ in range(40):
        lists = np.stack([rng.permutation(6 + rng.integers(2)).reshape(-1)[:6].reshape(3, 2) for _ in range(3)])
        if rng.random() < 0.4:
            lists[rng.integers(3), rng.integers(3), rng.integers(2)] = rng.integers(7)
        x = rng.random((3, 7))
        expected = x.copy()
        for b, places in enumerate(lists.reshape(3, 6)):
            expected[b, places] = expected[b, places[::-1]]
        good = all(len(set(places)) == 6 for places in lists.reshape(3, 6).tolist())
        assert bool(refused(launch, GRID, x=x, list_=lists.astype(np.int32))) != good
        if good:
            np.testing.assert_array_equal(x, expected)
        passed += good
    assert 10 <= passed <= 35


def test_a_refusal_names_each_of_the_most_indices(launch: Launch) -> None:
    """Three of the thread, and eight dims: the last index has a column of its own in the row of a fault."""
    deep = kernel("""
        def deep(y: Mut[f64, "n"], w: Ref[i64, "n"]):
            for b in teams(n):
                p = private(f64, 1, 1, 1, 1, 1, 1, 1, 8, threads=(1, 1, 2), fill=0.0)
                for t, u, v in threads(1, 1, 2):
                    p[t, u, v, 0, 0, 0, 0, 0, 0, 0, w[b]] = 1.0
                for t, u, v in threads(1, 1, 2):
                    if v == 0:
                        y[b] = p[t, u, v, 0, 0, 0, 0, 0, 0, 0, 7]
        """)
    for wrong in (8, -1, 123):
        said = refused(launch, deep, y=np.zeros(4), w=np.array([0, 7, wrong, 1]))
        assert f"p[t, u, v, 0, 0, 0, 0, 0, 0, 0, {wrong}], but 0 <= index < 8 in dimension 11" in said
        assert "team b = 2" in said and "of the phase" in said
    y = np.zeros(4)
    assert not refused(launch, deep, y=y, w=np.array([0, 7, 3, 7]))
    np.testing.assert_array_equal(y, [0.0, 1.0, 0.0, 1.0])


def test_phases_whose_threads_a_list_counts_have_small_blocks() -> None:
    assert block_threads(SWEEP.typed) == LISTED_BLOCK
    assert block_threads(GRID.typed) == 32
    by_extent = kernel("""
        def rows(y: Mut[f64, "n", "m"]):
            for b in teams(n):
                for t in threads(m):
                    y[b, t] = 1.0
        """)
    assert block_threads(by_extent.typed) == STRIDED_BLOCK


def test_threads_are_told_apart_behind_a_loop_that_data_end(launch: Any) -> None:
    """The halving loop has phases that a slice takes once; counting goes on in those behind it."""
    halving = kernel("""
        def halving(y: Mut[f64, "n"], q: Ref[i32, "k"], m: i64):
            require(k >= 3)
            for b in teams(m):
                d = shared(f64, 8)
                for t in threads(8):
                    d[t] = 1.0
                j = 4
                while j > 0:
                    for t in threads(j):
                        d[t] += d[t + j]
                    j //= 2
                if b == 0:
                    for t, u in threads(2, 2):
                        y[q[t]] = d[0]
        """)
    message = refused(launch, halving, y=np.zeros(5), q=np.arange(3, dtype=np.int32), m=2)
    assert "two threads meet in y[0]" in message
