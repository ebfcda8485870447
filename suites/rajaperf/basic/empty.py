"""EMPTY: a loop without work: what a launch costs. Source: RAJAPerf src/basic/EMPTY.{hpp,cpp}."""

from kparity.compiler import i64, kernel, parallel
from kparity.suites import Arguments, Spec, Work
from kparity.suites.rajaperf import ZERO, Fill


@kernel
def empty(n: i64):
    for i in parallel(n):
        pass


def reference(n: int) -> None:
    """Nothing changes."""


def data(n: int, fill: Fill) -> Arguments:
    return {"n": n}


SPEC = Spec(
    "EMPTY", program=empty, reference=reference, data=data, size=1_000_000, repetitions=1000,
    checksum=(), tolerance=ZERO, features=("Forall",),
    work=lambda n: Work(bytes_read=0, bytes_written=0, flops=0),
)  # fmt: skip
