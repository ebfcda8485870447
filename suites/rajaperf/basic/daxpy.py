"""DAXPY: y = a x + y. Source: RAJAPerf src/basic/DAXPY.{hpp,cpp}; BLAS level 1."""

from kparity.compiler import Mut, Ref, f64, kernel, parallel
from kparity.suites import Arguments, Array, Spec, Work
from kparity.suites.rajaperf import NORMAL, Fill


@kernel
def daxpy(y: Mut[f64, "n"], x: Ref[f64, "n"], a: f64):
    for i in parallel(n):
        y[i] += a * x[i]


def reference(y: Array, x: Array, a: float) -> None:
    y += a * x


def data(n: int, fill: Fill) -> Arguments:
    return {"y": fill.constant(n, 0.0), "x": fill.ramp(n), "a": fill.scalar()}


SPEC = Spec(
    "DAXPY", program=daxpy, reference=reference, data=data, size=1_000_000, repetitions=500,
    checksum=("y",), tolerance=NORMAL, features=("Forall",),
    work=lambda n: Work(bytes_read=16 * n, bytes_written=8 * n, flops=2 * n),
)  # fmt: skip
