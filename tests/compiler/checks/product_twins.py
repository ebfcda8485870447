"""Kernels with products in their indices, and a faulty twin of each."""

from __future__ import annotations

from .twins import _k, twin

_FLAT = 'y: Mut[f64, "size"], n: i64, m: i64'

PRODUCTS = [
    twin(
        "flattened rows that overlap",
        _k(_FLAT, "require(n * m <= size)", "for i, j in parallel(n, m):", "    y[i*n + j] = 1.0"),
        [("KP0302", "y[i*n + j]")],
        _k(_FLAT, "require(n * m <= size)", "for i, j in parallel(n, m):", "    y[i*m + j] = 1.0"),
    ),
    twin(
        "flattened row wrap: the last thread of a row meets the first of the next",
        _k(_FLAT, "require(n * m <= size)", "for i, j in parallel(n, m - 1):", "    y[i*m + j] = y[i*m + j + 1]"),
        [("KP0401", "y[i*m + j]")],
        _k(_FLAT, "require(n * m <= size)", "for i, j in parallel(n, m):", "    y[i*m + j] = 2.0 * y[j + m*i]"),
    ),
    twin(
        "flattened in three dimensions, one row too many",
        _k(_FLAT + ", l: i64", "for i, j, k in parallel(n, m, l):", "    y[((i + 1)*m + j - m)*l + k - l] = 1.0"),
        [("KP0302", "y[((i + 1)*m + j - m)*l + k - l]")],
        _k(_FLAT + ", l: i64", "for i, j, k in parallel(n, m, l):", "    y[((i + 1)*m + j - m)*l + k] = 1.0"),
        guards=1,
    ),
    twin(
        "windows of a symbolic stride that overlap",
        _k(
            _FLAT,
            "require(0 < m and n * m + 1 <= size)",
            "for i in parallel(n):",
            "    for j in range(m + 1):",
            "        y[i*m + j] += 1.0",
        ),
        [("KP0401", "y[i*m + j]")],
        _k(
            _FLAT,
            "require(0 < m and n * m + 1 <= size)",
            "for i in parallel(n):",
            "    for j in range(m):",
            "        y[i*m + j] += 1.0",
        ),
    ),
    twin(
        "strided gather without a condition on the stride",
        _k(_FLAT + ', x: Mut[f64, "n"]', "for i in parallel(n):", "    x[i] = y[i * m]"),
        [("KP0302", "y[i * m]")],
        _k(
            _FLAT + ', x: Mut[f64, "n"]',
            "require(m >= 0)",
            "require((n - 1) * m < size)",
            "for i in parallel(n):",
            "    x[i] = y[i * m]",
        ),
    ),
    twin(
        "remainder of a symbolic divisor",
        _k(_FLAT, "require(m > 0 and m <= size and m < n)", "for i in parallel(n):", "    y[i % m] = 1.0"),
        [("KP0401", "y[i % m]")],
        _k(_FLAT, "require(m > 0 and m <= size and n <= m)", "for i in parallel(n):", "    y[i % m] = 1.0"),
    ),
    twin(
        "blocks of a symbolic size that overlap by one",
        _k(
            'y: Mut[f64, "n"], b: i64',
            "require(b > 0)",
            "for t in parallel(ceildiv(n, b)):",
            "    for i in range(t * b, min((t + 1) * b, n - 1) + 1):",
            "        y[i] += 1.0",
        ),
        [("KP0401", "y[i]")],
        _k(
            'y: Mut[f64, "n"], b: i64',
            "require(b > 0)",
            "for t in parallel(ceildiv(n, b)):",
            "    for i in range(t * b, min((t + 1) * b, n)):",
            "        y[i] += 1.0",
        ),
        guards=1,
    ),
]
