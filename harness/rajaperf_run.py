"""Runs a RAJAPerf executable, one kernel at a time, so that its times are taken between ours."""

from __future__ import annotations

import signal
import subprocess
import tempfile
from dataclasses import replace
from pathlib import Path

from .errors import HarnessError
from .plan import RAJAPERF
from .rajaperf_import import record_of
from .rajaperf_reader import Run, find_runs
from .records import Cell, Record, Status
from .settings import Settings

_TAIL = 300  # characters of what it printed that a message shows


class RajaperfFailed(Exception):
    """The executable gave no result for a cell.

    Attributes
    ----------
    status : str
        For its record.
    """

    def __init__(self, status: Status, message: str) -> None:
        super().__init__(message)
        self.status = status


def tunings_of(executable: str, cell: Cell) -> list[str]:
    """Return the tunings that RAJAPerf has of a cell's kernel and variant, from one repetition of each.

    Raises
    ------
    RajaperfFailed
        It has none, or it fails.
    """
    run = _run(executable, cell, "--checkrun", "1")
    kernel, variant = cell.kernel, cell.variant.removeprefix(RAJAPERF)
    tunings = [t for k, v, t in run.entries if (k, v) == (kernel, variant) and run.entries[k, v, t].seconds is not None]
    if not tunings:
        raise RajaperfFailed("skipped", f"RAJAPerf has no {variant} of {kernel}")
    return tunings


def measure_rajaperf(settings: Settings, cell: Cell, actual_size: int, run: str, walk: int) -> Record:
    """Run one cell in a process of its own: RAJAPerf's passes and repetitions, on the wall clock.

    Parameters
    ----------
    settings : Settings
    cell : Cell
        Variant `rajaperf_Base_CUDA` or the like.
    actual_size : int
        Number of elements that our sides have.
    run : str
    walk : int

    Raises
    ------
    RajaperfFailed
        It fails, or its number of elements is not ours.
    """
    more = ["--tunings", cell.tuning, "--npasses", str(settings.passes)]
    if settings.repetition_factor != 1.0:
        more += ["--repfact", f"{settings.repetition_factor:g}"]
    if settings.repetitions:
        more += ["--checkrun", str(settings.repetitions)]
    found = _run(settings.rajaperf, cell, *more)
    key = (cell.kernel, cell.variant.removeprefix(RAJAPERF), cell.tuning)
    entry = found.entries.get(key)
    if entry is None:
        raise RajaperfFailed("skipped", f"RAJAPerf gave no result for {' '.join(key)}")
    if entry.size != actual_size:
        raise RajaperfFailed("failed", f"RAJAPerf ran {entry.size:,} elements, the checked kernel has {actual_size:,}")
    record = record_of(found, key, entry, cell, walk, run)
    return replace(record, conditions={**record.conditions, "executable": settings.rajaperf})


def _run(executable: str, cell: Cell, *more: str) -> Run:
    with tempfile.TemporaryDirectory(prefix="kparity-rajaperf-") as folder:
        command = [
            executable, "--kernels", cell.kernel, "--variants", cell.variant.removeprefix(RAJAPERF),
            "--size", str(cell.size), "--outdir", folder, *more,
        ]  # fmt: skip
        try:
            done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
        except OSError as error:
            raise RajaperfFailed("failed", f"{executable} cannot be started: {error.strerror or error}") from error
        printed = " ".join((done.stdout + done.stderr).split())[-_TAIL:]
        if done.returncode < 0:
            name = signal.Signals(-done.returncode).name
            raise RajaperfFailed("crashed", f"RAJAPerf died of signal {name}: {printed}")
        if done.returncode:
            raise RajaperfFailed("failed", f"RAJAPerf ended with exit status {done.returncode}: {printed}")
        try:
            (found,) = find_runs(Path(folder))
        except (HarnessError, ValueError) as error:
            raise RajaperfFailed("failed", f"RAJAPerf's output cannot be read: {error}") from error
    return found
