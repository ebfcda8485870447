"""Loops that end early, local arrays and device functions: kernels with arguments, for every target."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .sources import module

N = 300
RNG = np.random.default_rng(5)
X = RNG.integers(-4, 9, N) * 0.5
Q = RNG.integers(-3, 12, N)


def _floats() -> dict[str, Any]:
    return {"y": np.zeros(N), "x": X}


def _integers() -> dict[str, Any]:
    return {"y": np.zeros(N, np.int64), "q": Q}


DEVICES = """
@device
def clamped(v: f64, low: f64, high: f64):
    if v < low:
        v = low
    return min(v, high)

@device
def total(s: Ref[f64, "m"], count: i64):
    t = 0.0
    for j in range(m):
        if j >= count:
            break
        t += s[j]
    return t

@device
def fill(s: Mut[f64, "m"], first: f64):
    for j in range(m):
        s[j] = first + f64(j)

@device
def pushed(s: Mut[f64, 8], count: i64, v: f64):
    if 0 <= count and count < 8:
        s[count] = v
    return count + 1

@device
def mean(s: Ref[f64, "m"]):
    scratch = local(f64, 3, fill=1.0)
    scratch[1] = total(s, m)
    return scratch[1] / f64(m) * scratch[0]
"""
_FLOATS = 'y: Mut[f64, "n"], x: Ref[f64, "n"]'
_INTEGERS = 'y: Mut[i64, "n"], q: Ref[i64, "n"]'
_CASES: dict[str, tuple[str, Callable[[], dict[str, Any]], str]] = {
    "while: suffix sums": (_FLOATS, _floats, """
        j = i
        s = 0.0
        while j < n:
            s += x[j]
            j += 7
        y[i] = s
        """),
    "while: never entered, and a lazy condition": (_FLOATS, _floats, """
        while i < 0 and x[i] > 0.0:
            y[i] += 1.0
        j = i
        while j + 1 < n and x[j + 1] > x[j]:
            j += 1
        y[i] += f64(j - i)
        """),
    "while True with breaks at both ends": (_INTEGERS, _integers, """
        c = 0
        while True:
            c += 1
            if c > 20:
                break
            if q[i] > 0:
                if c >= q[i]:
                    y[i] = 100
                    break
            elif c == 3:
                break
            y[i] += c
        y[i] += 1000 * c
        """),
    "for: break and continue": (_INTEGERS, _integers, """
        for j in range(i, n):
            if q[j] < 0:
                continue
            if q[j] == 7:
                break
            y[i] += q[j] * (j - i + 1)
        """),
    "for: backwards, by two, out of the inner loop only": (_INTEGERS, _integers, """
        for j in range(9, -5, -2):
            for l in range(4):
                if l * j > q[i]:
                    break
                if l == 1:
                    continue
                y[i] += l + 10 * j
            else_ = 1
            y[i] += else_
        """),
    "break with a value": (_FLOATS, _floats, """
        found = n
        for j in range(n):
            if x[j] > x[i]:
                found = j
                break
        y[i] = x[found] if found < n else -100.0
        """),
    "halving": (_INTEGERS, _integers, """
        w = i
        while w > 0:
            y[i] = 3 * y[i] + w % 2 + q[w]
            w //= 2
        """),
    "a flag": (_FLOATS, _floats, """
        done = x[i] < 0.0
        v = x[i] + 1.0
        steps = 0
        while not done and steps < 30:
            w = 0.5 * (v + x[i] / v)
            done = abs(w - v) < 1e-9
            v = w
            steps += 1
        y[i] = 0.0 if done == (x[i] < 0.0) and not done else f64(steps)
        """),
    "a local array in registers": (_FLOATS, _floats, """
        s = local(f64, 4)
        for j in range(4):
            s[j] = x[i] + f64(j)
        t = 0.0
        for j in range(4):
            t += s[3 - j] * s[j]
        y[i] = t
        """),
    "a local array, indexed by data": (_INTEGERS, _integers, """
        s = local(i32, 3, 4, fill=7)
        for j in range(12):
            s[j % 3, j // 3] += i32(q[i])
        y[i] = i64(s[min(max(q[i], 0), 2), min(max(i - 3, 0), 3)])
        """),
    "a counted list": (_FLOATS, _floats, """
        px, py = local(f64, 6, fill=-1.0), local(f64, 6, fill=0.0)
        count = 0
        for j in range(3):
            if x[i] > f64(j):
                px[count] = x[i] - f64(j)
                count += 1
            if x[i] > 2.0:
                px[count] = 2.0
                py[count] = f64(j)
                count += 1
        for j in range(count):
            y[i] += px[j] * f64(j + 1) + py[j]
        """),
    "a local array of each iteration": (_INTEGERS, _integers, """
        for j in range(5):
            s = local(i64, 100, fill=3)
            for l in range(i % 100 + 1):
                s[l] += l * j
            y[i] = 5 * y[i] + s[i % 7] + s[99]
        """),
    "a while in a while, over a local array": (_INTEGERS, _integers, """
        s = local(i64, 8, fill=0)
        top = 0
        while top < 8:
            s[top] = q[i] + top
            top += 1
        while top > 1:
            top -= 1
            l = 0
            while l < top:
                if s[l] % 3 == 1:
                    l += 1
                    continue
                s[l] = s[l + 1] if l + 1 < 8 else 0
                l += 1
        y[i] = s[0] + 100 * top
        """),
    "device functions: scalars, used twice, in lazy operands": (_FLOATS, _floats, """
        v = clamped(x[i], 0.0, 2.0) ** 2
        y[i] = clamped(v, 1.0, 3.0) if x[i] > 0.5 and clamped(x[i], -1.0, 1.0) < 1.0 else -clamped(v, 1.0, 2.0)
        """),
    "device functions: arrays, lent and lent on": (_FLOATS, _floats, """
        s, t = local(f64, 8), local(f64, 2, fill=5.0)
        fill(s, x[i])
        fill(t, s[2])
        y[i] = total(s, 3) + mean(s) - mean(t) + total(x, i % 5)
        """),
    "device functions: a store that only one arm makes": (_FLOATS, _floats, """
        y[i] = 1.0
        s = local(f64, 8, fill=-1.0)
        k = pushed(s, 2, x[i]) if x[i] > 1.0 else 5
        pushed(s, k, y[i])
        y[i] = s[2] + 10.0 * s[3] + 100.0 * s[5]
        """),
    "device functions: evaluated left to right": (_FLOATS, _floats, """
        s = local(f64, 8, fill=0.5)
        y[i] = s[0] + f64(pushed(s, 0, x[i])) * 10.0 + s[0] * 100.0
        """),
}  # fmt: skip


def _kernel(signature: str, body: str) -> Any:
    lines = "\n".join("    " + line for line in body.strip("\n").split("\n"))
    return module(f"{DEVICES}\n@kernel\ndef k({signature}):\n    for i in parallel(n):\n{lines}")["k"]


CASES = {name: (_kernel(signature, body), arguments) for name, (signature, arguments, body) in _CASES.items()}
