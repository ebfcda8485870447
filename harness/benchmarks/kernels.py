"""Time of every kernel of the suite, under the names that `kparity run --record` stores."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from asv_runner.benchmarks.mark import SkipNotImplemented

from kparity.harness.asv_store import AXES, VERSION, benchmark_name
from kparity.harness.errors import NotPossibleHere
from kparity.harness.records import Cell
from kparity.harness.single_cell import measure, verify
from kparity.suites import Entry, entries

TARGETS = ["cpu1", "cpu", "cuda"]


def _benchmark(entry: Entry, clock: str) -> Callable[..., dict[str, Any]]:
    """Return asv's function for a kernel on one clock; verification is its setup."""

    def cell(variant: str, target: str, tuning: str, size: int) -> Cell:
        return Cell(entry.suite, entry.full_name, target, size, variant, tuning)

    def setup(variant: str, target: str, tuning: str, size: int) -> None:
        try:
            verify(cell(variant, target, tuning, size))
        except NotPossibleHere as error:
            raise SkipNotImplemented(str(error)) from error

    def sampled(variant: str, target: str, tuning: str, size: int) -> dict[str, Any]:
        record = measure(cell(variant, target, tuning, size))
        return {"samples": record.device_seconds if clock == "time" else record.wall_seconds, "number": 1}

    function: Any = sampled
    function.benchmark_name = benchmark_name(entry.suite, entry.full_name, clock)
    function.setup = setup
    function.params = [["checked", "native"], TARGETS, ["default"], [entry.spec.size]]
    function.param_names = list(AXES)
    function.unit = "seconds"
    function.version = VERSION
    function.pretty_source = entry.path.read_text(encoding="utf-8")
    return sampled


for _entry in entries("rajaperf"):
    for _clock in ("time", "wall"):
        globals()[f"{_entry.full_name}_{_clock}"] = _benchmark(_entry, _clock)
