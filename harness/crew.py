"""The workers of one campaign, one after the other, and what the present one is busy with."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .errors import WorkerCannotStart
from .memory import host_free_memory
from .messages import cells_from_json
from .progress import Watcher
from .ranks import MODE, launcher
from .records import Cell
from .settings import Settings
from .supervisor import COMMAND, Ending, Event, Worker

LOGS = "logs"
_MOST_MEMORY = 0.95  # of what is free, unless a limit is set: what goes beyond would be killed by the system, or kill
_TAIL = 2000  # characters of a log that an error message shows


@dataclass(frozen=True, slots=True)
class Step:
    """What a worker last said that it does, and which cells are to blame if it dies of it."""

    what: str = "starting"
    cells: Sequence[Cell] = ()


@dataclass(slots=True)
class Crew:
    """Starts workers and listens to them.

    Attributes
    ----------
    run : str
        Campaign id.
    folder : Path
        Of the campaign; logs go below it.
    settings : Settings
    watcher : Watcher
    command : sequence of str
        Starts a worker.
    step : Step
        Of the present worker, or the last one.
    """

    run: str
    folder: Path
    settings: Settings
    watcher: Watcher
    command: Sequence[str] = COMMAND
    step: Step = field(default_factory=Step)

    def listen(self, job: Mapping[str, Any], name: str, hear: Callable[[Event], None]) -> Ending:
        """Start a worker on a job, pass on all that it tells, and return how it ended.

        The worker is ended, with all its children, if anything is raised meanwhile.
        """
        self.step = Step()
        whole = {**job, "run": self.run, "settings": self.settings.to_json()}
        limit = self.settings.memory_limit or _MOST_MEMORY * host_free_memory()
        hours = _Hours(self.settings.cell_seconds)
        command = self.command
        if self.settings.ranks > 1 and job["kind"] == "walk":
            command = (*launcher(self.settings.ranks), *self.command, MODE)
        with Worker(whole, self._log(name), self.settings.step_seconds, command, limit) as worker:
            for event in worker.events():
                if event["event"] == "step":
                    self.step = Step(event["what"], cells_from_json(event["cells"]))
                    worker.deadline = hours.deadline(self.step.cells)
                    self.watcher.step(self.step.what, self.step.cells)
                else:
                    hear(event)
            assert worker.ending is not None
            return worker.ending

    def cannot_start(self, ending: Ending, name: str) -> WorkerCannotStart:
        """Return the error for a worker that died before it reached any work, with the end of what it printed."""
        log = self._log(name)
        printed = log.read_text(encoding="utf-8", errors="replace")[-_TAIL:].strip()
        how = ending.message or "it did none of its work"
        return WorkerCannotStart(f"a worker failed before it reached a kernel ({how}); {log} ends with:\n{printed}")

    def _log(self, name: str) -> Path:
        logs = self.folder / LOGS
        logs.mkdir(exist_ok=True)
        return logs / f"{name}.log"


class _Hours:
    """How long a worker has been busy with each cell: the sides of a comparison take turns."""

    def __init__(self, limit: float) -> None:
        self._limit = limit
        self._spent: defaultdict[Cell, float] = defaultdict(float)
        self._busy: Sequence[Cell] = ()
        self._since = time.monotonic()

    def deadline(self, cells: Sequence[Cell]) -> float:
        """Charge what has passed to the cells before these, and return when these have to be done."""
        now = time.monotonic()
        for cell in self._busy:
            self._spent[cell] += now - self._since
        self._busy, self._since = cells, now
        return now + self._limit - max((self._spent[cell] for cell in cells), default=0.0)
