"""Which targets work on this machine, asked of a process of its own: the supervisor never touches a device."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from .errors import NotPossibleHere, WorkerCannotStart
from .selection import unknown_name
from .supervisor import COMMAND, Ending, Event, Worker

_PROBE_SECONDS = 60.0  # a cold GPU driver takes several


@dataclass(frozen=True, slots=True)
class Probed:
    """One target, as this machine has it.

    Attributes
    ----------
    reason : str
        Why it does not work here; empty if it does.
    free : int
        Bytes that can be allocated on its device.
    description : dict
        What the device says of itself.
    """

    reason: str = ""
    free: int = 0
    description: dict[str, str] = field(default_factory=dict)


def probe(targets: Iterable[str] = (), command: Sequence[str] = COMMAND) -> dict[str, Probed]:
    """Ask a fresh process about targets; about all of them if none is named.

    Raises
    ------
    WorkerCannotStart
        It died at once; what it printed is in the message.
    """
    with TemporaryDirectory() as folder:
        log = Path(folder) / "probe.log"
        with Worker({"kind": "probe", "targets": list(targets)}, log, _PROBE_SECONDS, command) as worker:
            events = list(worker.events())
            assert worker.ending is not None
            return probed_from(events, worker.ending, log)


def probed_from(events: Iterable[Event], ending: Ending, log: Path | None = None) -> dict[str, Probed]:
    """Return what a worker told of targets; the one that it died of does not work.

    Raises
    ------
    WorkerCannotStart
        It died before it looked at any.
    """
    found: dict[str, Probed] = {}
    looking = ""
    for event in events:
        looking = event.get("what", looking).removeprefix("looking at ")
        if event["event"] == "target":
            found[event["target"]] = _probed(event)
    if ending.kind == "finished":
        return found
    if not looking:
        printed = log.read_text(errors="replace").strip() if log else ""
        raise WorkerCannotStart(f"a worker process cannot start ({ending.message}):\n{printed}")
    return {**found, looking: Probed(reason=f"looking at it failed: {ending.message}")}


def working(found: dict[str, Probed], wanted: Sequence[str]) -> list[str]:
    """Return the targets to run: those wanted, or all that work.

    Raises
    ------
    UsageError
        A target is unknown; the nearest names are offered.
    NotPossibleHere
        A wanted one does not work here, or none does; with reasons and remedies.
    """
    for name in wanted:
        if name not in found:
            raise unknown_name(name, list(found), "target")
        if found[name].reason:
            raise NotPossibleHere(f"target `{name}` does not work here: {found[name].reason}")
    usable = list(wanted) or [name for name, target in found.items() if not target.reason]
    if not usable:
        reasons = "; ".join(f"{name}: {target.reason}" for name, target in found.items())
        raise NotPossibleHere(f"no target works here: {reasons}; `kparity doctor` says more")
    return usable


def _probed(event: dict[str, Any]) -> Probed:
    return Probed(event.get("reason", ""), int(event.get("free", 0)), dict(event.get("description", {})))
