"""TRIDIAG_ELIM: one elimination step of a tridiagonal system, into an array of its own.

Source: RAJAPerf src/lcals/TRIDIAG_ELIM.{hpp,cpp}; Livermore loop 5.
"""

from kparity.compiler import Mut, Ref, f64, kernel, parallel
from kparity.suites import Arguments, Array, Spec, Work
from kparity.suites.rajaperf import NORMAL, Fill


@kernel
def tridiag_elim(xout: Mut[f64, "n"], xin: Ref[f64, "n"], y: Ref[f64, "n"], z: Ref[f64, "n"]):
    for i in parallel((1, n)):
        xout[i] = z[i] * (y[i] - xin[i - 1])


def reference(xout: Array, xin: Array, y: Array, z: Array) -> None:
    xout[1:] = z[1:] * (y[1:] - xin[:-1])


def length(size: int) -> int:
    return max(size, 2)


def data(size: int, fill: Fill) -> Arguments:
    n = length(size)
    return {"xout": fill.constant(n, 0.0), "xin": fill.ramp(n), "y": fill.ramp(n), "z": fill.ramp(n)}


def work(size: int) -> Work:
    eliminated = length(size) - 1
    return Work(bytes_read=24 * eliminated, bytes_written=8 * eliminated, flops=2 * eliminated)


SPEC = Spec(
    "TRIDIAG_ELIM", program=tridiag_elim, reference=reference, data=data, size=1_000_000, repetitions=1000,
    actual_size=length,
    checksum=("xout",), tolerance=NORMAL, features=("Forall",), work=work,
)  # fmt: skip
