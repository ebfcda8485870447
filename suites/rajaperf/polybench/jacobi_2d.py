"""JACOBI_2D: two 5-point averaging sweeps over a square, there and back.

Source: RAJAPerf src/polybench/POLYBENCH_JACOBI_2D.{hpp,cpp}; PolyBench.
"""

from kparity.compiler import Mut, Ref, f64, kernel, parallel, program
from kparity.suites import Arguments, Array, Spec, Work
from kparity.suites.rajaperf import NORMAL, Fill, square_side


@kernel
def sweep(new: Mut[f64, "n", "n"], old: Ref[f64, "n", "n"]):
    for i, j in parallel((1, n - 1), (1, n - 1)):
        new[i, j] = 0.2 * (old[i, j] + old[i, j - 1] + old[i, j + 1] + old[i + 1, j] + old[i - 1, j])


@program
def jacobi_2d(a: Mut[f64, "n", "n"], b: Mut[f64, "n", "n"]):
    sweep(b, a)
    sweep(a, b)


def reference(a: Array, b: Array) -> None:
    for new, old in ((b, a), (a, b)):
        vertical = old[2:, 1:-1] + old[:-2, 1:-1]
        horizontal = old[1:-1, 2:] + old[1:-1, :-2]
        new[1:-1, 1:-1] = (old[1:-1, 1:-1] + vertical + horizontal) / 5.0


def side(size: int) -> int:
    return square_side(size, boundary=2)


def data(size: int, fill: Fill) -> Arguments:
    shape = (side(size), side(size))
    return {"a": fill.ramp(shape), "b": fill.ramp(shape)}


def work(size: int) -> Work:
    # A sweep reads all but the four corners and writes the interior.
    n = side(size)
    interior = (n - 2) ** 2
    return Work(bytes_read=2 * 8 * (n * n - 4), bytes_written=2 * 8 * interior, flops=2 * 5 * interior)


SPEC = Spec(
    "JACOBI_2D", program=jacobi_2d, reference=reference, data=data, size=1_000_000, repetitions=2000,
    actual_size=lambda size: (side(size) - 2) ** 2,
    checksum=("a", "b"), tolerance=NORMAL, features=("Kernel",), work=work,
)  # fmt: skip
