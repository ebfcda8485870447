"""PI_REDUCE: the midpoint rule for 4 / (1 + x^2) over [0, 1]. Source: RAJAPerf src/basic/PI_REDUCE.{hpp,cpp}."""

import numpy as np

from kparity.compiler import Sum, f64, i64, kernel, parallel, program
from kparity.suites import Arguments, Array, Spec, Work
from kparity.suites.rajaperf import NORMAL, Fill

BLOCK = 1 << 15  # points that the reference takes at a time: they stay in the cache


@kernel
def integrate(dx: f64, n: i64, pi: Sum[f64]):
    for i in parallel(n):
        x = (i + 0.5) * dx
        pi += 4.0 * (dx / (1.0 + x * x))


@program
def pi_reduce(dx: f64, n: i64, pi: Sum[f64]):
    pi.fill(0.0)
    integrate(dx, n, pi)
    pi.get()


def reference(dx: float, n: int, pi: Array) -> None:
    total = 0.0
    for first in range(0, n, BLOCK):
        x = (np.arange(first, min(first + BLOCK, n)) + 0.5) * dx
        total += np.sum(1.0 / np.hypot(1.0, x) ** 2)
    pi[0] = 4.0 * dx * total


def data(n: int, fill: Fill) -> Arguments:
    return {"dx": 1.0 / n, "n": n, "pi": np.zeros(1)}


def random(n: int, rng: np.random.Generator) -> Arguments:
    # Steps that do not end at one: the sum then depends on each of them.
    return {"dx": rng.uniform(0.5, 2.0) / n, "n": n, "pi": rng.uniform(1.0, 2.0, 1)}


# RAJAPerf multiplies the finished sum by 4: six operations a point, and one. Here the reducer holds the result itself,
# so each contribution is multiplied, which, by a power of two, rounds nothing.
SPEC = Spec(
    "PI_REDUCE", program=pi_reduce, reference=reference, data=data, random=random, size=1_000_000, repetitions=50,
    checksum=("pi",), scalars=("pi",), tolerance=NORMAL, features=("Forall", "Reduction"),
    work=lambda n: Work(bytes_read=0, bytes_written=0, flops=6 * n + 1),
    work_differs="RAJAPerf multiplies by 4 once, behind the sum",
)  # fmt: skip
