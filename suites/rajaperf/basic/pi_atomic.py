"""PI_ATOMIC: the midpoint rule for 4 / (1 + x^2), each term added atomically to one scalar.

Source: RAJAPerf src/basic/PI_ATOMIC.{hpp,cpp}.
"""

import numpy as np

from kparity.compiler import Atomic, Mut, f64, i64, kernel, parallel, program
from kparity.suites import Arguments, Array, Spec, Work
from kparity.suites.rajaperf import NORMAL, Fill

BLOCK = 1 << 15  # points that the reference takes at a time: they stay in the cache


@kernel
def integrate(dx: f64, n: i64, pi: Atomic[f64, 1]):
    for i in parallel(n):
        x = (i + 0.5) * dx
        pi[0] += 4.0 * (dx / (1.0 + x * x))


@program
def pi_atomic(dx: f64, n: i64, pi: Mut[f64, 1]):
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


# RAJAPerf multiplies the finished sum by 4; here each term is, which, by a power of two, rounds nothing.
SPEC = Spec(
    "PI_ATOMIC", program=pi_atomic, reference=reference, data=data, random=random, size=1_000_000, repetitions=50,
    checksum=("pi",), scalars=("pi",), tolerance=NORMAL, features=("Forall", "Atomic"),
    work=lambda n: Work(bytes_read=0, bytes_written=0, bytes_atomic=8, flops=6 * n + 1),
    work_differs="RAJAPerf multiplies by 4 once, behind the sum, and leaves out that the sum is set to zero",
)  # fmt: skip
