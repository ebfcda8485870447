"""The lines that a worker and its supervisor exchange: JSON values, one object a line."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from decimal import Decimal
from typing import Any

from .plan import Comparison
from .records import Cell, Record


def comparison_to_json(comparison: Comparison) -> dict[str, Any]:
    """Return a comparison as JSON values."""
    return asdict(comparison)


def comparison_from_json(raw: dict[str, Any]) -> Comparison:
    """Inverse of `comparison_to_json`."""
    return Comparison(**{**raw, "sides": tuple(Cell(**side) for side in raw["sides"])})


def cells_from_json(raw: Iterable[dict[str, Any]]) -> list[Cell]:
    """Read the cells of an event."""
    return [Cell(**cell) for cell in raw]


def expected_from_json(rows: Iterable[dict[str, Any]]) -> dict[tuple[str, int], dict[int, tuple[Decimal, str]]]:
    """Read the expected checksums of a job: what `Teller.expected` told, one entry a kernel and size."""
    return {
        (row["kernel"], row["size"]): {int(n): (Decimal(value), origin) for n, value, origin in row["checksums"]}
        for row in rows
    }


class Teller:
    """The worker's end: writes events, each at once.

    Parameters
    ----------
    descriptor : int
        Open for writing; the supervisor reads the other end.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def tell(self, event: str, **values: Any) -> None:
        """Send one event; a supervisor that is gone ends this process (BrokenPipeError)."""
        line = json.dumps({"event": event, **values}, separators=(",", ":")).encode() + b"\n"
        while line:
            line = line[os.write(self._descriptor, line) :]

    def step(self, what: str, cells: Sequence[Cell]) -> None:
        """Tell what begins; a crash or a hang from here on is charged to `cells`."""
        self.tell("step", what=what, cells=[asdict(cell) for cell in cells])

    def expected(self, kernel: str, size: int, checksums: Mapping[int, tuple[Decimal, str]]) -> None:
        """Hand over expected checksums, by number of repetitions, for later walks."""
        rows = [[repetitions, str(value), origin] for repetitions, (value, origin) in checksums.items()]
        self.tell("expected", kernel=kernel, size=size, checksums=rows)

    def record(self, record: Record) -> None:
        """Hand over a finished record."""
        self.tell("record", record=record.to_json())
