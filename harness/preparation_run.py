"""Has everything compiled that a campaign needs, in processes that may die of it, and gathers what comes of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from typing import Any

from .crew import Crew
from .plan import RAJAPERF, Comparison, cells_of
from .records import Cell, Status
from .supervisor import Ending, Event

Side = tuple[str, str, str]  # kernel, target, variant


@dataclass(slots=True)
class Prepared:
    """What came of the preparation.

    Attributes
    ----------
    tunings : dict
        (kernel, target) -> tunings of the native side; (kernel, variant) -> of RAJAPerf's.
    unusable : dict
        Side -> status and message of what does not compile.
    compilers : dict
        Target -> compiler of the native side, with its flags.
    kernels : dict
        Kernel -> what the report shows of it (`Campaign.kernels`).
    """

    tunings: dict[tuple[str, str], list[str]] = field(default_factory=dict)
    unusable: dict[Side, tuple[Status, str]] = field(default_factory=dict)
    compilers: dict[str, str] = field(default_factory=dict)
    kernels: dict[str, dict[str, Any]] = field(default_factory=dict)
    _done: set[Side] = field(default_factory=set)

    def fault_of(self, cell: Cell) -> tuple[Status, str] | None:
        """Return why a cell cannot run, or None."""
        return self.unusable.get((cell.kernel, cell.target, cell.variant))

    def left(self, plan: Iterable[Comparison]) -> list[Cell]:
        """Return one cell of each side whose preparation has not ended."""
        sides = {(c.kernel, c.target, c.variant): c for c in cells_of(plan)}
        return [cell for side, cell in sides.items() if side not in self._done]

    def hear(self, event: Event) -> None:
        """Note what a worker tells of one side."""
        side = (event["kernel"], event["target"], event["variant"])
        self._done.add(side)
        facts = self.kernels.setdefault(event["kernel"], {})
        _join(facts, event.get("facts", {}))
        if event["event"] == "failed":
            self.unusable[side] = (event["status"], event["message"])
        elif event["variant"].startswith(RAJAPERF):
            self.tunings[event["kernel"], event["variant"]] = event["tunings"]
            self.compilers[event["variant"]] = event["compiler"]
        elif event["variant"] == "native":
            self.tunings[event["kernel"], event["target"]] = event["tunings"]
            self.compilers[event["target"]] = event["compiler"]

    def blame(self, cells: Iterable[Cell], ending: Ending, what: str) -> None:
        """Note that a worker died while it was busy with some cells."""
        for cell in cells:
            side = (cell.kernel, cell.target, cell.variant)
            status: Status = "crashed" if ending.kind == "finished" else ending.kind
            if side not in self._done:
                self._done.add(side)
                self.unusable[side] = (status, f"{ending.message} while {what}")


def prepare_all(crew: Crew, plan: list[Comparison]) -> Prepared:
    """Compile every side of a plan once.

    Raises
    ------
    WorkerCannotStart
        Workers die before they reach a kernel.
    """
    prepared = Prepared()
    left = prepared.left(plan)
    crew.watcher.begin("prepare", len(left))

    def hear(event: Event) -> None:
        if event["event"] in ("prepared", "failed"):
            prepared.hear(event)
            name = f"{event['kernel']} {event['target']} {event['variant']}"
            outcome = str(event.get("message", "compiled")).splitlines()[0]
            crew.watcher.advance(f"{name}: {outcome}", alarming=event["event"] == "failed")

    while left:
        ending = crew.listen({"kind": "prepare", "cells": [asdict(cell) for cell in left]}, "prepare", hear)
        if ending.kind != "finished":
            prepared.blame(crew.step.cells, ending, crew.step.what)
        still = prepared.left(plan)
        if len(still) == len(left):
            raise crew.cannot_start(ending, "prepare")
        left = still
    return prepared


def _join(facts: dict[str, Any], more: dict[str, Any]) -> None:
    """Add facts to facts; dicts are joined, everything else is replaced."""
    for key, value in more.items():
        if isinstance(value, dict) and isinstance(facts.get(key), dict):
            _join(facts[key], value)
        else:
            facts[key] = value
