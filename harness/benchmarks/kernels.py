"""Time of every kernel of the suite, under the names that `kparity run --record` stores."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from asv_runner.benchmarks.mark import SkipNotImplemented

from kparity.harness.asv_store import AXES, UNITS, VERSION, benchmark_name
from kparity.harness.errors import NotPossibleHere
from kparity.harness.records import Cell
from kparity.harness.single_cell import figures, measure, need_target, verify
from kparity.suites import Entry, entries

TARGETS = ["cpu1", "cpu", "cuda"]
CODE = set(UNITS) - {"error"}


def _benchmark(entry: Entry, measure_: str) -> Callable[..., dict[str, Any]]:
    """Return asv's function for what is measured of a kernel: a clock's time, after verification, or one of `UNITS`."""

    def cell(variant: str, target: str, tuning: str, size: int) -> Cell:
        return Cell(entry.suite, entry.full_name, target, size, variant, tuning)

    def setup(variant: str, target: str, tuning: str, size: int) -> None:
        try:
            if measure_ == "error":
                need_target(cell(variant, target, tuning, size))
            elif measure_ not in CODE:
                verify(cell(variant, target, tuning, size))
            elif not figures(cell(variant, target, tuning, size)).keys() >= {measure_}:
                raise SkipNotImplemented(f"target `{target}` has no figure `{measure_}` of its code")
        except NotPossibleHere as error:
            raise SkipNotImplemented(str(error)) from error

    def sampled(variant: str, target: str, tuning: str, size: int) -> dict[str, Any]:
        where = cell(variant, target, tuning, size)
        if measure_ in CODE:
            return {"samples": [float(figures(where)[measure_])], "number": 1}
        if measure_ == "error":
            return {"samples": [verify(where).verification.relative_difference], "number": 1}
        record = measure(where)
        return {"samples": record.device_seconds if measure_ == "time" else record.wall_seconds, "number": 1}

    function: Any = sampled
    function.benchmark_name = benchmark_name(entry.suite, entry.full_name, measure_)
    function.setup = setup
    function.params = [["checked", "native"], TARGETS, ["default"], [entry.spec.size]]
    function.param_names = list(AXES)
    function.unit = UNITS.get(measure_, "seconds")
    function.version = VERSION
    function.pretty_source = entry.path.read_text(encoding="utf-8")
    return sampled


for _entry in entries("rajaperf"):
    for _measure in ("time", "wall", *UNITS):
        globals()[f"{_entry.full_name}_{_measure}"] = _benchmark(_entry, _measure)
