"""Team kernels with what they compute, by NumPy: for the interpreter and for every target."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from kparity.compiler import Kernel

from .sources import kernel

Arguments = dict[str, Any]


@dataclass(frozen=True)
class Case:
    """A kernel, arguments of a small launch, and the arrays that it changes as it must leave them.

    Floats are small whole numbers or halves of them: sums are exact in any order.
    """

    text: str
    arguments: Callable[[], Arguments]
    expected: Callable[[Arguments], Arguments]

    def kernel(self, **constants: int) -> Kernel:
        return kernel(self.text, **({"T": 8} | constants))


def numbers(*shape: int) -> Any:
    return np.random.default_rng(3).integers(-8, 9, shape).astype(float)


CASES = {
    "strides of all threads": Case(
        """
        def strides(y: Mut[f64, "n"], z: Mut[f64, "n"], x: Ref[f64, "n"], teams_: i64, w: i64):
            for b in teams(teams_):
                for t in threads(8):
                    for i in range(8 * b + t, n, 8 * teams_):
                        y[i] += 2.0 * x[i]
                for t in threads(w):
                    for i in range(t, n, w):
                        if i % teams_ == b:
                            z[i] = x[i]
        """,
        lambda: {"y": numbers(101), "z": numbers(101), "x": numbers(101), "teams_": 3, "w": 5},
        lambda g: {"y": g["y"] + 2.0 * g["x"], "z": g["x"]},
    ),
    "tiled product": Case(
        """
        def matmul(c: Out[f64, "n", "n"], a: Ref[f64, "n", "n"], b: Ref[f64, "n", "n"]):
            for by, bx in teams(ceildiv(n, T), ceildiv(n, T)):
                ta, tb = shared(f64, T, T), shared(f64, T, T)
                acc = private(f64, threads=(T, T), fill=0.0)
                for t in range(ceildiv(n, T)):
                    for y, x in threads(T, T):
                        row, col = by * T + y, t * T + x
                        ta[y, x] = a[row, col] if row < n and col < n else 0.0
                        row, col = t * T + y, bx * T + x
                        tb[y, x] = b[row, col] if row < n and col < n else 0.0
                    for y, x in threads(T, T):
                        for k in range(T):
                            acc[y, x] += ta[y, k] * tb[k, x]
                for y, x in threads(T, T):
                    row, col = by * T + y, bx * T + x
                    if row < n and col < n:
                        c[row, col] = acc[y, x]
        """,
        lambda: {"c": np.empty((19, 19)), "a": numbers(19, 19), "b": numbers(19, 19)},
        lambda g: {"c": g["a"] @ g["b"]},
    ),
    "tree of sums": Case(
        """
        def sums(y: Mut[f64, "m"], x: Ref[f64, "n"]):
            for b in teams(m):
                s = shared(f64, 16)
                for t in threads(16):
                    s[t] = x[b * 16 + t] if b * 16 + t < n else 0.0
                h = 16
                for step in range(4):
                    h = h // 2
                    for t in threads(16):
                        if t < h:
                            s[t] += s[t + h]
                for t in threads(1):
                    y[b] = s[0]
        """,
        lambda: {"y": np.zeros(4), "x": np.arange(57.0)},
        lambda g: {"y": np.pad(g["x"], (0, 7)).reshape(4, 16).sum(1)},
    ),
    "histogram": Case(
        """
        def histogram(h: Atomic[i64, 5], x: Ref[i32, "n"]):
            for b in teams(ceildiv(n, 32)):
                mine = shared(i32, 5, atomic=True, fill=0)
                for t in threads(32):
                    if b * 32 + t < n:
                        mine[min(max(x[b * 32 + t], 0), 4)] += 1
                for t in threads(5):
                    h[t] += mine[t].add(0)
        """,
        lambda: {"h": np.ones(5, np.int64), "x": np.arange(100, dtype=np.int32) % 7},
        lambda g: {"h": 1 + np.bincount(np.minimum(g["x"], 4), minlength=5)},
    ),
    "halo": Case(
        """
        def smooth(y: Mut[f64, "n"], x: Ref[f64, "n"]):
            for b in teams(ceildiv(n - 2, T)):
                s = shared(f64, T + 2)
                for t in threads(T + 2):
                    if b * T + t < n:
                        s[t] = x[b * T + t]
                for t in threads(T):
                    if b * T + t + 2 < n:
                        y[b * T + t + 1] = s[t] + 2.0 * s[t + 1] + s[t + 2]
        """,
        lambda: {"y": np.zeros(43), "x": np.arange(43.0) ** 2},
        lambda g: {"y": np.pad(g["x"][:-2] + 2.0 * g["x"][1:-1] + g["x"][2:], 1)},
    ),
    "views": Case(
        """
        def turned(y: Out[f64, "m", T, T], x: Ref[f64, "m", T, T]):
            for b in teams(m):
                flat = shared(f64, 2 * T * T)
                tile = reshape(flat, T, T)
                for i, j in threads(T, T):
                    tile[i, j] = x[b, i, j]
                for k in threads((T * T, 2 * T * T)):
                    flat[k] = 2.0 * flat[k - T * T]
                for i, j in threads(T, T):
                    y[b, i, j] = flat[T * T + j * T + i]
        """,
        lambda: {"y": np.empty((3, 8, 8)), "x": numbers(3, 8, 8)},
        lambda g: {"y": 2.0 * g["x"].transpose(0, 2, 1)},
    ),
    "private arrays": Case(
        """
        def moments(y: Mut[f64, "m", 6, 3], x: Ref[f64, "m", 6, "n"]):
            for b in teams(m):
                p = private(f64, 3, threads=6, fill=0.0)
                last = private(f64, threads=(6,))
                s = shared(f64, 6)
                for i in range(n):
                    for t in threads(6):
                        s[t] = x[b, t, i]
                        last[t] = s[t]
                        p[t, 0] += 1.0
                    for u, v in threads(3, 2):
                        s[u * 2 + v] *= 2.0
                    for t in threads(6):
                        p[t, 1] += s[t]
                        p[t, 2] = p[t, 2] + last[t] * s[t]
                for t in threads(6):
                    for k in range(3):
                        y[b, t, k] = p[t, k]
        """,
        lambda: {"y": np.zeros((2, 6, 3)), "x": np.arange(60.0).reshape(2, 6, 5)},
        lambda g: {"y": np.stack([np.full((2, 6), 5.0), 2 * g["x"].sum(2), 2 * (g["x"] ** 2).sum(2)], 2)},
    ),
    "halving while there is more than one": Case(
        """
        def total(y: Mut[f64, "m"], x: Ref[f64, "m", "n"], most: i64):
            for b in teams(m):
                s = shared(f64, n)
                for t in threads(n):
                    s[t] = x[b, t]
                left = n
                steps = 0
                while left > 1:
                    if steps == most:
                        break
                    half = (left + 1) // 2
                    for t in threads(left - half):
                        s[t] += s[t + half]
                    left = half
                    steps += 1
                for t in threads(1):
                    y[b] = s[0] if left == 1 else -1.0
        """,
        lambda: {"y": np.zeros(3), "x": np.arange(57.0).reshape(3, 19), "most": 5},
        lambda g: {"y": g["x"].sum(1)},
    ),
    "rows of unequal length": Case(
        """
        def ragged(y: Mut[f64, "n"], x: Ref[f64, "n"], start: Ref[i32, "m + 1"], s: i64, unused: Ref[f64, "m"]):
            for b in teams((1, m)):
                lo = start[b]
                if lo > s:
                    for t in threads((lo, start[b + 1])):
                        y[t] = x[t] + f64(lo)
                else:
                    for t in threads((start[b], start[b + 1])):
                        y[t] = -x[t]
        """,
        lambda: {
            "y": np.zeros(20), "x": np.arange(20.0), "start": np.array([0, 2, 7, 7, 15, 20], np.int32), "s": 6,
            "unused": np.zeros(5),
        },
        lambda g: {"y": np.array([0.0] * 2 + [-t for t in range(2, 7)] + [t + (7.0 if t < 15 else 15.0) for t in range(7, 20)])},  # noqa: E501
    ),
    "two buffers in turn": Case(
        """
        def relaxed(y: Mut[f64, "m", "n"], steps: i64):
            for b in teams(m):
                s = shared(f64, 2, n)
                for t in threads(n):
                    s[0, t] = y[b, t]
                    s[1, t] = y[b, t]
                now = 0
                for step in range(steps):
                    for t in threads((1, n - 1)):
                        s[1 - now, t] = 0.5 * (s[now, t - 1] + s[now, t + 1])
                    now = 1 - now
                for t in threads(n):
                    y[b, t] = s[now, t]
        """,
        lambda: {"y": np.arange(30.0).reshape(3, 10) ** 2, "steps": 5},
        lambda g: {"y": _relaxed(g["y"], g["steps"])},
    ),
    "reducers": Case(
        """
        def extremes(x: Ref[i64, "m", "n"], total: Sum[i64], least: MinLoc[i64]):
            for b in teams(m):
                for t in threads(n):
                    total += x[b, t]
                    least.update(x[b, t], b * n + t)
        """,
        lambda: {
            "x": (np.arange(60) * 7 % 31).reshape(6, 10), "total": np.array([100]),
            "least": np.array([(9, 2**40)], np.dtype([("value", np.int64), ("location", np.int64)])),
        },
        lambda g: {"total": 100 + g["x"].sum(keepdims=True)[0], "least": np.array([(0, 0)], g["least"].dtype)},
    ),
    "three ranges and negative bounds": Case(
        """
        def corners(y: Mut[i64, "n", 4, 3, 2], lo: i64):
            for a, b, c in teams((lo, lo + 2), 2, (1, 3)):
                w = (a - lo) * 4 + b * 2 + c - 1
                if w < n:
                    for i, j, k in threads(4, 3, (-1, 1)):
                        y[w, i, j, k + 1] += w * 1000 + i * 100 + j * 10 + k
        """,
        lambda: {"y": np.zeros((7, 4, 3, 2), np.int64), "lo": -5},
        lambda g: {"y": np.fromfunction(lambda w, i, j, k: w * 1000 + i * 100 + j * 10 + k - 1, (7, 4, 3, 2), dtype=int)},  # noqa: E501
    ),
}  # fmt: skip


def _relaxed(y: Any, steps: int) -> Any:
    for _ in range(steps):
        y = np.concatenate([y[:, :1], 0.5 * (y[:, :-2] + y[:, 2:]), y[:, -1:]], 1)
    return y


def assert_computed(case: Case, result: Arguments) -> None:
    """Compare what a launch left with what it must leave."""
    given = case.arguments()
    wanted = given | case.expected(given)
    for name, value in wanted.items():
        if isinstance(value, np.ndarray):
            np.testing.assert_array_equal(result[name], value, err_msg=name)
