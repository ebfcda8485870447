"""FDTD_2D: one time step of Maxwell's equations in a plane, by finite differences.

Source: RAJAPerf src/polybench/POLYBENCH_FDTD_2D.{hpp,cpp}; PolyBench.

The field at the edge is driven by a table of as many values as PolyBench has time steps; a repetition is one step, and
the table starts again after its last one.
"""

from kparity.compiler import Mut, Ref, f64, i64, kernel, parallel, program, repetition
from kparity.suites import Arguments, Array, Spec, Work
from kparity.suites.rajaperf import NORMAL, Fill, square_side

STEPS = 40  # of the table


@kernel
def drive(ey: Mut[f64, "nx", "ny"], fict: Ref[f64, STEPS], t: i64):
    for j in parallel(ny):
        ey[0, j] = fict[t]


@kernel
def advance_ey(ey: Mut[f64, "nx", "ny"], hz: Ref[f64, "nx", "ny"]):
    for i, j in parallel((1, nx), ny):
        ey[i, j] -= 0.5 * (hz[i, j] - hz[i - 1, j])


@kernel
def advance_ex(ex: Mut[f64, "nx", "ny"], hz: Ref[f64, "nx", "ny"]):
    for i, j in parallel(nx, (1, ny)):
        ex[i, j] -= 0.5 * (hz[i, j] - hz[i, j - 1])


@kernel
def advance_hz(hz: Mut[f64, "nx", "ny"], ex: Ref[f64, "nx", "ny"], ey: Ref[f64, "nx", "ny"]):
    for i, j in parallel(nx - 1, ny - 1):
        hz[i, j] -= 0.7 * (ex[i, j + 1] - ex[i, j] + ey[i + 1, j] - ey[i, j])


@program
def fdtd_2d(
    hz: Mut[f64, "nx", "ny"],
    ex: Mut[f64, "nx", "ny"],
    ey: Mut[f64, "nx", "ny"],
    fict: Ref[f64, STEPS],
):
    drive(ey, fict, repetition() % STEPS)
    advance_ey(ey, hz)
    advance_ex(ex, hz)
    advance_hz(hz, ex, ey)


def reference(hz: Array, ex: Array, ey: Array, fict: Array, repetition: int) -> None:
    ey[0] = fict[repetition % STEPS]
    ey[1:] -= 0.5 * (hz[1:] - hz[:-1])
    ex[:, 1:] -= 0.5 * (hz[:, 1:] - hz[:, :-1])
    curl = (ex[:-1, 1:] - ex[:-1, :-1]) + (ey[1:, :-1] - ey[:-1, :-1])
    hz[:-1, :-1] -= 0.7 * curl


def side(size: int) -> int:
    return square_side(size, boundary=1)


def data(size: int, fill: Fill) -> Arguments:
    shape = (side(size), side(size))
    return {
        "hz": fill.constant(shape, 0.0), "ex": fill.ramp(shape), "ey": fill.ramp(shape), "fict": fill.ramp(STEPS),
    }  # fmt: skip


def work(size: int) -> Work:
    # Of n^2 elements, ex and ey are advanced but for one line, and hz but for two.
    n = side(size)
    line, inner = n * (n - 1), (n - 1) ** 2
    read = 1 + 2 * (line + n * n) + inner + 2 * line
    written = n + 2 * line + inner
    return Work(bytes_read=8 * read, bytes_written=8 * written, flops=2 * 3 * line + 5 * inner)


SPEC = Spec(
    "FDTD_2D", program=fdtd_2d, reference=reference, data=data, size=999_000, repetitions=320,
    actual_size=lambda size: (side(size) - 1) * side(size),
    checksum=("hz",), tolerance=NORMAL, features=("Kernel",), work=work,
)  # fmt: skip
