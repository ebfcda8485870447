"""PLANCKIAN: Planck's distribution, one exponential and two divisions an element.

Source: RAJAPerf src/lcals/PLANCKIAN.{hpp,cpp}; Livermore loop 22.
"""

import numpy as np

from kparity.compiler import Out, Ref, exp, f64, kernel, parallel
from kparity.suites import Arguments, Array, Spec, Work
from kparity.suites.rajaperf import NORMAL, Fill


@kernel
def planckian(
    x: Ref[f64, "n"],
    y: Out[f64, "n"],
    u: Ref[f64, "n"],
    v: Ref[f64, "n"],
    w: Out[f64, "n"],
):
    for i in parallel(n):
        quotient = u[i] / v[i]
        y[i] = quotient
        w[i] = x[i] / (exp(quotient) - 1.0)


def reference(x: Array, y: Array, u: Array, v: Array, w: Array) -> None:
    np.divide(u, v, out=y)
    np.divide(x, np.expm1(y), out=w)


def data(n: int, fill: Fill) -> Arguments:
    return {name: fill.ramp(n) for name in ("x", "y", "u", "v")} | {"w": fill.constant(n, 0.0)}


def random(n: int, rng: np.random.Generator) -> Arguments:
    # |u / v| lies between 1/4 and 4: exp(u / v) - 1 then neither cancels nor overflows.
    x, y, w = (rng.uniform(-1.0, 1.0, n) for _ in range(3))
    u, v = (rng.uniform(0.5, 2.0, n) * rng.choice((-1.0, 1.0), n) for _ in range(2))
    return {"x": x, "y": y, "u": u, "v": v, "w": w}


# The exponential counts as one operation.
SPEC = Spec(
    "PLANCKIAN", program=planckian, reference=reference, data=data, random=random, size=1_000_000, repetitions=50,
    checksum=("w",), tolerance=NORMAL, features=("Forall",),
    work=lambda n: Work(bytes_read=24 * n, bytes_written=16 * n, flops=4 * n),
)  # fmt: skip
