"""Kills a campaign at random moments and goes on with it, until it is done; then compares it with one left alone.

`python -m tests.harness.kills --kills 50`, from the top of the checkout, does so with twenty kernels; tests with few.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from kparity.harness.journal import load, read_json
from kparity.harness.records import Cell, Record

from .test_run import add_kernel

Outcome = tuple[str, str, str]  # status, checksum, expected checksum


def undisturbed(suite: Path, folder: Path, walks: int) -> None:
    """Run a campaign from its beginning to its end."""
    status = start(suite, folder, walks).wait()
    assert status == 0, status


def start(suite: Path, folder: Path, walks: int) -> subprocess.Popen[bytes]:
    """Start a campaign, or go on with it if there is one in the folder."""
    words = ["--suite", str(suite), "--targets", "cpu1", "--walks", str(walks), "--outdir", str(folder)]
    if read_json(folder, "plan.json"):
        words = ["--resume", str(folder)]
    command = [sys.executable, "-m", "kparity.harness.cli", "run", *words, "--budget", "0.001"]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def disturbed(suite: Path, folder: Path, walks: int, kills: int, rng: random.Random) -> int:
    """Run a campaign, killing it (SIGKILL) up to `kills` times at random moments; return how often it was."""
    for count in range(kills):
        before = size(folder)
        process = start(suite, folder, walks)
        awaited = before + rng.randint(0, 2)  # records that this life may write before its moment comes
        while process.poll() is None and size(folder) < awaited:
            time.sleep(0.01)
        time.sleep(rng.uniform(0.0, 0.1))
        if process.poll() is not None:
            return count
        process.kill()
        process.wait()
    undisturbed(suite, folder, walks)
    return kills


def size(folder: Path) -> int:
    """Return how many lines the journal has."""
    journal = folder / "journal.jsonl"
    return journal.read_bytes().count(b"\n") if journal.exists() else 0


def outcomes(records: Sequence[Record]) -> dict[tuple[Cell, int], Outcome]:
    """Return the last outcome of each cell and walk."""
    return {(r.cell, r.walk): (r.status, r.verification.checksum, r.verification.expected) for r in records}


def compare(alone: Path, killed: Path, kills: int) -> str:
    """Return how a disturbed campaign differs from one that was left alone; empty if as it should."""
    first, second = load(alone).records, load(killed).records
    if outcomes(first) != outcomes(second):
        return f"outcomes differ: {set(outcomes(first).items()) ^ set(outcomes(second).items())}"
    repeated = sum(count - 1 for count in Counter((r.cell, r.walk) for r in second).values())
    return f"{repeated} cells were measured twice in {kills} kills" if repeated > kills else ""


def main() -> int:
    """Kill, go on, compare, and tell."""
    parser = argparse.ArgumentParser(prog="python -m tests.harness.kills", description=__doc__)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--kernels", type=int, default=20)
    parser.add_argument("--walks", type=int, default=6)  # records enough for so many kills
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with TemporaryDirectory() as name:
        top = Path(name)
        for number in range(options.kernels):
            add_kernel(top / "suite", f"kernel{number}")
        undisturbed(top / "suite", top / "alone", options.walks)
        kills = disturbed(top / "suite", top / "killed", options.walks, options.kills, random.Random(options.seed))
        fault = compare(top / "alone", top / "killed", kills)
        print(f"{kills} kills, {len(load(top / 'killed').records)} records: {fault or 'as if undisturbed'}")
    return 1 if fault else 0


if __name__ == "__main__":
    sys.exit(main())
