"""Run a compiler so that nothing of it outlives the call."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Finished:
    """A process that came to its end: exit status, and both streams in the order written."""

    status: int
    output: str


def run(command: Sequence[str], seconds: float) -> Finished:
    """Run a command in a process group of its own and wait for it.

    Parameters
    ----------
    command : sequence of str
        Program and arguments; messages come in English.
    seconds : float
        After which the whole group is killed; the status is then -SIGKILL and the output says so.

    Raises
    ------
    OSError
        The program cannot be started.
    """
    # hipcc would take a machine with an nvcc for one with an NVIDIA GPU.
    environment = {**os.environ, "LC_ALL": "C", "HIP_PLATFORM": "amd"}
    process = subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        encoding="utf-8", errors="replace", env=environment, start_new_session=True,
    )  # fmt: skip
    try:
        output, _ = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        output, _ = process.communicate()
        output += f"\nkilled after {seconds:g} s\n"
    except BaseException:  # an interrupt: compilers start children, which must go with them
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        raise
    return Finished(process.returncode, output)
