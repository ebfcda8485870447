"""Prefix sums, in three launches: the sum of each tile, the scan of these sums, the scan of each tile from its own on.

A tile is what one team holds in its shared memory. Its threads load it side by side, sum up stretches of neighbours,
and scan the sums of the stretches, adding up at halving distances. A stretch has an odd length, so that neighbouring
threads' stretches lie in different banks of the memory.
"""

from typing import Any

from ..decorators import Program, kernel, program
from ..frontend.language import (
    Out,
    Overloads,
    Ref,
    ceildiv,
    f32,
    f64,
    i32,
    i64,
    require,
    scratch,
    shared,
    teams,
    threads,
)

THREADS = 256
STRETCH = 11
TILE = THREADS * STRETCH
STEPS = 8  # 2 ** STEPS == THREADS


def _scan(T: Any, inclusive: bool) -> Program:
    """Return `scan(y, x)`: y[i] = x[0] + ... + x[i - 1], and x[i] as well if it is an inclusive one."""
    OWN = int(inclusive)

    @kernel
    def sum_tiles(sums: Out[T, "m"], x: Ref[T, "n"]):
        for b in teams(m):
            partial = shared(T, THREADS)
            for t in threads(THREADS):
                total = T(0)
                for k in range(STRETCH):
                    i = b * TILE + k * THREADS + t
                    if i < n:
                        total += x[i]
                partial[t] = total
            half = THREADS // 2
            while half > 0:
                for t in threads(half):
                    partial[t] += partial[t + half]
                half //= 2
            for t in threads(1):
                sums[b] = partial[0]

    @kernel
    def scan_sums(starts: Out[T, "m"], sums: Ref[T, "m"]):
        for b in teams(1):
            tile, partial, carry = shared(T, TILE), shared(T, 2, THREADS), shared(T, 1, fill=0)
            for c in range(ceildiv(m, TILE)):
                for t in threads(THREADS):
                    for k in range(STRETCH):
                        i = c * TILE + k * THREADS + t
                        tile[k * THREADS + t] = sums[i] if i < m else T(0)
                for t in threads(THREADS):
                    total = T(0)
                    for k in range(STRETCH):
                        total += tile[t * STRETCH + k]
                    partial[0, t] = total
                distance = THREADS
                for d in range(STEPS):
                    distance //= 2
                    for t in threads(THREADS):
                        total = partial[d % 2, t]
                        if 0 < distance <= t:
                            total += partial[d % 2, t - distance]
                        partial[(d + 1) % 2, t] = total
                for t in threads(THREADS):
                    running = carry[0]
                    if t > 0:
                        running += partial[STEPS % 2, t - 1]
                    for k in range(STRETCH):
                        own = tile[t * STRETCH + k]
                        tile[t * STRETCH + k] = running
                        running += own
                for t in threads(THREADS):
                    for k in range(STRETCH):
                        i = c * TILE + k * THREADS + t
                        if i < m:
                            starts[i] = tile[k * THREADS + t]
                for t in threads(1):
                    carry[0] += partial[STEPS % 2, THREADS - 1]

    @kernel
    def scan_tiles(y: Out[T, "n"], x: Ref[T, "n"], starts: Ref[T, "m"]):
        require(m >= ceildiv(n, TILE))
        for b in teams(ceildiv(n, TILE)):
            tile = shared(T, TILE)
            partial = shared(T, 2, THREADS)
            for t in threads(THREADS):
                for k in range(STRETCH):
                    i = b * TILE + k * THREADS + t
                    tile[k * THREADS + t] = x[i] if i < n else T(0)
            for t in threads(THREADS):
                total = T(0)
                for k in range(STRETCH):
                    total += tile[t * STRETCH + k]
                partial[0, t] = total
            distance = THREADS
            for d in range(STEPS):
                distance //= 2
                for t in threads(THREADS):
                    total = partial[d % 2, t]
                    if 0 < distance <= t:
                        total += partial[d % 2, t - distance]
                    partial[(d + 1) % 2, t] = total
            for t in threads(THREADS):
                running = starts[b]
                if t > 0:
                    running += partial[STEPS % 2, t - 1]
                for k in range(STRETCH):
                    own = tile[t * STRETCH + k]
                    tile[t * STRETCH + k] = running + own if OWN == 1 else running
                    running += own
            for t in threads(THREADS):
                for k in range(STRETCH):
                    i = b * TILE + k * THREADS + t
                    if i < n:
                        y[i] = tile[k * THREADS + t]

    @program
    def scan(y: Out[T, "n"], x: Ref[T, "n"]):
        sums = scratch(T, ceildiv(n, TILE))
        starts = scratch(T, ceildiv(n, TILE))
        sum_tiles(sums, x)
        scan_sums(starts, sums)
        scan_tiles(y, x, starts)

    return scan


def _overloads(name: str, *, inclusive: bool) -> Overloads:
    return Overloads(name, {T.name: _scan(T, inclusive) for T in (f64, f32, i64, i32)})


exclusive_scan: Any = _overloads("exclusive_scan", inclusive=False)
"""`exclusive_scan(y, x)`: y[i] = x[0] + ... + x[i - 1]."""

inclusive_scan: Any = _overloads("inclusive_scan", inclusive=True)
"""`inclusive_scan(y, x)`: y[i] = x[0] + ... + x[i]."""
