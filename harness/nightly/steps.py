"""The steps of a night, each a process of its own; what is done is written down, so that a killed night goes on."""

from __future__ import annotations

import contextlib
import ctypes
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from ..errors import ExitCode, FolderError
from ..journal import PLAN, read_json, write_json
from .profile import Profile

STATE = "nightly.json"
PREFIX = "night-"
_NAME = f"{PREFIX}%Y%m%d-%H%M%S"
KPARITY = (sys.executable, "-m", "kparity.harness.cli")
ASV = (sys.executable, "-m", "asv")
_NOT_DONE = (ExitCode.INTERRUPTED, ExitCode.TERMINATED, ExitCode.BUSY, ExitCode.DISK_FULL)
_STALE = timedelta(hours=24)  # a night that was cut short longer ago is given up
_GRACE = 120.0  # seconds that a step has to save its state when the night is stopped
_DIE_WITH_PARENT = 1  # PR_SET_PDEATHSIG


@dataclass(slots=True)
class Step:
    """One step as it went: its exit status, and how long it took in seconds."""

    name: str
    command: list[str]
    status: int
    seconds: float


@dataclass(slots=True)
class Night:
    """A night: its campaign's folder, and the steps that were done.

    Attributes
    ----------
    name : str
        `night-20261130-020000`.
    is_over : bool
        Whether it came to its end, well or not.
    """

    name: str
    steps: list[Step] = field(default_factory=list)
    is_over: bool = False

    def status_of(self, step: str) -> int | None:
        """Return the exit status of a step; None if it was not done."""
        return next((s.status for s in self.steps if s.name == step), None)


Runner = Callable[[Sequence[str], Path], int]


def current_night(top: Path, now: datetime | None = None) -> Night:
    """Return the night that was cut short within the last day, or a new one."""
    now = now or datetime.now(UTC)
    saved = read_json(top, STATE)
    if saved and not saved.get("is_over", True):
        try:
            night = Night(str(saved["name"]), [Step(**step) for step in saved["steps"]])
            begun = datetime.strptime(night.name, _NAME).replace(tzinfo=UTC)
        except (KeyError, TypeError, ValueError) as error:
            raise FolderError(f"{top / STATE} cannot be used ({error}); remove it to begin a new night") from error
        if now - begun < _STALE:
            return night
    return Night(now.strftime(_NAME))


def log_of(top: Path, night: Night, step: str) -> Path:
    """Return where a step's output goes."""
    return top / night.name / f"nightly-{step}.log"


def run_night(night: Night, profile: Profile, path: Path, run: Runner | None = None) -> ExitCode:
    """Do what is left of a night.

    Parameters
    ----------
    night : Night
        Its steps grow; the state is written after each.
    profile : Profile
    path : Path
        The profile's file, for the commands that read their own tables.
    run : callable, optional
        Starts a command with its log and returns its exit status.

    Returns
    -------
    ExitCode
        As `answer` gives it. The steps after one that could not do its work are left out.
    """
    run = run or start
    top = Path(profile.folder)
    save(night, top)
    for name, command, carries_on in _commands(night, profile, path):
        if night.status_of(name) is not None:
            continue
        begun = time.monotonic()
        status = run(command, log_of(top, night, name))
        if status in _NOT_DONE or status < 0:  # by a signal
            return ExitCode(status) if status > 0 else ExitCode.FAILED  # the next start goes on with it
        night.steps.append(Step(name, list(command), status, round(time.monotonic() - begun, 1)))
        save(night, top)
        if status not in carries_on:
            break
    night.is_over = True
    save(night, top)
    return answer(night)


def answer(night: Night) -> ExitCode:
    """Return a night's exit status: the gate's if there was one, else that of the first step that failed."""
    gate = night.status_of("gate")
    status = gate if gate is not None else next((s.status for s in night.steps if s.status), 0)
    known = {int(code) for code in ExitCode}
    return ExitCode(status) if status in known else ExitCode.FAILED


def save(night: Night, top: Path) -> None:
    """Write a night's state; raises DiskFull or FolderError."""
    write_json(top, STATE, asdict(night))


def start(command: Sequence[str], log: Path) -> int:
    """Run a command with its output in a log; end it first if we are stopped."""
    log.parent.mkdir(parents=True, exist_ok=True)
    with open(log, "ab") as file:
        file.write(f"$ {' '.join(command)}\n".encode())
        file.flush()
        try:
            process = subprocess.Popen(
                command, stdout=file, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, preexec_fn=_end_with_parent
            )
        except OSError as error:
            file.write(f"{command[0]} cannot be started: {error}\n".encode())
            return int(ExitCode.FAILED)
        try:
            return process.wait()
        except BaseException:
            process.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(_GRACE)
            process.kill()
            raise


def _commands(night: Night, profile: Profile, path: Path) -> list[tuple[str, list[str], tuple[int, ...]]]:
    """Return the steps: name, command, and the exit statuses after which the night goes on."""
    folder = Path(profile.folder) / night.name
    begun = (folder / PLAN).exists()
    campaign = ["--resume", str(folder)] if begun else ["--outdir", str(folder)]
    # A cell that fails is a result like any other: the gate judges it.
    steps: list[tuple[str, list[str], tuple[int, ...]]] = []
    if profile.update:
        steps.append(("update", ["git", "pull", "--ff-only"], (0,)))
    steps.append(("run", [*KPARITY, "run", "--config", str(path), *campaign], (0, 1)))
    recorded = [*KPARITY, "report", str(folder), "--format", "html", "--record", "--asv-config", profile.asv_config]
    if profile.record:
        steps.append(("record", recorded, (0, 1)))
    if profile.publish:
        steps.append(("publish", [*ASV, "--config", profile.asv_config, "publish", "--no-pull"], (0, 1)))
    if profile.against:
        files = ["--markdown", str(folder / "gate.md"), "--junit", str(folder / "gate.xml")]
        steps.append((
            "gate",
            [*KPARITY, "gate", str(folder), "--against", profile.against, "--rules", str(path), *files,
             "--asv-config", profile.asv_config],
            (0, 1, 2),
        ))  # fmt: skip
    return steps


def _end_with_parent() -> None:
    """Have the system stop the step if the night is killed outright: a step that outlived it would hold its folder."""
    ctypes.CDLL(None).prctl(_DIE_WITH_PARENT, signal.SIGTERM)
