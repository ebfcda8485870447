"""Shows how a campaign gets on: a bar on a terminal, plain lines elsewhere."""

from __future__ import annotations

import statistics
import sys
from collections.abc import Sequence
from typing import Protocol, TextIO

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TimeElapsedColumn, TimeRemainingColumn

from .quantity import seconds_text
from .records import Cell, Record


class Watcher(Protocol):
    """Who is shown what happens in a campaign."""

    def begin(self, title: str, total: int) -> None:
        """Begin a phase of `total` items; the one before is over."""

    def step(self, what: str, cells: Sequence[Cell]) -> None:
        """Show that something begins for `cells`."""

    def advance(self, line: str, *, alarming: bool = False) -> None:
        """Show that one item is done."""

    def end(self) -> None:
        """Show nothing more."""


class Lines:
    """Plain lines, for logs: each phase, each item of the first phases, and everything alarming.

    Parameters
    ----------
    stream : text file
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._silent = False
        self._seen: set[str] = set()

    def begin(self, title: str, total: int) -> None:
        """Write the phase's title; of later phases like it, the items are not shown."""
        kind = title.split()[0]
        self._silent = kind in self._seen
        self._seen.add(kind)
        self._write(f"{title}: {total} items")

    def step(self, what: str, cells: Sequence[Cell]) -> None:
        """Show nothing: a log wants results, not intentions."""

    def advance(self, line: str, *, alarming: bool = False) -> None:
        """Write an item's line."""
        if alarming or not self._silent:
            self._write("  " + line)

    def end(self) -> None:
        """Show nothing more."""

    def _write(self, line: str) -> None:
        print(line, file=self._stream, flush=True)


class Bar:
    """A progress bar on a terminal; what is alarming is printed above it.

    Parameters
    ----------
    console : rich.console.Console
    """

    def __init__(self, console: Console) -> None:
        self._progress = Progress(
            "{task.description}", BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TimeRemainingColumn(),
            "{task.fields[detail]}", console=console, transient=True,
            refresh_per_second=2,  # drawing takes a core from what is measured
        )  # fmt: skip
        self._task: TaskID | None = None

    def begin(self, title: str, total: int) -> None:
        """Start a new bar."""
        if self._task is not None:
            self._progress.remove_task(self._task)
        self._task = self._progress.add_task(title, total=total, detail="")
        self._progress.start()

    def step(self, what: str, cells: Sequence[Cell]) -> None:
        """Name what runs, beside the bar."""
        if self._task is not None and cells:
            cell = cells[0]
            self._progress.update(self._task, detail=f"{cell.kernel} {cell.target} {cell.variant}: {what}")

    def advance(self, line: str, *, alarming: bool = False) -> None:
        """Move the bar by one item."""
        if alarming:
            self._progress.console.print(line, style="red", markup=False, highlight=False)
        if self._task is not None:
            self._progress.advance(self._task)

    def end(self) -> None:
        """Remove the bar."""
        self._progress.stop()


def watcher(stream: TextIO | None = None) -> Watcher:
    """Return a bar if `stream` (standard error by default) is a terminal, else plain lines."""
    stream = stream or sys.stderr
    return Bar(Console(file=stream)) if stream.isatty() else Lines(stream)


def line_of(record: Record) -> str:
    """Return one line about a record: what, how long a repetition took, or what went wrong."""
    cell = record.cell
    name = f"{cell.kernel} {cell.target} {cell.size:,} {cell.variant}" + (
        f"/{cell.tuning}" if cell.tuning != "default" else ""
    )
    if record.status != "ok":
        reason = record.message or record.verification.message
        return f"{name}: {record.status.replace('_', ' ')}: {(reason.splitlines() or [''])[0]}"
    seconds = record.device_seconds or record.wall_seconds
    return f"{name}: {seconds_text(statistics.median(seconds))} a repetition" if seconds else f"{name}: right"
