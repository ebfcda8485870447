"""HYDRO_1D: one-dimensional hydrodynamics fragment. Source: RAJAPerf src/lcals/HYDRO_1D.{hpp,cpp}; Livermore loop 1."""

from kparity.compiler import Out, Ref, f64, kernel, parallel
from kparity.suites import Arguments, Array, Spec, Work
from kparity.suites.rajaperf import NORMAL, Fill


@kernel
def hydro_1d(x: Out[f64, "n"], y: Ref[f64, "n"], z: Ref[f64, "n + 1"], q: f64, r: f64, t: f64):
    for i in parallel(n):
        x[i] = q + y[i] * (r * z[i] + t * z[i + 1])


def reference(x: Array, y: Array, z: Array, q: float, r: float, t: float) -> None:
    x[:] = q + y * (r * z[:-1] + t * z[1:])


def data(n: int, fill: Fill) -> Arguments:
    arrays = {"x": fill.constant(n, 0.0), "y": fill.ramp(n), "z": fill.ramp(n + 1)}
    return arrays | {name: fill.scalar() for name in ("q", "r", "t")}


SPEC = Spec(
    "HYDRO_1D", program=hydro_1d, reference=reference, data=data, size=1_000_000, repetitions=1000,
    checksum=("x",), tolerance=NORMAL, features=("Forall",),
    work=lambda n: Work(bytes_read=8 * n + 8 * (n + 1), bytes_written=8 * n, flops=5 * n),
)  # fmt: skip
