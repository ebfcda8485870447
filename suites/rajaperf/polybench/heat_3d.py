"""HEAT_3D: two explicit 7-point steps of the heat equation in a cube, there and back.

Source: RAJAPerf src/polybench/POLYBENCH_HEAT_3D.{hpp,cpp}; PolyBench.
"""

from kparity.compiler import Mut, Ref, f64, kernel, parallel, program
from kparity.suites import Arguments, Array, Spec, Work
from kparity.suites.rajaperf import NORMAL, Fill, cube_side


@kernel
def step(new: Mut[f64, "n", "n", "n"], old: Ref[f64, "n", "n", "n"]):
    for i, j, k in parallel((1, n - 1), (1, n - 1), (1, n - 1)):
        new[i, j, k] = (
            0.125 * (old[i + 1, j, k] - 2.0 * old[i, j, k] + old[i - 1, j, k])
            + 0.125 * (old[i, j + 1, k] - 2.0 * old[i, j, k] + old[i, j - 1, k])
            + 0.125 * (old[i, j, k + 1] - 2.0 * old[i, j, k] + old[i, j, k - 1])
            + old[i, j, k]
        )


@program
def heat_3d(a: Mut[f64, "n", "n", "n"], b: Mut[f64, "n", "n", "n"]):
    step(b, a)
    step(a, b)


def reference(a: Array, b: Array) -> None:
    """Average each element, counted twice, with its six neighbours."""
    for new, old in ((b, a), (a, b)):
        neighbours = old[2:, 1:-1, 1:-1] + old[:-2, 1:-1, 1:-1]
        neighbours += old[1:-1, 2:, 1:-1] + old[1:-1, :-2, 1:-1]
        neighbours += old[1:-1, 1:-1, 2:] + old[1:-1, 1:-1, :-2]
        new[1:-1, 1:-1, 1:-1] = (2.0 * old[1:-1, 1:-1, 1:-1] + neighbours) / 8.0


def side(size: int) -> int:
    return cube_side(size, boundary=2)


def data(size: int, fill: Fill) -> Arguments:
    shape = 3 * (side(size),)
    return {"a": fill.ramp(shape), "b": fill.ramp(shape)}


def work(size: int) -> Work:
    # A step reads the interior and the six faces without their edges, and writes the interior.
    m = side(size) - 2
    return Work(bytes_read=2 * 8 * (m**3 + 6 * m**2), bytes_written=2 * 8 * m**3, flops=2 * 15 * m**3)


SPEC = Spec(
    "HEAT_3D", program=heat_3d, reference=reference, data=data, size=1_000_000, repetitions=400,
    actual_size=lambda size: (side(size) - 2) ** 3,
    checksum=("a", "b"), tolerance=NORMAL, features=("Kernel",), work=work,
)  # fmt: skip
