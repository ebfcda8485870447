"""MAT_MAT_SHARED: C = A B by tiles in shared memory. Source: RAJAPerf src/basic/MAT_MAT_SHARED.{hpp,cpp}."""

import numpy as np

from kparity.compiler import Out, Ref, ceildiv, f64, kernel, private, shared, teams, threads
from kparity.suites import Arguments, Array, Spec, Work
from kparity.suites.rajaperf import NORMAL, Fill, square_side

TILE = 16


@kernel
def mat_mat_shared(c: Out[f64, "n", "n"], a: Ref[f64, "n", "n"], b: Ref[f64, "n", "n"]):
    for by, bx in teams(ceildiv(n, TILE), ceildiv(n, TILE)):
        ta, tb = shared(f64, TILE, TILE), shared(f64, TILE, TILE)
        total = private(f64, threads=(TILE, TILE), fill=0.0)
        for t in range(ceildiv(n, TILE)):
            for y, x in threads(TILE, TILE):
                row, column, k = by * TILE + y, bx * TILE + x, t * TILE
                ta[y, x] = a[row, k + x] if row < n and k + x < n else 0.0
                tb[y, x] = b[k + y, column] if k + y < n and column < n else 0.0
            for y, x in threads(TILE, TILE):
                for k in range(TILE):
                    total[y, x] += ta[y, k] * tb[k, x]
        for y, x in threads(TILE, TILE):
            row, column = by * TILE + y, bx * TILE + x
            if row < n and column < n:
                c[row, column] = total[y, x]


def reference(c: Array, a: Array, b: Array) -> None:
    np.matmul(a, b, out=c)


def data(size: int, fill: Fill) -> Arguments:
    n = square_side(size)
    arrays = {name: fill.constant((n, n), value) for name, value in (("a", 1.0), ("b", 1.0), ("c", 0.0))}
    return {name: arrays[name] for name in ("c", "a", "b")}


def work(size: int) -> Work:
    # RAJAPerf counts the multiplications of whole tiles, also where they stick out of the matrix.
    n = square_side(size)
    padded = TILE * -(-n // TILE)
    return Work(bytes_read=2 * 8 * n * n, bytes_written=8 * n * n, flops=2 * padded**3)


SPEC = Spec(
    "MAT_MAT_SHARED", program=mat_mat_shared, reference=reference, data=data, size=1_000_000, repetitions=5,
    actual_size=lambda size: square_side(size) ** 2,
    checksum=("c",), tolerance=NORMAL, features=("Launch",), work=work,
)  # fmt: skip
