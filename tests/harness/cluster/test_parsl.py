"""A campaign through Parsl itself, on this host, one of whose processes is killed."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from kparity.harness.journal import load

from ..test_run import add_kernel

pytestmark = [
    pytest.mark.long,
    pytest.mark.toolchain,
    pytest.mark.skipif(shutil.which("g++") is None, reason="no g++ to compile the baselines"),
]


def test_a_killed_process_of_the_engine_costs_one_cell(tmp_path: Path) -> None:
    pytest.importorskip("parsl")
    for name in ("one", "two", "three"):
        add_kernel(tmp_path / "suite", name)
    profile = tmp_path / "site.toml"
    profile.write_text('[cluster]\nprovider = "local"\nblocks = 2\nlost_seconds = 20\n')
    folder = tmp_path / "campaign"
    words = ["--suite", str(tmp_path / "suite"), "--targets", "cpu1", "--walks", "3", "--budget", "1"]
    words += ["--cluster", str(profile), "--outdir", str(folder)]
    with open(tmp_path / "log", "wb") as log:
        run = subprocess.Popen([sys.executable, "-m", "kparity.harness.cli", "run", *words], stdout=log, stderr=log)
        while run.poll() is None and not _shards(folder):
            time.sleep(0.05)
        for process in _carriers(run.pid)[:1]:
            os.kill(process, signal.SIGKILL)
        assert run.wait(timeout=300) == 0, (tmp_path / "log").read_text()
    records = load(folder).records
    lost = [r for r in records if r.status == "interrupted"]
    assert len(lost) <= 2  # the sides that the step in flight was about
    assert len({(r.cell, r.walk) for r in records if r.status == "ok"}) == 3 * 2 * 3
    assert len(records) == 3 * 2 * 3 + len(lost)


def _shards(folder: Path) -> list[Path]:
    return list(folder.glob("journal-*.jsonl"))


def _carriers(ancestor: int) -> list[int]:
    """Return the engine's processes that have a worker of ours as their child, among the descendants of a process."""
    found = []
    for status in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if b"kparity.harness.worker" in status.read_bytes():
                parent = int((status.parent / "stat").read_text().rsplit(")", 1)[1].split()[1])
                if ancestor in _ancestors(parent):
                    found.append(parent)
        except (OSError, IndexError, ValueError):
            continue  # it has just ended
    return found


def _ancestors(process: int) -> list[int]:
    found = []
    while process > 1:
        found.append(process)
        process = int(Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[1])
    return found
