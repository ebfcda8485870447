"""The worker process: reads one job, does it, and tells about it.

Started as `python -m kparity.harness.worker [mpi] DESCRIPTOR`, with the job on standard input. Three kinds of
job: `probe` describes the devices, `prepare` compiles everything that a campaign needs, `walk` measures comparisons.
"""

from __future__ import annotations

import ctypes
import json
import os
import signal
import sys
import traceback
from typing import Any

from .messages import Teller, cells_from_json, comparison_from_json, expected_from_json
from .preparation import prepare
from .ranks import MODE, MpiRanks, Ranks, choose_device
from .settings import Settings
from .walk import DeviceSpoiled, Walk
from .workshop import SuiteWorkshop

SPOILED = 75  # exit status: the device's context is unusable, start a new process and go on
_DIE_WITH_PARENT = 1  # PR_SET_PDEATHSIG


def main(arguments: list[str] | None = None) -> int:
    """Do the job on standard input; the exit status is 0 if nothing is left to do."""
    *mode, descriptor = sys.argv[1:] if arguments is None else arguments
    if mode == [MODE]:
        return _as_rank(int(descriptor))
    job = json.load(sys.stdin)
    _die_with(job["supervisor"])
    return _do(job, Teller(int(descriptor)), Ranks())


def _as_rank(descriptor: int) -> int:
    """Do the job together with other ranks; the first one tells of it, and one that fails ends all."""
    if device := choose_device():
        os.environ["CUDA_VISIBLE_DEVICES"] = device  # before anything looks at devices
    ranks = MpiRanks()
    _die_with(os.getppid())
    job = ranks.shared(json.load(sys.stdin) if ranks.rank == 0 else None)
    teller = Teller(descriptor if ranks.rank == 0 else os.open(os.devnull, os.O_WRONLY))
    try:
        status = _do(job, teller, ranks)
    except BaseException:
        traceback.print_exc()
        ranks.give_up()
        raise
    if status:
        ranks.give_up()
    return status


def _do(job: dict[str, Any], teller: Teller, ranks: Ranks) -> int:
    try:
        _JOBS[job["kind"]](job, teller, ranks)
    except DeviceSpoiled:
        return SPOILED
    except BrokenPipeError:
        return 0  # the supervisor is gone; nobody is left to tell
    teller.tell("done")
    return 0


def _probe(job: dict[str, Any], teller: Teller, ranks: Ranks) -> None:
    from kparity.compiler import TargetUnavailable, device_of, targets

    for target, reason in targets().items():
        if job["targets"] and target not in job["targets"]:
            continue
        teller.tell("step", what=f"looking at {target}", cells=[])
        if reason:
            teller.tell("target", target=target, reason=reason)
            continue
        try:
            found = device_of(target)
        except TargetUnavailable as error:
            teller.tell("target", target=target, reason=str(error))
            continue
        teller.tell("target", target=target, free=found.free_memory(), description=found.describe())


def _prepare(job: dict[str, Any], teller: Teller, ranks: Ranks) -> None:
    settings = Settings.from_json(job["settings"])
    prepare(cells_from_json(job["cells"]), _workshop(settings), teller, settings.rajaperf)


def _walk(job: dict[str, Any], teller: Teller, ranks: Ranks) -> None:
    settings = Settings.from_json(job["settings"])
    expected = expected_from_json(job["expected"])
    walk = Walk(job["run"], job["walk"], settings, _workshop(settings), teller, expected, teller.expected, ranks)
    walk.visit([comparison_from_json(raw) for raw in job["comparisons"]])


def _workshop(settings: Settings) -> SuiteWorkshop:
    return SuiteWorkshop(settings.suite, is_self_test=settings.planted is not None)


_JOBS = {"probe": _probe, "prepare": _prepare, "walk": _walk}


def _die_with(supervisor: int) -> None:
    """Ask the kernel to end this process with its supervisor, however that one ends."""
    ctypes.CDLL(None, use_errno=True).prctl(_DIE_WITH_PARENT, signal.SIGKILL)
    if os.getppid() != supervisor:
        os._exit(0)  # it was gone before we asked


if __name__ == "__main__":
    sys.exit(main())
