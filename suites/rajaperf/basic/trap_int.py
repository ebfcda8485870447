"""TRAP_INT: sum of an inverse distance over equally spaced points. Source: RAJAPerf src/basic/TRAP_INT.{hpp,cpp}.

A repetition adds h * sum over i < n of 1 / |(x0 + i h, y) - (xp, yp)| to what the earlier ones left.
"""

import numpy as np

from kparity.compiler import Sum, f64, i64, kernel, parallel, program, sqrt
from kparity.suites import Arguments, Array, Spec, Work
from kparity.suites.rajaperf import NORMAL, Fill

BLOCK = 1 << 15  # points that the reference takes at a time: they stay in the cache


@kernel
def integrate(x0: f64, xp: f64, y: f64, yp: f64, h: f64, n: i64, sumx: Sum[f64]):
    for i in parallel(n):
        dx = x0 + i * h - xp
        dy = y - yp
        sumx += h * (1.0 / sqrt(dx * dx + dy * dy))


@program
def trap_int(x0: f64, xp: f64, y: f64, yp: f64, h: f64, n: i64, sumx: Sum[f64]):
    integrate(x0, xp, y, yp, h, n, sumx)
    sumx.get()


def reference(x0: float, xp: float, y: float, yp: float, h: float, n: int, sumx: Array) -> None:
    for first in range(0, n, BLOCK):
        x = x0 + h * np.arange(first, min(first + BLOCK, n))
        sumx[0] += h * np.sum(1.0 / np.hypot(x - xp, y - yp))


def data(n: int, fill: Fill) -> Arguments:
    xn, x0, xp, y, yp = (fill.scalar() for _ in range(5))
    return {"x0": x0, "xp": xp, "y": y, "yp": yp, "h": xn - x0, "n": n, "sumx": np.zeros(1)}


def random(n: int, rng: np.random.Generator) -> Arguments:
    # The point lies beside the middle of the line, far enough off it that no term dominates the sum.
    h = rng.uniform(0.5, 2.0) / n
    x0, y = rng.uniform(-1.0, 1.0, 2)
    xp, yp = x0 + rng.uniform(0.3, 0.7) * n * h, y + rng.uniform(0.5, 1.0)
    return {"x0": x0, "xp": xp, "y": y, "yp": yp, "h": h, "n": n, "sumx": rng.uniform(1.0, 2.0, 1)}


# RAJAPerf multiplies the finished sum by h, so its ten operations a point leave out the multiplication that the
# kernel, whose reducer holds the result itself, does for each contribution.
SPEC = Spec(
    "TRAP_INT", program=trap_int, reference=reference, data=data, random=random, size=1_000_000, repetitions=50,
    checksum=("sumx",), scalars=("sumx",), tolerance=NORMAL, features=("Forall", "Reduction"),
    work=lambda n: Work(bytes_read=0, bytes_written=0, flops=10 * n),
    work_differs="RAJAPerf multiplies by h once, behind the sum",
)  # fmt: skip
