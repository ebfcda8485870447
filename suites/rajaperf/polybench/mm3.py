"""3MM: three matrix products, G = (A B) (C D). Source: RAJAPerf src/polybench/POLYBENCH_3MM.{hpp,cpp}; PolyBench."""

import numpy as np

from kparity.compiler import Out, Ref, f64, kernel, parallel, program
from kparity.suites import Arguments, Array, Spec, Work
from kparity.suites.rajaperf import NORMAL, Fill, square_side


@kernel
def multiply(product: Out[f64, "rows", "columns"], left: Ref[f64, "rows", "m"], right: Ref[f64, "m", "columns"]):
    for i, j in parallel(rows, columns):
        dot = 0.0
        for k in range(m):
            dot += left[i, k] * right[k, j]
        product[i, j] = dot


@program
def mm3(
    a: Ref[f64, "ni", "nk"],
    b: Ref[f64, "nk", "nj"],
    c: Ref[f64, "nj", "nm"],
    d: Ref[f64, "nm", "nl"],
    e: Out[f64, "ni", "nj"],
    f: Out[f64, "nj", "nl"],
    g: Out[f64, "ni", "nl"],
):
    multiply(e, a, b)
    multiply(f, c, d)
    multiply(g, e, f)


def reference(a: Array, b: Array, c: Array, d: Array, e: Array, f: Array, g: Array) -> None:
    np.matmul(a, b, out=e)
    np.matmul(c, d, out=f)
    np.matmul(e, f, out=g)


def extents(size: int) -> tuple[int, int, int]:
    """Return the side of E, F and G, and the extents that A and B, and C and D, share."""
    n = square_side(size)
    return n, int(1010 / 1000.0 * n), int(1200 / 1000.0 * n)


def data(size: int, fill: Fill) -> Arguments:
    n, nk, nm = extents(size)
    return {
        "a": fill.ramp((n, nk)), "b": fill.ramp((nk, n)), "c": fill.ramp((n, nm)), "d": fill.ramp((nm, n)),
        "e": fill.constant((n, n), 0.0), "f": fill.constant((n, n), 0.0), "g": fill.constant((n, n), 0.0),
    }  # fmt: skip


def work(size: int) -> Work:
    n, nk, nm = extents(size)
    read = 2 * n * nk + 2 * n * nm + 2 * n * n
    return Work(bytes_read=8 * read, bytes_written=3 * 8 * n * n, flops=2 * n * n * (nk + nm + n))


SPEC = Spec(
    "3MM", program=mm3, reference=reference, data=data, size=1_000_000, repetitions=2,
    actual_size=lambda size: square_side(size) ** 2,
    checksum=("g",), tolerance=NORMAL, features=("Kernel",), work=work,
)  # fmt: skip
