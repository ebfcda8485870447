"""COPY: c = a. Source: RAJAPerf src/stream/COPY.{hpp,cpp}; McCalpin's STREAM."""

from kparity.compiler import Out, Ref, f64, kernel, parallel
from kparity.suites import Arguments, Array, Spec, Work
from kparity.suites.rajaperf import ZERO, Fill


@kernel
def copy(a: Ref[f64, "n"], c: Out[f64, "n"]):
    for i in parallel(n):
        c[i] = a[i]


def reference(a: Array, c: Array) -> None:
    c[:] = a


def data(n: int, fill: Fill) -> Arguments:
    return {"a": fill.ramp(n), "c": fill.constant(n, 0.0)}


SPEC = Spec(
    "COPY", program=copy, reference=reference, data=data, size=1_000_000, repetitions=1800,
    checksum=("c",), tolerance=ZERO, features=("Forall",), rtol=0.0,
    work=lambda n: Work(bytes_read=8 * n, bytes_written=8 * n, flops=0),
)  # fmt: skip
