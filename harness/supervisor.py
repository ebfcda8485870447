"""Starts worker processes, listens to them, and ends those that hang."""

from __future__ import annotations

import json
import math
import os
import selectors
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

Event = dict[str, Any]

COMMAND = (sys.executable, "-m", "kparity.harness.worker")

_LOOK_SECONDS = 0.25  # between two looks at a worker's memory

# One OpenMP thread a core, next to each other: both sides run on the same threads, and none migrates.
BOUND = {"OMP_PROC_BIND": "close", "OMP_PLACES": "cores", "OMP_DYNAMIC": "false"}


@dataclass(frozen=True, slots=True)
class Ending:
    """How a worker ended.

    Attributes
    ----------
    kind : {"finished", "crashed", "timeout", "out_of_memory"}
    message : str
        For a reader who was not there; empty if it finished.
    """

    kind: Literal["finished", "crashed", "timeout", "out_of_memory"]
    message: str = ""


class Worker:
    """One fresh process that does a job and tells about it, line by line.

    Parameters
    ----------
    job : mapping
        JSON values; the worker reads them from its standard input.
    log : Path
        Receives what the worker and its libraries print.
    step_seconds : float
        Longest silence; a worker that is silent for longer hangs, and is killed with all its children.
    command : sequence of str
        Program to start.
    memory_limit : float
        Bytes that the worker and its children may hold at once; beyond them, it is killed.

    Attributes
    ----------
    ending : Ending or None
        How it ended; None as long as it runs.
    deadline : float
        By the monotonic clock: a worker that still runs then is killed, however much it tells. Whoever listens sets it.
    """

    def __init__(
        self, job: Mapping[str, Any], log: Path, step_seconds: float, command: Sequence[str] = COMMAND,
        memory_limit: float = math.inf,
    ) -> None:  # fmt: skip
        self.ending: Ending | None = None
        self.deadline = math.inf
        self._step_seconds, self._memory_limit = step_seconds, memory_limit
        self._oom_kills = oom_kills()
        ranks = job.get("settings", {}).get("ranks", 1)
        environment = worker_environment(os.environ, timing=job.get("kind") == "walk", ranks=ranks)
        self._events, theirs = os.pipe()
        try:
            # The job is a file, not a pipe: a worker that hangs before it reads cannot block its supervisor.
            with open(log, "ab") as output, tempfile.TemporaryFile() as work:
                work.write(json.dumps({**job, "supervisor": os.getpid()}).encode())
                work.seek(0)
                self._process = subprocess.Popen(
                    [*command, str(theirs)], stdin=work, stdout=output, stderr=output,
                    pass_fds=(theirs,), start_new_session=True, env=environment,
                )  # fmt: skip
        except OSError:
            os.close(self._events)
            raise
        finally:
            os.close(theirs)

    def events(self) -> Iterator[Event]:
        """Yield what the worker tells, until it ends; `ending` says how it did."""
        done = False
        try:
            for line in self._lines():
                event = json.loads(line)
                done = done or event.get("event") == "done"
                yield event
        except TimeoutError as error:
            self.kill()
            self.ending = Ending("timeout", f"{error}; the process was ended")
            return
        except MemoryError as error:
            self.kill()
            self.ending = Ending("out_of_memory", f"{error}; the process was ended")
            return
        self.ending = self._judge(self._wait(), done)

    def kill(self) -> None:
        """End the worker and every process that it started; idempotent."""
        try:
            os.killpg(self._process.pid, signal.SIGKILL)
        except ProcessLookupError:
            return  # it has ended by itself
        finally:
            self._process.wait()

    def close(self) -> None:
        """End the worker if it still runs, and free its pipe."""
        self.kill()
        if self._events >= 0:
            os.close(self._events)
            self._events = -1

    def __enter__(self) -> Worker:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _lines(self) -> Iterator[bytes]:
        pending = b""
        with selectors.DefaultSelector() as selector:
            selector.register(self._events, selectors.EVENT_READ)
            heard = looked = time.monotonic()
            while True:
                is_readable = selector.select(min(_LOOK_SECONDS, self._step_seconds))
                now = time.monotonic()
                if now >= self.deadline:
                    raise TimeoutError("more than the time for one cell (--cell-limit)")
                if now >= looked + _LOOK_SECONDS:
                    self._look_at_memory()
                    looked = now
                if not is_readable:
                    if now >= heard + self._step_seconds:
                        raise TimeoutError(f"no progress for {self._step_seconds:g} s")
                    continue
                heard = now
                chunk = os.read(self._events, 1 << 16)
                if not chunk:
                    return
                *lines, pending = (pending + chunk).split(b"\n")
                yield from lines

    def _look_at_memory(self) -> None:
        """Raise MemoryError if the worker and its children hold more than they may."""
        held = resident_bytes(self._process.pid)
        if held > self._memory_limit:
            raise MemoryError(
                f"it holds {held / 2**30:.2f} GiB, more than the {self._memory_limit / 2**30:.2f} allowed"
            )

    def _wait(self) -> int:
        """Exit status; a process that closed its pipe but does not end within ten seconds is killed."""
        try:
            return self._process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self.kill()
            return self._process.wait()

    def _judge(self, status: int, done: bool) -> Ending:
        if done and status == 0:
            return Ending("finished")
        if status == -signal.SIGKILL and oom_kills() > self._oom_kills:
            return Ending("out_of_memory", "the system ran out of memory and killed the process")
        if status < 0:
            return Ending("crashed", f"the process died of signal {_signal_name(-status)}")
        return Ending("crashed", f"the process ended with exit status {status}")


def worker_environment(inherited: Mapping[str, str], *, timing: bool, ranks: int = 1) -> dict[str, str]:
    """Return the environment of a worker: OpenMP with a thread a core, unless the user has set it otherwise.

    Threads are bound to cores only where time is taken: binding narrows the whole process, and the compilers that it
    starts. Several ranks share the cores, and would all be bound to the same.
    """
    threads = str(max(1, len(os.sched_getaffinity(0)) // ranks))
    return {
        **(BOUND if timing and ranks == 1 else {}),
        "OMP_NUM_THREADS": threads,
        "PYTHONUNBUFFERED": "1",
        **inherited,
    }


def resident_bytes(process: int) -> int:
    """Return the bytes of memory that a process and its children hold; 0 where the system does not tell."""
    folder = Path("/proc") / str(process)
    try:
        pages = int((folder / "statm").read_text().split()[1])
        children = (folder / "task" / str(process) / "children").read_text().split()
    except (OSError, IndexError, ValueError):
        return 0  # it has just ended
    return pages * os.sysconf("SC_PAGE_SIZE") + sum(resident_bytes(int(child)) for child in children)


def oom_kills(counter: Path = Path("/proc/vmstat")) -> int:
    """Return how many processes the system has killed for want of memory; 0 where it does not tell."""
    try:
        lines = counter.read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in lines if line.startswith("oom_kill ")), 0)


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return str(number)
