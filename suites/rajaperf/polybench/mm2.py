"""2MM: two matrix products in a chain, D = beta + (alpha A B) C.

Source: RAJAPerf src/polybench/POLYBENCH_2MM.{hpp,cpp}; PolyBench.
"""

from kparity.compiler import Out, Ref, f64, kernel, parallel, program
from kparity.suites import Arguments, Array, Spec, Work
from kparity.suites.rajaperf import NORMAL, Fill, square_side


@kernel
def multiply(tmp: Out[f64, "ni", "nj"], a: Ref[f64, "ni", "nk"], b: Ref[f64, "nk", "nj"], alpha: f64):
    for i, j in parallel(ni, nj):
        dot = 0.0
        for k in range(nk):
            dot += alpha * a[i, k] * b[k, j]
        tmp[i, j] = dot


@kernel
def multiply_onto(d: Out[f64, "ni", "nl"], tmp: Ref[f64, "ni", "nj"], c: Ref[f64, "nj", "nl"], beta: f64):
    for i, j in parallel(ni, nl):
        dot = beta
        for k in range(nj):
            dot += tmp[i, k] * c[k, j]
        d[i, j] = dot


@program
def mm2(
    tmp: Out[f64, "ni", "nj"],
    a: Ref[f64, "ni", "nk"],
    b: Ref[f64, "nk", "nj"],
    c: Ref[f64, "nj", "nl"],
    d: Out[f64, "ni", "nl"],
    alpha: f64,
    beta: f64,
):
    multiply(tmp, a, b, alpha)
    multiply_onto(d, tmp, c, beta)


def reference(tmp: Array, a: Array, b: Array, c: Array, d: Array, alpha: float, beta: float) -> None:
    tmp[:] = alpha * (a @ b)
    d[:] = beta + tmp @ c


def extents(size: int) -> tuple[int, int]:
    """Return the side of the square matrices, and the extent that A and B share."""
    n = square_side(size)
    return n, int(1120 / 1000.0 * n)


def data(size: int, fill: Fill) -> Arguments:
    n, nk = extents(size)
    return {
        "tmp": fill.ramp((n, n)), "a": fill.ramp((n, nk)), "b": fill.ramp((nk, n)), "c": fill.ramp((n, n)),
        "d": fill.constant((n, n), 0.0), "alpha": 1.5, "beta": 1.2,
    }  # fmt: skip


def work(size: int) -> Work:
    n, nk = extents(size)
    read = 2 * n * nk + 2 * n * n
    return Work(bytes_read=8 * read, bytes_written=2 * 8 * n * n, flops=3 * n * n * nk + 2 * n**3)


SPEC = Spec(
    "2MM", program=mm2, reference=reference, data=data, size=1_000_000, repetitions=2,
    actual_size=lambda size: square_side(size) ** 2,
    checksum=("d",), tolerance=NORMAL, features=("Kernel",), work=work,
)  # fmt: skip
