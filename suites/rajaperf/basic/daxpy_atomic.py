"""DAXPY_ATOMIC: y = a x + y, each update an uncontended atomic. Source: RAJAPerf src/basic/DAXPY_ATOMIC.{hpp,cpp}."""

from kparity.compiler import Atomic, Ref, f64, kernel, parallel
from kparity.suites import Arguments, Array, Spec, Work
from kparity.suites.rajaperf import NORMAL, Fill


@kernel
def daxpy_atomic(y: Atomic[f64, "n"], x: Ref[f64, "n"], a: f64):
    for i in parallel(n):
        y[i] += a * x[i]


def reference(y: Array, x: Array, a: float) -> None:
    y += a * x


def data(n: int, fill: Fill) -> Arguments:
    return {"y": fill.constant(n, 0.0), "x": fill.ramp(n), "a": fill.scalar()}


SPEC = Spec(
    "DAXPY_ATOMIC", program=daxpy_atomic, reference=reference, data=data, size=1_000_000, repetitions=500,
    checksum=("y",), tolerance=NORMAL, features=("Forall", "Atomic"),
    work=lambda n: Work(bytes_read=8 * n, bytes_written=0, bytes_atomic=8 * n, flops=2 * n),
)  # fmt: skip
