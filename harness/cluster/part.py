"""What runs on a node: one job, in a new child process, on one device; records go to a shard at once."""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from filelock import FileLock

from ..crew import LOGS, Crew
from ..errors import HarnessError
from ..journal import Journal
from ..memory import host_free_memory
from ..records import Cell, Record
from ..settings import Settings
from ..sources import fingerprint, source_folders
from ..supervisor import COMMAND, Ending, Event

VISIBLE = "CUDA_VISIBLE_DEVICES"


@dataclass(frozen=True, slots=True)
class Part:
    """One job, and what a node needs to carry it out; plain values, so that any engine can send it.

    Attributes
    ----------
    run, folder : str
        Id of the campaign, and its folder, which all nodes see; empty for a job that leaves nothing.
    settings, job : dict
        As JSON.
    name : str
        Of its log, and of the file that says what it is busy with; no other part has it.
    attempts : tuple of (dict, int, int)
        Cell, walk, and how many records of them there are already.
    sources : str
        Fingerprint of the sources here.
    command : tuple of str
        Starts a worker.
    """

    run: str
    folder: str
    settings: dict[str, Any]
    job: dict[str, Any]
    name: str
    attempts: tuple[tuple[dict[str, Any], int, int], ...] = ()
    sources: str = ""
    command: tuple[str, ...] = COMMAND


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a part.

    Attributes
    ----------
    ending : Ending
    what, cells : str, sequence of Cell
        What the worker was busy with at its end.
    events : list of dict
        Everything that it told, records included, as they stand in the shard.
    host, device : str
        Where it ran.
    memory : int
        Bytes that are free on the host.
    """

    ending: Ending
    what: str = ""
    cells: Sequence[Cell] = ()
    events: list[Event] = field(default_factory=list)
    host: str = ""
    device: str = ""
    memory: int = 0


class OtherSources(HarnessError):
    """A node has other sources than the host that planned the campaign."""


def carry(part: Part) -> Outcome:
    """Carry out one part, on the device that the engine gave this process.

    Raises
    ------
    OtherSources
        The node would measure something else.
    """
    settings = Settings.from_json(part.settings)
    host, device = socket.gethostname(), pin_device()
    if part.sources and fingerprint(source_folders(settings.suite)) != part.sources:
        raise OtherSources(f"{host} has other sources of kparity or of the suite: install the same version everywhere")
    with FileLock(Path(tempfile.gettempdir()) / f"kparity-{_word(device)}.lock"):  # one measurement a device at a time
        if not part.folder:
            with tempfile.TemporaryDirectory() as folder:
                return _carry(replace(part, folder=folder), settings, host, device)
        return _carry(part, settings, host, device)


def _carry(part: Part, settings: Settings, host: str, device: str) -> Outcome:
    folder = Path(part.folder)
    diary = Diary(folder / LOGS / f"{part.name}.step")
    crew = Crew(part.run, folder, settings, diary, part.command)
    attempts = {(Cell(**cell), walk): count for cell, walk, count in part.attempts}
    shard = Journal(folder, f"journal-{_word(host)}-{_word(device)}.jsonl") if part.job["kind"] == "walk" else None
    events: list[Event] = []

    def hear(event: Event) -> None:
        if event["event"] == "record" and shard is not None:
            record = Record.from_json(event["record"])
            place = {"host": host, "device": device}
            record = replace(
                record, attempt=attempts.get((record.cell, record.walk), 0),
                conditions={**record.conditions, "place": place},
            )  # fmt: skip
            shard.append(record)
            event = {**event, "record": record.to_json()}
        events.append(event)

    try:
        ending = crew.listen(part.job, part.name, hear)
    finally:
        if shard is not None:
            shard.close()
    diary.end()
    return Outcome(ending, crew.step.what, list(crew.step.cells), events, host, device, host_free_memory())


def pin_device() -> str:
    """Make the one device that the engine chose visible by its UUID, and return that; `host` if it chose none.

    An index means another GPU wherever a variable or a driver orders them otherwise.
    """
    chosen = os.environ.get(VISIBLE, "")
    if not chosen or "," in chosen:
        return "host"
    if chosen.isdigit() and shutil.which("nvidia-smi"):
        query = ["nvidia-smi", f"--id={chosen}", "--query-gpu=uuid", "--format=csv,noheader"]
        told = subprocess.run(query, capture_output=True, text=True, check=False).stdout.strip()
        if told.startswith(("GPU-", "MIG-")):
            os.environ[VISIBLE] = told
    return os.environ[VISIBLE]


class Diary:
    """Keeps in a file what a worker is busy with, so that others know it should this process be lost.

    Parameters
    ----------
    path : Path
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        path.parent.mkdir(exist_ok=True)
        path.unlink(missing_ok=True)

    def step(self, what: str, cells: Sequence[Cell]) -> None:
        """Write down what begins."""
        draft = self._path.with_suffix(".draft")
        draft.write_text(json.dumps({"what": what, "cells": [asdict(cell) for cell in cells]}))
        draft.replace(self._path)

    def begin(self, title: str, total: int) -> None:
        """Know of no phases."""

    def advance(self, line: str, *, alarming: bool = False) -> None:
        """Keep no results: the shard does."""

    def end(self) -> None:
        """Forget it: nothing is under way."""
        self._path.unlink(missing_ok=True)


def last_step(folder: Path, name: str) -> tuple[str, list[Cell]]:
    """Return what a lost part was busy with; nothing if it did not say."""
    try:
        raw: Mapping[str, Any] = json.loads((folder / LOGS / f"{name}.step").read_text())
        return str(raw["what"]), [Cell(**cell) for cell in raw["cells"]]
    except (OSError, ValueError, KeyError, TypeError):
        return "starting", []


def _word(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9.]+", "_", text)
