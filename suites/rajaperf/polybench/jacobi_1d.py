"""JACOBI_1D: two 3-point averaging sweeps over a line, there and back.

Source: RAJAPerf src/polybench/POLYBENCH_JACOBI_1D.{hpp,cpp}; PolyBench.
"""

from kparity.compiler import Mut, Ref, f64, kernel, parallel, program
from kparity.suites import Arguments, Array, Spec, Work
from kparity.suites.rajaperf import NORMAL, Fill


@kernel
def sweep(new: Mut[f64, "n"], old: Ref[f64, "n"]):
    for i in parallel((1, n - 1)):
        new[i] = 0.33333 * (old[i - 1] + old[i] + old[i + 1])


@program
def jacobi_1d(a: Mut[f64, "n"], b: Mut[f64, "n"]):
    sweep(b, a)
    sweep(a, b)


def reference(a: Array, b: Array) -> None:
    third = 0.33333  # of RAJAPerf and PolyBench: five digits
    for new, old in ((b, a), (a, b)):
        new[1:-1] = third * old[1:-1] + third * (old[:-2] + old[2:])


def data(size: int, fill: Fill) -> Arguments:
    n = size + 2
    return {"a": fill.ramp(n), "b": fill.ramp(n)}


SPEC = Spec(
    "JACOBI_1D", program=jacobi_1d, reference=reference, data=data, size=1_000_000, repetitions=1600,
    checksum=("a", "b"), tolerance=NORMAL, features=("Forall",),
    work=lambda size: Work(bytes_read=2 * 8 * (size + 2), bytes_written=2 * 8 * size, flops=2 * 3 * size),
)  # fmt: skip
