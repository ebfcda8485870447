"""Write campaigns into asv's database, by asv's own API.

asv's reader is stricter than its format: an infinite value makes `asv publish` hang, a string makes it fail after the
old pages are gone, a name with `/` or `:` loses its regressions. So everything that enters the store is judged here.
"""

from __future__ import annotations

import itertools
import math
import os
import re
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from filelock import FileLock

from .cell_summary import CellSummary
from .errors import HarnessError
from .records import Cell
from .static_parity import largest_of

AXES = ("variant", "target", "tuning", "size")
VERSION = "1"  # of a benchmark's meaning: a new one makes asv forget the old results
_NAME = re.compile(r"[A-Za-z0-9_.\-]+")
Point = tuple[str, ...]  # one value an axis, as asv stores it: its repr


class StoreError(HarnessError):
    """The store cannot take a result, or cannot be read; the message says which and why."""


@dataclass(frozen=True, slots=True)
class Machine:
    """The hardware that a line of asv's graphs belongs to: one host and one device model.

    Attributes
    ----------
    name : str
        Folder of the results; letters, digits, dot, underscore, dash.
    facts : dict
        What asv shows of it (`os`, `arch`, `cpu`, `num_cpu`, `ram`, `gpu`); text only.
    """

    name: str
    facts: Mapping[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class Series:
    """Samples of one benchmark at each point of its parameters, in its unit; None where it failed."""

    name: str
    code: str = ""
    points: dict[Point, tuple[float, ...] | None] = field(default_factory=dict)
    unit: str = "seconds"


def benchmark_name(suite: str, kernel: str, measure: str) -> str:
    """Return asv's name of a kernel's series.

    Examples
    --------
    >>> benchmark_name("rajaperf", "Basic_NESTED_INIT", "time")
    'rajaperf.Basic.NESTED_INIT.time'
    """
    name = f"{suite}.{kernel.replace('_', '.', 1)}.{measure}"
    if not _NAME.fullmatch(name):
        raise StoreError(f"{name!r} cannot be a name in asv's store: letters, digits, dot, underscore and dash only")
    return name


def point_of(cell: Cell) -> Point:
    """Return a cell's place on the axes of its kernel's series."""
    return tuple(repr(value) for value in (cell.variant, cell.target, cell.tuning, cell.size))


def series(cells: Iterable[CellSummary], sources: Mapping[str, str]) -> list[Series]:
    """Turn cells into asv's series: `.time` on the device's clock, `.wall` on the wall clock.

    Parameters
    ----------
    cells : iterable of CellSummary
        Of one machine. A skipped cell and a clock that was not read have no point; a failed or wrong cell is a failure.
    sources : mapping
        Kernel name -> source text that asv shows.
    """
    found: dict[str, Series] = {}
    for cell in cells:
        if cell.status == "skipped":
            continue
        c, point = cell.cell, point_of(cell.cell)
        for measure, medians in (("time", cell.device_medians), ("wall", cell.wall_medians)):
            if cell.status == "ok" and not medians:
                continue
            name = benchmark_name(c.suite, c.kernel, measure)
            line = found.setdefault(name, Series(name, sources.get(c.kernel, "")))
            line.points[point] = medians or None
    return list(found.values())


UNITS = {"error": "relative difference", "registers": "registers", "spilled": "bytes", "shared_bytes": "bytes"}
"""Series that are no times: of the checksum, and of a GPU's code, the largest of a program's kernels."""


def tracked(
    cells: Iterable[CellSummary], sources: Mapping[str, str], kernels: Mapping[str, Mapping[str, Any]]
) -> list[Series]:
    """Turn what a campaign knows besides times into asv's series, of cells that are right.

    Parameters
    ----------
    kernels : mapping
        The campaign's facts of each kernel, with the figures of both sides' code.
    """
    found: dict[str, Series] = {}
    for cell in (c for c in cells if c.status == "ok"):
        c = cell.cell
        figures = largest_of(kernels.get(c.kernel, {}).get("static", {}).get(c.target, {}).get(c.variant, {}))
        for measure, value in {"error": cell.verification.relative_difference, **figures}.items():
            name = benchmark_name(c.suite, c.kernel, measure)
            line = found.setdefault(name, Series(name, sources.get(c.kernel, ""), unit=UNITS[measure]))
            line.points[point_of(c)] = (float(value),)
    return list(found.values())


class Store:
    """asv's results folder, as `asv.conf.json` names it."""

    def __init__(self, configuration: Path) -> None:
        from asv.config import Config  # here: importing asv takes half a second

        try:
            self.configuration = Config.load(str(configuration))
        except Exception as error:  # asv raises its own UserError and plain parser errors alike
            raise StoreError(f"{configuration}: not a usable asv configuration: {error}") from error
        root = configuration.resolve().parent
        self.repository = (root / self.configuration.repo).resolve()
        self.results = (root / self.configuration.results_dir).resolve()
        self.configuration.repo = str(self.repository)
        self.configuration.results_dir = str(self.results)

    def write(self, commit: str, machine: Machine, lines: Sequence[Series], *, channel: str = "default") -> Path:
        """Store the series of one machine at one commit.

        Results of other benchmarks and of other parameters at that commit stay as they are.

        Parameters
        ----------
        commit : str
            Of the ledger.
        machine : Machine
            Where they were measured.
        lines : sequence of Series
            Seconds; one sample a walk.
        channel : str
            Toolchain channel (`default`, `nightly`): what keeps lines apart. Versions live in the ledger's manifest.

        Returns
        -------
        Path
            The result file.

        Raises
        ------
        StoreError
            A sample is not a positive finite number, a name is not plain, or the commit is unknown.
        """
        for name in (machine.name, channel):
            if not _NAME.fullmatch(name):
                raise StoreError(f"{name!r} cannot be a machine or channel: letters, digits, dot, underscore and dash")
        for line in lines:
            _check(line)
        self.results.mkdir(parents=True, exist_ok=True)
        with FileLock(self.results / ".lock"):
            self._write_machine(machine)
            benchmarks = self._register(lines)
            return self._write_results(commit, machine, channel, lines, benchmarks)

    def read(self, commit: str, machine: str, channel: str = "default") -> dict[tuple[str, Point], float | None] | None:
        """Return what is stored of one machine at one commit.

        Parameters
        ----------
        commit : str
            Full hash.
        machine, channel : str

        Returns
        -------
        dict or None
            Benchmark and parameters -> seconds, None for a failure; what was skipped is left out. None if nothing is
            stored.

        Raises
        ------
        StoreError
            The file is there, and is none of asv's.
        """
        from asv.results import Results, get_filename

        path = self.results / get_filename(machine, commit, f"existing-{channel}")
        if not path.is_file():
            return None
        try:
            results = Results.load(str(path))
        except Exception as error:  # asv raises its own UserError and plain parser errors alike
            raise StoreError(f"{path} cannot be read: {error}") from error
        found: dict[tuple[str, Point], float | None] = {}
        for name in results.get_all_result_keys():
            axes = results.get_result_params(name)
            for point, value in zip(itertools.product(*axes), results.get_result_value(name, axes), strict=True):
                if value is None or not math.isnan(value):
                    found[name, point] = value
        return found

    def _write_machine(self, machine: Machine) -> None:
        from asv.machine import Machine as Description

        description = Description()
        description.__dict__.update({**machine.facts, "machine": machine.name})
        with tempfile.TemporaryDirectory(dir=self.results, prefix=".new-") as folder:
            description.save(folder)
            final = self.results / machine.name / "machine.json"
            final.parent.mkdir(exist_ok=True)
            os.replace(Path(folder) / machine.name / "machine.json", final)

    def _register(self, lines: Sequence[Series]) -> dict[str, dict[str, Any]]:
        """Add the series to benchmarks.json; what is there stays, axes grow at their ends."""
        from asv import util
        from asv.benchmarks import Benchmarks

        path = Path(Benchmarks.get_benchmark_file_path(str(self.results)))
        known = util.load_json(str(path), Benchmarks.api_version) if path.is_file() else {}
        known.pop("version", None)
        for line in lines:
            known[line.name] = _benchmark(line, known.get(line.name, {}))
        temporary = path.with_name(f".new-{path.name}")
        util.write_json(str(temporary), known, Benchmarks.api_version)
        os.replace(temporary, path)
        return {line.name: known[line.name] for line in lines}

    def _write_results(
        self,
        commit: str,
        machine: Machine,
        channel: str,
        lines: Sequence[Series],
        benchmarks: Mapping[str, dict[str, Any]],
    ) -> Path:
        from asv.repo import get_repo
        from asv.results import Results

        try:
            repository = get_repo(self.configuration)
            full = repository.get_hash_from_name(commit)
            date = repository.get_date(full)
        except Exception as error:  # git's failures reach us as asv's ProcessError or NoSuchNameError
            raise StoreError(f"{commit} is not a commit of {self.repository}: {error}") from error
        # What stands in `parameters` tells lines of the graphs apart: models and channels do so, versions must not.
        parameters = {**machine.facts, "machine": machine.name, "channel": channel, "python": "same"}
        results = Results(parameters, {}, full, date, "same", f"existing-{channel}", {})
        results.load_data(str(self.results))
        for line in lines:
            benchmark = benchmarks[line.name]
            known = results.get_result_params(line.name) if line.name in results.get_all_result_keys() else []
            values, chosen = _row(line, benchmark, set(itertools.product(*known)))
            results.add_result(benchmark, values, record_samples=True, selected_idx=chosen)
        with tempfile.TemporaryDirectory(dir=self.results, prefix=".new-") as folder:
            results.save(folder)
            final: Path = self.results / str(results._filename)
            os.replace(Path(folder) / str(results._filename), final)
        return final


def _check(line: Series) -> None:
    if not _NAME.fullmatch(line.name):
        raise StoreError(
            f"{line.name!r} cannot be a name in asv's store: letters, digits, dot, underscore and dash only"
        )
    for point, samples in line.points.items():
        if len(point) != len(AXES):
            raise StoreError(f"{line.name}: {point} must have one value for each of {', '.join(AXES)}")
        lowest = math.ulp(0.0) if line.unit == "seconds" else 0.0
        if samples is not None and not (
            samples and all(isinstance(s, float) and lowest <= s < math.inf for s in samples)
        ):
            what = "positive finite seconds" if lowest else f"finite {line.unit}, 0 or more"
            raise StoreError(f"{line.name} at {', '.join(point)}: samples must be {what}, not {samples}")


def _benchmark(line: Series, known: Mapping[str, Any]) -> dict[str, Any]:
    axes = known.get("params") or [[] for _ in AXES]
    grown = [
        [*axis, *sorted({point[i] for point in line.points} - set(axis), key=_axis_order)]
        for i, axis in enumerate(axes)
    ]
    return {
        "name": line.name,
        "type": "track",
        "unit": line.unit,
        "version": VERSION,
        "code": line.code or known.get("code", ""),
        "param_names": list(AXES),
        "params": grown,
        "timeout": 600.0,
    }


def _axis_order(value: str) -> tuple[int, str]:
    return (int(value), "") if value.isdigit() else (0, value)


def _row(line: Series, benchmark: Mapping[str, Any], stored: set[Point]) -> tuple[Any, set[int]]:
    """Return asv's result of the whole parameter grid, and the positions that do not keep what is `stored`."""
    from asv.runner import BenchmarkResult

    grid = list(itertools.product(*benchmark["params"]))
    measured = {i for i, point in enumerate(grid) if point in line.points}
    samples = [list(line.points.get(point) or ()) or None for point in grid]
    # asv replaces True by the median of the samples; NaN: nobody asked for this combination; None: a failure.
    result = [True if s else None if i in measured else math.nan for i, s in enumerate(samples)]
    number = [1 if s else None for s in samples]
    chosen = measured | {i for i, point in enumerate(grid) if point not in stored}
    return BenchmarkResult(result, samples, number, 0, "", None), chosen
