"""Kernels in pairs: one with a fault as it really happens, with the codes expected, and its repaired twin."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Twin:
    """`unsafe` is refused with `expected`, (code, source text) in order; `safe` is accepted with `guards` guards.

    `unseen` says why the oracle, which runs small launches, cannot show the fault of `unsafe`; empty if it must.
    """

    name: str
    unsafe: str
    expected: tuple[tuple[str, str], ...]
    safe: str
    guards: int = 0
    unseen: str = ""


def twin(name: str, unsafe: str, expected: list[tuple[str, str]], safe: str, guards: int = 0, unseen: str = "") -> Twin:
    return Twin(name, unsafe, tuple(expected), safe, guards, unseen)


_XY = 'y: Mut[f64, "n"], x: Ref[f64, "n"]'
_AB = 'b: Mut[f64, "n", "m"], a: Ref[f64, "n", "m"]'


def _k(parameters: str, *lines: str) -> str:
    return "\n".join([f"def k({parameters}):", *("    " + line for line in lines)])


BOUNDS = [
    twin(
        "past the last bin",
        _k('h: Sum[i64, "n"], x: Ref[f64, "n"]', "for i in parallel(n):", "    h[i + 1] += 1"),
        [("KP0301", "h[i + 1]")],
        _k('h: Sum[i64, "n"], x: Ref[f64, "n"]', "for i in parallel(n):", "    h[i // 2] += 1"),
    ),
    twin(
        "bin out of the data",
        _k('h: Max[f64, 4, "n"], x: Ref[f64, "n"]', "for i in parallel(n):", "    h[1, i64(x[i])].update(x[i])"),
        [("KP0302", "h[1, i64(x[i])]")],
        _k(
            'h: Max[f64, 4, "n"], x: Ref[f64, "n"]',
            "for i in parallel(n):",
            "    h[1, min(max(i64(x[i]), 0), n - 1)].update(x[i])",
        ),
    ),
    twin(
        "past the end",
        _k(_XY, "for i in parallel(n):", "    y[i] = x[i + 1]"),
        [("KP0301", "x[i + 1]")],
        _k(_XY, "for i in parallel(n - 1):", "    y[i] = x[i + 1]"),
    ),
    twin(
        "before the start",
        _k(_XY, "for i in parallel(n):", "    y[i] = x[i - 1]"),
        [("KP0301", "x[i - 1]")],
        _k(_XY, "for i in parallel((1, n)):", "    y[i] = x[i - 1]"),
    ),
    twin(
        "range one too long",
        _k(_XY, "for i in parallel(n + 1):", "    y[i] = 1.0"),
        [("KP0301", "y[i]")],
        _k('y: Mut[f64, "n + 1"], x: Ref[f64, "n"]', "for i in parallel(n + 1):", "    y[i] = 1.0"),
    ),
    twin(
        "one-based",
        _k('y: Mut[f64, "n"]', "for i in parallel((1, n + 1)):", "    y[i] = 1.0"),
        [("KP0301", "y[i]")],
        _k('y: Mut[f64, "1..n + 1"], n: i64', "for i in parallel((1, n + 1)):", "    y[i] = 1.0"),
    ),
    twin(
        "wrong stride",
        _k(_XY, "for i in parallel(n):", "    y[i] = x[2 * i]"),
        [("KP0301", "x[2 * i]")],
        _k('y: Mut[f64, "n"], x: Ref[f64, "2*n"]', "for i in parallel(n):", "    y[i] = x[2 * i]"),
    ),
    twin(
        "wrong order of dims",
        _k('b: Mut[f64, "n", 4], a: Ref[f64, "n", 4]', "for i, j in parallel(n, 4):", "    b[i, j] = a[j, i]"),
        [("KP0301", "a[j, i]")],
        _k('b: Mut[f64, "n", "m"], a: Ref[f64, "m", "n"]', "for i, j in parallel(n, m):", "    b[i, j] = a[j, i]"),
    ),
    twin(
        "row wrap: in the array as a whole, not in its row",
        _k(_AB, "for i, j in parallel(n - 1, m):", "    b[i, j] = a[i, j + 1]"),
        [("KP0301", "a[i, j + 1]")],
        _k(_AB, "for i, j in parallel(n - 1, m - 1):", "    b[i, j] = a[i, j + 1]"),
    ),
    twin(
        "test after the read",
        _k(_XY, "for i in parallel(n):", "    if x[i + 1] > 0.0 and i + 1 < n:", "        y[i] = 1.0"),
        [("KP0301", "x[i + 1]")],
        _k(_XY, "for i in parallel(n):", "    if i + 1 < n and x[i + 1] > 0.0:", "        y[i] = 1.0"),
    ),
    twin(
        "ternary the wrong way round",
        _k(_XY, "for i in parallel(n):", "    y[i] = 0.0 if i + 1 < n else x[i + 1]"),
        [("KP0301", "x[i + 1]")],
        _k(_XY, "for i in parallel(n):", "    y[i] = x[i + 1] if i + 1 < n else 0.0"),
    ),
    twin(
        "the same index on both sides of a test",
        _k(
            _XY,
            "for i in parallel(n):",
            "    if i > 0:",
            "        y[i] = x[i - 1]",
            "    else:",
            "        y[i] = x[i - 1]",
        ),
        [("KP0301", "x[i - 1]")],
        _k(
            _XY, "for i in parallel(n):", "    if i > 0:", "        y[i] = x[i - 1]", "    else:", "        y[i] = x[i]"
        ),
    ),
    twin(
        "or instead of and",
        _k(_XY, "for i in parallel(n):", "    if i > 0 or x[i - 1] > 0.0:", "        y[i] = 1.0"),
        [("KP0301", "x[i - 1]")],
        _k(_XY, "for i in parallel(n):", "    if i == 0 or x[i - 1] > 0.0:", "        y[i] = 1.0"),
    ),
    twin(
        "guarded by data only",
        _k(_XY, "for i in parallel(n):", "    if x[i] > 0.0:", "        y[i] = x[i + 1]"),
        [("KP0301", "x[i + 1]")],
        _k(_XY, "for i in parallel(n - 1):", "    if x[i] > 0.0:", "        y[i] = x[i + 1]"),
    ),
    twin(
        "loop one too long",
        _k(
            'y: Mut[f64, "n"], a: Ref[f64, "n", "m"]',
            "for i in parallel(n):",
            "    for j in range(m):",
            "        y[i] += a[i, j + 1]",
        ),
        [("KP0301", "a[i, j + 1]")],
        _k(
            'y: Mut[f64, "n"], a: Ref[f64, "n", "m"]',
            "for i in parallel(n):",
            "    for j in range(m - 1):",
            "        y[i] += a[i, j + 1]",
        ),
    ),
    twin(
        "loop downwards past the start",
        _k(_XY, "for i in parallel(n):", "    for j in range(n - 1, -2, -1):", "        y[i] += x[j]"),
        [("KP0301", "x[j]")],
        _k(_XY, "for i in parallel(n):", "    for j in range(n - 1, -1, -1):", "        y[i] += x[j]"),
    ),
    twin(
        "strided loop with a tail",
        _k(_XY, "for i in parallel(n):", "    for j in range(0, n, 2):", "        y[i] += x[j] * x[j + 1]"),
        [("KP0301", "x[j + 1]")],
        _k(_XY, "for i in parallel(n):", "    for j in range(0, n - 1, 2):", "        y[i] += x[j] * x[j + 1]"),
    ),
    twin(
        "triangular loop with the diagonal",
        _k(_XY, "for i in parallel(n):", "    for j in range(i, n):", "        y[i] += x[j + 1]"),
        [("KP0301", "x[j + 1]")],
        _k(_XY, "for i in parallel(n):", "    for j in range(i + 1, n):", "        y[i] += x[j] - x[j - 1]"),
    ),
    twin(
        "floor division of a negative number",
        _k(_XY, "for i in parallel(n):", "    y[i] = x[(i - 1) // 2]"),
        [("KP0301", "x[(i - 1) // 2]")],
        _k(_XY, "for i in parallel((1, n)):", "    y[i] = x[(i - 1) // 2]"),
    ),
    twin(
        "remainder is never negative, but may reach the divisor less one",
        _k('y: Mut[f64, "n"], x: Ref[f64, 3]', "for i in parallel(n):", "    y[i] = x[(i - 5) % 4]"),
        [("KP0301", "x[(i - 5) % 4]")],
        _k('y: Mut[f64, "n"], x: Ref[f64, 4]', "for i in parallel(n):", "    y[i] = x[(i - 5) % 4]"),
    ),
    twin(
        "clamped on one side only",
        _k(_XY, "for i in parallel(n):", "    y[i] = x[max(i - 2, 0)] + x[i + 2]"),
        [("KP0301", "x[i + 2]")],
        _k(_XY, "for i in parallel(n):", "    y[i] = x[max(i - 2, 0)] + x[min(i + 2, n - 1)]"),
    ),
    twin(
        "local off by one",
        _k(_XY, "for i in parallel(n):", "    k = i", "    if i > 0:", "        k = i + 1", "    y[i] = x[k]"),
        [("KP0301", "x[k]")],
        _k(_XY, "for i in parallel(n):", "    k = i", "    if i > 0:", "        k = i - 1", "    y[i] = x[k]"),
    ),
    twin(
        "a counter that outgrows its array",
        _k(
            'y: Mut[f64, "n"], x: Ref[f64, 8], q: Ref[f64, "n"]',
            "for i in parallel(n):",
            "    c = i64(0)",
            "    for j in range(9):",
            "        y[i] += x[c]",
            "        if q[i] > 0.0:",
            "            c += 1",
        ),
        [("KP0302", "x[c]")],
        _k(
            'y: Mut[f64, "n"], x: Ref[f64, 8], q: Ref[f64, "n"]',
            "for i in parallel(n):",
            "    c = i64(0)",
            "    for j in range(8):",
            "        y[i] += x[c]",
            "        if q[i] > 0.0:",
            "            c += 1",
        ),
    ),
    twin(
        "halving a negative start moves up",
        _k(
            'y: Mut[f64, "n"], x: Ref[f64, "n + 1"], s: i64',
            "require(0 - n <= s and s <= 0 - 2)",
            "for i in parallel(n):",
            "    c = s + 0",
            "    for j in range(3):",
            "        y[i] += x[c + n + 2]",
            "        c //= 2",
        ),
        [("KP0302", "x[c + n + 2]")],
        _k(
            'y: Mut[f64, "n"], x: Ref[f64, "n + 1"], s: i64',
            "require(0 - n <= s and s <= 0 - 2)",
            "for i in parallel(n):",
            "    c = s + 0",
            "    for j in range(3):",
            "        y[i] += x[c + n]",
            "        c //= 2",
        ),
    ),
    twin(
        "index list that the kernel may change",
        _k('y: Mut[f64, "n"], x: Ref[f64, "m"], q: Mut[i32, "n"]', "for i in parallel(n):", "    y[i] = x[q[i]]"),
        [("KP0302", "x[q[i]]")],
        _k('y: Mut[f64, "n"], x: Ref[f64, "m"], q: Ref[i32, "n"]', "for i in parallel(n):", "    y[i] = x[q[i]]"),
    ),
    twin(
        "index list under a test",
        _k(
            'y: Mut[f64, "n"], x: Ref[f64, "m"], q: Mut[i32, "n"]',
            "for i in parallel(n):",
            "    if 0 <= q[i] and q[i] < m:",
            "        y[i] = x[q[i]]",
        ),
        [("KP0302", "x[q[i]]")],
        _k(
            'y: Mut[f64, "n"], x: Ref[f64, "m"], q: Ref[i32, "n"]',
            "for i in parallel(n):",
            "    if 0 <= q[i] and q[i] < m:",
            "        y[i] = x[q[i]]",
        ),
        unseen="no other thread changes the element between its test and its use",
    ),
    twin(
        "index that data choose",
        _k(
            'y: Mut[f64, "n"], x: Ref[f64, "m"], d: Ref[f64, "n"], q: Ref[i32, "n"]',
            "for i in parallel(n):",
            "    at = i64(q[i])",
            "    if d[i] > 0.0:",
            "        at = at + 1",
            "    y[i] = x[at]",
        ),
        [("KP0302", "x[at]")],
        _k(
            'y: Mut[f64, "n"], x: Ref[f64, "m"], d: Ref[f64, "n"], q: Ref[i32, "n"]',
            "for i in parallel(n):",
            "    at = i64(q[i])",
            "    if d[i] > 0.0:",
            "        y[i] = x[at + 1]",
            "    else:",
            "        y[i] = x[at]",
        ),
    ),
    twin(
        "flattened with a symbolic stride",
        _k('y: Mut[f64, "n"], x: Ref[f64, "n"], w: i64', "for i in parallel(n):", "    y[i] = x[i * w]"),
        [("KP0302", "x[i * w]")],
        _k(
            'y: Mut[f64, "n"], x: Ref[f64, "n", "w"]',
            "for i in parallel(n):",
            "    if w > 0:",
            "        y[i] = x[i, 0]",
        ),
    ),
    twin(
        "an access that no large launch allows",
        _k('y: Mut[f64, "n"], x: Ref[f64, 64]', "for i in parallel(n):", "    y[i] = x[i]"),
        [("KP0301", "x[i]")],
        _k('y: Mut[f64, "n"], x: Ref[f64, 64]', "for i in parallel(n):", "    y[i] = x[i % 64]"),
        unseen="its launches are smaller than that",
    ),
    twin(
        "conditions that exclude each other",
        _k('y: Mut[f64, "n"], x: Ref[f64, "n"], s: i64', "for i in parallel(n):", "    y[i] = x[i + s] + x[i + s + 1]"),
        [("KP0303", "x[i + s + 1]")],
        _k('y: Mut[f64, "n"], x: Ref[f64, "m"], s: i64', "for i in parallel(n):", "    y[i] = x[i + s] + x[i + s + 1]"),
        guards=3,  # the fourth follows from them
    ),
    twin(
        "a scalar that makes the access impossible",
        _k('y: Mut[f64, "n"], s: i64', "for i in parallel(n):", "    if s > 5:", "        y[i + n] = 1.0"),
        [("KP0301", "y[i + n]")],
        _k('y: Mut[f64, "n"], s: i64', "for i in parallel(n):", "    if s > 5:", "        y[i] = 1.0"),
    ),
]

RACES = [
    twin(
        "neighbour in place",
        _k('y: Mut[f64, "n"]', "for i in parallel(n - 1):", "    y[i] = y[i + 1]"),
        [("KP0401", "y[i]")],
        _k(_XY, "for i in parallel(n - 1):", "    y[i] = x[i + 1]"),
    ),
    twin(
        "one element written by all",
        _k(_XY, "for i in parallel(n):", "    y[0] = x[i]"),
        [("KP0401", "y[0]")],
        _k('x: Ref[f64, "n"], total: Sum[f64]', "for i in parallel(n):", "    total += x[i]"),
    ),
    twin(
        "neighbour read in place",
        _k('y: Mut[f64, "n"]', "for i in parallel((1, n - 1)):", "    y[i] = 0.5 * (y[i - 1] + y[i + 1])"),
        [("KP0401", "y[i]")],
        _k(_XY, "for i in parallel((1, n - 1)):", "    y[i] = 0.5 * (x[i - 1] + x[i + 1])"),
    ),
    twin(
        "row sums into one column",
        _k('y: Mut[f64, "n"], a: Ref[f64, "n", "m"]', "for i, j in parallel(n, m):", "    y[i] += a[i, j]"),
        [("KP0401", "y[i]")],
        _k(
            'y: Mut[f64, "n"], a: Ref[f64, "n", "m"]',
            "for i in parallel(n):",
            "    for j in range(m):",
            "        y[i] += a[i, j]",
        ),
    ),
    twin(
        "transpose in place",
        _k('a: Mut[f64, "n", "n"]', "for i, j in parallel(n, n):", "    a[i, j] = a[j, i]"),
        [("KP0401", "a[i, j]")],
        _k(
            'a: Mut[f64, "n", "n"]',
            "for i, j in parallel(n, n):",
            "    if i < j:",
            "        t = a[i, j]",
            "        a[i, j] = a[j, i]",
            "        a[j, i] = t",
        ),
    ),
    twin(
        "halves that overlap",
        _k(
            'y: Mut[f64, "n"]',
            "for i in parallel(n // 2 + 1):",
            "    if i + n // 2 < n:",
            "        y[i] = y[i + n // 2]",
        ),
        [("KP0401", "y[i]")],
        _k('y: Mut[f64, "n"]', "for i in parallel(n // 2):", "    y[i] = y[i + n // 2]"),
    ),
    twin(
        "reverse in place, over the whole range",
        _k('y: Mut[f64, "n"]', "for i in parallel(n):", "    y[i] = y[n - 1 - i]"),
        [("KP0401", "y[i]")],
        _k(
            'y: Mut[f64, "n"]',
            "for i in parallel(n // 2):",
            "    t = y[i]",
            "    y[i] = y[n - 1 - i]",
            "    y[n - 1 - i] = t",
        ),
    ),
    twin(
        "odd and even, odd ones written by both",
        _k('y: Mut[f64, "2*n + 1"], n: i64', "for i in parallel(n):", "    y[2 * i] = 0.0", "    y[2 * i + 2] = 1.0"),
        [("KP0401", "y[2 * i + 2]")],
        _k('y: Mut[f64, "2*n"], n: i64', "for i in parallel(n):", "    y[2 * i] = 0.0", "    y[2 * i + 1] = 1.0"),
    ),
    twin(
        "red and black: red reads red",
        _k('y: Mut[f64, "n"]', "for i in parallel((2, n)):", "    if i % 2 == 0:", "        y[i] = y[i - 2]"),
        [("KP0401", "y[i]")],
        _k('y: Mut[f64, "n"]', "for i in parallel((1, n)):", "    if i % 2 == 0:", "        y[i] = y[i - 1]"),
    ),
    twin(
        "several items a thread that overlap",
        _k(
            'y: Mut[f64, "4*n + 1"], n: i64',
            "for i in parallel(n):",
            "    for k in range(5):",
            "        y[4 * i + k] = 1.0",
        ),
        [("KP0401", "y[4 * i + k]")],
        _k(
            'y: Mut[f64, "4*n"], n: i64',
            "for i in parallel(n):",
            "    for k in range(4):",
            "        y[4 * i + k] = 1.0",
        ),
    ),
    twin(
        "integer division maps two threads to one element",
        _k(_XY, "for i in parallel(n):", "    y[i // 2] = x[i]"),
        [("KP0401", "y[i // 2]")],
        _k(_XY, "for i in parallel(n):", "    if i % 2 == 0:", "        y[i // 2] = x[i]"),
    ),
    twin(
        "wrap around",
        _k('y: Mut[f64, "n"]', "for i in parallel(n):", "    y[(i + 1) % n] = y[i]"),
        [("KP0401", "y[(i + 1) % n]")],
        _k(_XY, "for i in parallel(n):", "    y[(i + 1) % n] = x[i]"),
    ),
    twin(
        "offset read in place",
        _k(
            'y: Mut[f64, "n + m"], n: i64, m: i64',
            "require(m >= 1)",
            "require(m < n)",
            "for i in parallel(n):",
            "    y[i] = y[i + m]",
        ),
        [("KP0401", "y[i]")],
        _k('y: Mut[f64, "n + m"], n: i64, m: i64', "require(m >= n)", "for i in parallel(n):", "    y[i] = y[i + m]"),
    ),
    twin(
        "scatter",
        _k('y: Mut[f64, "n"], q: Mut[i32, "n"]', "for i in parallel(n):", "    y[min(max(q[i], 0), n - 1)] = 1.0"),
        [("KP0402", "y[min(max(q[i], 0), n - 1)]")],
        _k('y: Mut[f64, "n"], q: Ref[i32, "n"]', "for i in parallel(n):", "    y[min(max(q[i], 0), n - 1)] = 1.0"),
    ),
    twin(
        "scatter beside the own element",
        _k(
            'y: Mut[f64, "n"], q: Mut[i32, "n"]',
            "for i in parallel(n):",
            "    k = q[i]",
            "    if 0 <= k and k < n:",
            "        y[k] = y[i]",
        ),
        [("KP0402", "y[k]")],
        _k(
            'y: Mut[f64, "n"], q: Ref[i32, "n"]',
            "for i in parallel(n):",
            "    if 0 <= q[i] and q[i] < n:",
            "        y[q[i]] = y[i]",
        ),
    ),
    twin(
        "the last element by many",
        _k(_XY, "for i in parallel(n):", "    y[min(i + 1, n - 1)] = x[i]"),
        [("KP0401", "y[min(i + 1, n - 1)]")],
        _k(_XY, "for i in parallel(n - 1):", "    y[min(i + 1, n - 1)] = x[i]"),
    ),
    twin(
        "under data-dependent conditions of two threads",
        _k(
            'y: Mut[f64, "n"], x: Ref[f64, "n"]',
            "for i in parallel(n - 1):",
            "    if x[i] > 0.0:",
            "        y[i] = 1.0",
            "    else:",
            "        y[i + 1] = 2.0",
        ),
        [("KP0401", "y[i + 1]")],
        _k(
            'y: Mut[f64, "n"], x: Ref[f64, "n"]',
            "for i in parallel(n):",
            "    if x[i] > 0.0:",
            "        y[i] = 1.0",
            "    else:",
            "        y[i] = 2.0",
        ),
    ),
]

OUTPUTS = [
    twin(
        "read first",
        _k('y: Out[f64, "n"], x: Ref[f64, "n"]', "for i in parallel(n):", "    y[i] += x[i]"),
        [("KP0502", "y[i]")],
        _k('y: Out[f64, "n"], x: Ref[f64, "n"]', "for i in parallel(n):", "    y[i] = x[i]", "    y[i] += x[i]"),
    ),
    twin(
        "written on one way only",
        _k('y: Out[f64, "n"], x: Ref[f64, "n"]', "for i in parallel(n):", "    if x[i] > 0.0:", "        y[i] = x[i]"),
        [("KP0503", 'y: Out[f64, "n"]')],
        _k(
            'y: Out[f64, "n"], x: Ref[f64, "n"]',
            "for i in parallel(n):",
            "    if x[i] > 0.0:",
            "        y[i] = x[i]",
            "    else:",
            "        y[i] = 0.0",
        ),
    ),
    twin(
        "last element left out",
        _k('y: Out[f64, "n"], x: Ref[f64, "n"]', "for i in parallel(n - 1):", "    y[i] = x[i + 1] - x[i]"),
        [("KP0503", 'y: Out[f64, "n"]')],
        _k('y: Out[f64, "n - 1"], x: Ref[f64, "n"]', "for i in parallel(n - 1):", "    y[i] = x[i + 1] - x[i]"),
    ),
    twin(
        "another thread's write does not count",
        _k('y: Out[f64, "n"], z: Mut[f64, "n"]', "for i in parallel(n - 1):", "    y[i] = 1.0", "    z[i] = y[i + 1]"),
        [("KP0503", 'y: Out[f64, "n"]'), ("KP0401", "y[i]"), ("KP0502", "y[i + 1]")],
        _k('y: Out[f64, "n"], z: Mut[f64, "n"]', "for i in parallel(n):", "    y[i] = 1.0", "    z[i] = y[i]"),
    ),
    twin(
        "border of a two-dimensional array",
        _k('b: Out[f64, "n", "m"]', "for i, j in parallel((1, n - 1), m):", "    b[i, j] = 0.0"),
        [("KP0503", 'b: Out[f64, "n", "m"]')],
        _k('b: Out[f64, "n", "m"]', "for i, j in parallel(n, m):", "    b[i, j] = 0.0"),
    ),
    twin(
        "accumulated in a loop without a start",
        _k(
            'y: Out[f64, "n"], a: Ref[f64, "n", "m"]',
            "for i in parallel(n):",
            "    for j in range(m):",
            "        y[i] += a[i, j]",
        ),
        [("KP0502", "y[i]")],
        _k(
            'y: Out[f64, "n"], a: Ref[f64, "n", "m"]',
            "for i in parallel(n):",
            "    y[i] = 0.0",
            "    for j in range(m):",
            "        y[i] += a[i, j]",
        ),
    ),
    twin(
        "read from an iteration that has not been yet",
        _k(
            'y: Out[f64, "n", 4]',
            "for i in parallel(n):",
            "    for j in range(4):",
            "        y[i, j] = 1.0 if j == 0 else y[i, 3]",
        ),
        [("KP0502", "y[i, 3]")],
        _k(
            'y: Out[f64, "n", 4]',
            "for i in parallel(n):",
            "    for j in range(4):",
            "        y[i, j] = 1.0 if j == 0 else y[i, j - 1]",
        ),
    ),
    twin(
        "downwards: the neighbour above is the earlier one",
        _k(
            'y: Out[f64, "n", 4]',
            "for i in parallel(n):",
            "    for j in range(3, -1, -1):",
            "        y[i, j] = 1.0 if j == 0 else y[i, j - 1]",
        ),
        [("KP0502", "y[i, j - 1]")],
        _k(
            'y: Out[f64, "n", 4]',
            "for i in parallel(n):",
            "    for j in range(3, -1, -1):",
            "        y[i, j] = 1.0 if j == 3 else y[i, j + 1]",
        ),
    ),
    twin(
        "every second element",
        _k('y: Out[f64, "2*n"], n: i64', "for i in parallel(n):", "    y[2 * i] = 0.0"),
        [("KP0503", 'y: Out[f64, "2*n"]')],
        _k('y: Out[f64, "2*n"], n: i64', "for i in parallel(n):", "    y[2 * i] = 0.0", "    y[2 * i + 1] = 0.0"),
    ),
    twin(
        "several items a thread, the tail left out",
        _k('y: Out[f64, "n"]', "for i in parallel(n // 4):", "    for k in range(4):", "        y[4 * i + k] = 0.0"),
        [("KP0503", 'y: Out[f64, "n"]')],
        _k(
            'y: Out[f64, "n"]',
            "for i in parallel((n + 3) // 4):",
            "    for k in range(4):",
            "        if 4 * i + k < n:",
            "            y[4 * i + k] = 0.0",
        ),
    ),
    twin(
        "never written",
        _k('y: Out[f64, "n"], z: Mut[f64, "n"]', "for i in parallel(n):", "    z[i] = 1.0"),
        [("KP0503", 'y: Out[f64, "n"]')],
        _k('y: Ref[f64, "n"], z: Mut[f64, "n"]', "for i in parallel(n):", "    z[i] = y[i]"),
    ),
]

ARITHMETIC = [
    twin(
        "divisor zero at the first thread",
        _k('y: Mut[i64, "n"]', "for i in parallel(n):", "    y[i] = n // i"),
        [("KP0602", "i")],
        _k('y: Mut[i64, "n"]', "for i in parallel(n):", "    y[i] = n // (i + 1)"),
    ),
    twin(
        "divisor from data",
        _k('y: Mut[i64, "n"], d: Ref[i64, "n"]', "for i in parallel(n):", "    y[i] = i % d[i]"),
        [("KP0602", "d[i]")],
        _k('y: Mut[i64, "n"], d: Ref[i64, "n"]', "for i in parallel(n):", "    y[i] = i % d[i] if d[i] > 0 else 0"),
    ),
    twin(
        "negative constant divisor",
        _k('y: Mut[i64, "n"]', "for i in parallel(n):", "    y[i] = i // (-2)"),
        [("KP0602", "-2")],
        _k('y: Mut[i64, "n"]', "for i in parallel(n):", "    y[i] = -i // 2"),
    ),
    twin(
        "32-bit index from data overflows before it is widened",
        _k(
            'y: Mut[f64, "n"], x: Ref[f64, "n"], q: Ref[i32, "n"]',
            "for i in parallel(n):",
            "    y[i] = x[min(max(i64(q[i] * 4), 0), n - 1)]",
        ),
        [("KP0601", "q[i] * 4")],
        _k(
            'y: Mut[f64, "n"], x: Ref[f64, "n"], q: Ref[i32, "n"]',
            "for i in parallel(n):",
            "    y[i] = x[min(max(i64(q[i]) * 4, 0), n - 1)]",
        ),
        unseen="the wrapped value is clamped as well",
    ),
    twin(
        "32-bit product that guards an access",
        _k('y: Mut[f64, "n"], t: i32', "for i in parallel(n):", "    if i32(i) * t > 100:", "        y[i] = 1.0"),
        [("KP0601", "i32(i) * t")],
        _k('y: Mut[f64, "n"], t: i32', "for i in parallel(n):", "    if i64(t) * i64(t) > 100:", "        y[i] = 1.0"),
        unseen="the access is in bounds either way",
    ),
    twin(
        "64-bit sum wraps before it is compared",
        _k(
            'y: Mut[f64, "n"], x: Ref[f64, "n"], q: Mut[i64, "n"]',
            "for i in parallel(n):",
            "    k = q[i]",
            "    if k >= 0 and k + 1 < n:",
            "        y[i] = x[k + 1]",
        ),
        [("KP0302", "x[k + 1]")],
        _k(
            'y: Mut[f64, "n"], x: Ref[f64, "n"], q: Mut[i64, "n"]',
            "for i in parallel(n):",
            "    k = q[i]",
            "    if k >= 0 and k < n - 1:",
            "        y[i] = x[k + 1]",
        ),
    ),
]

_COUNTED = 'y: Mut[f64, "n"], x: Ref[f64, "n"], c: Atomic[i64, 1]'

ATOMICS = [
    twin(
        "atomic update past the end",
        _k('a: Atomic[f64, "n"]', "for i in parallel(n):", "    a[i + 1] += 1.0"),
        [("KP0301", "a[i + 1]")],
        _k('a: Atomic[f64, "n"]', "for i in parallel(n - 1):", "    a[i + 1] += 1.0"),
    ),
    twin(
        "bins without atomic updates",
        _k('h: Mut[f64, 4], x: Ref[f64, "n"]', "for i in parallel(n):", "    h[i % 4] += x[i]"),
        [("KP0401", "h[i % 4]")],
        _k('h: Atomic[f64, 4], x: Ref[f64, "n"]', "for i in parallel(n):", "    h[i % 4] += x[i]"),
    ),
    twin(
        "a counter's old value as an index",
        _k(_COUNTED, "for i in parallel(n):", "    y[i] = x[c[0].add(1)]"),
        [("KP0302", "x[c[0].add(1)]")],
        _k(_COUNTED, "for i in parallel(n):", "    y[i] = x[min(max(c[0].add(1), 0), n - 1)]"),
    ),
    twin(
        "a counter read twice is two values",
        _k(
            _COUNTED,
            "for i in parallel(n):",
            "    if 0 <= c[0].add(1) and c[0].add(0) < n:",
            "        y[i] = x[c[0].add(0)]",
        ),
        [("KP0302", "x[c[0].add(0)]")],
        _k(
            _COUNTED,
            "for i in parallel(n):",
            "    k = c[0].add(1)",
            "    if 0 <= k and k < n:",
            "        y[i] = x[k]",
        ),
    ),
    twin(
        "a ticket is not known to be one thread's own",
        _k(
            _COUNTED,
            "for i in parallel(n):",
            "    k = c[0].bit_and(3)",
            "    if 0 <= k and k < n:",
            "        y[k] = x[i]",
        ),
        [("KP0402", "y[k]")],
        _k(
            'y: Atomic[f64, "n"], x: Ref[f64, "n"], c: Atomic[i64, 1]',
            "for i in parallel(n):",
            "    k = c[0].bit_and(3)",
            "    if 0 <= k and k < n:",
            "        y[k].exchange(x[i])",
        ),
    ),
    twin(
        "an element written only where a counter says so",
        _k(
            'y: Out[f64, "n"], c: Atomic[i64, 1]',
            "for i in parallel(n):",
            "    if c[0].add(1) > 2:",
            "        y[i] = 1.0",
        ),
        [("KP0503", 'y: Out[f64, "n"]')],
        _k(
            'y: Out[f64, "n"], c: Atomic[i64, 1]',
            "for i in parallel(n):",
            "    y[i] = 1.0 if c[0].add(1) > 2 else 0.0",
        ),
    ),
]

TWINS = [*BOUNDS, *RACES, *OUTPUTS, *ARITHMETIC, *ATOMICS]
