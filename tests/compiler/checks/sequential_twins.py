"""Pairs of kernels with loops that end early and local arrays: one at fault, one repaired."""

from __future__ import annotations

from .twins import Twin, _k, twin

_XY = 'y: Mut[f64, "n"], x: Ref[f64, "n"]'
_OUT = 'y: Out[f64, "n"], x: Ref[f64, "n"]'


def _of_thread(*lines: str, parameters: str = _XY) -> str:
    return _k(parameters, "for i in parallel(n):", *("    " + line for line in lines))


LOOPS: list[Twin] = [
    twin(
        "a counter behind a loop of step two",
        _of_thread("s = local(f64, 3, fill=0.0)", "c = 0", "for j in range(0, 5, 2):", "    c += 1", "y[i] = s[c]"),
        [("KP0301", "s[c]")],
        _of_thread("s = local(f64, 4, fill=0.0)", "c = 0", "for j in range(0, 5, 2):", "    c += 1", "y[i] = s[c]"),
    ),
    twin(
        "a counter that a continue leaves behind",
        _of_thread(
            "s = local(f64, 4, fill=0.0)", "c = 0", "for j in range(4):", "    if x[j % n] > 0.0:", "        continue",
            "    c += 1", "y[i] = s[4 - c]",
        ),
        [("KP0302", "s[4 - c]")],
        _of_thread(
            "s = local(f64, 5, fill=0.0)", "c = 0", "for j in range(4):", "    if x[j % n] > 0.0:", "        continue",
            "    c += 1", "y[i] = s[4 - c]",
        ),
    ),
    twin(
        "a counter of two loops",
        _of_thread(
            "s = local(f64, 6, fill=0.0)", "c = 0", "for j in range(2):", "    for l in range(3):", "        c += 1",
            "y[i] = s[c]",
        ),
        [("KP0301", "s[c]")],
        _of_thread(
            "s = local(f64, 7, fill=0.0)", "c = 0", "for j in range(2):", "    for l in range(3):", "        c += 1",
            "y[i] = s[c]",
        ),
    ),
    twin(
        "break: nothing has been passed before the first iteration",
        _of_thread("for j in range(3):", "    y[i] += x[i - 1]", "    if j >= i - 1:", "        break"),
        [("KP0301", "x[i - 1]")],
        _of_thread("for j in range(3):", "    if j == i - 1:", "        y[i] += x[i - 1]", "        break"),
    ),
    twin(
        "local: written until data say no",
        _of_thread(
            "s = local(f64, 4)", "j = 0", "while j < 4:", "    s[j] = 1.0", "    if x[i] > 0.0:", "        break",
            "    j += 1", "y[i] = s[3]",
        ),
        [("KP0502", "s[3]")],
        _of_thread(
            "s = local(f64, 4, fill=0.0)", "j = 0", "while j < 4:", "    s[j] = 1.0", "    if x[i] > 0.0:",
            "        break", "    j += 1", "y[i] = s[3]",
        ),
    ),
    twin(
        "while: one step too far",
        _of_thread("j = i", "while j <= n:", "    y[i] += x[j]", "    j += 1"),
        [("KP0301", "x[j]")],
        _of_thread("j = i", "while j < n:", "    y[i] += x[j]", "    j += 1"),
    ),
    twin(
        "while: below zero",
        _of_thread("j = i", "while j >= 0:", "    y[i] += x[j - 1]", "    j -= 1"),
        [("KP0301", "x[j - 1]")],
        _of_thread("j = i", "while j > 0:", "    y[i] += x[j - 1]", "    j -= 1"),
    ),
    twin(
        "a power of two as an index",
        _of_thread("for k in range(8):", "    y[i] += z[1 << k]", parameters=_XY + ", z: Ref[f64, 128]"),
        [("KP0302", "z[1 << k]")],
        _of_thread("for k in range(7):", "    y[i] += z[1 << k]", parameters=_XY + ", z: Ref[f64, 128]"),
    ),
    twin(
        "a multiple of a power of two in 32 bits, back from a place that is reached",
        _of_thread("for k in range(12):", "    if i >= (i32(3) << i32(k)) - 1:", "        y[i] += x[i - (3 << k)]"),
        [("KP0302", "x[i - (3 << k)]")],
        _of_thread("for k in range(12):", "    if i >= (i32(3) << i32(k)):", "        y[i] += x[i - (3 << k)]"),
    ),
    twin(
        "a sum of data, tested before it is an index",
        _of_thread("at = i + z[i]", "if at >= 0:", "    y[i] += x[at]", parameters=_XY + ", z: Mut[i64, 'n']"),
        [("KP0302", "x[at]")],
        _of_thread("at = i + z[i]", "if at >= 0 and at < n:", "    y[i] += x[at]",
                   parameters=_XY + ", z: Mut[i64, 'n']"),
    ),
    twin(
        "data in bounds, and a sum that is tested without need",
        _of_thread("c = z[i]", "if c >= 0 and c < n:", "    if c + 1 > 0:", "        y[i] += x[c + 1]",
                   parameters=_XY + ", z: Mut[i64, 'n']"),
        [("KP0302", "x[c + 1]")],
        _of_thread("c = z[i]", "if c >= 0 and c < n - 1:", "    if c + 1 > 0:", "        y[i] += x[c + 1]",
                   parameters=_XY + ", z: Mut[i64, 'n']"),
    ),
    twin(
        "after a while: the limit is reached",
        _of_thread("j = 0", "while j < n and x[j] > 0.0:", "    j += 1", "y[i] = x[j]"),
        [("KP0302", "x[j]")],
        _of_thread("j = 0", "while j + 1 < n and x[j] > 0.0:", "    j += 1", "y[i] = x[j]"),
    ),
    twin(
        "a counter that steps over its limit",
        _of_thread("j = 0", "while j != i:", "    j += 2", "    y[i] += x[j - 2]"),
        [("KP0601", "j"), ("KP0301", "x[j - 2]")],
        _of_thread("j = 0", "while j != i:", "    j += 1", "    y[i] += x[j - 1]"),
    ),
    twin(
        "a counter that nothing stops",
        _of_thread("c = 0", "while x[min(c, n - 1)] > 0.0:", "    c += 1", "y[i] = f64(c)"),
        [("KP0601", "c")],
        _of_thread("c = 0", "while c < 100 and x[min(c, n - 1)] > 0.0:", "    c += 1", "y[i] = f64(c)"),
        unseen="the oracle stops threads after a few hundred iterations",
    ),
    twin(
        "while: an early test is no test of the later iterations",
        _of_thread("j = i", "if j < n:", "    while x[j] > 0.0:", "        j += 1"),
        [("KP0301", "x[j]")],
        _of_thread("j = i", "while j < n and x[j] > 0.0:", "    j += 1"),
    ),
    twin(
        "break: tested behind the access",
        _of_thread("j = i", "while True:", "    y[i] += x[j]", "    j += 1", "    if j > n:", "        break"),
        [("KP0301", "x[j]")],
        _of_thread("j = i", "while True:", "    y[i] += x[j]", "    j += 1", "    if j >= n:", "        break"),
    ),
    twin(
        "break: the index where none was found",
        _of_thread("found = n", "for j in range(n):", "    if x[j] > 0.0:", "        found = j", "        break",
                   "y[i] = x[found]"),
        [("KP0302", "x[found]")],
        _of_thread("found = n", "for j in range(n):", "    if x[j] > 0.0:", "        found = j", "        break",
                   "if found < n:", "    y[i] = x[found]"),
    ),
    twin(
        "break: a default where none was found",
        _of_thread("found = n", "for j in range(n):", "    if x[j] > 0.0:", "        found = j", "        break",
                   "y[i] = x[found]"),
        [("KP0302", "x[found]")],
        _of_thread("found = n - 1", "for j in range(n):", "    if x[j] > 0.0:", "        found = j", "        break",
                   "y[i] = x[found]"),
    ),
    twin(
        "continue: the wrong ones are left out",
        _of_thread("for j in range(n):", "    if j + 1 < n:", "        continue", "    y[i] += x[j + 1]"),
        [("KP0301", "x[j + 1]")],
        _of_thread("for j in range(n):", "    if j + 1 >= n:", "        continue", "    y[i] += x[j + 1]"),
    ),
    twin(
        "break: another thread's elements",
        _of_thread("for j in range(n):", "    if j > i:", "        break", "    y[j] = x[i]"),
        [("KP0401", "y[j]")],
        _of_thread("for j in range(n):", "    if j > i:", "        break", "    if j == i:", "        y[j] = x[i]"),
    ),
    twin(
        "an `Out` written in a loop that may not run",
        _of_thread("j = 0", "while j < 1 and x[i] > 0.0:", "    y[i] = x[i]", "    j += 1", parameters=_OUT),
        [("KP0503", 'y: Out[f64, "n"]')],
        _of_thread("y[i] = 0.0", "j = 0", "while j < 1 and x[i] > 0.0:", "    y[i] = x[i]", "    j += 1",
                   parameters=_OUT),
    ),
    twin(
        "an `Out` written after a break",
        _of_thread("for j in range(3):", "    if x[i] > 0.0:", "        break", "    y[i] = x[i]", parameters=_OUT),
        [("KP0503", 'y: Out[f64, "n"]')],
        _of_thread("for j in range(3):", "    y[i] = x[i]", "    if x[i] > 0.0:", "        y[i] = 0.0",
                   parameters=_OUT),
    ),
]  # fmt: skip

BUFFERS: list[Twin] = [
    twin(
        "local: past the end",
        _of_thread("s = local(f64, 4, fill=0.0)", "for j in range(5):", "    s[j] = x[i]", "y[i] = s[0]"),
        [("KP0301", "s[j]")],
        _of_thread("s = local(f64, 4, fill=0.0)", "for j in range(4):", "    s[j] = x[i]", "y[i] = s[0]"),
    ),
    twin(
        "local: below the start, in the second dimension",
        _of_thread("s = local(f64, 4, 4, fill=0.0)", "for j in range(4):", "    s[0, 2 - j] = x[i]", "y[i] = s[0, 0]"),
        [("KP0301", "s[0, 2 - j]")],
        _of_thread("s = local(f64, 4, 4, fill=0.0)", "for j in range(4):", "    s[0, 3 - j] = x[i]", "y[i] = s[0, 0]"),
    ),
    twin(
        "local: a list that may grow too long",
        _of_thread("s = local(f64, 3, fill=0.0)", "c = 0", "for j in range(4):", "    if x[i] > f64(j - 9):",
                   "        s[c] = x[i]", "        c += 1", "y[i] = s[0]"),
        [("KP0302", "s[c]")],
        _of_thread("s = local(f64, 4, fill=0.0)", "c = 0", "for j in range(4):", "    if x[i] > f64(j - 9):",
                   "        s[c] = x[i]", "        c += 1", "y[i] = s[0]"),
    ),
    twin(
        "local: written on one path",
        _of_thread("s = local(f64, 2)", "if x[i] > 0.0:", "    s[0] = x[i]", "y[i] = s[0]"),
        [("KP0502", "s[0]")],
        _of_thread("s = local(f64, 2)", "s[0] = 0.0", "if x[i] > 0.0:", "    s[0] = x[i]", "y[i] = s[0]"),
    ),
    twin(
        "local: one element left out",
        _of_thread("s = local(f64, 4)", "for j in range(3):", "    s[j] = x[i]", "y[i] = s[3]"),
        [("KP0502", "s[3]")],
        _of_thread("s = local(f64, 4)", "for j in range(4):", "    s[j] = x[i]", "y[i] = s[3]"),
    ),
    twin(
        "local: skipped by continue",
        _of_thread("s = local(f64, 4)", "for j in range(4):", "    if j == i:", "        continue",
                   "    s[j] = x[i]", "y[i] = s[3]"),
        [("KP0502", "s[3]")],
        _of_thread("s = local(f64, 4, fill=0.0)", "for j in range(4):", "    if j == i:", "        continue",
                   "    s[j] = x[i]", "y[i] = s[3]"),
    ),
    twin(
        "local: left before it is written",
        _of_thread("s = local(f64, 4)", "for j in range(4):", "    if x[i] > f64(j):", "        break",
                   "    s[j] = x[i]", "y[i] = s[3]"),
        [("KP0502", "s[3]")],
        _of_thread("s = local(f64, 4)", "for j in range(4):", "    s[j] = 0.0", "for j in range(4):",
                   "    if x[i] > f64(j):", "        break", "    s[j] = x[i]", "y[i] = s[3]"),
    ),
    twin(
        "local: filled by a while that may not run to its end",
        _of_thread("s = local(f64, 4)", "j = 0", "while j < 4 and x[i] > 0.0:", "    s[j] = x[i]", "    j += 1",
                   "y[i] = s[0]"),
        [("KP0502", "s[0]")],
        _of_thread("s = local(f64, 4)", "s[0] = 1.0", "j = 1", "while j < 4:",
                   "    s[j] = x[i] + s[j - 1]", "    j += 1", "y[i] = s[0]"),
    ),
    twin(
        "local: a new one in each iteration",
        _of_thread("for j in range(3):", "    s = local(f64, 2)", "    if j == 0:", "        s[0] = x[i]",
                   "    y[i] += s[0]"),
        [("KP0502", "s[0]")],
        _of_thread("s = local(f64, 2)", "for j in range(3):", "    if j == 0:", "        s[0] = x[i]",
                   "    y[i] += s[0]"),
    ),
    twin(
        "local: an element of an earlier iteration, of a loop that is over",
        _of_thread("s = local(f64, 4)", "for l in range(2):", "    for j in range(4):",
                   "        if x[j % n] > 0.0:", "            break", "        s[j] = 1.0",
                   "    if l == 1:", "        y[i] = s[0]"),
        [("KP0502", "s[0]")],
        _of_thread("s = local(f64, 4)", "s[0] = 0.0", "for l in range(2):", "    for j in range(4):",
                   "        if x[j % n] > 0.0:", "            break", "        s[j] = 1.0",
                   "    if l == 1:", "        y[i] = s[0]"),
    ),
]  # fmt: skip

SEQUENTIAL = [*LOOPS, *BUFFERS]
