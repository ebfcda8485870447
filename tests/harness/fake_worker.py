"""A worker whose kernels do what their names say: works, crashes, hangs, spoils, lacks memory, does not compile."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from kparity.harness.messages import Teller, cells_from_json, comparison_from_json
from kparity.harness.records import Cell, Record


def main() -> int:
    teller, job = Teller(int(sys.argv[1])), json.load(sys.stdin)
    if job["kind"] == "probe":
        teller.tell("step", what="looking at cpu", cells=[])
        teller.tell("target", target="cpu", free=1 << 30, description={"model": os.environ["CUDA_VISIBLE_DEVICES"]})
    elif job["kind"] == "prepare":
        _prepare(job, teller)
    else:
        for raw in job["comparisons"]:
            for cell in comparison_from_json(raw).sides:
                status = _measure(job, cell, teller)
                if status:
                    return status
    teller.tell("done")
    return 0


def _prepare(job: dict[str, Any], teller: Teller) -> None:
    for cell in cells_from_json(job["cells"]):
        teller.step("compiling", [cell])
        side = {"kernel": cell.kernel, "target": cell.target, "variant": cell.variant}
        if cell.kernel == "G_COMPILER_CRASHES" and cell.variant == "checked":
            os.kill(os.getpid(), signal.SIGSEGV)
        if cell.kernel == "G_REFUSED" and cell.variant == "native":
            teller.tell("failed", **side, status="failed", message="daxpy.cpp:3: error: expected `;`")
            continue
        facts = {"code": {cell.target: cell.variant}}
        teller.tell("prepared", **side, facts=facts, tunings=["one", "two"], compiler="fake 1.0")


def _measure(job: dict[str, Any], cell: Cell, teller: Teller) -> int:
    teller.step("sample", [cell])
    if cell.variant == "checked":
        if cell.kernel == "G_CRASHES":
            os.kill(os.getpid(), signal.SIGSEGV)
        if cell.kernel == "G_HANGS":
            child = subprocess.Popen(["sleep", "600"])
            print(f"child {child.pid}", file=sys.stderr, flush=True)
            time.sleep(600)
        if cell.kernel == "G_ENDS_NODE" or (cell.kernel == "G_ENDS_NODE_ONCE" and _first_time()):
            time.sleep(0.5)  # the supervisor has heard all that came before
            os.kill(job["supervisor"], signal.SIGKILL)
            os._exit(1)  # as the real worker ends with its supervisor
        if cell.kernel == "G_CHATTERS":
            while True:
                time.sleep(0.05)
                teller.step("sample", [cell])
        if cell.kernel == "G_CRASHES_LATER" and job["walk"] == 2:
            return 3
        if cell.kernel == "G_SPOILS":
            teller.record(Record(job["run"], cell, job["walk"], 0, "crashed", "device fault"))
            return 75
        if cell.kernel == "G_INTERRUPTED" and not Path(os.environ["FAKE_MARK"]).exists():
            Path(os.environ["FAKE_MARK"]).write_text("here")
            time.sleep(0.5)  # the supervisor has heard all and waits
            os.kill(job["supervisor"], getattr(signal, os.environ.get("FAKE_SIGNAL", "SIGINT")))
            time.sleep(600)
    noisy = cell.kernel == "G_NOISY" and cell.variant == "checked"  # noise of one side: what both share cancels
    noise = 1.0 + (0.2 if noisy else 0.0) * (job["walk"] % 2)
    seconds = [noise * 1e-3] * 10
    record = Record(job["run"], cell, job["walk"], 0, "ok", device_seconds=seconds, wall_seconds=seconds)
    teller.record(record)
    return 0


def _first_time() -> bool:
    mark = Path(os.environ["FAKE_MARK"])
    is_first = not mark.exists()
    mark.touch()
    return is_first


if __name__ == "__main__":
    sys.exit(main())
