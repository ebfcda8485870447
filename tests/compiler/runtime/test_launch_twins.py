"""Kernels that are right or wrong by what they are launched with: each launch at fault beside one that is not.

A refused launch has written nothing. The one that is accepted differs in one argument, and computes what NumPy does.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from kparity.compiler import Kernel, LaunchError, Program, array, compile_program, empty, freeze, move

from ..sources import kernel, program

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Pair:
    """A launch that runs, and what to change for it to be refused."""

    one: Kernel | Program
    good: Mapping[str, Any]
    wanted: Mapping[str, Any]  # the arrays afterwards
    bad: Mapping[str, Any]
    code: str
    texts: tuple[str, ...]


SCATTER = kernel("""
    def scatter(y: Mut[f64, "n"], x: Ref[f64, "m"], where: Ref[i64, "m"]):
        for i in parallel(m):
            y[where[i]] = x[i]
    """)
ADD_AT = kernel("""
    def add_at(y: Mut[f64, "n"], x: Ref[f64, "m"], where: Ref[i32, "m"]):
        for i in parallel(m):
            y[where[i]] += x[i]
    """)
EDGES = kernel("""
    def edges(node: Mut[f64, "n"], edge: Ref[f64, "m"], ends: Ref[i64, "m", 2]):
        for e in parallel(m):
            node[ends[e, 0]] += edge[e]
            node[ends[e, 1]] -= edge[e]
    """)
ROWS = kernel("""
    def rows(
        y: Out[f64, "n"], value: Ref[f64, "nz"], column: Ref[i32, "nz"], start: Ref[i64, "n + 1"], x: Ref[f64, "m"]
    ):
        for i in parallel(n):
            total = 0.0
            for k in range(start[i], start[i + 1]):
                total += value[k] * x[column[k]]
            y[i] = total
    """)
LEVEL = kernel("""
    def level(x: Mut[f64, "n"], items: Ref[i64, "m"], left: Ref[i64, "n"]):
        for t in parallel(m):
            i = items[t]
            if left[i] >= 0:
                x[i] += x[left[i]]
    """)
UNPACK = kernel("""
    def unpack(field: Mut[f64, "v", "n"], buffer: Ref[f64, "v", "m"], cells: Ref[i64, "m"]):
        for k, i in parallel(v, m):
            field[k, cells[i]] = buffer[k, i]
    """)
TRANSPOSE = kernel("""
    def transpose(b: Out[f64, "m", "n"], a: Ref[f64, "n", "m"]):
        for i, j in parallel(n, m):
            b[j, i] = a[i, j]
    """)
COLUMNS = kernel("""
    def columns(y: Mut[f64, "n", "m", layout(1, 0)]):
        for i, j in parallel(n, m):
            y[i, j] += 1.0
    """)
SHIFT = kernel("""
    def shift(y: Mut[f64, "n"], x: Ref[f64, "m"], jp: i64):
        for i in parallel(n):
            y[i] = x[i + jp]
    """)
WIDTH = kernel("""
    def width(y: Mut[f64, "size"], x: Ref[f64, "n", "m"], size: i64):
        for i, j in parallel(n, m):
            y[i * m + j] = x[i, j]
    """)
PACKED = kernel("""
    def packed(ys: Pack[Mut[f64, "n"], 2], x: Ref[f64, "n"]):
        for i in parallel(n):
            ys[0][i] = x[i]
            ys[1][i] = 2.0 * x[i]
    """)
INTO = kernel("""
    def into(y: Mut[f64, "n"], xs: Pack[Ref[f64, "n"], 2]):
        for i in parallel(n):
            y[i] = xs[0][i] + xs[1][n - 1 - i]
    """)
SUMS = kernel("""
    def sums(x: Ref[f64, "n"], total: Sum[f64], low: Min[f64]):
        for i in parallel(n):
            total += x[i]
            low.update(x[i])
    """)
DIVIDE = kernel("""
    def divide(y: Mut[i64, "n"], q: i64):
        for i in parallel(n):
            y[i] = i // q
    """)
TEMPORARY = program("""
    @kernel
    def copy_all(y: Out[f64, "n"], x: Ref[f64, "n"]):
        for i in parallel(n):
            y[i] = x[i]

    @kernel
    def double(x: Mut[f64, "n"]):
        for i in parallel(n):
            x[i] *= 2.0

    @program
    def temporary(t: Out[f64, "n"], a: Ref[f64, "n"], k: i64):
        for s in range(k):
            copy_all(t, a)
        double(t)
    """)

X = np.arange(1.0, 5.0)
LINE = np.arange(12.0)


def zeros(*shape: int) -> Array:
    return np.zeros(shape)


def ints(*values: int) -> Array:
    return np.array(values, np.int64)


PAIRS: dict[str, Pair] = {
    "one place twice in a list": Pair(
        SCATTER, {"y": zeros(6), "x": X, "where": ints(5, 0, 3, 1)}, {"y": [2, 4, 0, 3, 0, 1]},
        {"where": ints(5, 0, 3, 5)}, "KP0806", ("two threads meet in y[5]", "remove the duplicates from `where`"),
    ),
    "a place behind the end": Pair(
        SCATTER, {"y": zeros(6), "x": X, "where": ints(5, 0, 3, 1)}, {"y": [2, 4, 0, 3, 0, 1]},
        {"where": ints(6, 0, 3, 1)}, "KP0806", ("`y[where[i]]` writes y[6]",),
    ),
    "a negative place, as Python counts from the end": Pair(
        SCATTER, {"y": zeros(6), "x": X, "where": ints(5, 0, 3, 1)}, {"y": [2, 4, 0, 3, 0, 1]},
        {"where": ints(-1, 0, 3, 1)}, "KP0806", ("`y[where[i]]` writes y[-1]",),
    ),
    "an array shorter than its list": Pair(
        SCATTER, {"y": zeros(6), "x": X, "where": ints(5, 0, 3, 1)}, {"y": [2, 4, 0, 3, 0, 1]},
        {"y": zeros(5)}, "KP0806", ("y[5]",),
    ),
    "an accumulation with duplicates": Pair(
        ADD_AT, {"y": zeros(3), "x": X[:3], "where": np.array([2, 0, 1], np.int32)}, {"y": [2, 3, 1]},
        {"where": np.array([2, 0, 2], np.int32)}, "KP0806", ("two threads meet in y[2]",),
    ),
    "edges that share a node": Pair(
        EDGES, {"node": zeros(4), "edge": X[:2], "ends": ints(0, 1, 2, 3).reshape(2, 2)}, {"node": [1, -1, 2, -2]},
        {"ends": ints(0, 1, 1, 3).reshape(2, 2)}, "KP0806", ("meet in node[1]",),
    ),
    "rows that overrun the values": Pair(
        ROWS, {"y": zeros(2), "value": X, "column": np.array([0, 1, 0, 1], np.int32), "start": ints(0, 3, 4),
               "x": np.ones(2)}, {"y": [6, 4]},
        {"start": ints(0, 3, 5)}, "KP0806", ("value[4]",),
    ),
    "a column beyond the vector": Pair(
        ROWS, {"y": zeros(2), "value": X, "column": np.array([0, 1, 0, 1], np.int32), "start": ints(0, 3, 4),
               "x": np.ones(2)}, {"y": [6, 4]},
        {"column": np.array([0, 1, 0, 2], np.int32)}, "KP0806", ("x[2]",),
    ),
    "an item whose neighbour is of the same level": Pair(
        LEVEL, {"x": np.ones(4), "items": ints(1, 3), "left": ints(-1, 0, -1, 2)}, {"x": [1, 2, 1, 2]},
        {"left": ints(-1, 0, -1, 1)}, "KP0806", ("meet in x[1]",),
    ),
    "a halo with a cell twice": Pair(
        UNPACK, {"field": zeros(2, 3), "buffer": np.ones((2, 2)), "cells": ints(2, 0)}, {"field": [[1, 0, 1]] * 2},
        {"cells": ints(2, 2)}, "KP0806", ("`cells`",),
    ),
    "transposed in place": Pair(
        TRANSPOSE, {"b": zeros(2, 2), "a": X.reshape(2, 2)}, {"b": [[1, 3], [2, 4]]},
        {"b": X.reshape(2, 2)}, "KP0803", ("`b` and `a` overlap",),
    ),
    "transposed into the lower half of itself": Pair(
        TRANSPOSE, {"b": LINE[8:].reshape(2, 2).copy(), "a": LINE[:4].reshape(2, 2)}, {"b": [[0, 2], [1, 3]]},
        {"b": LINE[2:6].reshape(2, 2)}, "KP0803", ("`b` and `a` overlap",),
    ),
    "rows where columns are meant": Pair(
        COLUMNS, {"y": np.zeros((2, 3), order="F")}, {"y": [[1] * 3] * 2},
        {"y": zeros(2, 3)}, "KP0804", ("`y`",),
    ),
    "every second element": Pair(
        SHIFT, {"y": zeros(3), "x": LINE[:6], "jp": 2}, {"y": [2, 3, 4]},
        {"y": zeros(6)[::2]}, "KP0804", ("`y` is not contiguous",),
    ),
    "windows that overlap in memory": Pair(
        COLUMNS, {"y": np.zeros((2, 3), order="F")}, {"y": [[1] * 3] * 2},
        {"y": np.lib.stride_tricks.as_strided(zeros(6), (2, 3), (8, 8))}, "KP0804", ("`y`",),
    ),
    "an offset too large": Pair(
        SHIFT, {"y": zeros(3), "x": LINE[:6], "jp": 3}, {"y": [3, 4, 5]},
        {"jp": 4}, "KP0801", ("`x[i + jp]`", "jp = 4"),
    ),
    "an offset below zero": Pair(
        SHIFT, {"y": zeros(3), "x": LINE[:6], "jp": 0}, {"y": [0, 1, 2]},
        {"jp": -1}, "KP0801", ("`x[i + jp]`", "jp = -1"),
    ),
    "shifted within one array": Pair(
        SHIFT, {"y": LINE[:4].copy(), "x": LINE[4:], "jp": 0}, {"y": [4, 5, 6, 7]},
        {"y": LINE[4:8]}, "KP0803", ("`y` and `x` overlap",),
    ),
    "written through a read-only view": Pair(
        SHIFT, {"y": zeros(3), "x": LINE[:6], "jp": 0}, {"y": [0, 1, 2]},
        {"y": np.frombuffer(bytes(24))}, "KP0804", ("`y` is read-only",),
    ),
    "from bytes that are not aligned": Pair(
        SHIFT, {"y": zeros(3), "x": LINE[:6], "jp": 0}, {"y": [0, 1, 2]},
        {"x": np.frombuffer(bytes(49), np.uint8)[1:].view(np.float64)}, "KP0804", ("`x` is not aligned",),
    ),
    "a flat array without room for the last row": Pair(
        WIDTH, {"y": zeros(6), "x": np.ones((2, 3)), "size": 6}, {"y": [1] * 6},
        {"y": zeros(5), "size": 5}, "KP0801", ("`y[i * m + j]`",),
    ),
    "members of a pack that overlap": Pair(
        PACKED, {"ys": [zeros(4), zeros(4)], "x": X}, {},
        {"ys": [LINE[:4], LINE[3:7]]}, "KP0803", ("overlap",),
    ),
    "a member of a pack that is the input": Pair(
        PACKED, {"ys": [zeros(4), zeros(4)], "x": X}, {},
        {"ys": [zeros(4), X]}, "KP0803", ("overlap",),
    ),
    "a result that a pack reads": Pair(
        INTO, {"y": zeros(4), "xs": [X, X]}, {"y": [5, 5, 5, 5]},
        {"y": X}, "KP0803", ("overlap",),
    ),
    "two reducers in one place": Pair(
        SUMS, {"x": X, "total": LINE[:1].copy(), "low": LINE[1:2].copy()}, {"total": [10], "low": [1]},
        {"total": LINE[5:6], "low": LINE[5:6]}, "KP0803", ("`total` and `low` overlap",),
    ),
    "a reducer inside of what is summed": Pair(
        SUMS, {"x": X, "total": LINE[:1].copy(), "low": LINE[1:2].copy()}, {"total": [10], "low": [1]},
        {"total": X[1:2]}, "KP0803", ("`x` and `total` overlap",),
    ),
    "a divisor of zero": Pair(
        DIVIDE, {"y": ints(0, 0, 0), "q": 2}, {"y": [0, 0, 1]}, {"q": 0}, "KP0801", ("q = 0",),
    ),
    "a temporary that no call writes": Pair(
        TEMPORARY, {"t": zeros(4), "a": X, "k": 1}, {"t": [2, 4, 6, 8]}, {"k": 0}, "KP0801", ("writes `t`",),
    ),
}  # fmt: skip


def fresh(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return arrays of their own, laid out as they are; the launches of other tests see nothing of this one."""
    return {n: v.copy(order="K") if isinstance(v, np.ndarray) else v for n, v in arguments.items()}


@pytest.mark.parametrize("name", PAIRS)
@pytest.mark.parametrize("target", ["cpu1", "cpu"])
def test_the_right_launch_runs(name: str, target: str) -> None:
    pair = PAIRS[name]
    arguments = fresh(pair.good)
    compile_program(pair.one, target).bind(arguments).run()
    for parameter, wanted in pair.wanted.items():
        np.testing.assert_array_equal(arguments[parameter], wanted)


@pytest.mark.parametrize("name", PAIRS)
@pytest.mark.parametrize("target", ["cpu1", "cpu"])
def test_the_wrong_launch_is_refused(name: str, target: str) -> None:
    pair = PAIRS[name]
    arguments = {**pair.good, **pair.bad}
    flat = [a for v in arguments.values() for a in (v if isinstance(v, list) else [v]) if isinstance(a, np.ndarray)]
    before = [a.copy() for a in flat]
    with pytest.raises(LaunchError) as caught:
        compile_program(pair.one, target).bind(arguments).run()
    for one, old in zip(flat, before, strict=True):
        np.testing.assert_array_equal(one, old)
    message = str(caught.value)
    assert message.startswith(f"error[{pair.code}]: ") and "nothing was launched" in message
    for text in pair.texts:
        assert text in message


def refused_with(code: str, one: Kernel, **arguments: Any) -> str:
    with pytest.raises(LaunchError) as caught:
        compile_program(one, "cpu1").bind(arguments).run()
    assert str(caught.value).startswith(f"error[{code}]: ")
    return str(caught.value)


def test_owned_arrays_are_refused_after_they_went() -> None:
    x, y = array(X), array(np.zeros(4))
    compile_program(SHIFT, "cpu1").bind({"y": y, "x": x, "jp": 0}).run()
    taken = move(x)
    assert "moved" in refused_with("KP0807", SHIFT, y=y, x=x, jp=0)
    compile_program(SHIFT, "cpu1").bind({"y": y, "x": taken, "jp": 0}).run()
    y.free()
    assert "freed" in refused_with("KP0807", SHIFT, y=y, x=X, jp=0)
    assert "holds nothing yet" in refused_with("KP0807", SHIFT, y=np.zeros(4), x=empty(4), jp=0)
    assert "read-only" in refused_with("KP0804", SHIFT, y=freeze(np.zeros(4)), x=X, jp=0)


def test_a_view_and_its_owner_are_one_memory() -> None:
    owner = array(np.zeros(4))
    with owner.write() as view:
        assert "`.write()`" in refused_with("KP0807", SHIFT, y=np.zeros(4), x=owner, jp=0)
        assert "overlap" in refused_with("KP0803", SHIFT, y=view[:2], x=view[1:], jp=0)
        compile_program(SHIFT, "cpu1").bind({"y": view, "x": X, "jp": 0}).run()
    assert owner.numpy().tolist() == X.tolist()
    with owner.read() as view:
        assert "read-only" in refused_with("KP0804", SHIFT, y=view, x=X, jp=0)
        assert "`.read()`" in refused_with("KP0807", SHIFT, y=owner, x=X, jp=0)
