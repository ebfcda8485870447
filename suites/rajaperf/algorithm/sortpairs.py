"""SORTPAIRS: numbers in ascending order, and values along with them.

Source: RAJAPerf src/algorithm/SORTPAIRS.{hpp,cpp}. As SORT: each repetition sorts a part of its own, as far as the
suite's own number of repetitions goes.
"""

import numpy as np

from kparity.compiler import Mut, Pack, f64, program, repetition, sort_pairs
from kparity.suites import Arguments, Array, Spec, Work
from kparity.suites.rajaperf import NORMAL, Fill

REPETITIONS = 20


@program
def sortpairs(x: Pack[Mut[f64, "n"], REPETITIONS], i: Pack[Mut[f64, "n"], REPETITIONS]):
    sort_pairs(x[repetition() % REPETITIONS], i[repetition() % REPETITIONS])


def reference(x: Array, i: Array, repetition: int) -> None:
    part = repetition % REPETITIONS
    order = np.argsort(x[part], kind="stable")
    x[part], i[part] = x[part][order], i[part][order]


def data(n: int, fill: Fill) -> Arguments:
    return {name: fill.random(REPETITIONS * n).reshape(REPETITIONS, n) for name in ("x", "i")}


SPEC = Spec(
    "SORTPAIRS", program=sortpairs, reference=reference, data=data, size=1_000_000, repetitions=REPETITIONS,
    checksum=("x", "i"), repeated=("x", "i"), tolerance=NORMAL, features=("Sort",),
    work=lambda n: Work(bytes_read=16 * n, bytes_written=16 * n, flops=0),
)  # fmt: skip
