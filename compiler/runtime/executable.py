"""The launch protocol: what a compiled program and a C++ baseline have in common."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from .manifest import Manifest
from .results import Result


class Bound(Protocol):
    """A program with its arguments: verified borrows, packed, ready to launch from native code."""

    def run(self, repetitions: int = 1, *, first: int = 0, stream: int = 0, bring_back: bool = True) -> None:
        """Launch `repetitions` repetitions back to back; asynchronous on a GPU unless scalars are brought back.

        Parameters
        ----------
        repetitions : int
            How many; no Python runs in between.
        first : int
            Number of the first repetition.
        stream : int
            Address of the device stream; 0 is the default one. Ignored on the CPU.
        bring_back : bool
            Wait in every repetition for the scalars that the program returns. Without it only the device works.

        Raises
        ------
        DeviceError
            The driver refused a launch, or the device finished without delivering its results.
        """

    @property
    def inspection_seconds(self) -> float:
        """What inspecting index arrays took so far, at binding and before launches."""

    def results(self) -> dict[str, Result]:
        """Return the scalars last brought back, by name; a location comes with its value, as a named tuple."""


class Executable(Protocol):
    """Something launchable: a compiled checked program, or a C++ baseline."""

    @property
    def manifest(self) -> Manifest:
        """Layout of the argument struct."""

    @property
    def target(self) -> str:
        """`cpu1`, `cpu`, `cuda` or `hip`."""

    def bind(self, arguments: Mapping[str, Any]) -> Bound:
        """Check `arguments` against the manifest, guards and borrow rules, and pack them.

        Parameters
        ----------
        arguments : mapping
            A device array for each array and reducer (one element), a number for each scalar; shapes give the extents.

        Raises
        ------
        LaunchError
            Wrong shape, type or device, a launch guard that does not hold, overlapping exclusive borrows.
        """
