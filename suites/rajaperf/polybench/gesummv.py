"""GESUMMV: y = alpha A x + beta B x. Source: RAJAPerf src/polybench/POLYBENCH_GESUMMV.{hpp,cpp}; PolyBench."""

from kparity.compiler import Out, Ref, f64, kernel, parallel
from kparity.suites import Arguments, Array, Spec, Work
from kparity.suites.rajaperf import NORMAL, Fill, square_side


@kernel
def gesummv(
    x: Ref[f64, "n"],
    y: Out[f64, "n"],
    a: Ref[f64, "n", "n"],
    b: Ref[f64, "n", "n"],
    alpha: f64,
    beta: f64,
):
    for i in parallel(n):
        ax = 0.0
        bx = 0.0
        for j in range(n):
            ax += a[i, j] * x[j]
            bx += b[i, j] * x[j]
        y[i] = alpha * ax + beta * bx


def reference(x: Array, y: Array, a: Array, b: Array, alpha: float, beta: float) -> None:
    y[:] = alpha * (a @ x) + beta * (b @ x)


def data(size: int, fill: Fill) -> Arguments:
    n = square_side(size)
    arrays = {"x": fill.ramp(n), "y": fill.constant(n, 0.0), "a": fill.ramp((n, n)), "b": fill.ramp((n, n))}
    return arrays | {"alpha": 0.62, "beta": 1.002}


def work(size: int) -> Work:
    n = square_side(size)
    return Work(bytes_read=2 * 8 * n * n + 8 * n, bytes_written=8 * n, flops=4 * n * n + 3 * n)


SPEC = Spec(
    "GESUMMV", program=gesummv, reference=reference, data=data, size=1_000_000, repetitions=120,
    actual_size=lambda size: square_side(size) ** 2,
    checksum=("y",), tolerance=NORMAL, features=("Kernel",), work=work,
)  # fmt: skip
