"""Time that the compiler takes on every kernel of the suite: all of it, and the way through its cache."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from asv_runner.benchmarks.mark import SkipNotImplemented

from kparity.compiler import targets
from kparity.harness.compile_time import compile_seconds
from kparity.suites import Entry, entries

# Of what is timed; a new one makes asv forget the old results, so a change of the compiler must not change it.
VERSION = "1"
TARGETS = ["cpu1", "cpu", "cuda"]


def setup(target: str) -> None:
    """Skip a target that does not work here."""
    if reason := targets()[target]:
        raise SkipNotImplemented(reason)


def _benchmark(entry: Entry, kind: str) -> Callable[[str], dict[str, Any]]:
    def sampled(target: str) -> dict[str, Any]:
        return {"samples": compile_seconds(entry.suite, entry.full_name, target, cached=kind == "cached"), "number": 1}

    function: Any = sampled
    function.benchmark_name = f"compiler.{entry.full_name.replace('_', '.', 1)}.{kind}"
    function.params = [TARGETS]
    function.param_names = ["target"]
    function.unit = "seconds"
    function.version = VERSION
    function.pretty_source = entry.path.read_text(encoding="utf-8")
    return sampled


for _entry in entries("rajaperf"):
    for _kind in ("cold", "cached"):
        globals()[f"{_entry.full_name}_{_kind}"] = _benchmark(_entry, _kind)
