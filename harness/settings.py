"""What the user asked a campaign to do, as it is saved beside its results."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Any, Literal

Protocol = Literal["interleaved", "rajaperf", "graph", "cold"]
VARIANTS = ("checked", "native")


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that decides which cells are measured, and how.

    Attributes
    ----------
    suite : str
        Name, or path of a user's suite.
    kernels : tuple of str
        Full names (`Stream_TRIAD`), in the suite's order.
    targets : tuple of str
    variants : tuple of str
        `checked`, `native`.
    tunings, exclude_tunings : tuple of str
        Tunings of the native side to keep and to drop; all if both are empty. The checked side has `default` only.
    sizes : tuple of int
        Requested problem sizes; empty for each kernel's default.
    size_factor, repetition_factor : float
        Multiply the size, and the number of repetitions that the suite sets.
    walks : int
        Fresh processes that visit every comparison.
    most_walks : int
        Where additional walks for wide intervals end.
    budget_seconds : float
        Time after which no additional walk begins, counted from the start of the run.
    protocol : {"interleaved", "rajaperf", "graph", "cold"}
        The usual one; RAJAPerf's; the usual one on replayed CUDA graphs, or with caches swept before each launch.
    passes : int
        Of RAJAPerf's protocol.
    repetitions : int
        Fixed number of repetitions; 0 to choose (`--checkrun` sets it).
    margin : float
        Relative difference that counts as parity.
    seed : int
        Of the walks' orders and of the random test data.
    step_seconds : float
        Longest time that a worker may be silent.
    cell_seconds : float
        Longest time that a worker may spend on one cell, all its steps together.
    memory_limit : float
        Bytes that a worker may hold; 0 for nearly all that is free.
    timed : bool
        False for verification alone.
    ranks : int
        MPI processes that run every kernel at the same time.
    rajaperf : str
        A RAJAPerf executable, whose hand-written variants are run between our sides; empty for none.
    planted : float or None
        For a self-test, which measures the checked kernel in place of the C++ baseline too: by how much its checked
        side is slowed. None for a real campaign.
    """

    suite: str = "rajaperf"
    kernels: tuple[str, ...] = ()
    targets: tuple[str, ...] = ()
    variants: tuple[str, ...] = VARIANTS
    tunings: tuple[str, ...] = ()
    exclude_tunings: tuple[str, ...] = ()
    sizes: tuple[int, ...] = ()
    size_factor: float = 1.0
    repetition_factor: float = 1.0
    walks: int = 5
    most_walks: int = 20
    budget_seconds: float = 240.0
    protocol: Protocol = "interleaved"
    passes: int = 1
    repetitions: int = 0
    margin: float = 0.05
    seed: int = 4793
    step_seconds: float = 120.0
    cell_seconds: float = 900.0
    memory_limit: float = 0.0
    timed: bool = True
    ranks: int = 1
    rajaperf: str = ""
    planted: float | None = None

    @property
    def gives_verdicts(self) -> bool:
        """Whether enough fresh processes are planned for an interval."""
        return self.timed and self.protocol != "rajaperf" and self.walks >= 5 and not self.repetitions

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values."""
        plain: dict[str, Any] = json.loads(json.dumps(asdict(self)))
        return plain

    @staticmethod
    def from_json(raw: dict[str, Any]) -> Settings:
        """Inverse of `to_json`; raises ValueError for anything else."""
        values: dict[str, Any] = {key: tuple(v) if isinstance(v, list) else v for key, v in raw.items()}
        try:
            return Settings(**values)
        except TypeError as error:
            raise ValueError(f"not the settings of a campaign: {error}") from error
