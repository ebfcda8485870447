"""ARRAY_OF_PTRS: sum of arrays that a table of pointers names. Source: RAJAPerf src/basic/ARRAY_OF_PTRS.{hpp,cpp}."""

from kparity.compiler import Out, Pack, Ref, f64, kernel, parallel
from kparity.suites import Arguments, Array, Spec, Work
from kparity.suites.rajaperf import NORMAL, Fill

ARRAYS = 26


@kernel
def array_of_ptrs(y: Out[f64, "n"], x: Pack[Ref[f64, "n"], ARRAYS]):
    for i in parallel(n):
        total = 0.0
        for a in range(ARRAYS):
            total += x[a][i]
        y[i] = total


def reference(y: Array, x: Array) -> None:
    y[:] = 0.0
    for row in x:
        y += row


def data(n: int, fill: Fill) -> Arguments:
    return {"y": fill.constant(n, 0.0), "x": fill.ramp(ARRAYS * n).reshape(ARRAYS, n)}


SPEC = Spec(
    "ARRAY_OF_PTRS", program=array_of_ptrs, reference=reference, data=data, size=1_000_000, repetitions=50,
    checksum=("y",), tolerance=NORMAL, features=("Forall",),
    work=lambda n: Work(bytes_read=8 * ARRAYS * n, bytes_written=8 * n, flops=ARRAYS * n),
)  # fmt: skip
