"""An engine for tests: every part is carried out by a process of its own, which may be killed like a node."""

from __future__ import annotations

import os
import pickle
import queue
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

from kparity.harness.cluster.part import VISIBLE, Outcome, Part, carry


class Nodes:
    """As many places as there are devices; each process sees one of them."""

    def __init__(self, devices: Sequence[str]) -> None:
        self._free: queue.Queue[str] = queue.Queue()
        for device in devices:
            self._free.put(device)
        self._pool = ThreadPoolExecutor(len(devices))
        self.parts: list[Part] = []

    def __call__(self, part: Part) -> Future[Outcome]:
        self.parts.append(part)
        return self._pool.submit(self._carried, part)

    def _carried(self, part: Part) -> Outcome:
        device = self._free.get()
        try:
            done = subprocess.run(
                [sys.executable, "-m", "tests.harness.cluster.nodes"], input=pickle.dumps(part), capture_output=True,
                cwd=Path(__file__).parents[3], env={**os.environ, VISIBLE: device}, check=False,
            )  # fmt: skip
        finally:
            self._free.put(device)
        if done.returncode:
            raise ConnectionError(f"exit status {done.returncode}: {done.stderr.decode()[-300:]}")
        outcome: Outcome = pickle.loads(done.stdout)
        return outcome


if __name__ == "__main__":
    sys.stdout.buffer.write(pickle.dumps(carry(pickle.load(sys.stdin.buffer))))
