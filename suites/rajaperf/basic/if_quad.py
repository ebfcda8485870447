"""IF_QUAD: real roots of a x^2 + b x + c, one equation an element. Source: RAJAPerf src/basic/IF_QUAD.{hpp,cpp}."""

import numpy as np

from kparity.compiler import Out, Ref, f64, kernel, parallel, sqrt
from kparity.suites import Arguments, Array, Spec, Work
from kparity.suites.rajaperf import NORMAL, Fill


@kernel
def if_quad(
    a: Ref[f64, "n"],
    b: Ref[f64, "n"],
    c: Ref[f64, "n"],
    x1: Out[f64, "n"],
    x2: Out[f64, "n"],
):
    for i in parallel(n):
        discriminant = b[i] * b[i] - 4.0 * a[i] * c[i]
        if discriminant >= 0.0:
            root = sqrt(discriminant)
            x2[i] = (-b[i] + root) / (2.0 * a[i])
            x1[i] = (-b[i] - root) / (2.0 * a[i])
        else:
            x2[i] = 0.0
            x1[i] = 0.0


def reference(a: Array, b: Array, c: Array, x1: Array, x2: Array) -> None:
    discriminant = b * b - 4.0 * a * c
    real = discriminant >= 0.0
    root = np.sqrt(np.where(real, discriminant, 0.0))
    x1[:] = np.where(real, (-b - root) / (2.0 * a), 0.0)
    x2[:] = np.where(real, (-b + root) / (2.0 * a), 0.0)


def data(n: int, fill: Fill) -> Arguments:
    return {
        "a": fill.random_sign(n), "b": fill.ramp(n), "c": fill.ramp(n),
        "x1": fill.constant(n, 0.0), "x2": fill.constant(n, 0.0),
    }  # fmt: skip


def random(n: int, rng: np.random.Generator) -> Arguments:
    # The discriminant keeps away from zero, where rounding alone would choose the branch, but for one element in eight,
    # where it is zero exactly however it is rounded: `>` in place of `>=` is then seen.
    a = rng.choice((-1.0, 1.0), n) * rng.uniform(0.5, 1.5, n)
    b = rng.uniform(-2.0, 2.0, n)
    c = (b * b + rng.choice((-1.0, 1.0), n) * rng.uniform(0.1, 2.0, n)) / (4.0 * a)
    double = rng.random(n) < 0.125
    power = rng.choice((0.5, 1.0, 2.0), n)
    a, b, c = np.where(double, power, a), np.where(double, 2.0, b), np.where(double, 1.0 / power, c)
    return {"a": a, "b": b, "c": c, "x1": rng.random(n), "x2": rng.random(n)}


# 7.5 operations an element is RAJAPerf's mean over both branches; the branch that finds roots has 11.
SPEC = Spec(
    "IF_QUAD", program=if_quad, reference=reference, data=data, random=random, size=1_000_000, repetitions=180,
    checksum=("x1", "x2"), tolerance=NORMAL, features=("Forall",),
    work=lambda n: Work(bytes_read=24 * n, bytes_written=16 * n, flops=15 * n // 2),
    work_differs="RAJAPerf takes half of the equations to have roots",
)  # fmt: skip
