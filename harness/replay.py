"""Launches through CUDA graphs: captured once, then replayed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from .timing import Launchable


class NotReplayable(Exception):
    """A program does something in each repetition that a replayed graph does not."""


@dataclass(slots=True)
class Replayed:
    """A bound program whose repetitions are captured into a graph, one for each number of them.

    Attributes
    ----------
    bound : Launchable
    device : Device
        One that captures launches on its stream.
    """

    bound: Launchable
    device: Any
    _graphs: dict[int, Callable[[], None]] = field(default_factory=dict)

    def prepare(self, repetitions: int) -> None:
        """Capture `repetitions` repetitions, unless that was done before; the arguments are changed."""
        if repetitions in self._graphs:
            return

        def launch() -> None:
            self.bound.run(repetitions, stream=self.device.stream, bring_back=False)

        launch()  # a first run may ask for memory, which cannot be captured
        self.device.synchronize()
        self._graphs[repetitions] = self.device.captured(launch)

    def run(self, repetitions: int = 1, *, first: int = 0, stream: int = 0, bring_back: bool = True) -> None:
        """Replay the graph that was prepared; repetitions count from 0 whatever `first` is."""
        self._graphs[repetitions]()
