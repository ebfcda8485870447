"""INDEXLIST_3LOOP: the indices of the negative items, in three loops: counts, their prefix sums, the list.

Source: RAJAPerf src/basic/INDEXLIST_3LOOP.{hpp,cpp}. There each item that counts stores itself; here each place of the
list gets its item, found in the prefix sums: no two threads share a place.
"""

import numpy as np

from kparity.compiler import Mut, Out, Ref, Sum, ceildiv, exclusive_scan, f64, i32, kernel, parallel, program, scratch
from kparity.suites import Arguments, Array, Spec, Work
from kparity.suites.rajaperf import ZERO, Fill

RUN = 16  # places of a thread: it looks for the first one's item, and goes on from there


@kernel
def count(counts: Out[i32, "n + 1"], x: Ref[f64, "n"]):
    for i in parallel(n + 1):
        counts[i] = 1 if i < n and x[i] < 0.0 else 0


@kernel
def collect(list: Mut[i32, "n"], length: Sum[i32], before: Ref[i32, "n + 1"]):
    for c in parallel(ceildiv(n, RUN)):
        low, high = 0, n - 1
        while low < high:
            first = min(max(low, 0), n - 1)
            middle = (first + min(max(high, 0), n - 1)) // 2
            if before[min(max(middle, 0), n - 1) + 1] > c * RUN:
                high = middle
            else:
                low = middle + 1
        at, place, end = low, c * RUN, min(n, c * RUN + RUN, max(before[n], 0))
        length += i32(max(end - place, 0))
        while place < end and at < n:  # stores each item, and goes on behind those that are counted: no branch
            item = min(max(at, 0), n - 1)
            list[max(place, c * RUN)] = i32(item)
            place = max(place, c * RUN) + (1 if before[item + 1] > place else 0)
            at = item + 1


@program
def indexlist_3loop(x: Ref[f64, "n"], list: Mut[i32, "n"], length: Sum[i32]):
    counts = scratch(i32, n + 1)
    before = scratch(i32, n + 1)
    count(counts, x)
    exclusive_scan(before, counts)
    length.fill(0)
    collect(list, length, before)
    length.get()


def reference(x: Array, list: Array, length: Array) -> None:
    before = np.cumsum(np.concatenate([[0], np.where(x < 0.0, 1, 0)]))
    is_counted = np.diff(before) == 1
    list[before[:-1][is_counted]] = np.arange(x.size)[is_counted]
    length[0] = before[-1]


def data(n: int, fill: Fill) -> Arguments:
    return {"x": fill.random_sign(n), "list": fill.integers(n), "length": np.zeros(1, np.int32)}


def random(n: int, rng: np.random.Generator) -> Arguments:
    return {"x": rng.uniform(-1.0, 1.0, n), "list": rng.integers(-9, 0, n, np.int32), "length": np.full(1, 7, np.int32)}


SPEC = Spec(
    "INDEXLIST_3LOOP", program=indexlist_3loop, reference=reference, data=data, random=random, size=1_000_000,
    repetitions=100, checksum=("list", "length"), scalars=("length",), tolerance=ZERO, features=("Forall", "Scan"),
    rtol=0.0, work=lambda n: Work(bytes_read=24 * n + 16, bytes_written=18 * n + 10, flops=0),
    work_differs="RAJAPerf counts its own three loops; the scan and the search for items touch other elements",
)  # fmt: skip
