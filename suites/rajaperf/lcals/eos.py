"""EOS: equation-of-state fragment, a nested polynomial over a window of seven elements.

Source: RAJAPerf src/lcals/EOS.{hpp,cpp}; Livermore loop 7.
"""

from kparity.compiler import Out, Ref, f64, kernel, parallel
from kparity.suites import Arguments, Array, Spec, Work
from kparity.suites.rajaperf import NORMAL, Fill


@kernel
def eos(
    x: Out[f64, "n"],
    y: Ref[f64, "n"],
    z: Ref[f64, "n"],
    u: Ref[f64, "n + 6"],
    q: f64,
    r: f64,
    t: f64,
):
    for i in parallel(n):
        near = u[i + 3] + r * (u[i + 2] + r * u[i + 1])
        far = u[i + 6] + q * (u[i + 5] + q * u[i + 4])
        x[i] = u[i] + r * (z[i] + r * y[i]) + t * (near + t * far)


def reference(x: Array, y: Array, z: Array, u: Array, q: float, r: float, t: float) -> None:
    """Sum of the window's elements, each with its coefficient of the expanded polynomial."""
    n = len(x)
    coefficients = (1.0, t * r * r, t * r, t, t * t * q * q, t * t * q, t * t)
    x[:] = r * z + r * r * y
    for shift, coefficient in enumerate(coefficients):
        x += coefficient * u[shift : shift + n]


def data(n: int, fill: Fill) -> Arguments:
    arrays = {"x": fill.constant(n, 0.0), "y": fill.ramp(n), "z": fill.ramp(n), "u": fill.ramp(n + 6)}
    return arrays | {name: fill.scalar() for name in ("q", "r", "t")}


SPEC = Spec(
    "EOS", program=eos, reference=reference, data=data, size=1_000_000, repetitions=500,
    checksum=("x",), tolerance=NORMAL, features=("Forall",),
    work=lambda n: Work(bytes_read=2 * 8 * n + 8 * (n + 6), bytes_written=8 * n, flops=16 * n),
)  # fmt: skip
