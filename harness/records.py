"""What a campaign writes: one JSON object a line, each complete in itself."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

SCHEMA = 1

Status = Literal[
    "ok", "wrong", "failed", "skipped", "crashed", "device_fault", "timeout", "out_of_memory", "interrupted"
]


@dataclass(frozen=True, slots=True, order=True)
class Cell:
    """What one time belongs to.

    Attributes
    ----------
    suite : str
        `rajaperf`.
    kernel : str
        Group and name, as RAJAPerf writes them: `Stream_TRIAD`.
    target : str
        `cpu1`, `cpu`, `cuda`.
    size : int
        Requested problem size.
    variant : str
        `checked` or `native`.
    tuning : str
        `default`, `block_256`, ...
    """

    suite: str
    kernel: str
    target: str
    size: int
    variant: str
    tuning: str = "default"

    @property
    def comparison(self) -> tuple[str, str, str, int]:
        """The comparison that the cell is one side of."""
        return (self.suite, self.kernel, self.target, self.size)


@dataclass(frozen=True, slots=True)
class Verification:
    """What the verification of one cell found.

    Attributes
    ----------
    checksum, expected : str
        Decimal, as many digits as the long double holds.
    relative_difference, tolerance : float
        Of the checksum.
    largest_error : float
        Element by element, against the NumPy reference, on random data, in units of the tolerance.
    message : str
        What is wrong; empty if nothing is.
    against : str
        Where `expected` is from: `published` (RAJAPerf's own) or `reference` (no published value for the size).
    """

    checksum: str = ""
    expected: str = ""
    relative_difference: float = 0.0
    tolerance: float = 0.0
    largest_error: float = 0.0
    message: str = ""
    against: str = ""


@dataclass(frozen=True, slots=True)
class Record:
    """One cell in one walk.

    Attributes
    ----------
    run : str
        Campaign id.
    walk : int
        Number of the fresh process, from 0.
    attempt : int
        Counts retries of the same walk and cell.
    status : str
        `ok`, or what went wrong; only `ok` has a place in a mean.
    device_seconds, wall_seconds : list of float
        Samples: seconds a repetition, in the order taken. Device clock: launches only. Wall clock: everything that a
        repetition does, scalars brought back included.
    repetitions : int
        Launches in one sample.
    """

    run: str
    cell: Cell
    walk: int
    attempt: int
    status: Status
    message: str = ""
    actual_size: int = 0
    repetitions: int = 0
    device_seconds: list[float] = field(default_factory=list)
    wall_seconds: list[float] = field(default_factory=list)
    verification: Verification = field(default_factory=Verification)
    compile_seconds: float = 0.0
    inspection_seconds: float = 0.0  # of the index arrays, before the first launch; part of no other time
    started: str = ""  # ISO 8601, UTC
    conditions: dict[str, Any] = field(default_factory=dict)  # clocks and throttle reasons before and after

    def to_json(self) -> str:
        """Return one line, without the line end."""
        return json.dumps({"schema": SCHEMA, **asdict(self)}, separators=(",", ":"))

    @staticmethod
    def from_json(line: str) -> Record:
        """Inverse of `to_json`; raises ValueError for a line that is not a record."""
        try:
            raw = json.loads(line)
            if raw.pop("schema") != SCHEMA:
                raise ValueError("unknown schema")
            raw["cell"] = Cell(**raw["cell"])
            raw["verification"] = Verification(**raw["verification"])
            return Record(**raw)
        except (KeyError, TypeError, AttributeError, json.JSONDecodeError) as error:
            raise ValueError(f"not a record: {error}") from error


@dataclass(frozen=True, slots=True)
class Campaign:
    """A finished or unfinished campaign, as read back from its folder.

    Attributes
    ----------
    run : str
        Id.
    provenance : dict
        Host, devices, driver, compilers and flags, package versions, commit, dirty state, environment, command line.
    records : list of Record
        In the order written; of several attempts at one cell and walk the last counts.
    kernels : dict
        Kernel name -> what the report shows of it: `source`, `baseline_source`, `evidence` (list of dicts), `guards`,
        `code` (target -> text), `static` (target -> variant -> dict of numbers), `work` (per size), `features`.
    """

    run: str
    provenance: dict[str, Any]
    records: list[Record]
    kernels: dict[str, dict[str, Any]]
