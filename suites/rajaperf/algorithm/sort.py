"""SORT: numbers in ascending order, other ones in each repetition. Source: RAJAPerf src/algorithm/SORT.{hpp,cpp}.

RAJAPerf's array holds a part for each repetition, sorted by that one; so does this one, for the suite's own number of
repetitions. What a longer run sorts again is in order already.
"""

from kparity.compiler import Mut, Pack, f64, program, repetition
from kparity.compiler import sort as sort_keys
from kparity.suites import Arguments, Array, Spec, Work
from kparity.suites.rajaperf import ZERO, Fill

REPETITIONS = 20


@program
def sort(x: Pack[Mut[f64, "n"], REPETITIONS]):
    sort_keys(x[repetition() % REPETITIONS])


def reference(x: Array, repetition: int) -> None:
    x[repetition % REPETITIONS].sort()


def data(n: int, fill: Fill) -> Arguments:
    return {"x": fill.random(REPETITIONS * n).reshape(REPETITIONS, n)}


SPEC = Spec(
    "SORT", program=sort, reference=reference, data=data, size=1_000_000, repetitions=REPETITIONS,
    checksum=("x",), repeated=("x",), tolerance=ZERO, features=("Sort",),
    work=lambda n: Work(bytes_read=8 * n, bytes_written=8 * n, flops=0),
)  # fmt: skip
